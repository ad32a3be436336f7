//! What each stack can run, as data: a row of `data/stack_limits.tsv` is one [`StackLimits`].

use super::{Month, Software, Stack};
use crate::scenario::plan::{ContextExchange, Mapping, Plan, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::{Precision, Scenario};

/// Something that a layout asks of its software, other than a pipeline schedule or a number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Virtual stages that micro-batches pass in turn (interleaved 1F1B).
    VirtualStages,
    /// Tensor parallelism whose norms run whole on every rank.
    TensorWithWholeNorms,
    /// Tensor parallelism with sequence parallelism.
    TensorWithSequence,
    /// Context parallelism.
    Context,
    /// Keys and values around a ring of context-parallel ranks.
    ContextRing,
    /// Keys and values gathered by context-parallel ranks.
    ContextAllGather,
    /// Tokens for heads among context-parallel ranks.
    ContextAllToAll,
    /// Expert parallelism.
    Expert,
    /// Experts split over ranks.
    ExpertTensor,
    /// Plain data parallelism.
    Unsharded,
    /// ZeRO-1.
    ShardedOptimizer,
    /// ZeRO-2.
    ShardedGradients,
    /// ZeRO-3, FSDP.
    ShardedParameters,
    /// Parameters sharded within a node.
    ShardedHybrid,
    /// Plain data parallelism of pipelines.
    PipelinedUnsharded,
    /// ZeRO-1 in a pipeline.
    PipelinedOptimizer,
    /// ZeRO-2 in a pipeline.
    PipelinedGradients,
    /// ZeRO-3 in a pipeline.
    PipelinedParameters,
    /// Parameters sharded within a node, in a pipeline.
    PipelinedHybrid,
    /// Nothing recomputed.
    RecomputeNone,
    /// Selective recompute.
    RecomputeSelective,
    /// Full recompute.
    RecomputeFull,
    /// Chosen modules recomputed.
    RecomputeModules,
    /// Some layers recomputed whole, and others not at all.
    RecomputeLayers,
    /// Equal shares of the layers for all stages.
    SplitEven,
    /// Embedding and LM head counted as layers.
    SplitEnds,
    /// A list of layers for every stage.
    SplitGiven,
    /// Data-parallel ranks nearer to each other than the stages of a pipeline.
    DataBeforePipeline,
    /// Stages nearer to each other than data-parallel ranks.
    PipelineBeforeData,
    /// Optimizer states in the host's memory.
    OffloadedOptimizer,
    /// Sharded parameters in the host's memory.
    OffloadedParameters,
    /// Activations in the host's memory.
    OffloadedActivations,
    /// Products of bfloat16.
    Bf16,
    /// Products of half precision.
    Fp16,
    /// Products of FP8 with a scale per tensor.
    Fp8,
    /// Products of FP8 with a scale per block or row.
    Fp8Block,
    /// Products of MXFP8.
    Mxfp8,
    /// Products of NVFP4.
    Nvfp4,
    /// Adapters on frozen weights.
    Adapters,
    /// Frozen weights in few bits.
    QuantisedBase,
}

impl Feature {
    /// Every feature of a layout, in the order in which a refusal names the first.
    pub const ALL: [Self; 34] = [
        Self::VirtualStages,
        Self::TensorWithWholeNorms,
        Self::TensorWithSequence,
        Self::Context,
        Self::ContextRing,
        Self::ContextAllGather,
        Self::ContextAllToAll,
        Self::Expert,
        Self::ExpertTensor,
        Self::Unsharded,
        Self::ShardedOptimizer,
        Self::ShardedGradients,
        Self::ShardedParameters,
        Self::ShardedHybrid,
        Self::PipelinedUnsharded,
        Self::PipelinedOptimizer,
        Self::PipelinedGradients,
        Self::PipelinedParameters,
        Self::PipelinedHybrid,
        Self::RecomputeNone,
        Self::RecomputeSelective,
        Self::RecomputeFull,
        Self::RecomputeModules,
        Self::RecomputeLayers,
        Self::SplitEven,
        Self::SplitEnds,
        Self::SplitGiven,
        Self::DataBeforePipeline,
        Self::PipelineBeforeData,
        Self::OffloadedOptimizer,
        Self::OffloadedParameters,
        Self::OffloadedActivations,
        Self::Adapters,
        Self::QuantisedBase,
    ];

