//! Published accelerators. Rates are dense (no sparsity), from the vendors' data sheets.

use super::{Gpu, GpuFamily};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

/// One accelerator with its scale-up link.
#[derive(Debug, Clone, Copy)]
pub struct GpuPreset {
    /// Name in data files and links.
    pub id: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// The accelerator.
    pub gpu: Gpu,
    /// Scale-up bandwidth of one GPU in one direction.
    pub scale_up: BytesPerSecond,
    /// Where the figures come from.
    pub source: &'static str,
}

/// Peaks in TFLOP/s (16 bits, FP8, FP4), memory in GiB, bandwidths in GB/s.
const fn preset(
    id: &'static str,
    label: &'static str,
    family: GpuFamily,
    peaks: [f64; 3],
    memory: (f64, f64),
    sms: u32,
    scale_up: f64,
    source: &'static str,
) -> GpuPreset {
    GpuPreset {
        id,
        label,
        gpu: Gpu {
            peak_bf16: FlopsPerSecond::from_tera(peaks[0]),
            peak_fp8: FlopsPerSecond::from_tera(peaks[1]),
            peak_fp4: FlopsPerSecond::from_tera(peaks[2]),
            memory: Bytes::from_gib(memory.0),
            memory_bandwidth: BytesPerSecond::from_gigabytes(memory.1),
            sms,
            family,
        },
        scale_up: BytesPerSecond::from_gigabytes(scale_up),
        source,
    }
}

use GpuFamily::{Ampere, Blackwell, BlackwellUltra, Cdna3, Cdna4, Hopper, Volta};

/// Every accelerator, oldest first.
#[rustfmt::skip]
pub static GPUS: &[GpuPreset] = &[
    preset("v100-32g", "V100 32 GB", Volta, [125.0, 0.0, 0.0], (32.0, 900.0), 80, 150.0, "NVIDIA V100 data sheet"),
    preset("v100-32g-pcie", "V100 32 GB PCIe", Volta, [112.0, 0.0, 0.0], (32.0, 900.0), 80, 16.0, "NVIDIA V100 data sheet"),
    preset("rtx3090", "GeForce RTX 3090", Ampere, [71.0, 0.0, 0.0], (24.0, 936.0), 82, 16.0, "NVIDIA GA102 white paper, FP16 with 32-bit accumulate"),
    preset("a100-40g", "A100 40 GB", Ampere, [312.0, 0.0, 0.0], (40.0, 1555.0), 108, 300.0, "NVIDIA A100 data sheet"),
    preset("a100-80g", "A100 80 GB", Ampere, [312.0, 0.0, 0.0], (80.0, 2039.0), 108, 300.0, "NVIDIA A100 data sheet"),
    preset("h100-80g", "H100 SXM 80 GB", Hopper, [989.0, 1979.0, 0.0], (80.0, 3350.0), 132, 450.0, "NVIDIA H100 data sheet"),
    preset("h100-96g-hbm2e", "H100 96 GB HBM2e", Hopper, [989.0, 1979.0, 0.0], (96.0, 2400.0), 132, 450.0, "NVIDIA H100 data sheet, HBM2e variant"),
    preset("h200", "H200 SXM", Hopper, [989.0, 1979.0, 0.0], (141.0, 4800.0), 132, 450.0, "NVIDIA H200 data sheet"),
    preset("h800", "H800 SXM", Hopper, [989.0, 1979.0, 0.0], (80.0, 3350.0), 132, 200.0, "H100 with NVLink at 400 GB/s; DeepSeek-V3 report, section 3.1"),
    preset("gh200", "GH200 96 GB", Hopper, [989.0, 1979.0, 0.0], (96.0, 4000.0), 132, 450.0, "NVIDIA GH200 data sheet"),
    preset("b200", "B200", Blackwell, [2250.0, 4500.0, 9000.0], (180.0, 7700.0), 148, 900.0, "NVIDIA DGX B200 data sheet"),
    preset("gb200", "GB200", Blackwell, [2500.0, 5000.0, 10000.0], (186.0, 8000.0), 148, 900.0, "NVIDIA GB200 NVL72 data sheet"),
    preset("b300", "B300", BlackwellUltra, [2250.0, 4500.0, 13500.0], (270.0, 7700.0), 148, 900.0, "NVIDIA DGX B300 data sheet"),
    preset("gb300", "GB300", BlackwellUltra, [2500.0, 5000.0, 15000.0], (279.0, 8000.0), 148, 900.0, "NVIDIA GB300 NVL72 data sheet"),
    preset("mi300x", "MI300X", Cdna3, [1307.0, 2615.0, 0.0], (192.0, 5300.0), 304, 448.0, "AMD MI300X data sheet"),
    preset("mi350x", "MI350X", Cdna4, [2300.0, 4600.0, 9200.0], (288.0, 8000.0), 256, 537.0, "AMD MI350X data sheet"),
    preset("mi355x", "MI355X", Cdna4, [2500.0, 5000.0, 10000.0], (288.0, 8000.0), 256, 537.0, "AMD MI355X data sheet"),
];

/// The accelerator of that id.
pub fn gpu(id: &str) -> Option<&'static GpuPreset> {
    GPUS.iter().find(|preset| preset.id == id)
}
