//! The complete space of a job's layouts: counted and numbered without listing them.
//!
//! The rules of a layout separate into parts that read few fields each ([`LayoutPart`]). So the space is a list of
//! *cells*, one for each order and size of the tensor-, context- and pipeline-parallel groups. A cell is a product of
//! short lists: variants (sequence and expert parallelism, switches), micro-batch sizes with their pipelines, recompute
//! modes, and levels of sharding.

use super::axes::{FreeAxes, vary};
use crate::fields::{FIELDS, FieldGroup};
use crate::rules::LayoutPart;
use crate::scenario::Scenario;
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::stack::{Feature, StackLimits};

/// Every legal layout of a job, by number.
#[derive(Debug, Clone)]
pub struct Space {
    pub(super) job: Scenario,
    free: FreeAxes,
    limits: StackLimits,
    pub(super) cells: Vec<SpaceCell>,
    /// Levels of sharding to try.
    pub(super) levels: Vec<Zero>,
    /// Recompute modes to try.
    pub(super) recomputes: Vec<Recompute>,
    /// In these modes, one in this many layers is recomputed: 1, and other strides.
    pub(super) strides: Vec<u32>,
    /// Free axes that keep the job's value because there would be too many layouts.
    kept: Vec<&'static str>,
}

/// Most variants of all cells: a search's memory grows with them, by some 150 bytes each.
const MOST_VARIANTS: usize = 1 << 19;

/// Most layouts: their numbers have 32 bits in browsers.
const MOST_LAYOUTS: usize = 1 << 31;

/// Layouts of the same order and sizes of tensor-, context- and pipeline-parallel groups.
#[derive(Debug, Clone)]
pub(super) struct SpaceCell {
    /// Number of its first layout.
    pub(super) first: usize,
    /// The degrees and the mapping; everything else is the job's.
    pub(super) plan: Plan,
    pub(super) variants: Vec<Variant>,
    pub(super) micro_batches: Vec<MicroBatches>,
    pub(super) pipelines: Vec<Pipelining>,
    /// Layouts of one variant.
    pub(super) each: usize,
}

/// Sequence and expert parallelism, and the switches.
pub(super) type Variant = Plan;

/// A micro-batch size.
#[derive(Debug, Clone)]
pub(super) struct MicroBatches {
    /// Sequences per micro-batch.
    pub(super) sequences: u32,
    /// Micro-batches per replica.
    pub(super) count: u32,
    /// Pipelines of the cell that take this number of micro-batches.
    pub(super) pipelines: Vec<u16>,
}

/// A schedule with its virtual stages and split of layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pipelining {
    pub(super) schedule: Schedule,
    pub(super) virtual_stages: u32,
    pub(super) split: StageSplit,
    /// Compatible levels of sharding, as a bit set.
    pub(super) levels: u32,
}

impl Pipelining {
    fn of(plan: &Plan, levels: u32) -> Self {
        let Plan { schedule, virtual_stages, stage_split: split, .. } = *plan;
        Self { schedule, virtual_stages, split, levels }
    }

    /// Writes it into a layout.
    pub(super) fn write(&self, plan: &mut Plan) {
        plan.schedule = self.schedule;
        plan.virtual_stages = self.virtual_stages;
        plan.stage_split = self.split;
    }
}

impl Space {
    /// The layouts of a job that its stack can run. Axes that are not free keep the job's value.
    pub fn new(job: &Scenario, free: FreeAxes) -> Self {
        Self::within(job, free, StackLimits::of_job(job))
    }

    /// The layouts of a job within some limits of its software: [`StackLimits::ALL`] allows everything that is legal.
    ///
    /// If the limits exclude the job's context-parallel exchange, the others are tried. If there are too many layouts
    /// to search, more axes keep the job's values ([`Space::kept`]).
    pub fn within(job: &Scenario, free: FreeAxes, limits: StackLimits) -> Self {
        let lacks = !limits.exchanges(job.plan.context_exchange);
        let mut free = if lacks { free.with("cpx", true) } else { free };
        let mut kept = Vec::new();
        loop {
            let (space, is_whole) = Self::filled(job, free, limits);
            match free.last(|key| !(lacks && key == "cpx")).filter(|_| !is_whole) {
                Some(key) => {
                    free = free.with(key, false);
                    kept.push(key);
                }
                None => return Self { kept, ..space },
            }
        }
    }

