//! The searched dimensions, one row each: a field's values for a job, and how they are written into a layout.

use super::balanced::{balanced, is_worth_it};
use crate::rules::LayoutPart;
use crate::scenario::plan::{
    ContextExchange, Mapping, Plan, Recompute, Schedule, StageLayers, StageSplit, Zero,
};
use crate::scenario::{Scenario, TrainingRun};

/// Receives one layout after another.
type Take<'t> = &'t mut dyn FnMut(Plan);

/// A searched dimension of layouts.
#[derive(Debug, Clone, Copy)]
pub struct SearchAxis {
    /// Key of the field that it varies, as in [`crate::fields::FIELDS`].
    pub key: &'static str,
    /// Whether a search varies it by default; otherwise it keeps the job's value.
    pub searched: bool,
    /// The part of the layout's rules that reads it: rows of one part are varied together.
    pub(super) part: LayoutPart,
    /// Writes the only possible value if other fields determine it; returns whether they do.
    pub(super) erased: fn(&Scenario, &mut Plan) -> bool,
    /// Yields the layout with every value of the field. Fields of earlier rows are chosen; those of later rows still
    /// have the job's values.
    pub(super) vary: fn(&Scenario, &Plan, Take<'_>),
    /// Copies the field's value from another layout.
    pub(super) keep: fn(&mut Plan, &Plan),
}

/// A field that no other field determines.
const ALWAYS: fn(&Scenario, &mut Plan) -> bool = |_, _| false;

/// A switch: off, and on.
macro_rules! switch {
    ($key:literal, $field:ident, $erased:expr) => {
        SearchAxis {
            key: $key,
            searched: false,
            part: LayoutPart::Experts,
            erased: $erased,
            vary: |_, plan, take| each(plan, [false, true], |plan, on| plan.$field = on, take),
            keep: |plan, other| plan.$field = other.$field,
        }
    };
}

/// Every searched dimension; the last one varies fastest. A row comes after the rows that its values depend on.
pub static AXES: [SearchAxis; 22] = [
    SearchAxis {
        key: "map",
        searched: false,
        part: LayoutPart::Degrees,
        erased: ALWAYS,
        vary: |_, plan, take| {
            let orders = [Mapping::TensorDataPipeline, Mapping::TensorPipelineData];
            each(plan, orders, |plan, order| plan.mapping = order, take);
        },
        keep: |plan, other| plan.mapping = other.mapping,
    },
    SearchAxis {
        key: "tp",
        searched: true,
        part: LayoutPart::Degrees,
        erased: ALWAYS,
        vary: |job, plan, take| {
            let degrees = divisors(job.cluster.gpus, job.model.heads);
            each(plan, degrees, |plan, degree| plan.tensor_parallel = degree, take);
        },
        keep: |plan, other| plan.tensor_parallel = other.tensor_parallel,
    },
    SearchAxis {
        key: "cp",
        searched: true,
        part: LayoutPart::Degrees,
        erased: ALWAYS,
        vary: |job, plan, take| {
            let degrees = divisors(job.cluster.gpus / plan.tensor_parallel.max(1), job.workload.sequence);
            each(plan, degrees, |plan, degree| plan.context_parallel = degree, take);
        },
        keep: |plan, other| plan.context_parallel = other.context_parallel,
    },
    SearchAxis {
        key: "pp",
        searched: true,
        part: LayoutPart::Degrees,
        erased: ALWAYS,
        vary: |job, plan, take| {
            let group = plan.tensor_parallel.saturating_mul(plan.context_parallel).max(1);
            let degrees = divisors(job.cluster.gpus / group, job.model.layers.saturating_add(ENDS));
            each(plan, degrees, |plan, degree| plan.pipeline_parallel = degree, take);
        },
        keep: |plan, other| plan.pipeline_parallel = other.pipeline_parallel,
    },
    SearchAxis {
        key: "sp",
        searched: true,
        part: LayoutPart::Experts,
        erased: |_, plan| {
            let alone = plan.tensor_parallel <= 1;
            plan.sequence_parallel &= !alone;
            alone
        },
        vary: |_, plan, take| each(plan, [false, true], |plan, on| plan.sequence_parallel = on, take),
        keep: |plan, other| plan.sequence_parallel = other.sequence_parallel,
    },
    SearchAxis {
        key: "cpx",
        searched: false,
        part: LayoutPart::Experts,
        erased: |_, plan| {
            let alone = plan.context_parallel <= 1;
            if alone {
                plan.context_exchange = ContextExchange::Ring;
            }
            alone
        },
        vary: |_, plan, take| {
            each(plan, ContextExchange::ALL, |plan, exchange| plan.context_exchange = exchange, take);
        },
        keep: |plan, other| plan.context_exchange = other.context_exchange,
    },
    SearchAxis {
        key: "ep",
        searched: true,
        part: LayoutPart::Experts,
        erased: dense,
        vary: |job, plan, take| {
            let ranks = stage_ranks(job, plan);
            let degrees = divisors(job.model.experts.count, ranks).filter(|ep| ranks.is_multiple_of(*ep));
            each(plan, degrees, |plan, degree| plan.expert_parallel = degree, take);
        },
        keep: |plan, other| plan.expert_parallel = other.expert_parallel,
    },
    SearchAxis {
        key: "etp",
        searched: true,
        part: LayoutPart::Experts,
        erased: dense,
        vary: |job, plan, take| {
            // An expert is whole, or split like the layer's other matrices (Megatron-Core's default).
            let (tensor, own) = (plan.tensor_parallel, job.plan.expert_tensor_parallel);
            let degrees = [1, tensor, own].into_iter().enumerate().filter(move |(place, degree)| {
                ![1, tensor].iter().take(*place).any(|earlier| earlier == degree)
            });
            let degrees = degrees.map(|(_, degree)| degree);
            each(plan, degrees, |plan, degree| plan.expert_tensor_parallel = degree, take);
        },
        keep: |plan, other| plan.expert_tensor_parallel = other.expert_tensor_parallel,
    },
    switch!("tpo", tensor_overlap, |_, plan| plan.tensor_parallel <= 1),
    switch!("epo", expert_overlap, |_, plan| plan.expert_parallel <= 1),
    switch!("dpo", data_overlap, ALWAYS),
    switch!("ppo", pipeline_overlap, |_, plan| plan.pipeline_parallel <= 1),
    switch!("oo", offload_optimizer, ALWAYS),
    switch!("op", offload_parameters, ALWAYS),
    SearchAxis {
        key: "oa",
        searched: false,
        part: LayoutPart::Experts,
        erased: ALWAYS,
        vary: |_, plan, take| {
            each(plan, OFFLOADED, |plan, percent| plan.offload_activations = percent, take);
        },
        keep: |plan, other| plan.offload_activations = other.offload_activations,
    },
    SearchAxis {
        key: "mb",
        searched: true,
        part: LayoutPart::MicroBatch,
        erased: ALWAYS,
        vary: |job, plan, take| {
            let share = job.workload.global_batch / Scenario { plan: *plan, ..*job }.data_parallel();
            each(plan, divisors(share, share), |plan, sequences| plan.micro_batch = sequences, take);
        },
        keep: |plan, other| plan.micro_batch = other.micro_batch,
    },
    SearchAxis {
        key: "rc",
        searched: true,
        part: LayoutPart::Recompute,
        erased: ALWAYS,
        vary: |job, plan, take| {
            let selective = job.software.profile().selective_recompute.then_some(Recompute::Selective);
            let own = Some(job.plan.recompute).filter(|mode| matches!(mode, Recompute::Modules(_)));
            let modes = [Some(Recompute::None), selective, Some(Recompute::Full), own];
            each(plan, modes.into_iter().flatten(), |plan, mode| plan.recompute = mode, take);
        },
        keep: |plan, other| plan.recompute = other.recompute,
    },
    SearchAxis {
        key: "rcn",
        searched: false,
        part: LayoutPart::Recompute,
        erased: |_, plan| !matches!(plan.recompute, Recompute::Full | Recompute::Every(_)),
        vary: |job, plan, take| {
            let own = Some(job.plan.recompute.every()).filter(|own| !EVERY.contains(own));
            let counts = EVERY.into_iter().chain(own);
            each(plan, counts, |plan, count| plan.recompute = plan.recompute.of_every(count), take);
        },
        keep: |plan, other| plan.recompute = plan.recompute.of_every(other.recompute.every()),
    },
    SearchAxis {
        key: "sched",
        searched: true,
        part: LayoutPart::Stages,
        erased: |_, plan| {
            let alone = plan.pipeline_parallel <= 1;
            if alone {
                plan.schedule = Schedule::OneForwardOneBackward;
            }
            alone
        },
        vary: |_, plan, take| each(plan, Schedule::ALL, |plan, schedule| plan.schedule = schedule, take),
        keep: |plan, other| plan.schedule = other.schedule,
    },
    SearchAxis {
        key: "split",
        searched: true,
        part: LayoutPart::Stages,
        erased: |_, plan| {
            let alone = plan.pipeline_parallel <= 1;
            if alone {
                plan.stage_split = StageSplit::Even;
            }
            alone
        },
        vary: |job, plan, take| {
            let own = Some(job.plan.stage_split).filter(|split| matches!(split, StageSplit::Given(_)));
            let balanced = is_worth_it(job).then_some(BALANCED);
            let splits = [Some(StageSplit::Even), Some(StageSplit::CountEnds), balanced, own];
            each(plan, splits.into_iter().flatten(), |plan, split| plan.stage_split = split, take);
        },
        keep: |plan, other| plan.stage_split = other.stage_split,
    },
    SearchAxis {
        key: "vpp",
        searched: true,
        part: LayoutPart::Stages,
        erased: |_, plan| {
            let row = plan.schedule.row();
            let prescribed = plan.pipeline_parallel <= 1 || !row.interleaves();
            if prescribed {
                plan.virtual_stages = *row.virtual_stages.start();
            }
            prescribed
        },
        vary: |job, plan, take| {
            let counts = virtual_stages(job, plan);
            each(plan, counts, |plan, count| plan.virtual_stages = count, take);
        },
        keep: |plan, other| plan.virtual_stages = other.virtual_stages,
    },
    SearchAxis {
        key: "zero",
        searched: true,
        part: LayoutPart::Sharding,
        erased: ALWAYS,
        vary: |_, plan, take| each(plan, Zero::ALL, |plan, level| plan.zero = level, take),
        keep: |plan, other| plan.zero = other.zero,
    },
];

/// Placeholder for the list that [`balanced`] makes once the number of chunks is known.
const BALANCED: StageSplit = StageSplit::Given(StageLayers::EMPTY);
/// Virtual stages that are tried with balanced lists.
const LISTED: [u32; 3] = [1, 2, 4];
/// Layers that embedding and head count as in a split with lighter ends.
const ENDS: u32 = 2;
/// One in this many layers is recomputed, for full recomputation.
const EVERY: [u32; 4] = [1, 2, 3, 4];
/// Shares of offloaded activations that are tried, percent.
const OFFLOADED: [u32; 3] = [0, 50, 100];

/// Which axes a search varies; the others keep the job's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeAxes(u32);

impl Default for FreeAxes {
    /// The axes that are searched by default.
    fn default() -> Self {
        Self(AXES.iter().rev().fold(0, |bits, axis| 2 * bits + u32::from(axis.searched)))
    }
}

impl FreeAxes {
    /// No axis: the job's own layout alone.
    pub const NONE: Self = Self(0);

