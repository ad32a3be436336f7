//! Published GPUs and clusters. A new machine is one entry of [`GPUS`] or [`CLUSTERS`].
//!
//! Rates are the vendors' dense figures. Where a data sheet gives only the rate with sparsity, half
//! of it stands here; where it gives a bidirectional bandwidth, half of it stands here.

use super::{Cluster, Gpu, GpuFamily, Network, ScaleUp, ScaleUpKind, Transport};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

/// A GPU by its data sheet.
#[derive(Debug, Clone, Copy)]
pub struct GpuPreset {
    /// Name in data files and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Where its figures are published.
    pub source: &'static str,
    /// The figures of the GPU.
    pub gpu: Gpu,
}

/// A published machine.
#[derive(Debug, Clone, Copy)]
pub struct ClusterPreset {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Where its make-up is published.
    pub source: &'static str,
    /// The make-up of the machine, with one node.
    pub cluster: Cluster,
}

impl ClusterPreset {
    /// The machine with that many GPUs.
    pub fn with_gpus(&self, gpus: u32) -> Cluster {
        Cluster { gpus, ..self.cluster }
    }
}

/// The GPU of that name.
pub fn find_gpu(name: &str) -> Option<&'static GpuPreset> {
    GPUS.iter().find(|preset| preset.name == name)
}

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static ClusterPreset> {
    CLUSTERS.iter().find(|preset| preset.name == name)
}

/// Name of the machine that is exactly this cluster, whatever its number of GPUs.
pub fn name_of(cluster: &Cluster) -> Option<&'static str> {
    CLUSTERS.iter().find(|preset| preset.with_gpus(cluster.gpus) == *cluster).map(|preset| preset.name)
}

/// A GPU from the units of data sheets: TFLOP/s in 16 bits, FP8 and FP4, GiB, TB/s.
const fn gpu(family: GpuFamily, peaks: [f64; 3], gib: f64, terabytes: f64, sms: u32) -> Gpu {
    Gpu {
        peak_bf16: FlopsPerSecond::from_tera(peaks[0]),
        peak_fp8: FlopsPerSecond::from_tera(peaks[1]),
        peak_fp4: FlopsPerSecond::from_tera(peaks[2]),
        memory: Bytes::from_gib(gib),
        memory_bandwidth: BytesPerSecond::from_gigabytes(terabytes * 1e3),
        sms,
        family,
    }
}

const V100_SXM: Gpu = gpu(GpuFamily::Volta, [125.0, 0.0, 0.0], 32.0, 0.9, 80);
const V100_PCIE: Gpu = gpu(GpuFamily::Volta, [112.0, 0.0, 0.0], 32.0, 0.9, 80);
const RTX_3090: Gpu = gpu(GpuFamily::Ampere, [71.0, 0.0, 0.0], 24.0, 0.936, 82);
const A100_40: Gpu = gpu(GpuFamily::Ampere, [312.0, 0.0, 0.0], 40.0, 1.555, 108);
const A100_80: Gpu = gpu(GpuFamily::Ampere, [312.0, 0.0, 0.0], 80.0, 2.039, 108);
const H100: Gpu = gpu(GpuFamily::Hopper, [989.4, 1978.9, 0.0], 80.0, 3.35, 132);
const H100_96: Gpu = gpu(GpuFamily::Hopper, [989.4, 1978.9, 0.0], 96.0, 2.4, 132);
const H200: Gpu = gpu(GpuFamily::Hopper, [989.4, 1978.9, 0.0], 141.0, 4.8, 132);
const GH200: Gpu = gpu(GpuFamily::Hopper, [989.4, 1978.9, 0.0], 96.0, 4.0, 132);
const B200: Gpu = gpu(GpuFamily::Blackwell, [2250.0, 4500.0, 9000.0], 180.0, 8.0, 148);
const GB200: Gpu = gpu(GpuFamily::Blackwell, [2500.0, 5000.0, 10_000.0], 186.0, 8.0, 148);
const B300: Gpu = gpu(GpuFamily::BlackwellUltra, [2250.0, 4500.0, 13_500.0], 270.0, 8.0, 148);
const GB300: Gpu = gpu(GpuFamily::BlackwellUltra, [2500.0, 5000.0, 15_000.0], 279.0, 8.0, 148);
const MI300X: Gpu = gpu(GpuFamily::Cdna3, [1307.4, 2614.9, 0.0], 192.0, 5.3, 304);
const MI350X: Gpu = gpu(GpuFamily::Cdna4, [2300.0, 4600.0, 9200.0], 288.0, 8.0, 256);
const MI355X: Gpu = gpu(GpuFamily::Cdna4, [2500.0, 5000.0, 10_000.0], 288.0, 8.0, 256);

