//! Forecasts against measured runs.

pub mod check;
mod classes;
mod defaults;
mod evidence;
mod interval_widths;
mod layouts;
mod linked;
mod looks;
pub mod microbenchmarks;
mod observations;
mod open_columns;
mod options;
mod pairs;
mod peaks;
pub mod published;
mod recipes;
mod run;
mod tried;
mod widths;
mod winners;

pub use classes::{ClassAccuracy, ClassErrors, JobClass, by_class};
pub use evidence::evidence;
pub use interval_widths::{HeldIntervals, interval_widths, left_out};
pub use layouts::LayoutGroup;
pub use looks::{LookAccuracy, by_look};
pub use observations::observations;
pub use options::{COLUMNS, EVIDENCE_COLUMNS, OPTIONS};
pub use pairs::PairAccuracy;
pub use peaks::{Counter, Peak, PeakReport, PeakRow, peak_errors, validate_memory};
pub use recipes::{ConstrainedSearch, NEAR, PublishedRecipe, recipes};
pub use run::{FirstForecast, MeasuredRun};
pub use tried::tried;
pub use widths::{ClassReport, UtilisationBand, Widths};
pub use winners::{Followed, RuleOfThumb, Winners};

use crate::forecast::Predictor;
use layouts::MeasuredLayout;
use serde::Serialize;
use std::collections::BTreeMap;

/// One run's outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunResult {
    /// Identifier of the row.
    pub id: String,
    /// Publication it comes from.
    pub source: String,
    /// Measured seconds per step.
    pub measured_s: f64,
    /// Forecast seconds per step; absent when the row was skipped.
    pub predicted_s: Option<f64>,
    /// Ends of the forecast's 90 % interval, seconds.
    pub low_s: Option<f64>,
    /// Upper end.
    pub high_s: Option<f64>,
    /// Why it was skipped.
    pub skipped: Option<String>,
    /// What was filled in where the source is silent.
    pub assumed: Vec<String>,
    /// Whether the row is marked inconsistent and left out of the statistics.
    pub dropped: bool,
}

impl RunResult {
    /// The forecast and both ends of its interval, seconds, where there is one.
    fn forecast(&self) -> Option<[f64; 3]> {
        Some([self.predicted_s?, self.low_s?, self.high_s?])
    }
}

/// Errors over the forecast rows of one source, or over all. Ratios, not percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Accuracy {
    /// Publication, or `all`.
    pub source: String,
    /// Rows counted.
    pub n: usize,
    /// Rows that could not be forecast.
    pub skipped: usize,
    /// Median of |forecast / measured - 1|.
    pub median_ape: f64,
    /// Mean of |forecast / measured - 1|.
    pub mape: f64,
    /// Mean of forecast / measured - 1.
    pub bias: f64,
    /// Share of rows within 10 %.
    pub within_10: f64,
    /// Share of rows whose measured time is within the forecast's 90 % interval.
    pub coverage_90: f64,
}

/// Outcome of a whole file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValidationReport {
    /// Every row.
    pub rows: Vec<RunResult>,
    /// Every source, in order of appearance.
    pub sources: Vec<Accuracy>,
    /// All rows together.
    pub overall: Accuracy,
    /// Mean over sources of their median |error|: sources have equal weight, whatever their size.
    pub mean_of_medians: f64,
    /// Jobs measured in several layouts, and whether forecasts order them.
    pub layouts: Vec<LayoutGroup>,
    /// Mean over those jobs of Kendall's tau.
    pub mean_tau: f64,
    /// Mean over those jobs of what following the forecast costs.
    pub mean_regret: f64,
    /// Largest of them.
    pub largest_regret: f64,
    /// The layouts forecast fastest of those jobs.
    pub winners: Winners,
    /// What following the rule of thumb costs in those jobs.
    pub rule_of_thumb: RuleOfThumb,
    /// How far the ratios of two layouts' steps are off, by kind of job, source and difference.
    pub pairs: Vec<PairAccuracy>,
}

