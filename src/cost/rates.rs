//! Rates of one GPU and its links under one software stack: what [`crate::constants::Constants`]
//! become once the scenario is known. Computed once per scenario, shared by all its operators.

use super::gemm::{ProductRates, Products};
use super::links::Links;
use crate::constants::Constants;
use crate::scenario::Scenario;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::stack::{Attention, ExpertKernels};

/// Rates that operators are priced with. Times in seconds, rates in units per second.
#[derive(Debug, Clone, Copy)]
pub struct Rates<'a> {
    pub(super) learned: Option<&'a dyn super::Learned>,
    pub(super) products: Products,
    pub(super) gemm: ProductRates,
    pub(super) gemm_low: ProductRates,
    pub(super) kernel_ramp: f64,
    pub(super) grouped_factor: f64,
    pub(super) grouped_overlap_loss: f64,
    pub(super) scatter_factor: f64,
    pub(super) grouped_ramp: f64,
    pub(super) memory_rate: f64,
    pub(super) attention: AttentionRates,
    pub(super) links: Links,
}

/// Rates of the attention core.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttentionRates {
    pub(super) unfused: bool,
    pub(super) flash_rate: f64,
    pub(super) head64_ratio: f64,
    pub(super) wide_query_ratio: f64,
    pub(super) backward_ratio: f64,
    pub(super) key_fill: f64,
    pub(super) occupancy_exponent: f64,
    pub(super) unfused_rate: f64,
    pub(super) unaligned_factor: f64,
    pub(super) score_bytes: [f64; 2],
}

impl Rates<'_> {
    /// Rates of a scenario under a calibration.
    pub fn new(scenario: &Scenario, constants: &Constants) -> Self {
        let c = constants;
        let gpu = &scenario.cluster.gpu;
        let age = software_age(scenario, c);
        let gemm = ProductRates::of_16_bits(gpu, c, sustained(gpu.family, c) / age);
        Self {
            learned: None,
            products: Products::new(gpu, c, age),
            gemm,
            gemm_low: gemm.low(scenario.workload.precision, gpu, c),
            kernel_ramp: c.kernel_ramp,
            grouped_factor: match scenario.software.expert_kernels {
                ExpertKernels::PerExpert => c.grouped_factor,
                ExpertKernels::Fused => c.grouped_factor_fused,
            },
            grouped_overlap_loss: c.grouped_overlap_loss,
            scatter_factor: c.expert_stream_factor,
            grouped_ramp: c.grouped_ramp,
            memory_rate: gpu.memory_bandwidth.0 * c.memory_efficiency / age,
            attention: AttentionRates::new(scenario, c, age),
            links: Links::new(&scenario.cluster, c, age),
        }
    }

    /// Rates as short benchmarks see them: nothing holds the GPU back as long training does.
    pub fn of_benchmark(scenario: &Scenario, constants: &Constants) -> Self {
        let c = Constants {
            sustained_ampere: 1.0,
            sustained_hopper: 1.0,
            sustained_blackwell: 1.0,
            sustained_fp8_hopper: 1.0,
            sustained_fp8_blackwell: 1.0,
            attention_sustained: 1.0,
            attention_sustained_blackwell: 1.0,
            ..*constants
        };
        let rates = Self::new(scenario, &c);
        Self { products: rates.products.cool(&scenario.cluster.gpu, &c), ..rates }
    }

    /// Whether the attention core runs as separate products, softmax and dropout.
    pub fn attention_is_unfused(&self) -> bool {
        self.attention.unfused
    }

    /// Bytes of one low-precision operand element.
    pub fn operand_bytes_low(&self) -> f64 {
        self.gemm_low.operand
    }
}

/// Rate of compute kernels in training over the rate that the power budget allows for long.
fn sustained(family: GpuFamily, c: &Constants) -> f64 {
    match family {
        GpuFamily::Volta | GpuFamily::Ampere | GpuFamily::Cdna3 | GpuFamily::Cdna4 => c.sustained_ampere,
        GpuFamily::Hopper => c.sustained_hopper,
        GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.sustained_blackwell,
    }
}

/// Rate of compute kernels in training over that of samples of short benchmarks, on average.
pub(crate) fn training_over_samples(family: GpuFamily, c: &Constants) -> f64 {
    match family {
        GpuFamily::Volta | GpuFamily::Ampere | GpuFamily::Cdna3 | GpuFamily::Cdna4 => c.samples_ampere,
        GpuFamily::Hopper => c.samples_hopper,
        GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.samples_blackwell,
    }
}

/// Slow-down of an older release of a stack that ages, on GPUs younger than Ampere:
/// 1 + rate (2025 - year), at most three years.
pub(crate) fn software_age(scenario: &Scenario, c: &Constants) -> f64 {
    let young = !matches!(scenario.cluster.gpu.family, GpuFamily::Volta | GpuFamily::Ampere);
    if young && scenario.software.profile().ages {
        1.0 + c.software_age_per_year * (2025.0 - f64::from(scenario.software.year)).clamp(0.0, 3.0)
    } else {
        1.0
    }
}

impl AttentionRates {
    fn new(scenario: &Scenario, c: &Constants, age: f64) -> Self {
        let gpu = &scenario.cluster.gpu;
        let kernel = scenario.software.attention();
        let efficiency = match gpu.family {
            GpuFamily::Volta => c.attention_efficiency_volta,
            GpuFamily::Ampere => c.attention_efficiency_ampere,
            GpuFamily::Hopper if kernel == Attention::Vendor => c.attention_efficiency_hopper,
            GpuFamily::Hopper => c.attention_efficiency_hopper_flash2,
            // The Ultra parts doubled the exponential units besides raising clocks.
            GpuFamily::Blackwell => c.attention_efficiency_blackwell,
            GpuFamily::BlackwellUltra => {
                c.attention_efficiency_blackwell * c.gemm_ultra_gain * c.gemm_ultra_gain.sqrt()
            }
            GpuFamily::Cdna3 | GpuFamily::Cdna4 => c.attention_efficiency_cdna,
        };
        let sustained = match gpu.family {
            GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.attention_sustained_blackwell,
            _ => c.attention_sustained,
        };
        let alibi = if kernel == Attention::TritonAlibi { c.attention_alibi_ratio } else { 1.0 };
        Self {
            unfused: kernel == Attention::Unfused,
            flash_rate: gpu.peak_bf16.0 * efficiency * sustained * alibi / age,
            head64_ratio: match kernel {
                Attention::Vendor if gpu.family == GpuFamily::Hopper => c.attention_head64_ratio_vendor,
                _ => c.attention_head64_ratio,
            },
            wide_query_ratio: c.attention_wide_query_ratio,
            backward_ratio: c.attention_backward_ratio,
            key_fill: c.attention_key_fill,
            occupancy_exponent: c.attention_occupancy_exponent,
            unfused_rate: gpu.peak_bf16.0 * c.attention_unfused_efficiency,
            unaligned_factor: c.attention_unaligned_factor,
            score_bytes: [c.attention_score_bytes_forward, c.attention_score_bytes_backward],
        }
    }
}
