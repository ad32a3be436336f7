//! The transformer: its shape, and what depends on the shape only (parameters, FLOPs).

mod activation;
mod code;
mod count;
pub mod layers;
pub mod models;
mod parts;
pub mod pattern;
mod prediction;
pub mod presets;
pub mod recurrent;
pub mod sparse;
pub mod state_rules;
mod tower;
mod uncounted;
mod weights;

pub use activation::Activation;
pub use code::ModelCode;
pub use count::{LayerParameters, padded_vocabulary};
pub use layers::{LayerKind, Layers, MOST_KINDS, OfKinds};
pub use parts::{FeedForward, FeedForwardRow, LayerPartWeights, Mixer, MixerParts, MixerRow};
pub use pattern::{LayerPattern, LayerSizes};
pub use recurrent::{Recurrent, RecurrentWidths};
pub use sparse::{Sparse, SparseWidths};
pub use state_rules::ScanRates;
pub use state_rules::StateRule;
pub use tower::{Tower, TowerParameters};
pub use uncounted::{Uncounted, UncountedParts};
pub use weights::{Cast, LayerShares, Reads, WeightSplit, Weights};

use serde::{Deserialize, Serialize};

/// What mixes the tokens of a model besides attention to all or to near ones. Published runs of each kind are counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MixerClass {
    /// Nothing.
    Attention,
    /// Recurrent mixers: Mamba, the delta rules, linear attention.
    Recurrent,
    /// Attention to selected or compressed keys.
    Sparse,
}

impl MixerClass {
    /// Every class with its name in tables, and the layers in words; no words for attention.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Attention, "attention", ""),
        (Self::Recurrent, "recurrent", "recurrent layers (Mamba, DeltaNet)"),
        (Self::Sparse, "sparse", "sparse attention"),
    ];

    /// Its name in tables, and its layers in words.
    pub fn names(self) -> (&'static str, &'static str) {
        let [attention, others @ ..] = Self::ALL;
        let found = others.into_iter().find(|row| row.0 == self).unwrap_or(attention);
        (found.1, found.2)
    }
}

/// A transformer: dense or a mixture of experts, decoder or encoder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Transformer blocks.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Width of the feed-forward layer (of one branch if gated).
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
    /// Model family whose code is used in plain PyTorch.
    pub code: ModelCode,
    /// The LM head uses the input embedding's weights.
    pub tied_embeddings: bool,
    /// Which linear layers carry a bias.
    pub bias: Bias,
    /// Normalisation layer.
    pub norm: Norm,
    /// Queries and keys are normalised before the attention core (Qwen3, Gemma 3, OLMo 2).
    pub query_key_norm: bool,
    /// Position encoding.
    pub positions: Positions,
    /// Experts in place of the feed-forward layer; [`Experts::NONE`] in dense models.
    pub experts: Experts,
    /// Multi-head latent attention; [`Latent::NONE`] with direct projections of keys and values.
    pub latent: Latent,
    /// Sliding-window attention; [`Window::NONE`] for full attention.
    pub window: Window,
    /// Sparse attention; [`Sparse::NONE`] if no layer has it.
    pub sparse: Sparse,
    /// A recurrent mixer; [`Recurrent::NONE`] if every layer attends.
    pub recurrent: Recurrent,
    /// Kind of each layer; [`LayerPattern::NONE`] if windows and experts determine it.
    pub pattern: LayerPattern,
    /// Blocks whose weights several layers use; [`SharedBlocks::NONE`] if every layer has its own.
    pub shared: SharedBlocks,
    /// Embeddings of every layer's own; [`LayerEmbeddings::NONE`] without.
    pub layer_embeddings: LayerEmbeddings,
    /// Width of a head's value; 0 for the key's width, or the latent's.
    pub value_dim: u32,
    /// Heads of full-attention layers, if they differ from the others; else [`FullHeads::ALIKE`].
    pub full_heads: FullHeads,
    /// The attention output is projected through latents; [`OutputLatent::NONE`] otherwise.
    pub output_latent: OutputLatent,
    /// One projection gives keys and values, which are equal.
    pub keys_are_values: bool,
    /// Residual streams that small matrices mix before and after every part of a layer (hyper-connections); 1 without.
    pub streams: u32,
    /// The attention output is multiplied by a gate as wide as the queries.
    pub output_gate: bool,
    /// Multi-token prediction layers, which predict tokens beyond the next, each with a pass through the LM head.
    pub prediction_layers: u32,
    /// Whether a token attends only to preceding ones (decoders), or to all (encoders).
    pub causal: bool,
    /// An encoder in front of the decoder; [`Tower::NONE`] without.
    pub tower: Tower,
    /// Parts that are not modelled; [`Uncounted::NONE`] for none.
    pub uncounted: Uncounted,
}

