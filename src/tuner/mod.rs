//! Every legal layout of a job, forecast and ranked (the papers' ConfigTuner).

mod axes;

pub use axes::{AXES, Axis, without_searched};

use crate::forecast::{Estimate, Estimator, Predictor};
use crate::rules::plan_is_legal;
use crate::scenario::Scenario;
use crate::scenario::plan::{Plan, Schedule};
use crate::units::{Bytes, Seconds};
use axes::Space;
use serde::{Deserialize, Serialize};

/// A search over all legal layouts that can be advanced a little at a time.
///
/// The search never fails: layouts that do not fit in memory come out with
/// [`Candidate::fits`] false.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    base: Scenario,
    estimator: Estimator<'a>,
    plans: Vec<Plan>,
    next: usize,
}

/// One forecast layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The layout.
    pub plan: Plan,
    /// Data-parallel degree.
    pub data_parallel: u32,
    /// Micro-batches per replica.
    pub micro_batches: u32,
    /// Time of one step.
    pub step: Seconds,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second and GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Exposed communication (tensor, context, pipeline, data) as a share of the step, 0 to 1.
    pub communication_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1.
    pub bubble_share: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// Whether it fits in the GPU's memory.
    pub fits: bool,
}

impl<'a> Predictor<'a> {
    /// All layouts of the scenario's model, cluster and workload: every tensor, pipeline and virtual-stage
    /// degree that divides the job, layers dealt evenly or with the ends counted, every micro-batch of
    /// [1, 32] that divides the batch, sequence parallelism, recompute modes (and the
    /// scenario's own set of modules), and ZeRO 0 and 1 (or the
    /// scenario's own stage above that). Sequences are split over context-parallel ranks down to 8,192
    /// tokens, or further when the scenario does so. Overlap and mapping are kept, and the schedule wherever
    /// there is a pipeline. Lists of layers are not tried.
    pub fn search(&self, base: &Scenario) -> Search<'a> {
        self.search_under(base, &[base.plan.schedule])
    }

    /// The same under every pipeline schedule.
    pub fn search_over_schedules(&self, base: &Scenario) -> Search<'a> {
        self.search_under(base, &Schedule::ALL)
    }

    fn search_under(&self, base: &Scenario, schedules: &[Schedule]) -> Search<'a> {
        Search { base: *base, estimator: self.estimator(base), plans: plans(base, schedules), next: 0 }
    }
}

impl Search<'_> {
    /// Layouts in the space.
    pub fn total(&self) -> usize {
        self.plans.len()
    }

    /// Layouts forecast so far.
    pub fn done(&self) -> usize {
        self.next
    }
}

impl Iterator for Search<'_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        let plan = *self.plans.get(self.next)?;
        self.next += 1;
        let estimate = self.estimator.estimate(&plan);
        Some(Candidate::new(&Scenario { plan, ..self.base }, &estimate))
    }

    /// Skips layouts without forecasting them.
    fn nth(&mut self, skipped: usize) -> Option<Candidate> {
        self.next = self.next.saturating_add(skipped).min(self.plans.len());
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.plans.len() - self.next;
        (left, Some(left))
    }
}

/// A job in one of its legal layouts, whatever its own is; `None` if it has none, or is impossible in other ways.
pub fn in_some_layout(job: &Scenario) -> Option<Scenario> {
    let undivided = Scenario { plan: job.plan.undivided(), ..*job };
    let plan = *plans(&undivided, &[undivided.plan.schedule]).first()?;
    let scenario = Scenario { plan, ..*job };
    scenario.validate().is_ok().then_some(scenario)
}

impl Candidate {
    fn new(scenario: &Scenario, estimate: &Estimate) -> Self {
        let parts = estimate.breakdown;
        let communication = parts.tensor_communication
            + parts.context_communication
            + parts.expert_communication
            + parts.pipeline_communication
            + parts.data_communication;
        let share = |part: Seconds| if estimate.step.0 > 0.0 { part / estimate.step } else { 0.0 };
        Self {
            plan: scenario.plan,
            data_parallel: scenario.data_parallel(),
            micro_batches: scenario.micro_batches(),
            step: estimate.step,
            mfu: estimate.mfu,
            tokens_per_s_per_gpu: estimate.tokens_per_s_per_gpu,
            communication_share: share(communication),
            bubble_share: share(parts.bubble),
            peak_memory: estimate.peak_memory,
            fits: estimate.fits,
        }
    }
}

/// Forecasts every layout of a search and sorts: those that fit first, fastest first.
pub fn rank(search: Search<'_>) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = search.collect();
    candidates.sort_by(|a, b| b.fits.cmp(&a.fits).then(a.step.0.total_cmp(&b.step.0)));
    candidates
}

/// Every legal layout of a job under some of the schedules; without a pipeline there is one.
fn plans(job: &Scenario, schedules: &[Schedule]) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut tried = *job;
    Space { job, schedules }.layouts(&mut |plan| {
        tried.plan = plan;
        if plan_is_legal(&tried) {
            plans.push(plan);
        }
    });
    plans
}
