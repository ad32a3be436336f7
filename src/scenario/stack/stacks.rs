// Generated from data/stacks.tsv by `cargo xtask data`: change the table, not this file.

//! The software stacks.

use super::profile::{
    Attention, Dispatcher, ExpertSplit, HiddenExchanges, Keeps, Launch, Overlaps, Recipe, Replays, Selective,
    StackProfile,
};
use crate::scenario::MeasuredRuns;
use crate::scenario::cluster::GpuFamily;
use serde::{Deserialize, Serialize};

/// A framework, or a kind of framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stack {
    /// Any other fused, non-compiled stack.
    Fused,
    /// Any other compiled stack.
    Compiled,
    /// Any other eager stack.
    Eager,
    /// NVIDIA NeMo on Megatron-Core and Transformer Engine.
    Nemo,
    /// NVIDIA Megatron-Bridge.
    MegatronBridge,
    /// NVIDIA's MLPerf submissions (CUDA graphs).
    NemoMlperf,
    /// Megatron-Core with every overlap switched off.
    MegatronCoreNoOverlap,
    /// Megatron-LM: eager with unfused attention at first, Megatron-Core on Transformer Engine from 2024 on.
    MegatronLm,
    /// Megatron-DeepSpeed, eager, unfused attention.
    MegatronDeepspeed,
    /// DeepSpeed ZeRO-3, eager.
    DeepspeedZero3,
    /// MosaicML Composer with FSDP.
    ComposerFsdp,
    /// IBM fms-fsdp (compiled FSDP).
    FmsFsdp,
    /// torchtitan (compiled FSDP2).
    Torchtitan,
    /// InternEvo.
    Internevo,
    /// ByteDance MegaScale.
    Megascale,
    /// MaxText (XLA).
    Maxtext,
    /// Paxml (XLA).
    Paxml,
}

impl Stack {
    /// Every stack with its name in data files and links, and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 17] = [
        (Self::Fused, "fused", "Fused kernels (any recent framework)"),
        (Self::Compiled, "compiled", "Compiled (torch.compile, XLA, graphs)"),
        (Self::Eager, "eager", "Eager PyTorch"),
        (Self::Nemo, "nemo", "NVIDIA NeMo"),
        (Self::MegatronBridge, "megatron-bridge", "NVIDIA Megatron-Bridge"),
        (Self::NemoMlperf, "nemo-mlperf", "NeMo, MLPerf submission"),
        (Self::MegatronCoreNoOverlap, "megatron-core-no-overlap", "Megatron-Core without overlap"),
        (Self::MegatronLm, "megatron-lm", "Megatron-LM"),
        (Self::MegatronDeepspeed, "megatron-deepspeed", "Megatron-DeepSpeed"),
        (Self::DeepspeedZero3, "deepspeed-zero3", "DeepSpeed ZeRO-3"),
        (Self::ComposerFsdp, "composer-fsdp", "Composer FSDP"),
        (Self::FmsFsdp, "fms-fsdp", "fms-fsdp"),
        (Self::Torchtitan, "torchtitan", "torchtitan"),
        (Self::Internevo, "internevo", "InternEvo"),
        (Self::Megascale, "megascale", "MegaScale"),
        (Self::Maxtext, "maxtext", "MaxText"),
        (Self::Paxml, "paxml", "Paxml"),
    ];

    /// Name of the stack in data files and links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fused => "fused",
            Self::Compiled => "compiled",
            Self::Eager => "eager",
            Self::Nemo => "nemo",
            Self::MegatronBridge => "megatron-bridge",
            Self::NemoMlperf => "nemo-mlperf",
            Self::MegatronCoreNoOverlap => "megatron-core-no-overlap",
            Self::MegatronLm => "megatron-lm",
            Self::MegatronDeepspeed => "megatron-deepspeed",
            Self::DeepspeedZero3 => "deepspeed-zero3",
            Self::ComposerFsdp => "composer-fsdp",
            Self::FmsFsdp => "fms-fsdp",
            Self::Torchtitan => "torchtitan",
            Self::Internevo => "internevo",
            Self::Megascale => "megascale",
            Self::Maxtext => "maxtext",
            Self::Paxml => "paxml",
        }
    }

    /// Oldest behaviour of the stack, and later ones in order.
    pub(super) fn profiles(self) -> (&'static StackProfile, &'static [StackProfile]) {
        match self {
            Self::Fused => (&FUSED, &[]),
            Self::Compiled => (&COMPILED, &[]),
            Self::Eager => (&EAGER, &[]),
            Self::Nemo => (&NEMO, &[]),
            Self::MegatronBridge => (&MEGATRON_BRIDGE, &[]),
            Self::NemoMlperf => (&NEMO_MLPERF, &[]),
            Self::MegatronCoreNoOverlap => (&MEGATRON_CORE_NO_OVERLAP, &[]),
            Self::MegatronLm => (&MEGATRON_LM, &MEGATRON_LM_LATER),
            Self::MegatronDeepspeed => (&MEGATRON_DEEPSPEED, &[]),
            Self::DeepspeedZero3 => (&DEEPSPEED_ZERO3, &[]),
            Self::ComposerFsdp => (&COMPOSER_FSDP, &[]),
            Self::FmsFsdp => (&FMS_FSDP, &[]),
            Self::Torchtitan => (&TORCHTITAN, &[]),
            Self::Internevo => (&INTERNEVO, &[]),
            Self::Megascale => (&MEGASCALE, &[]),
            Self::Maxtext => (&MAXTEXT, &[]),
            Self::Paxml => (&PAXML, &[]),
        }
    }
}

