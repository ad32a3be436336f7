//! How modules are implemented: the bytes that each moves and the kernels that it launches (`data/implementations.tsv`).

use super::Pass;
use crate::cost::Work;

/// Bytes moved for an element, and kernels launched, forward and backward.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct KernelTraffic {
    pub(crate) forward: [f64; 2],
    pub(crate) backward: [f64; 2],
}

impl KernelTraffic {
    pub(super) fn times(self, times: f64) -> Self {
        let of = |[bytes, kernels]: [f64; 2]| [times * bytes, times * kernels];
        Self { forward: of(self.forward), backward: of(self.backward) }
    }

    pub(super) fn and(self, other: Self) -> Self {
        let sum = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        Self { forward: sum(self.forward, other.forward), backward: sum(self.backward, other.backward) }
    }

    /// Bytes for an element, forward and backward.
    pub(super) fn bytes(self) -> [f64; 2] {
        [self.forward[0], self.backward[0]]
    }
}

/// Kernels at whose rate a module moves its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rate {
    /// Streaming.
    Stream,
    /// Gathering or scattering rows.
    Scatter,
    /// Casting to fewer bits.
    Cast,
}

impl Rate {
    /// So many bytes moved by so many kernels.
    pub(super) fn work(self, [bytes, kernels]: [f64; 2]) -> Work {
        match self {
            Self::Stream => Work::Stream { bytes, kernels },
            Self::Scatter => Work::Scatter { bytes, kernels },
            Self::Cast => Work::Cast { bytes, kernels },
        }
    }
}

/// One implementation of a module.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Implementation {
    /// Kernels that its bytes pass as fast as.
    pub(crate) rate: Rate,
    /// With tensors of 16 bits.
    pub(crate) half: KernelTraffic,
    /// Under autocast, on a residual stream of 32 bits.
    pub(crate) single: KernelTraffic,
    /// Bytes for an element that stay.
    pub(crate) held: f64,
}

impl Implementation {
    /// On a residual stream of 32 bits under autocast, or of 16.
    pub(super) const fn at(&self, single: bool) -> KernelTraffic {
        if single { self.single } else { self.half }
    }

    /// The kernels of a pass over so many elements of 16 bits.
    pub(super) fn work(&self, pass: Pass, elements: f64) -> Work {
        let forward = matches!(pass, Pass::Forward | Pass::Recompute);
        let [bytes, kernels] = if forward { self.half.forward } else { self.half.backward };
        self.rate.work([bytes * elements, kernels])
    }
}

/// Lists the implementations: name, rate, and bytes and kernels forward and backward with 16 and with 32 bits, bytes held.
macro_rules! implementations {
    ($($(#[$doc:meta])* $name:ident = $rate:ident, $f:expr, $b:expr, $sf:expr, $sb:expr, $held:expr;)+) => {
        use super::implementation::{Implementation, KernelTraffic, Rate};

        $($(#[$doc])*
        pub(crate) const $name: Implementation = Implementation {
            rate: Rate::$rate,
            half: KernelTraffic { forward: $f, backward: $b },
            single: KernelTraffic { forward: $sf, backward: $sb },
            held: $held,
        };)+
    };
}

pub(super) use implementations;
