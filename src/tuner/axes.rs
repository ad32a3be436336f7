//! The searched dimensions, one row each: which values a field takes for a job, and how they are written into a layout.

use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::{Scenario, TrainingRun};

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

/// Takes one layout after the other.
type Take<'t> = &'t mut dyn FnMut(Plan);

/// A searched dimension of layouts.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    /// Key of the field that it varies, as in [`crate::fields::FIELDS`].
    pub key: &'static str,
    /// Writes the value that stands for all others of the field from which the same ones are tried.
    erase: fn(&mut Plan, &Scenario),
    /// Gives the layout with every value of the field in turn. Fields of the rows before are chosen; those of the rows
    /// behind are still the job's.
    vary: fn(&Space<'_>, &Plan, Take<'_>),
}

/// Every searched dimension; the last one varies fastest. What a row's values depend on stands above it.
pub static AXES: [Axis; 11] = [
    Axis {
        key: "tp",
        erase: |plan, _| plan.tensor_parallel = 1,
        vary: |space, plan, take| {
            let gpus = space.job.cluster.gpus;
            let degrees = divisors(gpus, space.job.model.heads.min(gpus));
            each(plan, degrees, |plan, degree| plan.tensor_parallel = degree, take);
        },
    },
    Axis {
        key: "cp",
        erase: |plan, _| plan.context_parallel = plan.context_parallel.min(2),
        vary: |space, plan, take| {
            let degrees = space.context_degrees(plan);
            each(plan, degrees, |plan, degree| plan.context_parallel = degree, take);
        },
    },
    Axis {
        key: "pp",
        erase: |plan, _| plan.pipeline_parallel = 1,
        vary: |space, plan, take| {
            let group = plan.tensor_parallel.saturating_mul(plan.context_parallel).max(1);
            let degrees = divisors(space.job.cluster.gpus / group, space.job.model.layers);
            each(plan, degrees, |plan, degree| plan.pipeline_parallel = degree, take);
        },
    },
    Axis {
        key: "sched",
        erase: |_, _| {},
        vary: |space, plan, take| {
            let pipeline = plan.pipeline_parallel > 1;
            let tried = if pipeline { space.schedules } else { &[Schedule::OneForwardOneBackward] };
            each(plan, tried, |plan, schedule| plan.schedule = *schedule, take);
        },
    },
    Axis {
        key: "split",
        erase: |plan, _| plan.stage_split = StageSplit::Even,
        vary: |_, plan, take| {
            let splits = [StageSplit::Even, StageSplit::CountEnds];
            each(plan, splits, |plan, split| plan.stage_split = split, take);
        },
    },
    Axis {
        key: "vpp",
        erase: |plan, _| plan.virtual_stages = 1,
        vary: |space, plan, take| {
            let counts = space.virtual_stages(plan);
            each(plan, counts, |plan, count| plan.virtual_stages = count, take);
        },
    },
    Axis {
        key: "mb",
        erase: |plan, _| plan.micro_batch = 1,
        vary: |_, plan, take| {
            each(plan, MICRO_BATCHES, |plan, sequences| plan.micro_batch = sequences, take);
        },
    },
    Axis {
        key: "rc",
        erase: |plan, _| {
            if RECOMPUTE.contains(&plan.recompute) {
                plan.recompute = Recompute::None;
            }
        },
        vary: |space, plan, take| {
            let own = Some(space.job.plan.recompute).filter(|mode| !RECOMPUTE.contains(mode));
            let modes = RECOMPUTE.into_iter().chain(own);
            each(plan, modes, |plan, mode| plan.recompute = mode, take);
        },
    },
    Axis {
        key: "zero",
        erase: |plan, _| {
            if plan.zero == Zero::None {
                plan.zero = Zero::Optimizer;
            }
        },
        vary: |space, plan, take| {
            let stages: &[Zero] = match &space.job.plan.zero {
                Zero::None | Zero::Optimizer => &[Zero::None, Zero::Optimizer],
                own => std::slice::from_ref(own),
            };
            each(plan, stages, |plan, stage| plan.zero = *stage, take);
        },
    },
    Axis {
        key: "sp",
        erase: |plan, _| plan.sequence_parallel = false,
        vary: |_, plan, take| each(plan, [false, true], |plan, on| plan.sequence_parallel = on, take),
    },
    Axis {
        key: "ep",
        erase: |plan, job| {
            if job.model.experts.count > 0 {
                plan.expert_parallel = 1;
            }
        },
        vary: |space, plan, take| {
            let degrees = space.expert_degrees(plan);
            each(plan, degrees, |plan, degree| plan.expert_parallel = degree, take);
        },
    },
];

