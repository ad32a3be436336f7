//! Kernels that a job states by itself, whatever its stack runs.

use super::{Attention, Dispatcher, Launch, Stack};
use crate::scenario::cluster::GpuFamily;
use serde::{Deserialize, Serialize};

/// What a job says of its kernels; each as the stack does unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernels {
    /// Of the attention core.
    pub attention: AttentionKernel,
    /// Whether modules are compiled.
    pub compiled: Compiled,
    /// Of the head and the loss.
    pub loss: LossKernel,
    /// Of norms, rotations and activations.
    pub elementwise: ElementwiseKernels,
    /// Of the exchange of tokens with their experts.
    pub dispatch: TokenDispatch,
    /// Whether parts of layers are replayed from graphs.
    pub parts: PartGraphs,
    /// Whether all experts get as many tokens.
    pub routing: Routing,
}

impl Kernels {
    /// All as the stack does.
    pub const OF_STACK: Self = Self {
        attention: AttentionKernel::Stack,
        compiled: Compiled::Stack,
        loss: LossKernel::Stack,
        elementwise: ElementwiseKernels::Stack,
        dispatch: TokenDispatch::Stack,
        parts: PartGraphs::Stack,
        routing: Routing::Stack,
    };
}

/// Kernel of the attention core by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionKernel {
    /// As the stack does.
    Stack,
    /// PyTorch's `scaled_dot_product_attention`: FlashAttention in releases of 2023, FlashAttention-2 from 2.2 of
    /// January 2024 on, and cuDNN's on Hopper and Blackwell from 2.11 of March 2026 on.
    Sdpa,
    /// Separate products, softmax and dropout (`eager`).
    Unfused,
    /// Separate products, and between them one kernel that scales, masks and takes the softmax of the scores below the
    /// diagonal alone, without dropout (llm.c without cuDNN).
    Triangle,
    /// PyTorch's `scaled_dot_product_attention` under a mask that it is given (padding, windows, documents): its
    /// memory-efficient kernel, which computes every score.
    Masked,
    /// FlashAttention, and the memory-efficient kernel of xFormers.
    Flash1,
    /// FlashAttention-2.
    Flash2,
    /// FlashAttention-3, for Hopper only.
    Flash3,
    /// FlashAttention-4, for Hopper and Blackwell.
    Flash4,
    /// cuDNN's, which Transformer Engine runs.
    Cudnn,
    /// PyTorch's FlexAttention.
    Flex,
}

/// First year of the releases of PyTorch whose `scaled_dot_product_attention` is FlashAttention-2 (2.2).
const SDPA_FLASH2_SINCE: u16 = 2024;

impl AttentionKernel {
    /// The implementation in releases of a year, where the stack's is `stack`.
    pub(super) fn implementation(self, year: u16, stack: Attention) -> Attention {
        match self {
            Self::Stack => stack,
            Self::Sdpa if year < SDPA_FLASH2_SINCE => Attention::Flash1,
            Self::Unfused | Self::Triangle => Attention::Unfused,
            Self::Masked => Attention::Masked,
            Self::Flash1 => Attention::Flash1,
            Self::Sdpa | Self::Flash2 => Attention::Flash2,
            Self::Flash3 | Self::Flash4 | Self::Cudnn => Attention::Vendor,
            Self::Flex => Attention::Flex,
        }
    }
}

/// Whether modules are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compiled {
    /// As the stack does.
    Stack,
    /// Compiled (`torch.compile`).
    Yes,
    /// Launched one by one from Python.
    No,
}

impl Compiled {
    /// How kernels reach the device, where the stack's way is `stack`.
    pub(super) fn launch(self, stack: Launch) -> Launch {
        match (self, stack) {
            (Self::Yes, _) => Launch::Compiled,
            (Self::No, Launch::Compiled) => Launch::Eager,
            (Self::Stack | Self::No, stack) => stack,
        }
    }
}

/// Whether attention and router are replayed from graphs where the whole step is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartGraphs {
    /// As the stack's recipes do.
    Stack,
    /// They are.
    Yes,
    /// Every kernel is launched by itself.
    No,
    /// So it is, and the host waits until it is done (`CUDA_LAUNCH_BLOCKING=1`).
    Waited,
}

/// How evenly tokens are spread over experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// As in the stack's published runs.
    Stack,
    /// As a benchmark forces it: every expert gets as many, each token by chance (Megatron's random logits).
    Even,
    /// As other benchmarks force it: every expert gets as many, in turn, so that a token's experts are neighbours: the j-th of
    /// token i is `(i k + j) mod E`.
    InTurn,
    /// As the gate has learned it.
    Learned,
    /// As a gate has it that no loss and no bias balances.
    Unbalanced,
}

