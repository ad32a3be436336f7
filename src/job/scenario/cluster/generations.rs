// Generated from data/generations.tsv by `cargo xtask data`: change the table, not this file.

//! The generations of GPUs.

use super::Generation;
use crate::scenario::MeasuredRuns;
use serde::{Deserialize, Serialize};

/// A generation of GPUs: which kernels run on them, at which efficiencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GpuFamily {
    /// NVIDIA V100.
    Volta,
    /// NVIDIA T4.
    Turing,
    /// NVIDIA A100.
    Ampere,
    /// NVIDIA A10, RTX A6000.
    AmpereGa10x,
    /// NVIDIA GeForce RTX 3090, RTX 4090.
    Geforce,
    /// NVIDIA L40S.
    Ada,
    /// NVIDIA H100, H200, H800, GH200.
    Hopper,
    /// NVIDIA H20.
    HopperH20,
    /// NVIDIA B200, GB200.
    Blackwell,
    /// NVIDIA B300, GB300.
    BlackwellUltra,
    /// NVIDIA RTX PRO 6000 Blackwell.
    BlackwellRtx,
    /// NVIDIA GeForce RTX 5060 Ti, RTX 5090.
    GeforceBlackwell,
    /// AMD MI250X.
    Cdna2,
    /// AMD MI300X.
    Cdna3,
    /// AMD MI350X, MI355X.
    Cdna4,
}

impl GpuFamily {
    /// Every generation with its name in links, and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 15] = [
        (Self::Volta, "volta", "Volta (V100)"),
        (Self::Turing, "turing", "Turing (T4)"),
        (Self::Ampere, "ampere", "Ampere (A100)"),
        (Self::AmpereGa10x, "ampere-ga10x", "Ampere GA10x (A10, RTX A6000)"),
        (Self::Geforce, "geforce", "GeForce (RTX 3090, RTX 4090)"),
        (Self::Ada, "ada", "Ada (L40S)"),
        (Self::Hopper, "hopper", "Hopper (H100, H200, H800, GH200)"),
        (Self::HopperH20, "hopper-h20", "Hopper with units cut (H20)"),
        (Self::Blackwell, "blackwell", "Blackwell (B200, GB200)"),
        (Self::BlackwellUltra, "blackwell-ultra", "Blackwell Ultra (B300, GB300)"),
        (Self::BlackwellRtx, "blackwell-rtx", "Blackwell RTX (RTX PRO 6000)"),
        (Self::GeforceBlackwell, "geforce-blackwell", "GeForce Blackwell (RTX 5090)"),
        (Self::Cdna2, "cdna2", "CDNA 2 (MI250X)"),
        (Self::Cdna3, "cdna3", "CDNA 3 (MI300X)"),
        (Self::Cdna4, "cdna4", "CDNA 4 (MI350X, MI355X)"),
    ];

    /// Name of the generation in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Volta => "volta",
            Self::Turing => "turing",
            Self::Ampere => "ampere",
            Self::AmpereGa10x => "ampere-ga10x",
            Self::Geforce => "geforce",
            Self::Ada => "ada",
            Self::Hopper => "hopper",
            Self::HopperH20 => "hopper-h20",
            Self::Blackwell => "blackwell",
            Self::BlackwellUltra => "blackwell-ultra",
            Self::BlackwellRtx => "blackwell-rtx",
            Self::GeforceBlackwell => "geforce-blackwell",
            Self::Cdna2 => "cdna2",
            Self::Cdna3 => "cdna3",
            Self::Cdna4 => "cdna4",
        }
    }

    /// What is particular to this generation.
    pub fn generation(self) -> &'static Generation {
        match self {
            Self::Volta => &VOLTA,
            Self::Turing => &TURING,
            Self::Ampere => &AMPERE,
            Self::AmpereGa10x => &AMPERE_GA10X,
            Self::Geforce => &GEFORCE,
            Self::Ada => &ADA,
            Self::Hopper => &HOPPER,
            Self::HopperH20 => &HOPPER_H20,
            Self::Blackwell => &BLACKWELL,
            Self::BlackwellUltra => &BLACKWELL_ULTRA,
            Self::BlackwellRtx => &BLACKWELL_RTX,
            Self::GeforceBlackwell => &GEFORCE_BLACKWELL,
            Self::Cdna2 => &CDNA2,
            Self::Cdna3 => &CDNA3,
            Self::Cdna4 => &CDNA4,
        }
    }
}

