//! Fields of what sequences hold, of stated kernels, and of how parameters are trained: optimizer, formats, adapters.

use super::choices::{
    adapter_targets, attention_kernel, base_format, compiled, elementwise_kernels, gradient_format,
    loss_kernel, muon, optimizer, optimizer_kernels, part_graphs, routing, state_format, token_dispatch,
    weight_format,
};
use super::{Field, FieldGroup, FieldKind, Row, Value};

pub(super) const FIELDS: &[Row] = &[
    integer!(
        "doc",
        "Document length",
        "tokens",
        Workload,
        0..=16_777_216,
        workload.document,
        "Tokens of the documents that sequences are packed of, where attention stays inside one; 0 where it sees the whole sequence."
    ),
    integer!(
        "pad",
        "Padding",
        "%",
        Workload,
        0..=99,
        workload.padding,
        "Share of the tokens that is padding: computed, but not counted. SDPA then reads a mask."
    ),
    choice!(
        "attn",
        "Attention kernel",
        Workload,
        attention_kernel,
        software.kernels.attention,
        "The kernel of the attention core, where it is known. SDPA under a mask (padding, windows, documents) computes every pair of tokens."
    ),
    choice!(
        "comp",
        "Compiled",
        Workload,
        compiled,
        software.kernels.compiled,
        "Whether modules are compiled: fewer passes over memory and less host time."
    ),
    choice!(
        "loss",
        "Loss kernel",
        Workload,
        loss_kernel,
        software.kernels.loss,
        "How logits and loss are computed: whole, or a part at a time, which saves their memory."
    ),
    choice!(
        "ew",
        "Norms and activations",
        Workload,
        elementwise_kernels,
        software.kernels.elementwise,
        "Kernels of norms, rotations and activations: one for every operation (Transformers' own code) or those of PyTorch's modules (nn.GELU, nn.RMSNorm) where nothing compiles them, or one for each module (Liger), which moves less memory."
    ),
    choice!(
        "pg",
        "Graphs of layer parts",
        Workload,
        part_graphs,
        software.kernels.parts,
        "Whether attention and router are replayed from CUDA graphs where the whole step is not (cuda_graph_scope attn, moe_router, moe_preprocess): they spare a slow host its launches. With CUDA_LAUNCH_BLOCKING=1 the host waits for every kernel."
    ),
    choice!(
        "xd",
        "Token dispatch",
        Workload,
        token_dispatch,
        software.kernels.dispatch,
        "How tokens reach their experts on other GPUs: an all-to-all with a copy for each expert, or kernels that send a token to a GPU once, and over the network to a node once (DeepEP, HybridEP)."
    ),
    choice!(
        "xr",
        "Expert routing",
        Workload,
        routing,
        software.kernels.routing,
        "Whether every expert gets as many tokens, as benchmarks force it (fake balanced gate, moe-router-force-load-balancing), or as many as the gate has learned: the fullest GPU then sets the pace. Experts in turn (torchtitan, NeMo AutoModel's fake gate, even routing of Primus) are neighbours, so that kernels which send a token to a GPU once send it to one or two."
    ),
    choice!(
        "opt",
        "Optimizer",
        Workload,
        optimizer,
        training.optimizer,
        "The rule that updates parameters. What it keeps and moves per parameter follows."
    ),
    choice!(
        "muon",
        "Muon distribution",
        Workload,
        muon,
        training.muon,
        "What Muon does with a matrix of which a rank holds a part, as tensor parallelism and FSDP (ZeRO-3) leave it: orthogonalise the part, gather the whole matrix on every rank, sum Gram matrices, or send each matrix to one rank. Megatron's muon-tp-mode has the first three."
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
        "Format of the frozen weights: 4 bits are QLoRA. Fewer than 16 are widened before every product, but for 8 bits where products are FP8, which take them as they are."
    ),
];