macro_rules! gpus {
    ($($name:literal, $label:literal, $source:literal, $gpu:expr;)+) => {
        &[$(GpuPreset { name: $name, label: $label, source: $source, gpu: $gpu }),+]
    };
}

/// Every GPU, by vendor and generation.
pub static GPUS: &[GpuPreset] = gpus! {
    "v100-32g", "V100 SXM2 32 GB",
        "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf", V100_SXM;
    "v100-32g-pcie", "V100 PCIe 32 GB",
        "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf", V100_PCIE;
    "rtx3090", "GeForce RTX 3090",
        "NVIDIA Ampere GA102 GPU Architecture white paper, table 3 (FP16 with FP32 accumulation)", RTX_3090;
    "a100-40g", "A100 SXM4 40 GB",
        "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf", A100_40;
    "a100-80g", "A100 SXM4 80 GB",
        "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf", A100_80;
    "h100-80g", "H100 SXM5 80 GB", "NVIDIA H100 Tensor Core GPU Architecture white paper, table 1; https://www.nvidia.com/en-us/data-center/h100/", H100;
    "h100-96g-hbm2e", "H100 96 GB HBM2e", "H100 with the memory of its 96 GB HBM2e variant (2.4 TB/s)", H100_96;
    "h200", "H200 SXM 141 GB", "https://www.nvidia.com/en-us/data-center/h200/", H200;
    "h800", "H800 SXM5 80 GB", "H100 with NVLink cut to 400 GB/s: https://arxiv.org/abs/2412.19437, section 3.1", H100;
    "gh200", "GH200 96 GB HBM3", "https://resources.nvidia.com/en-us-grace-cpu/grace-hopper-superchip", GH200;
    "b200", "B200 180 GB", "https://resources.nvidia.com/en-us-dgx-systems/dgx-b200-datasheet", B200;
    "b300", "B300 270 GB", "https://resources.nvidia.com/en-us-dgx-systems/dgx-b300-datasheet", B300;
    "gb200", "GB200 186 GB", "https://www.nvidia.com/en-us/data-center/gb200-nvl72/", GB200;
    "gb300", "GB300 279 GB", "https://www.nvidia.com/en-us/data-center/gb300-nvl72/", GB300;
    "mi300x", "Instinct MI300X 192 GB", "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html", MI300X;
    "mi350x", "Instinct MI350X 288 GB", "https://www.amd.com/en/products/accelerators/instinct/mi350/mi350x.html", MI350X;
    "mi355x", "Instinct MI355X 288 GB", "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html", MI355X;
};

/// A scale-up fabric that spans some GPUs, with the bandwidth of one of them in one direction, in GB/s.
const fn fabric(kind: ScaleUpKind, domain: u32, gigabytes: f64) -> ScaleUp {
    ScaleUp { kind, domain, bandwidth: BytesPerSecond::from_gigabytes(gigabytes) }
}

/// A network: ports of a node and their rate in Gb/s, protocol, nodes under a leaf, oversubscription.
const fn network(
    nics_per_node: u32,
    gigabits: f64,
    transport: Transport,
    leaf_nodes: u32,
    oversubscription: f64,
) -> Network {
    Network {
        nics_per_node,
        nic_bandwidth: BytesPerSecond::from_gigabits(gigabits),
        transport,
        leaf_nodes,
        oversubscription,
    }
}

