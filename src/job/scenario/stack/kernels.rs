//! Kernels that a job states, overriding its stack.

use super::{Attention, Dispatcher, Launch};
use serde::{Deserialize, Serialize};

/// Kernels that a job states; each defaults to the stack's.
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
    /// Whether parts of layers are replayed from CUDA graphs.
    pub parts: PartGraphs,
    /// Whether all experts get equally many tokens.
    pub routing: Routing,
}

impl Kernels {
    /// All defaults of the stack.
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

/// Attention kernel, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionKernel {
    /// The stack's.
    Stack,
    /// PyTorch's `scaled_dot_product_attention`: first FlashAttention, then FlashAttention-2, and finally cuDNN on
    /// Hopper and Blackwell ([`super::Libraries::sdpa`]).
    Sdpa,
    /// Separate products, softmax and dropout (`eager`).
    Unfused,
    /// Separate products, with one kernel between them for scale, mask and softmax of the scores below the diagonal,
    /// without dropout (llm.c without cuDNN).
    Triangle,
    /// PyTorch's `scaled_dot_product_attention` with an explicit mask (padding, windows, documents): its
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

impl AttentionKernel {
    /// The implementation, where `sdpa` is that of PyTorch's `scaled_dot_product_attention`, and `stack` the stack's.
    pub(super) fn implementation(self, sdpa: Attention, stack: Attention) -> Attention {
        match self {
            Self::Stack => stack,
            Self::Sdpa => sdpa,
            Self::Unfused | Self::Triangle => Attention::Unfused,
            Self::Masked => Attention::Masked,
            Self::Flash1 => Attention::Flash1,
            Self::Flash2 => Attention::Flash2,
            Self::Flash3 | Self::Flash4 | Self::Cudnn => Attention::Vendor,
            Self::Flex => Attention::Flex,
        }
    }
}

/// Whether modules are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compiled {
    /// The stack's default.
    Stack,
    /// Compiled (`torch.compile`).
    Yes,
    /// Launched one by one from Python.
    No,
}

impl Compiled {
    /// How kernels reach the device; `stack` is the stack's default.
    pub(super) fn launch(self, stack: Launch) -> Launch {
        match (self, stack) {
            (Self::Yes, _) => Launch::Compiled,
            (Self::No, Launch::Compiled) => Launch::Eager,
            (Self::Stack | Self::No, stack) => stack,
        }
    }
}

/// Whether attention and router are replayed from CUDA graphs if the whole step is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartGraphs {
    /// The default of the stack's recipes.
    Stack,
    /// Replayed.
    Yes,
    /// Every kernel is launched separately.
    No,
    /// Launched separately, and the host waits for each (`CUDA_LAUNCH_BLOCKING=1`).
    Waited,
}

/// How evenly tokens are spread over experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// As in the stack's published runs.
    Stack,
    /// Forced balance of a benchmark: every expert gets equally many random tokens (Megatron's random logits).
    Even,
    /// Forced balance in turn: every expert gets equally many, and a token's experts are consecutive: the j-th of token
    /// i is `(i k + j) mod E`.
    InTurn,
    /// As learned by the gate.
    Learned,
    /// As in a gate without a balancing loss or bias.
    Unbalanced,
}

/// How tokens reach their experts, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenDispatch {
    /// The stack's.
    Stack,
    /// The communication library's all-to-all, which sends a token copy for each of its experts.
    AllToAll,
    /// Dispatchers such as DeepEP and HybridEP, which send a token once per rank, and across the network once per
    /// domain.
    Deepep,
}

impl TokenDispatch {
    /// The dispatcher; `stack` is the stack's default.
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
    /// The stack's.
    Stack,
    /// Operation by operation on 32-bit logits.
    Plain,
    /// The same, where the caller keeps the 32-bit logits until the backward pass has ended.
    Kept,
    /// One kernel over whole logits, fused or compiled.
    Fused,
    /// One kernel over whole 16-bit logits, which overwrites them with their gradient (llm.c, Liger's and Unsloth's
    /// cross-entropy).
    InPlace,
    /// Whole logits in 16 bits, cast to 32 bits in chunks (torchtune's `CEWithChunkedOutputLoss`).
    Chunked,
    /// Head and loss together in chunks, without whole logits (Liger's fused linear cross-entropy).
    Linear,
}

/// Kernels of norms, rotations and activations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElementwiseKernels {
    /// The stack's.
    Stack,
    /// One per operation of the written modules, with GPT-2's GELU by its formula (Transformers' `gelu_new`).
    Plain,
    /// PyTorch's own modules with PyTorch's kernels: one for GELU, and from October 2025 on one for RMS norms.
    Modules,
    /// One per module (Liger's `rms_norm`, `rope` and `swiglu`); residual adds are unchanged.
    Fused,
}

impl ElementwiseKernels {
    /// How these kernels reach the device, where others use `launch`.
    pub(super) fn launch(self, launch: Launch) -> Launch {
        match (self, launch) {
            // A compiler fuses written-out operations.
            (Self::Plain | Self::Modules, Launch::Compiled) => Launch::Compiled,
            (Self::Plain | Self::Modules, _) => Launch::Eager,
            (Self::Fused, Launch::Eager) => Launch::PartlyFused,
            (Self::Stack | Self::Fused, launch) => launch,
        }
    }
}
