// Generated from data/machines.tsv by `cargo xtask data`: change the table, not this file.

//! Published machines.

use super::presets::{ClusterPreset, fabric, machines, network, node};
use super::{Cluster, HostProcessor, ScaleUpKind, ScaleUpTopology, Transport, gpus};

machines! {
DGX_H100 = "dgx-h100", "DGX H100 SuperPOD", node(gpus::H100_80G, 8, fabric(ScaleUpKind::NvLink, 8, 450.0, ScaleUpTopology::Switch), network(8, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
DGX_H200 = "dgx-h200", "DGX H200 SuperPOD", node(gpus::H200, 8, fabric(ScaleUpKind::NvLink, 8, 450.0, ScaleUpTopology::Switch), network(8, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
H100_PCIE = "h100-pcie", "H100 PCIe server", node(gpus::H100_80G_PCIE, 8, fabric(ScaleUpKind::Pcie, 8, 63.0, ScaleUpTopology::Switch), network(2, 200.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
H100_NVL = "h100-nvl", "H100 NVL server", node(gpus::H100_94G_NVL, 8, fabric(ScaleUpKind::Pcie, 8, 63.0, ScaleUpTopology::Switch), network(2, 200.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
H200_NVL = "h200-nvl", "H200 NVL server", node(gpus::H200_NVL, 8, fabric(ScaleUpKind::Pcie, 8, 63.0, ScaleUpTopology::Switch), network(2, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
DGX_B200 = "dgx-b200", "DGX B200 SuperPOD", node(gpus::B200, 8, fabric(ScaleUpKind::NvLink, 8, 900.0, ScaleUpTopology::Switch), network(8, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
DGX_B300 = "dgx-b300", "DGX B300 SuperPOD", node(gpus::B300, 8, fabric(ScaleUpKind::NvLink, 8, 900.0, ScaleUpTopology::Switch), network(8, 800.0, Transport::InfiniBand, 64, 1.0), 126.0, HostProcessor::X86);
GB200_NVL72 = "gb200-nvl72", "GB200 NVL72", node(gpus::GB200, 4, fabric(ScaleUpKind::NvLink, 72, 900.0, ScaleUpTopology::Switch), network(4, 400.0, Transport::InfiniBand, 144, 1.0), 225.0, HostProcessor::Grace);
GB300_NVL72 = "gb300-nvl72", "GB300 NVL72", node(gpus::GB300, 4, fabric(ScaleUpKind::NvLink, 72, 900.0, ScaleUpTopology::Switch), network(4, 800.0, Transport::InfiniBand, 144, 1.0), 225.0, HostProcessor::Grace);
HGX_H800 = "hgx-h800", "HGX H800", node(gpus::H800, 8, fabric(ScaleUpKind::NvLink, 8, 200.0, ScaleUpTopology::Switch), network(8, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
HGX_H20 = "hgx-h20", "HGX H20", node(gpus::H20, 8, fabric(ScaleUpKind::NvLink, 8, 450.0, ScaleUpTopology::Switch), network(8, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
DGX_A100_80G = "dgx-a100-80g", "DGX A100 80 GB SuperPOD", node(gpus::A100_80G, 8, fabric(ScaleUpKind::NvLink, 8, 300.0, ScaleUpTopology::Switch), network(8, 200.0, Transport::InfiniBand, 20, 1.0), 31.5, HostProcessor::X86);
DGX_A100_40G = "dgx-a100-40g", "DGX A100 40 GB SuperPOD", node(gpus::A100_40G, 8, fabric(ScaleUpKind::NvLink, 8, 300.0, ScaleUpTopology::Switch), network(8, 200.0, Transport::InfiniBand, 20, 1.0), 31.5, HostProcessor::X86);
HGX_A800 = "hgx-a800", "HGX A800", node(gpus::A800_80G, 8, fabric(ScaleUpKind::NvLink, 8, 200.0, ScaleUpTopology::Switch), network(8, 200.0, Transport::InfiniBand, 20, 1.0), 31.5, HostProcessor::X86);
A100_PCIE = "a100-pcie", "A100 PCIe server", node(gpus::A100_80G_PCIE, 8, fabric(ScaleUpKind::Pcie, 8, 31.5, ScaleUpTopology::Switch), network(1, 200.0, Transport::InfiniBand, 32, 1.0), 31.5, HostProcessor::X86);
A30 = "a30", "A30 server", node(gpus::A30, 4, fabric(ScaleUpKind::Pcie, 4, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::InfiniBand, 32, 1.0), 31.5, HostProcessor::X86);
A10_PCIE = "a10-pcie", "A10 server", node(gpus::A10, 4, fabric(ScaleUpKind::Pcie, 4, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 31.5, HostProcessor::X86);
A10G = "a10g", "AWS g5 (A10G)", node(gpus::A10G, 8, fabric(ScaleUpKind::PcieHost, 8, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Efa, 32, 1.0), 31.5, HostProcessor::X86);
RTXA6000 = "rtxa6000", "RTX A6000 workstation", node(gpus::RTXA6000, 4, fabric(ScaleUpKind::Pcie, 4, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 31.5, HostProcessor::X86);
RTXA5000 = "rtxa5000", "RTX A5000 workstation", node(gpus::RTXA5000, 4, fabric(ScaleUpKind::Pcie, 4, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 31.5, HostProcessor::X86);
A40 = "a40", "A40 server", node(gpus::A40, 8, fabric(ScaleUpKind::Pcie, 8, 31.5, ScaleUpTopology::Switch), network(1, 200.0, Transport::InfiniBand, 32, 1.0), 31.5, HostProcessor::X86);
L40S = "l40s", "L40S server", node(gpus::L40S, 8, fabric(ScaleUpKind::Pcie, 8, 31.5, ScaleUpTopology::Switch), network(4, 200.0, Transport::Roce, 32, 1.0), 31.5, HostProcessor::X86);
L40 = "l40", "L40 server", node(gpus::L40, 8, fabric(ScaleUpKind::Pcie, 8, 31.5, ScaleUpTopology::Switch), network(4, 200.0, Transport::Roce, 32, 1.0), 31.5, HostProcessor::X86);
L4 = "l4", "L4 server", node(gpus::L4, 8, fabric(ScaleUpKind::Pcie, 8, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Tcp, 32, 1.0), 31.5, HostProcessor::X86);
RTX6000ADA = "rtx6000ada", "RTX 6000 Ada workstation", node(gpus::RTX6000ADA, 4, fabric(ScaleUpKind::Pcie, 4, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 31.5, HostProcessor::X86);
RTX3090 = "rtx3090", "RTX 3090 server", node(gpus::RTX3090, 8, fabric(ScaleUpKind::PcieHost, 8, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Tcp, 32, 1.0), 31.5, HostProcessor::X86);
RTX4090 = "rtx4090", "RTX 4090 server", node(gpus::RTX4090, 8, fabric(ScaleUpKind::PcieHost, 8, 31.5, ScaleUpTopology::Switch), network(1, 100.0, Transport::Tcp, 32, 1.0), 31.5, HostProcessor::X86);
RTX5090 = "rtx5090", "RTX 5090 server", node(gpus::RTX5090, 8, fabric(ScaleUpKind::PcieHost, 8, 63.0, ScaleUpTopology::Switch), network(1, 100.0, Transport::Tcp, 32, 1.0), 63.0, HostProcessor::X86);
RTXPRO6000 = "rtxpro6000", "RTX PRO 6000 server", node(gpus::RTXPRO6000, 8, fabric(ScaleUpKind::Pcie, 8, 63.0, ScaleUpTopology::Switch), network(4, 400.0, Transport::InfiniBand, 32, 1.0), 63.0, HostProcessor::X86);
DGX1_V100 = "dgx1-v100", "DGX-1 V100 (NVLink)", node(gpus::V100_32G, 8, fabric(ScaleUpKind::NvLink, 8, 150.0, ScaleUpTopology::Switch), network(4, 100.0, Transport::InfiniBand, 16, 1.0), 15.75, HostProcessor::X86);
DGX1_V100_16G = "dgx1-v100-16g", "DGX-1 V100 16 GB", node(gpus::V100_16G, 8, fabric(ScaleUpKind::NvLink, 8, 150.0, ScaleUpTopology::Switch), network(4, 100.0, Transport::InfiniBand, 16, 1.0), 15.75, HostProcessor::X86);
V100_PCIE = "v100-pcie", "V100 PCIe server", node(gpus::V100_32G_PCIE, 8, fabric(ScaleUpKind::Pcie, 8, 15.75, ScaleUpTopology::Switch), network(1, 100.0, Transport::InfiniBand, 32, 1.0), 15.75, HostProcessor::X86);
T4 = "t4", "T4 server", node(gpus::T4, 4, fabric(ScaleUpKind::Pcie, 4, 15.75, ScaleUpTopology::Switch), network(1, 100.0, Transport::Tcp, 32, 1.0), 15.75, HostProcessor::X86);
MI250X = "mi250x", "Frontier, LUMI (MI250X)", node(gpus::MI250X, 8, fabric(ScaleUpKind::Xgmi, 8, 100.0, ScaleUpTopology::Switch), network(4, 200.0, Transport::Slingshot, 128, 1.0), 36.0, HostProcessor::X86);
MI210 = "mi210", "MI210 server", node(gpus::MI210, 4, fabric(ScaleUpKind::Xgmi, 4, 150.0, ScaleUpTopology::Mesh), network(1, 200.0, Transport::InfiniBand, 32, 1.0), 31.5, HostProcessor::X86);
MI300X = "mi300x", "MI300X platform", node(gpus::MI300X, 8, fabric(ScaleUpKind::Xgmi, 8, 448.0, ScaleUpTopology::Mesh), network(8, 400.0, Transport::Roce, 32, 1.0), 63.0, HostProcessor::X86);
MI325X = "mi325x", "MI325X platform", node(gpus::MI325X, 8, fabric(ScaleUpKind::Xgmi, 8, 448.0, ScaleUpTopology::Mesh), network(8, 400.0, Transport::Roce, 32, 1.0), 63.0, HostProcessor::X86);
MI350X = "mi350x", "MI350X platform", node(gpus::MI350X, 8, fabric(ScaleUpKind::Xgmi, 8, 537.6, ScaleUpTopology::Mesh), network(8, 400.0, Transport::Roce, 32, 1.0), 63.0, HostProcessor::X86);
MI355X = "mi355x", "MI355X platform", node(gpus::MI355X, 8, fabric(ScaleUpKind::Xgmi, 8, 537.6, ScaleUpTopology::Mesh), network(8, 400.0, Transport::Roce, 32, 1.0), 63.0, HostProcessor::X86);
PERLMUTTER = "perlmutter", "Perlmutter (A100 80 GB)", node(gpus::A100_80G, 4, fabric(ScaleUpKind::NvLink, 4, 300.0, ScaleUpTopology::Mesh), network(4, 200.0, Transport::Slingshot, 128, 1.0), 31.5, HostProcessor::X86);
PERLMUTTER_40G = "perlmutter-40g", "Perlmutter (A100 40 GB)", node(gpus::A100_40G, 4, fabric(ScaleUpKind::NvLink, 4, 300.0, ScaleUpTopology::Mesh), network(4, 200.0, Transport::Slingshot, 128, 1.0), 31.5, HostProcessor::X86);
LEONARDO = "leonardo", "Leonardo (A100 64 GB)", node(gpus::A100_64G, 4, fabric(ScaleUpKind::NvLink, 4, 300.0, ScaleUpTopology::Mesh), network(4, 100.0, Transport::InfiniBand, 180, 1.0), 31.5, HostProcessor::X86);
JUWELS_BOOSTER = "juwels-booster", "JUWELS Booster (A100 40 GB)", node(gpus::A100_40G, 4, fabric(ScaleUpKind::NvLink, 4, 300.0, ScaleUpTopology::Mesh), network(4, 200.0, Transport::InfiniBand, 48, 1.0), 31.5, HostProcessor::X86);
POLARIS = "polaris", "Polaris (A100 40 GB)", node(gpus::A100_40G, 4, fabric(ScaleUpKind::NvLink, 4, 300.0, ScaleUpTopology::Mesh), network(2, 200.0, Transport::Slingshot, 128, 1.0), 31.5, HostProcessor::X86);
MARENOSTRUM5 = "marenostrum5", "MareNostrum 5 (H100 64 GB)", node(gpus::H100_64G, 4, fabric(ScaleUpKind::NvLink, 4, 450.0, ScaleUpTopology::Mesh), network(4, 200.0, Transport::InfiniBand, 160, 1.0), 63.0, HostProcessor::X86);
VISTA = "vista", "Vista (GH200)", node(gpus::GH200, 1, fabric(ScaleUpKind::NvLink, 1, 450.0, ScaleUpTopology::Switch), network(1, 400.0, Transport::InfiniBand, 32, 1.0), 450.0, HostProcessor::Grace);
ALPS = "alps", "Alps (GH200)", node(gpus::GH200_680W, 4, fabric(ScaleUpKind::NvLink, 4, 450.0, ScaleUpTopology::Mesh), network(4, 200.0, Transport::Slingshot, 128, 1.0), 450.0, HostProcessor::Grace);
JUPITER = "jupiter", "JUPITER (GH200)", node(gpus::GH200_680W, 4, fabric(ScaleUpKind::NvLink, 4, 450.0, ScaleUpTopology::Mesh), network(4, 200.0, Transport::InfiniBand, 240, 1.0), 450.0, HostProcessor::Grace);
GH200_144G = "gh200-144g", "GH200 144 GB server", node(gpus::GH200_144G, 1, fabric(ScaleUpKind::NvLink, 1, 450.0, ScaleUpTopology::Switch), network(1, 400.0, Transport::InfiniBand, 32, 1.0), 450.0, HostProcessor::Grace);
APNET24_RTX3090 = "apnet24-rtx3090", "APNet'24, RTX 3090", node(gpus::RTX3090, 8, fabric(ScaleUpKind::PcieHost, 8, 15.75, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 15.75, HostProcessor::X86);
APNET24_V100_PCIE = "apnet24-v100-pcie", "APNet'24, V100 PCIe", node(gpus::V100_32G_PCIE, 4, fabric(ScaleUpKind::Pcie, 4, 15.75, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 15.75, HostProcessor::X86);
APNET24_V100_NVLINK = "apnet24-v100-nvlink", "APNet'24, V100 NVLink", node(gpus::V100_32G, 4, fabric(ScaleUpKind::NvLink, 4, 150.0, ScaleUpTopology::Switch), network(1, 100.0, Transport::Roce, 32, 1.0), 15.75, HostProcessor::X86);
}
