//! The table of fields, in form order, which is also the order in links.

use super::choices;
use super::choices::{bias, fabric, family, mapping, norm, precision, recompute, split, transport, zero};
use super::fields::{Field, Group, Kind, Value};
use crate::cluster::presets as clusters;
use crate::model::{Positions, presets as models};
use crate::stack::Stack;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

/// Rows of a learned position table until the user says otherwise.
const DEFAULT_POSITION_ROWS: u32 = 2048;

macro_rules! integer {
    ($key:literal, $label:literal, $unit:literal, $group:ident, $min:literal..=$max:literal,
     $($path:ident).+, $help:literal) => {
        Field {
            key: $key,
            label: $label,
            unit: $unit,
            help: $help,
            group: Group::$group,
            kind: Kind::Integer { min: $min, max: $max },
            kilo: 1024.0,
            get: |scenario| Value::Integer(scenario.$($path).+),
            set: |scenario, value| {
                if let Value::Integer(number) = value {
                    scenario.$($path).+ = number;
                }
            },
        }
    };
}

macro_rules! quantity {
    ($key:literal, $label:literal, $unit:literal, $min:literal..=$max:literal,
     $($path:ident).+, $from:expr, $to:expr, $help:literal) => {
        Field {
            key: $key,
            label: $label,
            unit: $unit,
            help: $help,
            group: Group::Cluster,
            kind: Kind::Quantity { min: $min, max: $max },
            kilo: 1000.0,
            get: |scenario| Value::Number($to(scenario.$($path).+)),
            set: |scenario, value| {
                if let Value::Number(number) = value {
                    scenario.$($path).+ = $from(number);
                }
            },
        }
    };
}

macro_rules! choice {
    ($key:literal, $label:literal, $group:ident, $module:ident, $($path:ident).+, $help:literal) => {
        Field {
            key: $key,
            label: $label,
            unit: "",
            help: $help,
            group: Group::$group,
            kind: Kind::Choice($module::LIST),
            kilo: 1000.0,
            get: |scenario| Value::Choice($module::name(scenario.$($path).+)),
            set: |scenario, value| {
                if let Value::Choice(name) = value
                    && let Some(chosen) = $module::from_name(name)
                {
                    scenario.$($path).+ = chosen;
                }
            },
        }
    };
}

macro_rules! flag {
    ($key:literal, $label:literal, $group:ident, $($path:ident).+, $help:literal) => {
        Field {
            key: $key,
            label: $label,
            unit: "",
            help: $help,
            group: Group::$group,
            kind: Kind::Flag,
            kilo: 1000.0,
            get: |scenario| Value::Flag(scenario.$($path).+),
            set: |scenario, value| {
                if let Value::Flag(on) = value {
                    scenario.$($path).+ = on;
                }
            },
        }
    };
}

