//! Parameter counts.
//!
//! Matrices are split over the tensor-parallel group as Megatron splits them: query/key/value and
//! up-projections by columns with their biases, attention output and down-projection by rows with
//! their biases whole on every rank. Key/value heads that are fewer than the group are held more than
//! once. Norms are whole on every rank. What a pipeline stage holds is counted in
//! [`crate::plan::stages`].

use super::{Bias, Model, Norm, Positions};

/// Parameters of one transformer layer on one tensor-parallel rank, by owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerParameters {
    /// Query, key and value projection, with its bias.
    pub qkv: u64,
    /// Projection of the attention output, with its bias.
    pub attention_output: u64,
    /// Up-projection, with the gate's if there is one, and their biases.
    pub mlp_up: u64,
    /// Down-projection, with its bias.
    pub mlp_down: u64,
    /// The two norms.
    pub norms: u64,
    /// Those of all the above that every rank holds whole: norms and the biases of the row-parallel
    /// matrices.
    pub replicated: u64,
}

impl LayerParameters {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.matrices() + self.norms
    }

    /// Those of the linear layers.
    pub fn matrices(&self) -> u64 {
        self.qkv + self.attention_output + self.mlp_up + self.mlp_down
    }
}

impl Model {
    /// Parameters of one layer on one rank of a tensor-parallel group; of the whole layer for 1.
    ///
    /// The degree is taken to divide heads and feed-forward size; otherwise shares are rounded up.
    pub fn layer_parameters(&self, tensor_parallel: u32) -> LayerParameters {
        let degree = tensor_parallel.max(1);
        let hidden = u64::from(self.hidden);
        let head = u64::from(self.head_dim);
        let query = u64::from(self.heads.div_ceil(degree)) * head;
        let key_value = 2 * u64::from(self.kv_heads.div_ceil(degree)) * head;
        let up = u64::from(self.ffn.div_ceil(degree)) * if self.gated_mlp { 2 } else { 1 };
        let down = u64::from(self.ffn.div_ceil(degree));
        let qkv_bias = u64::from(self.bias != Bias::None);
        let all_bias = u64::from(self.bias == Bias::All);
        LayerParameters {
            qkv: (query + key_value) * (hidden + qkv_bias),
            attention_output: query * hidden + all_bias * hidden,
            mlp_up: up * (hidden + all_bias),
            mlp_down: down * hidden + all_bias * hidden,
            norms: 2 * self.norm_parameters(),
            replicated: 2 * self.norm_parameters() + 2 * all_bias * hidden,
        }
    }

    /// Parameters of one norm.
    pub fn norm_parameters(&self) -> u64 {
        let per_channel = match self.norm {
            Norm::Layer => 2,
            Norm::Rms => 1,
        };
        per_channel * u64::from(self.hidden)
    }

    /// Parameters of the learned position table; 0 without one.
    pub fn position_parameters(&self) -> u64 {
        match self.positions {
            Positions::Learned(rows) => u64::from(rows) * u64::from(self.hidden),
            Positions::Rotary | Positions::Alibi => 0,
        }
    }

    /// Parameters of the whole model, with the vocabulary as published (not padded).
    pub fn parameters(&self) -> u64 {
        let tables = if self.tied_embeddings { 1 } else { 2 };
        u64::from(self.layers) * self.layer_parameters(1).total()
            + tables * u64::from(self.vocabulary) * u64::from(self.hidden)
            + self.position_parameters()
            + self.norm_parameters()
    }
}

/// Vocabulary padded as Megatron pads it: to a multiple of 128 t.
pub fn padded_vocabulary(vocabulary: u32, tensor_parallel: u32) -> u32 {
    let unit = tensor_parallel.max(1).saturating_mul(128);
    vocabulary.div_ceil(unit).saturating_mul(unit)
}
