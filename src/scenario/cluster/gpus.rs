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
        source: "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
        gpu: V100_32G,
        machine: Some("dgx1-v100"),
    },
    GpuPreset {
        name: "v100-32g-pcie",
        label: "V100 PCIe 32 GB",
        source: "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
        gpu: V100_32G_PCIE,
        machine: None,
    },
    GpuPreset {
        name: "rtx3090",
        label: "GeForce RTX 3090",
        source: "NVIDIA Ampere GA102 GPU Architecture white paper, table 3 (FP16 with FP32 accumulation)",
        gpu: RTX3090,
        machine: None,
    },
    GpuPreset {
        name: "a100-40g",
        label: "A100 SXM4 40 GB",
        source: "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
        gpu: A100_40G,
        machine: Some("dgx-a100-40g"),
    },
    GpuPreset {
        name: "a100-80g",
        label: "A100 SXM4 80 GB",
        source: "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
        gpu: A100_80G,
        machine: Some("dgx-a100-80g"),
    },
    GpuPreset {
        name: "h100-80g",
        label: "H100 SXM5 80 GB",
        source: "NVIDIA H100 Tensor Core GPU Architecture white paper, table 1; https://www.nvidia.com/en-us/data-center/h100/",
        gpu: H100_80G,
        machine: Some("dgx-h100"),
    },
    GpuPreset {
        name: "h100-96g-hbm2e",
        label: "H100 96 GB HBM2e",
        source: "H100 with the memory of its 96 GB HBM2e variant (2.4 TB/s)",
        gpu: H100_96G_HBM2E,
        machine: Some("dgx-h100"),
    },
    GpuPreset {
        name: "h200",
        label: "H200 SXM 141 GB",
        source: "https://www.nvidia.com/en-us/data-center/h200/",
        gpu: H200,
        machine: Some("dgx-h200"),
    },
    GpuPreset {
        name: "h800",
        label: "H800 SXM5 80 GB",
        source: "H100 with NVLink cut to 400 GB/s: https://arxiv.org/abs/2412.19437, section 3.1",
        gpu: H800,
        machine: Some("hgx-h800"),
    },
    GpuPreset {
        name: "gh200",
        label: "GH200 96 GB HBM3",
        source: "https://resources.nvidia.com/en-us-grace-cpu/grace-hopper-superchip",
        gpu: GH200,
        machine: Some("vista"),
    },
    GpuPreset {
        name: "b200",
        label: "B200 180 GB",
        source: "https://resources.nvidia.com/en-us-dgx-systems/dgx-b200-datasheet",
        gpu: B200,
        machine: Some("dgx-b200"),
    },
    GpuPreset {
        name: "b300",
        label: "B300 270 GB",
        source: "https://resources.nvidia.com/en-us-dgx-systems/dgx-b300-datasheet",
        gpu: B300,
        machine: Some("dgx-b300"),
    },
    GpuPreset {
        name: "gb200",
        label: "GB200 186 GB",
        source: "https://www.nvidia.com/en-us/data-center/gb200-nvl72/",
        gpu: GB200,
        machine: Some("gb200-nvl72"),
    },
    GpuPreset {
        name: "gb300",
        label: "GB300 279 GB",
        source: "https://www.nvidia.com/en-us/data-center/gb300-nvl72/",
        gpu: GB300,
        machine: Some("gb300-nvl72"),
    },
    GpuPreset {
        name: "mi300x",
        label: "Instinct MI300X 192 GB",
        source: "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html",
        gpu: MI300X,
        machine: Some("mi300x"),
    },
    GpuPreset {
        name: "mi350x",
        label: "Instinct MI350X 288 GB",
        source: "https://www.amd.com/en/products/accelerators/instinct/mi350/mi350x.html",
        gpu: MI350X,
        machine: Some("mi350x"),
    },
    GpuPreset {
        name: "mi355x",
        label: "Instinct MI355X 288 GB",
        source: "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html",
        gpu: MI355X,
        machine: Some("mi355x"),
    },
];
