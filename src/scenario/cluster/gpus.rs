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
    power: 100,
    family: GpuFamily::Volta,
};

pub(super) const V100_16G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(125.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(16.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.9 * 1e3),
    sms: 80,
    power: 100,
    family: GpuFamily::Volta,
};

pub(super) const V100_32G_PCIE: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(112.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(32.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.9 * 1e3),
    sms: 80,
    power: 100,
    family: GpuFamily::Volta,
};

pub(super) const T4: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(65.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(16.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.32 * 1e3),
    sms: 40,
    power: 100,
    family: GpuFamily::Turing,
};

pub(super) const RTX3090: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(71.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.936 * 1e3),
    sms: 82,
    power: 100,
    family: GpuFamily::Geforce,
};

pub(super) const A10: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(125.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.6 * 1e3),
    sms: 72,
    power: 71,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const A10G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(70.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.6 * 1e3),
    sms: 80,
    power: 366,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const RTXA5000: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(111.1),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.768 * 1e3),
    sms: 64,
    power: 132,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const A40: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(149.7),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.696 * 1e3),
    sms: 84,
    power: 106,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const RTXA6000: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(154.8),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.768 * 1e3),
    sms: 84,
    power: 100,
    family: GpuFamily::AmpereGa10x,
};

pub(super) const RTX4090: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(165.2),
    peak_fp8: FlopsPerSecond::from_tera(330.3),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.008 * 1e3),
    sms: 128,
    power: 100,
    family: GpuFamily::Geforce,
};

pub(super) const L40S: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(362.0),
    peak_fp8: FlopsPerSecond::from_tera(733.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.864 * 1e3),
    sms: 142,
    power: 100,
    family: GpuFamily::Ada,
};

pub(super) const L4: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(121.0),
    peak_fp8: FlopsPerSecond::from_tera(242.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.3 * 1e3),
    sms: 58,
    power: 124,
    family: GpuFamily::Ada,
};

pub(super) const L40: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(181.0),
    peak_fp8: FlopsPerSecond::from_tera(362.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.864 * 1e3),
    sms: 142,
    power: 268,
    family: GpuFamily::Ada,
};

pub(super) const RTX6000ADA: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(364.2),
    peak_fp8: FlopsPerSecond::from_tera(728.5),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(48.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.96 * 1e3),
    sms: 142,
    power: 86,
    family: GpuFamily::Ada,
};

pub(super) const RTX5060TI_16G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(47.4),
    peak_fp8: FlopsPerSecond::from_tera(94.8),
    peak_fp4: FlopsPerSecond::from_tera(379.5),
    memory: Bytes::from_gib(16.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.448 * 1e3),
    sms: 36,
    power: 100,
    family: GpuFamily::GeforceBlackwell,
};

pub(super) const RTX5090: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(209.5),
    peak_fp8: FlopsPerSecond::from_tera(419.0),
    peak_fp4: FlopsPerSecond::from_tera(1676.0),
    memory: Bytes::from_gib(32.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.792 * 1e3),
    sms: 170,
    power: 100,
    family: GpuFamily::GeforceBlackwell,
};

pub(super) const RTXPRO6000: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(503.8),
    peak_fp8: FlopsPerSecond::from_tera(1007.6),
    peak_fp4: FlopsPerSecond::from_tera(2015.2),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.792 * 1e3),
    sms: 188,
    power: 100,
    family: GpuFamily::BlackwellRtx,
};

pub(super) const A100_40G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(40.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.555 * 1e3),
    sms: 108,
    power: 100,
    family: GpuFamily::Ampere,
};

pub(super) const A100_80G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.039 * 1e3),
    sms: 108,
    power: 100,
    family: GpuFamily::Ampere,
};

pub(super) const A100_80G_PCIE: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.935 * 1e3),
    sms: 108,
    power: 75,
    family: GpuFamily::Ampere,
};

pub(super) const A100_64G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(358.2),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.631 * 1e3),
    sms: 124,
    power: 93,
    family: GpuFamily::Ampere,
};

pub(super) const A30: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(165.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(24.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(0.933 * 1e3),
    sms: 56,
    power: 117,
    family: GpuFamily::Ampere,
};

pub(super) const A800_80G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(312.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.039 * 1e3),
    sms: 108,
    power: 100,
    family: GpuFamily::Ampere,
};

