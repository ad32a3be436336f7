//! Matrix products: roofline with tile and wave quantisation and K-depth saturation.

use super::{Gemm, Price, Rates};
use crate::prediction::Bound;
use crate::units::{Bytes, Flops, Seconds};
use libm::pow;

/// Output tiles a library chooses from, rows x columns.
const TILES: [(f64, f64); 3] = [(128.0, 256.0), (128.0, 128.0), (64.0, 64.0)];

impl Rates<'_> {
    /// `t = max(x, y) + loss * min(x, y) + ramp` with
    /// `x = 2mnk / rate * waste^w * (1 + k_half / k)` and `y = bytes / memory rate`, where `waste` is the
    /// work of whole waves of whole tiles over the useful work, for the best of [`TILES`].
    ///
    /// Grouped products (experts) run as many small ones, of which the first reads while none computes:
    /// `t = factor * (x + y) + G * ramp`, measured on tables of grouped products.
    pub(super) fn price_gemm(&self, gemm: &Gemm) -> Price {
        let (m, n, k) = (gemm.m.max(1.0), gemm.n.max(1.0), gemm.k.max(1.0));
        let groups = gemm.groups.max(1.0);
        let flops = 2.0 * groups * m * n * k;
        let (rate, operand) = if gemm.low_precision {
            (self.gemm_rate_low, self.operand_bytes_low)
        } else {
            (self.gemm_rate, 2.0)
        };
        let mut waste = f64::INFINITY;
        for ((rows, columns), efficiency) in TILES.into_iter().zip(self.tile_efficiency) {
            let waves = (groups * (m / rows).ceil() * (n / columns).ceil() / self.sms).ceil();
            waste = waste.min(waves * self.sms * rows * columns / (groups * m * n * efficiency));
        }
        let compute = flops / rate * pow(waste.max(1.0), self.wave_exponent) * (1.0 + self.k_half / k);
        // Output: 2 bytes written, or a 4-byte gradient read and written.
        let output = if gemm.accumulates { 8.0 } else { 2.0 };
        let bytes = groups * (operand * (m * k + n * k) + output * m * n);
        let memory = bytes / self.memory_rate;
        let time = if groups > 1.0 {
            self.grouped_factor * (compute + memory) + groups * self.grouped_ramp
        } else {
            compute.max(memory) + self.overlap_loss * compute.min(memory) + self.kernel_ramp
        };
        Price {
            time: Seconds(time),
            flops: Flops(flops),
            bytes: Bytes(bytes),
            bound: if compute >= memory { Bound::Compute } else { Bound::Memory },
        }
    }
}
