//! Rates of one GPU and its links under one software stack: [`crate::constants::Constants`] applied to a scenario.
//! Computed once per scenario, shared by all its operators.

use super::gemm::{ProductRates, Products, power_share};
use super::links::Links;
use crate::constants::Constants;
use crate::scenario::Scenario;
use crate::scenario::cluster::{Gpu, GpuFamily};
use crate::scenario::model::ScanRates;
use crate::scenario::stack::{Attention, ExpertKernels, Launch};

/// Years from the start of 2025 to the last table with gains of the vendor's attention kernels.
const VENDOR_GAINS_FOR: f64 = 1.2;

/// Rates for pricing operators. Times in seconds, rates in units per second.
#[derive(Debug, Clone, Copy)]
pub struct Rates<'a> {
    pub(super) learned: Option<&'a dyn super::LearnedTimes>,
    pub(super) products: Products,
    pub(super) gemm: ProductRates,
    pub(super) gemm_low: ProductRates,
    pub(super) kernel_ramp: f64,
    pub(super) grouped: GroupedProducts,
    pub(super) scatter_factor: f64,
    /// Slow-down of casts relative to other kernels that move the same bytes.
    pub(super) cast_factor: f64,
    pub(super) memory_rate: f64,
    /// Streaming multiprocessors of the GPU.
    pub(super) multiprocessors: f64,
    /// FLOP/s of an indexer's scores, and selection time per score of one multiprocessor, seconds.
    pub(super) index_rate: f64,
    pub(super) index_selection: f64,
    /// Of the model's recurrent mixer.
    pub(super) scan: Option<ScanRates>,
    /// Bytes of an element of a short convolution, and one multiprocessor's seconds for it.
    pub(super) convolution: [f64; 2],
    pub(super) attention: AttentionRates,
    pub(super) links: Links,
}

/// How the products of several experts run.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupedProducts {
    /// Slow-down relative to single products.
    pub(super) factor: f64,
    /// Share of the shorter of compute and reads that does not overlap.
    pub(super) overlap_loss: f64,
    /// Extra time per product of a group.
    pub(super) ramp: f64,
    /// Least time per quantised product of a group: its launch.
    pub(super) launch: f64,
}

impl GroupedProducts {
    fn new(scenario: &Scenario, c: &Constants) -> Self {
        let software = &scenario.software;
        let kernel =
            |factor| Self { factor, overlap_loss: c.grouped_overlap_loss, ramp: c.grouped_ramp, launch: 0.0 };
        match software.expert_kernels {
            ExpertKernels::PerExpert if software.profile().streams_products => {
                Self { ramp: 0.0, launch: c.grouped_launch_low, ..kernel(c.grouped_factor_streams) }
            }
            ExpertKernels::PerExpert | ExpertKernels::Looped => kernel(c.grouped_factor),
            // Products of equal shape also run as one batched kernel.
            ExpertKernels::Fused | ExpertKernels::OneHot | ExpertKernels::OneHotSlack => {
                kernel(c.grouped_factor_fused)
            }
        }
    }
}

/// Rates of the attention core.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttentionRates {
    pub(super) unfused: bool,
    pub(super) flash_rate: f64,
    /// Of the kernel whose queries read their own keys.
    pub(super) gathered_rate: f64,
    /// Heads whose products with gathered keys are one instruction.
    pub(super) gathered_heads: f64,
    /// Of the kernel that reads a mask instead of skipping masked blocks, and of its heads of 64.
    pub(super) masked_rate: f64,
    pub(super) masked_head64_ratio: f64,
    pub(super) masked_long_gain: f64,
    /// Rate of very long key loops, relative to loops of up to `long_kv_length` keys.
    pub(super) long_gain: f64,
    pub(super) long_kv_length: f64,
    pub(super) head64_ratio: f64,
    /// Whether heads are padded to the next power of two.
    pub(super) powers: bool,
    pub(super) wide_query_ratio: f64,
    /// Rate of the mask-reading kernel at heads wider than 128, relative to 128, forward and backward.
    pub(super) wide_head_ratio: [f64; 2],
    pub(super) backward_ratio: f64,
    pub(super) key_fill: f64,
    pub(super) occupancy_exponent: f64,
    pub(super) unfused_rate: f64,
}