pub(super) const H100_80G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(3.35 * 1e3),
    sms: 132,
    power: 100,
    family: GpuFamily::Hopper,
};

pub(super) const H100_96G_HBM2E: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.4 * 1e3),
    sms: 132,
    power: 71,
    family: GpuFamily::Hopper,
};

pub(super) const H100_64G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.6 * 1e3),
    sms: 132,
    power: 100,
    family: GpuFamily::Hopper,
};

pub(super) const H100_80G_PCIE: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(756.0),
    peak_fp8: FlopsPerSecond::from_tera(1513.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(2.0 * 1e3),
    sms: 114,
    power: 78,
    family: GpuFamily::Hopper,
};

pub(super) const H100_94G_NVL: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(835.0),
    peak_fp8: FlopsPerSecond::from_tera(1671.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(94.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(3.9 * 1e3),
    sms: 132,
    power: 75,
    family: GpuFamily::Hopper,
};

pub(super) const H20: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(148.0),
    peak_fp8: FlopsPerSecond::from_tera(296.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.0 * 1e3),
    sms: 78,
    power: 100,
    family: GpuFamily::HopperH20,
};

pub(super) const H200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(141.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.8 * 1e3),
    sms: 132,
    power: 100,
    family: GpuFamily::Hopper,
};

pub(super) const H200_NVL: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(835.5),
    peak_fp8: FlopsPerSecond::from_tera(1671.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(141.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.8 * 1e3),
    sms: 132,
    power: 113,
    family: GpuFamily::Hopper,
};

pub(super) const H800: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(80.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(3.35 * 1e3),
    sms: 132,
    power: 100,
    family: GpuFamily::Hopper,
};

pub(super) const GH200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.0 * 1e3),
    sms: 132,
    power: 100,
    family: GpuFamily::Hopper,
};

pub(super) const GH200_680W: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(96.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.0 * 1e3),
    sms: 132,
    power: 83,
    family: GpuFamily::Hopper,
};

pub(super) const GH200_144G: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(989.4),
    peak_fp8: FlopsPerSecond::from_tera(1978.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(144.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(4.9 * 1e3),
    sms: 132,
    power: 100,
    family: GpuFamily::Hopper,
};

pub(super) const B200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2250.0),
    peak_fp8: FlopsPerSecond::from_tera(4500.0),
    peak_fp4: FlopsPerSecond::from_tera(9000.0),
    memory: Bytes::from_gib(180.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    power: 100,
    family: GpuFamily::Blackwell,
};

pub(super) const B300: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2250.0),
    peak_fp8: FlopsPerSecond::from_tera(4500.0),
    peak_fp4: FlopsPerSecond::from_tera(13500.0),
    memory: Bytes::from_gib(270.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    power: 100,
    family: GpuFamily::BlackwellUltra,
};

pub(super) const GB200: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2500.0),
    peak_fp8: FlopsPerSecond::from_tera(5000.0),
    peak_fp4: FlopsPerSecond::from_tera(10000.0),
    memory: Bytes::from_gib(186.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    power: 100,
    family: GpuFamily::Blackwell,
};

pub(super) const GB300: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2500.0),
    peak_fp8: FlopsPerSecond::from_tera(5000.0),
    peak_fp4: FlopsPerSecond::from_tera(15000.0),
    memory: Bytes::from_gib(279.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 148,
    power: 100,
    family: GpuFamily::BlackwellUltra,
};

pub(super) const MI210: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(181.0),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.6385 * 1e3),
    sms: 104,
    power: 100,
    family: GpuFamily::Cdna2,
};

pub(super) const MI250: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(181.05),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.6385 * 1e3),
    sms: 104,
    power: 100,
    family: GpuFamily::Cdna2,
};

pub(super) const MI250X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(191.5),
    peak_fp8: FlopsPerSecond::from_tera(0.0),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(64.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(1.6385 * 1e3),
    sms: 110,
    power: 100,
    family: GpuFamily::Cdna2,
};

