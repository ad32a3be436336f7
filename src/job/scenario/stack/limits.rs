//! Supported features of each stack, as data: a row of `data/stack_limits.tsv` is one [`StackLimits`].

use super::{Month, Software, Stack};
use crate::scenario::plan::{ContextExchange, Mapping, Plan, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::{Precision, Scenario};

/// A software feature that a layout may need, other than a pipeline schedule or a number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Interleaved 1F1B with virtual stages.
    VirtualStages,
    /// Tensor parallelism without sequence parallelism.
    TensorWithWholeNorms,
    /// Tensor parallelism with sequence parallelism.
    TensorWithSequence,
    /// Context parallelism.
    Context,
    /// Keys and values around a ring of context-parallel ranks.
    ContextRing,
    /// Keys and values gathered by context-parallel ranks.
    ContextAllGather,
    /// Exchange of tokens for heads among context-parallel ranks.
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
    /// No recomputation.
    RecomputeNone,
    /// Selective recompute.
    RecomputeSelective,
    /// Full recompute.
    RecomputeFull,
    /// Recomputation of chosen modules.
    RecomputeModules,
    /// Full recomputation of some layers only.
    RecomputeLayers,
    /// Equal shares of the layers for all stages.
    SplitEven,
    /// Embedding and LM head counted as layers.
    SplitEnds,
    /// A custom list of layers per stage.
    SplitGiven,
    /// Data-parallel ranks closer together than pipeline stages.
    DataBeforePipeline,
    /// Pipeline stages closer together than data-parallel ranks.
    PipelineBeforeData,
    /// Optimizer offload.
    OffloadedOptimizer,
    /// Offload of sharded parameters.
    OffloadedParameters,
    /// Activation offload.
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
    /// Quantized frozen weights.
    QuantisedBase,
}

impl Feature {
    /// Every feature of a layout, in the order in which an error names the first.
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

    /// Its bit, after those of the schedules.
    const fn bit(self) -> u64 {
        1 << (SCHEDULE_BITS + self as u32)
    }
}

/// Bits reserved for schedules.
const SCHEDULE_BITS: u32 = 16;

const fn schedule_bit(schedule: Schedule) -> u64 {
    1 << (schedule as u32)
}

/// Supported features of a stack's releases at a time: a bit for each pipeline schedule and each [`Feature`].
///
/// Invalid combinations of fields are a matter of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackLimits(u64);

impl StackLimits {
    /// Everything.
    pub const ALL: Self = Self(u64::MAX);

    /// Only these schedules and features.
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

    /// Supported features of a job's software.
    pub fn of(software: &Software) -> Self {
        software.stack.limits((software.year, software.month))
    }

    /// Whether a context-parallel group supports this exchange of queries and keys.
    pub fn exchanges(self, exchange: ContextExchange) -> bool {
        self.has(context(exchange))
    }

    /// Whether products in this format are supported.
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

    /// The wanted context-parallel exchange if supported, else the first supported one.
    pub fn exchange_like(self, wanted: ContextExchange) -> ContextExchange {
        let there = |exchange: &ContextExchange| self.exchanges(*exchange);
        let ways = [wanted].into_iter().chain(ContextExchange::ALL);
        ways.into_iter().find(there).unwrap_or(wanted)
    }

    /// Supported features of a job's software, plus those without effect: degrees of experts in a dense model.
    pub fn of_job(job: &Scenario) -> Self {
        let limits = Self::of(&job.software);
        if job.model.experts.count > 0 {
            return limits;
        }
        Self(limits.0 | Feature::Expert.bit() | Feature::ExpertTensor.bit())
    }

    /// These limits restricted to these schedules and features.
    #[must_use]
    pub fn of_part(self, schedules: &[Schedule], features: &[Feature]) -> Self {
        Self(self.0 | !Self::only(schedules, features).0)
    }

    /// Whether a layout needs no other feature.
    pub fn allows(self, plan: &Plan) -> bool {
        asked(plan) & !self.0 == 0
    }

    /// Whether this pipeline schedule is supported.
    pub fn runs(self, schedule: Schedule) -> bool {
        self.0 & schedule_bit(schedule) != 0
    }

    /// Whether this feature is supported.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// The first missing feature that a layout needs, schedules aside.
    pub fn missing(self, plan: &Plan) -> Option<Feature> {
        let lacks = asked(plan) & !self.0;
        Feature::ALL.into_iter().find(|feature| lacks & feature.bit() != 0)
    }
}

/// What a job needs in any layout and its software lacks.
pub fn missing_of_job(job: &Scenario) -> Option<Feature> {
    let (limits, adapters) = (StackLimits::of(&job.software), &job.training.adapters);
    let asked = [
        (adapters.freeze(), Feature::Adapters),
        (adapters.widens(job.workload.precision), Feature::QuantisedBase),
    ];
    asked.into_iter().find(|(asks, feature)| *asks && !limits.has(*feature)).map(|entry| entry.1)
}

/// The features that a layout needs, as a bit set.
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
    /// Supported features of a month's releases: the last row that is not newer, or the oldest.
    pub fn limits(self, month: Month) -> StackLimits {
        let rows = self.limit_rows();
        let last = rows.iter().rev().find(|row| row.0 <= month).or_else(|| rows.first());
        last.map_or(StackLimits::ALL, |row| row.1)
    }
}