    /// The space with its cells, up to the largest number that can be searched, and whether these are all.
    fn filled(job: &Scenario, free: FreeAxes, limits: StackLimits) -> (Self, bool) {
        let mut space = Self {
            job: *job,
            free,
            limits,
            cells: Vec::new(),
            levels: Vec::new(),
            recomputes: Vec::new(),
            strides: vec![1],
            kept: Vec::new(),
        };
        vary(job, free, LayoutPart::Sharding, &job.plan, &mut |plan| space.levels.push(plan.zero));
        let mut modes = Vec::new();
        vary(job, free, LayoutPart::Recompute, &job.plan, &mut |plan| {
            if space.is_legal(LayoutPart::Recompute, &Scenario { plan, ..*job }) {
                modes.push(plan.recompute);
            }
        });
        for every in modes.iter().map(|mode| mode.every()) {
            if !space.strides.contains(&every) {
                space.strides.push(every);
            }
        }
        space.recomputes = modes;
        let mut known = Vec::new();
        let (mut first, mut variants, mut is_whole) = (0_usize, 0, true);
        vary(job, free, LayoutPart::Degrees, &job.plan, &mut |plan| {
            // Cells beyond the limit are not built.
            if let Some(cell) = is_whole.then(|| space.cell(&plan, first, &mut known)).flatten() {
                variants += cell.variants.len();
                first = first.saturating_add(cell.variants.len().saturating_mul(cell.each));
                is_whole = variants <= MOST_VARIANTS && first <= MOST_LAYOUTS;
                if is_whole {
                    space.cells.push(cell);
                }
            }
        });
        (space, is_whole)
    }

    /// Free axes that keep the job's value because there would be too many layouts to search.
    pub fn kept(&self) -> &[&'static str] {
        &self.kept
    }

    /// The job.
    pub fn job(&self) -> &Scenario {
        &self.job
    }

    /// Which axes are varied.
    pub fn free(&self) -> FreeAxes {
        self.free
    }

    /// Layouts in the space.
    pub fn len(&self) -> usize {
        self.cells.last().map_or(0, |cell| cell.first + cell.variants.len() * cell.each)
    }

    /// Whether the job has no layout.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The layout with this number; nothing beyond the last.
    pub fn at(&self, index: usize) -> Option<Plan> {
        let place = self.cells.partition_point(|cell| cell.first <= index).checked_sub(1)?;
        let cell = self.cells.get(place)?;
        let within = index - cell.first;
        let mut plan = *cell.variants.get(within / cell.each.max(1))?;
        let mut rest = within % cell.each.max(1);
        for micro_batches in &cell.micro_batches {
            let each = cell.layouts_of(micro_batches);
            if rest >= each * self.recomputes.len() {
                rest -= each * self.recomputes.len();
                continue;
            }
            plan.micro_batch = micro_batches.sequences;
            plan.recompute = *self.recomputes.get(rest / each.max(1))?;
            rest %= each.max(1);
            for pipelining in micro_batches.pipelines.iter().filter_map(|at| cell.pipelines.get(*at as usize))
            {
                let levels = pipelining.levels.count_ones() as usize;
                if rest < levels {
                    pipelining.write(&mut plan);
                    plan.zero = *self.allowed(pipelining).nth(rest)?.1;
                    return Some(plan);
                }
                rest -= levels;
            }
        }
        None
    }

    /// Whether one part of a layout can run.
    fn is_legal(&self, part: LayoutPart, scenario: &Scenario) -> bool {
        part.is_legal(scenario) && asks(self.limits, part).allows(&scenario.plan) && holds(scenario)
    }

    /// The levels of sharding compatible with a pipeline, with their places in the list of tried levels.
    pub(super) fn allowed(&self, pipelining: &Pipelining) -> impl Iterator<Item = (usize, &Zero)> {
        let bits = pipelining.levels;
        self.levels.iter().enumerate().filter(move |(place, _)| bits & (1 << place) != 0)
    }

    /// The layouts of these degrees; nothing if there are none.
    fn cell(&self, degrees: &Plan, first: usize, known: &mut Vec<Known>) -> Option<SpaceCell> {
        let mut tried = Scenario { plan: *degrees, ..self.job };
        if !self.is_legal(LayoutPart::Degrees, &tried) {
            return None;
        }
        let (job, free) = (&self.job, self.free);
        let mut cell = SpaceCell {
            first,
            plan: *degrees,
            variants: Vec::new(),
            micro_batches: Vec::new(),
            pipelines: Vec::new(),
            each: 0,
        };
        vary(job, free, LayoutPart::Experts, degrees, &mut |plan| {
            tried.plan = plan;
            if self.is_legal(LayoutPart::Experts, &tried) {
                cell.variants.push(plan);
            }
        });
        if cell.variants.is_empty() {
            return None;
        }
        vary(job, free, LayoutPart::MicroBatch, degrees, &mut |plan| {
            tried.plan = plan;
            if self.is_legal(LayoutPart::MicroBatch, &tried) {
                let pipelines = self.pipelines(&tried, &mut cell.pipelines, known);
                if !pipelines.is_empty() {
                    let (sequences, count) = (plan.micro_batch, tried.micro_batches());
                    cell.micro_batches.push(MicroBatches { sequences, count, pipelines });
                }
            }
        });
        let layouts = cell.micro_batches.iter().map(|size| cell.layouts_of(size)).sum::<usize>();
        cell.each = layouts * self.recomputes.len();
        (cell.each > 0).then_some(cell)
    }

