//! What is particular to a generation of GPUs, as data: a row of `data/generations.tsv` is one [`Generation`].

use crate::constants::Constants;
use crate::scenario::MeasuredRuns;

/// A number that is calibrated: constants, or a product of some.
pub type Calibrated = fn(&Constants) -> f64;

/// What prices the kernels and collectives of a generation of GPUs. Units are those of the constants.
#[derive(Debug, Clone, Copy)]
pub struct Generation {
    /// Whether measured runs on it are behind the constants.
    pub runs: MeasuredRuns,
    /// Whether it multiplies BF16.
    pub bf16: bool,
    /// Whether its matrix units take scales of blocks (MXFP8).
    pub block_scales: bool,
    /// Whether releases before 2025 run slower on it: kernels for it were still young.
    pub ages: bool,
    /// Share of the dense 16-bit peak that large products hold for long.
    pub gemm_efficiency: Calibrated,
    /// Rate of products at the clock of short kernels over the rate held for long.
    pub gemm_clock_ratio: Calibrated,
    /// Rate of products that the power budget allows at first over the rate held for long.
    pub gemm_burst_ratio: Calibrated,
    /// Length of a product at which half of the difference between burst and long rate is felt, seconds.
    pub gemm_throttle_time: Calibrated,
    /// Inner dimension at which filling and draining the main loop take as long as the loop, elements.
    pub gemm_k_half: Calibrated,
    /// Efficiency of a tile of 128 x 128 over one of 128 x 256.
    pub gemm_tile_128_efficiency: Calibrated,
    /// Efficiency of a tile of 64 x 64 over one of 128 x 256.
    pub gemm_tile_64_efficiency: Calibrated,
    /// Share of the device memory's bandwidth at which operands pass, each counted once.
    pub gemm_operand_efficiency: Calibrated,
    /// FP8 efficiency over 16-bit efficiency, one scale per tensor.
    pub gemm_fp8_ratio: Calibrated,
    /// FP8 efficiency over 16-bit efficiency, scales of blocks.
    pub gemm_fp8_block_ratio: Calibrated,
    /// FP4 efficiency over 16-bit efficiency.
    pub gemm_fp4_ratio: Calibrated,
    /// Inner dimension at which filling and draining the main loop take as long as the loop in FP4, elements.
    pub gemm_fp4_k_half: Calibrated,
    /// Rate of 16-bit products in training over the rate held for long in benchmarks.
    pub sustained: Calibrated,
    /// Sustained rate of FP8 products in training over that of 16-bit ones.
    pub sustained_fp8: Calibrated,
    /// Rate of compute kernels in training over that of learned operators' samples.
    pub samples: Calibrated,
    /// Share of the dense 16-bit peak that the vendor's attention kernels reach.
    pub attention_efficiency_vendor: Calibrated,
    /// Share of the dense 16-bit peak that FlashAttention-2 and Triton kernels reach.
    pub attention_efficiency_flash2: Calibrated,
    /// Share of the dense 16-bit peak that attention reaches whose queries gather keys of their own.
    pub attention_efficiency_gathered: Calibrated,
    /// What the vendor's attention kernels gain in a year of releases from 2025 on, per year.
    pub attention_vendor_gain: Calibrated,
    /// Rate of flash attention in training over that in short benchmarks.
    pub attention_sustained: Calibrated,
    /// The same on very long sequences.
    pub attention_long: Calibrated,
    /// Rate of the vendor's attention kernels with heads of 64 over heads of 128.
    pub attention_head64_ratio_vendor: Calibrated,
    /// Share of NVLink's nominal bandwidth that rings reach in large groups.
    pub scale_up_efficiency: Calibrated,
    /// Loss of ring bandwidth in small groups: efficiency times (1 - loss / ranks).
    pub scale_up_small_group_loss: Calibrated,
    /// Rate of all-reduce over that of a ring where the switch reduces.
    pub scale_up_nvls_gain: Calibrated,
    /// Bytes of a tensor per rank up to which the low-latency protocol carries it.
    pub scale_up_switch: Calibrated,
    /// Fixed time of a collective of the low-latency protocol, seconds.
    pub scale_up_latency: Calibrated,
    /// Time per further rank until the bulk protocol's ring flows, seconds.
    pub scale_up_fill: Calibrated,
    /// Time that the links take to ramp up, seconds.
    pub scale_up_ramp: Calibrated,
    /// Peak of 32-bit products over the dense 16-bit peak.
    pub single_precision_ratio: Calibrated,
    /// Fixed time of the benchmarks' casts with one scale per tensor, seconds.
    pub cast_time_tensor: Calibrated,
    /// Traffic of the benchmarks' casts with scales of blocks over reading 16 bits and writing once.
    pub cast_passes_block: Calibrated,
}

impl super::GpuFamily {
    /// Whether AMD makes it.
    pub const fn is_amd(self) -> bool {
        matches!(self, Self::Cdna2 | Self::Cdna3 | Self::Cdna4)
    }
}