/// The most frequent value of each field; a generation names those in which it differs.
#[rustfmt::skip]
const USUAL: Generation = Generation { runs: MeasuredRuns::None, bf16: true, block_scales: false, ages: false, gemm_efficiency: |c| c.gemm_efficiency_clocked, gemm_clock_ratio: |c| c.gemm_clock_ratio_ampere, gemm_burst_ratio: |c| c.gemm_burst_ratio_ampere, gemm_throttle_time: |c| c.gemm_throttle_time_ampere, gemm_k_half: |c| c.gemm_k_half_ampere, gemm_tile_128_efficiency: |c| c.gemm_tile_64_efficiency_later, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_later, gemm_operand_efficiency: |c| c.memory_efficiency, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_blackwell, gemm_fp8_block_ratio: |c| c.gemm_fp8_block_ratio_blackwell, gemm_fp4_ratio: |c| c.gemm_fp4_ratio, gemm_fp4_k_half: |c| c.gemm_k_half_fp4, sustained: |c| c.sustained_ampere, sustained_fp8: |c| c.sustained_fp8_blackwell, samples: |c| c.samples_ampere, attention_efficiency_vendor: |c| c.attention_efficiency_volta, attention_efficiency_flash2: |c| c.attention_efficiency_volta, attention_efficiency_gathered: |c| c.attention_efficiency_volta, gathered_heads: |c| c.gathered_heads_mma, attention_vendor_gain: |_| 0.0, attention_sustained: |c| c.attention_sustained, attention_long: |c| c.attention_sustained, attention_head64_ratio_vendor: |c| c.attention_head64_ratio, scale_up_efficiency: |c| c.scale_up_efficiency_ampere, scale_up_small_group_loss: |c| c.scale_up_small_group_loss_ampere, scale_up_nvls_gain: |_| 1.0, scale_up_switch: |c| c.scale_up_switch_ampere, scale_up_latency: |c| c.scale_up_latency_ampere, scale_up_fill: |c| c.scale_up_hop_latency, scale_up_ramp: |c| c.scale_up_ramp_ampere, single_precision_ratio: |c| c.single_precision_ratio_tf32, cast_time_tensor: |c| c.benchmark_cast_time_tensor_blackwell, cast_passes_block: |c| c.benchmark_cast_passes_block_blackwell };