const fn cluster(gpu: Gpu, gpus_per_node: u32, scale_up: ScaleUp, network: Network) -> Cluster {
    let host_link = BytesPerSecond::from_gigabytes(host_gigabytes(gpu.family));
    Cluster { gpu, gpus: gpus_per_node, gpus_per_node, scale_up, network, host_link }
}

/// PCIe x16 of a GPU's generation, GB/s in one direction: 3.0 for Volta, 4.0 for Ampere, 5.0 since, 6.0 for
/// Blackwell Ultra.
const fn host_gigabytes(family: GpuFamily) -> f64 {
    match family {
        GpuFamily::Volta => 15.75,
        GpuFamily::Ampere => 31.5,
        GpuFamily::Hopper | GpuFamily::Blackwell | GpuFamily::Cdna3 | GpuFamily::Cdna4 => 63.0,
        GpuFamily::BlackwellUltra => 126.0,
    }
}

/// A machine with another link to the host, GB/s in one direction.
const fn with_host_link(cluster: Cluster, gigabytes: f64) -> Cluster {
    Cluster { host_link: BytesPerSecond::from_gigabytes(gigabytes), ..cluster }
}

/// A node of eight GPUs on NVSwitch with one port per GPU, the make of DGX A100 and later.
const fn dgx(gpu: Gpu, nvlink: f64, port: f64, leaf_nodes: u32) -> Cluster {
    let network = network(8, port, Transport::InfiniBand, leaf_nodes, 1.0);
    cluster(gpu, 8, fabric(ScaleUpKind::NvLink, 8, nvlink), network)
}

/// NVL72 racks of 18 trays with four GPUs each, eight racks to a scalable unit.
const fn nvl72(gpu: Gpu, port: f64) -> Cluster {
    let network = network(4, port, Transport::InfiniBand, 144, 1.0);
    // NVLink-C2C: 900 GB/s of a processor in both directions, for two GPUs.
    with_host_link(cluster(gpu, 4, fabric(ScaleUpKind::NvLink, 72, 900.0), network), 225.0)
}

/// A node of eight MI300-class GPUs, each linked to the seven others, with one RoCE port per GPU.
const fn instinct(gpu: Gpu, xgmi: f64) -> Cluster {
    cluster(gpu, 8, fabric(ScaleUpKind::Xgmi, 8, xgmi), network(8, 400.0, Transport::Roce, 32, 1.0))
}

/// One machine type of APNet'24: one 100 Gb/s port shared by the machine's GPUs.
const fn apnet24(gpu: Gpu, gpus: u32, scale_up: ScaleUp) -> Cluster {
    with_host_link(cluster(gpu, gpus, scale_up, network(1, 100.0, Transport::Roce, 32, 1.0)), 15.75)
}

/// DGX H100.
pub(crate) const DGX_H100: Cluster = dgx(H100, 450.0, 400.0, 32);

macro_rules! clusters {
    ($($name:literal, $label:literal, $source:literal, $cluster:expr;)+) => {
        &[$(ClusterPreset { name: $name, label: $label, source: $source, cluster: $cluster }),+]
    };
}

