//! The attention core: flash kernels, or the unfused sequence of batched products and softmax.

use super::{AttentionCore, Price, Rates};
use crate::cost::Bound;
use crate::units::{Bytes, Flops, Seconds};
use libm::pow;

/// Query rows of one thread block of a flash kernel, and keys that it takes at once.
const TILE: f64 = 128.0;

/// Width of heads whose rate was measured beside that of heads of 128.
const NARROW: f64 = 64.0;

impl Rates<'_> {
    /// Prices the core. The two products take `2 T s a (dqk + dv)` FLOPs when every score is computed
    /// (unfused), half of it, times the share of pairs, when masked blocks are skipped (flash); backward
    /// repeats them twice, plus once more for the recomputed scores in flash kernels.
    pub(super) fn price_attention(&self, core: &AttentionCore) -> Price {
        let full = 2.0 * core.tokens * core.keys * core.heads * (core.head_dim + core.value_dim);
        if self.attention.unfused {
            self.price_unfused(core, full)
        } else {
            self.price_flash(core, full / 2.0 * core.pairs)
        }
    }

    /// `t = F / (rate * occupancy * head) * (walk + fill + diagonal) / walk`: a block of queries walks over
    /// the keys it sees, half of them on average where later ones are masked, after a start worth `fill` keys;
    /// of the tile on the diagonal, which is computed whole, half a tile is wasted on either side, and never more keys
    /// than there are.
    fn price_flash(&self, core: &AttentionCore, causal: f64) -> Price {
        let rates = &self.attention;
        let blocks = core.tokens * core.heads / TILE;
        let occupancy = pow((blocks / self.products.sms).min(1.0), rates.occupancy_exponent);
        let walk = core.keys / 2.0 * core.pairs;
        let diagonal = (core.keys - walk).clamp(0.0, TILE);
        let saturation = walk / (walk + rates.key_fill + diagonal);
        let mut head = head_rate(core, rates.head64_ratio);
        if core.head_dim > core.value_dim {
            head *= rates.wide_query_ratio;
        }
        let rate = rates.flash_rate * occupancy * saturation * head;
        // Queries, keys, values and output, 16 bits each; twice that and gradients in the backward.
        let tensors = if core.backward { 8.0 } else { 4.0 };
        let bytes = tensors * core.tokens * core.heads * (core.head_dim + core.value_dim);
        let (time, flops, kernels) = if core.backward {
            (causal / rate * rates.backward_ratio, 2.5 * causal, 2.0)
        } else {
            (causal / rate, causal, 1.0)
        };
        Price {
            time: Seconds(time + kernels * self.kernel_ramp),
            flops: Flops(flops),
            bytes: Bytes(bytes),
            bound: Bound::Compute,
        }
    }

    fn price_unfused(&self, core: &AttentionCore, full: f64) -> Price {
        let rates = &self.attention;
        let scores = core.tokens * core.keys * core.heads;
        let unaligned = if core.head_dim % 8.0 == 0.0 { 1.0 } else { rates.unaligned_factor };
        let (products, per_score, kernels) = if core.backward {
            (2.0 * full, rates.score_bytes[1], 8.0)
        } else {
            (full, rates.score_bytes[0], 5.0)
        };
        let compute = unaligned * products / rates.unfused_rate;
        let memory = scores * per_score / self.memory_rate;
        Price {
            time: Seconds(compute + memory + kernels * self.kernel_ramp),
            flops: Flops(products),
            bytes: Bytes(scores * per_score),
            bound: if compute >= memory { Bound::Compute } else { Bound::Memory },
        }
    }
}

/// Rate of heads over that of heads of 128: `ratio` up to 64, and beyond as much as lets a wider head take no less
/// time than one of 64, whose exponentials take it already.
fn head_rate(core: &AttentionCore, ratio: f64) -> f64 {
    let narrow = core.head_dim.min(NARROW) + core.value_dim.min(NARROW);
    (ratio * (core.head_dim + core.value_dim) / narrow).min(1.0)
}
