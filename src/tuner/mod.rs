//! Every legal layout of a job, forecast and ranked (the papers' ConfigTuner).

use crate::forecast::estimate;
use crate::rules::plan_is_legal;
use crate::scenario::Scenario;
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};
use crate::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};

/// Micro-batches tried, in sequences.
const MICRO_BATCHES: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Context-parallel degrees tried.
const CONTEXT_DEGREES: [u32; 5] = [1, 2, 4, 8, 16];
/// Expert-parallel degrees tried.
const EXPERT_DEGREES: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Tokens of a sequence below which splitting it further is not tried, unless the scenario does.
const LEAST_TOKENS: u32 = 8192;
/// Recompute modes, least work first.
const RECOMPUTE: [Recompute; 3] = [Recompute::None, Recompute::Selective, Recompute::Full];

/// A search over all legal layouts that can be advanced a little at a time.
///
/// The search never fails: layouts that do not fit in memory come out with
/// [`Candidate::fits`] false.
#[derive(Debug, Clone)]
pub struct Search {
    base: Scenario,
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

impl Search {
    /// All layouts of the scenario's model, cluster and workload: every tensor, pipeline and virtual-stage
    /// degree that divides the job, layers dealt evenly or with the ends counted, every micro-batch of
    /// [1, 32] that divides the batch, sequence parallelism, recompute modes (and the
    /// scenario's own set of modules), and ZeRO 0 and 1 (or the
    /// scenario's own stage above that). Sequences are split over context-parallel ranks down to 8,192
    /// tokens, or further when the scenario does so. Overlap and mapping are kept, and the schedule wherever
    /// there is a pipeline. Lists of layers are not tried.
    pub fn new(base: &Scenario) -> Self {
        Self { base: *base, plans: plans(base, &[base.plan.schedule]), next: 0 }
    }

    /// The same under every pipeline schedule.
    pub fn over_schedules(base: &Scenario) -> Self {
        Self { base: *base, plans: plans(base, &Schedule::ALL), next: 0 }
    }

    /// Layouts in the space.
    pub fn total(&self) -> usize {
        self.plans.len()
    }

    /// Layouts forecast so far.
    pub fn done(&self) -> usize {
        self.next
    }
}

impl Iterator for Search {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        let plan = *self.plans.get(self.next)?;
        self.next += 1;
        Some(candidate(&Scenario { plan, ..self.base }))
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
    let plan = *Search::new(&undivided).plans.first()?;
    let scenario = Scenario { plan, ..*job };
    scenario.validate().is_ok().then_some(scenario)
}

/// Forecasts one layout.
pub fn candidate(scenario: &Scenario) -> Candidate {
    let estimate = estimate(scenario);
    let parts = estimate.breakdown;
    let communication = parts.tensor_communication
        + parts.context_communication
        + parts.expert_communication
        + parts.pipeline_communication
        + parts.data_communication;
    let share = |part: Seconds| if estimate.step.0 > 0.0 { part / estimate.step } else { 0.0 };
    Candidate {
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

/// Forecasts every layout of a search and sorts: those that fit first, fastest first.
pub fn rank(search: Search) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = search.collect();
    candidates.sort_by(|a, b| b.fits.cmp(&a.fits).then(a.step.0.total_cmp(&b.step.0)));
    candidates
}

/// Every legal plan of the space under some of the schedules; without a pipeline there is one.
fn plans(base: &Scenario, schedules: &[Schedule]) -> Vec<Plan> {
    let gpus = base.cluster.gpus;
    let layers = base.model.layers;
    let zero = match base.plan.zero {
        Zero::None | Zero::Optimizer => &[Zero::None, Zero::Optimizer][..],
        Zero::Gradients => &[Zero::Gradients],
        Zero::Parameters => &[Zero::Parameters],
        Zero::Hybrid => &[Zero::Hybrid],
    };
    let own = Some(base.plan.recompute).filter(|mode| !RECOMPUTE.contains(mode));
    let modes: Vec<Recompute> = RECOMPUTE.into_iter().chain(own).collect();
    let mut plans = Vec::new();
    for tensor in divisors(gpus, base.model.heads.min(gpus)) {
        for context in CONTEXT_DEGREES {
            let long = base.workload.sequence / context >= LEAST_TOKENS;
            if context > 1 && base.plan.context_parallel <= 1 && !long {
                break;
            }
            let Some(group) =
                tensor.checked_mul(context).filter(|&group| group > 0 && gpus.is_multiple_of(group))
            else {
                continue;
            };
            for pipeline in divisors(gpus / group, layers) {
                let schedules = if pipeline > 1 { schedules } else { &[Schedule::OneForwardOneBackward] };
                for (schedule, (virtual_stages, stage_split)) in schedules
                    .iter()
                    .flat_map(|schedule| deals(layers, pipeline).map(move |deal| (*schedule, deal)))
                {
                    for micro_batch in MICRO_BATCHES {
                        for &recompute in &modes {
                            for &zero in zero {
                                for sequence_parallel in [false, true] {
                                    let plan = Plan {
                                        tensor_parallel: tensor,
                                        sequence_parallel,
                                        context_parallel: context,
                                        pipeline_parallel: pipeline,
                                        virtual_stages,
                                        schedule,
                                        stage_split,
                                        zero,
                                        micro_batch,
                                        recompute,
                                        ..base.plan
                                    };
                                    plans.extend(dealt(base, plan, gpus / pipeline));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    plans
}

/// The legal ones among a plan's ways to deal a layer's experts to the GPUs of a stage: one in a dense model.
fn dealt(base: &Scenario, plan: Plan, stage: u32) -> impl Iterator<Item = Plan> {
    let (count, own) = (base.model.experts.count, base.plan.expert_parallel);
    let degrees = EXPERT_DEGREES.into_iter().filter(move |&degree| {
        if count == 0 { degree == 1 } else { count.is_multiple_of(degree) && stage.is_multiple_of(degree) }
    });
    degrees
        .map(move |degree| Plan { expert_parallel: if count == 0 { own } else { degree }, ..plan })
        .filter(|plan| plan_is_legal(&Scenario { plan: *plan, ..*base }))
}

/// Divisors of `number` up to `most`, ascending.
fn divisors(number: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=number.min(most)).filter(move |candidate| number.is_multiple_of(*candidate))
}

/// Ways to deal layers: virtual stages, and whether the ends count as layers. Where neither divides, one
/// virtual stage and uneven shares.
fn deals(layers: u32, pipeline: u32) -> impl Iterator<Item = (u32, StageSplit)> {
    let chunks = |counted: u32| {
        let divides = pipeline > 1 && counted.is_multiple_of(pipeline);
        let most = if divides { counted / pipeline } else { 0 };
        divisors(most, most)
    };
    let even = layers.is_multiple_of(pipeline);
    let uneven = (pipeline <= 1 || !even).then_some((1, StageSplit::Even));
    let with_ends = layers.saturating_add(2);
    uneven
        .into_iter()
        .chain(chunks(layers).map(|virtual_stages| (virtual_stages, StageSplit::Even)))
        .chain(chunks(with_ends).map(|virtual_stages| (virtual_stages, StageSplit::CountEnds)))
}
