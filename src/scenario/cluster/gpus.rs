// Generated from data/gpus.tsv by `cargo xtask data`: change the table, not this file.

//! GPUs by their data sheets.

use super::presets::GpuPreset;
use super::{Gpu, GpuFamily};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

pub(super) const V100_32G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(125.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(32.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.9 * 1e3),
    sms: 80,
    family: GpuFamily::Volta,
};

pub(super) const V100_16G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(125.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(16.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.9 * 1e3),
    sms: 80,
    family: GpuFamily::Volta,
};

pub(super) const V100_32G_PCIE: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(112.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(32.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.9 * 1e3),
    sms: 80,
    family: GpuFamily::Volta,
};

pub(super) const RTX3090: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(71.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.936 * 1e3),
    sms: 82,
    family: GpuFamily::Geforce,
};

pub(super) const A10: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(125.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.6 * 1e3),
    sms: 72,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const RTXA6000: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(154.8),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.768 * 1e3),
    sms: 84,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const RTX4090: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(165.2),
    peak_fp8: FlopsPerSecond::from_tera(330.3),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.008 * 1e3),
    sms: 128,
    family: GpuFamily::Geforce,
};

pub(super) const L40S: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(362.0),
    peak_fp8: FlopsPerSecond::from_tera(733.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.864 * 1e3),
    sms: 142,
    family: GpuFamily::Ada,
};

pub(super) const RTX5060TI_16G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(47.4),
    peak_fp8: FlopsPerSecond::from_tera(94.8),
    peak_fp4: FlopsPerSecond::from_tera(379.5),
    memory: Bytes::from_gib(16.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.448 * 1e3),
    sms: 36,
    family: GpuFamily::GeforceBlackwell,
};

pub(super) const RTX5090: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(209.5),
    peak_fp8: FlopsPerSecond::from_tera(419.0),
    peak_fp4: FlopsPerSecond::from_tera(1676.0),
    memory: Bytes::from_gib(32.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.792 * 1e3),
    sms: 170,
    family: GpuFamily::GeforceBlackwell,
};

pub(super) const RTXPRO6000: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(503.8),
    peak_fp8: FlopsPerSecond::from_tera(1007.6),
    peak_fp4: FlopsPerSecond::from_tera(2015.2),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.792 * 1e3),
    sms: 188,
    family: GpuFamily::BlackwellRtx,
};

pub(super) const A100_40G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(40.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.555 * 1e3),
    sms: 108,
    family: GpuFamily::Ampere,
};

pub(super) const A100_80G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.039 * 1e3),
    sms: 108,
    family: GpuFamily::Ampere,
};

pub(super) const A100_80G_PCIE: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.935 * 1e3),
    sms: 108,
    family: GpuFamily::Ampere,
};

pub(super) const A800_80G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.039 * 1e3),
    sms: 108,
    family: GpuFamily::Ampere,
};

pub(super) const H100_80G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(3.35 * 1e3),
    sms: 132,
    family: GpuFamily::Hopper,
};

pub(super) const H100_96G_HBM2E: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.4 * 1e3),
    sms: 132,
    family: GpuFamily::Hopper,
};

pub(super) const H100_80G_PCIE: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(756.0),
    peak_fp8: FlopsPerSecond::from_tera(1513.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.0 * 1e3),
    sms: 114,
    family: GpuFamily::Hopper,
};

pub(super) const H20: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(148.0),
    peak_fp8: FlopsPerSecond::from_tera(296.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.0 * 1e3),
    sms: 78,
    family: GpuFamily::HopperH20,
};

pub(super) const H200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(141.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.8 * 1e3),
    sms: 132,
    family: GpuFamily::Hopper,
};

pub(super) const H800: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(3.35 * 1e3),
    sms: 132,
    family: GpuFamily::Hopper,
};

pub(super) const GH200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.0 * 1e3),
    sms: 132,
    family: GpuFamily::Hopper,
};

pub(super) const B200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2250.0),
    peak_fp8: FlopsPerSecond::from_tera(4500.0),
    peak_fp4: FlopsPerSecond::from_tera(9000.0),
    memory: Bytes::from_gib(180.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    family: GpuFamily::Blackwell,
};

pub(super) const B300: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2250.0),
    peak_fp8: FlopsPerSecond::from_tera(4500.0),
    peak_fp4: FlopsPerSecond::from_tera(13500.0),
    memory: Bytes::from_gib(270.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    family: GpuFamily::BlackwellUltra,
};

