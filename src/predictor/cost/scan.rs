//! Chunked scans of recurrent mixers: kernels that carry a state from chunk to chunk of a sequence.

use super::{Bound, Price, Rates};
use crate::scenario::model::StateRule;
use crate::units::{Bytes, Flops, Seconds};

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

impl Scan {
    /// Bytes of one forward pass.
    fn bytes(&self) -> f64 {
        let row = self.rule.row();
        let of = row.moved;
        let ends = of.keys * self.keys + of.values * self.heads * self.value_dim;
        let states = of.states * self.key_dim * self.value_dim / row.chunk;
        let of_heads = of.steps + of.corrected * (self.key_dim + self.value_dim) + states;
        let scores = of.scores * row.chunk * self.keys / self.key_dim;
        self.tokens * (ends + self.heads * of_heads + scores)
    }

    /// FLOPs of one forward pass: products with the state, and those within a chunk.
    pub fn flops(&self) -> f64 {
        let row = self.rule.row();
        let state = self.heads * self.key_dim * self.value_dim;
        let pairs = 0.5 * row.chunk * self.heads;
        let [keys, values] = row.chunk_products;
        let in_chunk = pairs * (keys * self.key_dim + values * self.value_dim);
        2.0 * self.tokens * (row.state_products * state + in_chunk)
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
        let of = self.scan.unwrap_or_default();
        let state = scan.key_dim * scan.value_dim / MEASURED_STATE;
        ScanTerms {
            chunks: scan.sequence / scan.rule.row().chunk,
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
