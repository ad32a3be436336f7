//! Measured runs by publication: the table that counts runs similar to a job.

use super::{MeasuredRun, check, median};
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::scenario::stack::Stack;
use std::collections::BTreeMap;

/// Head of the table.
const HEAD: &str = "\
# What evidence public runs are, by publication, software, generation of GPUs and kind of model: written by `cargo xtask readme`.
# mixers: what mixes tokens besides attention.
# fitted: whether constants were fitted to the runs. error: median of |forecast / measured - 1|, of the first forecast where that
# is on record. most_gpus and longest are those of the largest run and the longest sequence.
source\tfitted\tstack\tsince [year]\tgeneration\texperts\tmixers\truns\terror [1]\tmost_gpus\tlongest [tokens]
";

/// Publications whose steps were composed from times of single layers: nobody ran them whole.
const COMPOSED: [&str; 1] = ["vtrain-single"];

/// Key of a line: publication, software, its year, GPU generation, kind of model.
type Line<'a> = (&'a str, bool, &'static str, u16, &'static str, bool, &'static str);

/// The table of evidence, tab-separated: runs used for fitting, and all others.
pub fn evidence(predictor: &Predictor<'_>, fitted: &[MeasuredRun], others: &[MeasuredRun]) -> String {
    let mut lines: BTreeMap<Line<'_>, Vec<(&Scenario, f64)>> = BTreeMap::new();
    for (run, fitted) in fitted.iter().map(|run| (run, true)).chain(others.iter().map(|run| (run, false))) {
        let Ok(job) = &run.scenario else { continue };
        if run.dropped || check::seconds(run.measured_s).is_err() || COMPOSED.contains(&run.source.as_str()) {
            continue;
        }
        let forecast = run.first.map_or_else(|| predictor.step_time(job).0, |first| first.step_s);
        let software = (name(job.software.stack), job.software.profile().since);
        let on =
            (job.cluster.gpu.family.name(), job.model.experts.count > 0, job.model.mixer_class().names().0);
        let line = (run.source.as_str(), fitted, software.0, software.1, on.0, on.1, on.2);
        lines.entry(line).or_default().push((job, (forecast / run.measured_s - 1.0).abs()));
    }
    let mut table = HEAD.to_owned();
    for ((source, fitted, stack, since, generation, experts, mixers), runs) in lines {
        let mut errors: Vec<f64> = runs.iter().map(|run| run.1).collect();
        errors.sort_by(f64::total_cmp);
        let most = |of: fn(&Scenario) -> u32| runs.iter().map(|run| of(run.0)).max().unwrap_or(0);
        let yes = |flag: bool| if flag { "yes" } else { "no" };
        let since = if since == 0 { String::new() } else { since.to_string() };
        table.push_str(&format!(
            "{source}\t{}\t{stack}\t{since}\t{generation}\t{}\t{mixers}\t{}\t{:.3}\t{}\t{}\n",
            yes(fitted),
            yes(experts),
            runs.len(),
            median(&errors),
            most(|job| job.cluster.gpus),
            most(|job| job.workload.sequence),
        ));
    }
    table
}

fn name(stack: Stack) -> &'static str {
    Stack::ALL.iter().find(|entry| entry.0 == stack).map_or("", |entry| entry.1)
}