/// Forecasts every run and compares.
pub fn validate(predictor: &Predictor<'_>, runs: &[MeasuredRun]) -> ValidationReport {
    let rows: Vec<RunResult> = runs.iter().map(|run| row(run, predictor)).collect();
    let sources = summaries(runs, &rows, |run| &run.source);
    let counted: Vec<f64> =
        sources.iter().filter(|source| source.n > 0).map(|source| source.median_ape).collect();
    let mean_of_medians = mean(&counted);
    let overall = accuracy("all", rows.iter());
    let measured = measured_layouts(runs, &rows);
    let layouts = layouts::groups(&measured);
    let of_groups = |get: fn(&LayoutGroup) -> f64| layouts.iter().map(get).collect::<Vec<f64>>();
    let regrets = of_groups(|group| group.regret);
    ValidationReport {
        rows,
        sources,
        overall,
        mean_of_medians,
        mean_tau: mean(&of_groups(|group| group.tau)),
        mean_regret: mean(&regrets),
        largest_regret: regrets.into_iter().fold(0.0, f64::max),
        winners: winners::winners(&layouts),
        rule_of_thumb: winners::rule_of_thumb(&layouts),
        pairs: pairs::accuracy(predictor, &measured),
        layouts,
    }
}

/// The counted rows as layouts of their jobs.
fn measured_layouts<'a>(runs: &'a [MeasuredRun], rows: &[RunResult]) -> Vec<MeasuredLayout<'a>> {
    let counted = runs.iter().zip(rows).filter(|(_, row)| !row.dropped);
    let layout = |(run, row): (&'a MeasuredRun, &RunResult)| {
        Some(MeasuredLayout {
            job: &run.job,
            source: &run.source,
            scenario: run.scenario.as_ref().ok()?,
            measured_s: row.measured_s,
            forecast_s: row.predicted_s?,
        })
    };
    counted.filter_map(layout).collect()
}

/// Accuracy of each group of runs, in order of appearance. `rows` are their outcomes, in the same order.
pub fn summaries(
    runs: &[MeasuredRun],
    rows: &[RunResult],
    group: impl Fn(&MeasuredRun) -> &str,
) -> Vec<Accuracy> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<(&str, Vec<&RunResult>)> = Vec::new();
    for (run, row) in runs.iter().zip(rows) {
        let place = *places.entry(group(run)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((group(run), vec![row])),
        }
    }
    groups.into_iter().map(|(name, rows)| accuracy(name, rows.into_iter())).collect()
}

fn row(run: &MeasuredRun, predictor: &Predictor<'_>) -> RunResult {
    let predicted = match &run.scenario {
        Ok(scenario) => check::seconds(run.measured_s)
            .map(|()| (predictor.step_time(scenario).0, run.interval(predictor, scenario))),
        Err(reason) => Err(reason.clone()),
    };
    RunResult {
        id: run.id.clone(),
        source: run.source.clone(),
        measured_s: run.measured_s,
        predicted_s: predicted.as_ref().ok().map(|forecast| forecast.0),
        low_s: predicted.as_ref().ok().map(|forecast| forecast.1.0.0),
        high_s: predicted.as_ref().ok().map(|forecast| forecast.1.1.0),
        skipped: predicted.err(),
        assumed: run.assumed.clone(),
        dropped: run.dropped,
    }
}

fn accuracy<'a>(name: &str, rows: impl Iterator<Item = &'a RunResult>) -> Accuracy {
    let mut errors = Vec::new();
    let mut covered = 0_usize;
    let mut skipped = 0;
    for row in rows {
        match row.predicted_s {
            Some(predicted) if !row.dropped => {
                errors.push(predicted / row.measured_s - 1.0);
                let holds = |low: f64, high: f64| (low..=high).contains(&row.measured_s);
                covered += usize::from(row.low_s.zip(row.high_s).is_some_and(|(low, high)| holds(low, high)));
            }
            Some(_) => {}
            None => skipped += 1,
        }
    }
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let within = sizes.iter().filter(|&&size| size <= 0.1).count();
    Accuracy {
        source: name.to_owned(),
        n: errors.len(),
        skipped,
        median_ape: median(&sizes),
        mape: mean(&sizes),
        bias: mean(&errors),
        within_10: within as f64 / sizes.len().max(1) as f64,
        coverage_90: covered as f64 / sizes.len().max(1) as f64,
    }
}

/// Median of a sorted slice; zero of an empty one.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(half), sorted.get(half.wrapping_sub(1))) {
        (1, Some(middle), _) => *middle,
        (_, Some(upper), Some(lower)) => 0.5 * (lower + upper),
        _ => 0.0,
    }
}

fn mean(values: &[f64]) -> f64 {
    // A sum of nothing is -0.
    (0.0 + values.iter().sum::<f64>()) / values.len().max(1) as f64
}
