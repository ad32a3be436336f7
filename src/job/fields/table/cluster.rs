//! Fields of the cluster.

use super::choices::{self, fabric, family, host_processor, topology, transport};
use super::{Field, FieldGroup, FieldKind, Row, Value};
use crate::scenario::cluster::presets;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

pub(super) const FIELDS: &[Row] = &[
    (
        Field {
            key: "g",
            label: "Machine",
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
        "GPU, node, scale-up fabric and network. Selecting a machine sets the fields below and keeps the number of GPUs.",
    ),
    integer!(
        "n",
        "GPUs",
        "GPUs",
        Cluster,
        1..=1_048_576,
        cluster.gpus,
        "Total number of GPUs: part of one node, or a whole number of nodes. You can enter nodes x GPUs per node, such as 64x8."
    ),
    integer!(
        "node",
        "GPUs per node",
        "GPUs",
        Cluster,
        1..=1024,
        cluster.gpus_per_node,
        "GPUs in one node. The GPUs of a node share its network ports."
    ),
    quantity!(
        "bf16",
        "Peak 16-bit rate",
        "TFLOP/s",
        0.001..=1_000_000.0,
        cluster.gpu.peak_bf16,
        FlopsPerSecond::from_tera,
        FlopsPerSecond::tera,
        "BF16 or FP16 peak from the data sheet, without sparsity. MFU is relative to the peak of the selected precision if the GPU supports that precision, otherwise to this peak."
    ),
    quantity!(
        "fp8",
        "Peak FP8 rate",
        "TFLOP/s",
        0.0..=1_000_000.0,
        cluster.gpu.peak_fp8,
        FlopsPerSecond::from_tera,
        FlopsPerSecond::tera,
        "FP8 peak from the data sheet, without sparsity. Enter 0 if the GPU does not support FP8."
    ),
    quantity!(
        "fp4",
        "Peak FP4 rate",
        "TFLOP/s",
        0.0..=1_000_000.0,
        cluster.gpu.peak_fp4,
        FlopsPerSecond::from_tera,
        FlopsPerSecond::tera,
        "FP4 peak from the data sheet, without sparsity. Enter 0 if the GPU does not support FP4."
    ),
    quantity!(
        "mem",
        "GPU memory",
        "GiB",
        0.001..=100_000.0,
        cluster.gpu.memory,
        Bytes::from_gib,
        Bytes::gib,
        "Device memory of one GPU. 1 GiB is 2^30 bytes; an 80 GB card has 80 GiB. The forecast reserves 0.75 GiB for the CUDA context and libraries, and 0.25 GiB for NCCL buffers per type of process group (TP, CP, PP, DP, EP). The rest is usable."
    ),
    quantity!(
        "hbm",
        "Memory bandwidth",
        "TB/s",
        0.001..=10_000.0,
        cluster.gpu.memory_bandwidth,
        |value| BytesPerSecond::from_gigabytes(value * 1e3),
        |rate: BytesPerSecond| rate.0 / 1e12,
        "Device memory bandwidth from the data sheet. Memory bandwidth limits norms, activation functions and the optimizer."
    ),
    integer!(
        "sms",
        "SMs per GPU",
        "SMs",
        Cluster,
        1..=65_536,
        cluster.gpu.sms,
        "Number of streaming multiprocessors (compute units on AMD GPUs). A GEMM runs in waves of one tile per SM."
    ),
    integer!(
        "gpw",
        "GPU power limit",
        "%",
        Cluster,
        1..=1000,
        cluster.gpu.power,
        "GPU power limit as a percentage of the limit of the generation's reference GPU: 71 for an H100 capped at 500 W (nvidia-smi, rocm-smi), 133 for MI325X. The speed of large GEMMs and attention is proportional to (power limit)^0.61. Short kernels and memory bandwidth are not affected."
    ),
    choice!(
        "family",
        "GPU generation",
        Cluster,
        family,
        cluster.gpu.family,
        "The forecast uses the measured kernel efficiencies of this GPU generation."
    ),
    choice!(
        "fabric",
        "Scale-up fabric",
        Cluster,
        fabric,
        cluster.scale_up.kind,
        "Fast interconnect between the GPUs of a node or rack."
    ),
    integer!(
        "domain",
        "NVLink domain size",
        "GPUs",
        Cluster,
        1..=65_536,
        cluster.scale_up.domain,
        "Number of GPUs connected by the scale-up fabric: 8 in a DGX node, 72 in an NVL72 rack. PCIe and Infinity Fabric domains are limited to a node."
    ),
    quantity!(
        "link",
        "Scale-up bandwidth",
        "GB/s",
        0.001..=100_000.0,
        cluster.scale_up.bandwidth,
        BytesPerSecond::from_gigabytes,
        |rate: BytesPerSecond| rate.0 / 1e9,
        "Scale-up bandwidth per GPU in one direction, in gigabytes per second: half of the bidirectional bandwidth on the data sheet."
    ),
    choice!(
        "topo",
        "Scale-up topology",
        Cluster,
        topology,
        cluster.scale_up.topology,
        "With a switch (NVSwitch), every process group can use the full bandwidth of a GPU. With a mesh (4-GPU nodes of V100, A100, H100 or GH200; MI300X and later), each pair of GPUs has a direct link with a share of the bandwidth: 1/3 in a node of 4 GPUs, 1/7 in a node of 8."
    ),
    quantity!(
        "host",
        "Host link",
        "GB/s",
        0.001..=100_000.0,
        cluster.host_link,
        BytesPerSecond::from_gigabytes,
        |rate: BytesPerSecond| rate.0 / 1e9,
        "Bandwidth between one GPU and host memory in one direction (PCIe or NVLink-C2C). Used only for offloading."
    ),
    choice!(
        "cpu",
        "Host processor",
        Cluster,
        host_processor,
        cluster.host,
        "CPU that launches the kernels. A kernel launch takes about 2.6 times as long on a Grace core as on a Xeon core, which slows jobs with many small kernels."
    ),
    quantity!(
        "ram",
        "Host memory",
        "GB per node",
        0.0..=1_000_000.0,
        cluster.host_memory,
        |value| Bytes(value * 1e9),
        |size: Bytes| size.0 / 1e9,
        "Host memory of one node, which limits offloading. Enter 0 if unknown; the forecast then shows the required host memory without checking that it is available."
    ),
    integer!(
        "nics",
        "Network ports per node",
        "ports",
        Cluster,
        1..=1024,
        cluster.network.nics_per_node,
        "Network ports of one node that carry training traffic. All GPUs of a node share its ports."
    ),
    quantity!(
        "nic",
        "Port rate",
        "Gb/s",
        0.001..=1_000_000.0,
        cluster.network.nic_bandwidth,
        BytesPerSecond::from_gigabits,
        |rate: BytesPerSecond| rate.0 * 8.0 / 1e9,
        "Line rate of one port in one direction, in gigabits per second. 400 Gb/s is 50 GB/s."
    ),
    choice!(
        "net",
        "Transport",
        Cluster,
        transport,
        cluster.network.transport,
        "Network protocol, which determines the latency and the fraction of the port rate that collectives achieve."
    ),
    integer!(
        "leaf",
        "Nodes per leaf",
        "nodes",
        Cluster,
        1..=1_048_576,
        cluster.network.leaf_nodes,
        "Nodes connected to one leaf switch or rail group. Traffic between these nodes does not cross the spine."
    ),
    quantity!(
        "over",
        "Oversubscription",
        ":1",
        1.0..=1000.0,
        cluster.network.oversubscription,
        |value: f64| value,
        |value: f64| value,
        "Ratio of downlink to uplink bandwidth at the leaf switch. 1 is non-blocking; 2 halves the bandwidth across the spine."
    ),
];
