//! Fields of the cluster.

use super::choices::{self, fabric, family, host_processor, topology, transport};
use super::{Field, FieldGroup, FieldKind, Row, Value};
use crate::scenario::cluster::presets;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

pub(super) const FIELDS: &[Row] = &[
    (
        Field {
            key: "g",
            label: "Cluster",
            unit: "",
            group: FieldGroup::Cluster,
            kind: FieldKind::Choice(choices::CLUSTER_PRESETS),
            kilo: 1000.0,
            get: |scenario| Value::Choice(presets::name_of(&scenario.cluster).unwrap_or(choices::CUSTOM)),
            set: |scenario, value| {
                if let Value::Choice(name) = value
                    && let Some(preset) = presets::find(name)
                {
                    scenario.cluster = preset.with_gpus(scenario.cluster.gpus);
                }
            },
        },
        "Published machines: GPU, node, scale-up fabric and network. Choosing one fills in the fields below and keeps the number of GPUs.",
    ),
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
        "Matrix products per second in BF16 or FP16 on the data sheet, without sparsity. MFU is measured against it, or against the peak of the chosen precision where the GPU has one."
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
        "Device memory of one GPU. A GiB is 2^30 bytes; a card sold as 80 GB holds 80 GiB. Half a GiB of it is taken to go to the CUDA context and fragmentation, and a quarter to NCCL's buffers for each kind of group (tensor, context, pipeline, data, experts); the job may use the rest."
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
    integer!(
        "gpw",
        "GPU power limit",
        "%",
        Cluster,
        1..=1000,
        cluster.gpu.power,
        "Power limit of one GPU over that at which rates of its generation were measured: 71 for an H100 capped at 500 of its 700 W (nvidia-smi, rocm-smi), 133 for MI325X with 1,000 W for MI300X's 750. Large matrix products and attention are held back by power, by its 0.61th power; short kernels and memory are not."
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
        "GPUs that share the scale-up fabric: 8 in a DGX node, 72 in an NVL72 rack. PCIe and Infinity Fabric links end at the node; NVLink ends there, too, on machines that are not racks, unless another domain is stated."
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
    choice!(
        "topo",
        "Scale-up topology",
        Cluster,
        topology,
        cluster.scale_up.topology,
        "A switch (NVSwitch) gives a group of any size all of a GPU's bandwidth. A mesh (nodes of four V100, A100, H100 or GH200; MI300X and its successors) has links for each pair: two GPUs of four have a third of it, two of eight a seventh."
    ),
    quantity!(
        "host",
        "Host link",
        "GB/s",
        0.001..=100_000.0,
        cluster.host_link,
        BytesPerSecond::from_gigabytes,
        |rate: BytesPerSecond| rate.0 / 1e9,
        "Bandwidth between one GPU and the host's memory in one direction: PCIe, or NVLink-C2C. Only what is offloaded crosses it."
    ),
    choice!(
        "cpu",
        "Host processor",
        Cluster,
        host_processor,
        cluster.host,
        "What launches the kernels. One core of Grace takes about 2.6 times as long to launch as one of a Xeon (modules of plain PyTorch: 1.3 times an older host), which small kernels wait for."
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
];