    /// Every axis.
    pub const ALL: Self = Self((1 << AXES.len()) - 1);

    /// The set with the axis of that key added or removed; unchanged if there is no such axis.
    #[must_use]
    pub fn with(self, key: &str, free: bool) -> Self {
        let bit = AXES.iter().position(|axis| axis.key == key).map_or(0, |place| 1 << place);
        Self(if free { self.0 | bit } else { self.0 & !bit })
    }

    /// The axis to fix first if there are too many layouts: the last one that is not searched by default, or else the
    /// last one.
    pub(super) fn last(self, may: impl Fn(&str) -> bool) -> Option<&'static str> {
        let mut free = AXES.iter().rev().filter(|axis| self.has(axis.key) && may(axis.key));
        let last = free.clone().next();
        free.find(|axis| !axis.searched).or(last).map(|axis| axis.key)
    }

    /// Whether the axis of that key is varied.
    pub fn has(self, key: &str) -> bool {
        AXES.iter().position(|axis| axis.key == key).is_some_and(|place| self.0 & (1 << place) != 0)
    }
}

/// The job without its searched axes, and without the run's length and prices, which no step depends on: two jobs that
/// are equal then have the same layouts. Settings that a search keeps, such as a custom list of layers or set of
/// modules, are unchanged.
pub fn without_searched(job: &Scenario, free: FreeAxes) -> Scenario {
    let mut plan = job.plan;
    let plain = Plan { stage_split: plan.stage_split, recompute: plan.recompute, ..Plan::PLAIN };
    for axis in AXES.iter().filter(|axis| free.has(axis.key)) {
        (axis.keep)(&mut plan, &plain);
    }
    if free.has("split") && !matches!(plan.stage_split, StageSplit::Given(_)) {
        plan.stage_split = StageSplit::Even;
    }
    if free.has("rcn") {
        plan.recompute = plan.recompute.of_every(1);
    }
    if free.has("rc") && !matches!(plan.recompute, Recompute::Modules(_) | Recompute::Every(_)) {
        plan.recompute = Recompute::None;
    }
    Scenario { plan, run: TrainingRun::on(&job.cluster), ..*job }
}

