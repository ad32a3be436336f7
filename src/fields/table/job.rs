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
        "Number format of the matrix products. Everything else stays in 16 or 32 bits."
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
        "The framework that runs the job. It stands for its kernels, fusion, overlap and the time its host code takes.",
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
        "Year the software was released. Kernels and overlap improve from year to year.",
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
        "Month of the release, 1 to 12. Kernels of mixture-of-experts layers improve from month to month.",
    ),
    flag!(
        "graphs",
        "CUDA graphs",
        Workload,
        software.graphs,
        "Kernels are replayed from a recording instead of launched one by one, so that the host no longer holds small ones up."
    ),
    choice!(
        "xk",
        "Expert kernels",
        Workload,
        expert_kernels,
        software.expert_kernels,
        "How a layer's routed experts are computed: one matrix product each, all in one grouped kernel that also casts and activates, one expert after the other in a loop of the host (Transformers 4), or all in one batch, each up to its capacity (1 or 1.25 of an even share), tokens brought there by products with one-hot masks (MaxText with sparse_matmul: False)."
    ),
    // The layout.
    integer!(
        "tp",
        "Tensor parallel",
        "GPUs",
        Plan,
        1..=4096,
        plan.tensor_parallel,
        "GPUs that share every matrix of a layer. It all-reduces activations twice per layer and pass, so it belongs inside the scale-up domain."
    ),
    flag!(
        "sp",
        "Sequence parallel",
        Plan,
        plan.sequence_parallel,
        "Splits norms and residuals over the tensor-parallel group as well (Megatron): less activation memory for the same traffic."
    ),
    integer!(
        "cp",
        "Context parallel",
        "GPUs",
        Plan,
        1..=4096,
        plan.context_parallel,
        "GPUs that share one sequence. Each holds a part of the tokens, and keys and values travel around the group."
    ),
    choice!(
        "cpx",
        "Context exchange",
        Plan,
        context_exchange,
        plan.context_exchange,
        "How the GPUs that share a sequence bring its parts together for attention (cp_comm_type): a ring hides behind the attention; gathers and all-to-alls do not. All-to-alls give each GPU some of the heads for all tokens, so that heads have to divide."
    ),
    integer!(
        "ep",
        "Expert parallel",
        "GPUs",
        Plan,
        1..=65_536,
        plan.expert_parallel,
        "GPUs of a stage that a layer's routed experts are dealt to. Tokens travel to their experts and back in all-to-alls."
    ),
    integer!(
        "etp",
        "Expert tensor parallel",
        "GPUs",
        Plan,
        1..=4096,
        plan.expert_tensor_parallel,
        "GPUs that each routed expert is split over."
    ),
    integer!(
        "pp",
        "Pipeline parallel",
        "stages",
        Plan,
        1..=4096,
        plan.pipeline_parallel,
        "Stages the layers are dealt to. Little traffic, but GPUs idle while the pipeline fills and drains."
    ),
    integer!(
        "vpp",
        "Virtual stages",
        "per GPU",
        Plan,
        1..=4096,
        plan.virtual_stages,
        "Parts of the model on each GPU (interleaved 1F1B). The bubble shrinks by this factor; sends and receives grow by it. ZB-V and DualPipeV have two."
    ),
    choice!(
        "sched",
        "Schedule",
        Plan,
        schedule,
        plan.schedule,
        "Order in which a stage runs its micro-batches. Zero-bubble schedules put weight gradients off to where a stage would wait; ZB-H2 and ZB-V take it that the optimizer need not wait for all stages. DualPipe feeds two copies of the model from both ends."
    ),
    choice!(
        "zero",
        "Sharded over data parallel",
        Plan,
        zero,
        plan.zero,
        "What the data-parallel ranks divide among themselves instead of each holding a copy."
    ),
    integer!(
        "shg",
        "Sharding group",
        "data-parallel ranks",
        Plan,
        0..=65_536,
        plan.shard_group,
        "Ranks that one copy of what is sharded is spread over (HSDP's and MiCS's groups, InternEvo's zero1, Megatron's optimizer instances); replicas of it reduce their shards. 0: a machine's with hybrid sharding, else all."
    ),
    integer!(
        "mb",
        "Micro-batch",
        "sequences",
        Plan,
        1..=65_536,
        plan.micro_batch,
        "Sequences that go through the pipeline together. Larger ones run better kernels and need more memory."
    ),
    choice!(
        "rc",
        "Recomputation",
        Plan,
        recompute,
        plan.recompute,
        "Activations that are computed a second time in the backward pass instead of being kept. Selective drops what norms and activations return, in torchtitan every other matrix product too, and in plain PyTorch some layers whole."
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
        "Modules of every layer that are computed a second time: core (attention core), norms, act (activation), mlp (feed-forward and experts), out (the attention's output projection), mla (projections up from latents), separated by commas. Only where recomputation is of chosen modules.",
    ),
    (
        Field {
            key: "rcn",
            label: "Recompute every",
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
        "With full recomputation: 1 for every layer, 2 for every second layer of a stage and so on; the others keep all of their activations (torchtitan's selective_ac_option, Megatron-LM's block method).",
    ),
    flag!(
        "oo",
        "Optimizer on the host",
        Plan,
        plan.offload_optimizer,
        "Keeps master weights and moments in the host's memory. Gradients and weights cross the host link every step, and the host's processors update."
    ),
    flag!(
        "op",
        "Parameters on the host",
        Plan,
        plan.offload_parameters,
        "Keeps the shards of parameters in the host's memory (DeepSpeed's offload_param, FSDP's CPUOffload), whence a GPU fetches its shard of a layer whenever the layer is gathered. Only where parameters are sharded. FSDP keeps the optimizer there with them."
    ),
    integer!(
        "oa",
        "Activations on the host",
        "%",
        Plan,
        0..=100,
        plan.offload_activations,
        "Share of the activations kept for the backward pass that wait in the host's memory. They cross the host link beside the kernels; what takes longer than these shows."
    ),
    flag!(
        "tpo",
        "Overlap tensor communication",
        Plan,
        plan.tensor_overlap,
        "Tensor-parallel collectives run in pieces behind the matrix products around them (user buffers, ring exchange, asynchronous tensor parallelism). What stays in sight includes what they take from the products."
    ),
    flag!(
        "epo",
        "Overlap expert communication",
        Plan,
        plan.expert_overlap,
        "Tokens travel to their experts and back while another micro-batch is computed."
    ),
    flag!(
        "dpo",
        "Overlap data communication",
        Plan,
        plan.data_overlap,
        "Gradients are reduced behind the backward pass (DDP's buckets, Megatron's overlap_grad_reduce, DeepSpeed's overlap_comm). Parameters are gathered behind compute too, unless the next field says otherwise."
    ),
    choice!(
        "gao",
        "Overlap parameter gathers",
        Plan,
        gather_overlap,
        plan.gather_overlap,
        "Whether sharded parameters are gathered behind compute: prefetched by FSDP and ZeRO-3, or behind the next forward pass after a sharded update (Megatron's overlap_param_gather). PyTorch's and DeepSpeed's ZeRO-1 and 2 wait."
    ),
    flag!(
        "ppo",
        "Overlap pipeline transfers",
        Plan,
        plan.pipeline_overlap,
        "Stages go on computing while they send to their neighbours. Without it a stage waits for its own sends."
    ),
    choice!(
        "map",
        "Mapping",
        Plan,
        mapping,
        plan.mapping,
        "Order of the parallel axes over the machines, from neighbouring GPUs outwards. The first axes get the fast links."
    ),
    choice!(
        "split",
        "Layers per stage",
        Plan,
        split,
        plan.stage_split,
        "Whether the first and the last stage get fewer layers because they hold the embedding and the LM head."
    ),
    (
        Field {
            key: "stages",
            label: "List of layers",
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
        "Layers of every stage in turn (of every virtual stage in the order of the model), such as 15,16,16,15 or 15,16x14,15. Only where layers per stage are given as a list.",
    ),
];
