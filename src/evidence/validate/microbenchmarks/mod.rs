//! The cost model against measured kernels and collectives, one operator at a time.

mod price;
mod read;
mod report;

pub use price::ratios;
pub use read::{read_collective, read_kernel};
pub use report::{KernelReport, KindErrors, report};

use crate::calibrate::fit::{FreeConstant, minimise, robust};
use crate::constants::Constants;
use crate::cost::{AttentionCore, Gemm, Work};
use crate::scenario::Precision;

/// GPU names of the kernel and collective tables, and the machine of each.
pub const MACHINES: [(&str, &str); 8] = [
    ("NVIDIA A100-SXM4-80GB", "dgx-a100-80g"),
    ("A100 (8x NVSwitch node)", "dgx-a100-80g"),
    ("NVIDIA H100 80GB HBM3", "dgx-h100"),
    ("NVIDIA H200", "dgx-h200"),
    ("NVIDIA B200", "dgx-b200"),
    ("NVIDIA GB200", "gb200-nvl72"),
    ("NVIDIA B300 SXM6 AC", "dgx-b300"),
    ("NVIDIA GB300", "gb300-nvl72"),
];

/// The machine of [`MACHINES`] whose collectives were not used for fitting.
const UNSEEN: &str = "A100 (8x NVSwitch node)";

/// One measured operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelSample {
    /// Index into [`MACHINES`].
    pub machine: usize,
    /// What kind of operator.
    pub kind: KernelKind,
    /// Seconds it took.
    pub measured_s: f64,
    ran: Ran,
}

impl KernelSample {
    /// Whether the shipped constants were fitted to samples like this one.
    pub fn is_of_the_fit(&self) -> bool {
        MACHINES.get(self.machine).is_some_and(|machine| machine.0 != UNSEEN)
            && !matches!(self.kind, KernelKind::TrainingProduct | KernelKind::Grouped)
    }
}

/// A kind of operator that is reported separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelKind {
    /// 16-bit matrix products of an inference library.
    Product,
    /// FP8 products with one scale per tensor, and their casts.
    Fp8,
    /// FP8 products with scales of blocks, and their casts.
    Fp8Block,
    /// FP4 products, and their casts.
    Fp4,
    /// 16-bit products in the layouts of training, timed call by call.
    TrainingProduct,
    /// Grouped 16-bit products.
    Grouped,
    /// Attention forward.
    AttentionForward,
    /// Attention backward.
    AttentionBackward,
    /// Attention forward and backward.
    AttentionBoth,
    /// All-reduce within a node, and whether below 1 MB.
    AllReduce(bool),
    /// All-gather.
    AllGather(bool),
    /// Reduce-scatter.
    ReduceScatter(bool),
    /// All-to-all.
    AllToAll(bool),
}

impl KernelKind {
    /// The name of the kind of kernel for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Product => "GEMM, 16 bits",
            Self::Fp8 => "GEMM, FP8",
            Self::Fp8Block => "GEMM, FP8 in blocks",
            Self::Fp4 => "GEMM, FP4",
            Self::TrainingProduct => "GEMM, training layouts",
            Self::Grouped => "grouped GEMM",
            Self::AttentionForward => "attention forward",
            Self::AttentionBackward => "attention backward",
            Self::AttentionBoth => "attention, both passes",
            Self::AllReduce(false) => "all-reduce",
            Self::AllGather(false) => "all-gather",
            Self::ReduceScatter(false) => "reduce-scatter",
            Self::AllToAll(false) => "all-to-all",
            Self::AllReduce(true) => "all-reduce < 1 MB",
            Self::AllGather(true) => "all-gather < 1 MB",
            Self::ReduceScatter(true) => "reduce-scatter < 1 MB",
            Self::AllToAll(true) => "all-to-all < 1 MB",
        }
    }

    /// Its pool.
    pub fn class(self) -> &'static str {
        match self {
            Self::Product => "GEMM, 16 bits",
            Self::Fp8 | Self::Fp8Block | Self::Fp4 => "GEMM, FP8 and FP4",
            Self::TrainingProduct => "GEMM, training layouts",
            Self::Grouped => "grouped GEMM",
            Self::AttentionForward | Self::AttentionBackward | Self::AttentionBoth => "attention",
            Self::AllReduce(small) | Self::AllGather(small) => of_size(small),
            Self::ReduceScatter(small) | Self::AllToAll(small) => of_size(small),
        }
    }
}

fn of_size(small: bool) -> &'static str {
    if small { "collectives, 64 KiB to 1 MB" } else { "collectives, 1 MB and more" }
}

/// What was timed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ran {
    /// A product, with the casts that quantise its first operand.
    Product { gemm: Gemm, precision: Precision },
    /// Passes of the attention core.
    Attention { core: AttentionCore, passes: TimedPasses, flash2: bool, host: bool },
    /// Communication.
    Communication(Work),
}

/// Passes of attention that were timed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimedPasses {
    Forward,
    Backward,
    Both,
}

/// The constants that fit the samples best; constants that are not free keep their values in `base`.
pub fn fit(base: &Constants, samples: &[KernelSample], free: &[FreeConstant]) -> Constants {
    minimise(base, free, |constants| ratios(samples, constants).into_iter().map(robust).sum())
}