/// Every field, in form order.
pub static FIELDS: &[Field] = &[
    // The model.
    Field {
        key: "m",
        label: "Model",
        unit: "",
        help: "A published transformer. Choosing one fills in the fields below; each can then be edited.",
        group: Group::Model,
        kind: Kind::Choice(choices::MODEL_PRESETS),
        kilo: 1000.0,
        get: |scenario| Value::Choice(models::name_of(&scenario.model).unwrap_or(choices::CUSTOM)),
        set: |scenario, value| {
            if let Value::Choice(name) = value
                && let Some(preset) = models::find(name)
            {
                scenario.model = preset.model;
            }
        },
    },
    integer!(
        "layers",
        "Layers",
        "layers",
        Model,
        1..=4096,
        model.layers,
        "Transformer blocks, each with one attention and one feed-forward part."
    ),
    integer!(
        "hidden",
        "Hidden size",
        "",
        Model,
        8..=1_048_576,
        model.hidden,
        "Width of the residual stream."
    ),
    integer!(
        "ffn",
        "Feed-forward size",
        "",
        Model,
        8..=4_194_304,
        model.ffn,
        "Width inside the feed-forward layer; of one branch when it is gated."
    ),
    integer!(
        "heads",
        "Attention heads",
        "heads",
        Model,
        1..=4096,
        model.heads,
        "Query heads. Tensor parallelism splits them, so its degree has to divide this number."
    ),
    integer!(
        "kv",
        "Key/value heads",
        "heads",
        Model,
        1..=4096,
        model.kv_heads,
        "As many as there are heads for multi-head attention, fewer for grouped-query attention, 1 for multi-query."
    ),
    integer!(
        "dh",
        "Head dimension",
        "",
        Model,
        1..=4096,
        model.head_dim,
        "Width of one head, usually the hidden size over the heads. Kernels are fastest at 64, 128 and 256."
    ),
    Field {
        kilo: 1000.0,
        ..integer!(
            "vocab",
            "Vocabulary",
            "tokens",
            Model,
            1..=16_777_216,
            model.vocabulary,
            "Entries of the tokenizer. It is padded to a multiple of 128 times the tensor-parallel degree, as Megatron does."
        )
    },
    flag!(
        "gated",
        "Gated feed-forward",
        Model,
        model.gated_mlp,
        "Two up-projections, one of which gates the other (SwiGLU, GeGLU), so three matrices instead of two."
    ),
    flag!(
        "tied",
        "Tied embeddings",
        Model,
        model.tied_embeddings,
        "The LM head uses the input embedding's weights. With pipeline parallelism their gradients are then summed between the first and the last stage."
    ),
    choice!(
        "bias",
        "Biases",
        Model,
        bias,
        model.bias,
        "Which linear layers add a bias vector: none in Llama, query, key and value in Qwen2, all in GPT-2."
    ),
    choice!(
        "norm",
        "Normalisation",
        Model,
        norm,
        model.norm,
        "RMSNorm has a weight per channel; LayerNorm has a bias as well."
    ),
    Field {
        key: "pos",
        label: "Positions",
        unit: "",
        help: "How a token's position enters: rotated into queries and keys, looked up in a learned table, or as a bias on the scores.",
        group: Group::Model,
        kind: Kind::Choice(choices::POSITIONS),
        kilo: 1000.0,
        get: |scenario| {
            Value::Choice(match scenario.model.positions {
                Positions::Learned(_) => "learned",
                Positions::Rotary => "rotary",
                Positions::Alibi => "alibi",
            })
        },
        set: |scenario, value| {
            scenario.model.positions = match (value, scenario.model.positions) {
                (Value::Choice("rotary"), _) => Positions::Rotary,
                (Value::Choice("alibi"), _) => Positions::Alibi,
                (Value::Choice("learned"), Positions::Rotary | Positions::Alibi) => {
                    Positions::Learned(DEFAULT_POSITION_ROWS)
                }
                (_, unchanged) => unchanged,
            }
        },
    },
    Field {
        key: "ctx",
        label: "Position table",
        unit: "rows",
        help: "Rows of the learned position table: the longest sequence the model can take. Only with learned positions.",
        group: Group::Model,
        kind: Kind::Integer { min: 1, max: 16_777_216 },
        kilo: 1024.0,
        get: |scenario| {
            Value::Integer(match scenario.model.positions {
                Positions::Learned(rows) => rows,
                Positions::Rotary | Positions::Alibi => DEFAULT_POSITION_ROWS,
            })
        },
        set: |scenario, value| {
            if let (Value::Integer(rows), Positions::Learned(_)) = (value, scenario.model.positions) {
                scenario.model.positions = Positions::Learned(rows);
            }
        },
    },
    // The machines.
    Field {
        key: "g",
        label: "Cluster",
        unit: "",
        help: "Published machines: GPU, node, scale-up fabric and network. Choosing one fills in the fields below and keeps the number of GPUs.",
        group: Group::Cluster,
        kind: Kind::Choice(choices::CLUSTER_PRESETS),
        kilo: 1000.0,
        get: |scenario| Value::Choice(clusters::name_of(&scenario.cluster).unwrap_or(choices::CUSTOM)),
        set: |scenario, value| {
            if let Value::Choice(name) = value
                && let Some(preset) = clusters::find(name)
            {
                scenario.cluster = preset.with_gpus(scenario.cluster.gpus);
            }
        },
    },
    integer!(
        "n",
        "GPUs",
        "GPUs",
        Cluster,
        1..=1_048_576,
        cluster.gpus,
        "All GPUs of the job: less than one node, or whole nodes. Nodes times GPUs is understood too, as in 64x8."
    ),
    integer!(
        "node",
        "GPUs per node",
        "GPUs",
        Cluster,
        1..=1024,
        cluster.gpus_per_node,
        "GPUs of one host. They share its network ports."
    ),
    quantity!(
        "bf16",
        "Peak 16-bit rate",
        "TFLOP/s",
        0.001..=1_000_000.0,
        cluster.gpu.peak_bf16,
        FlopsPerSecond::from_tera,
        FlopsPerSecond::tera,
        "Matrix products per second in BF16 or FP16 on the data sheet, without sparsity. MFU is measured against it."
    ),
    quantity!(
        "fp8",
        "Peak FP8 rate",
        "TFLOP/s",
        0.0..=1_000_000.0,
        cluster.gpu.peak_fp8,
        FlopsPerSecond::from_tera,
        FlopsPerSecond::tera,
        "Matrix products per second in FP8 on the data sheet, without sparsity; 0 when the GPU has no FP8."
    ),
    quantity!(
        "fp4",
        "Peak FP4 rate",
        "TFLOP/s",
        0.0..=1_000_000.0,
        cluster.gpu.peak_fp4,
        FlopsPerSecond::from_tera,
        FlopsPerSecond::tera,
        "Matrix products per second in FP4 on the data sheet, without sparsity; 0 when the GPU has no FP4."
    ),
    quantity!(
        "mem",
        "GPU memory",
        "GiB",
        0.001..=100_000.0,
        cluster.gpu.memory,
        Bytes::from_gib,
        Bytes::gib,
        "Device memory of one GPU. A GiB is 2^30 bytes; a card sold as 80 GB holds 80 GiB."
    ),
    quantity!(
        "hbm",
        "Memory bandwidth",
        "TB/s",
        0.001..=10_000.0,
        cluster.gpu.memory_bandwidth,
        |value| BytesPerSecond::from_gigabytes(value * 1e3),
        |rate: BytesPerSecond| rate.0 / 1e12,
        "Device memory bandwidth on the data sheet. It bounds norms, activations and the optimizer."
    ),
    integer!(
        "sms",
        "Multiprocessors",
        "SMs",
        Cluster,
        1..=65_536,
        cluster.gpu.sms,
        "Streaming multiprocessors (compute units on AMD). A matrix product runs in waves of this many tiles."
    ),
    choice!(
        "family",
        "GPU generation",
        Cluster,
        family,
        cluster.gpu.family,
        "Selects the measured efficiencies of the kernels that run on it."
    ),
    choice!(
        "fabric",
        "Scale-up fabric",
        Cluster,
        fabric,
        cluster.scale_up.kind,
        "What joins the GPUs of a node or rack more tightly than the network."
    ),
    integer!(
        "domain",
        "Scale-up domain",
        "GPUs",
        Cluster,
        1..=65_536,
        cluster.scale_up.domain,
        "GPUs that share the scale-up fabric: 8 in a DGX node, 72 in an NVL72 rack."
    ),
    quantity!(
        "link",
        "Scale-up bandwidth",
        "GB/s",
        0.001..=100_000.0,
        cluster.scale_up.bandwidth,
        BytesPerSecond::from_gigabytes,
        |rate: BytesPerSecond| rate.0 / 1e9,
        "Scale-up bandwidth of one GPU in one direction: half of the total on the data sheet. GB are gigabytes."
    ),
    integer!(
        "nics",
        "Network ports per node",
        "ports",
        Cluster,
        1..=1024,
        cluster.network.nics_per_node,
        "Network ports of one node that carry training traffic, shared by its GPUs."
    ),
    quantity!(
        "nic",
        "Port rate",
        "Gb/s",
        0.001..=1_000_000.0,
        cluster.network.nic_bandwidth,
        BytesPerSecond::from_gigabits,
        |rate: BytesPerSecond| rate.0 * 8.0 / 1e9,
        "Rate of one port in one direction. Gb are gigabits: 400 Gb/s are 50 GB/s."
    ),
    choice!(
        "net",
        "Transport",
        Cluster,
        transport,
        cluster.network.transport,
        "Protocol of the network; it sets latency and the share of the port rate that collectives reach."
    ),
    integer!(
        "leaf",
        "Nodes per leaf",
        "nodes",
        Cluster,
        1..=1_048_576,
        cluster.network.leaf_nodes,
        "Nodes under one leaf switch or rail group. Traffic between them does not cross the spine."
    ),
    quantity!(
        "over",
        "Oversubscription",
        ":1",
        1.0..=1000.0,
        cluster.network.oversubscription,
        |value: f64| value,
        |value: f64| value,
        "Down-link over up-link bandwidth at the leaf: 1 is non-blocking, 2 halves what crosses the spine."
    ),
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
    Field {
        key: "stack",
        label: "Software",
        unit: "",
        help: "The framework that runs the job. It stands for its kernels, fusion, overlap and the time its host code takes.",
        group: Group::Workload,
        kind: Kind::Choice(choices::STACKS),
        kilo: 1000.0,
        get: |scenario| Value::Choice(scenario.software.stack.name()),
        set: |scenario, value| {
            if let Value::Choice(name) = value {
                scenario.software.stack = Stack::from_name(name);
            }
        },
    },
    Field {
        key: "year",
        label: "Release year",
        unit: "",
        help: "Year the software was released. Kernels and overlap improve from year to year.",
        group: Group::Workload,
        kind: Kind::Integer { min: 2018, max: 2035 },
        kilo: 1000.0,
        get: |scenario| Value::Integer(u32::from(scenario.software.year)),
        set: |scenario, value| {
            if let Value::Integer(year) = value {
                scenario.software.year = u16::try_from(year).unwrap_or(u16::MAX);
            }
        },
    },
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
        "Parts of the model on each GPU (interleaved 1F1B). The bubble shrinks by this factor; sends and receives grow by it."
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
        "Activations that are computed a second time in the backward pass instead of being kept."
    ),
    flag!(
        "tpo",
        "Overlap tensor communication",
        Plan,
        plan.tensor_overlap,
        "Tensor-parallel collectives run in pieces behind the matrix products around them."
    ),
    flag!(
        "dpo",
        "Overlap data communication",
        Plan,
        plan.data_overlap,
        "Gradient reduction runs behind the backward pass, and parameter gathering behind the forward pass."
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
];