/// How tokens reach their experts, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenDispatch {
    /// As the stack does.
    Stack,
    /// The communication library's all-to-all, which sends a copy of a token for each of its experts.
    AllToAll,
    /// DeepEP, HybridEP and alike, which send a token to a rank once, and across the network to a domain once.
    Deepep,
}

impl TokenDispatch {
    /// The way tokens are sent, where the stack's is `stack`.
    pub(super) fn dispatcher(self, stack: Dispatcher) -> Dispatcher {
        match self {
            Self::Stack => stack,
            Self::AllToAll => Dispatcher::AllToAll,
            Self::Deepep => Dispatcher::Hierarchical,
        }
    }
}

/// Kernels of the head and the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKernel {
    /// As the stack does.
    Stack,
    /// Operation by operation on 32-bit logits.
    Plain,
    /// One kernel over whole logits, fused or compiled.
    Fused,
    /// One kernel over whole logits of 16 bits, which writes their gradient over them (llm.c, Liger's and Unsloth's cross-entropy).
    InPlace,
    /// Logits whole in 16 bits, widened a part at a time (torchtune's `CEWithChunkedOutputLoss`).
    Chunked,
    /// Head and loss together a part at a time, so that whole logits never exist (Liger's fused linear cross-entropy).
    Linear,
}

/// Kernels of norms, rotations and activations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElementwiseKernels {
    /// As the stack does.
    Stack,
    /// One for every operation of the modules, as they are written: GPT-2's GELU by its formula (Transformers' `gelu_new`).
    Plain,
    /// PyTorch's own modules, each with what kernels PyTorch has for it: one for GELU, and from October 2025 on one for RMS norms.
    Modules,
    /// One for each module (Liger's `rms_norm`, `rope` and `swiglu`); sums of residuals stay as they are.
    Fused,
}

impl ElementwiseKernels {
    /// How these kernels reach the device, where others do so by `launch`.
    pub(super) fn launch(self, launch: Launch) -> Launch {
        match (self, launch) {
            // A compiler fuses what is written out.
            (Self::Plain | Self::Modules, Launch::Compiled) => Launch::Compiled,
            (Self::Plain | Self::Modules, _) => Launch::Eager,
            (Self::Fused, Launch::Eager) => Launch::PartlyFused,
            (Self::Stack | Self::Fused, launch) => launch,
        }
    }
}

/// Date in years from which PyTorch's RMS norm is one kernel (<https://github.com/pytorch/pytorch/pull/153666> of August 2025, in release 2.9
/// of October).
pub(super) const RMS_NORM_SINCE: f64 = 2025.0 + 9.0 / 12.0;

/// Releases from which a stack runs the vendor's attention kernel on Blackwell, where it runs FlashAttention-2 elsewhere: torchtitan
/// from May 2025 on (<https://github.com/pytorch/torchtitan/pull/1196>).
const VENDOR_ON_BLACKWELL: [(Stack, f64); 1] = [(Stack::Torchtitan, 2025.0 + 4.0 / 12.0)];

/// Date in years from which AMD's fused stacks run its assembly kernels of attention (AITER, which AMD announced in March 2025:
/// <https://rocm.blogs.amd.com/software-tools-optimization/aiter-ai-tensor-engine/README.html>), and Composable Kernel's
/// FlashAttention-2 before.
pub(super) const AMD_ASSEMBLY_SINCE: f64 = 2025.0 + 2.0 / 12.0;

/// Date in years from which releases of PyTorch bring a cuDNN (9.15.1, with 2.11 of March 2026) whose attention
/// `scaled_dot_product_attention` prefers on Hopper and on Blackwell of data centres (`check_prefer_cudnn_attention` of
/// `aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`; <https://github.com/huggingface/transformers/pull/48163>).
const SDPA_PREFERS_VENDOR_SINCE: f64 = 2026.25;

/// Whether PyTorch's `scaled_dot_product_attention` is the vendor's kernel on a generation of GPUs at a date in years.
pub(super) fn prefers_vendor(family: GpuFamily, date: f64) -> bool {
    use GpuFamily::{Blackwell, BlackwellUltra, Hopper, HopperH20};
    matches!(family, Hopper | HopperH20 | Blackwell | BlackwellUltra) && date >= SDPA_PREFERS_VENDOR_SINCE
}

/// Whether a stack runs the vendor's attention kernel on Blackwell at a date in years.
pub(super) fn has_vendor_on_blackwell(stack: Stack, date: f64) -> bool {
    VENDOR_ON_BLACKWELL.iter().any(|entry| entry.0 == stack && date >= entry.1)
}

