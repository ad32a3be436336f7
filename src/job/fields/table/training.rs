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
        "Length of the documents that are packed into a sequence, if attention does not cross document boundaries. 0 if attention covers the whole sequence."
    ),
    integer!(
        "pad",
        "Padding",
        "%",
        Workload,
        0..=99,
        workload.padding,
        "Percentage of padding tokens. Padding takes time but does not count as throughput. With padding, SDPA uses an explicit mask."
    ),
    choice!(
        "attn",
        "Attention kernel",
        Workload,
        attention_kernel,
        software.kernels.attention,
        "Kernel that computes attention. With an explicit mask (padding, windows, documents), SDPA computes all pairs of tokens."
    ),
    choice!(
        "comp",
        "Compilation",
        Workload,
        compiled,
        software.kernels.compiled,
        "Whether torch.compile compiles the model, which reduces memory accesses and host overhead."
    ),
    choice!(
        "loss",
        "Loss kernel",
        Workload,
        loss_kernel,
        software.kernels.loss,
        "Kernels that compute logits and loss. Chunked kernels need less memory."
    ),
    choice!(
        "ew",
        "Norms and activations",
        Workload,
        elementwise_kernels,
        software.kernels.elementwise,
        "Kernels for norms, RoPE and activation functions: unfused (Transformers), PyTorch modules (nn.GELU, nn.RMSNorm), or one fused kernel per module (Liger), with fewer memory accesses."
    ),
    choice!(
        "pg",
        "Partial CUDA graphs",
        Workload,
        part_graphs,
        software.kernels.parts,
        "CUDA graphs for attention and router only (cuda_graph_scope attn, moe_router, moe_preprocess), which reduce host launch overhead. With CUDA_LAUNCH_BLOCKING=1, the host waits for every kernel."
    ),
    choice!(
        "xd",
        "Token dispatch",
        Workload,
        token_dispatch,
        software.kernels.dispatch,
        "Token dispatcher for expert parallelism. All-to-all sends one copy of a token per expert. DeepEP and HybridEP send each token at most once per GPU, and at most once per node over the network."
    ),
    choice!(
        "xr",
        "Expert routing",
        Workload,
        routing,
        software.kernels.routing,
        "How tokens are distributed over the experts. Forced even, as in benchmarks: all experts get the same number of tokens (fake balanced gate, moe-router-force-load-balancing). Learned: the GPU with the most tokens determines the time. With forced round-robin routing (torchtitan, NeMo AutoModel, Primus), all experts of a token are on one or two GPUs, which reduces DeepEP traffic."
    ),
    choice!(
        "opt",
        "Optimizer",
        Workload,
        optimizer,
        training.optimizer,
        "Optimizer algorithm, which determines state memory and memory traffic per parameter."
    ),
    choice!(
        "muon",
        "Muon distribution",
        Workload,
        muon,
        training.muon,
        "How Muon orthogonalizes matrices that TP or FSDP (ZeRO-3) splits. Blockwise: each rank processes its part. Duplicated: every rank processes the whole matrix. Distributed: ranks all-reduce Gram matrices. Layer-wise: one rank processes the whole matrix. The first three are values of Megatron's muon-tp-mode."
    ),
    choice!(
        "ost",
        "Optimizer state precision",
        Workload,
        state_format,
        training.states,
        "Bits per optimizer state, such as 8 for 8-bit Adam in bitsandbytes or torchao."
    ),
    choice!(
        "optk",
        "Optimizer kernels",
        Workload,
        optimizer_kernels,
        training.kernels,
        "Optimizer implementation: one fused kernel, or one kernel per operation (PyTorch foreach)."
    ),
    choice!(
        "wts",
        "Weight precision",
        Workload,
        weight_format,
        training.weights,
        "Storage format of the weights: 16 bits with 32-bit master weights, 16 bits only, or 32 bits only."
    ),
    choice!(
        "grads",
        "Gradient precision",
        Workload,
        gradient_format,
        training.gradients,
        "Number format for gradient accumulation and gradient sync."
    ),
    flag!(
        "each",
        "Gradient sync every micro-batch",
        Workload,
        training.reduces_each,
        "Synchronizes gradients after each micro-batch instead of once per step (gradient accumulation without no_sync)."
    ),
    integer!(
        "lora",
        "LoRA rank",
        "",
        Workload,
        0..=4096,
        training.adapters.rank,
        "Rank of the LoRA or QLoRA adapters. 0 trains all parameters."
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
        "Frozen weight precision",
        Workload,
        base_format,
        training.adapters.base,
        "Storage format of the frozen weights: 4 bits for QLoRA. Weights with fewer than 16 bits are dequantized before every GEMM, except 8-bit weights in FP8 GEMMs."
    ),
];