impl Model {
    /// A model without layers: default values of dense decoders.
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
        sparse: Sparse::NONE,
        recurrent: Recurrent::NONE,
        pattern: LayerPattern::NONE,
        shared: SharedBlocks::NONE,
        layer_embeddings: LayerEmbeddings::NONE,
        value_dim: 0,
        full_heads: FullHeads::ALIKE,
        output_latent: OutputLatent::NONE,
        keys_are_values: false,
        streams: 1,
        output_gate: false,
        prediction_layers: 0,
        causal: true,
        tower: Tower::NONE,
        uncounted: Uncounted::NONE,
    };

    /// Query-key pairs of a layer, relative to causal attention to all `sequence` keys. A window of w of s keys leaves
    /// `2 w/s - (w/s)^2` of them, an encoder has twice as many. Kernels that compute whole tiles compute `tile` keys
    /// beyond the window.
    pub fn pairs(&self, mixer: Mixer, sequence: f64, tile: f64) -> f64 {
        let all = if self.causal { 1.0 } else { 2.0 };
        if mixer.selects() || mixer.compresses() {
            return self.sparse_pairs(mixer, sequence);
        }
        match mixer {
            Mixer::Windowed => {}
            // Every output of the encoder is seen, of as many tokens as `sequence`.
            Mixer::Crossed => return 2.0 * self.tower.merged_per_sequence() / sequence.max(1.0),
            _ => return all,
        }
        let seen = ((f64::from(self.window.tokens) + tile) / sequence.max(1.0)).min(1.0);
        let windowed = if self.causal { 2.0 * seen - seen * seen } else { 2.0 * seen };
        windowed.min(all)
    }

    /// What mixes its tokens besides attention.
    pub fn mixer_class(&self) -> MixerClass {
        if self.recurrent.heads > 0 {
            MixerClass::Recurrent
        } else if self.sparse == Sparse::NONE {
            MixerClass::Attention
        } else {
            MixerClass::Sparse
        }
    }

    /// The model with the heads of layers with this mixer.
    #[must_use]
    pub fn of_mixer(&self, mixer: Mixer) -> Self {
        let mut model = *self;
        if mixer == Mixer::Attention {
            let or = |own: u32, other: u32| if own > 0 { own } else { other };
            model.kv_heads = or(self.full_heads.kv_heads, self.kv_heads);
            model.head_dim = or(self.full_heads.head_dim, self.head_dim);
        }
        model
    }

    /// The model with the sizes of layers of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: LayerKind) -> Self {
        let mut model = self.of_mixer(kind.mixer);
        if kind.sizes.ffn > 0 {
            model.ffn = kind.sizes.ffn;
        }
        if kind.sizes.own_heads() > 0 {
            model.kv_heads = kind.sizes.own_heads();
        }
        model
    }

    /// Elements of a token's keys and values that layers of a kind project, without a latent: none if they are an
    /// earlier layer's.
    pub fn projected_keys_values(&self, kind: LayerKind) -> u32 {
        let model = self.of_kind(kind);
        if kind.sizes.reuses_keys() { 0 } else { model.kv_heads.saturating_mul(model.key_value_width()) }
    }

    /// Width of the input of a kind's mixer: twice the model's if it reads the embeddings, too.
    pub fn mixer_input(&self, kind: LayerKind) -> u32 {
        if self.reads_embeddings(kind) { self.hidden.saturating_mul(2) } else { self.hidden }
    }

    /// Whether layers of a kind also read the embeddings, in a shared block of Zamba's kind.
    pub fn reads_embeddings(&self, kind: LayerKind) -> bool {
        kind.shares && self.shared.reads_embeddings
    }

    /// Width of a head's value without a key/value latent.
    pub fn head_value_dim(&self) -> u32 {
        if self.value_dim > 0 { self.value_dim } else { self.head_dim }
    }

    /// Elements of a token's keys and values per key/value head, without a latent.
    pub fn key_value_width(&self) -> u32 {
        if self.keys_are_values { self.head_dim } else { self.head_dim.saturating_add(self.head_value_dim()) }
    }

    /// Width of the query latent if keys and values have none; 0 if queries are projected directly.
    pub fn query_latent(&self) -> u32 {
        if self.output_latent.rank > 0 && self.latent.kv_rank == 0 { self.latent.query_rank } else { 0 }
    }

    /// MoE layers.
    pub fn expert_layers(&self) -> u32 {
        Layers::new(self).count(LayerKind::has_experts)
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
    /// Experts that every token passes.
    pub shared: u32,
    /// Width of a shared expert; 0 for the routed experts' width.
    pub shared_ffn: u32,
    /// Width to which tokens are projected before they are sent to the routed experts, and from which outputs are
    /// projected back; 0 without.
    pub latent: u32,
    /// Leading layers that are dense.
    pub leading_dense: u32,
    /// Every n-th of the other layers holds experts; 1 for all.
    pub every: u32,
}

