//! Published recipes against what a search finds for their jobs.
//!
//! A publisher tunes its recipes on the machine itself. If a search finds something much faster, it has found something
//! that nobody tried, or a weakness of the forecasts; the contributing axes show which.

use super::MeasuredRun;
use crate::forecast::{Predictor, Untried, untried};
use crate::memory::{LIKELY, report};
use crate::rules::stack_runs;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::{
    AXES, Candidate, FreeAxes, LayoutComparison, Margin, Options, Space, compare, rule_of_thumb,
};
use serde::Serialize;

/// Lead of the layout found up to which the two are within model error: more than half, and fewer than 90 %, of the
/// ratios of two measured layouts have a larger error (docs/accuracy.md, "Two layouts of one job").
pub const NEAR: f64 = 0.08;

/// One published recipe, and the fastest comfortable layout of its job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedRecipe {
    /// Identifier of the run.
    pub id: String,
    /// Publication it comes from.
    pub source: String,
    /// Name of the model.
    pub model: String,
    /// Name of the GPU.
    pub gpu: String,
    /// How many of them.
    pub gpus: u32,
    /// Measured seconds per step.
    pub measured_s: f64,
    /// Forecast seconds per step of the recipe's own layout.
    pub forecast_s: f64,
    /// The recipe's own layout.
    pub plan: Plan,
    /// Share of the usable memory that it leaves free by the forecast, below 0 where it does not fit.
    pub room: f64,
    /// Probability that it fits.
    pub fit_probability: f64,
    /// Whether its stack is known to run it.
    pub stack_runs: bool,
    /// The fastest layout that leaves the margin of the memory free; the fastest that fits where none does.
    pub found: Candidate,
    /// Forecast seconds per step of the rule of thumb's layout, where it has one.
    pub rule_s: Option<f64>,
    /// Layouts that were searched.
    pub layouts: usize,
    /// The ratio with more and more axes held at the recipe's values, each time the one that lowers it most, until it is
    /// near; of recipes that are not near only.
    pub held: Vec<ConstrainedSearch>,
    /// The layout found and the recipe, part by part; of recipes that are not near only.
    pub comparison: Option<LayoutComparison>,
    /// Fields of the layout found that no measured run has.
    pub untried: Vec<Untried>,
}

/// What the search finds where this axis and those before it keep the recipe's values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConstrainedSearch {
    /// Key of the axis.
    pub key: &'static str,
    /// Forecast step of the recipe over that of the layout then found.
    pub ratio: f64,
}

impl PublishedRecipe {
    /// Forecast step of the recipe over that of the layout found.
    pub fn ratio(&self) -> f64 {
        self.forecast_s / self.found.step.0
    }

    /// Whether the two have equal forecasts.
    pub fn is_near(&self) -> bool {
        (self.ratio() - 1.0).abs() <= NEAR
    }

    /// Forecast step of the rule of thumb's layout over that of the layout found, where the rule has one.
    pub fn rule_ratio(&self) -> Option<f64> {
        self.rule_s.map(|rule_s| rule_s / self.found.step.0)
    }

    /// Whether it is likely to fit, by the forecast.
    pub fn is_comfortable(&self) -> bool {
        self.fit_probability >= LIKELY
    }
}

/// The published recipes of a file, one for each model, GPU and number of GPUs: the one with the highest throughput,
/// compared with the fastest comfortable layout of the same job that its stack can run.
pub fn recipes(predictor: &Predictor<'_>, runs: &[MeasuredRun]) -> Vec<PublishedRecipe> {
    picked(runs).into_iter().filter_map(|(run, scenario)| recipe(predictor, run, scenario)).collect()
}

/// The run with the highest throughput for each model, GPU and number of GPUs, in order of appearance.
fn picked(runs: &[MeasuredRun]) -> Vec<(&MeasuredRun, &Scenario)> {
    let mut found: Vec<(&MeasuredRun, &Scenario)> = Vec::new();
    for run in runs.iter().filter(|run| !run.dropped && run.measured_s > 0.0) {
        let Ok(scenario) = &run.scenario else { continue };
        match found.iter_mut().find(|(other, known)| other.gpu == run.gpu && is_alike(known, scenario)) {
            Some(known) if rate(known.0, known.1) >= rate(run, scenario) => {}
            Some(known) => *known = (run, scenario),
            None => found.push((run, scenario)),
        }
    }
    found
}

fn is_alike(one: &Scenario, other: &Scenario) -> bool {
    let shape = |scenario: &Scenario| {
        let model = scenario.model;
        (model.layers, model.hidden, model.ffn, model.heads, model.vocabulary, model.experts)
    };
    one.cluster.gpus == other.cluster.gpus && shape(one) == shape(other)
}

/// Tokens per second.
fn rate(run: &MeasuredRun, scenario: &Scenario) -> f64 {
    let tokens = f64::from(scenario.workload.global_batch) * f64::from(scenario.workload.sequence);
    tokens / run.measured_s
}

fn recipe(predictor: &Predictor<'_>, run: &MeasuredRun, scenario: &Scenario) -> Option<PublishedRecipe> {
    let (found, layouts) = search(predictor, scenario, FreeAxes::default())?;
    let forecast_s = predictor.step_time(scenario).0;
    let memory = report(scenario);
    let mut recipe = PublishedRecipe {
        id: run.id.clone(),
        source: run.source.clone(),
        model: run.model.clone(),
        gpu: run.gpu.clone(),
        gpus: scenario.cluster.gpus,
        measured_s: run.measured_s,
        forecast_s,
        plan: scenario.plan,
        room: 1.0 - memory.peak_gib / memory.usable_gib,
        fit_probability: memory.fit_probability,
        stack_runs: stack_runs(scenario),
        found,
        rule_s: rule_of_thumb(scenario).map(|plan| predictor.step_time(&Scenario { plan, ..*scenario }).0),
        layouts,
        held: Vec::new(),
        comparison: None,
        untried: Vec::new(),
    };
    if !recipe.is_near() {
        let found = Scenario { plan: recipe.found.plan, ..*scenario };
        recipe.held = held(predictor, scenario, forecast_s);
        recipe.comparison = compare(predictor, &found, scenario).ok();
        recipe.untried = untried(&found);
    }
    Some(recipe)
}

/// The fastest layout that leaves the margin of the memory free, else the fastest that fits, and the number of layouts.
fn search(predictor: &Predictor<'_>, job: &Scenario, free: FreeAxes) -> Option<(Candidate, usize)> {
    let mut search =
        predictor.search(Space::new(job, free), Options { top: 1, unfit: 0, ..Options::default() });
    search.finish();
    let ranking = search.ranking();
    ranking.first(Margin::Likely).map(|found| (*found, ranking.counts.layouts))
}

/// Contribution of each axis to the recipe's ratio.
fn held(predictor: &Predictor<'_>, job: &Scenario, forecast_s: f64) -> Vec<ConstrainedSearch> {
    let mut free = FreeAxes::default();
    let mut held: Vec<ConstrainedSearch> = Vec::new();
    let mut last = f64::INFINITY;
    while last > 1.0 + NEAR {
        let axes = AXES.iter().filter(|axis| free.has(axis.key));
        let tried = axes.filter_map(|axis| {
            let (found, _) = search(predictor, job, free.with(axis.key, false))?;
            Some(ConstrainedSearch { key: axis.key, ratio: forecast_s / found.step.0 })
        });
        let Some(best) = tried.min_by(|one, other| one.ratio.total_cmp(&other.ratio)) else { break };
        (last, free) = (best.ratio, free.with(best.key, false));
        held.push(best);
    }
    held
}
