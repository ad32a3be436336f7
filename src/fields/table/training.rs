//! Fields of how parameters are trained: optimizer, formats, adapters.

use super::choices::{
    adapter_targets, base_format, gradient_format, optimizer, optimizer_kernels, state_format, weight_format,
};
use super::{Field, FieldGroup, FieldKind, Value};

pub(super) const FIELDS: &[Field] = &[
    choice!(
        "opt",
        "Optimizer",
        Workload,
        optimizer,
        training.optimizer,
        "The rule that updates parameters. What it keeps and moves per parameter follows."
    ),
    choice!(
        "ost",
        "Optimizer states",
        Workload,
        state_format,
        training.states,
        "Bits of every state: 8 for bitsandbytes' or torchao's 8-bit Adam."
    ),
    choice!(
        "optk",
        "Optimizer kernels",
        Workload,
        optimizer_kernels,
        training.kernels,
        "One fused kernel, or one for every operation (PyTorch's foreach)."
    ),
    choice!(
        "wts",
        "Weights kept",
        Workload,
        weight_format,
        training.weights,
        "Formats of the weights: 16 bits with a 32-bit master copy, one of them only, or as the software does."
    ),
    choice!(
        "grads",
        "Gradients kept",
        Workload,
        gradient_format,
        training.gradients,
        "Format that gradients are accumulated and reduced in."
    ),
    flag!(
        "each",
        "Reduce every micro-batch",
        Workload,
        training.reduces_each,
        "Gradients are reduced after each micro-batch, not once a step: accumulation without no_sync."
    ),
    integer!(
        "lora",
        "LoRA rank",
        "",
        Workload,
        0..=4096,
        training.adapters.rank,
        "Rank of adapters (LoRA, QLoRA) beside frozen weights; 0 trains all parameters."
    ),
    choice!(
        "lorat",
        "LoRA targets",
        Workload,
        adapter_targets,
        training.adapters.targets,
        "Linear layers that have adapters."
    ),
    choice!(
        "base",
        "Frozen weights",
        Workload,
        base_format,
        training.adapters.base,
        "Format of the frozen weights: 4 bits are QLoRA. Fewer than 16 are widened before every product."
    ),
];