impl Experts {
    /// No experts: a dense model.
    pub const NONE: Self =
        Self { count: 0, top_k: 1, ffn: 0, shared: 0, shared_ffn: 0, latent: 0, leading_dense: 0, every: 1 };

    /// Width of all shared experts of a layer together.
    pub fn shared_width(&self) -> u32 {
        let each = if self.shared_ffn > 0 { self.shared_ffn } else { self.ffn };
        self.shared.saturating_mul(each)
    }

    /// Width of the routed experts' input, in a model of width `hidden`.
    pub fn width(&self, hidden: u32) -> u32 {
        if self.latent > 0 { self.latent } else { hidden }
    }
}

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): queries, keys and values are projected
/// through narrow latents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latent {
    /// Width of the key/value latent; 0 without latent attention.
    pub kv_rank: u32,
    /// Width of the query latent; 0 if queries are projected directly.
    pub query_rank: u32,
    /// Part of a head's query and key without position encoding.
    pub plain_dim: u32,
    /// Rotated part; its key is shared by all heads.
    pub rotary_dim: u32,
    /// Width of a head's value.
    pub value_dim: u32,
}

impl Latent {
    /// Direct projections.
    pub const NONE: Self = Self { kv_rank: 0, query_rank: 0, plain_dim: 0, rotary_dim: 0, value_dim: 0 };
}

/// Heads of full-attention layers, in models where they differ from other layers (Gemma 4, MiMo-V2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullHeads {
    /// Key/value heads; 0 if equal to other layers.
    pub kv_heads: u32,
    /// Width of a head; 0 if equal to other layers.
    pub head_dim: u32,
}

impl FullHeads {
    /// The same in all layers.
    pub const ALIKE: Self = Self { kv_heads: 0, head_dim: 0 };
}

/// Projection of the attention output through a latent of each group of heads (DeepSeek-V4). Queries also have a latent
/// if [`Latent::query_rank`] is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputLatent {
    /// Width of a group's latent; 0 if the output is projected directly.
    pub rank: u32,
    /// Groups of heads.
    pub groups: u32,
}

impl OutputLatent {
    /// A direct projection.
    pub const NONE: Self = Self { rank: 0, groups: 1 };

    /// Width of all latents of a token.
    pub fn width(&self) -> f64 {
        f64::from(self.rank) * f64::from(self.groups)
    }
}

/// Blocks whose weights several layers use in turn: the i-th layer of those that share uses block i modulo `count`. All
/// layers share if no letter of the pattern says which do (ALBERT, looped models), else those with the letter (Zamba2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedBlocks {
    /// Distinct blocks; 0 if every layer has weights of its own.
    pub count: u32,
    /// Attention reads the residual stream and the embeddings side by side, and a projection of each use's own adds the
    /// block's output to the stream (Zamba2: Glorioso et al. 2024, arXiv 2411.15242, section 2).
    pub reads_embeddings: bool,
    /// Rank of the low-rank matrices of each use's own beside the up-projections; 0 without.
    pub adapter_rank: u32,
    /// Queries, keys and values have low-rank matrices of each use's own, too.
    pub attention_adapters: bool,
}

impl SharedBlocks {
    /// Every layer has weights of its own.
    pub const NONE: Self =
        Self { count: 0, reads_embeddings: false, adapter_rank: 0, attention_adapters: false };
}

/// Embeddings of every layer's own (Gemma 3n, Gemma 4): a table of all layers' rows, a projection of the token's
/// embedding that is added to them, and in every layer a gate and a projection to the residual stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerEmbeddings {
    /// Width of a layer's row; 0 without.
    pub width: u32,
    /// Rows of the table; 0 for the model's vocabulary.
    pub vocabulary: u32,
}

impl LayerEmbeddings {
    /// Without.
    pub const NONE: Self = Self { width: 0, vocabulary: 0 };
}

/// Sliding-window attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Tokens in a token's window, itself included; 0 for all preceding ones.
    pub tokens: u32,
    /// Every n-th layer has full attention; 0 if none does.
    pub full_every: u32,
}

impl Window {
    /// No window.
    pub const NONE: Self = Self { tokens: 0, full_every: 0 };

    /// Share of the layers with windowed attention.
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

/// Position encoding of the model.
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
