//! Matrix products: tiles, waves and split sums under a clock, a power budget, and device memory.

use super::rates::GroupedProducts;
use super::{Gemm, Price, Rates};
use crate::constants::Constants;
use crate::cost::Bound;
use crate::scenario::Precision;
use crate::scenario::cluster::Gpu;
use crate::units::{Bytes, Flops, Seconds};
use libm::pow;

/// Output tiles a library chooses from, rows x columns.
const TILES: [(f64, f64); 3] = [(128.0, 256.0), (128.0, 128.0), (64.0, 64.0)];
/// Parts that a library splits the inner dimension into, so that few tiles keep all SMs busy.
const SPLITS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// Rates of one GPU's matrix products, for any precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Products {
    pub(super) sms: f64,
    /// Efficiencies of [`TILES`] relative to the first.
    tile_efficiency: [f64; 3],
    /// Bytes per second for operands, each counted once.
    operand_rate: f64,
    overlap_loss: f64,
    /// Time of products with unaligned rows, relative to aligned ones.
    unaligned_factor: f64,
    /// Seconds until half of the power throttling has set in: 0 in training, which never pauses.
    pub(super) throttle_time: f64,
}

/// Rates that depend on the operands' precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProductRates {
    /// FLOP/s of all SMs at the clock of short kernels.
    clock: f64,
    /// FLOP/s that the power budget allows initially.
    burst: f64,
    /// FLOP/s that the power budget allows continuously.
    sustained: f64,
    /// Cost of filling and draining the main loop, in elements of the inner dimension.
    fill: f64,
    /// Cost of adding up the parts of a split inner dimension, in further elements.
    join: f64,
    /// Bytes of an element of the operands.
    pub(super) operand: f64,
}

impl Products {
    pub(super) fn new(gpu: &Gpu, c: &Constants, age: f64) -> Self {
        let of = gpu.family.generation();
        Self {
            sms: f64::from(gpu.sms.max(1)),
            tile_efficiency: [1.0, (of.gemm_tile_128_efficiency)(c), (of.gemm_tile_64_efficiency)(c)],
            operand_rate: gpu.memory_bandwidth.0 * (of.gemm_operand_efficiency)(c) / age,
            overlap_loss: c.roofline_overlap_loss,
            unaligned_factor: c.gemm_unaligned_factor,
            throttle_time: 0.0,
        }
    }

    /// The rates in a benchmark, which starts on a cool GPU.
    pub(super) fn cool(self, gpu: &Gpu, c: &Constants) -> Self {
        let throttle_time = (gpu.family.generation().gemm_throttle_time)(c);
        Self { throttle_time, ..self }
    }
}

impl ProductRates {
    /// Rates of products of 16-bit operands, at `share` of what benchmarks reach.
    pub(super) fn of_16_bits(gpu: &Gpu, c: &Constants, share: f64) -> Self {
        let of = gpu.family.generation();
        let rated = gpu.peak_bf16.0 * (of.gemm_efficiency)(c) * share;
        let sustained = rated * power_share(gpu, c);
        Self {
            clock: rated * (of.gemm_clock_ratio)(c),
            burst: sustained * (of.gemm_burst_ratio)(c),
            sustained,
            fill: (of.gemm_k_half)(c),
            join: c.gemm_split_cost,
            operand: 2.0,
        }
    }

    /// These rates with the main loop's fill scaled.
    pub(super) fn with_fill(self, factor: f64) -> Self {
        Self { fill: self.fill * factor, ..self }
    }