pub(super) const GB200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2500.0),
    peak_fp8: FlopsPerSecond::from_tera(5000.0),
    peak_fp4: FlopsPerSecond::from_tera(10000.0),
    memory: Bytes::from_gib(186.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    family: GpuFamily::Blackwell,
};

pub(super) const GB300: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2500.0),
    peak_fp8: FlopsPerSecond::from_tera(5000.0),
    peak_fp4: FlopsPerSecond::from_tera(15000.0),
    memory: Bytes::from_gib(279.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    family: GpuFamily::BlackwellUltra,
};

pub(super) const MI250: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(181.05),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.6385 * 1e3),
    sms: 104,
    family: GpuFamily::Cdna2,
};

pub(super) const MI250X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(191.5),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.6385 * 1e3),
    sms: 110,
    family: GpuFamily::Cdna2,
};

pub(super) const MI300X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(1307.4),
    peak_fp8: FlopsPerSecond::from_tera(2614.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(192.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(5.3 * 1e3),
    sms: 304,
    family: GpuFamily::Cdna3,
};

pub(super) const MI325X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(1307.4),
    peak_fp8: FlopsPerSecond::from_tera(2614.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(256.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(6.0 * 1e3),
    sms: 304,
    family: GpuFamily::Cdna3,
};

pub(super) const MI350X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2300.0),
    peak_fp8: FlopsPerSecond::from_tera(4600.0),
    peak_fp4: FlopsPerSecond::from_tera(9200.0),
    memory: Bytes::from_gib(288.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 256,
    family: GpuFamily::Cdna4,
};

pub(super) const MI355X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2500.0),
    peak_fp8: FlopsPerSecond::from_tera(5000.0),
    peak_fp4: FlopsPerSecond::from_tera(10000.0),
    memory: Bytes::from_gib(288.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 256,
    family: GpuFamily::Cdna4,
};

