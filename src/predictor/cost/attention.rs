//! The attention core: flash kernels, or the unfused sequence of batched products and softmax.

use super::rates::AttentionRates;
use super::{AttentionCore, Price, Rates};
use crate::cost::Bound;
use crate::units::{Bytes, Flops, Seconds};
use libm::{ceil, pow};

/// Query rows per thread block of a flash kernel, and keys per iteration.
const TILE: f64 = 128.0;

/// Head width measured together with 128.
const NARROW: f64 = 64.0;

/// Widest heads whose accumulators the memory-efficient kernel keeps in registers (PyTorch, `kernel_forward.h` and
/// `kernel_backward.h` of `aten/src/ATen/native/transformers/cuda/mem_eff_attention`).
const WIDE: f64 = 128.0;

/// Head widths that kernels are compiled for: FlashAttention-2 (`HEADDIM_SWITCH` in
/// `csrc/flash_attn/src/static_switch.h`) and FlashAttention-3; assumed for vendor kernels. Their first releases also
/// had 160 and 224.
const WIDTHS: [f64; 6] = [32.0, 64.0, 96.0, 128.0, 192.0, 256.0];
/// Head widths of Triton's kernels, whose blocks are powers of two (`BLOCK_HEADDIM` in
/// `flash_attn/flash_attn_triton.py`), and of FlashAttention's first release and the memory-efficient kernel, which run
/// 80 as 128.
const POWERS: [f64; 5] = [16.0, 32.0, 64.0, 128.0, 256.0];

impl Rates<'_> {
    /// Prices the core. The two products take `2 T s a (dqk + dv)` FLOPs if every score is computed (unfused, or a
    /// kernel that reads a mask), and half of it, times the share of pairs, if masked blocks are skipped (flash).
    /// Backward takes twice that, plus recomputed scores in flash kernels.
    pub(super) fn price_attention(&self, core: &AttentionCore) -> Price {
        if self.attention.unfused { self.unfused(core).price() } else { self.flash(core).price() }
    }

    /// `t = F / (rate * occupancy * head) * (kv_length + fill + diagonal) / kv_length`: a block of queries iterates
    /// over the keys it attends to, half of them on average under a causal mask, after a start that costs `fill` keys.
    /// The tile on the diagonal is computed whole: half of it is wasted on either side, but never more keys than exist.
    pub(super) fn flash(&self, core: &AttentionCore) -> Flash {
        let rates = &self.attention;
        // A kernel that reads a mask skips nothing.
        let (pairs, rate, gain) = if core.reads_mask {
            (2.0, rates.masked_rate, rates.masked_long_gain)
        } else {
            (core.pairs, rates.flash_rate, rates.long_gain)
        };
        let causal = all_scores(core) / 2.0 * pairs;
        let blocks = core.tokens * core.heads / TILE;
        let occupancy = pow((blocks / self.products.sms).min(1.0), rates.occupancy_exponent);
        let kv_length = core.keys / 2.0 * pairs;
        let diagonal = (core.keys - kv_length).clamp(0.0, TILE);
        if core.gathers {
            return self.gathered(core, causal, kv_length);
        }
        let mut head = head_rate(core, rates);
        if core.head_dim > core.value_dim {
            head *= rates.wide_query_ratio;
        }
        if core.reads_mask && core.head_dim > WIDE {
            let [forward, backward] = rates.wide_head_ratio;
            head *= if core.backward { backward } else { forward };
        }
        Flash {
            causal,
            rate: rate * rates.long_share(kv_length, gain),
            occupancy,
            kv_length,
            fill: rates.key_fill,
            diagonal,
            head,
            backward: core.backward.then_some(rates.backward_ratio),
            // Queries, keys, values and output, 16 bits each; backward, these twice and the gradients.
            bytes: (if core.backward { 8.0 } else { 4.0 })
                * core.tokens
                * core.heads
                * (core.head_dim + core.value_dim),
            kernels: if core.backward { 2.0 } else { 1.0 },
            ramp: self.kernel_ramp,
        }
    }

    /// Same, where every query reads its own keys: the rate was measured at the widths and numbers of keys that models
    /// use, including the start and end of the loop. A query's heads are the rows of one product with its keys, so a
    /// matrix instruction with more rows than there are heads computes the others for nothing.
    fn gathered(&self, core: &AttentionCore, flops: f64, kv_length: f64) -> Flash {
        let rates = &self.attention;
        let heads = core.heads.max(1.0);
        Flash {
            causal: flops,
            rate: rates.gathered_rate,
            occupancy: heads / ceil(heads / rates.gathered_heads) / rates.gathered_heads,
            kv_length,
            fill: 0.0,
            diagonal: 0.0,
            head: 1.0,
            backward: core.backward.then_some(rates.backward_ratio),
            bytes: (if core.backward { 4.0 } else { 2.0 })
                * core.tokens
                * (core.heads + core.keys.min(kv_length))
                * (core.head_dim + core.value_dim),
            kernels: if core.backward { 2.0 } else { 1.0 },
            ramp: self.kernel_ramp,
        }
    }

    /// `t = F / rate + scores * bytes a score / memory rate + kernels * ramp`.
    pub(super) fn unfused(&self, core: &AttentionCore) -> Unfused {
        let full = all_scores(core);
        let rates = &self.attention;
        let (flops, kernels) = if core.backward { (2.0 * full, 8.0) } else { (full, 5.0) };
        Unfused {
            flops,
            rate: rates.unfused_rate,
            scores: core.tokens * core.keys * core.heads,
            score_bytes: core.score_bytes,
            memory_rate: self.memory_rate,
            kernels,
            ramp: self.kernel_ramp,
        }
    }
}

