// Generated from data/stacks.tsv by `cargo xtask data`: change the table, not this file.

//! The software stacks.

use super::profile::{Attention, Dispatcher, History, Launch, Libraries, Selective, StackProfile};
use crate::scenario::MeasuredRuns;
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
    /// NVIDIA's MLPerf submissions.
    NemoMlperf,
    /// Megatron-LM: eager with unfused attention at first, Megatron-Core on Transformer Engine from 2024 on.
    MegatronLm,
    /// Megatron-DeepSpeed, eager, unfused attention.
    MegatronDeepspeed,
    /// DeepSpeed ZeRO-3, eager.
    DeepspeedZero3,
    /// MosaicML Composer with FSDP.
    ComposerFsdp,
    /// torchtitan (compiled FSDP2).
    Torchtitan,
    /// MaxText (XLA).
    Maxtext,
    /// Paxml (XLA).
    Paxml,
}

impl Stack {
    /// Every stack with its name in data files and links, and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 13] = [
        (Self::Fused, "fused", "Fused kernels (any recent framework)"),
        (Self::Compiled, "compiled", "Compiled (torch.compile, XLA, graphs)"),
        (Self::Eager, "eager", "Eager PyTorch"),
        (Self::Nemo, "nemo", "NVIDIA NeMo"),
        (Self::MegatronBridge, "megatron-bridge", "NVIDIA Megatron-Bridge"),
        (Self::NemoMlperf, "nemo-mlperf", "NeMo, MLPerf submission"),
        (Self::MegatronLm, "megatron-lm", "Megatron-LM"),
        (Self::MegatronDeepspeed, "megatron-deepspeed", "Megatron-DeepSpeed"),
        (Self::DeepspeedZero3, "deepspeed-zero3", "DeepSpeed ZeRO-3"),
        (Self::ComposerFsdp, "composer-fsdp", "Composer FSDP"),
        (Self::Torchtitan, "torchtitan", "torchtitan"),
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
            Self::MegatronLm => "megatron-lm",
            Self::MegatronDeepspeed => "megatron-deepspeed",
            Self::DeepspeedZero3 => "deepspeed-zero3",
            Self::ComposerFsdp => "composer-fsdp",
            Self::Torchtitan => "torchtitan",
            Self::Maxtext => "maxtext",
            Self::Paxml => "paxml",
        }
    }

    /// What the stack does, and since when.
    pub(super) fn history(self) -> &'static History<StackProfile> {
        match self {
            Self::Fused => &FUSED_HISTORY,
            Self::Compiled => &COMPILED_HISTORY,
            Self::Eager => &EAGER_HISTORY,
            Self::Nemo => &NEMO_HISTORY,
            Self::MegatronBridge => &MEGATRON_BRIDGE_HISTORY,
            Self::NemoMlperf => &NEMO_MLPERF_HISTORY,
            Self::MegatronLm => &MEGATRON_LM_HISTORY,
            Self::MegatronDeepspeed => &MEGATRON_DEEPSPEED_HISTORY,
            Self::DeepspeedZero3 => &DEEPSPEED_ZERO3_HISTORY,
            Self::ComposerFsdp => &COMPOSER_FSDP_HISTORY,
            Self::Torchtitan => &TORCHTITAN_HISTORY,
            Self::Maxtext => &MAXTEXT_HISTORY,
            Self::Paxml => &PAXML_HISTORY,
        }
    }
}

/// What libraries do.
#[rustfmt::skip]
pub(super) static LIBRARIES: History<Libraries> = History { first: LIBRARIES_AT_FIRST, later: &[
((2022, 1), LIBRARIES_2022_01),
((2023, 6), LIBRARIES_2023_06),
((2024, 1), LIBRARIES_2024_01),
((2025, 3), LIBRARIES_2025_03),
((2026, 4), LIBRARIES_2026_04),
] };

