//! The physics cost model: the cost of one operator on one GPU.
//!
//! Kernels are a roofline with efficiencies that depend smoothly on shape; collectives are
//! alpha-beta over the tiers their group spans, with a bandwidth that depends on message size.

mod algorithm;
mod attention;
mod collective;
mod convolution;
mod gemm;
mod index;
mod links;
mod rates;
mod scan;

pub use algorithm::{Algorithm, Collective};
pub(crate) use attention::{Flash, Unfused};
pub use collective::GroupPlacement;
pub(crate) use collective::{Exchange, ProtocolTime, TierTransfer};
pub(crate) use convolution::ConvolutionTerms;
pub(crate) use gemm::ProductPrice;
pub use index::IndexScores;
pub(crate) use index::IndexTerms;
pub(crate) use rates::index_peak;
pub use rates::{Rates, software_age, training_over_samples};
pub use scan::Scan;
pub(crate) use scan::ScanTerms;

use crate::units::{Bytes, Flops, Seconds};
use serde::{Deserialize, Serialize};

/// Work of one operator: all that its price depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work {
    /// One matrix product.
    Gemm(Gemm),
    /// The attention core of one layer and micro-batch.
    Attention(AttentionCore),
    /// Kernels bound by device memory.
    Stream {
        /// Bytes read and written.
        bytes: f64,
        /// Kernels launched.
        kernels: f64,
    },
    /// Kernels bound by device memory that gather, scatter or weigh rows of many experts.
    Scatter {
        /// Bytes read and written.
        bytes: f64,
        /// Kernels launched.
        kernels: f64,
    },
    /// Kernels bound by device memory that cast operands to fewer bits, and turn them.
    Cast {
        /// Bytes read and written.
        bytes: f64,
        /// Kernels launched.
        kernels: f64,
    },
    /// A copy between a GPU and pinned memory of its host.
    HostCopy {
        /// Bytes that cross the host link.
        bytes: f64,
    },
    /// Communication among a group of GPUs.
    Collective {
        /// Which collective.
        kind: Collective,
        /// Size of the whole tensor in bytes (of the gathered tensor for all-gather, of one rank's for all-to-all).
        bytes: f64,
        /// Participating ranks.
        group: GroupPlacement,
    },
    /// The scan of a recurrent mixer.
    Scan(Scan),
    /// Short causal convolutions with their activation.
    Convolution {
        /// Elements.
        elements: f64,
        /// Kernels launched.
        kernels: f64,
        /// Their time over that of a forward pass.
        passes: f64,
    },
    /// Scores of an indexer, with the choice of keys.
    Index(IndexScores),
    /// All-to-all of tokens with their experts by a dispatcher's own kernels, which send a token for several ranks of
    /// a scale-up domain there once.
    Dispatch {
        /// Size of one rank's tensor in bytes.
        bytes: f64,
        /// Share of what leaves a scale-up domain that is sent, 0 to 1.
        across: f64,
        /// Participating ranks.
        group: GroupPlacement,
    },
}

impl Work {
    /// Which collective it is, the size of its tensor in bytes, and who takes part; nothing for a kernel.
    pub const fn communication(&self) -> Option<(Collective, f64, GroupPlacement)> {
        match *self {
            Self::Collective { kind, bytes, group } => Some((kind, bytes, group)),
            Self::Dispatch { bytes, group, .. } => Some((Collective::AllToAll, bytes, group)),
            Self::Gemm(_)
            | Self::Attention(_)
            | Self::Scan(_)
            | Self::Index(_)
            | Self::Convolution { .. }
            | Self::Stream { .. }
            | Self::Scatter { .. }
            | Self::Cast { .. }
            | Self::HostCopy { .. } => None,
        }
    }

    /// Share that is sent of what leaves a scale-up domain: less than 1 where a dispatcher sends a token to a domain
    /// once.
    pub const fn sent_across(&self) -> f64 {
        match *self {
            Self::Dispatch { across, .. } => across,
            _ => 1.0,
        }
    }
}