/// Every machine, by vendor and generation, then named systems.
pub static CLUSTERS: &[ClusterPreset] = clusters! {
    "dgx-h100", "DGX H100 SuperPOD",
        "https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-h100/latest/ (scalable units of 32 nodes, rail-optimised NDR)",
        DGX_H100;
    "dgx-h200", "DGX H200 SuperPOD",
        "https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-h200/latest/",
        dgx(H200, 450.0, 400.0, 32);
    "dgx-b200", "DGX B200 SuperPOD",
        "https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-b200/latest/ (scalable units of 32 nodes, rail-optimised NDR)",
        dgx(B200, 900.0, 400.0, 32);
    "dgx-b300", "DGX B300 SuperPOD",
        "https://resources.nvidia.com/en-us-dgx-systems/dgx-b300-datasheet (8 ports of 800 Gb/s)",
        dgx(B300, 900.0, 800.0, 64);
    "gb200-nvl72", "GB200 NVL72",
        "https://www.nvidia.com/en-us/data-center/gb200-nvl72/; https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-gb200/latest/",
        nvl72(GB200, 400.0);
    "gb300-nvl72", "GB300 NVL72",
        "https://www.nvidia.com/en-us/data-center/gb300-nvl72/ (one 800 Gb/s port per GPU)",
        nvl72(GB300, 800.0);
    "hgx-h800", "HGX H800",
        "DeepSeek-V3 Technical Report, 2024, section 3.1: https://arxiv.org/abs/2412.19437",
        dgx(H100, 200.0, 400.0, 32);
    "dgx-a100-80g", "DGX A100 80 GB SuperPOD",
        "https://docs.nvidia.com/dgx-superpod-reference-architecture-dgx-a100.pdf (scalable units of 20 nodes, rail-optimised HDR)",
        dgx(A100_80, 300.0, 200.0, 20);
    "dgx-a100-40g", "DGX A100 40 GB SuperPOD",
        "https://docs.nvidia.com/dgx-superpod-reference-architecture-dgx-a100.pdf",
        dgx(A100_40, 300.0, 200.0, 20);
    "dgx1-v100", "DGX-1 V100 (NVLink)",
        "NVIDIA DGX-1 With Tesla V100 System Architecture white paper (6 NVLinks per GPU, 4 EDR ports)",
        cluster(V100_SXM, 8, fabric(ScaleUpKind::NvLink, 8, 150.0), network(4, 100.0, Transport::InfiniBand, 16, 1.0));
    "v100-pcie", "V100 PCIe server",
        "Eight cards on PCIe 3.0 x16 with one EDR port; https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
        cluster(V100_PCIE, 8, fabric(ScaleUpKind::Pcie, 8, 15.75), network(1, 100.0, Transport::InfiniBand, 32, 1.0));
    "mi300x", "MI300X platform",
        "https://www.amd.com/en/products/accelerators/instinct/mi300/platform.html (7 links of 64 GB/s per direction)",
        instinct(MI300X, 448.0);
    "mi350x", "MI350X platform",
        "https://www.amd.com/en/products/accelerators/instinct/mi350/mi350x.html (7 links of 76.8 GB/s per direction)",
        instinct(MI350X, 537.6);
    "mi355x", "MI355X platform",
        "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html (7 links of 76.8 GB/s per direction)",
        instinct(MI355X, 537.6);
    "perlmutter", "Perlmutter (A100 80 GB)",
        "https://docs.nersc.gov/systems/perlmutter/architecture/ (4 A100 and 4 Slingshot ports of 200 Gb/s per node)",
        cluster(A100_80, 4, fabric(ScaleUpKind::NvLink, 4, 300.0), network(4, 200.0, Transport::Slingshot, 128, 1.0));
    "perlmutter-40g", "Perlmutter (A100 40 GB)",
        "https://docs.nersc.gov/systems/perlmutter/architecture/",
        cluster(A100_40, 4, fabric(ScaleUpKind::NvLink, 4, 300.0), network(4, 200.0, Transport::Slingshot, 128, 1.0));
    "vista", "Vista (GH200)",
        "https://docs.tacc.utexas.edu/hpc/vista/ (1 GH200 and one NDR port of 400 Gb/s per node)",
        with_host_link(cluster(GH200, 1, fabric(ScaleUpKind::NvLink, 1, 450.0), network(1, 400.0, Transport::InfiniBand, 32, 1.0)), 450.0);
    "apnet24-rtx3090", "APNet'24, RTX 3090",
        "Understanding Communication Characteristics of Distributed Training, APNet'24, table 1 (PCIe 3.0 x16, no peer-to-peer)",
        apnet24(RTX_3090, 8, fabric(ScaleUpKind::PcieHost, 8, 15.75));
    "apnet24-v100-pcie", "APNet'24, V100 PCIe",
        "Understanding Communication Characteristics of Distributed Training, APNet'24, table 1",
        apnet24(V100_PCIE, 4, fabric(ScaleUpKind::Pcie, 4, 15.75));
    "apnet24-v100-nvlink", "APNet'24, V100 NVLink",
        "Understanding Communication Characteristics of Distributed Training, APNet'24, table 1",
        apnet24(V100_SXM, 4, fabric(ScaleUpKind::NvLink, 4, 150.0));
};
