//! Forecasts of measured operators under benchmark conditions: current kernels, nothing else running.

use super::{KernelSample, MACHINES, Ran, TimedPasses};
use crate::constants::Constants;
use crate::cost::{AttentionCore, Rates, Work};
use crate::document::Document;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::cluster::presets::find;
use crate::scenario::stack::{ExpertKernels, Kernels, Software, Stack};
use crate::scenario::{Precision, Scenario};

/// Bytes of an element before it is quantised.
const WIDE: f64 = 2.0;

/// Precisions of products, each under a stack with the vendor's attention kernels, and stacks whose attention
/// is FlashAttention-2.
const VARIANTS: [(Precision, Stack); 5] = [
    (Precision::Bf16, Stack::Fused),
    (Precision::Fp8, Stack::Fused),
    (Precision::Fp8Block, Stack::Fused),
    (Precision::Nvfp4, Stack::Fused),
    (Precision::Bf16, Stack::Compiled),
];

/// Rates of one machine in every variant.
struct MachineRates {
    family: GpuFamily,
    rates: Vec<Rates<'static>>,
}

/// Forecast over measured time of every sample, in order.
pub fn ratios(samples: &[KernelSample], constants: &Constants) -> Vec<f64> {
    let machines: Vec<Option<MachineRates>> =
        MACHINES.iter().map(|entry| MachineRates::new(entry.1, constants)).collect();
    let seconds = |sample: &KernelSample| machines.get(sample.machine)?.as_ref()?.seconds(sample, constants);
    samples.iter().map(|sample| seconds(sample).map_or(f64::NAN, |s| s / sample.measured_s)).collect()
}

impl MachineRates {
    fn new(name: &str, constants: &Constants) -> Option<Self> {
        let mut scenario: Scenario = Document::default().scenario().ok()?;
        scenario.cluster = find(name)?.cluster;
        let rates = VARIANTS.map(|(precision, stack)| {
            scenario.workload.precision = precision;
            scenario.software = Software {
                stack,
                year: 2025,
                month: 6,
                graphs: false,
                expert_kernels: ExpertKernels::PerExpert,
                kernels: Kernels::OF_STACK,
            };
            Rates::of_benchmark(&scenario, constants)
        });
        Some(Self { family: scenario.cluster.gpu.family, rates: rates.to_vec() })
    }

    fn seconds(&self, sample: &KernelSample, c: &Constants) -> Option<f64> {
        let rates = |precision: Precision, stack: Stack| {
            let index = VARIANTS.iter().position(|variant| *variant == (precision, stack))?;
            self.rates.get(index)
        };
        let time = |rates: &Rates<'_>, work: Work| rates.price(&work).time.0;
        match sample.ran {
            Ran::Product { gemm, precision } => {
                let rates = rates(precision, Stack::Fused)?;
                let cast = if gemm.low_precision {
                    let (passes, fixed) = self.cast(precision, c);
                    let bytes = passes * gemm.m * gemm.k * (WIDE + rates.operand_bytes_low());
                    fixed + time(rates, Work::Stream { bytes, kernels: 0.0 })
                } else {
                    0.0
                };
                Some(time(rates, Work::Gemm(gemm)) + cast)
            }
            Ran::Attention { core, passes, flash2, host } => {
                let stack = if flash2 { Stack::Compiled } else { Stack::Fused };
                let rates = rates(Precision::Bf16, stack)?;
                let pass = |backward: bool| {
                    let device = time(rates, Work::Attention(AttentionCore { backward, ..core }));
                    // A call takes at least as long as its launch.
                    if host { libm::hypot(device, c.benchmark_attention_host) } else { device }
                };
                Some(match passes {
                    TimedPasses::Forward => pass(false),
                    TimedPasses::Backward => pass(true),
                    TimedPasses::Both => pass(false) + pass(true),
                })
            }
            Ran::Communication(work) => Some(time(rates(Precision::Bf16, Stack::Fused)?, work)),
        }
    }

    /// Traffic of the tables' casts over its least, and their fixed time.
    fn cast(&self, precision: Precision, c: &Constants) -> (f64, f64) {
        let of = self.family.generation();
        match precision {
            Precision::Fp16 | Precision::Bf16 => (0.0, 0.0),
            Precision::Fp8 => (c.benchmark_cast_passes_tensor, (of.cast_time_tensor)(c)),
            Precision::Fp8Block | Precision::Mxfp8 => {
                ((of.cast_passes_block)(c), c.benchmark_cast_time_block)
            }
            Precision::Nvfp4 => (c.benchmark_cast_passes_fp4, c.benchmark_cast_time_fp4),
        }
    }
}