/// The job with its searched axes reset to an undivided layout, so that the result does not depend on them.
pub fn cleared(job: &Scenario, free: FreeAxes) -> Scenario {
    let mut plan = job.plan;
    for axis in AXES.iter().filter(|axis| free.has(axis.key)) {
        (axis.keep)(&mut plan, &Plan::PLAIN);
    }
    Scenario { plan, ..*job }
}

/// Yields the layout with every value of every axis of a part, legal or not.
pub(super) fn vary(job: &Scenario, free: FreeAxes, part: LayoutPart, plan: &Plan, take: Take<'_>) {
    vary_rows(&AXES, job, free, part, *plan, &mut |mut plan| {
        if plan.stage_split == BALANCED
            && let Some(list) = balanced(job, plan.chunks())
        {
            plan.stage_split = StageSplit::Given(list);
        }
        take(plan);
    });
}

fn vary_rows(
    axes: &[SearchAxis],
    job: &Scenario,
    free: FreeAxes,
    part: LayoutPart,
    mut plan: Plan,
    take: Take<'_>,
) {
    let Some((axis, rest)) = axes.split_first() else { return take(plan) };
    if axis.part != part || (axis.erased)(job, &mut plan) {
        return vary_rows(rest, job, free, part, plan, take);
    }
    if free.has(axis.key) {
        (axis.vary)(job, &plan, &mut |chosen| vary_rows(rest, job, free, part, chosen, take));
    } else {
        (axis.keep)(&mut plan, &job.plan);
        vary_rows(rest, job, free, part, plan, take);
    }
}

