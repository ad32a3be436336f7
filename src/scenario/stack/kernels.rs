//! Kernels that a job states by itself, whatever its stack runs.

use super::{Attention, Dispatcher, Launch};
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
    /// PyTorch's `scaled_dot_product_attention`: FlashAttention at first, then FlashAttention-2, and cuDNN's on Hopper and Blackwell
    /// at last ([`super::Libraries::sdpa`]).
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

impl AttentionKernel {
    /// The implementation, where PyTorch's `scaled_dot_product_attention` is `sdpa`, and the stack's is `stack`.
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
