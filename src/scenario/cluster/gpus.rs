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
    family: GpuFamily::Ampere,
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

pub(super) const MI300X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(1307.4),
    peak_fp8: FlopsPerSecond::from_tera(2614.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(192.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(5.3 * 1e3),
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
        machine: None,
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
        name: "mi300x",
        label: "Instinct MI300X 192 GB",
        gpu: MI300X,
        board_power: 750.0,
        price: 1.99,
        machine: Some("mi300x"),
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
