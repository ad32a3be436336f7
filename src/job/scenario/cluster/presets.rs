//! Published GPUs and clusters: the rows of `data/gpus.tsv` and `data/machines.tsv`.

pub use super::gpus::GPUS;
pub use super::machines::CLUSTERS;

use super::{
    Cluster, Gpu, GpuFamily, HostProcessor, Network, ScaleUp, ScaleUpKind, ScaleUpTopology, Transport,
};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

/// A GPU by its data sheet.
#[derive(Debug, Clone, Copy)]
pub struct GpuPreset {
    /// Name in data files and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Other names of it: alternatives separated by slashes, their words by blanks.
    pub also: &'static str,
    /// Its figures.
    pub gpu: Gpu,
    /// Rated power of one including memory, watts.
    pub board_power: f64,
    /// Rental price of one for an hour, including its share of the machine, USD.
    pub price: f64,
    /// Name of the machine with its fabric and host link, for files of measured runs, which name GPUs only.
    pub machine: Option<&'static str>,
}

/// A published machine.
#[derive(Debug, Clone, Copy)]
pub struct ClusterPreset {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Its make-up, with one node.
    pub cluster: Cluster,
}

impl ClusterPreset {
    /// The machine with that many GPUs.
    pub fn with_gpus(&self, gpus: u32) -> Cluster {
        Cluster { gpus, ..self.cluster }
    }
}

/// GPUs by their data sheets: a constant for the figures of each, the fields of its [`GpuPreset`] and the source of its price.
macro_rules! gpus {
    ($(
        $constant:ident = $name:literal, $label:literal, $also:literal, $gpu:expr, $board_power:literal, $price:literal,
        $machine:expr, $source:literal;
    )+) => {
        $(pub(super) const $constant: Gpu = $gpu;)+

        /// Every GPU, by vendor and generation.
        pub static GPUS: &[GpuPreset] = &[$(GpuPreset {
            name: $name,
            label: $label,
            also: $also,
            gpu: $constant,
            board_power: $board_power,
            price: $price,
            machine: $machine,
        },)+];

        /// Source of each GPU's price, by name. Separate from the list because the page does not need it.
        pub(super) static PRICE_SOURCES: &[(&str, &str)] = &[$(($name, $source),)+];
    };
}

/// Published machines: a constant for one node of each, its name, its name for people and the node.
macro_rules! machines {
    ($($constant:ident = $name:literal, $label:literal, $node:expr;)+) => {
        $(
            #[doc = concat!("One node of ", $label, ".")]
            pub(crate) const $constant: Cluster = $node;
        )+

        /// Every machine, by vendor and generation, then named systems.
        pub static CLUSTERS: &[ClusterPreset] =
            &[$(ClusterPreset { name: $name, label: $label, cluster: $constant },)+];
    };
}

pub(super) use {gpus, machines};

/// A GPU: TFLOP/s in 16, 8 and 4 bits, memory in GiB and its bandwidth in TB/s, multiprocessors, power in per cent of
/// the power at which its generation was measured.
pub(super) const fn gpu(
    [peak_bf16, peak_fp8, peak_fp4]: [f64; 3],
    memory: f64,
    bandwidth: f64,
    sms: u32,
    power: u32,
    family: GpuFamily,
) -> Gpu {
    Gpu {
        peak_bf16: FlopsPerSecond::from_tera(peak_bf16),
        peak_fp8: FlopsPerSecond::from_tera(peak_fp8),
        peak_fp4: FlopsPerSecond::from_tera(peak_fp4),
        memory: Bytes::from_gib(memory),
        memory_bandwidth: BytesPerSecond::from_gigabytes(bandwidth * 1e3),
        sms,
        power,
        family,
    }
}

/// One node of this many GPUs, with this bandwidth between a GPU and the host's memory, GB/s.
pub(super) const fn node(
    gpu: Gpu,
    gpus: u32,
    scale_up: ScaleUp,
    network: Network,
    host_link: f64,
    host: HostProcessor,
) -> Cluster {
    let host_link = BytesPerSecond::from_gigabytes(host_link);
    Cluster { gpu, gpus, gpus_per_node: gpus, scale_up, network, host_link, host, host_memory: Bytes::ZERO }
}

/// A scale-up fabric of this many GPUs, with GB/s per GPU.
pub(super) const fn fabric(
    kind: ScaleUpKind,
    domain: u32,
    bandwidth: f64,
    topology: ScaleUpTopology,
) -> ScaleUp {
    ScaleUp { kind, domain, bandwidth: BytesPerSecond::from_gigabytes(bandwidth), topology }
}

/// A network with this port rate, Gb/s, and this many nodes per leaf switch.
pub(super) const fn network(
    nics_per_node: u32,
    port: f64,
    transport: Transport,
    leaf_nodes: u32,
    oversubscription: f64,
) -> Network {
    let nic_bandwidth = BytesPerSecond::from_gigabits(port);
    Network { nics_per_node, nic_bandwidth, transport, leaf_nodes, oversubscription }
}

/// The GPU of that name.
pub fn find_gpu(name: &str) -> Option<&'static GpuPreset> {
    GPUS.iter().find(|preset| preset.name == name)
}

/// Source of a GPU's price.
pub fn price_source(gpu: &GpuPreset) -> &'static str {
    super::gpus::PRICE_SOURCES.iter().find(|row| row.0 == gpu.name).map_or("", |row| row.1)
}

/// The published GPU equal to a GPU, or the most similar of its generation: by the ratio of 16-bit peaks, then of
/// memories.
pub fn nearest_gpu(gpu: &Gpu) -> Option<&'static GpuPreset> {
    let apart = |one: f64, other: f64| (one / other).ln().abs();
    let distance = |preset: &GpuPreset| {
        let other = &preset.gpu;
        (apart(gpu.peak_bf16.0, other.peak_bf16.0), apart(gpu.memory.0, other.memory.0))
    };
    let equal = GPUS.iter().find(|preset| preset.gpu == *gpu);
    equal.or_else(|| {
        let own = GPUS.iter().filter(|preset| preset.gpu.family == gpu.family);
        own.min_by(|a, b| {
            let (a, b) = (distance(a), distance(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    })
}

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static ClusterPreset> {
    CLUSTERS.iter().find(|preset| preset.name == name)
}

/// Name of the machine that equals this cluster, ignoring the number of GPUs.
pub fn name_of(cluster: &Cluster) -> Option<&'static str> {
    CLUSTERS.iter().find(|preset| preset.with_gpus(cluster.gpus) == *cluster).map(|preset| preset.name)
}
