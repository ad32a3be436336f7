// Generated from data/stack_limits.tsv by `cargo xtask data`: change the table, not this file.

//! What each stack can run.

use super::limits::Feature::*;
use super::limits::StackLimits;
use super::{Month, Stack};
use crate::schedule::Schedule;

impl Stack {
    /// First month and limits of each of the stack's rows, the oldest first.
    pub(super) fn limit_rows(self) -> &'static [(Month, StackLimits)] {
        match self {
            Self::Fused => &FUSED,
            Self::Compiled => &COMPILED,
            Self::Eager => &EAGER,
            Self::Nemo => &NEMO,
            Self::MegatronBridge => &MEGATRON_BRIDGE,
            Self::NemoMlperf => &NEMO_MLPERF,
            Self::MegatronLm => &MEGATRON_LM,
            Self::MegatronDeepspeed => &MEGATRON_DEEPSPEED,
            Self::DeepspeedZero3 => &DEEPSPEED_ZERO3,
            Self::ComposerFsdp => &COMPOSER_FSDP,
            Self::Torchtitan => &TORCHTITAN,
            Self::Maxtext => &MAXTEXT,
            Self::Paxml => &PAXML,
        }
    }
}

#[rustfmt::skip]
static FUSED: [(Month, StackLimits); 1] = [
((0, 0), StackLimits::ALL),
];
#[rustfmt::skip]
static COMPILED: [(Month, StackLimits); 1] = [
((0, 0), StackLimits::ALL),
];
#[rustfmt::skip]
static EAGER: [(Month, StackLimits); 1] = [
((0, 0), StackLimits::ALL),
];
#[rustfmt::skip]
static NEMO: [(Month, StackLimits); 4] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, Bf16, Fp16])),
((2023, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, Adapters, Bf16, Fp16, Fp8])),
((2024, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, PipelineBeforeData, OffloadedActivations, Adapters, QuantisedBase, Bf16, Fp16, Fp8])),
((2025, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedActivations, Adapters, QuantisedBase, Bf16, Fp16, Fp8, Fp8Block, Mxfp8])),
];
#[rustfmt::skip]
static MEGATRON_BRIDGE: [(Month, StackLimits); 1] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedActivations, Adapters, Bf16, Fp16, Fp8, Fp8Block, Mxfp8, Nvfp4])),
];
#[rustfmt::skip]
static NEMO_MLPERF: [(Month, StackLimits); 4] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, Bf16, Fp16])),
((2023, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, Bf16, Fp16, Fp8])),
((2024, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, PipelineBeforeData, OffloadedActivations, Adapters, Bf16, Fp16, Fp8])),
((2025, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedActivations, Adapters, Bf16, Fp16, Fp8, Mxfp8, Nvfp4])),
];
#[rustfmt::skip]
static MEGATRON_LM: [(Month, StackLimits); 6] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward], &[TensorWithWholeNorms, Unsharded, PipelinedUnsharded, RecomputeNone, RecomputeFull, SplitEven, DataBeforePipeline, Fp16])),
((2021, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, TensorWithWholeNorms, Unsharded, PipelinedUnsharded, RecomputeNone, RecomputeFull, SplitEven, DataBeforePipeline, Bf16, Fp16])),
((2022, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, Bf16, Fp16])),
((2023, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, OffloadedActivations, Bf16, Fp16, Fp8])),
((2024, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedParameters, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, DataBeforePipeline, PipelineBeforeData, OffloadedActivations, Bf16, Fp16, Fp8])),
((2025, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, ContextAllToAll, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedActivations, Bf16, Fp16, Fp8, Fp8Block, Mxfp8, Nvfp4])),
];
#[rustfmt::skip]
static MEGATRON_DEEPSPEED: [(Month, StackLimits); 2] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward], &[TensorWithWholeNorms, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeFull, SplitEven, SplitEnds, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Bf16, Fp16])),
((2023, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[Context, ContextAllToAll, TensorWithWholeNorms, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeFull, SplitEven, SplitEnds, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Bf16, Fp16])),
];
#[rustfmt::skip]
static DEEPSPEED_ZERO3: [(Month, StackLimits); 3] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward], &[Expert, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, SplitEven, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Bf16, Fp16])),
((2023, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[Context, Expert, ContextAllToAll, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, SplitEven, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Adapters, Bf16, Fp16])),
((2025, 1), StackLimits::only(&[Schedule::OneForwardOneBackward], &[Context, Expert, ContextAllToAll, TensorWithWholeNorms, Unsharded, ShardedOptimizer, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, RecomputeNone, RecomputeSelective, RecomputeFull, SplitEven, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Adapters, QuantisedBase, Bf16, Fp16])),
];
#[rustfmt::skip]
static COMPOSER_FSDP: [(Month, StackLimits); 3] = [
((0, 0), StackLimits::only(&[], &[Unsharded, ShardedGradients, ShardedParameters, RecomputeNone, RecomputeFull, OffloadedActivations, Bf16, Fp16])),
((2023, 1), StackLimits::only(&[], &[Unsharded, ShardedGradients, ShardedParameters, ShardedHybrid, RecomputeNone, RecomputeFull, RecomputeLayers, OffloadedActivations, Bf16, Fp16, Fp8])),
((2024, 1), StackLimits::only(&[], &[Unsharded, ShardedGradients, ShardedParameters, ShardedHybrid, RecomputeNone, RecomputeFull, RecomputeLayers, OffloadedActivations, Adapters, Bf16, Fp16, Fp8])),
];
#[rustfmt::skip]
static TORCHTITAN: [(Month, StackLimits); 3] = [
((0, 0), StackLimits::only(&[Schedule::OneForwardOneBackward, Schedule::AllForwardAllBackward], &[VirtualStages, Context, ContextRing, ContextAllGather, TensorWithSequence, Unsharded, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, Bf16, Fp8])),
((2025, 1), StackLimits::only(&[Schedule::OneForwardOneBackward, Schedule::AllForwardAllBackward, Schedule::ZeroBubbleV, Schedule::DualPipeV], &[VirtualStages, Context, Expert, ExpertTensor, ContextRing, ContextAllGather, TensorWithSequence, Unsharded, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, Bf16, Fp8, Fp8Block, Mxfp8])),
((2026, 1), StackLimits::only(&[Schedule::OneForwardOneBackward, Schedule::AllForwardAllBackward, Schedule::ZeroBubbleV, Schedule::DualPipeV], &[VirtualStages, Context, Expert, ContextRing, ContextAllGather, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedGradients, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedGradients, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeLayers, SplitEven, SplitEnds, SplitGiven, DataBeforePipeline, OffloadedOptimizer, OffloadedParameters, Adapters, Bf16, Fp8, Fp8Block, Mxfp8, Nvfp4])),
];
#[rustfmt::skip]
static MAXTEXT: [(Month, StackLimits); 4] = [
((0, 0), StackLimits::only(&[], &[TensorWithWholeNorms, Unsharded, ShardedParameters, ShardedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, OffloadedActivations, Bf16])),
((2024, 1), StackLimits::only(&[Schedule::AllForwardAllBackward], &[Expert, ExpertTensor, TensorWithWholeNorms, Unsharded, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, SplitEven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedActivations, Bf16, Fp8])),
((2025, 1), StackLimits::only(&[Schedule::AllForwardAllBackward], &[Context, Expert, ExpertTensor, ContextAllGather, ContextRing, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, SplitEven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Bf16, Fp8])),
((2026, 1), StackLimits::only(&[Schedule::AllForwardAllBackward], &[Context, Expert, ExpertTensor, ContextAllGather, ContextRing, TensorWithWholeNorms, TensorWithSequence, Unsharded, ShardedOptimizer, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedOptimizer, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, SplitEven, DataBeforePipeline, PipelineBeforeData, OffloadedOptimizer, OffloadedParameters, OffloadedActivations, Adapters, QuantisedBase, Bf16, Fp8, Mxfp8, Nvfp4])),
];
#[rustfmt::skip]
static PAXML: [(Month, StackLimits); 1] = [
((0, 0), StackLimits::only(&[Schedule::AllForwardAllBackward], &[Expert, ExpertTensor, TensorWithWholeNorms, Unsharded, ShardedParameters, ShardedHybrid, PipelinedUnsharded, PipelinedParameters, PipelinedHybrid, RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeModules, SplitEven, DataBeforePipeline, PipelineBeforeData, Bf16, Fp8])),
];