    /// Its bit, behind those of the schedules.
    const fn bit(self) -> u64 {
        1 << (SCHEDULE_BITS + self as u32)
    }
}

/// Bits kept for schedules.
const SCHEDULE_BITS: u32 = 16;

const fn schedule_bit(schedule: Schedule) -> u64 {
    1 << (schedule as u32)
}

/// What a stack's releases of a time can run: a bit for each pipeline schedule and each [`Feature`].
///
/// It says nothing of what a layout's fields make impossible together, which is a matter of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackLimits(u64);

impl StackLimits {
    /// Everything there is.
    pub const ALL: Self = Self(u64::MAX);

    /// Those schedules and features, and nothing else.
    pub(super) const fn only(schedules: &[Schedule], features: &[Feature]) -> Self {
        let (mut bits, mut index) = (0, 0);
        while index < schedules.len() {
            bits |= schedule_bit(schedules[index]);
            index += 1;
        }
        index = 0;
        while index < features.len() {
            bits |= features[index].bit();
            index += 1;
        }
        Self(bits)
    }

    /// What the software of a job can run.
    pub fn of(software: &Software) -> Self {
        software.stack.limits((software.year, software.month))
    }

    /// Whether a context-parallel group may bring its queries and keys together so.
    pub fn exchanges(self, exchange: ContextExchange) -> bool {
        self.has(context(exchange))
    }

    /// Whether products are run in such numbers.
    pub fn multiplies(self, precision: Precision) -> bool {
        self.has(match precision {
            Precision::Bf16 => Feature::Bf16,
            Precision::Fp16 => Feature::Fp16,
            Precision::Fp8 => Feature::Fp8,
            Precision::Fp8Block => Feature::Fp8Block,
            Precision::Mxfp8 => Feature::Mxfp8,
            Precision::Nvfp4 => Feature::Nvfp4,
        })
    }

    /// A way of exchanging within a context-parallel group, if there is it, or the first that there is.
    pub fn exchange_like(self, wanted: ContextExchange) -> ContextExchange {
        let there = |exchange: &ContextExchange| self.exchanges(*exchange);
        let ways = [wanted].into_iter().chain(ContextExchange::ALL);
        ways.into_iter().find(there).unwrap_or(wanted)
    }

    /// What the software of a job can run, and what has no effect in it: degrees of experts that its model lacks.
    pub fn of_job(job: &Scenario) -> Self {
        let limits = Self::of(&job.software);
        if job.model.experts.count > 0 {
            return limits;
        }
        Self(limits.0 | Feature::Expert.bit() | Feature::ExpertTensor.bit())
    }

    /// The same limits of these schedules and features, and none of any other.
    #[must_use]
    pub fn of_part(self, schedules: &[Schedule], features: &[Feature]) -> Self {
        Self(self.0 | !Self::only(schedules, features).0)
    }

    /// Whether a layout asks for nothing else.
    pub fn allows(self, plan: &Plan) -> bool {
        asked(plan) & !self.0 == 0
    }

    /// Whether pipelines can be run in that order.
    pub fn runs(self, schedule: Schedule) -> bool {
        self.0 & schedule_bit(schedule) != 0
    }

    /// Whether there is such a feature.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// The first feature that a layout asks for and that there is not, schedules aside.
    pub fn missing(self, plan: &Plan) -> Option<Feature> {
        let lacks = asked(plan) & !self.0;
        Feature::ALL.into_iter().find(|feature| lacks & feature.bit() != 0)
    }
}

