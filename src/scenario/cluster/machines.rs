// Generated from data/machines.tsv by `cargo xtask data`: change the table, not this file.

//! Published machines.

use super::presets::ClusterPreset;
use super::{Cluster, HostProcessor, Network, ScaleUp, ScaleUpKind, ScaleUpTopology, Transport, gpus};
use crate::units::BytesPerSecond;

/// One node of DGX H100 SuperPOD.
pub(crate) const DGX_H100: Cluster = Cluster {
    gpu: gpus::H100_80G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of DGX H200 SuperPOD.
pub(crate) const DGX_H200: Cluster = Cluster {
    gpu: gpus::H200,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of H100 PCIe server.
pub(crate) const H100_PCIE: Cluster = Cluster {
    gpu: gpus::H100_80G_PCIE,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(63.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 2,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of H100 NVL server.
pub(crate) const H100_NVL: Cluster = Cluster {
    gpu: gpus::H100_94G_NVL,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(63.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 2,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of H200 NVL server.
pub(crate) const H200_NVL: Cluster = Cluster {
    gpu: gpus::H200_NVL,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(63.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 2,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of DGX B200 SuperPOD.
pub(crate) const DGX_B200: Cluster = Cluster {
    gpu: gpus::B200,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(900.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of DGX B300 SuperPOD.
pub(crate) const DGX_B300: Cluster = Cluster {
    gpu: gpus::B300,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(900.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(800.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 64,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(126.0),
    host: HostProcessor::X86,
};

/// One node of GB200 NVL72.
pub(crate) const GB200_NVL72: Cluster = Cluster {
    gpu: gpus::GB200,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 72,
        bandwidth: BytesPerSecond::from_gigabytes(900.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 144,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(225.0),
    host: HostProcessor::Grace,
};

/// One node of GB300 NVL72.
pub(crate) const GB300_NVL72: Cluster = Cluster {
    gpu: gpus::GB300,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 72,
        bandwidth: BytesPerSecond::from_gigabytes(900.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(800.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 144,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(225.0),
    host: HostProcessor::Grace,
};

/// One node of HGX H800.
pub(crate) const HGX_H800: Cluster = Cluster {
    gpu: gpus::H800,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(200.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of HGX H20.
pub(crate) const HGX_H20: Cluster = Cluster {
    gpu: gpus::H20,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of DGX A100 80 GB SuperPOD.
pub(crate) const DGX_A100_80G: Cluster = Cluster {
    gpu: gpus::A100_80G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 20,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of DGX A100 40 GB SuperPOD.
pub(crate) const DGX_A100_40G: Cluster = Cluster {
    gpu: gpus::A100_40G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 20,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of HGX A800.
pub(crate) const HGX_A800: Cluster = Cluster {
    gpu: gpus::A800_80G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(200.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 20,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of A100 PCIe server.
pub(crate) const A100_PCIE: Cluster = Cluster {
    gpu: gpus::A100_80G_PCIE,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of A30 server.
pub(crate) const A30: Cluster = Cluster {
    gpu: gpus::A30,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of A10 server.
pub(crate) const A10_PCIE: Cluster = Cluster {
    gpu: gpus::A10,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of AWS g5 (A10G).
pub(crate) const A10G: Cluster = Cluster {
    gpu: gpus::A10G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::PcieHost,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Efa,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of RTX A6000 workstation.
pub(crate) const RTXA6000: Cluster = Cluster {
    gpu: gpus::RTXA6000,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of RTX A5000 workstation.
pub(crate) const RTXA5000: Cluster = Cluster {
    gpu: gpus::RTXA5000,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of A40 server.
pub(crate) const A40: Cluster = Cluster {
    gpu: gpus::A40,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of L40S server.
pub(crate) const L40S: Cluster = Cluster {
    gpu: gpus::L40S,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of L40 server.
pub(crate) const L40: Cluster = Cluster {
    gpu: gpus::L40,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of L4 server.
pub(crate) const L4: Cluster = Cluster {
    gpu: gpus::L4,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Tcp,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of RTX 6000 Ada workstation.
pub(crate) const RTX6000ADA: Cluster = Cluster {
    gpu: gpus::RTX6000ADA,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of RTX 3090 server.
pub(crate) const RTX3090: Cluster = Cluster {
    gpu: gpus::RTX3090,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::PcieHost,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Tcp,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of RTX 4090 server.
pub(crate) const RTX4090: Cluster = Cluster {
    gpu: gpus::RTX4090,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::PcieHost,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(31.5),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Tcp,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of RTX 5090 server.
pub(crate) const RTX5090: Cluster = Cluster {
    gpu: gpus::RTX5090,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::PcieHost,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(63.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Tcp,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of RTX PRO 6000 server.
pub(crate) const RTXPRO6000: Cluster = Cluster {
    gpu: gpus::RTXPRO6000,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(63.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of DGX-1 V100 (NVLink).
pub(crate) const DGX1_V100: Cluster = Cluster {
    gpu: gpus::V100_32G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(150.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 16,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// One node of DGX-1 V100 16 GB.
pub(crate) const DGX1_V100_16G: Cluster = Cluster {
    gpu: gpus::V100_16G,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(150.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 16,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// One node of V100 PCIe server.
pub(crate) const V100_PCIE: Cluster = Cluster {
    gpu: gpus::V100_32G_PCIE,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(15.75),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// One node of T4 server.
pub(crate) const T4: Cluster = Cluster {
    gpu: gpus::T4,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(15.75),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Tcp,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// One node of Frontier, LUMI (MI250X).
pub(crate) const MI250X: Cluster = Cluster {
    gpu: gpus::MI250X,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Xgmi,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(100.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Slingshot,
        leaf_nodes: 128,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(36.0),
    host: HostProcessor::X86,
};

/// One node of MI210 server.
pub(crate) const MI210: Cluster = Cluster {
    gpu: gpus::MI210,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Xgmi,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(150.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of MI300X platform.
pub(crate) const MI300X: Cluster = Cluster {
    gpu: gpus::MI300X,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Xgmi,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(448.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of MI325X platform.
pub(crate) const MI325X: Cluster = Cluster {
    gpu: gpus::MI325X,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Xgmi,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(448.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of MI350X platform.
pub(crate) const MI350X: Cluster = Cluster {
    gpu: gpus::MI350X,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Xgmi,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(537.6),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of MI355X platform.
pub(crate) const MI355X: Cluster = Cluster {
    gpu: gpus::MI355X,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Xgmi,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(537.6),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 8,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of Perlmutter (A100 80 GB).
pub(crate) const PERLMUTTER: Cluster = Cluster {
    gpu: gpus::A100_80G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Slingshot,
        leaf_nodes: 128,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of Perlmutter (A100 40 GB).
pub(crate) const PERLMUTTER_40G: Cluster = Cluster {
    gpu: gpus::A100_40G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Slingshot,
        leaf_nodes: 128,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of Leonardo (A100 64 GB).
pub(crate) const LEONARDO: Cluster = Cluster {
    gpu: gpus::A100_64G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 180,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of JUWELS Booster (A100 40 GB).
pub(crate) const JUWELS_BOOSTER: Cluster = Cluster {
    gpu: gpus::A100_40G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 48,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of Polaris (A100 40 GB).
pub(crate) const POLARIS: Cluster = Cluster {
    gpu: gpus::A100_40G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(300.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 2,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Slingshot,
        leaf_nodes: 128,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(31.5),
    host: HostProcessor::X86,
};

/// One node of MareNostrum 5 (H100 64 GB).
pub(crate) const MARENOSTRUM5: Cluster = Cluster {
    gpu: gpus::H100_64G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 160,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(63.0),
    host: HostProcessor::X86,
};

/// One node of Vista (GH200).
pub(crate) const VISTA: Cluster = Cluster {
    gpu: gpus::GH200,
    gpus: 1,
    gpus_per_node: 1,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 1,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(450.0),
    host: HostProcessor::Grace,
};

/// One node of Alps (GH200).
pub(crate) const ALPS: Cluster = Cluster {
    gpu: gpus::GH200_680W,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::Slingshot,
        leaf_nodes: 128,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(450.0),
    host: HostProcessor::Grace,
};

/// One node of JUPITER (GH200).
pub(crate) const JUPITER: Cluster = Cluster {
    gpu: gpus::GH200_680W,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Mesh,
    },
    network: Network {
        nics_per_node: 4,
        nic_bandwidth: BytesPerSecond::from_gigabits(200.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 240,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(450.0),
    host: HostProcessor::Grace,
};

/// One node of GH200 144 GB server.
pub(crate) const GH200_144G: Cluster = Cluster {
    gpu: gpus::GH200_144G,
    gpus: 1,
    gpus_per_node: 1,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 1,
        bandwidth: BytesPerSecond::from_gigabytes(450.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(400.0),
        transport: Transport::InfiniBand,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(450.0),
    host: HostProcessor::Grace,
};

/// One node of APNet'24, RTX 3090.
pub(crate) const APNET24_RTX3090: Cluster = Cluster {
    gpu: gpus::RTX3090,
    gpus: 8,
    gpus_per_node: 8,
    scale_up: ScaleUp {
        kind: ScaleUpKind::PcieHost,
        domain: 8,
        bandwidth: BytesPerSecond::from_gigabytes(15.75),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// One node of APNet'24, V100 PCIe.
pub(crate) const APNET24_V100_PCIE: Cluster = Cluster {
    gpu: gpus::V100_32G_PCIE,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::Pcie,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(15.75),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// One node of APNet'24, V100 NVLink.
pub(crate) const APNET24_V100_NVLINK: Cluster = Cluster {
    gpu: gpus::V100_32G,
    gpus: 4,
    gpus_per_node: 4,
    scale_up: ScaleUp {
        kind: ScaleUpKind::NvLink,
        domain: 4,
        bandwidth: BytesPerSecond::from_gigabytes(150.0),
        topology: ScaleUpTopology::Switch,
    },
    network: Network {
        nics_per_node: 1,
        nic_bandwidth: BytesPerSecond::from_gigabits(100.0),
        transport: Transport::Roce,
        leaf_nodes: 32,
        oversubscription: 1.0,
    },
    host_link: BytesPerSecond::from_gigabytes(15.75),
    host: HostProcessor::X86,
};

/// Every machine, by vendor and generation, then named systems.
pub static CLUSTERS: &[ClusterPreset] = &[
    ClusterPreset { name: "dgx-h100", label: "DGX H100 SuperPOD", cluster: DGX_H100 },
    ClusterPreset { name: "dgx-h200", label: "DGX H200 SuperPOD", cluster: DGX_H200 },
    ClusterPreset { name: "h100-pcie", label: "H100 PCIe server", cluster: H100_PCIE },
    ClusterPreset { name: "h100-nvl", label: "H100 NVL server", cluster: H100_NVL },
    ClusterPreset { name: "h200-nvl", label: "H200 NVL server", cluster: H200_NVL },
    ClusterPreset { name: "dgx-b200", label: "DGX B200 SuperPOD", cluster: DGX_B200 },
    ClusterPreset { name: "dgx-b300", label: "DGX B300 SuperPOD", cluster: DGX_B300 },
    ClusterPreset { name: "gb200-nvl72", label: "GB200 NVL72", cluster: GB200_NVL72 },
    ClusterPreset { name: "gb300-nvl72", label: "GB300 NVL72", cluster: GB300_NVL72 },
    ClusterPreset { name: "hgx-h800", label: "HGX H800", cluster: HGX_H800 },
    ClusterPreset { name: "hgx-h20", label: "HGX H20", cluster: HGX_H20 },
    ClusterPreset { name: "dgx-a100-80g", label: "DGX A100 80 GB SuperPOD", cluster: DGX_A100_80G },
    ClusterPreset { name: "dgx-a100-40g", label: "DGX A100 40 GB SuperPOD", cluster: DGX_A100_40G },
    ClusterPreset { name: "hgx-a800", label: "HGX A800", cluster: HGX_A800 },
    ClusterPreset { name: "a100-pcie", label: "A100 PCIe server", cluster: A100_PCIE },
    ClusterPreset { name: "a30", label: "A30 server", cluster: A30 },
    ClusterPreset { name: "a10-pcie", label: "A10 server", cluster: A10_PCIE },
    ClusterPreset { name: "a10g", label: "AWS g5 (A10G)", cluster: A10G },
    ClusterPreset { name: "rtxa6000", label: "RTX A6000 workstation", cluster: RTXA6000 },
    ClusterPreset { name: "rtxa5000", label: "RTX A5000 workstation", cluster: RTXA5000 },
    ClusterPreset { name: "a40", label: "A40 server", cluster: A40 },
    ClusterPreset { name: "l40s", label: "L40S server", cluster: L40S },
    ClusterPreset { name: "l40", label: "L40 server", cluster: L40 },
    ClusterPreset { name: "l4", label: "L4 server", cluster: L4 },
    ClusterPreset { name: "rtx6000ada", label: "RTX 6000 Ada workstation", cluster: RTX6000ADA },
    ClusterPreset { name: "rtx3090", label: "RTX 3090 server", cluster: RTX3090 },
    ClusterPreset { name: "rtx4090", label: "RTX 4090 server", cluster: RTX4090 },
    ClusterPreset { name: "rtx5090", label: "RTX 5090 server", cluster: RTX5090 },
    ClusterPreset { name: "rtxpro6000", label: "RTX PRO 6000 server", cluster: RTXPRO6000 },
    ClusterPreset { name: "dgx1-v100", label: "DGX-1 V100 (NVLink)", cluster: DGX1_V100 },
    ClusterPreset { name: "dgx1-v100-16g", label: "DGX-1 V100 16 GB", cluster: DGX1_V100_16G },
    ClusterPreset { name: "v100-pcie", label: "V100 PCIe server", cluster: V100_PCIE },
    ClusterPreset { name: "t4", label: "T4 server", cluster: T4 },
    ClusterPreset { name: "mi250x", label: "Frontier, LUMI (MI250X)", cluster: MI250X },
    ClusterPreset { name: "mi210", label: "MI210 server", cluster: MI210 },
    ClusterPreset { name: "mi300x", label: "MI300X platform", cluster: MI300X },
    ClusterPreset { name: "mi325x", label: "MI325X platform", cluster: MI325X },
    ClusterPreset { name: "mi350x", label: "MI350X platform", cluster: MI350X },
    ClusterPreset { name: "mi355x", label: "MI355X platform", cluster: MI355X },
    ClusterPreset { name: "perlmutter", label: "Perlmutter (A100 80 GB)", cluster: PERLMUTTER },
    ClusterPreset { name: "perlmutter-40g", label: "Perlmutter (A100 40 GB)", cluster: PERLMUTTER_40G },
    ClusterPreset { name: "leonardo", label: "Leonardo (A100 64 GB)", cluster: LEONARDO },
    ClusterPreset { name: "juwels-booster", label: "JUWELS Booster (A100 40 GB)", cluster: JUWELS_BOOSTER },
    ClusterPreset { name: "polaris", label: "Polaris (A100 40 GB)", cluster: POLARIS },
    ClusterPreset { name: "marenostrum5", label: "MareNostrum 5 (H100 64 GB)", cluster: MARENOSTRUM5 },
    ClusterPreset { name: "vista", label: "Vista (GH200)", cluster: VISTA },
    ClusterPreset { name: "alps", label: "Alps (GH200)", cluster: ALPS },
    ClusterPreset { name: "jupiter", label: "JUPITER (GH200)", cluster: JUPITER },
    ClusterPreset { name: "gh200-144g", label: "GH200 144 GB server", cluster: GH200_144G },
    ClusterPreset { name: "apnet24-rtx3090", label: "APNet'24, RTX 3090", cluster: APNET24_RTX3090 },
    ClusterPreset { name: "apnet24-v100-pcie", label: "APNet'24, V100 PCIe", cluster: APNET24_V100_PCIE },
    ClusterPreset {
        name: "apnet24-v100-nvlink",
        label: "APNet'24, V100 NVLink",
        cluster: APNET24_V100_NVLINK,
    },
];