/// Yields the layout with each of these values.
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

/// A dense model has no experts to split.
fn dense(job: &Scenario, plan: &mut Plan) -> bool {
    let none = job.model.experts.count == 0;
    if none {
        (plan.expert_parallel, plan.expert_tensor_parallel) =
            (job.plan.expert_parallel, job.plan.expert_tensor_parallel);
    }
    none
}

/// GPUs of a stage.
fn stage_ranks(job: &Scenario, plan: &Plan) -> u32 {
    job.cluster.gpus / plan.pipeline_parallel.max(1)
}

/// Numbers of virtual stages that give all stages equal shares of the layers, also with lighter ends. If layers do not
/// divide by the stages: one, with uneven shares; with a list of layers, as many as it has parts for.
fn virtual_stages(job: &Scenario, plan: &Plan) -> impl Iterator<Item = u32> {
    let stages = plan.pipeline_parallel.max(1);
    let (shares, otherwise) = match plan.stage_split {
        StageSplit::Even => (job.model.layers, Some(1)),
        StageSplit::CountEnds => (job.model.layers.saturating_add(ENDS), None),
        StageSplit::Given(list) if list.chunks() > 0 => (0, Some(list.chunks() / stages)),
        StageSplit::Given(_) => (0, None),
    };
    let listed = if plan.stage_split == BALANCED { LISTED.as_slice() } else { &[] };
    let most = if shares.is_multiple_of(stages) { shares / stages } else { 0 };
    let uneven = if most == 0 { otherwise } else { None };
    uneven.into_iter().chain(divisors(most, most)).chain(listed.iter().copied())
}

/// Divisors of `number` up to `most`, ascending.
pub(super) fn divisors(number: u32, most: u32) -> impl Iterator<Item = u32> {
    let root = number.isqrt();
    let small = (1..=root).filter(move |low| number.is_multiple_of(*low));
    let large = (1..=root).rev().filter(move |low| number.is_multiple_of(*low)).map(move |low| number / low);
    small.chain(large.filter(move |high| *high > root)).filter(move |divisor| *divisor <= most)
}
