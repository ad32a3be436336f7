//! Published GPUs and clusters: the rows of `data/gpus.tsv` and `data/machines.tsv`.

pub use super::gpus::GPUS;
pub use super::machines::CLUSTERS;

use super::{Cluster, Gpu};

/// A GPU by its data sheet.
#[derive(Debug, Clone, Copy)]
pub struct GpuPreset {
    /// Name in data files and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Words by which other programs and people name it: alternatives apart by slashes, their words by blanks.
    pub also: &'static str,
    /// Its figures.
    pub gpu: Gpu,
    /// Rated power of one with its memory, watts.
    pub board_power: f64,
    /// What one costs to rent for an hour, with its share of the machine, USD.
    pub price: f64,
    /// Name of the machine whose fabric and host link it has in a file of measured runs, which names GPUs only.
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

/// The GPU of that name.
pub fn find_gpu(name: &str) -> Option<&'static GpuPreset> {
    GPUS.iter().find(|preset| preset.name == name)
}

/// Where the price of a GPU is from.
pub fn price_source(gpu: &GpuPreset) -> &'static str {
    super::gpus::PRICE_SOURCES.iter().find(|row| row.0 == gpu.name).map_or("", |row| row.1)
}

/// The published GPU that a GPU is, or the one of its generation that is nearest to it: by the ratio of their 16-bit
/// peaks, then of their memories.
pub fn nearest_gpu(gpu: &Gpu) -> Option<&'static GpuPreset> {
    let apart = |one: f64, other: f64| (one / other).ln().abs();
    let distance = |preset: &GpuPreset| {
        let other = &preset.gpu;
        (other != gpu, apart(gpu.peak_bf16.0, other.peak_bf16.0), apart(gpu.memory.0, other.memory.0))
    };
    let own = GPUS.iter().filter(|preset| preset.gpu.family == gpu.family);
    own.min_by(|a, b| {
        let (a, b) = (distance(a), distance(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    })
}

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static ClusterPreset> {
    CLUSTERS.iter().find(|preset| preset.name == name)
}

/// Name of the machine that is exactly this cluster, whatever its number of GPUs.
pub fn name_of(cluster: &Cluster) -> Option<&'static str> {
    CLUSTERS.iter().find(|preset| preset.with_gpus(cluster.gpus) == *cluster).map(|preset| preset.name)
}