    /// The pipelines for a scenario's micro-batches, as places in the cell's list. They depend on few numbers, and are
    /// cached across cells.
    fn pipelines(&self, tried: &Scenario, all: &mut Vec<Pipelining>, known: &mut Vec<Known>) -> Vec<u16> {
        let key = (tried.plan.pipeline_parallel, tried.micro_batches());
        let place = known.iter().position(|entry| entry.0 == key).unwrap_or_else(|| {
            known.push((key, self.legal_pipelines(tried)));
            known.len() - 1
        });
        let found = known.get(place).map(|entry| entry.1.as_slice()).unwrap_or_default();
        let mut place_of = |pipelining: &Pipelining| {
            let place = all.iter().position(|other| other == pipelining);
            place.unwrap_or_else(|| {
                all.push(*pipelining);
                all.len() - 1
            }) as u16
        };
        found.iter().map(&mut place_of).collect()
    }

    fn legal_pipelines(&self, scenario: &Scenario) -> Vec<Pipelining> {
        let mut tried = *scenario;
        let mut legal = Vec::new();
        vary(&self.job, self.free, LayoutPart::Stages, &scenario.plan, &mut |plan| {
            tried.plan = plan;
            if self.is_legal(LayoutPart::Stages, &tried) {
                let levels = self.levels.iter().enumerate().fold(0, |bits, (place, level)| {
                    tried.plan.zero = *level;
                    if self.is_legal(LayoutPart::Sharding, &tried) { bits | 1 << place } else { bits }
                });
                if levels != 0 {
                    legal.push(Pipelining::of(&plan, levels));
                }
            }
        });
        legal
    }
}

/// Legal pipelines by number of stages and micro-batches.
type Known = ((u32, u32), Vec<Pipelining>);

impl SpaceCell {
    /// Number of layouts of one variant, micro-batch size and recompute mode.
    pub(super) fn layouts_of(&self, micro_batches: &MicroBatches) -> usize {
        let pipelines =
            micro_batches.pipelines.iter().filter_map(|place| self.pipelines.get(*place as usize));
        pipelines.map(|pipelining| pipelining.levels.count_ones() as usize).sum()
    }
}

/// Software features that one part of a layout may need.
fn asks(limits: StackLimits, part: LayoutPart) -> StackLimits {
    use Feature as F;
    match part {
        LayoutPart::Degrees => {
            limits.of_part(&[], &[F::Context, F::DataBeforePipeline, F::PipelineBeforeData])
        }
        LayoutPart::Experts => limits.of_part(
            &[],
            &[
                F::TensorWithWholeNorms,
                F::TensorWithSequence,
                F::ContextRing,
                F::ContextAllGather,
                F::ContextAllToAll,
                F::Expert,
                F::ExpertTensor,
                F::OffloadedOptimizer,
                F::OffloadedParameters,
                F::OffloadedActivations,
            ],
        ),
        LayoutPart::Stages => {
            limits.of_part(&Schedule::ALL, &[F::VirtualStages, F::SplitEven, F::SplitEnds, F::SplitGiven])
        }
        LayoutPart::Sharding => limits.of_part(
            &[],
            &[
                F::Unsharded,
                F::ShardedOptimizer,
                F::ShardedGradients,
                F::ShardedParameters,
                F::ShardedHybrid,
                F::PipelinedUnsharded,
                F::PipelinedOptimizer,
                F::PipelinedGradients,
                F::PipelinedParameters,
                F::PipelinedHybrid,
            ],
        ),
        LayoutPart::Recompute => limits.of_part(
            &[],
            &[
                F::RecomputeNone,
                F::RecomputeSelective,
                F::RecomputeFull,
                F::RecomputeModules,
                F::RecomputeLayers,
            ],
        ),
        LayoutPart::MicroBatch => StackLimits::ALL,
    }
}

/// Whether every field of a layout is within its bounds.
fn holds(scenario: &Scenario) -> bool {
    let fields = FIELDS.iter().filter(|field| field.group == FieldGroup::Plan);
    fields.into_iter().all(|field| field.holds((field.get)(scenario)))
}
