//! The machines: GPU, node, scale-up domain and network.

mod generation;
mod generations;
mod gpus;
pub mod instance;
mod instances;
pub(crate) mod machines;
pub mod presets;

pub use generation::{Calibrated, Generation};
pub use generations::GpuFamily;

use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};
use serde::{Deserialize, Serialize};

/// A homogeneous cluster.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// The accelerator.
    pub gpu: Gpu,
    /// Accelerators the job uses.
    pub gpus: u32,
    /// Accelerators in one node (one host).
    pub gpus_per_node: u32,
    /// The fabric inside a node or rack.
    pub scale_up: ScaleUp,
    /// The network between nodes.
    pub network: Network,
    /// Bandwidth between one GPU and the host's memory, in one direction.
    pub host_link: BytesPerSecond,
    /// The host's processor.
    pub host: HostProcessor,
    /// Memory of one node's host; zero if it is not known.
    pub host_memory: Bytes,
}

/// An accelerator, by its data sheet. All rates are dense (no sparsity).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    /// Peak rate of 16-bit matrix products.
    pub peak_bf16: FlopsPerSecond,
    /// Peak rate of FP8 matrix products; zero when the GPU has none.
    pub peak_fp8: FlopsPerSecond,
    /// Peak rate of FP4 matrix products; zero when the GPU has none.
    pub peak_fp4: FlopsPerSecond,
    /// Device memory.
    pub memory: Bytes,
    /// Device memory bandwidth.
    pub memory_bandwidth: BytesPerSecond,
    /// Streaming multiprocessors (compute units on AMD).
    pub sms: u32,
    /// Power limit relative to the power at which its generation's rates were measured, per cent.
    pub power: u32,
    /// Which generation's kernels run on it.
    pub family: GpuFamily,
}

/// The fabric that connects GPUs more tightly than the network.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScaleUp {
    /// What it is made of.
    pub kind: ScaleUpKind,
    /// GPUs that share it (8 in a DGX node, 72 in an NVL72 rack).
    pub domain: u32,
    /// Bandwidth of one GPU in one direction.
    pub bandwidth: BytesPerSecond,
    /// How two of them are connected.
    pub topology: ScaleUpTopology,
}

/// How the GPUs of a scale-up fabric are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleUpTopology {
    /// A switch: a group of any size has all of a GPU's bandwidth.
    Switch,
    /// Links from every GPU to every other: a group has those between its members.
    Mesh,
}

impl ScaleUp {
    /// Bandwidth between two GPUs with no other traffic, in one direction.
    pub fn pair_bandwidth(&self) -> BytesPerSecond {
        match self.topology {
            ScaleUpTopology::Switch => self.bandwidth,
            ScaleUpTopology::Mesh => self.bandwidth / f64::from(self.domain.saturating_sub(1).max(1)),
        }
    }

    /// The fabric among `domain` of its GPUs: part of a mesh is a mesh with the same links.
    #[must_use]
    pub fn among(&self, domain: u32) -> Self {
        let part = self.topology == ScaleUpTopology::Mesh && (2..self.domain).contains(&domain);
        let bandwidth = if part { self.pair_bandwidth() * f64::from(domain - 1) } else { self.bandwidth };
        Self { domain, bandwidth, ..*self }
    }
}

/// The CPU that runs the host's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HostProcessor {
    /// Xeon or EPYC.
    X86,
    /// NVIDIA Grace, of GH200, GB200 and GB300.
    Grace,
}

/// Technology of the scale-up fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleUpKind {
    /// NVLink.
    NvLink,
    /// AMD Infinity Fabric links.
    Xgmi,
    /// PCIe with GPU peer-to-peer.
    Pcie,
    /// PCIe through host memory (no GPU peer-to-peer, as on GeForce cards).
    PcieHost,
}

impl ScaleUpKind {
    /// Whether a fabric of this kind can connect hosts: NVLink does in racks with NVLink switches, PCIe and Infinity
    /// Fabric never do.
    pub fn joins_hosts(self) -> bool {
        self == Self::NvLink
    }
}

/// The network between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Network ports of one node.
    pub nics_per_node: u32,
    /// Rate of one port in one direction.
    pub nic_bandwidth: BytesPerSecond,
    /// Protocol.
    pub transport: Transport,
    /// Nodes under one leaf switch (or rail group) before traffic crosses the spine.
    pub leaf_nodes: u32,
    /// Down-link over up-link bandwidth at the leaf: 1 is non-blocking.
    pub oversubscription: f64,
}

/// Network protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// InfiniBand with GPUDirect RDMA.
    InfiniBand,
    /// RDMA over converged Ethernet.
    Roce,
    /// HPE Slingshot.
    Slingshot,
    /// Omni-Path of 100 Gb/s a port.
    #[serde(rename = "omni-path")]
    OmniPath,
    /// AWS EFA.
    Efa,
    /// Kernel TCP.
    Tcp,
    /// TCP whose payload the NIC writes directly into the GPUs' memory (Google's GPUDirect-TCPX and TCPXO).
    Tcpx,
}

impl Cluster {
    /// Whether the scale-up fabric reaches beyond one host.
    pub fn fabric_joins_hosts(&self) -> bool {
        self.scale_up.domain > self.gpus_per_node
    }

    /// The cluster with a scale-up fabric that ends at its hosts.
    #[must_use]
    pub fn with_fabric_in_hosts(self) -> Self {
        let scale_up =
            if self.fabric_joins_hosts() { self.scale_up.among(self.gpus_per_node) } else { self.scale_up };
        Self { scale_up, ..self }
    }

    /// Nodes of the job (a partly used last node counts).
    pub fn nodes(&self) -> u32 {
        self.gpus.div_ceil(self.gpus_per_node.max(1))
    }

    /// Network bandwidth of one node in one direction.
    pub fn node_bandwidth(&self) -> BytesPerSecond {
        self.network.nic_bandwidth * f64::from(self.network.nics_per_node)
    }
}