/// The job without what a search varies, and without the run's length and prices, on which no step depends: two jobs
/// that are equal then have the same layouts.
pub fn without_searched(job: &Scenario) -> Scenario {
    let mut plan = job.plan;
    for axis in &AXES {
        (axis.erase)(&mut plan, job);
    }
    Scenario { plan, run: TrainingRun::on(&job.cluster), ..*job }
}

/// The layout with each of some values.
fn each<T>(
    plan: &Plan,
    values: impl IntoIterator<Item = T>,
    write: impl Fn(&mut Plan, T),
    take: &mut dyn FnMut(Plan),
) {
    for value in values {
        let mut plan = *plan;
        write(&mut plan, value);
        take(plan);
    }
}

/// What layouts are tried for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space<'a> {
    /// The job; fields of its layout that no row varies are kept.
    pub(super) job: &'a Scenario,
    /// Schedules tried wherever there is a pipeline.
    pub(super) schedules: &'a [Schedule],
}

impl Space<'_> {
    /// Gives every layout of the rows' values to `take`, legal or not.
    pub(super) fn layouts(&self, take: Take<'_>) {
        self.vary(&AXES, self.job.plan, take);
    }

    fn vary(&self, axes: &[Axis], plan: Plan, take: Take<'_>) {
        match axes.split_first() {
            Some((axis, rest)) => (axis.vary)(self, &plan, &mut |chosen| self.vary(rest, chosen, take)),
            None => take(plan),
        }
    }

    /// Context-parallel degrees: those that leave sequences long, or any if the job splits sequences itself.
    fn context_degrees(&self, plan: &Plan) -> impl Iterator<Item = u32> {
        let (job, tensor) = (*self.job, plan.tensor_parallel);
        CONTEXT_DEGREES.into_iter().filter(move |&degree| {
            let split = job.plan.context_parallel > 1 || job.workload.sequence / degree >= LEAST_TOKENS;
            let group = tensor.checked_mul(degree).filter(|group| *group > 0);
            (degree <= 1 || split) && group.is_some_and(|group| job.cluster.gpus.is_multiple_of(group))
        })
    }

    /// Numbers of virtual stages that give all of them equal shares of the layers, and of the ends where they count as
    /// layers. Where layers do not divide by the stages, one, with uneven shares.
    fn virtual_stages(&self, plan: &Plan) -> impl Iterator<Item = u32> {
        let (layers, stages) = (self.job.model.layers, plan.pipeline_parallel);
        let counts_ends = plan.stage_split == StageSplit::CountEnds;
        let shares = if counts_ends { layers.saturating_add(2) } else { layers };
        let most = if stages > 1 && shares.is_multiple_of(stages) { shares / stages } else { 0 };
        let uneven = (most == 0 && !counts_ends).then_some(1);
        uneven.into_iter().chain(divisors(most, most))
    }

    /// Expert-parallel degrees that divide the experts and the ranks of a stage; a dense model keeps its own.
    fn expert_degrees(&self, plan: &Plan) -> impl Iterator<Item = u32> {
        let count = self.job.model.experts.count;
        let stage = self.job.cluster.gpus / plan.pipeline_parallel.max(1);
        let own = (count == 0).then_some(self.job.plan.expert_parallel);
        let divides =
            move |degree: &u32| count > 0 && count.is_multiple_of(*degree) && stage.is_multiple_of(*degree);
        own.into_iter().chain(EXPERT_DEGREES.into_iter().filter(divides))
    }
}

/// Divisors of `number` up to `most`, ascending.
fn divisors(number: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=number.min(most)).filter(move |candidate| number.is_multiple_of(*candidate))
}