/// What a job asks for whatever its layout, and its software has not.
pub fn missing_of_job(job: &Scenario) -> Option<Feature> {
    let (limits, adapters) = (StackLimits::of(&job.software), &job.training.adapters);
    let asked = [
        (adapters.freeze(), Feature::Adapters),
        (adapters.widens(job.workload.precision), Feature::QuantisedBase),
    ];
    asked.into_iter().find(|(asks, feature)| *asks && !limits.has(*feature)).map(|entry| entry.1)
}

/// What a layout asks for, as bits.
fn asked(plan: &Plan) -> u64 {
    let pipeline = plan.pipeline_parallel > 1;
    let when = |asks: bool, feature: Feature| if asks { feature.bit() } else { 0 };
    let mut bits = sharding(plan.zero, pipeline).bit()
        | recompute(plan.recompute).bit()
        | when(plan.context_parallel > 1, Feature::Context)
        | when(plan.expert_parallel > 1, Feature::Expert)
        | when(plan.expert_tensor_parallel > 1, Feature::ExpertTensor)
        | when(plan.offload_optimizer, Feature::OffloadedOptimizer)
        | when(plan.fetches_parameters(), Feature::OffloadedParameters)
        | when(plan.offload_activations > 0, Feature::OffloadedActivations);
    if plan.context_parallel > 1 {
        bits |= context(plan.context_exchange).bit();
    }
    if plan.tensor_parallel > 1 {
        let kind =
            if plan.sequence_parallel { Feature::TensorWithSequence } else { Feature::TensorWithWholeNorms };
        bits |= kind.bit();
    }
    if pipeline {
        let interleaves = plan.virtual_stages > 1 && plan.schedule.row().interleaves();
        bits |= schedule_bit(plan.schedule)
            | when(interleaves, Feature::VirtualStages)
            | split(&plan.stage_split).bit()
            | mapping(plan.mapping).bit();
    }
    bits
}

fn sharding(zero: Zero, pipeline: bool) -> Feature {
    match (zero, pipeline) {
        (Zero::None, false) => Feature::Unsharded,
        (Zero::Optimizer, false) => Feature::ShardedOptimizer,
        (Zero::Gradients, false) => Feature::ShardedGradients,
        (Zero::Parameters, false) => Feature::ShardedParameters,
        (Zero::Hybrid, false) => Feature::ShardedHybrid,
        (Zero::None, true) => Feature::PipelinedUnsharded,
        (Zero::Optimizer, true) => Feature::PipelinedOptimizer,
        (Zero::Gradients, true) => Feature::PipelinedGradients,
        (Zero::Parameters, true) => Feature::PipelinedParameters,
        (Zero::Hybrid, true) => Feature::PipelinedHybrid,
    }
}

fn recompute(recompute: Recompute) -> Feature {
    match recompute {
        Recompute::None => Feature::RecomputeNone,
        Recompute::Selective => Feature::RecomputeSelective,
        Recompute::Full => Feature::RecomputeFull,
        Recompute::Modules(_) => Feature::RecomputeModules,
        Recompute::Every(_) => Feature::RecomputeLayers,
    }
}

fn context(exchange: ContextExchange) -> Feature {
    match exchange {
        ContextExchange::Ring => Feature::ContextRing,
        ContextExchange::AllGather => Feature::ContextAllGather,
        ContextExchange::AllToAll => Feature::ContextAllToAll,
    }
}

fn split(split: &StageSplit) -> Feature {
    match split {
        StageSplit::Even => Feature::SplitEven,
        StageSplit::CountEnds => Feature::SplitEnds,
        StageSplit::Given(_) => Feature::SplitGiven,
    }
}

fn mapping(mapping: Mapping) -> Feature {
    match mapping {
        Mapping::TensorDataPipeline => Feature::DataBeforePipeline,
        Mapping::TensorPipelineData => Feature::PipelineBeforeData,
    }
}

impl Stack {
    /// What releases of a month can run: the last row that is not younger, or the oldest.
    pub fn limits(self, month: Month) -> StackLimits {
        let rows = self.limit_rows();
        let last = rows.iter().rev().find(|row| row.0 <= month).or_else(|| rows.first());
        last.map_or(StackLimits::ALL, |row| row.1)
    }
}
