//! What each stack does differently, as data.

use super::Stack;
use crate::constants::Constants;

/// Behaviour of a software stack. Numbers that are calibrated are read from [`Constants`].
#[derive(Debug, Clone, Copy)]
pub struct StackProfile {
    /// Whether kernels are launched one by one, from fused modules, or as compiled programs.
    pub launch: Launch,
    /// Attention kernel.
    pub attention: Attention,
    /// Host time of one layer's forward pass, seconds.
    pub host_layer: fn(&Constants) -> f64,
    /// Time of a step beside its micro-batches, reductions and optimizer, seconds.
    pub fixed: fn(&Constants) -> f64,
    /// Factor on the whole pipeline for what runs between the modelled kernels.
    pub framework_factor: fn(&Constants) -> f64,
    /// Slow-down per doubling of GPUs beyond 8.
    pub straggler: fn(&Constants) -> f64,
    /// Whether releases before 2025 are slower on Hopper and later, by the calibrated rate per year.
    pub ages: bool,
    /// How tokens reach their experts, unless the release has a newer way ([`super::Software::dispatcher`]).
    pub dispatcher: Dispatcher,
    /// Whether newer releases take up the dispatchers of DeepEP's kind. XLA's programs exchange by themselves.
    pub takes_up_dispatchers: bool,
    /// Whether runs of the stack are benchmarks that give all experts as many tokens.
    pub forces_balance: bool,
    /// Whether steps are replayed from CUDA graphs.
    pub graphs: bool,
    /// Whether every tensor-parallel rank sends the whole activation to the next stage.
    pub sends_whole_activations: bool,
    /// Whether a tied embedding's gradient is all-reduced between first and last stage.
    pub embedding_sync: bool,
    /// Bytes per gradient element in data-parallel reductions.
    pub reduce_bytes: f64,
    /// Bytes per gradient element held in memory.
    pub gradient_bytes: f64,
    /// Whether runs interleave the pipeline unless told otherwise (recipe default).
    pub interleaves: bool,
    /// Share of a layer's forward pass that selective recompute repeats where attention is fused.
    pub selective_share: fn(&Constants) -> f64,
    /// Whether selective recompute exists.
    pub selective_recompute: bool,
    /// Whether communication overlaps compute by default: tensor, data.
    pub overlap: (bool, bool),
    /// Share of tensor-parallel communication that hides where it overlaps.
    pub overlap_tensor: fn(&Constants) -> f64,
    /// Whether FP8 with one scale per tensor gathers sharded parameters in 8 bits.
    pub gathers_quantised: bool,
    /// Whether stages go on computing while they send to their neighbours.
    pub overlaps_sends: bool,
}

/// How kernels reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launch {
    /// One Python-dispatched kernel at a time.
    Eager,
    /// Fused modules (Transformer Engine and alike).
    Fused,
    /// Between the two: eager with hand-picked fused kernels.
    PartlyFused,
    /// Compiled programs.
    Compiled,
}

/// Exchange of tokens with experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatcher {
    /// NCCL all-to-all: a token travels once per expert.
    AllToAll,
    /// DeepEP, HybridEP and alike: a token travels once per scale-up domain.
    Hierarchical,
}

/// Attention implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Batched products, softmax and dropout as kernels of their own.
    Unfused,
    /// FlashAttention-2.
    Flash2,
    /// The vendor's kernel of the day (cuDNN, FlashAttention-3).
    Vendor,
    /// FlashAttention in Triton with ALiBi.
    TritonAlibi,
}

const FUSED: StackProfile = StackProfile {
    launch: Launch::Fused,
    attention: Attention::Vendor,
    host_layer: |c| c.host_layer_fused,
    fixed: |c| c.step_fixed_fused,
    framework_factor: |c| c.framework_factor_fused,
    straggler: |c| c.straggler_fused,
    ages: true,
    dispatcher: Dispatcher::AllToAll,
    takes_up_dispatchers: true,
    forces_balance: false,
    graphs: false,
    sends_whole_activations: false,
    embedding_sync: false,
    reduce_bytes: 2.0,
    gradient_bytes: 4.0,
    interleaves: false,
    selective_share: |c| c.recompute_selective_share,
    selective_recompute: true,
    overlap: (true, true),
    overlap_tensor: |c| c.overlap_tensor,
    gathers_quantised: false,
    overlaps_sends: true,
};

// Performance recipes set `grad_reduce_in_fp32 = False`: gradients are kept and reduced in 16 bits.
// Those for experts drop tokens beyond an equal share (NeMo, `MegatronTokenDropCallback`) or force the router to
// spread them (Megatron-Bridge, `moe_router_force_load_balancing`).
const NVIDIA: StackProfile =
    StackProfile { interleaves: true, gradient_bytes: 2.0, forces_balance: true, ..FUSED };

/// Megatron-Core as Megatron-LM's examples run it: gradients are kept and reduced in 32 bits
/// (`accumulate_allreduce_grads_in_fp32`, on with bf16), and tokens are dropped or spread evenly over experts
/// (Megatron-Core's performance tables).
pub(super) const MEGATRON_CORE: StackProfile =
    StackProfile { reduce_bytes: 4.0, interleaves: true, forces_balance: true, ..FUSED };

