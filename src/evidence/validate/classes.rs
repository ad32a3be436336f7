//! Forecast accuracy by class of job: kind of model, and evidence for software and GPUs.

use super::widths::{BANDS, ClassReport, UtilisationBand, Widths, widths};
use super::{MeasuredRun, RunResult, mean, median};
use crate::forecast::{Predictor, SoftwareEvidence};
use crate::scenario::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;

/// Class of jobs, ordered from much evidence to little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct JobClass {
    /// Whether the models are MoE.
    pub experts: bool,
    /// Evidence for the software.
    pub software: SoftwareEvidence,
    /// Whether there are few measured runs on this GPU generation.
    pub new_gpus: bool,
}

/// Errors of some forecasts, with equal weight per source. Ratios, not percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClassErrors {
    /// Rows counted.
    pub n: usize,
    /// Their publications.
    pub sources: usize,
    /// Mean over sources of their median |forecast / measured - 1|.
    pub mean_of_medians: f64,
    /// Mean over sources of the share of rows whose measured time is within the forecast's 90 % interval.
    pub coverage_90: f64,
}

/// Forecast accuracy of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassAccuracy {
    /// The class; none for all of them.
    pub class: Option<JobClass>,
    /// Forecasts made before anyone looked at the runs, if on record.
    pub first: Option<ClassErrors>,
    /// Today's forecasts.
    pub now: ClassErrors,
    /// Their intervals.
    pub widths: Widths,
}

/// One forecast: its publication, |forecast / measured - 1|, and whether its interval contains the measured time.
type Outcome<'a> = (&'a str, f64, bool);

/// Every class of the runs that can be forecast, all of them together at the end, and the utilisation ranges of dense
/// jobs.
pub fn by_class(predictor: &Predictor<'_>, runs: &[MeasuredRun]) -> ClassReport {
    let mut classes: BTreeMap<JobClass, Vec<(&MeasuredRun, RunResult)>> = BTreeMap::new();
    let mut bands: [Vec<(&MeasuredRun, [f64; 3])>; BANDS.len() + 1] = Default::default();
    for run in runs {
        let Ok(job) = &run.scenario else { continue };
        let row = super::row(run, predictor);
        let Some(forecast) = row.forecast().filter(|_| !row.dropped) else { continue };
        let class = class(predictor, job);
        // Jobs that the form refuses have no utilisation.
        let hfu = predictor.predict(job).ok().filter(|_| !class.experts).map(|prediction| prediction.hfu);
        let band = hfu.map(|hfu| BANDS.iter().take_while(|end| hfu >= **end).count());
        if let Some(band) = band.and_then(|band| bands.get_mut(band)) {
            band.push((run, forecast));
        }
        classes.entry(class).or_default().push((run, row));
    }
    let mut table: Vec<ClassAccuracy> =
        classes.iter().map(|(class, rows)| accuracy(Some(*class), rows.iter())).collect();
    table.push(accuracy(None, classes.values().flatten()));
    let all_of_it = classes.values().flatten().filter(|(run, _)| run.states_layout_and_network());
    let stated = accuracy(None, all_of_it);
    let ends = BANDS.iter().copied().map(Some).chain([None]);
    let utilisation = ends
        .zip(bands)
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(below, rows)| UtilisationBand { below, widths: widths(rows.into_iter()) })
        .collect();
    ClassReport { classes: table, stated, utilisation }
}

fn class(predictor: &Predictor<'_>, job: &Scenario) -> JobClass {
    JobClass {
        experts: job.model.experts.count > 0,
        software: predictor.software_evidence(job),
        new_gpus: predictor.has_new_gpus(job),
    }
}

pub(super) fn accuracy<'a>(
    class: Option<JobClass>,
    rows: impl Iterator<Item = &'a (&'a MeasuredRun, RunResult)> + Clone,
) -> ClassAccuracy {
    let outcome = |run: &'a MeasuredRun, forecast: f64, low: f64, high: f64| {
        let held = (low..=high).contains(&run.measured_s);
        (run.source.as_str(), (forecast / run.measured_s - 1.0).abs(), held)
    };
    let first = rows.clone().filter_map(|(run, _)| {
        let first = run.first?;
        Some(outcome(run, first.step_s, first.low_s, first.high_s))
    });
    let forecasts = rows.filter_map(|(run, row)| Some((*run, row.forecast()?)));
    let now = forecasts.clone().map(|(run, [step, low, high])| outcome(run, step, low, high));
    let (first, now) = (errors(first), errors(now));
    ClassAccuracy { class, first: (first.n > 0).then_some(first), now, widths: widths(forecasts) }
}

fn errors<'a>(outcomes: impl Iterator<Item = Outcome<'a>>) -> ClassErrors {
    let mut sources: BTreeMap<&str, (Vec<f64>, usize)> = BTreeMap::new();
    for (source, error, held) in outcomes {
        let entry = sources.entry(source).or_default();
        entry.0.push(error);
        entry.1 += usize::from(held);
    }
    let mut medians = Vec::with_capacity(sources.len());
    let mut covered = Vec::with_capacity(sources.len());
    for (errors, held) in sources.values_mut() {
        errors.sort_by(f64::total_cmp);
        medians.push(median(errors));
        covered.push(*held as f64 / errors.len().max(1) as f64);
    }
    let n = sources.values().map(|entry| entry.0.len()).sum();
    ClassErrors { n, sources: sources.len(), mean_of_medians: mean(&medians), coverage_90: mean(&covered) }
}
