//! Link rates of a machine under one software stack.

use crate::constants::Constants;
use crate::scenario::cluster::{Cluster, ScaleUpKind, ScaleUpTopology, Transport};

/// Rates of the links, per GPU and direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    pub(super) scale_up_rate: f64,
    /// Between two GPUs with no other traffic.
    pub(super) pair_rate: f64,
    pub(super) small_group_loss: f64,
    pub(super) small_group_reduce: f64,
    pub(super) nvls_gain: f64,
    /// Largest tensor per rank that the low-latency protocol carries, bytes.
    pub(super) low_latency_most: f64,
    /// Rate of the low-latency protocol relative to the bulk protocol.
    pub(super) low_latency_ratio: f64,
    /// Fixed time and time per hop of the low-latency and of the bulk protocol.
    pub(super) latency: [f64; 2],
    pub(super) hop: [f64; 2],
    pub(super) scale_up_half: f64,
    pub(super) all_to_all_ratio: f64,
    pub(super) all_to_all_half: f64,
    pub(super) all_to_all_fill: f64,
    pub(super) dispatcher_ratio: f64,
    /// Between a GPU and its host.
    pub(super) host_rate: f64,
    /// Bytes per second of a GPU's share of its machine's network.
    pub(super) network_rate: f64,
    /// Bytes per second of one GPU that sends alone: a NIC's rate, or its share if it has several.
    pub(super) nic_rate: f64,
    pub(super) network_latency: f64,
    pub(super) network_half: f64,
    pub(super) leaf_gpus: f64,
    pub(super) oversubscription: f64,
    pub(super) tier_loss: f64,
    /// Whether a machine has fewer NICs than GPUs.
    pub(super) shares_nics: bool,
}

/// Share of a port's rate that sockets reach, `r / (r + port)` for a thread that copies r bytes per second: copies and
/// the wire alternate. A port has one thread (NCCL's `NCCL_SOCKET_NTHREADS`), whatever its speed.
fn under_copies(port: f64, c: &Constants) -> f64 {
    let copies = c.network_socket_rate.max(f64::MIN_POSITIVE);
    copies / (copies + port.max(0.0))
}

impl Links {
    pub(super) fn new(cluster: &Cluster, c: &Constants, age: f64) -> Self {
        let network = &cluster.network;
        let transport = match network.transport {
            Transport::InfiniBand => c.network_efficiency_infiniband,
            Transport::Roce | Transport::Tcpx => c.network_efficiency_roce,
            Transport::Slingshot => c.network_efficiency_slingshot,
            Transport::OmniPath => c.network_efficiency_omni_path,
            Transport::Efa => c.network_efficiency_efa,
            Transport::Tcp => under_copies(network.nic_bandwidth.0, c),
        };
        let of = cluster.gpu.family.generation();
        let (efficiency, nvls_gain) = match cluster.scale_up.kind {
            ScaleUpKind::NvLink => ((of.scale_up_efficiency)(c), (of.scale_up_nvls_gain)(c)),
            ScaleUpKind::Xgmi => (c.scale_up_efficiency_xgmi, 1.0),
            ScaleUpKind::Pcie => (c.scale_up_efficiency_pcie, 1.0),
            ScaleUpKind::PcieHost => (c.scale_up_efficiency_pcie_host, 1.0),
        };
        let tier_loss = match cluster.scale_up.kind {
            ScaleUpKind::NvLink | ScaleUpKind::Xgmi => c.tier_overlap_loss,
            ScaleUpKind::Pcie | ScaleUpKind::PcieHost => c.tier_overlap_loss_pcie,
        };
        // Only a switch reduces.
        let switched = cluster.scale_up.topology == ScaleUpTopology::Switch;
        let nvls_gain = if switched { nvls_gain } else { 1.0 };
        let latency = (of.scale_up_latency)(c);
        let per_node = f64::from(cluster.gpus_per_node.max(1));
        let rate = cluster.scale_up.bandwidth.0 * efficiency;
        let network_rate = cluster.node_bandwidth().0 / per_node * transport / age;
        Self {
            scale_up_rate: rate / age,
            pair_rate: cluster.scale_up.pair_bandwidth().0 * efficiency / age,
            small_group_loss: (of.scale_up_small_group_loss)(c),
            small_group_reduce: c.scale_up_small_group_reduce,
            nvls_gain,
            low_latency_most: (of.scale_up_switch)(c),
            low_latency_ratio: c.scale_up_low_latency_ratio,
            latency: [latency, latency * c.scale_up_latency_bulk],
            hop: [c.scale_up_hop_latency, (of.scale_up_fill)(c)],
            scale_up_half: rate * (of.scale_up_ramp)(c),
            all_to_all_ratio: c.all_to_all_ratio,
            all_to_all_half: c.all_to_all_half,
            all_to_all_fill: c.all_to_all_fill,
            dispatcher_ratio: c.dispatcher_ratio,
            host_rate: cluster.host_link.0 * c.host_link_efficiency,
            network_rate,
            nic_rate: (network.nic_bandwidth.0 * transport / age).max(network_rate),
            network_latency: c.network_latency,
            network_half: c.network_half_size,
            leaf_gpus: f64::from(network.leaf_nodes.max(1)) * per_node,
            oversubscription: network.oversubscription.max(1.0),
            tier_loss,
            shares_nics: network.nics_per_node < cluster.gpus_per_node,
        }
    }
}