pub(super) const MI300X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(1307.4),
    peak_fp8: FlopsPerSecond::from_tera(2614.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(192.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(5.3 * 1e3),
    sms: 304,
    power: 100,
    family: GpuFamily::Cdna3,
};

pub(super) const MI325X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(1307.4),
    peak_fp8: FlopsPerSecond::from_tera(2614.9),
    peak_fp4: FlopsPerSecond::from_tera(0.0),
    memory: Bytes::from_gib(256.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(6.0 * 1e3),
    sms: 304,
    power: 133,
    family: GpuFamily::Cdna3,
};

pub(super) const MI350X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2300.0),
    peak_fp8: FlopsPerSecond::from_tera(4600.0),
    peak_fp4: FlopsPerSecond::from_tera(9200.0),
    memory: Bytes::from_gib(288.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 256,
    power: 82,
    family: GpuFamily::Cdna4,
};

pub(super) const MI355X: Gpu = Gpu {
    peak_bf16: FlopsPerSecond::from_tera(2500.0),
    peak_fp8: FlopsPerSecond::from_tera(5000.0),
    peak_fp4: FlopsPerSecond::from_tera(10000.0),
    memory: Bytes::from_gib(288.0),
    memory_bandwidth: BytesPerSecond::from_gigabytes(8.0 * 1e3),
    sms: 256,
    power: 100,
    family: GpuFamily::Cdna4,
};