impl Rates<'_> {
    /// Rates of a scenario under a calibration.
    pub fn new(scenario: &Scenario, constants: &Constants) -> Self {
        let family = scenario.cluster.gpu.family;
        let of = family.generation();
        let kernel = scenario.attention();
        let slower =
            (of.attention_efficiency_flash2)(constants) < (of.attention_efficiency_vendor)(constants);
        let idles = kernel != Attention::Vendor && slower;
        let sustained = Sustained {
            products: (of.sustained)(constants),
            fp8: (of.sustained_fp8)(constants),
            // The loss of the Triton kernel with ALiBi is its own, on any GPU.
            attention: match kernel {
                Attention::TritonAlibi => constants.attention_sustained,
                _ => (of.attention_sustained)(constants),
            },
            // A kernel that leaves the tensor cores mostly idle draws less than the power limit, once nothing else
            // heats them.
            attention_long: if idles { 1.0 } else { (of.attention_long)(constants) },
            masked_long: if slower { 1.0 } else { (of.attention_long)(constants) },
        };
        Self::with_sustained(scenario, constants, sustained)
    }

    /// Rates of short benchmarks, without the slow-down of long training.
    pub fn of_benchmark(scenario: &Scenario, constants: &Constants) -> Self {
        let all =
            Sustained { products: 1.0, fp8: 1.0, attention: 1.0, attention_long: 1.0, masked_long: 1.0 };
        let rates = Self::with_sustained(scenario, constants, all);
        Self { products: rates.products.cool(&scenario.cluster.gpu, constants), ..rates }
    }

    fn with_sustained(scenario: &Scenario, c: &Constants, sustained: Sustained) -> Self {
        let gpu = &scenario.cluster.gpu;
        let age = software_age(scenario, c);
        let gemm = ProductRates::of_16_bits(gpu, c, sustained.products / age);
        Self {
            learned: None,
            products: Products::new(gpu, c, age),
            gemm,
            gemm_low: gemm.low(scenario.workload.precision, gpu, c, sustained.fp8),
            kernel_ramp: c.kernel_ramp,
            grouped: GroupedProducts::new(scenario, c),
            scatter_factor: c.expert_stream_factor,
            cast_factor: cast_factor(scenario, c),
            memory_rate: gpu.memory_bandwidth.0 * c.memory_efficiency / age,
            multiprocessors: f64::from(gpu.sms.max(1)),
            index_rate: index_peak(scenario) * c.index_efficiency * sustained.attention / age,
            index_selection: c.index_selection,
            scan: scenario.model.recurrent.rule.row().scan.map(|rates| rates(c)),
            convolution: [c.convolution_bytes, c.convolution_work],
            attention: AttentionRates::new(scenario, c, &sustained, age),
            links: Links::new(&scenario.cluster, c, age),
        }
    }

    /// Rates for 32-bit products on a GPU whose peak is already the 32-bit peak, `ratio` of the 16-bit one: filling and
    /// draining the main loop take the same time, while the loop takes longer.
    #[must_use]
    pub fn of_single_precision(self, ratio: f64) -> Self {
        Self { gemm: self.gemm.with_fill(ratio), ..self }
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

/// Sustained rates of long training, relative to short benchmarks.
#[derive(Debug, Clone, Copy)]
struct Sustained {
    /// Of 16-bit products.
    products: f64,
    /// Of FP8 products, in addition.
    fp8: f64,
    /// Of flash attention.
    attention: f64,
    /// Of flash attention on very long sequences.
    attention_long: f64,
    /// Of the kernel that reads a mask on very long sequences.
    masked_long: f64,
}

/// Average rate of compute kernels in training, relative to samples of short benchmarks.
pub fn training_over_samples(family: GpuFamily, c: &Constants) -> f64 {
    (family.generation().samples)(c)
}

/// Slow-down of an older release of a stack, on GPUs whose kernels were new then: 1 + rate (2025 - date), at most three
/// years, by the month.
pub fn software_age(scenario: &Scenario, c: &Constants) -> f64 {
    if scenario.cluster.gpu.family.generation().ages {
        1.0 + c.software_age_per_year * (-scenario.software.years_since_2025()).clamp(0.0, 3.0)
    } else {
        1.0
    }
}

/// Share of the peak that an attention kernel reaches under a GPU's power limit, from its `efficiency` at the power at
/// which its generation was measured. A kernel that draws as much power as products is limited like them; any other
/// only where its rate would exceed theirs.
fn under_power(efficiency: f64, gpu: &Gpu, c: &Constants) -> f64 {
    let (products, share) = ((gpu.family.generation().gemm_efficiency)(c), power_share(gpu, c));
    if efficiency >= products { efficiency * share } else { efficiency.min(products * share) }
}

impl AttentionRates {
    fn new(scenario: &Scenario, c: &Constants, sustained: &Sustained, age: f64) -> Self {
        let gpu = &scenario.cluster.gpu;
        let of = gpu.family.generation();
        let kernel = scenario.attention();
        let (efficiency, head64_ratio) = match kernel {
            Attention::Vendor => ((of.attention_efficiency_vendor)(c), (of.attention_head64_ratio_vendor)(c)),
            Attention::Unfused
            | Attention::Flash1
            | Attention::Masked
            | Attention::Flash2
            | Attention::Flex
            | Attention::TritonAlibi => ((of.attention_efficiency_flash2)(c), c.attention_head64_ratio),
        };
        let of_kernel = kernel_ratio(scenario, kernel, c);
        // Framework releases ship the vendor kernels of their time; published kernels do not change.
        let age = match kernel {
            Attention::Flash1 | Attention::Masked | Attention::Flash2 | Attention::Flex => 1.0,
            Attention::Unfused | Attention::Vendor | Attention::TritonAlibi => age,
        };
        Self {
            unfused: kernel == Attention::Unfused,
            gathered_heads: (of.gathered_heads)(c),
            gathered_rate: gpu.peak_bf16.0
                * under_power((of.attention_efficiency_gathered)(c), gpu, c)
                * sustained.attention,
            masked_rate: gpu.peak_bf16.0
                * under_power((of.attention_efficiency_flash2)(c), gpu, c)
                * sustained.attention
                * kernel_ratio(scenario, Attention::Masked, c),
            masked_head64_ratio: c.attention_head64_ratio,
            masked_long_gain: (sustained.masked_long / sustained.attention).max(1.0),
            flash_rate: gpu.peak_bf16.0 * under_power(efficiency, gpu, c) * sustained.attention * of_kernel
                / age,
            // The Triton kernel with ALiBi was measured on long sequences, so its rate includes that loss.
            long_gain: if kernel == Attention::TritonAlibi {
                1.0
            } else {
                (sustained.attention_long / sustained.attention).max(1.0)
            },
            long_kv_length: c.attention_long_walk,
            head64_ratio,
            powers: matches!(kernel, Attention::Flash1 | Attention::Flex | Attention::TritonAlibi),
            wide_query_ratio: c.attention_wide_query_ratio,
            wide_head_ratio: [c.attention_masked_wide_forward, c.attention_masked_wide_backward],
            backward_ratio: c.attention_backward_ratio,
            key_fill: c.attention_key_fill,
            occupancy_exponent: c.attention_occupancy_exponent,
            unfused_rate: gpu.peak_bf16.0 * c.attention_unfused_efficiency,
        }
    }
}

/// Peak of an indexer's products, FLOP/s: FP8 if the layers' products have 8 bits or fewer.
pub(crate) fn index_peak(scenario: &Scenario) -> f64 {
    let gpu = &scenario.cluster.gpu;
    let low = if scenario.workload.precision.is_16_bits() { 0.0 } else { gpu.peak_fp8.0 };
    low.max(gpu.peak_bf16.0)
}

/// Rate of the attention kernel, relative to the kernel that the generation's efficiency was measured with.
fn kernel_ratio(scenario: &Scenario, kernel: Attention, c: &Constants) -> f64 {
    let (family, software) = (scenario.cluster.gpu.family, &scenario.software);
    match kernel {
        Attention::TritonAlibi => c.attention_alibi_ratio,
        // Volta's efficiency was not measured with a newer kernel.
        Attention::Flash1 | Attention::Masked if family != GpuFamily::Volta => c.attention_flash1_ratio,
        Attention::Flex => c.attention_flex_ratio,
        Attention::Vendor if software.runs_flash4_on(family) => c.attention_flash4_ratio,
        Attention::Vendor => {
            let years = software.years_since_2025().clamp(0.0, VENDOR_GAINS_FOR);
            1.0 + (family.generation().attention_vendor_gain)(c) * years
        }
        Attention::Unfused | Attention::Flash1 | Attention::Masked | Attention::Flash2 => 1.0,
    }
}

/// Slow-down of casts relative to other kernels that move the same bytes: Transformer Engine on AMD transposes operands
/// for weight gradients, which adapters on frozen weights do not need. torchao's and XLA's casts are compiled.
fn cast_factor(scenario: &Scenario, c: &Constants) -> f64 {
    let software = &scenario.software;
    let turned = !scenario.training.adapters.freeze();
    if !(scenario.cluster.gpu.family.is_amd() && software.launch() == Launch::Fused && turned) {
        return 1.0;
    }
    (c.memory_efficiency / c.cast_efficiency_rocm).max(1.0)
}
