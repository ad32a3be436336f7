//! An indexer's scores and its top-k selection of keys.

use super::{Bound, Price, Rates};
use crate::units::{Bytes, Flops, Seconds};

/// Bytes of a score.
const SCORE: f64 = 4.0;

/// Scores of an indexer on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexScores {
    /// Queries of the micro-batch on this GPU.
    pub tokens: f64,
    /// Keys scored per query, on average.
    pub keys: f64,
    /// Heads of the indexer.
    pub heads: f64,
    /// Width of a head.
    pub width: f64,
    /// Backward pass: scores again, and the gradients of queries and keys; no selection.
    pub backward: bool,
}

/// Terms of an indexer's price: `flops / rate + scores * selection / SMs + kernels * ramp`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexTerms {
    pub(crate) flops: f64,
    pub(crate) rate: f64,
    /// Scores to select from; 0 in the backward pass.
    pub(crate) scores: f64,
    /// Selection time of one streaming multiprocessor per score, seconds.
    pub(crate) selection: f64,
    pub(crate) multiprocessors: f64,
    pub(crate) kernels: f64,
    pub(crate) ramp: f64,
}

impl IndexTerms {
    /// Selection time, seconds.
    pub(crate) fn choice(&self) -> f64 {
        self.scores * self.selection / self.multiprocessors
    }
}

impl Rates<'_> {
    /// Terms of an indexer's time.
    pub(super) fn index(&self, index: &IndexScores) -> IndexTerms {
        let products = if index.backward { 3.0 } else { 1.0 };
        IndexTerms {
            flops: products * 2.0 * index.tokens * index.keys * index.heads * index.width,
            rate: self.index_rate,
            scores: if index.backward { 0.0 } else { index.tokens * index.keys },
            selection: self.index_selection,
            multiprocessors: self.multiprocessors,
            kernels: 2.0,
            ramp: self.kernel_ramp,
        }
    }

    pub(super) fn price_index(&self, index: &IndexScores) -> Price {
        let terms = self.index(index);
        let time = terms.flops / terms.rate + terms.choice() + terms.kernels * terms.ramp;
        let bytes = 2.0 * SCORE * index.tokens * index.keys;
        Price { time: Seconds(time), flops: Flops(terms.flops), bytes: Bytes(bytes), bound: Bound::Compute }
    }
}