/// C (m x n) = A (m x k) B (k x n).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gemm {
    /// Rows.
    pub m: f64,
    /// Columns.
    pub n: f64,
    /// Inner dimension.
    pub k: f64,
    /// Operands in the scenario's low precision (true) or in 16 bits (false).
    pub low_precision: bool,
    /// The product is added to a 32-bit gradient.
    pub accumulates: bool,
    /// Products of this shape in one call: the local experts of a grouped product, 1 otherwise.
    pub groups: f64,
    /// Rows of an operand begin at no multiple of 16 bytes, which the fast kernels of libraries read by.
    pub unaligned: bool,
}

/// Attention core on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionCore {
    /// Query tokens over the micro-batch.
    pub tokens: f64,
    /// Key tokens each query may see (the sequence length).
    pub keys: f64,
    /// Query heads on this GPU.
    pub heads: f64,
    /// Width of one head's query and key.
    pub head_dim: f64,
    /// Width of one head's value.
    pub value_dim: f64,
    /// Share of the query-key pairs that are computed, over causal attention to all keys: 1 for a decoder,
    /// 2 for an encoder, less where layers see a window only.
    pub pairs: f64,
    /// Whether a mask is read in place of skipping what it hides; every pair is computed then.
    pub reads_mask: bool,
    /// Whether every query reads keys of its own, as many whatever is before it; all its heads share them.
    pub gathers: bool,
    /// Bytes read and written for each score where products, softmax and dropout are kernels of their own.
    pub score_bytes: f64,
    /// Backward pass.
    pub backward: bool,
}

/// Price of one operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Time of one call.
    pub time: Seconds,
    /// FLOPs executed.
    pub flops: Flops,
    /// Device-memory bytes of kernels; wire bytes per rank of collectives.
    pub bytes: Bytes,
    /// Resource that bounds the operator.
    pub bound: Bound,
}

/// Resource that bounds an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Matrix-product rate.
    Compute,
    /// Device-memory bandwidth.
    Memory,
    /// Kernel launch.
    Latency,
    /// Scale-up fabric.
    ScaleUp,
    /// Network.
    Network,
    /// Link between a GPU and its host.
    Host,
}

/// Basis of a learned time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Within the sampled range.
    Measured,
    /// Outside it: the closed form, with a correction that fades.
    Extrapolated,
    /// Never sampled: the closed form with data-sheet rates.
    Default,
}

/// Times of operators that were learned from measurements; the others are priced by physics.
pub trait LearnedTimes: core::fmt::Debug {
    /// Seconds of one call in training, where they are known.
    fn seconds(&self, work: &Work) -> Option<f64>;

    /// Whether that time was measured at such sizes, not continued from others.
    fn is_measured(&self, work: &Work) -> bool;
}

/// Terms of a call's price.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PriceTerms {
    /// Of a matrix product.
    Product(ProductPrice),
    /// Of a flash attention kernel.
    Flash(Flash),
    /// Of attention in separate kernels.
    Unfused(Unfused),
    /// Of the scan of a recurrent mixer.
    Scan(ScanTerms),
    /// Of short causal convolutions.
    Convolution(ConvolutionTerms),
    /// Of an indexer.
    Index(IndexTerms),
    /// Of kernels bound by device memory: `factor * (bytes / rate + kernels * ramp)`.
    Stream {
        /// Bytes read and written.
        bytes: f64,
        /// Bytes per second.
        rate: f64,
        /// Kernels launched.
        kernels: f64,
        /// Start and end time of each kernel, seconds.
        ramp: f64,
        /// Slow-down of scattered rows.
        factor: f64,
    },
    /// Of a copy between a GPU and its host.
    HostCopy {
        /// Bytes that cross the host link.
        bytes: f64,
        /// Bytes per second.
        rate: f64,
    },
    /// Of a collective; nothing without a peer.
    Exchange(Option<Exchange>),
}

impl<'a> Rates<'a> {
    /// These rates with learned times, if any.
    #[must_use]
    pub fn with(self, learned: Option<&'a dyn LearnedTimes>) -> Self {
        Self { learned, ..self }
    }

