//! Chunked scans of recurrent mixers: kernels that carry a state from chunk to chunk of a sequence.

use super::{Bound, Price, Rates};
use crate::constants::Constants;
use crate::scenario::model::StateRule;
use crate::units::{Bytes, Flops, Seconds};

/// Tokens per chunk of the delta rules and of linear attention (flash-linear-attention, `chunk_size`).
pub(crate) const CHUNK: f64 = 64.0;
/// Tokens per chunk of Mamba-2 (`chunk_size` of its published models).
pub(crate) const CHUNK_MAMBA2: f64 = 128.0;
/// State elements per head at which the time per streaming multiprocessor was measured: keys and values of 128.
const MEASURED_STATE: f64 = 128.0 * 128.0;

/// A scan on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scan {
    /// How the state is updated.
    pub rule: StateRule,
    /// Tokens of the micro-batch that this GPU scans.
    pub tokens: f64,
    /// Tokens of one sequence, which are scanned chunk after chunk.
    pub sequence: f64,
    /// Heads.
    pub heads: f64,
    /// Elements of a token's queries, or keys.
    pub keys: f64,
    /// Width of a key, or of the state.
    pub key_dim: f64,
    /// Width of a head's value.
    pub value_dim: f64,
    /// Backward pass.
    pub backward: bool,
}

/// Rates of one rule's scans.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanRates {
    /// Seconds that a chunk waits for the one before it.
    chain: f64,
    /// Passes over the bytes, relative to reading inputs and writing states, corrections and outputs once.
    passes: f64,
    /// Seconds of a streaming multiprocessor per token of a head whose state has [`MEASURED_STATE`] elements.
    work: f64,
    /// Kernels launched.
    kernels: f64,
    /// Backward over forward.
    backward: f64,
}

impl ScanRates {
    pub(super) fn new(rule: StateRule, c: &Constants) -> Self {
        match rule {
            // Mamba's own scan has no known measurement: Mamba-2's is used.
            StateRule::Mamba1 | StateRule::Mamba2 => Self {
                chain: 0.0,
                passes: 0.0,
                work: c.scan_work_mamba2,
                kernels: KERNELS_MAMBA2,
                backward: c.scan_backward_mamba2,
            },
            StateRule::RgLru => Self {
                chain: c.scan_chain_recurrence,
                passes: 1.0,
                work: 0.0,
                kernels: 1.0,
                backward: c.scan_backward_recurrence,
            },
            StateRule::Kda => Self {
                chain: c.scan_chain_kda,
                passes: c.scan_passes_kda,
                work: c.scan_work_kda,
                kernels: KERNELS_DELTA,
                backward: c.scan_backward_kda,
            },
            StateRule::GatedDelta | StateRule::Delta => Self {
                chain: c.scan_chain_delta,
                passes: c.scan_passes_delta,
                work: c.scan_work_delta,
                kernels: KERNELS_DELTA,
                backward: match rule {
                    StateRule::Delta => c.scan_backward_delta_plain,
                    _ => c.scan_backward_delta,
                },
            },
            StateRule::GatedLinear => Self {
                chain: c.scan_chain_gated_linear,
                passes: c.scan_passes_gated_linear,
                work: 0.0,
                kernels: KERNELS_LINEAR,
                backward: c.scan_backward_gated_linear,
            },
            StateRule::Lightning | StateRule::Linear | StateRule::ShortConvolution | StateRule::None => {
                Self {
                    chain: c.scan_chain_linear,
                    passes: c.scan_passes_linear,
                    work: 0.0,
                    kernels: KERNELS_LINEAR,
                    backward: c.scan_backward_linear,
                }
            }
        }
    }
}