/// Every GPU, by vendor and generation.
pub static GPUS: &[GpuPreset] = &[
    GpuPreset {
        name: "v100-32g",
        label: "V100 SXM2 32 GB",
        also: "v100",
        gpu: V100_32G,
        board_power: 300.0,
        price: 0.97,
        machine: Some("dgx1-v100"),
    },
    GpuPreset {
        name: "v100-16g",
        label: "V100 SXM2 16 GB",
        also: "v100 16g",
        gpu: V100_16G,
        board_power: 300.0,
        price: 0.97,
        machine: Some("dgx1-v100-16g"),
    },
    GpuPreset {
        name: "v100-32g-pcie",
        label: "V100 PCIe 32 GB",
        also: "v100 pcie",
        gpu: V100_32G_PCIE,
        board_power: 250.0,
        price: 0.97,
        machine: None,
    },
    GpuPreset {
        name: "t4",
        label: "T4 16 GB",
        also: "t4",
        gpu: T4,
        board_power: 70.0,
        price: 0.35,
        machine: Some("t4"),
    },
    GpuPreset {
        name: "rtx3090",
        label: "GeForce RTX 3090",
        also: "3090",
        gpu: RTX3090,
        board_power: 350.0,
        price: 0.39,
        machine: Some("rtx3090"),
    },
    GpuPreset {
        name: "a10",
        label: "A10 24 GB",
        also: "a10",
        gpu: A10,
        board_power: 150.0,
        price: 0.75,
        machine: Some("a10-pcie"),
    },
    GpuPreset {
        name: "a10g",
        label: "A10G 24 GB",
        also: "a10g",
        gpu: A10G,
        board_power: 300.0,
        price: 1.00,
        machine: Some("a10g"),
    },
    GpuPreset {
        name: "rtxa5000",
        label: "RTX A5000 24 GB",
        also: "a5000",
        gpu: RTXA5000,
        board_power: 230.0,
        price: 0.27,
        machine: Some("rtxa5000"),
    },
    GpuPreset {
        name: "a40",
        label: "A40 48 GB",
        also: "a40",
        gpu: A40,
        board_power: 300.0,
        price: 0.80,
        machine: Some("a40"),
    },
    GpuPreset {
        name: "rtxa6000",
        label: "RTX A6000 48 GB",
        also: "a6000",
        gpu: RTXA6000,
        board_power: 300.0,
        price: 0.80,
        machine: Some("rtxa6000"),
    },
    GpuPreset {
        name: "rtx4090",
        label: "GeForce RTX 4090",
        also: "4090",
        gpu: RTX4090,
        board_power: 450.0,
        price: 0.69,
        machine: Some("rtx4090"),
    },
    GpuPreset {
        name: "l40s",
        label: "L40S 48 GB",
        also: "l40s",
        gpu: L40S,
        board_power: 350.0,
        price: 0.90,
        machine: Some("l40s"),
    },
    GpuPreset {
        name: "l4",
        label: "L4 24 GB",
        also: "l4",
        gpu: L4,
        board_power: 72.0,
        price: 0.78,
        machine: Some("l4"),
    },
    GpuPreset {
        name: "l40",
        label: "L40 48 GB",
        also: "l40",
        gpu: L40,
        board_power: 300.0,
        price: 1.22,
        machine: Some("l40"),
    },
    GpuPreset {
        name: "rtx6000ada",
        label: "RTX 6000 Ada 48 GB",
        also: "6000 ada/6000ada/rtx6000ada",
        gpu: RTX6000ADA,
        board_power: 300.0,
        price: 0.90,
        machine: Some("rtx6000ada"),
    },
    GpuPreset {
        name: "rtx5060ti-16g",
        label: "GeForce RTX 5060 Ti 16 GB",
        also: "5060 ti/5060ti",
        gpu: RTX5060TI_16G,
        board_power: 180.0,
        price: 0.20,
        machine: Some("rtx5090"),
    },
    GpuPreset {
        name: "rtx5090",
        label: "GeForce RTX 5090",
        also: "5090",
        gpu: RTX5090,
        board_power: 575.0,
        price: 1.22,
        machine: Some("rtx5090"),
    },
    GpuPreset {
        name: "rtxpro6000",
        label: "RTX PRO 6000 Blackwell 96 GB",
        also: "pro 6000/pro6000",
        gpu: RTXPRO6000,
        board_power: 600.0,
        price: 1.57,
        machine: Some("rtxpro6000"),
    },
    GpuPreset {
        name: "a100-40g",
        label: "A100 SXM4 40 GB",
        also: "a100 40g",
        gpu: A100_40G,
        board_power: 400.0,
        price: 1.30,
        machine: Some("dgx-a100-40g"),
    },
    GpuPreset {
        name: "a100-80g",
        label: "A100 SXM4 80 GB",
        also: "a100",
        gpu: A100_80G,
        board_power: 400.0,
        price: 1.30,
        machine: Some("dgx-a100-80g"),
    },
    GpuPreset {
        name: "a100-80g-pcie",
        label: "A100 PCIe 80 GB",
        also: "a100 pcie",
        gpu: A100_80G_PCIE,
        board_power: 300.0,
        price: 1.30,
        machine: Some("a100-pcie"),
    },
    GpuPreset {
        name: "a100-64g",
        label: "A100 custom 64 GB (Leonardo)",
        also: "a100 64g",
        gpu: A100_64G,
        board_power: 467.0,
        price: 1.30,
        machine: Some("leonardo"),
    },
    GpuPreset {
        name: "a30",
        label: "A30 24 GB",
        also: "a30",
        gpu: A30,
        board_power: 165.0,
        price: 0.60,
        machine: Some("a30"),
    },
    GpuPreset {
        name: "a800-80g",
        label: "A800 SXM4 80 GB",
        also: "a800",
        gpu: A800_80G,
        board_power: 400.0,
        price: 1.30,
        machine: Some("hgx-a800"),
    },
    GpuPreset {
        name: "h100-80g",
        label: "H100 SXM5 80 GB",
        also: "h100",
        gpu: H100_80G,
        board_power: 700.0,
        price: 3.00,
        machine: Some("dgx-h100"),
    },
    GpuPreset {
        name: "h100-96g-hbm2e",
        label: "H100 96 GB HBM2e",
        also: "h100 96g",
        gpu: H100_96G_HBM2E,
        board_power: 500.0,
        price: 3.00,
        machine: Some("dgx-h100"),
    },
    GpuPreset {
        name: "h100-64g",
        label: "H100 SXM5 64 GB (MareNostrum 5)",
        also: "h100 64g",
        gpu: H100_64G,
        board_power: 700.0,
        price: 3.00,
        machine: Some("marenostrum5"),
    },
    GpuPreset {
        name: "h100-80g-pcie",
        label: "H100 PCIe 80 GB",
        also: "h100 pcie",
        gpu: H100_80G_PCIE,
        board_power: 350.0,
        price: 2.40,
        machine: Some("h100-pcie"),
    },
    GpuPreset {
        name: "h100-94g-nvl",
        label: "H100 NVL 94 GB",
        also: "h100 nvl",
        gpu: H100_94G_NVL,
        board_power: 400.0,
        price: 3.07,
        machine: Some("h100-nvl"),
    },
    GpuPreset {
        name: "h20",
        label: "H20 96 GB",
        also: "h20",
        gpu: H20,
        board_power: 400.0,
        price: 1.50,
        machine: Some("hgx-h20"),
    },
    GpuPreset {
        name: "h200",
        label: "H200 SXM 141 GB",
        also: "h200",
        gpu: H200,
        board_power: 700.0,
        price: 4.00,
        machine: Some("dgx-h200"),
    },
    GpuPreset {
        name: "h200-nvl",
        label: "H200 NVL 141 GB",
        also: "h200 nvl",
        gpu: H200_NVL,
        board_power: 600.0,
        price: 3.40,
        machine: Some("h200-nvl"),
    },
    GpuPreset {
        name: "h800",
        label: "H800 SXM5 80 GB",
        also: "h800",
        gpu: H800,
        board_power: 700.0,
        price: 3.00,
        machine: Some("hgx-h800"),
    },
    GpuPreset {
        name: "gh200",
        label: "GH200 96 GB HBM3",
        also: "gh200",
        gpu: GH200,
        board_power: 700.0,
        price: 3.00,
        machine: Some("vista"),
    },
    GpuPreset {
        name: "gh200-680w",
        label: "GH200 96 GB, 680 W with Grace",
        also: "gh200 680w",
        gpu: GH200_680W,
        board_power: 580.0,
        price: 3.00,
        machine: Some("jupiter"),
    },
    GpuPreset {
        name: "gh200-144g",
        label: "GH200 144 GB HBM3e",
        also: "gh200 144g",
        gpu: GH200_144G,
        board_power: 700.0,
        price: 3.50,
        machine: Some("gh200-144g"),
    },
    GpuPreset {
        name: "b200",
        label: "B200 180 GB",
        also: "b200",
        gpu: B200,
        board_power: 1000.0,
        price: 5.25,
        machine: Some("dgx-b200"),
    },
    GpuPreset {
        name: "b300",
        label: "B300 270 GB",
        also: "b300",
        gpu: B300,
        board_power: 1100.0,
        price: 6.13,
        machine: Some("dgx-b300"),
    },
    GpuPreset {
        name: "gb200",
        label: "GB200 186 GB",
        also: "gb200",
        gpu: GB200,
        board_power: 1200.0,
        price: 5.25,
        machine: Some("gb200-nvl72"),
    },
    GpuPreset {
        name: "gb300",
        label: "GB300 279 GB",
        also: "gb300",
        gpu: GB300,
        board_power: 1400.0,
        price: 6.13,
        machine: Some("gb300-nvl72"),
    },
    GpuPreset {
        name: "mi210",
        label: "Instinct MI210 64 GB",
        also: "mi210",
        gpu: MI210,
        board_power: 300.0,
        price: 0.80,
        machine: Some("mi210"),
    },
    GpuPreset {
        name: "mi250",
        label: "Instinct MI250, one of two dies",
        also: "mi250",
        gpu: MI250,
        board_power: 280.0,
        price: 0.80,
        machine: Some("mi250x"),
    },
    GpuPreset {
        name: "mi250x",
        label: "Instinct MI250X, one of two dies",
        also: "mi250x",
        gpu: MI250X,
        board_power: 280.0,
        price: 0.80,
        machine: Some("mi250x"),
    },
    GpuPreset {
        name: "mi300x",
        label: "Instinct MI300X 192 GB",
        also: "mi300x",
        gpu: MI300X,
        board_power: 750.0,
        price: 1.99,
        machine: Some("mi300x"),
    },
    GpuPreset {
        name: "mi325x",
        label: "Instinct MI325X 256 GB",
        also: "mi325x",
        gpu: MI325X,
        board_power: 1000.0,
        price: 2.25,
        machine: Some("mi325x"),
    },
    GpuPreset {
        name: "mi350x",
        label: "Instinct MI350X 288 GB",
        also: "mi350x",
        gpu: MI350X,
        board_power: 1000.0,
        price: 3.50,
        machine: Some("mi350x"),
    },
    GpuPreset {
        name: "mi355x",
        label: "Instinct MI355X 288 GB",
        also: "mi355x",
        gpu: MI355X,
        board_power: 1400.0,
        price: 3.81,
        machine: Some("mi355x"),
    },
];

