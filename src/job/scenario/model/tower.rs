//! An encoder of images, sounds or source texts in front of the decoder.

use super::{Activation, Bias, LayerShares, Layers, Model, Norm, Positions};
use serde::{Deserialize, Serialize};

/// An encoder in front of the decoder, and the projector that gives its output the decoder's width. Its tokens attend to
/// all tokens of their sample, and to no other sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tower {
    /// Layers; 0 without an encoder.
    pub layers: u32,
    /// Width of its residual stream.
    pub hidden: u32,
    /// Width of its feed-forward part (of one branch if gated).
    pub ffn: u32,
    /// Heads.
    pub heads: u32,
    /// Width of a head; 0 if the heads are together as wide as the residual stream.
    pub head_dim: u32,
    /// Whether its feed-forward part is gated.
    pub gated: bool,
    /// Which of its linear layers have a bias.
    pub bias: Bias,
    /// Its norms.
    pub norm: Norm,
    /// Tokens of a sample: patches of an image, frames of a sound, tokens of a source text.
    pub tokens: u32,
    /// Tokens of a window, whose tokens attend to one another alone (Qwen2.5-VL); 0 without windows.
    pub window: u32,
    /// Every how many layers tokens attend to their whole sample in spite of windows; 0 for none.
    pub full_every: u32,
    /// Samples per sequence of the decoder.
    pub samples: u32,
    /// Tokens that are merged into one before the projector.
    pub merge: u32,
    /// Input elements of a token: those of a patch, or of a frame's convolutions. 0 if tokens are rows of the decoder's
    /// embedding.
    pub patch: u32,
    /// Rows of its table of positions; 0 without one.
    pub positions: u32,
    /// Width of the projector's input; 0 for the merged tokens' widths together.
    pub projector_input: u32,
    /// Width between the two matrices of a projector; 0 if it has one matrix.
    pub projector_inner: u32,
    /// Projectors: more than one if they also read inner layers (DeepStack); 0 if the decoder reads the encoder's output.
    pub projectors: u32,
    /// Whether only its projectors are trained.
    pub frozen: bool,
}

impl Tower {
    /// No encoder.
    pub const NONE: Self = Self {
        layers: 0,
        hidden: 0,
        ffn: 0,
        heads: 0,
        head_dim: 0,
        gated: false,
        bias: Bias::All,
        norm: Norm::Layer,
        tokens: 0,
        window: 0,
        full_every: 0,
        samples: 1,
        merge: 1,
        patch: 0,
        positions: 0,
        projector_input: 0,
        projector_inner: 0,
        projectors: 1,
        frozen: false,
    };

    /// Whether there is an encoder.
    pub fn exists(&self) -> bool {
        self.layers > 0
    }

    /// Its layers, as a model without vocabulary.
    pub fn encoder(&self) -> Model {
        let divided = self.hidden / self.heads.max(1);
        Model {
            layers: self.layers,
            hidden: self.hidden,
            ffn: self.ffn,
            heads: self.heads,
            kv_heads: self.heads,
            head_dim: if self.head_dim > 0 { self.head_dim } else { divided },
            gated_mlp: self.gated,
            activation: if self.gated { Activation::Silu } else { Activation::Gelu },
            bias: self.bias,
            norm: self.norm,
            positions: match (self.positions, self.patch) {
                // Source texts: biases by distance.
                (0, 0) => Positions::Alibi,
                (0, _) => Positions::Rotary,
                (rows, _) => Positions::Learned(rows),
            },
            tied_embeddings: true,
            causal: false,
            ..Model::DENSE
        }
    }

    /// Tokens that one token attends to, the mean over the layers.
    pub fn attended(&self) -> u32 {
        if self.window == 0 || self.window >= self.tokens || self.full_every == 1 {
            return self.tokens;
        }
        let whole = if self.full_every > 0 { 1.0 / f64::from(self.full_every) } else { 0.0 };
        let mean = whole * f64::from(self.tokens) + (1.0 - whole) * f64::from(self.window);
        mean.round() as u32
    }

    /// Encoder tokens per sequence of the decoder.
    pub fn tokens_per_sequence(&self) -> f64 {
        if self.exists() { f64::from(self.tokens) * f64::from(self.samples) } else { 0.0 }
    }

    /// Outputs of the encoder per sequence of the decoder, after tokens are merged.
    pub fn merged_per_sequence(&self) -> f64 {
        self.tokens_per_sequence() / f64::from(self.merge.max(1))
    }

    /// Width of a projector's input.
    pub fn projected_width(&self) -> u32 {
        if self.projector_input > 0 {
            self.projector_input
        } else {
            self.hidden.saturating_mul(self.merge.max(1))
        }
    }
}

/// Parameters of an encoder and its projectors on one GPU. Counts, exact up to 2^53.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TowerParameters {
    /// Layers.
    pub layers: f64,
    /// Parameters of one of them.
    pub layer: f64,
    /// Embedding of patches or frames, table of positions and last norm.
    pub ends: f64,
    /// Projectors.
    pub projector: f64,
}

impl TowerParameters {
    /// Those of a model's encoder on one rank of a tensor-parallel group, which splits layers as those of the decoder, and
    /// the inner width of projectors.
    pub fn new(model: &Model, tensor_parallel: u32) -> Self {
        let tower = &model.tower;
        if !tower.exists() {
            return Self::default();
        }
        let shares = LayerShares { tensor: tensor_parallel, ..LayerShares::WHOLE };
        let encoder = tower.encoder();
        let kind = Layers::new(&encoder).kind(0);
        let hidden = f64::from(tower.hidden);
        let patches = f64::from(tower.patch) * hidden;
        Self {
            layers: f64::from(tower.layers),
            layer: encoder.kind_parameters(kind, shares).total() as f64,
            ends: patches + (encoder.position_parameters() + encoder.norm_parameters()) as f64,
            projector: f64::from(tower.projectors) * tower.projector_weights(model.hidden, tensor_parallel),
        }
    }

    /// All of them.
    pub fn total(&self) -> f64 {
        self.layers * self.layer + self.ends + self.projector
    }

    /// Those that are trained: all, or the projectors alone.
    #[must_use]
    pub fn trained(self, frozen: bool) -> Self {
        if frozen { Self { layers: 0.0, layer: 0.0, ends: 0.0, ..self } } else { self }
    }
}

impl Tower {
    /// Weights of a projector to this width on one rank of a tensor-parallel group.
    pub fn projector_weights(&self, hidden: u32, degree: u32) -> f64 {
        let (input, hidden) = (f64::from(self.projected_width()), f64::from(hidden));
        let split = |width: u32| f64::from(width.div_ceil(degree.max(1)));
        if self.projector_inner > 0 {
            split(self.projector_inner) * (input + hidden)
        } else {
            split(self.projected_width()) * hidden
        }
    }
}
