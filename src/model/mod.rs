//! The transformer: its shape, and what follows from the shape alone (parameters, FLOPs).

mod count;
pub mod presets;

pub use count::{LayerParameters, padded_vocabulary};

use serde::{Deserialize, Serialize};

/// A dense decoder-only transformer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Transformer blocks.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Width of the feed-forward layer (of one branch when gated).
    pub ffn: u32,
    /// Query heads.
    pub heads: u32,
    /// Key/value heads: equal to `heads` for multi-head attention, fewer for grouped-query attention.
    pub kv_heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Vocabulary entries before padding.
    pub vocabulary: u32,
    /// Feed-forward with two up-projections (SwiGLU, GeGLU) instead of one.
    pub gated_mlp: bool,
    /// The LM head uses the input embedding's weights.
    pub tied_embeddings: bool,
    /// Which linear layers carry a bias.
    pub bias: Bias,
    /// Normalisation layer.
    pub norm: Norm,
    /// How positions enter.
    pub positions: Positions,
}

/// Which linear layers carry a bias vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// None (Llama).
    None,
    /// Only the query/key/value projection (Qwen2).
    Qkv,
    /// Every linear layer of a block (GPT-2).
    All,
}

/// Normalisation layer of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// LayerNorm: weight and bias.
    Layer,
    /// RMSNorm: weight only.
    Rms,
}

/// How token positions enter the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Positions {
    /// A learned table with this many rows.
    Learned(u32),
    /// Rotary embedding of queries and keys (no parameters).
    Rotary,
    /// ALiBi biases on the scores (no parameters).
    Alibi,
}
