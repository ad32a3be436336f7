//! The best layout on more and more GPUs: what they bring, what the run costs, and where they stop paying.

use super::axes::Free;
use super::ranking::Candidate;
use super::search::Options;
use super::space::Space;
use crate::forecast::{Interval, Predictor};
use crate::run_cost::RunCost;
use crate::scaling::{Mode, Returns, returns};
use crate::scenario::Scenario;
use crate::units::Seconds;
use serde::Serialize;

/// A job on one number of GPUs, in the layout that is best there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyPoint {
    /// The job, in that layout.
    #[serde(skip)]
    pub scenario: Scenario,
    /// GPUs.
    pub gpus: u32,
    /// Sequences in one step.
    pub global_batch: u32,
    /// The layout, and what is forecast of it.
    pub layout: Candidate,
    /// 90 % interval of the step.
    #[serde(flatten)]
    pub interval: Interval,
    /// Tokens per second of the whole job.
    pub tokens_per_s: f64,
    /// What the whole run costs.
    pub cost: RunCost,
    /// Throughput per GPU over that of the first point.
    pub efficiency: f64,
    /// What the last added GPUs brought, over what they ideally bring; 1 at the first point.
    pub marginal: f64,
}

/// What a study finds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    /// What stays the same as GPUs are added.
    pub mode: Mode,
    /// By number of GPUs.
    pub points: Vec<StudyPoint>,
    /// The last point before GPUs bring less than half of what they ideally do.
    pub turn: Option<usize>,
    /// Numbers of GPUs on which no layout fits, or none is legal.
    pub without_layout: Vec<u32>,
}

/// What to look for among the points of a study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// The shortest run.
    Fastest,
    /// The least money.
    Cheapest,
    /// The fewest GPU-hours.
    FewestGpuHours,
    /// The least energy.
    LeastEnergy,
    /// The least carbon dioxide.
    LeastCarbon,
    /// The fewest GPUs with which the run takes no longer than this.
    Deadline(Seconds),
}

impl Study {
    /// The point that reaches a goal best; nothing where none does.
    pub fn best(&self, goal: Goal) -> Option<&StudyPoint> {
        let least = |value: fn(&StudyPoint) -> f64| {
            self.points.iter().min_by(|one, other| value(one).total_cmp(&value(other)))
        };
        match goal {
            Goal::Fastest => least(|point| point.cost.time.0),
            Goal::Cheapest => least(|point| point.cost.usd),
            Goal::FewestGpuHours => least(|point| point.cost.gpu_hours),
            Goal::LeastEnergy => least(|point| point.cost.kwh),
            Goal::LeastCarbon => least(|point| point.cost.co2_kg),
            Goal::Deadline(most) => self.points.iter().find(|point| point.cost.time <= most),
        }
    }
}

/// The best comfortable layout of a job on each of some numbers of GPUs. With more GPUs the batch stays
/// ([`Mode::Strong`]), or grows with them ([`Mode::Weak`]).
pub fn study(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: Free,
    margin: f64,
    mode: Mode,
    gpus: &[u32],
) -> Study {
    let mut sorted = gpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut found = Study { mode, points: Vec::new(), turn: None, without_layout: Vec::new() };
    for gpus in sorted {
        match resized(job, mode, gpus).and_then(|job| point(predictor, &job, free, margin)) {
            Some(point) => found.points.push(point),
            None => found.without_layout.push(gpus),
        }
    }
    let rates: Vec<(u32, f64)> = found.points.iter().map(|point| (point.gpus, point.tokens_per_s)).collect();
    let (all, turn) = returns(&rates);
    for (point, Returns { efficiency, marginal }) in found.points.iter_mut().zip(all) {
        (point.efficiency, point.marginal) = (efficiency, marginal);
    }
    Study { turn, ..found }
}

/// The job in its best layout; nothing where none fits.
pub(super) fn point(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: Free,
    margin: f64,
) -> Option<StudyPoint> {
    let options = Options { top: 1, unfit: 0, margin, ..Options::default() };
    let mut search = predictor.search(Space::new(job, free), options);
    search.finish();
    let layout = *search.ranking().first(margin)?;
    let scenario = Scenario { plan: layout.plan, ..*job };
    let interval = predictor.predict(&scenario).ok()?.interval;
    Some(StudyPoint {
        scenario,
        gpus: job.cluster.gpus,
        global_batch: job.workload.global_batch,
        layout,
        interval,
        tokens_per_s: scenario.tokens_per_step() / layout.step.0,
        cost: RunCost::of(&scenario, layout.step),
        efficiency: 1.0,
        marginal: 1.0,
    })
}

/// The job on another number of GPUs; nothing where its batch does not grow evenly.
fn resized(job: &Scenario, mode: Mode, gpus: u32) -> Option<Scenario> {
    let mut resized = *job;
    resized.cluster.gpus = gpus;
    if mode == Mode::Weak {
        let batch = u64::from(job.workload.global_batch) * u64::from(gpus);
        let before = u64::from(job.cluster.gpus.max(1));
        resized.workload.global_batch =
            batch.is_multiple_of(before).then(|| u32::try_from(batch / before).ok())??;
    }
    Some(resized)
}

/// What may be made as large as fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Tokens of a sequence; the tokens of a step stay as near as whole sequences allow.
    Context,
    /// Layers of the model.
    Layers,
}

/// The largest extent, in powers of two times the job's own or down from it, at which some layout fits comfortably, with
/// the fastest layout there; nothing where not even the least does.
pub fn largest(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: Free,
    margin: f64,
    extent: Extent,
) -> Option<Scenario> {
    /// Doublings, and halvings, that are tried.
    const STEPS: i32 = 10;
    let at = |power: i32| -> Option<Scenario> {
        let mut tried = *job;
        let scaled = |value: u32| {
            if power >= 0 { value.checked_mul(1 << power) } else { Some(value >> -power) }
                .filter(|it| *it > 0)
        };
        match extent {
            Extent::Context => {
                tried.workload.sequence = scaled(job.workload.sequence)?;
                let tokens = job.tokens_per_step() / f64::from(tried.workload.sequence);
                tried.workload.global_batch = (tokens as u32).max(1);
            }
            Extent::Layers => tried.model.layers = scaled(job.model.layers)?,
        }
        let point = point(predictor, &tried, free, margin)?;
        point.layout.is_comfortable(margin).then_some(point.scenario)
    };
    let mut best = None;
    if let Some(found) = at(0) {
        best = Some(found);
        for power in 1..=STEPS {
            match at(power) {
                Some(found) => best = Some(found),
                None => break,
            }
        }
        return best;
    }
    (1..=STEPS).find_map(|power| at(-power)).or(best)
}
