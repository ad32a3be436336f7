//! The transformer: its shape, and what follows from the shape alone (parameters, FLOPs).

mod activation;
mod code;
mod count;
pub(crate) mod models;
pub mod presets;

pub use activation::Activation;
pub use code::ModelCode;
pub use count::{LayerParameters, padded_vocabulary};

use serde::{Deserialize, Serialize};

/// A transformer: dense or a mixture of experts, decoder or encoder.
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
    /// Activation of the feed-forward part.
    pub activation: Activation,
    /// Whose modules it is made of in plain PyTorch.
    pub code: ModelCode,
    /// The LM head uses the input embedding's weights.
    pub tied_embeddings: bool,
    /// Which linear layers carry a bias.
    pub bias: Bias,
    /// Normalisation layer.
    pub norm: Norm,
    /// Queries and keys pass through a norm of their own before the core (Qwen3, Gemma 3, OLMo 2).
    pub query_key_norm: bool,
    /// How positions enter.
    pub positions: Positions,
    /// Experts in place of the feed-forward layer; [`Experts::NONE`] in dense models.
    pub experts: Experts,
    /// Multi-head latent attention; [`Latent::NONE`] where keys and values are projected directly.
    pub latent: Latent,
    /// Attention limited to the nearest tokens; [`Window::NONE`] where all are seen.
    pub window: Window,
    /// Further layers that predict tokens beyond the next, each with a pass through the LM head
    /// (multi-token prediction).
    pub prediction_layers: u32,
    /// Whether a token sees only those before it (decoders), or all (encoders).
    pub causal: bool,
}

impl Model {
    /// A model of no layers: what dense decoders leave at the default is taken from here.
    pub const DENSE: Self = Self {
        layers: 0,
        hidden: 0,
        ffn: 0,
        heads: 0,
        kv_heads: 0,
        head_dim: 0,
        vocabulary: 0,
        gated_mlp: true,
        activation: Activation::Silu,
        code: ModelCode::Llama,
        tied_embeddings: false,
        bias: Bias::None,
        norm: Norm::Rms,
        query_key_norm: false,
        positions: Positions::Rotary,
        experts: Experts::NONE,
        latent: Latent::NONE,
        window: Window::NONE,
        prediction_layers: 0,
        causal: true,
    };

    /// Whether layer `index` (from 0) holds experts instead of one feed-forward layer.
    pub fn has_experts(&self, index: u32) -> bool {
        let experts = &self.experts;
        experts.count > 0
            && index >= experts.leading_dense
            && (index - experts.leading_dense + 1).is_multiple_of(experts.every.max(1))
    }

    /// Layers with experts among the first `count`.
    pub fn expert_layers_before(&self, count: u32) -> u32 {
        let experts = &self.experts;
        if experts.count == 0 {
            return 0;
        }
        count.min(self.layers).saturating_sub(experts.leading_dense) / experts.every.max(1)
    }

    /// Query-key pairs of a mean layer over those of causal attention to all `sequence` keys. A window of w of s
    /// keys leaves `2 w/s - (w/s)^2` of them, an encoder has twice as many. `tile` keys are computed beyond the
    /// window, by kernels that compute whole tiles.
    pub fn pairs(&self, sequence: f64, tile: f64) -> f64 {
        let all = if self.causal { 1.0 } else { 2.0 };
        let seen = ((f64::from(self.window.tokens) + tile) / sequence.max(1.0)).min(1.0);
        let windowed = if self.causal { 2.0 * seen - seen * seen } else { 2.0 * seen };
        let share = self.window.share();
        (1.0 - share) * all + share * windowed.min(all)
    }

    /// Layers with experts.
    pub fn expert_layers(&self) -> u32 {
        self.expert_layers_before(self.layers)
    }
}

/// A mixture of experts: a router sends each token to `top_k` of `count` feed-forward networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experts {
    /// Routed experts of a layer; 0 in a dense model.
    pub count: u32,
    /// Experts that each token is sent to.
    pub top_k: u32,
    /// Width of one expert.
    pub ffn: u32,
    /// Experts that see every token, each of width `ffn`.
    pub shared: u32,
    /// Leading layers that are dense.
    pub leading_dense: u32,
    /// Every n-th of the other layers holds experts; 1 for all.
    pub every: u32,
}

impl Experts {
    /// No experts: a dense model.
    pub const NONE: Self = Self { count: 0, top_k: 1, ffn: 0, shared: 0, leading_dense: 0, every: 1 };
}

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): queries, keys and values are
/// projected through narrow latents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latent {
    /// Width of the key/value latent; 0 without latent attention.
    pub kv_rank: u32,
    /// Width of the query latent; 0 where queries are projected directly.
    pub query_rank: u32,
    /// Part of a head's query and key that carries no position.
    pub plain_dim: u32,
    /// Part that is rotated; its key is shared by all heads.
    pub rotary_dim: u32,
    /// Width of a head's value.
    pub value_dim: u32,
}

impl Latent {
    /// Direct projections.
    pub const NONE: Self = Self { kv_rank: 0, query_rank: 0, plain_dim: 0, rotary_dim: 0, value_dim: 0 };
}

/// Sliding-window attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Tokens that a token sees, itself included; 0 for all before it.
    pub tokens: u32,
    /// Every n-th layer sees all tokens; 0 if none does.
    pub full_every: u32,
}

impl Window {
    /// No window.
    pub const NONE: Self = Self { tokens: 0, full_every: 0 };

    /// Share of the layers whose attention is limited.
    pub fn share(&self) -> f64 {
        match (self.tokens, self.full_every) {
            (0, _) => 0.0,
            (_, 0) => 1.0,
            (_, every) => 1.0 - 1.0 / f64::from(every),
        }
    }
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
