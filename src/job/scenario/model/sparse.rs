//! Sparse attention: an indexer selects keys, keys are compressed, or both.

use super::{Mixer, Model};
use serde::{Deserialize, Serialize};

/// Sparse attention of a layer, in addition to its sliding window if the model has one.
///
/// DeepSeek Sparse Attention (DeepSeek-V3.2, arXiv 2512.02556, section 2.1) selects 2,048 tokens with an indexer;
/// MiniMax-M3's attention 16 blocks of 128; MoBA and InfLLM-V2 select blocks without an indexer. DeepSeek-V4 selects
/// among keys compressed from 4 tokens, and in other layers attends to all keys compressed from 128 tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sparse {
    /// Keys that a query selects; 0 if no layer selects.
    pub selected: u32,
    /// Tokens per selectable key: 1, or more if keys are compressed first.
    pub stride: u32,
    /// Heads of the indexer, whole on every rank; 0 without weights.
    pub index_heads: u32,
    /// Width of the indexer's heads and of its single key.
    pub index_dim: u32,
    /// Tokens per key in layers that see all compressed keys; 0 if no layer does.
    pub compression: u32,
}

impl Sparse {
    /// No such layers.
    pub const NONE: Self = Self { selected: 0, stride: 1, index_heads: 0, index_dim: 0, compression: 0 };
}

/// Parameters of an indexer and of compressors in one layer, whole on every rank.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SparseWidths {
    /// Width of the input of the indexer's query projection.
    pub query_input: f64,
    /// Elements of the indexer's queries per token.
    pub index_queries: f64,
    /// Columns of the indexer's projections of the residual stream: its key (or the input of its compression), and a
    /// weight per head.
    pub index_keys: f64,
    /// Columns of the compressor's projections: keys and their weights.
    pub compressor: f64,
    /// Elements of tables and norms.
    pub small: f64,
}

impl Model {
    /// Most keys that a query of a layer attends to: selected, compressed and window keys.
    pub fn keys_at_most(&self, mixer: Mixer, sequence: f64) -> f64 {
        let sparse = &self.sparse;
        let mut keys = 0.0;
        if mixer.selects() {
            keys += self.keys_selected_at_most(sequence);
        }
        if mixer.compresses() {
            keys += sequence / f64::from(sparse.compression.max(1));
        }
        (keys + f64::from(self.window.tokens)).min(sequence)
    }

    /// Query-key pairs of a sparse layer, relative to causal attention to all keys.
    pub(super) fn sparse_pairs(&self, mixer: Mixer, sequence: f64) -> f64 {
        let all = if self.causal { 1.0 } else { 2.0 };
        let limited = |tokens: f64| {
            let seen = (tokens / sequence.max(1.0)).min(1.0);
            if self.causal { 2.0 * seen - seen * seen } else { 2.0 * seen }
        };
        let stride = f64::from(self.sparse.stride.max(1));
        let mut pairs = limited(f64::from(self.window.tokens));
        if mixer.selects() {
            pairs += limited(f64::from(self.sparse.selected) * stride) / stride;
        }
        if mixer.compresses() {
            pairs += all / f64::from(self.sparse.compression.max(1));
        }
        pairs.min(all)
    }

    /// Keys that an indexer scores per query, on average.
    pub fn keys_scored(&self, sequence: f64) -> f64 {
        let all = if self.causal { 0.5 } else { 1.0 };
        all * sequence / f64::from(self.sparse.stride.max(1))
    }

    /// Most keys that a query selects.
    pub fn keys_selected_at_most(&self, sequence: f64) -> f64 {
        f64::from(self.sparse.selected).min(sequence / f64::from(self.sparse.stride.max(1)))
    }

    /// Keys that a query selects, on average.
    pub fn keys_selected(&self, sequence: f64) -> f64 {
        let keys = sequence / f64::from(self.sparse.stride.max(1));
        let most = self.keys_selected_at_most(sequence);
        if self.causal { most * (1.0 - 0.5 * most / keys.max(1.0)) } else { most }
    }

    /// Sizes of a layer's indexer and compressors; nothing without them.
    pub fn sparse_widths(&self, mixer: Mixer) -> SparseWidths {
        let sparse = &self.sparse;
        let (index_heads, index_dim) = (f64::from(sparse.index_heads), f64::from(sparse.index_dim));
        let key = f64::from(self.kv_heads) * f64::from(self.head_dim);
        let mut widths = SparseWidths::default();
        if mixer.indexes() && sparse.index_heads > 0 {
            widths.query_input = f64::from(self.index_input());
            widths.index_queries = index_heads * index_dim;
            // Of a compressed key, values and weights for two overlapping groups of tokens.
            let stride = f64::from(sparse.stride);
            let (columns, table) = if sparse.stride > 1 {
                (4.0 * index_dim, 2.0 * stride * index_dim + index_dim)
            } else {
                (index_dim, 2.0 * index_dim)
            };
            // Grouped heads share the weights of their scores (MiniMax-M3).
            let weights = if self.shares_keys() { index_heads } else { 0.0 };
            widths.index_keys += columns + weights;
            widths.small += table;
        }
        if mixer.selects() && sparse.stride > 1 {
            widths.compressor += 4.0 * key;
            widths.small += 2.0 * f64::from(sparse.stride) * key + key;
        }
        if mixer.compresses() {
            widths.compressor += 2.0 * key;
            widths.small += f64::from(sparse.compression) * key + key;
        }
        widths
    }

    /// Width of the input of the indexer's query projection: the query latent if there is one.
    fn index_input(&self) -> u32 {
        if self.latent.query_rank > 0 && (self.latent.kv_rank > 0 || self.query_latent() > 0) {
            self.latent.query_rank
        } else {
            self.hidden
        }
    }

    /// Whether all query heads read the same keys, so that a query gathers them once for all its heads.
    pub fn shares_keys(&self) -> bool {
        self.latent.kv_rank > 0 || self.kv_heads == 1
    }
}