/// Where the price of each GPU is from, by its name. Apart from the list, as the page does not carry it.
#[rustfmt::skip]
pub(super) static PRICE_SOURCES: &[(&str, &str)] = &[
("v100-32g", "median of legacy cards, AIMultiple GPU index, May 2026: https://aimultiple.com/gpu-index"),
("v100-16g", "as V100 SXM2 32 GB"),
("v100-32g-pcie", "as V100 SXM2"),
("t4", "Google Cloud, on demand: https://cloud.google.com/compute/gpus-pricing"),
("rtx3090", "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing"),
("a10", "Lambda, on demand: https://lambda.ai/pricing"),
("a10g", "AWS g5.xlarge, on demand: https://aws.amazon.com/ec2/instance-types/g5/"),
("rtxa5000", "as RTX A6000 per 16-bit peak, halved for its memory"),
("a40", "as RTX A6000, in one class at RunPod: https://docs.runpod.io/serverless/pricing"),
("rtxa6000", "Lambda, on demand: https://lambda.ai/pricing"),
("rtx4090", "RunPod, on demand: https://www.runpod.io/pricing"),
("l40s", "middle of 0.80 to 1.00 at specialised clouds, on demand: https://www.runpod.io/pricing"),
("l4", "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing"),
("l40", "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing"),
("rtx6000ada", "as L40S, in one class at RunPod: https://docs.runpod.io/serverless/pricing"),
("rtx5060ti-16g", "no list found: as RTX 4090 per 16-bit peak"),
("rtx5090", "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing"),
("rtxpro6000", "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing"),
("a100-40g", "as A100 80 GB"),
("a100-80g", "middle of 1.10 to 1.50 at specialised clouds, on demand, May 2026: https://www.mercatus-ai.com/blog/cloud-gpu-pricing"),
("a100-80g-pcie", "as A100 SXM4 80 GB"),
("a100-64g", "as A100 80 GB"),
("a30", "no list found: as A100 per 16-bit peak"),
("a800-80g", "as A100 80 GB"),
("h100-80g", "middle of 2.50 to 3.50 at specialised clouds, on demand, May 2026: https://www.mercatus-ai.com/blog/cloud-gpu-pricing"),
("h100-96g-hbm2e", "as H100 80 GB"),
("h100-64g", "as H100 80 GB"),
("h100-80g-pcie", "RunPod, on demand: https://www.runpod.io/pricing"),
("h100-94g-nvl", "RunPod, on demand: https://gpu.blog/gpus/nvidia-h100-nvl"),
("h20", "no list found: half of H100 80 GB"),
("h200", "middle of 3.50 to 4.50 at specialised clouds, on demand, May 2026: https://www.mercatus-ai.com/blog/cloud-gpu-pricing"),
("h200-nvl", "as H200 SXM per 16-bit peak"),
("h800", "as H100 80 GB"),
("gh200", "as H100 80 GB"),
("gh200-680w", "as H100 80 GB"),
("gh200-144g", "between H100 and H200"),
("b200", "middle of 4.50 to 6.00 at specialised clouds, on demand, March 2026: https://lyceum.technology/magazine/nvidia-b200-gpu-cloud-pricing-2026/"),
("b300", "middle of 5.00 to 7.25 at specialised clouds, on demand, 2026: https://www.ornnai.com/research/nvidia-b200-vs-b300-why-use-one-instead-of-the-other"),
("gb200", "as B200"),
("gb300", "as B300"),
("mi210", "no list found: as MI250"),
("mi250", "as MI250X"),
("mi250x", "no list found: as MI300X per 16-bit peak, rounded up"),
("mi300x", "median of lists, on demand, May 2026: https://www.cliffcenter.com/research/amd-inference-economics"),
("mi325x", "upper end of 2.00 to 2.25: https://awesomeagents.ai/hardware/amd-mi325x"),
("mi350x", "no list found: as MI300X per 16-bit peak"),
("mi355x", "no list found: as MI300X per 16-bit peak"),
];