    /// Prices one operator. Finite and non-negative for any work with finite, non-negative fields.
    pub fn price(&self, work: &Work) -> Price {
        let price = self.price_by_physics(work);
        match self.learned.and_then(|learned| learned.seconds(work)) {
            Some(seconds) => Price { time: Seconds(seconds), ..price },
            None => price,
        }
    }

    fn price_by_physics(&self, work: &Work) -> Price {
        match work {
            Work::Gemm(gemm) => self.price_gemm(gemm),
            Work::Attention(core) => self.price_attention(core),
            Work::Scan(scan) => self.price_scan(scan),
            Work::Convolution { elements, kernels, passes } => {
                self.price_convolution(*elements, *kernels, *passes)
            }
            Work::Index(index) => self.price_index(index),
            Work::Stream { bytes, kernels } => self.price_stream(*bytes, *kernels),
            Work::Scatter { bytes, kernels } => {
                let price = self.price_stream(*bytes, *kernels);
                Price { time: price.time * self.scatter_factor, ..price }
            }
            Work::Cast { bytes, kernels } => {
                let price = self.price_stream(*bytes, *kernels);
                Price { time: price.time * self.cast_factor, ..price }
            }
            Work::HostCopy { bytes } => self.price_host_copy(*bytes),
            Work::Collective { kind, bytes, group } => self.price_collective(*kind, *bytes, group),
            Work::Dispatch { bytes, across, group } => self.price_all_to_all(*bytes, *across, false, group),
        }
    }

    /// Terms of the physics price of a call.
    pub(crate) fn terms(&self, work: &Work) -> PriceTerms {
        let stream = |bytes, kernels, factor| {
            let (rate, ramp) = (self.memory_rate, self.kernel_ramp);
            PriceTerms::Stream { bytes, rate, kernels, ramp, factor }
        };
        match work {
            Work::Gemm(gemm) => PriceTerms::Product(self.product(gemm)),
            Work::Attention(core) if self.attention.unfused => PriceTerms::Unfused(self.unfused(core)),
            Work::Attention(core) => PriceTerms::Flash(self.flash(core)),
            Work::Scan(scan) => PriceTerms::Scan(self.scan(scan)),
            Work::Convolution { elements, kernels, passes } => {
                PriceTerms::Convolution(self.convolution(*elements, *kernels, *passes))
            }
            Work::Index(index) => PriceTerms::Index(self.index(index)),
            Work::Stream { bytes, kernels } => stream(*bytes, *kernels, 1.0),
            Work::Scatter { bytes, kernels } => stream(*bytes, *kernels, self.scatter_factor),
            Work::Cast { bytes, kernels } => stream(*bytes, *kernels, self.cast_factor),
            Work::HostCopy { bytes } => PriceTerms::HostCopy { bytes: *bytes, rate: self.links.host_rate },
            Work::Collective { kind, bytes, group } => {
                PriceTerms::Exchange(self.exchange(*kind, *bytes, group))
            }
            Work::Dispatch { bytes, across, group } => {
                PriceTerms::Exchange(self.all_to_all(*bytes, *across, false, group))
            }
        }
    }

    /// `t = bytes / host rate`.
    fn price_host_copy(&self, bytes: f64) -> Price {
        let time = Seconds(bytes / self.links.host_rate);
        Price { time, flops: Flops::ZERO, bytes: Bytes(bytes), bound: Bound::Host }
    }

    /// Bytes per second between a GPU and its host.
    pub(crate) const fn host_rate(&self) -> f64 {
        self.links.host_rate
    }

    /// Bytes per second of device memory that streaming kernels reach.
    pub(crate) const fn device_memory_rate(&self) -> f64 {
        self.memory_rate
    }

    /// `t = bytes / memory rate + kernels * ramp`.
    fn price_stream(&self, bytes: f64, kernels: f64) -> Price {
        let ramp = self.kernel_ramp * kernels;
        let transfer = bytes / self.memory_rate;
        Price {
            time: Seconds(transfer + ramp),
            flops: Flops::ZERO,
            bytes: Bytes(bytes),
            bound: if transfer >= ramp { Bound::Memory } else { Bound::Latency },
        }
    }
}