    /// Rates of quantised operands, FP8 at `sustained` of the 16-bit share. If the GPU has no such units, or slower
    /// ones, the products run on the 16-bit units.
    pub(super) fn low(&self, precision: Precision, gpu: &Gpu, c: &Constants, sustained: f64) -> Self {
        let of = gpu.family.generation();
        let (peak, ratio, operand) = match precision {
            Precision::Fp16 | Precision::Bf16 => return *self,
            Precision::Fp8 => (gpu.peak_fp8.0, (of.gemm_fp8_ratio)(c), 1.0),
            Precision::Fp8Block | Precision::Mxfp8 => (gpu.peak_fp8.0, (of.gemm_fp8_block_ratio)(c), 1.0),
            // 4 bits a value and one 8-bit scale per 16 values.
            Precision::Nvfp4 => (gpu.peak_fp4.0, (of.gemm_fp4_ratio)(c), 0.5 + 1.0 / 16.0),
        };
        // Peak of this precision over that of 16 bits.
        let width = peak / gpu.peak_bf16.0;
        let (rate, fill) = match precision {
            _ if width <= 0.0 => (1.0, self.fill),
            Precision::Nvfp4 => (width * ratio, (of.gemm_fp4_k_half)(c)),
            // Filling the loop takes the same time, in which twice the elements pass.
            _ => (width * ratio * sustained, self.fill * FP8_WIDTH),
        };
        let rate = rate.max(1.0);
        Self {
            clock: self.clock * rate,
            burst: self.burst * rate,
            sustained: self.sustained * rate,
            fill,
            join: self.join * FP8_WIDTH,
            operand,
        }
    }
}

/// Bytes of an operand of 16 bits.
const HALF: f64 = 2.0;
/// FP8 elements per 16-bit element.
const FP8_WIDTH: f64 = 2.0;

impl Rates<'_> {
    /// FLOP/s that large products keep up in long training, in the low precision or in 16 bits.
    pub(crate) const fn sustained_flops(&self, low_precision: bool) -> f64 {
        if low_precision { self.gemm_low.sustained } else { self.gemm.sustained }
    }

    /// `t = max(x, y) + loss * min(x, y) + ramp`, where `y = operands / operand rate + results / memory rate` and
    /// `x` is bound by the clock or by power, `x = (clock^8 + power^8)^(1/8)`, with F FLOPs:
    ///
    /// `clock = 2 SMs * rows * columns * ceil(s tiles / SMs) * (k / s + fill + [s > 1] join) / (e R_clock)`,
    /// the least over [`TILES`] and [`SPLITS`] s: whole waves of whole tiles;
    ///
    /// `power = F / R_burst + (F / R_held - F / R_burst) * h / (h + throttle time)`, `h = F / R_held`: in a
    /// benchmark short products end before the budget is felt; in training the throttle time is 0.
    ///
    /// Grouped products (experts) run as many small ones, which overlap less of their reads: `t = factor * (max(x, y) +
    /// grouped loss * min(x, y)) + G * ramp`, and at least their launch time if each is a separate kernel. Rows not
    /// aligned to 16 bytes run in slower kernels, by a factor.
    pub(super) fn price_gemm(&self, gemm: &Gemm) -> Price {
        self.product(gemm).price()
    }

    /// Terms of a product's price.
    pub(super) fn product(&self, gemm: &Gemm) -> ProductPrice {
        let (m, n, k) = (gemm.m.max(1.0), gemm.n.max(1.0), gemm.k.max(1.0));
        let groups = gemm.groups.max(1.0);
        let flops = 2.0 * groups * m * n * k;
        let rates = if gemm.low_precision { &self.gemm_low } else { &self.gemm };
        let products = &self.products;
        let (mut least, mut chosen) = (f64::INFINITY, [0.0; 3]);
        for ((rows, columns), efficiency) in TILES.into_iter().zip(products.tile_efficiency) {
            let tiles = groups * whole(m / rows) * whole(n / columns) / products.sms;
            let area = rows * columns / efficiency;
            for split in SPLITS {
                let join = if split > 1.0 { rates.join } else { 0.0 };
                let depth = k / split + rates.fill + join;
                // Even with no SM idle, this split and any finer one would take longer.
                if tiles * split * area * depth >= least {
                    break;
                }
                let waves = whole(tiles * split);
                if waves * area * depth < least {
                    (least, chosen) = (waves * area * depth, [waves, area, depth]);
                }
            }
        }
        let clock = 2.0 * products.sms * least / rates.clock;
        let (sustained, burst) = (flops / rates.sustained, flops / rates.burst);
        let power = burst + (sustained - burst).max(0.0) * sustained / (sustained + products.throttle_time);
        // Output: 2 bytes written, or a 4-byte gradient read and written.
        let output = if gemm.accumulates { 8.0 } else { 2.0 };
        let operands = groups * rates.operand * (m * k + n * k);
        let results = groups * output * m * n;
        let (memory, operand_rate, loss, factor, ramp, launches) = if groups > 1.0 {
            let GroupedProducts { factor, overlap_loss, ramp, launch } = self.grouped;
            let memory = (operands + results) / self.memory_rate;
            let launches = groups * if rates.operand < HALF { launch } else { 0.0 };
            (memory, self.memory_rate, overlap_loss, factor, groups * ramp, launches)
        } else {
            let memory = operands / products.operand_rate + results / self.memory_rate;
            let factor = if gemm.unaligned { products.unaligned_factor } else { 1.0 };
            (memory, products.operand_rate, products.overlap_loss, factor, self.kernel_ramp, 0.0)
        };
        ProductPrice {
            flops,
            sms: products.sms,
            waves: chosen,
            clock_rate: rates.clock,
            sustained_flops: rates.sustained,
            clock,
            power,
            compute: smooth_maximum(clock, power),
            operands,
            operand_rate,
            results,
            memory_rate: self.memory_rate,
            memory,
            loss,
            factor,
            ramp,
            launches,
        }
    }
}

