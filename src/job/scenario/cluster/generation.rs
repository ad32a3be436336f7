//! Parameters of a GPU generation, as data: a row of `data/generations.tsv` is one [`Generation`].

use crate::constants::Constants;
use crate::scenario::MeasuredRuns;

/// A calibrated number: a constant, or a product of several.
pub type Calibrated = fn(&Constants) -> f64;

/// Parameters for pricing kernels and collectives of a GPU generation, in the constants' units.
#[derive(Debug, Clone, Copy)]
pub struct Generation {
    /// Whether the constants were fitted to measured runs on it.
    pub runs: MeasuredRuns,
    /// Whether it supports BF16 products.
    pub bf16: bool,
    /// Whether its matrix units support block scales (MXFP8).
    pub block_scales: bool,
    /// Whether releases before 2025 run slower on it because its kernels were new.
    pub ages: bool,
    /// Sustained share of the dense 16-bit peak for large products.
    pub gemm_efficiency: Calibrated,
    /// Rate of products at the clock of short kernels, relative to the sustained rate.
    pub gemm_clock_ratio: Calibrated,
    /// Initial rate of products under the power budget, relative to the sustained rate.
    pub gemm_burst_ratio: Calibrated,
    /// Length of a product at which half of the difference between burst and sustained rate applies, seconds.
    pub gemm_throttle_time: Calibrated,
    /// Inner dimension at which filling and draining the main loop take as long as the loop, elements.
    pub gemm_k_half: Calibrated,
    /// Efficiency of a tile of 128 x 128 over one of 128 x 256.
    pub gemm_tile_128_efficiency: Calibrated,
    /// Efficiency of a tile of 64 x 64 over one of 128 x 256.
    pub gemm_tile_64_efficiency: Calibrated,
    /// Share of the device memory's bandwidth for reading operands, each counted once.
    pub gemm_operand_efficiency: Calibrated,
    /// FP8 efficiency over 16-bit efficiency, one scale per tensor.
    pub gemm_fp8_ratio: Calibrated,
    /// FP8 efficiency over 16-bit efficiency, scales of blocks.
    pub gemm_fp8_block_ratio: Calibrated,
    /// FP4 efficiency over 16-bit efficiency.
    pub gemm_fp4_ratio: Calibrated,
    /// Inner dimension at which filling and draining the main loop take as long as the loop in FP4, elements.
    pub gemm_fp4_k_half: Calibrated,
    /// Rate of 16-bit products in training, relative to the sustained rate in benchmarks.
    pub sustained: Calibrated,
    /// Sustained rate of FP8 products in training, relative to 16-bit ones.
    pub sustained_fp8: Calibrated,
    /// Rate of compute kernels in training, relative to learned operators' samples.
    pub samples: Calibrated,
    /// Share of the dense 16-bit peak that the vendor's attention kernels reach.
    pub attention_efficiency_vendor: Calibrated,
    /// Share of the dense 16-bit peak that FlashAttention-2 and Triton kernels reach.
    pub attention_efficiency_flash2: Calibrated,
    /// Share of the dense 16-bit peak of attention whose queries gather their own keys.
    pub attention_efficiency_gathered: Calibrated,
    /// Heads that such attention computes together, which are the rows of one matrix instruction.
    pub gathered_heads: Calibrated,
    /// Gain of the vendor's attention kernels per year of releases from 2025 on.
    pub attention_vendor_gain: Calibrated,
    /// Rate of flash attention in training, relative to short benchmarks.
    pub attention_sustained: Calibrated,
    /// The same on very long sequences.
    pub attention_long: Calibrated,
    /// Rate of the vendor's attention kernels with heads of 64, relative to 128.
    pub attention_head64_ratio_vendor: Calibrated,
    /// Share of NVLink's nominal bandwidth that rings reach in large groups.
    pub scale_up_efficiency: Calibrated,
    /// Loss of ring bandwidth in small groups: efficiency times (1 - loss / ranks).
    pub scale_up_small_group_loss: Calibrated,
    /// Rate of all-reduce with in-switch reduction, relative to a ring.
    pub scale_up_nvls_gain: Calibrated,
    /// Largest tensor per rank that the low-latency protocol carries, bytes.
    pub scale_up_switch: Calibrated,
    /// Fixed time of a collective of the low-latency protocol, seconds.
    pub scale_up_latency: Calibrated,
    /// Time per further rank until the bulk protocol's ring flows, seconds.
    pub scale_up_fill: Calibrated,
    /// Ramp-up time of the links, seconds.
    pub scale_up_ramp: Calibrated,
    /// Peak of 32-bit products over the dense 16-bit peak.
    pub single_precision_ratio: Calibrated,
    /// Fixed time of the benchmarks' casts with one scale per tensor, seconds.
    pub cast_time_tensor: Calibrated,
    /// Traffic of the benchmarks' casts with block scales, relative to reading 16 bits and writing once.
    pub cast_passes_block: Calibrated,
}

impl super::GpuFamily {
    /// Whether it is Blackwell with NVLink: B200, B300 and their superchips.
    pub fn is_data_center_blackwell(self) -> bool {
        matches!(self, Self::Blackwell | Self::BlackwellUltra)
    }

    /// Whether AMD makes it.
    pub const fn is_amd(self) -> bool {
        matches!(self, Self::Cdna2 | Self::Cdna3 | Self::Cdna4)
    }
}