const EAGER: StackProfile = StackProfile {
    launch: Launch::Eager,
    attention: Attention::Flash2,
    host_layer: |c| c.host_layer_deepspeed,
    // Steps composed of eager micro-batches have no intercept beyond the optimizer's (vtrain-single).
    fixed: |_| 0.0,
    framework_factor: |_| 1.0,
    straggler: |c| c.straggler_deepspeed,
    sends_whole_activations: true,
    gradient_bytes: 2.0,
    overlap: (false, false),
    // Megatron's p2p_communication waits for every request it makes.
    overlaps_sends: false,
    ..FUSED
};

const COMPILED: StackProfile = StackProfile {
    launch: Launch::Compiled,
    attention: Attention::Flash2,
    host_layer: |c| c.host_layer_compiled,
    framework_factor: |c| c.framework_factor_fsdp,
    gradient_bytes: 2.0,
    overlap_tensor: |c| c.overlap_tensor_async,
    ..FUSED
};

impl Stack {
    /// The stack's profile, whatever the year ([`super::Software::profile`] knows it).
    pub(super) fn profile(self) -> &'static StackProfile {
        static MEGATRON_DEEPSPEED: StackProfile =
            StackProfile { attention: Attention::Unfused, embedding_sync: true, ..EAGER };
        static MEGATRON_LM: StackProfile = StackProfile {
            attention: Attention::Unfused,
            embedding_sync: true,
            host_layer: |c| c.host_layer_megatron_lm,
            straggler: |c| c.straggler_fused,
            gradient_bytes: 4.0,
            sends_whole_activations: false,
            ..EAGER
        };
        static EAGER_PROFILE: StackProfile = EAGER;
        static FUSED_PROFILE: StackProfile = FUSED;
        static COMPILED_PROFILE: StackProfile = COMPILED;
        // Selective checkpointing of PyTorch's FSDP examples runs every n-th block again, whole.
        static EAGER_FSDP: StackProfile = StackProfile {
            straggler: |c| c.straggler_fused,
            selective_share: |c| c.recompute_selective_share_blocks,
            ..EAGER
        };
        static FMS: StackProfile =
            StackProfile { selective_share: |c| c.recompute_selective_share_blocks, ..COMPILED };
        // Hand-picked kernels around eager modules: Apex norms, flash-attn's attention.
        static INTERNEVO: StackProfile =
            StackProfile { launch: Launch::PartlyFused, attention: Attention::Flash2, ..FUSED };
        static NVIDIA_PROFILE: StackProfile = NVIDIA;
        static BRIDGE: StackProfile = StackProfile { dispatcher: Dispatcher::Hierarchical, ..NVIDIA };
        static MLPERF: StackProfile = StackProfile {
            host_layer: |c| c.host_layer_graphs,
            fixed: |c| c.step_fixed_fused * c.step_fixed_graphs_ratio,
            // They train to a quality, so nothing forces the router.
            forces_balance: false,
            framework_factor: |_| 1.0,
            graphs: true,
            ..NVIDIA
        };
        static NO_OVERLAP: StackProfile =
            StackProfile { reduce_bytes: 4.0, overlap: (false, false), ..FUSED };
        static COMPOSER: StackProfile = StackProfile {
            launch: Launch::PartlyFused,
            attention: Attention::TritonAlibi,
            host_layer: |c| c.host_layer_composer,
            framework_factor: |c| c.framework_factor_fsdp,
            gradient_bytes: 2.0,
            overlap: (false, true),
            ..FUSED
        };
        static TORCHTITAN: StackProfile = StackProfile {
            reduce_bytes: 4.0,
            gradient_bytes: 4.0,
            selective_share: |c| c.recompute_selective_share_torchtitan,
            // enable_fsdp_float8_all_gather; rowwise scales gather 16 bits.
            gathers_quantised: true,
            ..COMPILED
        };
        static MAXTEXT: StackProfile = StackProfile {
            attention: Attention::Vendor,
            host_layer: |c| c.host_layer_xla,
            ages: false,
            framework_factor: |c| c.framework_factor_maxtext,
            overlap_tensor: |c| c.overlap_tensor,
            takes_up_dispatchers: false,
            selective_recompute: false,
            ..COMPILED
        };
        static PAXML: StackProfile = StackProfile {
            attention: Attention::Vendor,
            host_layer: |c| c.host_layer_xla,
            ages: false,
            framework_factor: |c| c.framework_factor_paxml,
            overlap_tensor: |c| c.overlap_tensor,
            takes_up_dispatchers: false,
            selective_recompute: false,
            ..COMPILED
        };
        match self {
            Self::MegatronDeepspeed => &MEGATRON_DEEPSPEED,
            Self::MegatronLm => &MEGATRON_LM,
            Self::DeepspeedZero3 => &EAGER_PROFILE,
            Self::Eager => &EAGER_FSDP,
            Self::Nemo => &NVIDIA_PROFILE,
            Self::MegatronBridge => &BRIDGE,
            Self::NemoMlperf => &MLPERF,
            Self::MegatronCoreNoOverlap => &NO_OVERLAP,
            Self::ComposerFsdp => &COMPOSER,
            Self::FmsFsdp => &FMS,
            Self::Compiled => &COMPILED_PROFILE,
            Self::Torchtitan => &TORCHTITAN,
            Self::Maxtext => &MAXTEXT,
            Self::Paxml => &PAXML,
            Self::Internevo => &INTERNEVO,
            Self::Megascale | Self::Fused => &FUSED_PROFILE,
        }
    }
}

impl StackProfile {
    /// Whether kernels are dispatched one by one from Python.
    pub fn is_eager(&self) -> bool {
        self.launch == Launch::Eager
    }
}