/// Kernels of a forward pass: Mamba-2's cumulative sums, chunk states, state passing, products within chunks, and the
/// scan (`mamba_ssm`, `_mamba_chunk_scan_combined_fwd`).
const KERNELS_MAMBA2: f64 = 5.0;
/// The delta rules': sums of gates, products of keys, their inverse, corrected keys and values, states, outputs
/// (flash-linear-attention, `chunk_gated_delta_rule_fwd`), and norms of queries and keys.
const KERNELS_DELTA: f64 = 7.0;
/// Linear attention's: sums of gates, states, outputs (`chunk_gla_fwd`).
const KERNELS_LINEAR: f64 = 3.0;

impl Scan {
    /// Tokens of a chunk.
    fn chunk(&self) -> f64 {
        if self.rule == StateRule::Mamba2 { CHUNK_MAMBA2 } else { CHUNK }
    }

    /// Bytes of one forward pass, each tensor once: inputs and outputs in 16 bits, corrected keys and values written and read
    /// (delta rules), and each chunk's state written and read in 16 bits.
    fn bytes(&self) -> f64 {
        let values = self.heads * self.value_dim;
        let ends = 2.0 * (2.0 * self.keys + 2.0 * values);
        let corrected = 4.0 * self.heads * (self.key_dim + self.value_dim);
        let states = 4.0 * self.heads * self.key_dim * self.value_dim / self.chunk();
        self.tokens * (ends + corrected + states)
    }

    /// FLOPs of one forward pass: three products with the state for the delta rules, two otherwise, and those within a
    /// chunk.
    pub fn flops(&self) -> f64 {
        let state = self.heads * self.key_dim * self.value_dim;
        let pairs = 0.5 * self.chunk() * self.heads;
        let per_token = match self.rule {
            StateRule::GatedDelta | StateRule::Delta | StateRule::Kda => {
                6.0 * state + 2.0 * pairs * (3.0 * self.key_dim + 2.0 * self.value_dim)
            }
            _ => 4.0 * state + 2.0 * pairs * (self.key_dim + self.value_dim),
        };
        self.tokens * per_token
    }
}

/// Terms of a scan's price: `factor (chunks chain + passes bytes / rate + tokens heads work / multiprocessors + kernels
/// ramp)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanTerms {
    /// Chunks per sequence.
    pub(crate) chunks: f64,
    /// Seconds that each chunk waits for the one before.
    pub(crate) chain: f64,
    /// Bytes moved.
    pub(crate) bytes: f64,
    /// Bytes per second.
    pub(crate) rate: f64,
    /// Seconds of the multiprocessors' work.
    pub(crate) work: f64,
    /// Kernels launched, and the start and end time of each, seconds.
    pub(crate) kernels: f64,
    pub(crate) ramp: f64,
    /// Backward over forward.
    pub(crate) factor: f64,
}

impl Rates<'_> {
    /// Terms of a scan's price.
    pub(crate) fn scan(&self, scan: &Scan) -> ScanTerms {
        let of = &self.scan;
        let state = scan.key_dim * scan.value_dim / MEASURED_STATE;
        ScanTerms {
            chunks: scan.sequence / scan.chunk(),
            chain: of.chain,
            bytes: of.passes * scan.bytes(),
            rate: self.memory_rate,
            work: scan.tokens * scan.heads * state * of.work / self.multiprocessors,
            kernels: of.kernels,
            ramp: self.kernel_ramp,
            factor: if scan.backward { of.backward } else { 1.0 },
        }
    }

    pub(super) fn price_scan(&self, scan: &Scan) -> Price {
        let of = self.scan(scan);
        let parts = [of.bytes / of.rate, of.work, of.chunks * of.chain + of.kernels * of.ramp];
        let bounds = [Bound::Memory, Bound::Compute, Bound::Latency];
        let most = bounds
            .into_iter()
            .zip(parts)
            .fold((Bound::Memory, 0.0), |most, part| if part.1 > most.1 { part } else { most });
        Price {
            time: Seconds(of.factor * parts.iter().sum::<f64>()),
            flops: Flops(if scan.backward { 2.0 } else { 1.0 } * scan.flops()),
            bytes: Bytes(of.factor * of.bytes),
            bound: most.0,
        }
    }
}