#[rustfmt::skip]
static VOLTA: Generation = Generation { runs: MeasuredRuns::Few, bf16: false, gemm_efficiency: |c| c.gemm_efficiency_volta, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ampere, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ampere, single_precision_ratio: |c| c.single_precision_ratio_volta, ..USUAL };
#[rustfmt::skip]
static TURING: Generation = Generation { bf16: false, gemm_efficiency: |c| c.gemm_efficiency_turing, gemm_clock_ratio: |_| 1.0, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ampere, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ampere, single_precision_ratio: |c| c.single_precision_ratio_volta, ..USUAL };
#[rustfmt::skip]
static AMPERE: Generation = Generation { runs: MeasuredRuns::Many, gemm_efficiency: |c| c.gemm_efficiency_ampere, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ampere, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ampere, attention_efficiency_vendor: |c| c.attention_efficiency_ampere, attention_efficiency_flash2: |c| c.attention_efficiency_ampere, attention_efficiency_gathered: |c| c.attention_efficiency_ampere, attention_long: |c| c.attention_long_ampere, ..USUAL };
#[rustfmt::skip]
static AMPERE_GA10X: Generation = Generation { gemm_efficiency: |c| c.gemm_efficiency_ga10x, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ampere, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ampere, attention_efficiency_vendor: |c| c.attention_efficiency_ampere, attention_efficiency_flash2: |c| c.attention_efficiency_ampere, attention_efficiency_gathered: |c| c.attention_efficiency_ampere, attention_long: |c| c.attention_long_ampere, ..USUAL };
#[rustfmt::skip]
static GEFORCE: Generation = Generation { gemm_clock_ratio: |c| c.gemm_clock_ratio_clocked * 1.02, gemm_k_half: |c| c.gemm_k_half_clocked, gemm_tile_128_efficiency: |_| 1.0, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ada, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_hopper, gemm_fp8_block_ratio: |c| c.gemm_fp8_block_ratio_hopper, sustained: |_| 1.0, sustained_fp8: |_| 1.0, attention_efficiency_vendor: |c| c.attention_efficiency_geforce, attention_efficiency_flash2: |c| c.attention_efficiency_geforce, attention_efficiency_gathered: |c| c.attention_efficiency_geforce, attention_long: |_| 1.0, cast_time_tensor: |c| c.benchmark_cast_time_tensor_hopper, cast_passes_block: |c| c.benchmark_cast_passes_block_hopper, ..USUAL };
#[rustfmt::skip]
static ADA: Generation = Generation { gemm_efficiency: |c| c.gemm_efficiency_ada, gemm_clock_ratio: |c| c.gemm_clock_ratio_ada, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_ada, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ada, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ada, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_hopper, gemm_fp8_block_ratio: |c| c.gemm_fp8_block_ratio_hopper, sustained: |_| 1.0, sustained_fp8: |_| 1.0, attention_efficiency_vendor: |c| c.attention_efficiency_ada, attention_efficiency_flash2: |c| c.attention_efficiency_ada, attention_efficiency_gathered: |c| c.attention_efficiency_ada, attention_sustained: |_| 1.0, attention_long: |_| 1.0, cast_time_tensor: |c| c.benchmark_cast_time_tensor_hopper, cast_passes_block: |c| c.benchmark_cast_passes_block_hopper, ..USUAL };
#[rustfmt::skip]
static HOPPER: Generation = Generation { runs: MeasuredRuns::Many, ages: true, gemm_efficiency: |c| c.gemm_efficiency_hopper, gemm_clock_ratio: |c| c.gemm_clock_ratio_hopper, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_hopper, gemm_operand_efficiency: |c| c.gemm_memory_efficiency, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_hopper, gemm_fp8_block_ratio: |c| c.gemm_fp8_block_ratio_hopper, sustained: |c| c.sustained_hopper, sustained_fp8: |c| c.sustained_fp8_hopper, samples: |c| c.samples_hopper, attention_efficiency_vendor: |c| c.attention_efficiency_hopper, attention_efficiency_flash2: |c| c.attention_efficiency_hopper_flash2, attention_efficiency_gathered: |c| c.attention_efficiency_gathered_hopper, gathered_heads: |c| c.gathered_heads_wgmma, attention_vendor_gain: |c| c.attention_vendor_gain_hopper, attention_sustained: |c| c.attention_long_later, attention_long: |c| c.attention_long_later, attention_head64_ratio_vendor: |c| c.attention_head64_ratio_vendor, scale_up_efficiency: |c| c.scale_up_efficiency_hopper, scale_up_small_group_loss: |c| c.scale_up_small_group_loss_hopper, scale_up_nvls_gain: |c| c.scale_up_nvls_gain_hopper, scale_up_switch: |c| c.scale_up_switch_hopper, scale_up_latency: |c| c.scale_up_latency_hopper, scale_up_fill: |c| c.scale_up_fill_hopper, scale_up_ramp: |c| c.scale_up_ramp_hopper, cast_time_tensor: |c| c.benchmark_cast_time_tensor_hopper, cast_passes_block: |c| c.benchmark_cast_passes_block_hopper, ..USUAL };
#[rustfmt::skip]
static HOPPER_H20: Generation = Generation { ages: true, gemm_clock_ratio: |c| c.gemm_clock_ratio_clocked, gemm_k_half: |c| c.gemm_k_half_hopper * 0.25, gemm_operand_efficiency: |c| c.gemm_memory_efficiency, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_hopper, gemm_fp8_block_ratio: |c| c.gemm_fp8_block_ratio_hopper, sustained: |_| 1.0, sustained_fp8: |_| 1.0, samples: |c| c.samples_hopper, attention_efficiency_vendor: |c| c.attention_efficiency_hopper, attention_efficiency_flash2: |c| c.attention_efficiency_hopper, attention_efficiency_gathered: |c| c.attention_efficiency_gathered_hopper, gathered_heads: |c| c.gathered_heads_wgmma, attention_long: |_| 1.0, attention_head64_ratio_vendor: |c| c.attention_head64_ratio_vendor, scale_up_efficiency: |c| c.scale_up_efficiency_hopper, scale_up_small_group_loss: |c| c.scale_up_small_group_loss_hopper, scale_up_nvls_gain: |c| c.scale_up_nvls_gain_hopper, scale_up_switch: |c| c.scale_up_switch_hopper, scale_up_latency: |c| c.scale_up_latency_hopper, scale_up_fill: |c| c.scale_up_fill_hopper, scale_up_ramp: |c| c.scale_up_ramp_hopper, cast_time_tensor: |c| c.benchmark_cast_time_tensor_hopper, cast_passes_block: |c| c.benchmark_cast_passes_block_hopper, ..USUAL };
#[rustfmt::skip]
static BLACKWELL: Generation = Generation { runs: MeasuredRuns::Many, block_scales: true, ages: true, gemm_efficiency: |c| c.gemm_efficiency_blackwell, gemm_clock_ratio: |c| c.gemm_clock_ratio_blackwell, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_blackwell, gemm_operand_efficiency: |c| c.gemm_memory_efficiency, sustained: |c| c.sustained_blackwell, samples: |c| c.samples_blackwell, attention_efficiency_vendor: |c| c.attention_efficiency_blackwell, attention_efficiency_flash2: |c| c.attention_efficiency_blackwell_flash2, attention_efficiency_gathered: |c| c.attention_efficiency_gathered_blackwell, gathered_heads: |c| c.gathered_heads_tcgen05, attention_sustained: |c| c.attention_sustained_blackwell, attention_long: |c| c.attention_long_later, scale_up_efficiency: |c| c.scale_up_efficiency_blackwell, scale_up_small_group_loss: |c| c.scale_up_small_group_loss_blackwell, scale_up_switch: |c| c.scale_up_switch_blackwell, scale_up_latency: |c| c.scale_up_latency_blackwell, scale_up_fill: |c| c.scale_up_fill_blackwell, scale_up_ramp: |c| c.scale_up_ramp_blackwell, ..USUAL };
#[rustfmt::skip]
static BLACKWELL_ULTRA: Generation = Generation { runs: MeasuredRuns::Many, block_scales: true, ages: true, gemm_efficiency: |c| c.gemm_efficiency_blackwell * c.gemm_ultra_gain, gemm_clock_ratio: |c| c.gemm_clock_ratio_blackwell, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_blackwell, gemm_operand_efficiency: |c| c.gemm_memory_efficiency, sustained: |c| c.sustained_blackwell, samples: |c| c.samples_blackwell, attention_efficiency_vendor: |c| c.attention_efficiency_blackwell * c.gemm_ultra_gain * c.gemm_ultra_gain.sqrt(), attention_efficiency_flash2: |c| c.attention_efficiency_blackwell_flash2 * c.gemm_ultra_gain, attention_efficiency_gathered: |c| c.attention_efficiency_gathered_blackwell, gathered_heads: |c| c.gathered_heads_tcgen05, attention_sustained: |c| c.attention_sustained_blackwell, attention_long: |c| c.attention_long_later, scale_up_efficiency: |c| c.scale_up_efficiency_blackwell, scale_up_small_group_loss: |c| c.scale_up_small_group_loss_blackwell, scale_up_switch: |c| c.scale_up_switch_blackwell, scale_up_latency: |c| c.scale_up_latency_blackwell, scale_up_fill: |c| c.scale_up_fill_blackwell, scale_up_ramp: |c| c.scale_up_ramp_blackwell, ..USUAL };
#[rustfmt::skip]
static BLACKWELL_RTX: Generation = Generation { block_scales: true, gemm_efficiency: |c| c.gemm_efficiency_blackwell_rtx, gemm_clock_ratio: |c| c.gemm_clock_ratio_blackwell_rtx, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_blackwell_rtx, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ada, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ada, sustained: |_| 1.0, sustained_fp8: |_| 1.0, samples: |c| c.samples_blackwell, attention_efficiency_vendor: |c| c.attention_efficiency_blackwell_rtx, attention_efficiency_flash2: |c| c.attention_efficiency_blackwell_rtx, attention_efficiency_gathered: |c| c.attention_efficiency_blackwell_rtx, attention_sustained: |_| 1.0, attention_long: |_| 1.0, ..USUAL };
#[rustfmt::skip]
static GEFORCE_BLACKWELL: Generation = Generation { block_scales: true, gemm_clock_ratio: |c| c.gemm_clock_ratio_clocked * 1.05, gemm_k_half: |c| c.gemm_k_half_clocked, gemm_tile_128_efficiency: |_| 1.0, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ada, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_geforce_blackwell, gemm_fp8_block_ratio: |c| c.gemm_fp8_ratio_geforce_blackwell, sustained: |_| 1.0, sustained_fp8: |_| 1.0, attention_efficiency_vendor: |c| c.attention_efficiency_geforce, attention_efficiency_flash2: |c| c.attention_efficiency_geforce, attention_efficiency_gathered: |c| c.attention_efficiency_geforce, attention_long: |_| 1.0, cast_time_tensor: |c| c.benchmark_cast_time_tensor_hopper, cast_passes_block: |c| c.benchmark_cast_passes_block_hopper, ..USUAL };
#[rustfmt::skip]
static CDNA2: Generation = Generation { gemm_efficiency: |c| c.gemm_efficiency_cdna2, gemm_tile_128_efficiency: |c| c.gemm_tile_128_efficiency_ampere, gemm_tile_64_efficiency: |c| c.gemm_tile_64_efficiency_ampere, attention_efficiency_vendor: |c| c.attention_efficiency_cdna2, attention_efficiency_flash2: |c| c.attention_efficiency_cdna2, attention_efficiency_gathered: |c| c.attention_efficiency_cdna2, ..USUAL };
#[rustfmt::skip]
static CDNA3: Generation = Generation { ages: true, gemm_efficiency: |c| c.gemm_efficiency_cdna3, gemm_clock_ratio: |c| c.gemm_clock_ratio_hopper, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_hopper, gemm_operand_efficiency: |c| c.gemm_memory_efficiency, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_cdna, sustained_fp8: |_| 1.0, attention_efficiency_vendor: |c| c.attention_efficiency_cdna3, attention_efficiency_flash2: |c| c.attention_efficiency_cdna_flash2, attention_efficiency_gathered: |c| c.attention_efficiency_cdna_flash2, ..USUAL };
#[rustfmt::skip]
static CDNA4: Generation = Generation { block_scales: true, ages: true, gemm_efficiency: |c| c.gemm_efficiency_cdna4, gemm_clock_ratio: |c| c.gemm_clock_ratio_hopper, gemm_burst_ratio: |c| c.gemm_burst_ratio_later, gemm_throttle_time: |c| c.gemm_throttle_time_later, gemm_k_half: |c| c.gemm_k_half_hopper, gemm_operand_efficiency: |c| c.gemm_memory_efficiency, gemm_fp8_ratio: |c| c.gemm_fp8_ratio_cdna, sustained_fp8: |_| 1.0, attention_efficiency_vendor: |c| c.attention_efficiency_cdna4, attention_efficiency_flash2: |c| c.attention_efficiency_cdna_flash2, attention_efficiency_gathered: |c| c.attention_efficiency_cdna_flash2, single_precision_ratio: |c| c.single_precision_ratio_cdna4, ..USUAL };