impl AttentionRates {
    /// Rate for this many keys, relative to loops of up to `long_kv_length` keys: `gain - (gain - 1) long_kv_length /
    /// kv_length` beyond.
    fn long_share(&self, kv_length: f64, gain: f64) -> f64 {
        gain - (gain - 1.0) * (self.long_kv_length / kv_length.max(1.0)).min(1.0)
    }
}

/// FLOPs of the two products if every score is computed.
fn all_scores(core: &AttentionCore) -> f64 {
    2.0 * core.tokens * core.keys * core.heads * (core.head_dim + core.value_dim)
}

/// Terms of a flash kernel's price.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flash {
    /// FLOPs of the scores that are computed.
    pub(crate) causal: f64,
    pub(crate) rate: f64,
    /// Share of the SMs that have a thread block.
    pub(crate) occupancy: f64,
    /// Keys that a block of queries iterates over, keys that its start costs, and keys wasted on the diagonal.
    pub(crate) kv_length: f64,
    pub(crate) fill: f64,
    pub(crate) diagonal: f64,
    /// Rate at this head width relative to 128.
    pub(crate) head: f64,
    /// Backward time over forward time; set in the backward pass.
    pub(crate) backward: Option<f64>,
    bytes: f64,
    pub(crate) kernels: f64,
    pub(crate) ramp: f64,
}

impl Flash {
    fn price(&self) -> Price {
        let saturation = self.kv_length / (self.kv_length + self.fill + self.diagonal);
        let rate = self.rate * self.occupancy * saturation * self.head;
        let (time, flops) = match self.backward {
            Some(ratio) => (self.causal / rate * ratio, 2.5 * self.causal),
            None => (self.causal / rate, self.causal),
        };
        Price {
            time: Seconds(time + self.kernels * self.ramp),
            flops: Flops(flops),
            bytes: Bytes(self.bytes),
            bound: Bound::Compute,
        }
    }
}

/// Terms of the price of products, softmax and dropout in separate kernels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unfused {
    pub(crate) flops: f64,
    pub(crate) rate: f64,
    pub(crate) scores: f64,
    pub(crate) score_bytes: f64,
    pub(crate) memory_rate: f64,
    pub(crate) kernels: f64,
    pub(crate) ramp: f64,
}

impl Unfused {
    fn price(&self) -> Price {
        let compute = self.flops / self.rate;
        let memory = self.scores * self.score_bytes / self.memory_rate;
        Price {
            time: Seconds(compute + memory + self.kernels * self.ramp),
            flops: Flops(self.flops),
            bytes: Bytes(self.scores * self.score_bytes),
            bound: if compute >= memory { Bound::Compute } else { Bound::Memory },
        }
    }
}

/// Rate relative to heads of 128: `ratio` up to 64. Wider heads get a rate such that they take no less time than heads
/// of 64, whose exponentials already take it. A width the kernel is not compiled for is padded, and loses in
/// proportion.
fn head_rate(core: &AttentionCore, rates: &AttentionRates) -> f64 {
    let widths: &[f64] = if rates.powers || core.reads_mask { &POWERS } else { &WIDTHS };
    let (query, value) = (compiled(core.head_dim, widths), compiled(core.value_dim, widths));
    let narrow = query.min(NARROW) + value.min(NARROW);
    let head64 = if core.reads_mask { rates.masked_head64_ratio } else { rates.head64_ratio };
    let rate = (head64 * (query + value) / narrow).min(1.0);
    rate * (core.head_dim + core.value_dim) / (query + value)
}

/// Width that the kernel pads a head to.
fn compiled(width: f64, widths: &[f64]) -> f64 {
    widths.iter().copied().find(|compiled| width <= *compiled).unwrap_or(width)
}
