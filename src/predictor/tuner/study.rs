//! The best layout on growing numbers of GPUs: scaling efficiency, run cost, and scaling limit.

use super::axes::FreeAxes;
use super::margin::Margin;
use super::ranking::Candidate;
use super::search::Options;
use super::space::Space;
use crate::forecast::{Interval, Predictor};
use crate::run_cost::RunCost;
use crate::scaling::{Mode, Returns, returns};
use crate::scenario::Scenario;
use crate::units::Seconds;
use serde::Serialize;

/// A job on one number of GPUs, in its best layout.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyPoint {
    /// The job, in that layout.
    #[serde(skip)]
    pub scenario: Scenario,
    /// GPUs.
    pub gpus: u32,
    /// Sequences in one step.
    pub global_batch: u32,
    /// The layout and its forecast.
    pub layout: Candidate,
    /// 90 % interval of the step.
    #[serde(flatten)]
    pub interval: Interval,
    /// Tokens per second of the whole job.
    pub tokens_per_s: f64,
    /// Cost of the whole run.
    pub cost: RunCost,
    /// Throughput per GPU over that of the first point.
    pub efficiency: f64,
    /// Marginal scaling efficiency of the last added GPUs; 1 at the first point.
    pub marginal: f64,
}

/// Result of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    /// What is kept constant as GPUs are added.
    pub mode: Mode,
    /// By number of GPUs.
    pub points: Vec<StudyPoint>,
    /// The scaling limit: the last point before the marginal scaling efficiency falls below one half.
    pub turn: Option<usize>,
    /// Numbers of GPUs without a legal layout that fits.
    pub without_layout: Vec<u32>,
}

/// Objective among the points of a study.
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
    /// The fewest GPUs that finish the run within this time.
    Deadline(Seconds),
}

impl Goal {
    /// The quantity to minimise at a point; infinite if it misses the goal.
    fn value(self, point: &StudyPoint) -> f64 {
        match self {
            Self::Fastest => point.cost.time.0,
            Self::Cheapest => point.cost.usd,
            Self::FewestGpuHours => point.cost.gpu_hours,
            Self::LeastEnergy => point.cost.kwh,
            Self::LeastCarbon => point.cost.co2_kg,
            Self::Deadline(most) if point.cost.time <= most => f64::from(point.gpus),
            Self::Deadline(_) => f64::INFINITY,
        }
    }
}

impl Study {
    /// A study of points by number of GPUs, with scaling efficiencies.
    fn of(mode: Mode, mut points: Vec<StudyPoint>, without_layout: Vec<u32>) -> Self {
        let rates: Vec<(u32, f64)> = points.iter().map(|point| (point.gpus, point.tokens_per_s)).collect();
        let (all, turn) = returns(&rates);
        for (point, Returns { efficiency, marginal }) in points.iter_mut().zip(all) {
            (point.efficiency, point.marginal) = (efficiency, marginal);
        }
        Self { mode, points, turn, without_layout }
    }

    /// The study refined by whole nodes between the last number of GPUs that misses a deadline and the first that meets
    /// it, until one node less misses; unchanged if none misses or none meets it.
    #[must_use]
    pub fn refined(
        self,
        predictor: &Predictor<'_>,
        job: &Scenario,
        free: FreeAxes,
        margin: Margin,
        most: Seconds,
    ) -> Self {
        let node = job.cluster.gpus_per_node.max(1);
        let meets = |point: &&StudyPoint| point.cost.time <= most;
        let Self { mode, mut points, mut without_layout, turn } = self;
        let first = points.iter().find(meets).map(|point| point.gpus);
        let tried = || points.iter().map(|point| point.gpus).chain(without_layout.iter().copied());
        let last = first.and_then(|first| tried().filter(|gpus| *gpus < first).max());
        let (Some(first), Some(last)) = (first, last) else {
            return Self { mode, points, turn, without_layout };
        };
        let (mut misses, mut enough) = (last / node, first.div_ceil(node));
        while misses + 1 < enough {
            let nodes = misses.midpoint(enough);
            let gpus = nodes * node;
            let found = resized(job, mode, gpus).and_then(|job| point(predictor, &job, free, margin));
            let is_enough = found.as_ref().is_some_and(|point| meets(&point));
            *(if is_enough { &mut enough } else { &mut misses }) = nodes;
            match found {
                Some(point) => points.push(point),
                None => without_layout.push(gpus),
            }
        }
        points.sort_by_key(|point| point.gpus);
        without_layout.sort_unstable();
        Self::of(mode, points, without_layout)
    }

    /// The point that reaches a goal best; nothing where none does.
    pub fn best(&self, goal: Goal) -> Option<&StudyPoint> {
        best(core::slice::from_ref(self), goal).map(|found| found.1)
    }
}

/// The point of several studies that reaches a goal best, and which of them it is of; nothing where none does.
pub fn best(studies: &[Study], goal: Goal) -> Option<(usize, &StudyPoint)> {
    let points =
        studies.iter().enumerate().flat_map(|(of, study)| study.points.iter().map(move |it| (of, it)));
    let reaching = points.filter(|(_, point)| goal.value(point).is_finite());
    reaching.min_by(|(_, one), (_, other)| goal.value(one).total_cmp(&goal.value(other)))
}

/// The best comfortable layout of a job on each of some numbers of GPUs. With more GPUs the batch stays
/// ([`Mode::Strong`]), or grows with them ([`Mode::Weak`]).
pub fn study(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: FreeAxes,
    margin: Margin,
    mode: Mode,
    gpus: &[u32],
) -> Study {
    let mut sorted = gpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let (mut points, mut without_layout) = (Vec::new(), Vec::new());
    for gpus in sorted {
        match resized(job, mode, gpus).and_then(|job| point(predictor, &job, free, margin)) {
            Some(point) => points.push(point),
            None => without_layout.push(gpus),
        }
    }
    Study::of(mode, points, without_layout)
}

/// The job in its best layout; nothing where none fits.
pub(super) fn point(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: FreeAxes,
    margin: Margin,
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
pub fn resized(job: &Scenario, mode: Mode, gpus: u32) -> Option<Scenario> {
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