#[rustfmt::skip]
const LIBRARIES_AT_FIRST: Libraries = Libraries { bias_in_product: false, pads_products: false, sdpa: Attention::Flash1, assembly_attention: false, sends_beside_compute: false };
#[rustfmt::skip]
const LIBRARIES_2022_01: Libraries = Libraries { bias_in_product: true, ..LIBRARIES_AT_FIRST };
#[rustfmt::skip]
const LIBRARIES_2023_06: Libraries = Libraries { pads_products: true, ..LIBRARIES_2022_01 };
#[rustfmt::skip]
const LIBRARIES_2024_01: Libraries = Libraries { sdpa: Attention::Flash2, sends_beside_compute: true, ..LIBRARIES_2023_06 };
#[rustfmt::skip]
const LIBRARIES_2025_03: Libraries = Libraries { assembly_attention: true, ..LIBRARIES_2024_01 };
#[rustfmt::skip]
const LIBRARIES_2026_04: Libraries = Libraries { sdpa: Attention::Vendor, ..LIBRARIES_2025_03 };

#[rustfmt::skip]
const ANY: StackProfile = StackProfile { runs: MeasuredRuns::None, launch: Launch::Fused, inductor: false, whole_program: false, attention: Attention::Vendor, vendor_on_blackwell: false, fuses_scores: false, host_gathers: |_| 0.0, host_tensor: |_| 0.0, fixed: |c| c.step_fixed_fused, framework_factor: |_| 1.0, sharded_factor: |_| 1.0, straggler: |c| c.straggler_fused, dispatcher: Dispatcher::AllToAll, leaves_routing_eager: false, pads_groups: false, adds_up_in_order: false, streams_products: false, forces_balance: false, graphs_parts: false, loss_with_head: false, splits_loss: false, sends_whole_activations: false, embedding_sync: false, reduces_whole: false, reduce_bytes: 2.0, gradient_bytes: 2.0, gather_copy: 0.0, reduce_copy: 0.0, selective_recompute: true, selective_share: |c| c.recompute_selective_share, selective_drops: Selective::Norms, overlap_tensor: |c| c.overlap_tensor, shards_by_module: false, gathers_quantised: false, master_only: false, keeps_quantised_inputs: true, placeholder_gradients: false, makes_gradients: false, leaves_out_unread: false, rotates_complex: false, repeats_keys_values: false, groups_ends_apart: false, whole_vocabulary: false, weighs_outputs: false, fuses_norms: false, shards_parameters: false, hides_exchanges: false, replays_on_blackwell: false, since: 0 };
#[rustfmt::skip]
const FUSED: StackProfile = StackProfile { framework_factor: |c| c.framework_factor_fused, gradient_bytes: 4.0, placeholder_gradients: true, ..ANY };
#[rustfmt::skip]
const FUSED_2024_07: StackProfile = StackProfile { streams_products: true, ..FUSED };
#[rustfmt::skip]
static FUSED_HISTORY: History<StackProfile> = History { first: FUSED, later: &[((2024, 7), FUSED_2024_07)] };
#[rustfmt::skip]
const FSDP: StackProfile = StackProfile { sharded_factor: |c| c.framework_factor_fsdp, reduce_copy: 4.0, shards_by_module: true, shards_parameters: true, ..ANY };
#[rustfmt::skip]
const COMPILED: StackProfile = StackProfile { launch: Launch::Compiled, inductor: true, whole_program: true, attention: Attention::Flash2, overlap_tensor: |c| c.overlap_tensor_async, gathers_quantised: true, master_only: true, keeps_quantised_inputs: false, makes_gradients: true, ..FSDP };
#[rustfmt::skip]
static COMPILED_HISTORY: History<StackProfile> = History { first: COMPILED, later: &[] };
#[rustfmt::skip]
const EAGER: StackProfile = StackProfile { launch: Launch::Eager, attention: Attention::Unfused, sends_whole_activations: true, selective_share: |c| c.recompute_selective_share_blocks, selective_drops: Selective::Blocks, makes_gradients: true, whole_vocabulary: true, ..FSDP };
#[rustfmt::skip]
const EAGER_2023_01: StackProfile = StackProfile { attention: Attention::Flash2, ..EAGER };
#[rustfmt::skip]
static EAGER_HISTORY: History<StackProfile> = History { first: EAGER, later: &[((2023, 1), EAGER_2023_01)] };
#[rustfmt::skip]
const NEMO: StackProfile = StackProfile { runs: MeasuredRuns::Many, attention: Attention::Flash2, forces_balance: true, graphs_parts: true, gradient_bytes: 2.0, ..FUSED };
#[rustfmt::skip]
const NEMO_2024_07: StackProfile = StackProfile { streams_products: true, ..NEMO };
#[rustfmt::skip]
const NEMO_2024_09: StackProfile = StackProfile { attention: Attention::Vendor, ..NEMO_2024_07 };
#[rustfmt::skip]
static NEMO_HISTORY: History<StackProfile> = History { first: NEMO, later: &[((2024, 7), NEMO_2024_07), ((2024, 9), NEMO_2024_09)] };
#[rustfmt::skip]
const MEGATRON_BRIDGE: StackProfile = StackProfile { dispatcher: Dispatcher::Hierarchical, hides_exchanges: true, ..NEMO };
#[rustfmt::skip]
const MEGATRON_BRIDGE_2024_07: StackProfile = StackProfile { streams_products: true, ..MEGATRON_BRIDGE };
#[rustfmt::skip]
const MEGATRON_BRIDGE_2024_09: StackProfile = StackProfile { attention: Attention::Vendor, ..MEGATRON_BRIDGE_2024_07 };
#[rustfmt::skip]
const MEGATRON_BRIDGE_2026_06: StackProfile = StackProfile { replays_on_blackwell: true, ..MEGATRON_BRIDGE_2024_09 };
#[rustfmt::skip]
static MEGATRON_BRIDGE_HISTORY: History<StackProfile> = History { first: MEGATRON_BRIDGE, later: &[((2024, 7), MEGATRON_BRIDGE_2024_07), ((2024, 9), MEGATRON_BRIDGE_2024_09), ((2026, 6), MEGATRON_BRIDGE_2026_06)] };
#[rustfmt::skip]
const NEMO_MLPERF: StackProfile = StackProfile { framework_factor: |_| 1.0, ..NEMO };
#[rustfmt::skip]
const NEMO_MLPERF_2024_07: StackProfile = StackProfile { streams_products: true, ..NEMO_MLPERF };
#[rustfmt::skip]
const NEMO_MLPERF_2024_09: StackProfile = StackProfile { attention: Attention::Vendor, ..NEMO_MLPERF_2024_07 };
#[rustfmt::skip]
static NEMO_MLPERF_HISTORY: History<StackProfile> = History { first: NEMO_MLPERF, later: &[((2024, 7), NEMO_MLPERF_2024_07), ((2024, 9), NEMO_MLPERF_2024_09)] };
#[rustfmt::skip]
const MEGATRON_LM: StackProfile = StackProfile { runs: MeasuredRuns::Many, launch: Launch::Eager, attention: Attention::Unfused, fuses_scores: true, fixed: |_| 0.0, splits_loss: true, embedding_sync: true, gradient_bytes: 4.0, ..ANY };
#[rustfmt::skip]
const MEGATRON_LM_2024_01: StackProfile = StackProfile { runs: MeasuredRuns::None, launch: Launch::Fused, attention: Attention::Vendor, fuses_scores: false, fixed: |c| c.step_fixed_fused, framework_factor: |c| c.framework_factor_fused, forces_balance: true, embedding_sync: false, reduce_bytes: 4.0, placeholder_gradients: true, since: 2024, ..MEGATRON_LM };
#[rustfmt::skip]
const MEGATRON_LM_2024_07: StackProfile = StackProfile { streams_products: true, ..MEGATRON_LM_2024_01 };
#[rustfmt::skip]
const MEGATRON_LM_2025_10: StackProfile = StackProfile { graphs_parts: true, ..MEGATRON_LM_2024_07 };
#[rustfmt::skip]
static MEGATRON_LM_HISTORY: History<StackProfile> = History { first: MEGATRON_LM, later: &[((2024, 1), MEGATRON_LM_2024_01), ((2024, 7), MEGATRON_LM_2024_07), ((2025, 10), MEGATRON_LM_2025_10)] };
#[rustfmt::skip]
const DEEPSPEED: StackProfile = StackProfile { host_gathers: |c| c.host_gathers_deepspeed, sharded_factor: |_| 1.0, straggler: |c| c.straggler_deepspeed, gather_copy: 4.0, shards_by_module: false, makes_gradients: false, ..EAGER };
#[rustfmt::skip]
const MEGATRON_DEEPSPEED: StackProfile = StackProfile { runs: MeasuredRuns::Many, fuses_scores: true, fixed: |_| 0.0, splits_loss: true, embedding_sync: true, whole_vocabulary: false, shards_parameters: false, ..DEEPSPEED };
#[rustfmt::skip]
const MEGATRON_DEEPSPEED_2023_12: StackProfile = StackProfile { reduces_whole: true, ..MEGATRON_DEEPSPEED };
#[rustfmt::skip]
static MEGATRON_DEEPSPEED_HISTORY: History<StackProfile> = History { first: MEGATRON_DEEPSPEED, later: &[((2023, 12), MEGATRON_DEEPSPEED_2023_12)] };
#[rustfmt::skip]
const DEEPSPEED_ZERO3: StackProfile = DEEPSPEED;
#[rustfmt::skip]
const DEEPSPEED_ZERO3_2023_01: StackProfile = StackProfile { attention: Attention::Flash2, ..DEEPSPEED_ZERO3 };
#[rustfmt::skip]
const DEEPSPEED_ZERO3_2023_12: StackProfile = StackProfile { reduces_whole: true, ..DEEPSPEED_ZERO3_2023_01 };
#[rustfmt::skip]
static DEEPSPEED_ZERO3_HISTORY: History<StackProfile> = History { first: DEEPSPEED_ZERO3, later: &[((2023, 1), DEEPSPEED_ZERO3_2023_01), ((2023, 12), DEEPSPEED_ZERO3_2023_12)] };
#[rustfmt::skip]
const COMPOSER_FSDP: StackProfile = StackProfile { runs: MeasuredRuns::Many, attention: Attention::TritonAlibi, master_only: true, ..FSDP };
#[rustfmt::skip]
static COMPOSER_FSDP_HISTORY: History<StackProfile> = History { first: COMPOSER_FSDP, later: &[] };
#[rustfmt::skip]
const TORCHTITAN: StackProfile = StackProfile { host_tensor: |c| c.host_tensor_dtensor, leaves_routing_eager: true, pads_groups: true, reduce_bytes: 4.0, gradient_bytes: 4.0, gather_copy: 4.0, reduce_copy: 6.0, selective_share: |c| c.recompute_selective_share_torchtitan, selective_drops: Selective::Products, rotates_complex: true, repeats_keys_values: true, groups_ends_apart: true, ..COMPILED };
#[rustfmt::skip]
const TORCHTITAN_2025_05: StackProfile = StackProfile { vendor_on_blackwell: true, ..TORCHTITAN };
#[rustfmt::skip]
const TORCHTITAN_2025_08: StackProfile = StackProfile { fuses_norms: true, ..TORCHTITAN_2025_05 };
#[rustfmt::skip]
const TORCHTITAN_2026_02: StackProfile = StackProfile { repeats_keys_values: false, ..TORCHTITAN_2025_08 };
#[rustfmt::skip]
const TORCHTITAN_2026_04: StackProfile = StackProfile { leaves_routing_eager: false, pads_groups: false, adds_up_in_order: true, ..TORCHTITAN_2026_02 };
#[rustfmt::skip]
const TORCHTITAN_2026_05: StackProfile = StackProfile { loss_with_head: true, ..TORCHTITAN_2026_04 };
#[rustfmt::skip]
const TORCHTITAN_2026_06: StackProfile = StackProfile { weighs_outputs: true, ..TORCHTITAN_2026_05 };
#[rustfmt::skip]
static TORCHTITAN_HISTORY: History<StackProfile> = History { first: TORCHTITAN, later: &[((2025, 5), TORCHTITAN_2025_05), ((2025, 8), TORCHTITAN_2025_08), ((2026, 2), TORCHTITAN_2026_02), ((2026, 4), TORCHTITAN_2026_04), ((2026, 5), TORCHTITAN_2026_05), ((2026, 6), TORCHTITAN_2026_06)] };
#[rustfmt::skip]
const XLA: StackProfile = StackProfile { runs: MeasuredRuns::Many, launch: Launch::Compiled, selective_recompute: false, master_only: true, leaves_out_unread: true, shards_parameters: true, ..ANY };
#[rustfmt::skip]
const MAXTEXT: StackProfile = XLA;
#[rustfmt::skip]
static MAXTEXT_HISTORY: History<StackProfile> = History { first: MAXTEXT, later: &[] };
#[rustfmt::skip]
const PAXML: StackProfile = StackProfile { framework_factor: |c| c.framework_factor_paxml, ..XLA };
#[rustfmt::skip]
static PAXML_HISTORY: History<StackProfile> = History { first: PAXML, later: &[] };
