//! Fields of the workload and of the layout.

use super::choices::{
    self, context_exchange, expert_kernels, gather_overlap, mapping, precision, recompute, schedule, split,
    zero,
};
use super::{Field, FieldGroup, FieldKind, Row, Value};
use crate::scenario::plan::{Modules, Recompute, StageLayers, StageSplit};
use crate::scenario::stack::Stack;

pub(super) const FIELDS: &[Row] = &[
    // The workload.
    integer!(
        "seq",
        "Sequence length",
        "tokens",
        Workload,
        1..=16_777_216,
        workload.sequence,
        "Tokens in one training sequence."
    ),
    integer!(
        "gb",
        "Global batch",
        "sequences",
        Workload,
        1..=16_777_216,
        workload.global_batch,
        "Sequences in one optimizer step, over all replicas."
    ),
    choice!(
        "prec",
        "Precision",
        Workload,
        precision,
        workload.precision,
        "Number format of GEMMs. All other operations use 16 or 32 bits."
    ),
    integer!(
        "bfs",
        "BF16 layers at the start",
        "layers",
        Workload,
        0..=4096,
        workload.wide_layers.first,
        "Layers at the start of the model whose GEMMs stay in BF16 when those of the other layers use FP8 or FP4 (Megatron's --num-layers-at-start-in-bf16)."
    ),
    integer!(
        "bfe",
        "BF16 layers at the end",
        "layers",
        Workload,
        0..=4096,
        workload.wide_layers.last,
        "Layers at the end of the model whose GEMMs stay in BF16 when those of the other layers use FP8 or FP4 (Megatron's --num-layers-at-end-in-bf16)."
    ),
    (
        Field {
            key: "stack",
            label: "Software",
            unit: "",
            group: FieldGroup::Workload,
            kind: FieldKind::Choice(choices::STACKS),
            kilo: 1000.0,
            get: |scenario| Value::Choice(scenario.software.stack.name()),
            set: |scenario, value| {
                if let Value::Choice(name) = value {
                    scenario.software.stack = Stack::from_name(name);
                }
            },
        },
        "Training framework, which determines kernels, fusion, overlap and host overhead.",
    ),
    (
        Field {
            key: "year",
            label: "Release year",
            unit: "",
            group: FieldGroup::Workload,
            kind: FieldKind::Integer { min: 2018, max: 2035 },
            kilo: 1000.0,
            get: |scenario| Value::Integer(u32::from(scenario.software.year)),
            set: |scenario, value| {
                if let Value::Integer(year) = value {
                    scenario.software.year = u16::try_from(year).unwrap_or(u16::MAX);
                }
            },
        },
        "Release year of the software. Newer releases have faster kernels and more overlap.",
    ),
    (
        Field {
            key: "month",
            label: "Release month",
            unit: "",
            group: FieldGroup::Workload,
            kind: FieldKind::Integer { min: 1, max: 12 },
            kilo: 1000.0,
            get: |scenario| Value::Integer(u32::from(scenario.software.month)),
            set: |scenario, value| {
                if let Value::Integer(month) = value {
                    scenario.software.month = u8::try_from(month).unwrap_or(12);
                }
            },
        },
        "Release month of the software, 1 to 12. Newer releases have faster mixture-of-experts kernels.",
    ),
    flag!(
        "graphs",
        "CUDA graphs",
        Workload,
        software.graphs,
        "The GPU replays kernels from a CUDA graph, so there is no host launch overhead per kernel."
    ),
    choice!(
        "xk",
        "Expert kernels",
        Workload,
        expert_kernels,
        software.expert_kernels,
        "How the routed experts are computed: one GEMM per expert; one grouped GEMM with fused casts and activations; a host loop over experts (Transformers 4); or one batched GEMM with one-hot dispatch and a capacity factor of 1 or 1.25 (MaxText with sparse_matmul: False)."
    ),
    // The layout.
    integer!(
        "tp",
        "Tensor parallel (TP)",
        "GPUs",
        Plan,
        1..=4096,
        plan.tensor_parallel,
        "Number of GPUs that share each weight matrix of a layer. TP communicates activations twice per layer in each pass, so keep TP within the NVLink domain."
    ),
    flag!(
        "sp",
        "Sequence parallel (SP)",
        Plan,
        plan.sequence_parallel,
        "Splits norms and residuals over the TP group (Megatron). SP reduces activation memory and does not change the communication volume."
    ),
    integer!(
        "cp",
        "Context parallel (CP)",
        "GPUs",
        Plan,
        1..=4096,
        plan.context_parallel,
        "Number of GPUs that share each sequence. Each GPU holds part of the tokens and exchanges keys and values with the other GPUs."
    ),
    choice!(
        "cpx",
        "CP communication",
        Plan,
        context_exchange,
        plan.context_exchange,
        "How attention communicates within the CP group (cp_comm_type). A ring overlaps with attention; all-gather and all-to-all do not. With all-to-all, each GPU processes all tokens for some of the heads, so the number of heads must be divisible by CP."
    ),
    integer!(
        "ep",
        "Expert parallel (EP)",
        "GPUs",
        Plan,
        1..=65_536,
        plan.expert_parallel,
        "Number of GPUs that share the routed experts of a layer. All-to-all collectives send tokens to the experts and back."
    ),
    integer!(
        "etp",
        "Expert tensor parallel (ETP)",
        "GPUs",
        Plan,
        1..=4096,
        plan.expert_tensor_parallel,
        "Number of GPUs that share the matrices of each routed expert."
    ),
    integer!(
        "pp",
        "Pipeline parallel (PP)",
        "stages",
        Plan,
        1..=4096,
        plan.pipeline_parallel,
        "Number of pipeline stages. Each stage holds part of the layers. PP needs little communication, but GPUs are idle while the pipeline fills and drains."
    ),
    integer!(
        "vpp",
        "Virtual stages (VPP)",
        "per GPU",
        Plan,
        1..=4096,
        plan.virtual_stages,
        "Number of model chunks per GPU (interleaved 1F1B). Compared with VPP 1, VPP 4 has 1/4 of the pipeline bubble and 4 times the pipeline communication. ZB-V and DualPipeV use 2."
    ),
    choice!(
        "sched",
        "Schedule",
        Plan,
        schedule,
        plan.schedule,
        "Order of forward and backward passes in the pipeline. Zero-bubble schedules delay weight gradients to fill the bubble; ZB-H2 and ZB-V assume that the optimizer does not synchronize all stages. DualPipe feeds micro-batches into both ends of the pipeline and stores two copies of the model."
    ),
    choice!(
        "zero",
        "Sharding (ZeRO)",
        Plan,
        zero,
        plan.zero,
        "Training state that is sharded over the data-parallel ranks. All other state is replicated."
    ),
    integer!(
        "shg",
        "Sharding group",
        "data-parallel ranks",
        Plan,
        0..=65_536,
        plan.shard_group,
        "Number of data-parallel ranks that share one sharded copy of the training state (HSDP, MiCS, InternEvo zero1, Megatron optimizer instances). The copies synchronize their shards. 0 selects the default: the ranks of one node with HSDP, otherwise all ranks."
    ),
    integer!(
        "mb",
        "Micro-batch",
        "sequences",
        Plan,
        1..=65_536,
        plan.micro_batch,
        "Sequences that a replica processes at once. A larger micro-batch improves kernel efficiency and needs more memory."
    ),
    choice!(
        "rc",
        "Recomputation",
        Plan,
        recompute,
        plan.recompute,
        "Activation recomputation (gradient checkpointing) in the backward pass. Selective recomputation covers norms and activation functions, in torchtitan also every second GEMM. In plain PyTorch, selective recomputation covers some whole layers instead."
    ),
    (
        Field {
            key: "rcm",
            label: "Recomputed modules",
            unit: "",
            group: FieldGroup::Plan,
            kind: FieldKind::Modules,
            kilo: 1000.0,
            get: |scenario| match scenario.plan.recompute {
                Recompute::Modules(set) => Value::Modules(set),
                Recompute::None | Recompute::Selective | Recompute::Full | Recompute::Every(_) => {
                    Value::Modules(Modules::NONE)
                }
            },
            set: |scenario, value| {
                if let (Value::Modules(set), Recompute::Modules(_)) = (value, scenario.plan.recompute) {
                    scenario.plan.recompute = Recompute::Modules(set);
                }
            },
        },
        "Comma-separated list of modules that every layer recomputes: core (attention core), norms, act (activation function), mlp (feed-forward, or a whole MoE layer), out (attention output projection), mla (MLA up-projections). Only with recomputation of selected modules.",
    ),
    (
        Field {
            key: "rcn",
            label: "Recompute every n-th layer",
            unit: "layers",
            group: FieldGroup::Plan,
            kind: FieldKind::Integer { min: 1, max: 4096 },
            kilo: 1000.0,
            get: |scenario| Value::Integer(scenario.plan.recompute.every()),
            set: |scenario, value| {
                if let Value::Integer(layers) = value {
                    scenario.plan.recompute = scenario.plan.recompute.of_every(layers);
                }
            },
        },
        "With full recomputation, 1 recomputes every layer, and 2 recomputes every second layer of a stage (torchtitan's selective_ac_option, Megatron-LM's block method). The other layers store all activations.",
    ),
    flag!(
        "oo",
        "Optimizer offload",
        Plan,
        plan.offload_optimizer,
        "Stores master weights and optimizer states in host memory. In every step, the GPU sends gradients to the host, the CPU runs the optimizer, and the GPU copies the weights back."
    ),
    flag!(
        "op",
        "Parameter offload",
        Plan,
        plan.offload_parameters,
        "Stores the parameter shards in host memory (DeepSpeed's offload_param, FSDP's CPUOffload). Before each all-gather, the GPU copies its shard of the layer from the host. Only with sharded parameters. FSDP also offloads the optimizer."
    ),
    integer!(
        "oa",
        "Activation offload",
        "%",
        Plan,
        0..=100,
        plan.offload_activations,
        "Percentage of the stored activations that are offloaded to host memory. Transfers overlap with compute. Only transfers that take longer than compute add time."
    ),
    flag!(
        "tpo",
        "Overlap TP communication",
        Plan,
        plan.tensor_overlap,
        "TP collectives are split into chunks that overlap with the adjacent GEMMs (Transformer Engine user buffers, ring exchange, async TP). The exposed TP time includes the slowdown of these GEMMs."
    ),
    flag!(
        "epo",
        "Overlap EP communication",
        Plan,
        plan.expert_overlap,
        "The all-to-all of one micro-batch overlaps with the compute of another."
    ),
    flag!(
        "dpo",
        "Overlap DP communication",
        Plan,
        plan.data_overlap,
        "Gradient sync overlaps with the backward pass (DDP buckets, Megatron's overlap_grad_reduce, DeepSpeed's overlap_comm). By default, parameter all-gathers also overlap; Overlap parameter all-gather overrides this default."
    ),
    choice!(
        "gao",
        "Overlap parameter all-gather",
        Plan,
        gather_overlap,
        plan.gather_overlap,
        "Parameter all-gathers overlap with compute: FSDP (ZeRO-3) prefetches parameters, and Megatron's overlap_param_gather overlaps with the next forward pass. ZeRO-1 and ZeRO-2 in PyTorch and DeepSpeed do not overlap."
    ),
    flag!(
        "ppo",
        "Overlap PP communication",
        Plan,
        plan.pipeline_overlap,
        "Sends to neighbouring pipeline stages overlap with compute. Without overlap, a stage waits for each send."
    ),
    choice!(
        "map",
        "Mapping",
        Plan,
        mapping,
        plan.mapping,
        "Order in which TP, DP and PP are mapped to ranks, innermost first. Inner dimensions use the fastest links."
    ),
    choice!(
        "split",
        "Layers per stage",
        Plan,
        split,
        plan.stage_split,
        "How layers are distributed over the pipeline stages. With lighter ends, the first and last stages have fewer layers, because they also hold the embedding and the LM head."
    ),
    (
        Field {
            key: "stages",
            label: "Custom layers per stage",
            unit: "",
            group: FieldGroup::Plan,
            kind: FieldKind::Layers,
            kilo: 1000.0,
            get: |scenario| match scenario.plan.stage_split {
                StageSplit::Given(list) => Value::Layers(list),
                StageSplit::Even | StageSplit::CountEnds => Value::Layers(StageLayers::default()),
            },
            set: |scenario, value| {
                if let (Value::Layers(list), StageSplit::Given(_)) = (value, scenario.plan.stage_split) {
                    scenario.plan.stage_split = StageSplit::Given(list);
                }
            },
        },
        "Number of layers in each stage, or in each virtual stage, in model order, such as 15,16,16,15 or 15,16x14,15. Only with custom layers per stage.",
    ),
];
