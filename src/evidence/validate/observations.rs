//! Measured runs as calibration input.

use super::{MeasuredRun, check};
use crate::calibrate::fit::Observation;
use std::collections::HashMap;

/// Largest weight of a source in the fit, in runs, so that a large one does not dominate.
const MOST_RUNS_OF_A_SOURCE: f64 = 25.0;

/// The runs for fitting: those that can be forecast, are not marked inconsistent, and that pass `keep`.
pub fn observations(runs: &[MeasuredRun], keep: impl Fn(&MeasuredRun) -> bool) -> Vec<Observation> {
    let timed = |run: &&MeasuredRun| check::seconds(run.measured_s).is_ok();
    let kept: Vec<&MeasuredRun> = runs.iter().filter(|run| !run.dropped && keep(run)).filter(timed).collect();
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
