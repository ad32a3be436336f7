//! The attention core: flash kernels, or the unfused sequence of batched products and softmax.

use super::rates::AttentionRates;
use super::{AttentionCore, Price, Rates};
use crate::cost::Bound;
use crate::units::{Bytes, Flops, Seconds};
use libm::pow;

/// Query rows of one thread block of a flash kernel, and keys that it takes at once.
const TILE: f64 = 128.0;

/// Width of heads whose rate was measured together with that of heads of 128.
const NARROW: f64 = 64.0;

/// Widest heads whose sums the memory-efficient kernel keeps in registers (PyTorch, `kernel_forward.h` and `kernel_backward.h` of
/// `aten/src/ATen/native/transformers/cuda/mem_eff_attention`).
const WIDE: f64 = 128.0;

/// Widths of heads that kernels are compiled for: FlashAttention-2 (`HEADDIM_SWITCH` in `csrc/flash_attn/src/static_switch.h`) and
/// FlashAttention-3, and taken for the vendors' kernels. Their first releases had 160 and 224 too.
const WIDTHS: [f64; 6] = [32.0, 64.0, 96.0, 128.0, 192.0, 256.0];
/// Those of Triton's kernels, whose blocks are powers of two (`BLOCK_HEADDIM` in `flash_attn/flash_attn_triton.py`), and of
/// FlashAttention's first release and the memory-efficient kernel, which take 80 for 128.
const POWERS: [f64; 5] = [16.0, 32.0, 64.0, 128.0, 256.0];

impl Rates<'_> {
    /// Prices the core. The two products take `2 T s a (dqk + dv)` FLOPs when every score is computed
    /// (unfused, or a kernel that reads a mask), half of it, times the share of pairs, when masked blocks are skipped (flash); backward
    /// repeats them twice, plus once more for the recomputed scores in flash kernels.
    pub(super) fn price_attention(&self, core: &AttentionCore) -> Price {
        if self.attention.unfused { self.unfused(core).price() } else { self.flash(core).price() }
    }

    /// `t = F / (rate * occupancy * head) * (kv_length + fill + diagonal) / kv_length`: a block of queries walks over
    /// the keys it sees, half of them on average where later ones are masked, after a start worth `fill` keys;
    /// of the tile on the diagonal, which is computed whole, half a tile is wasted on either side, and never more keys
    /// than there are.
    pub(super) fn flash(&self, core: &AttentionCore) -> Flash {
        let rates = &self.attention;
        // A mask that is given and not known hides nothing from the kernel.
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
            // Queries, keys, values and output, 16 bits each; twice that and gradients in the backward.
            bytes: (if core.backward { 8.0 } else { 4.0 })
                * core.tokens
                * core.heads
                * (core.head_dim + core.value_dim),
            kernels: if core.backward { 2.0 } else { 1.0 },
            ramp: self.kernel_ramp,
        }
    }

    /// The same where every query reads keys of its own: the rate was measured at the widths and numbers of keys that models have,
    /// with what starts and ends a walk.
    fn gathered(&self, core: &AttentionCore, flops: f64, kv_length: f64) -> Flash {
        let rates = &self.attention;
        Flash {
            causal: flops,
            rate: rates.gathered_rate,
            occupancy: 1.0,
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
    /// Rate at a walk over so many keys, over that of walks up to `long_kv_length`: `gain - (gain - 1) long_kv_length / kv_length` beyond.
    fn long_share(&self, kv_length: f64, gain: f64) -> f64 {
        gain - (gain - 1.0) * (self.long_kv_length / kv_length.max(1.0)).min(1.0)
    }
}

/// FLOPs of the two products when every score is computed.
fn all_scores(core: &AttentionCore) -> f64 {
    2.0 * core.tokens * core.keys * core.heads * (core.head_dim + core.value_dim)
}

/// What the price of a flash kernel is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flash {
    /// FLOPs of the scores that are computed.
    pub(crate) causal: f64,
    pub(crate) rate: f64,
    /// Share of the SMs that have a block.
    pub(crate) occupancy: f64,
    /// Keys that a block of queries walks over, those that its start is worth, and those wasted on the diagonal.
    pub(crate) kv_length: f64,
    pub(crate) fill: f64,
    pub(crate) diagonal: f64,
    /// Rate at this width of heads over that of 128.
    pub(crate) head: f64,
    /// Time of the backward pass over that of the forward pass, in the backward pass.
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

/// What the price of products, softmax and dropout one after the other is made of.
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

/// Rate of heads over that of heads of 128: `ratio` up to 64, and beyond as much as lets a wider head take no less
/// time than one of 64, whose exponentials take it already; of a width that the kernel is compiled for, and as much less for
/// another as that is wider.
fn head_rate(core: &AttentionCore, rates: &AttentionRates) -> f64 {
    let widths: &[f64] = if rates.powers || core.reads_mask { &POWERS } else { &WIDTHS };
    let (query, value) = (compiled(core.head_dim, widths), compiled(core.value_dim, widths));
    let narrow = query.min(NARROW) + value.min(NARROW);
    let head64 = if core.reads_mask { rates.masked_head64_ratio } else { rates.head64_ratio };
    let rate = (head64 * (query + value) / narrow).min(1.0);
    rate * (core.head_dim + core.value_dim) / (query + value)
}

/// The width that a head is computed as.
fn compiled(width: f64, widths: &[f64]) -> f64 {
    widths.iter().copied().find(|compiled| width <= *compiled).unwrap_or(width)
}