/// The most frequent value of each field of recipes.
#[rustfmt::skip]
const USUAL_RECIPE: Recipe = Recipe { shards_parameters: false, overlaps_reductions: Overlaps::Always, overlaps_gathers: Overlaps::OfShardedParameters, keeps: Keeps::Least, splits_experts: ExpertSplit::Never, hides_exchanges: HiddenExchanges::Never, hides_exchanges_since: 0.0, overlaps_sends_since: 2024, replays: None };

/// The most frequent value of each field; a stack names those in which it differs.
#[rustfmt::skip]
const USUAL: StackProfile = StackProfile { since: 0, runs: MeasuredRuns::None, sources: 0, launch: Launch::Fused, attention: Attention::Vendor, flash_since: 0, dispatcher: Dispatcher::AllToAll, hierarchical_since: f64::INFINITY, reduces_whole_since: f64::INFINITY, reduce_bytes: 2.0, gradient_bytes: 2.0, gather_copy: 0.0, reduce_copy: 0.0, selective_recompute: true, selective_since: 0, fetches_tensors_until: 0, selective_drops: Selective::Norms, repeats_until: 0.0, fused_norm_since: f64::INFINITY, leaves_out_unread: false, ages: true, forces_balance: false, graphs: false, sends_whole_activations: false, embedding_sync: false, interleaves: false, overlaps_by_module: false, gathers_quantised: false, overlaps_sends: true, master_only: false, fused_activation: true, keeps_quantised_inputs: true, placeholder_gradients: false, rotates_complex: false, host_layer: |c| c.host_layer_fused, host_gathers: |_| 0.0, host_tensor: |_| 0.0, fixed: |c| c.step_fixed_fused, framework_factor: |_| 1.0, sharded_factor: |_| 1.0, straggler: |c| c.straggler_fused, straggler_width: |_| 0.0, selective_share: |c| c.recompute_selective_share, overlap_tensor: |c| c.overlap_tensor, recipe: Recipe { shards_parameters: true, ..USUAL_RECIPE } };

