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
    /// Its figures.
    pub gpu: Gpu,
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

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static ClusterPreset> {
    CLUSTERS.iter().find(|preset| preset.name == name)
}

/// Name of the machine that is exactly this cluster, whatever its number of GPUs.
pub fn name_of(cluster: &Cluster) -> Option<&'static str> {
    CLUSTERS.iter().find(|preset| preset.with_gpus(cluster.gpus) == *cluster).map(|preset| preset.name)
}