/// Releases up to which a stack runs FlashAttention-2 where it runs the vendor's attention kernel from then on: NeMo's launcher switches cuDNN's
/// off (`NVTE_FUSED_ATTN: 0`) in its releases 24.01 to 24.07, not in 24.09
/// (<https://github.com/NVIDIA/NeMo-Framework-Launcher>, `launcher_scripts/conf/config.yaml`).
const FLASH2_UNTIL: [(Stack, f64); 1] = [(Stack::Nemo, 2024.0 + 8.0 / 12.0)];

/// Whether a stack runs FlashAttention-2 at a date in years, and the vendor's attention kernel later.
pub(super) fn runs_flash2_yet(stack: Stack, date: f64) -> bool {
    FLASH2_UNTIL.iter().any(|entry| entry.0 == stack && date < entry.1)
}

/// Releases from which a stack computes the head and the loss together, a part of the sequence at a time: torchtitan from May 2026
/// on (<https://github.com/pytorch/torchtitan/pull/2937>).
const LOSS_WITH_HEAD: [(Stack, f64); 1] = [(Stack::Torchtitan, 2026.0 + 4.0 / 12.0)];

/// Whether a stack computes the loss together with the head at a date in years.
pub(super) fn has_loss_with_head(stack: Stack, date: f64) -> bool {
    LOSS_WITH_HEAD.iter().any(|entry| entry.0 == stack && date >= entry.1)
}

/// Releases before which a stack's compiled modules are those around the exchange of tokens, which is left as it is: torchtitan's until it
/// compiled layers of experts whole, in April 2026 (<https://github.com/pytorch/torchtitan/pull/2741>). "We don't compile token dispatch
/// and token combine" (`models/llama4/infra/parallelize.py`, January 2026); before October 2025 checkpointing left the whole layer to eager
/// PyTorch (<https://github.com/pytorch/torchtitan/pull/1895>).
const ROUTING_COMPILED: [(Stack, f64); 1] = [(Stack::Torchtitan, 2026.0 + 3.0 / 12.0)];

/// Whether a stack that compiles its modules leaves tokens' way to their experts and back to single kernels at a date in years.
pub(super) fn leaves_routing_eager(stack: Stack, date: f64) -> bool {
    ROUTING_COMPILED.iter().any(|entry| entry.0 == stack && date < entry.1)
}

/// Releases before which a stack sorts copies of tokens into groups of whole tiles wherever they arrive, with rows of zeros in the gaps:
/// torchtitan's, also without expert parallelism (`_permute` of `models/moe/utils.py`,
/// <https://github.com/pytorch/torchtitan/pull/2774> of 2 April 2026).
const PADS_GROUPS_UNTIL: [(Stack, f64); 1] = [(Stack::Torchtitan, 2026.0 + 3.0 / 12.0)];

/// Whether a stack sorts copies of tokens into padded groups at a date in years.
pub(super) fn pads_groups(stack: Stack, date: f64) -> bool {
    PADS_GROUPS_UNTIL.iter().any(|entry| entry.0 == stack && date < entry.1)
}

/// Releases from which a stack adds up a token's experts in the order of its copies, as the gradient of indexing does: torchtitan's
/// `deterministic_scatter_add` (<https://github.com/pytorch/torchtitan/pull/2775> of 6 April 2026).
const ADDS_UP_IN_ORDER: [(Stack, f64); 1] = [(Stack::Torchtitan, 2026.0 + 3.0 / 12.0)];

/// Whether a stack adds up a token's experts in the order of its copies at a date in years.
pub(super) fn adds_up_in_order(stack: Stack, date: f64) -> bool {
    ADDS_UP_IN_ORDER.iter().any(|entry| entry.0 == stack && date >= entry.1)
}

/// Releases from which a stack's recipes for Grace replay parts of layers from graphs: NeMo's and Megatron-Bridge's in all
/// (`cuda_graphs` of model_configs_gb200.csv, `cuda_graph_scope` of workload_base_configs.py), Megatron-Core's from October 2025
/// on (docs/discussions/deepseek-v3-gb200-optimization).
const GRAPHED_PARTS: [(Stack, f64); 4] = [
    (Stack::Nemo, 0.0),
    (Stack::NemoMlperf, 0.0),
    (Stack::MegatronBridge, 0.0),
    (Stack::MegatronLm, 2025.0 + 9.0 / 12.0),
];

/// Whether a stack's recipes replay parts of layers from graphs at a date in years.
pub(super) fn has_graphed_parts(stack: Stack, date: f64) -> bool {
    GRAPHED_PARTS.iter().any(|entry| entry.0 == stack && date >= entry.1)
}
