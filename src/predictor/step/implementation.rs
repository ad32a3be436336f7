//! Implementations of modules: bytes moved and kernels launched (`data/implementations.tsv`).

use super::Pass;
use crate::cost::Work;

/// Bytes moved per element, and kernels launched, forward and backward.
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

    /// Bytes per element, forward and backward.
    pub(super) fn bytes(self) -> [f64; 2] {
        [self.forward[0], self.backward[0]]
    }
}

/// Class of kernel that sets the rate of a module's bytes.
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
    /// Kernel class that sets its rate.
    pub(crate) rate: Rate,
    /// With 16-bit tensors.
    pub(crate) half: KernelTraffic,
    /// Under autocast, on a 32-bit residual stream.
    pub(crate) single: KernelTraffic,
    /// Bytes per element kept for the backward pass.
    pub(crate) held: f64,
}

impl Implementation {
    /// Traffic on a 32-bit residual stream under autocast, or on a 16-bit one.
    pub(super) const fn at(&self, single: bool) -> KernelTraffic {
        if single { self.single } else { self.half }
    }

    /// Kernels of a forward pass; operators, where PyTorch launches them one by one from the host.
    pub(crate) const fn forward_kernels(&self) -> f64 {
        self.half.forward[1]
    }

    /// The kernels of a pass over this many 16-bit elements.
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
