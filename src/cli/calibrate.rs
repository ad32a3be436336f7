//! `stepcast calibrate`: refits the measured and fitted constants, and says how well forecasts hold for
//! runs that were left out.

use crate::text::{Align, percent, table};
use crate::{Failure, runs, tables};
use clap::ValueEnum;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use stepcast::calibration::fit::{Free, Observation, fit, fitted_to_runs};
use stepcast::calibration::{Constants, REGISTRY};
use stepcast::prediction::Evidence;
use stepcast::validation::microbenchmarks::{self, Sample, read_collective, read_gemm};
use stepcast::validation::{Run, validate_under, validate_with};

/// A source counts in the fit as at most this many runs, so that a large one does not drown the others.
const MOST_RUNS_OF_A_SOURCE: f64 = 25.0;
/// How far measured constants may move, in natural-log units: the samples, not the prior, should decide.
const LOOSE: f64 = 0.5;

/// Constants that kernel tables determine.
const OF_KERNELS: [&str; 8] = [
    "gemm_efficiency_ampere",
    "gemm_efficiency_hopper",
    "gemm_efficiency_blackwell",
    "gemm_k_half",
    "gemm_wave_exponent_ampere",
    "gemm_wave_exponent_later",
    "roofline_overlap_loss",
    "kernel_ramp",
];

/// Constants that collective tables determine.
const OF_COLLECTIVES: [&str; 11] = [
    "scale_up_efficiency_ampere",
    "scale_up_efficiency_hopper",
    "scale_up_efficiency_blackwell",
    "scale_up_small_group_loss",
    "scale_up_nvls_gain_hopper",
    "scale_up_nvls_gain_blackwell",
    "scale_up_latency",
    "scale_up_hop_latency",
    "scale_up_ramp_ampere",
    "scale_up_ramp_hopper",
    "scale_up_ramp_blackwell",
];

/// What is left out, one group at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LeaveOut {
    /// Publications.
    Source,
    /// Software stacks.
    Stack,
    /// GPUs.
    Gpu,
    /// Families of models.
    Family,
}

/// Refits from a data folder (kernels.csv, nccl_bandwidth.csv, runs.csv) and prints the constants.
pub(crate) fn calibrate(data: &Path, leave_out: Option<LeaveOut>) -> Result<String, Failure> {
    let runs = runs::read(&data.join("runs.csv"))?;
    if let Some(by) = leave_out {
        return Ok(left_out(&runs, by));
    }
    let kernels = tables::read(&data.join("kernels.csv"), &["gpu", "kernel", "shape"], |record| {
        read_gemm(|column| record.get(column))
    })?;
    let collectives = tables::read(&data.join("nccl_bandwidth.csv"), &["gpu", "collective"], |record| {
        read_collective(|column| record.get(column))
    })?;
    let kernels: Vec<Sample> = kernels.into_iter().flatten().collect();
    let collectives: Vec<Sample> = collectives.into_iter().flatten().collect();
    let mut out = String::new();
    for (title, samples, names) in [
        ("Kernels", &kernels, &OF_KERNELS[..]),
        ("Collectives within a node", &collectives, &OF_COLLECTIVES[..]),
    ] {
        let free = free(names);
        let fitted = microbenchmarks::fit(samples, &free);
        let error = median(microbenchmarks::ratios(samples, &fitted));
        out.push_str(&format!("{title}: {} samples, median error {}\n", samples.len(), percent(error)));
        out.push_str(&constants(&free, &fitted));
    }
    let free = fitted_to_runs();
    let fitted = fit(&observations(&runs, |_| true), &free);
    let report = validate_with(&runs, &fitted);
    out.push_str(&format!(
        "Runs: {} counted, mean of the sources' medians {}\n",
        report.overall.n,
        percent(report.mean_of_medians)
    ));
    out.push_str(&constants(&free, &fitted));
    Ok(out)
}

/// Forecasts every group of runs with constants fitted to all the others.
fn left_out(runs: &[Run], by: LeaveOut) -> String {
    let key = |run: &Run| match by {
        LeaveOut::Source => run.source.clone(),
        LeaveOut::Stack => run.stack.clone(),
        LeaveOut::Gpu => run.gpu.clone(),
        LeaveOut::Family => run.family.clone(),
    };
    let mut groups: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.scenario.is_ok() && !run.dropped) {
        groups.entry(key(run)).or_default().push(run.clone());
    }
    let mut rows =
        vec![["left out", "n", "median error", "bias", "90 % interval holds"].map(str::to_owned).to_vec()];
    let (mut sum, mut held) = (0.0, 0.0);
    for (name, members) in &groups {
        let fitted = fit(&observations(runs, |run| key(run) != *name), &fitted_to_runs());
        let seen = runs.iter().filter(|run| !run.dropped && key(run) != *name);
        let evidence = Evidence::of(seen.filter_map(|run| run.scenario.as_ref().ok()));
        let overall = validate_under(members, &fitted, &evidence).overall;
        sum += overall.median_ape;
        held += overall.coverage_90;
        rows.push(vec![
            name.clone(),
            overall.n.to_string(),
            percent(overall.median_ape),
            percent(overall.bias),
            percent(overall.coverage_90),
        ]);
    }
    let count = groups.len().max(1) as f64;
    let lines = table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right, Align::Right]);
    let (median, coverage) = (percent(sum / count), percent(held / count));
    format!("{lines}Mean of the medians: {median}; mean of the intervals' coverage: {coverage}\n")
}

fn observations(runs: &[Run], keep: impl Fn(&Run) -> bool) -> Vec<Observation> {
    let kept: Vec<&Run> =
        runs.iter().filter(|run| !run.dropped && run.measured_s > 0.0 && keep(run)).collect();
    let mut counts: HashMap<&str, f64> = HashMap::new();
    for run in kept.iter().filter(|run| run.scenario.is_ok()) {
        *counts.entry(&run.source).or_default() += 1.0;
    }
    kept.iter()
        .filter_map(|run| {
            let count = counts.get(run.source.as_str()).copied()?;
            let scenario = *run.scenario.as_ref().ok()?;
            let weight = count.min(MOST_RUNS_OF_A_SOURCE) / count;
            Some(Observation { scenario, measured_s: run.measured_s, weight })
        })
        .collect()
}

fn free(names: &[&str]) -> Vec<Free> {
    REGISTRY
        .iter()
        .filter(|constant| names.contains(&constant.name))
        .map(|constant| Free { constant, prior: constant.value, spread: LOOSE })
        .collect()
}

fn constants(free: &[Free], fitted: &Constants) -> String {
    let mut rows = vec![["constant", "shipped", "refit", "unit"].map(str::to_owned).to_vec()];
    rows.extend(free.iter().map(|entry| {
        let constant = entry.constant;
        let digits = |value: f64| format!("{value:.3e}");
        vec![
            constant.name.to_owned(),
            digits(constant.value),
            digits((constant.get)(fitted)),
            constant.unit.to_owned(),
        ]
    }));
    table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Left]) + "\n"
}

fn median(ratios: Vec<f64>) -> f64 {
    let mut errors: Vec<f64> = ratios.into_iter().map(|ratio| (ratio - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(0.0)
}