/// Every GPU, by vendor and generation.
pub static GPUS: &[GpuPreset] = &[
    GpuPreset {
        name: "v100-32g",
        label: "V100 SXM2 32 GB",
        gpu: V100_32G,
        board_power: 300.0,
        price: 0.97,
        machine: Some("dgx1-v100"),
    },
    GpuPreset {
        name: "v100-16g",
        label: "V100 SXM2 16 GB",
        gpu: V100_16G,
        board_power: 300.0,
        price: 0.97,
        machine: Some("dgx1-v100-16g"),
    },
    GpuPreset {
        name: "v100-32g-pcie",
        label: "V100 PCIe 32 GB",
        gpu: V100_32G_PCIE,
        board_power: 250.0,
        price: 0.97,
        machine: None,
    },
    GpuPreset {
        name: "rtx3090",
        label: "GeForce RTX 3090",
        gpu: RTX3090,
        board_power: 350.0,
        price: 0.39,
        machine: Some("rtx3090"),
    },
    GpuPreset {
        name: "a10",
        label: "A10 24 GB",
        gpu: A10,
        board_power: 150.0,
        price: 0.75,
        machine: Some("a10-pcie"),
    },
    GpuPreset {
        name: "rtxa6000",
        label: "RTX A6000 48 GB",
        gpu: RTXA6000,
        board_power: 300.0,
        price: 0.80,
        machine: Some("rtxa6000"),
    },
    GpuPreset {
        name: "rtx4090",
        label: "GeForce RTX 4090",
        gpu: RTX4090,
        board_power: 450.0,
        price: 0.69,
        machine: Some("rtx4090"),
    },
    GpuPreset {
        name: "l40s",
        label: "L40S 48 GB",
        gpu: L40S,
        board_power: 350.0,
        price: 0.90,
        machine: Some("l40s"),
    },
    GpuPreset {
        name: "rtx5060ti-16g",
        label: "GeForce RTX 5060 Ti 16 GB",
        gpu: RTX5060TI_16G,
        board_power: 180.0,
        price: 0.20,
        machine: Some("rtx5090"),
    },
    GpuPreset {
        name: "rtx5090",
        label: "GeForce RTX 5090",
        gpu: RTX5090,
        board_power: 575.0,
        price: 1.22,
        machine: Some("rtx5090"),
    },
    GpuPreset {
        name: "rtxpro6000",
        label: "RTX PRO 6000 Blackwell 96 GB",
        gpu: RTXPRO6000,
        board_power: 600.0,
        price: 1.57,
        machine: Some("rtxpro6000"),
    },
    GpuPreset {
        name: "a100-40g",
        label: "A100 SXM4 40 GB",
        gpu: A100_40G,
        board_power: 400.0,
        price: 1.30,
        machine: Some("dgx-a100-40g"),
    },
    GpuPreset {
        name: "a100-80g",
        label: "A100 SXM4 80 GB",
        gpu: A100_80G,
        board_power: 400.0,
        price: 1.30,
        machine: Some("dgx-a100-80g"),
    },
    GpuPreset {
        name: "a100-80g-pcie",
        label: "A100 PCIe 80 GB",
        gpu: A100_80G_PCIE,
        board_power: 300.0,
        price: 1.30,
        machine: Some("a100-pcie"),
    },
    GpuPreset {
        name: "a800-80g",
        label: "A800 SXM4 80 GB",
        gpu: A800_80G,
        board_power: 400.0,
        price: 1.30,
        machine: Some("hgx-a800"),
    },
    GpuPreset {
        name: "h100-80g",
        label: "H100 SXM5 80 GB",
        gpu: H100_80G,
        board_power: 700.0,
        price: 3.00,
        machine: Some("dgx-h100"),
    },
    GpuPreset {
        name: "h100-96g-hbm2e",
        label: "H100 96 GB HBM2e",
        gpu: H100_96G_HBM2E,
        board_power: 500.0,
        price: 3.00,
        machine: Some("dgx-h100"),
    },
    GpuPreset {
        name: "h100-80g-pcie",
        label: "H100 PCIe 80 GB",
        gpu: H100_80G_PCIE,
        board_power: 350.0,
        price: 2.40,
        machine: Some("h100-pcie"),
    },
    GpuPreset {
        name: "h20",
        label: "H20 96 GB",
        gpu: H20,
        board_power: 400.0,
        price: 1.50,
        machine: Some("hgx-h20"),
    },
    GpuPreset {
        name: "h200",
        label: "H200 SXM 141 GB",
        gpu: H200,
        board_power: 700.0,
        price: 4.00,
        machine: Some("dgx-h200"),
    },
    GpuPreset {
        name: "h800",
        label: "H800 SXM5 80 GB",
        gpu: H800,
        board_power: 700.0,
        price: 3.00,
        machine: Some("hgx-h800"),
    },
    GpuPreset {
        name: "gh200",
        label: "GH200 96 GB HBM3",
        gpu: GH200,
        board_power: 700.0,
        price: 3.00,
        machine: Some("vista"),
    },
    GpuPreset {
        name: "b200",
        label: "B200 180 GB",
        gpu: B200,
        board_power: 1000.0,
        price: 5.25,
        machine: Some("dgx-b200"),
    },
    GpuPreset {
        name: "b300",
        label: "B300 270 GB",
        gpu: B300,
        board_power: 1100.0,
        price: 6.13,
        machine: Some("dgx-b300"),
    },
    GpuPreset {
        name: "gb200",
        label: "GB200 186 GB",
        gpu: GB200,
        board_power: 1200.0,
        price: 5.25,
        machine: Some("gb200-nvl72"),
    },
    GpuPreset {
        name: "gb300",
        label: "GB300 279 GB",
        gpu: GB300,
        board_power: 1400.0,
        price: 6.13,
        machine: Some("gb300-nvl72"),
    },
    GpuPreset {
        name: "mi250",
        label: "Instinct MI250, one of two dies",
        gpu: MI250,
        board_power: 280.0,
        price: 0.80,
        machine: Some("mi250x"),
    },
    GpuPreset {
        name: "mi250x",
        label: "Instinct MI250X, one of two dies",
        gpu: MI250X,
        board_power: 280.0,
        price: 0.80,
        machine: Some("mi250x"),
    },
    GpuPreset {
        name: "mi300x",
        label: "Instinct MI300X 192 GB",
        gpu: MI300X,
        board_power: 750.0,
        price: 1.99,
        machine: Some("mi300x"),
    },
    GpuPreset {
        name: "mi325x",
        label: "Instinct MI325X 256 GB",
        gpu: MI325X,
        board_power: 1000.0,
        price: 2.25,
        machine: Some("mi325x"),
    },
    GpuPreset {
        name: "mi350x",
        label: "Instinct MI350X 288 GB",
        gpu: MI350X,
        board_power: 1000.0,
        price: 3.50,
        machine: Some("mi350x"),
    },
    GpuPreset {
        name: "mi355x",
        label: "Instinct MI355X 288 GB",
        gpu: MI355X,
        board_power: 1400.0,
        price: 3.81,
        machine: Some("mi355x"),
    },
];