/// Terms of a matrix product's price: seconds, FLOPs, bytes and their rates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProductPrice {
    pub(crate) flops: f64,
    pub(crate) sms: f64,
    /// Waves of tiles, elements of a tile over its efficiency, and inner dimension including the loop's fill.
    pub(crate) waves: [f64; 3],
    pub(crate) clock_rate: f64,
    pub(crate) sustained_flops: f64,
    /// Whole waves at the clock.
    pub(crate) clock: f64,
    /// Time under the power budget.
    pub(crate) power: f64,
    /// The smooth maximum of both.
    pub(crate) compute: f64,
    pub(crate) operands: f64,
    pub(crate) operand_rate: f64,
    pub(crate) results: f64,
    pub(crate) memory_rate: f64,
    pub(crate) memory: f64,
    /// Share of the shorter of compute and reads that does not overlap.
    pub(crate) loss: f64,
    /// Slow-down of grouped products and of unaligned rows.
    pub(crate) factor: f64,
    pub(crate) ramp: f64,
    /// Time to launch a group's products one by one: a lower bound for the group.
    pub(crate) launches: f64,
}

impl ProductPrice {
    fn price(&self) -> Price {
        let both = self.compute.max(self.memory) + self.loss * self.compute.min(self.memory);
        Price {
            time: Seconds((self.factor * both).max(self.launches) + self.ramp),
            flops: Flops(self.flops),
            bytes: Bytes(self.operands + self.results),
            bound: if self.compute >= self.memory { Bound::Compute } else { Bound::Memory },
        }
    }
}

/// Sustained rate of large kernels under a GPU's power limit, relative to the power at which its generation was
/// measured: clock and voltage fall together, so the rate falls more slowly than the power.
pub(super) fn power_share(gpu: &Gpu, c: &Constants) -> f64 {
    if gpu.power == 100 { 1.0 } else { pow(f64::from(gpu.power) / 100.0, c.power_exponent) }
}

/// `ceil` of a positive number, without a call where the processor has no instruction for it.
fn whole(value: f64) -> f64 {
    let below = value as u64 as f64;
    if below < value { below + 1.0 } else { below }
}

/// `(a^8 + b^8)^(1/8)`.
fn smooth_maximum(a: f64, b: f64) -> f64 {
    let (high, low) = (a.max(b), a.min(b));
    let square = (low / high) * (low / high);
    let fourth = square * square;
    high * (1.0 + fourth * fourth).sqrt().sqrt().sqrt()
}
