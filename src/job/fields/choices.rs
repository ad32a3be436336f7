//! Names and labels of everything that is chosen from a list.

use crate::scenario::cluster::presets::CLUSTERS;
use crate::scenario::cluster::{GpuFamily, HostProcessor, ScaleUpKind, ScaleUpTopology, Transport};
use crate::scenario::model::presets::MODELS;
use crate::scenario::model::{Activation, Bias, ModelCode, Norm, StateRule, UncountedParts};
use crate::scenario::plan::{
    ContextExchange, GatherOverlap, Mapping, Modules, Recompute, Schedule, StageLayers, StageSplit, Zero,
};
use crate::scenario::stack::{
    AttentionKernel, Compiled, ElementwiseKernels, ExpertKernels, LossKernel, PartGraphs, Routing, Stack,
    TokenDispatch,
};
use crate::scenario::{
    AdapterTargets, BaseFormat, GradientFormat, MuonWay, Optimizer, OptimizerKernels, Precision, StateFormat,
    WeightFormat,
};

pub use crate::names::CUSTOM;
use crate::names::{OWN_MACHINE, OWN_MODEL};

macro_rules! choices {
    ($module:ident, $type:ty: $($variant:ident => $name:literal, $label:expr;)+) => {
        pub(super) mod $module {
            use super::*;

            /// Name and label of every entry.
            pub(in crate::fields) const LIST: &[(&str, &str)] = &[$(($name, $label)),+];

            /// Name of a value.
            pub(in crate::fields) fn name(value: $type) -> &'static str {
                match value {
                    $(<$type>::$variant => $name,)+
                }
            }

            /// Value of a name.
            pub(in crate::fields) fn from_name(name: &str) -> Option<$type> {
                match name {
                    $($name => Some(<$type>::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

choices! { uncounted, UncountedParts:
    None => "none", "None";
    Vision => "vision", "Vision tower";
    Audio => "audio", "Audio tower";
    VisionAndAudio => "vision-audio", "Vision and audio towers";
    Other => "other", "Parts of the language model";
    TowersAndOther => "towers-other", "Towers and parts of the language model";
}

choices! { expert_kernels, ExpertKernels:
    PerExpert => "per-expert", "One GEMM per expert";
    Looped => "looped", "Loop over experts";
    Fused => "fused", "Fused grouped GEMM";
    OneHot => "one-hot", "One-hot dispatch, capacity 1";
    OneHotSlack => "one-hot-1.25", "One-hot dispatch, capacity 1.25";
}

/// Label of the entry that leaves a choice to the software.
const AS_THE_STACK: &str = "Software default";

choices! { routing, Routing:
    Stack => "stack", AS_THE_STACK;
    Even => "even", "Forced even";
    InTurn => "in-turn", "Forced balance, round-robin";
    Learned => "learned", "Learned";
    Unbalanced => "unbalanced", "Learned, no load balancing";
}

choices! { part_graphs, PartGraphs:
    Stack => "stack", AS_THE_STACK;
    Yes => "1", "Yes";
    No => "0", "No";
    Waited => "waited", "No, CUDA_LAUNCH_BLOCKING=1";
}
choices! { token_dispatch, TokenDispatch:
    Stack => "stack", AS_THE_STACK;
    AllToAll => "all-to-all", "All-to-all (NCCL, RCCL)";
    Deepep => "deepep", "DeepEP, HybridEP";
}
choices! { attention_kernel, AttentionKernel:
    Stack => "stack", AS_THE_STACK;
    Sdpa => "sdpa", "PyTorch SDPA";
    Masked => "masked", "SDPA with explicit mask";
    Unfused => "unfused", "Unfused (eager)";
    Triangle => "triangle", "Unfused, causal softmax (llm.c)";
    Flash1 => "fa1", "FlashAttention, xFormers";
    Flash2 => "fa2", "FlashAttention-2";
    Flash3 => "fa3", "FlashAttention-3";
    Flash4 => "fa4", "FlashAttention-4";
    Cudnn => "cudnn", "cuDNN";
    Flex => "flex", "FlexAttention";
}
choices! { compiled, Compiled:
    Stack => "stack", AS_THE_STACK;
    Yes => "1", "Yes (torch.compile)";
    No => "0", "No";
}
choices! { loss_kernel, LossKernel:
    Stack => "stack", AS_THE_STACK;
    Plain => "plain", "Unfused";
    Kept => "kept", "Unfused, logits kept";
    Fused => "fused", "Fused";
    InPlace => "in-place", "Fused, in place";
    Chunked => "chunked", "Chunked";
    Linear => "linear", "Fused linear cross-entropy (Liger)";
}
choices! { elementwise_kernels, ElementwiseKernels:
    Stack => "stack", AS_THE_STACK;
    Plain => "plain", "Unfused";
    Modules => "modules", "PyTorch modules";
    Fused => "fused", "Fused (Liger)";
}
choices! { optimizer, Optimizer:
    AdamW => "adamw", "AdamW";
    Adafactor => "adafactor", "Adafactor";
    Lion => "lion", "Lion";
    Muon => "muon", "Muon";
    SgdMomentum => "sgdm", "SGD with momentum";
    Sgd => "sgd", "SGD";
}
choices! { state_format, StateFormat:
    Bits32 => "32", "32 bits";
    Bits16 => "16", "16 bits";
    Bits8 => "8", "8 bits, block-wise";
    Bits4 => "4", "4 bits, block-wise";
}
choices! { muon, MuonWay:
    Blockwise => "blockwise", "Parts of matrices (blockwise)";
    Duplicated => "duplicated", "Whole matrices on every rank (duplicated)";
    Distributed => "distributed", "Gram matrices summed (distributed)";
    Layer => "layer", "Whole matrices on one rank each (layer-wise)";
}
choices! { optimizer_kernels, OptimizerKernels:
    Stack => "stack", AS_THE_STACK;
    Fused => "fused", "Fused";
    Foreach => "foreach", "One per operation (foreach)";
}
choices! { weight_format, WeightFormat:
    Stack => "stack", AS_THE_STACK;
    Master => "master", "16 bits with 32-bit master weights";
    Single => "32", "32 bits only";
    Half => "16", "16 bits only";
}
choices! { gradient_format, GradientFormat:
    Stack => "stack", AS_THE_STACK;
    Half => "16", "16 bits";
    Single => "32", "32 bits";
}
choices! { adapter_targets, AdapterTargets:
    AllLinear => "all", "All linear layers";
    Attention => "attention", "Attention";
}
choices! { base_format, BaseFormat:
    Bits16 => "16", "16 bits";
    Bits8 => "8", "8 bits";
    Nf4 => "nf4", "4 bits (NF4)";
}
choices! { gather_overlap, GatherOverlap:
    AsReduction => "same", "Same as DP communication";
    Overlaps => "1", "Yes";
    Waits => "0", "No";
}
choices! { activation, Activation:
    Silu => "silu", "SiLU (SwiGLU if gated)";
    Gelu => "gelu", "GELU";
    GeluTanh => "gelu_tanh", "GELU, tanh approximation";
    GeluNew => "gelu_new", "GELU, tanh, unfused (GPT-2)";
    ClampedSilu => "clamped_silu", "Clamped SiLU (GPT-OSS)";
    Relu => "relu", "ReLU";
    Relu2 => "relu2", "Squared ReLU";
    Xielu => "xielu", "xIELU";
}
choices! { model_code, ModelCode:
    Llama => "llama", "Llama, Mistral, DeepSeek";
    Qwen => "qwen", "Qwen, Gemma, GPT-OSS";
    Gpt2 => "gpt2", "GPT-2, GPT-NeoX, BLOOM";
}
choices! { bias, Bias:
    None => "none", "None";
    Qkv => "qkv", "Query, key and value only";
    All => "all", "Every linear layer";
}
choices! { norm, Norm:
    Rms => "rms", "RMSNorm";
    Layer => "layer", "LayerNorm";
}
pub(super) mod family {
    use super::*;

    /// Name and label of every entry.
    pub(in crate::fields) const LIST: &[(&str, &str)] = &names(GpuFamily::ALL);

    /// Name of a value.
    pub(in crate::fields) fn name(value: GpuFamily) -> &'static str {
        value.name()
    }

    /// Value of a name.
    pub(in crate::fields) fn from_name(name: &str) -> Option<GpuFamily> {
        GpuFamily::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }
}
choices! { host_processor, HostProcessor:
    X86 => "x86", "x86 (Xeon, EPYC)";
    Grace => "grace", "Grace";
}
choices! { fabric, ScaleUpKind:
    NvLink => "nvlink", "NVLink";
    Xgmi => "xgmi", "Infinity Fabric (xGMI)";
    Pcie => "pcie", "PCIe peer-to-peer";
    PcieHost => "pcie-host", "PCIe through host memory";
}
choices! { topology, ScaleUpTopology:
    Switch => "switch", "Switch";
    Mesh => "mesh", "Mesh (one link per pair)";
}
choices! { transport, Transport:
    InfiniBand => "ib", "InfiniBand";
    Roce => "roce", "RoCE";
    Slingshot => "slingshot", "Slingshot";
    OmniPath => "omni-path", "Omni-Path";
    Efa => "efa", "AWS EFA";
    Tcp => "tcp", "TCP";
    Tcpx => "tcpx", "GPUDirect-TCPX";
}
choices! { precision, Precision:
    Bf16 => "bf16", "BF16";
    Fp16 => "fp16", "FP16";
    Fp8 => "fp8", "FP8, per-tensor scaling";
    Fp8Block => "fp8-block", "FP8, block scaling";
    Mxfp8 => "mxfp8", "MXFP8";
    Nvfp4 => "nvfp4", "NVFP4";
}
choices! { context_exchange, ContextExchange:
    Ring => "ring", "Ring";
    AllGather => "all-gather", "All-gather";
    AllToAll => "all-to-all", "All-to-all (Ulysses)";
}
choices! { zero, Zero:
    None => "0", "None (DDP)";
    Optimizer => "1", "ZeRO-1 (optimizer states)";
    Gradients => "2", "ZeRO-2 (optimizer states, gradients)";
    Parameters => "3", "FSDP (ZeRO-3)";
    Hybrid => "hsdp", "HSDP (FSDP within a node)";
}
pub(super) mod recompute {
    use super::*;

    /// Name and label of every entry.
    pub(in crate::fields) const LIST: &[(&str, &str)] =
        &[("none", "None"), ("selective", "Selective"), ("full", "Full"), ("modules", "Selected modules")];

    /// Name of a value.
    pub(in crate::fields) fn name(value: Recompute) -> &'static str {
        match value {
            Recompute::None => "none",
            Recompute::Selective => "selective",
            Recompute::Full | Recompute::Every(_) => "full",
            Recompute::Modules(_) => "modules",
        }
    }

    /// Value of a name; modules are chosen next.
    pub(in crate::fields) fn from_name(name: &str) -> Option<Recompute> {
        match name {
            "none" => Some(Recompute::None),
            "selective" => Some(Recompute::Selective),
            "full" => Some(Recompute::Full),
            "modules" => Some(Recompute::Modules(Modules::NONE)),
            _ => None,
        }
    }
}
choices! { mapping, Mapping:
    TensorDataPipeline => "tdp", "TP, DP, PP";
    TensorPipelineData => "tpd", "TP, PP, DP";
}
pub(super) mod schedule {
    use super::*;

    /// Name and label of every entry.
    pub(in crate::fields) const LIST: &[(&str, &str)] = &{
        let mut list = [("", ""); Schedule::ALL.len()];
        let mut index = 0;
        while index < list.len() {
            let row = Schedule::ALL[index].row();
            list[index] = (row.name, row.choice);
            index += 1;
        }
        list
    };

    /// Name of a value.
    pub(in crate::fields) fn name(value: Schedule) -> &'static str {
        value.row().name
    }

    /// Value of a name.
    pub(in crate::fields) fn from_name(name: &str) -> Option<Schedule> {
        Schedule::ALL.into_iter().find(|schedule| schedule.row().name == name)
    }
}

pub(super) mod split {
    use super::*;

    /// Name and label of every entry.
    pub(in crate::fields) const LIST: &[(&str, &str)] =
        &[("even", "Even"), ("ends", "Lighter ends"), ("given", "Custom")];

    /// Name of a value.
    pub(in crate::fields) fn name(value: StageSplit) -> &'static str {
        match value {
            StageSplit::Even => "even",
            StageSplit::CountEnds => "ends",
            StageSplit::Given(_) => "given",
        }
    }

    /// Value of a name; a list starts out empty.
    pub(in crate::fields) fn from_name(name: &str) -> Option<StageSplit> {
        match name {
            "even" => Some(StageSplit::Even),
            "ends" => Some(StageSplit::CountEnds),
            "given" => Some(StageSplit::Given(StageLayers::default())),
            _ => None,
        }
    }
}

/// How positions enter; the table's rows are a field of their own.
pub(super) const POSITIONS: &[(&str, &str)] =
    &[("rotary", "Rotary (RoPE)"), ("learned", "Learned"), ("alibi", "ALiBi")];

/// Name and label of every rule of a recurrent mixer.
pub(super) const RULES: &[(&str, &str)] = &names(StateRule::ALL);

/// Name and label of every software stack.
pub(super) const STACKS: &[(&str, &str)] = &names(Stack::ALL);

/// Names and labels of a table's rows.
const fn names<T: Copy, const N: usize>(
    rows: [(T, &'static str, &'static str); N],
) -> [(&'static str, &'static str); N] {
    let mut list = [("", ""); N];
    let mut index = 0;
    while index < N {
        list[index] = (rows[index].1, rows[index].2);
        index += 1;
    }
    list
}

/// Name and label of every model preset, and of none.
pub(super) const MODEL_PRESETS: &[(&str, &str)] = &{
    let mut list = [(CUSTOM, OWN_MODEL); MODELS.len() + 1];
    let mut index = 0;
    while index < MODELS.len() {
        list[index] = (MODELS[index].name, MODELS[index].label);
        index += 1;
    }
    list
};

/// Name and label of every cluster preset, and of none.
pub(super) const CLUSTER_PRESETS: &[(&str, &str)] = &{
    let mut list = [(CUSTOM, OWN_MACHINE); CLUSTERS.len() + 1];
    let mut index = 0;
    while index < CLUSTERS.len() {
        list[index] = (CLUSTERS[index].name, CLUSTERS[index].label);
        index += 1;
    }
    list
};

/// Former labels and the names of their entries. Jobs with former labels remain valid.
pub(super) const FORMER_LABELS: [(&str, &str); 43] = [
    ("Nothing", "none"),
    ("One product per expert", "per-expert"),
    ("A loop over experts", "looped"),
    ("Fused and grouped", "fused"),
    ("One-hot masks, capacity 1", "one-hot"),
    ("One-hot masks, capacity 1.25", "one-hot-1.25"),
    ("As the software does", "stack"),
    ("Even, as forced", "even"),
    ("Even, experts in turn", "in-turn"),
    ("As learned", "learned"),
    ("Not balanced by anything", "unbalanced"),
    ("No, and launches are waited for", "waited"),
    ("PyTorch's SDPA", "sdpa"),
    ("SDPA under a mask", "masked"),
    ("Operation by operation", "plain"),
    ("Fused with the head (Liger)", "linear"),
    ("PyTorch's modules", "modules"),
    ("8 bits in blocks", "8"),
    ("4 bits in blocks", "4"),
    ("16 bits and 32-bit master weights", "master"),
    ("As gradients are reduced", "same"),
    ("SiLU (SwiGLU where gated)", "silu"),
    ("GELU, tanh written out (GPT-2)", "gelu_new"),
    ("PCIe, peer to peer", "pcie"),
    ("Mesh, a link for each pair", "mesh"),
    ("FP8, one scale per tensor", "fp8"),
    ("FP8, one scale per block", "fp8-block"),
    ("Keys and values around a ring", "ring"),
    ("Keys and values gathered", "all-gather"),
    ("Tokens for heads (Ulysses)", "all-to-all"),
    ("Nothing (plain data parallelism)", "0"),
    ("Optimizer states (ZeRO-1)", "1"),
    ("Optimizer states and gradients (ZeRO-2)", "2"),
    ("Parameters too (ZeRO-3, FSDP)", "3"),
    ("Parameters within a node (HSDP)", "hsdp"),
    ("Tensor, data, pipeline", "tdp"),
    ("Tensor, pipeline, data", "tpd"),
    ("Chosen modules", "modules"),
    ("Equal shares of the layers", "even"),
    ("Embedding and LM head count as layers", "ends"),
    ("A list of layers", "given"),
    ("Rotary", "rotary"),
    ("Learned table", "learned"),
];

#[cfg(test)]
mod tests {
    use super::FORMER_LABELS;
    use crate::fields::{FIELDS, FieldKind, Value, parse};

    #[test]
    fn former_labels_are_accepted() {
        for (label, name) in FORMER_LABELS {
            let choices = FIELDS.iter().filter(|field| matches!(field.kind, FieldKind::Choice(_)));
            let mut read = choices.filter_map(|field| parse::value(field, label).ok());
            assert!(read.any(|value| value == Value::Choice(name)), "{label}");
        }
    }
}
