//! Short causal convolutions: kernels bound by the multiprocessors' work, which hides most of what they move.

use super::{Bound, Price, Rates};
use crate::units::{Bytes, Flops, Seconds};

/// Terms of a convolution's price: `passes (bytes / rate + elements work / multiprocessors) + kernels ramp`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConvolutionTerms {
    /// Bytes that its arithmetic waits for.
    pub(crate) bytes: f64,
    /// Bytes per second.
    pub(crate) rate: f64,
    /// Seconds of the multiprocessors' work.
    pub(crate) work: f64,
    /// Time over that of a forward pass.
    pub(crate) passes: f64,
    /// Kernels launched, and the start and end time of each, seconds.
    pub(crate) kernels: f64,
    pub(crate) ramp: f64,
}

impl Rates<'_> {
    /// Terms of the price of so many elements.
    pub(crate) fn convolution(&self, elements: f64, kernels: f64, passes: f64) -> ConvolutionTerms {
        let [bytes, work] = self.convolution;
        ConvolutionTerms {
            bytes: bytes * elements,
            rate: self.memory_rate,
            work: elements * work / self.multiprocessors,
            passes,
            kernels,
            ramp: self.kernel_ramp,
        }
    }

    /// Price of so many elements; its bytes are those that it waits for, not what caches hold.
    pub(super) fn price_convolution(&self, elements: f64, kernels: f64, passes: f64) -> Price {
        let of = self.convolution(elements, kernels, passes);
        let (waits, ramps) = (of.bytes / of.rate, of.kernels * of.ramp);
        let busy = of.passes * (waits + of.work);
        Price {
            time: Seconds(busy + ramps),
            flops: Flops::ZERO,
            bytes: Bytes(of.passes * of.bytes),
            bound: if ramps > busy { Bound::Latency } else { Bound::Compute },
        }
    }
}