#[rustfmt::skip]
static FUSED: StackProfile = StackProfile { hierarchical_since: 2025.5, gradient_bytes: 4.0, placeholder_gradients: true, framework_factor: |c| c.framework_factor_fused, recipe: Recipe { overlaps_gathers: Overlaps::Always, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static COMPILED: StackProfile = StackProfile { launch: Launch::Compiled, attention: Attention::Flash2, reduce_copy: 4.0, overlaps_by_module: true, gathers_quantised: true, master_only: true, keeps_quantised_inputs: false, host_layer: |c| c.host_layer_compiled, sharded_factor: |c| c.framework_factor_fsdp, overlap_tensor: |c| c.overlap_tensor_async, ..USUAL };
#[rustfmt::skip]
static EAGER: StackProfile = StackProfile { launch: Launch::Eager, attention: Attention::Flash2, flash_since: 2023, reduce_copy: 4.0, selective_since: 2022, selective_drops: Selective::Blocks, sends_whole_activations: true, overlaps_by_module: true, overlaps_sends: false, fused_activation: false, host_layer: |c| c.host_layer_deepspeed, sharded_factor: |c| c.framework_factor_fsdp, selective_share: |c| c.recompute_selective_share_blocks, ..USUAL };
#[rustfmt::skip]
static NEMO: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 4, hierarchical_since: 2025.33, forces_balance: true, interleaves: true, placeholder_gradients: true, framework_factor: |c| c.framework_factor_fused, recipe: Recipe { overlaps_gathers: Overlaps::Always, splits_experts: ExpertSplit::Wide, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static MEGATRON_BRIDGE: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 1, dispatcher: Dispatcher::Hierarchical, hierarchical_since: 2025.5, forces_balance: true, interleaves: true, placeholder_gradients: true, framework_factor: |c| c.framework_factor_fused, recipe: Recipe { overlaps_gathers: Overlaps::Always, hides_exchanges: HiddenExchanges::Interleaved, replays: Some(Replays { since: (26, 6), on: &[GpuFamily::Blackwell, GpuFamily::BlackwellUltra] }), ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static NEMO_MLPERF: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 2, hierarchical_since: 2025.5, graphs: true, interleaves: true, placeholder_gradients: true, host_layer: |c| c.host_layer_graphs, recipe: Recipe { overlaps_gathers: Overlaps::Always, splits_experts: ExpertSplit::Wide, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static MEGATRON_CORE_NO_OVERLAP: StackProfile = StackProfile { hierarchical_since: 2025.33, reduce_bytes: 4.0, gradient_bytes: 4.0, placeholder_gradients: true, framework_factor: |c| c.framework_factor_fused, recipe: Recipe { overlaps_reductions: Overlaps::Never, overlaps_gathers: Overlaps::Never, splits_experts: ExpertSplit::WithoutExpertParallelism, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static MEGATRON_LM: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 2, launch: Launch::Eager, attention: Attention::Unfused, flash_since: 2023, hierarchical_since: 2025.33, gradient_bytes: 4.0, selective_since: 2022, embedding_sync: true, overlaps_sends: false, fused_activation: false, host_layer: |c| c.host_layer_megatron_lm, fixed: |_| 0.0, recipe: Recipe { overlaps_reductions: Overlaps::Never, overlaps_gathers: Overlaps::Never, splits_experts: ExpertSplit::WithoutExpertParallelism, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static MEGATRON_LM_LATER: [StackProfile; 1] = [
StackProfile { since: 2024, hierarchical_since: 2025.33, reduce_bytes: 4.0, gradient_bytes: 4.0, forces_balance: true, interleaves: true, placeholder_gradients: true, framework_factor: |c| c.framework_factor_fused, recipe: Recipe { overlaps_reductions: Overlaps::OfShardedParameters, splits_experts: ExpertSplit::WithoutExpertParallelism, hides_exchanges: HiddenExchanges::Interleaved, hides_exchanges_since: 2025.33, ..USUAL_RECIPE }, ..USUAL },
];
#[rustfmt::skip]
static MEGATRON_DEEPSPEED: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 1, launch: Launch::Eager, attention: Attention::Unfused, flash_since: 2023, reduces_whole_since: 2023.92, gather_copy: 4.0, reduce_copy: 4.0, selective_since: 2022, sends_whole_activations: true, embedding_sync: true, overlaps_sends: false, fused_activation: false, host_layer: |c| c.host_layer_deepspeed, host_gathers: |c| c.host_gathers_deepspeed, fixed: |_| 0.0, straggler: |c| c.straggler_deepspeed, straggler_width: |c| c.interval_straggler, recipe: Recipe { overlaps_reductions: Overlaps::OfShardedParameters, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static DEEPSPEED_ZERO3: StackProfile = StackProfile { launch: Launch::Eager, attention: Attention::Flash2, flash_since: 2023, reduces_whole_since: 2023.92, gather_copy: 4.0, reduce_copy: 4.0, selective_since: 2022, fetches_tensors_until: 2022, sends_whole_activations: true, overlaps_sends: false, fused_activation: false, host_layer: |c| c.host_layer_deepspeed, host_gathers: |c| c.host_gathers_deepspeed, straggler: |c| c.straggler_deepspeed, straggler_width: |c| c.interval_straggler, recipe: Recipe { shards_parameters: true, overlaps_reductions: Overlaps::OfShardedParameters, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static COMPOSER_FSDP: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 1, launch: Launch::PartlyFused, attention: Attention::TritonAlibi, reduce_copy: 4.0, overlaps_by_module: true, master_only: true, host_layer: |c| c.host_layer_composer, sharded_factor: |c| c.framework_factor_fsdp, ..USUAL };
#[rustfmt::skip]
static FMS_FSDP: StackProfile = StackProfile { launch: Launch::Compiled, attention: Attention::Flash2, reduce_copy: 4.0, selective_drops: Selective::Blocks, overlaps_by_module: true, master_only: true, keeps_quantised_inputs: false, host_layer: |c| c.host_layer_compiled, sharded_factor: |c| c.framework_factor_fsdp, selective_share: |c| c.recompute_selective_share_blocks, overlap_tensor: |c| c.overlap_tensor_async, ..USUAL };
#[rustfmt::skip]
static TORCHTITAN: StackProfile = StackProfile { launch: Launch::Compiled, attention: Attention::Flash2, reduce_bytes: 4.0, gradient_bytes: 4.0, gather_copy: 4.0, reduce_copy: 6.0, selective_drops: Selective::Products, repeats_until: 2026.08, fused_norm_since: 2025.58, overlaps_by_module: true, gathers_quantised: true, master_only: true, keeps_quantised_inputs: false, rotates_complex: true, host_layer: |c| c.host_layer_compiled, host_tensor: |c| c.host_tensor_dtensor, sharded_factor: |c| c.framework_factor_fsdp, selective_share: |c| c.recompute_selective_share_torchtitan, overlap_tensor: |c| c.overlap_tensor_async, ..USUAL };
#[rustfmt::skip]
static INTERNEVO: StackProfile = StackProfile { launch: Launch::PartlyFused, attention: Attention::Flash2, gradient_bytes: 4.0, framework_factor: |c| c.framework_factor_fused, recipe: USUAL_RECIPE, ..USUAL };
#[rustfmt::skip]
static MEGASCALE: StackProfile = StackProfile { hierarchical_since: 2025.5, gradient_bytes: 4.0, placeholder_gradients: true, framework_factor: |c| c.framework_factor_fused, recipe: Recipe { overlaps_gathers: Overlaps::Always, hides_exchanges: HiddenExchanges::Everywhere, hides_exchanges_since: 2025.0, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static MAXTEXT: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 1, launch: Launch::Compiled, flash_since: 2024, selective_recompute: false, leaves_out_unread: true, ages: false, master_only: true, keeps_quantised_inputs: false, host_layer: |c| c.host_layer_xla, framework_factor: |c| c.framework_factor_maxtext, recipe: Recipe { shards_parameters: true, keeps: Keeps::Projections, ..USUAL_RECIPE }, ..USUAL };
#[rustfmt::skip]
static PAXML: StackProfile = StackProfile { runs: MeasuredRuns::Many, sources: 1, launch: Launch::Compiled, flash_since: 2024, selective_recompute: false, leaves_out_unread: true, ages: false, master_only: true, keeps_quantised_inputs: false, host_layer: |c| c.host_layer_xla, framework_factor: |c| c.framework_factor_paxml, recipe: Recipe { shards_parameters: true, keeps: Keeps::Products, ..USUAL_RECIPE }, ..USUAL };
