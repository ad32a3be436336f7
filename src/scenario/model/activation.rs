//! Activation of the feed-forward part.

use super::{Bias, Model, Positions};
use serde::{Deserialize, Serialize};

/// Activation of the feed-forward part; of its gate where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// SiLU (swish): Llama.
    Silu,
    /// GELU by the error function.
    Gelu,
    /// GELU by its approximation with tanh, PyTorch's own kernel: Gemma.
    GeluTanh,
    /// The same approximation as a formula of PyTorch's operations: GPT-2 (Transformers' `gelu_new`).
    GeluNew,
    /// SiLU with a slope of 1.702, of branches that are clamped, one of them raised by 1: GPT-OSS.
    ClampedSilu,
    /// ReLU.
    Relu,
    /// Square of ReLU: Nemotron.
    Relu2,
    /// xIELU (arXiv 2411.13010): Apertus.
    Xielu,
}

impl Activation {
    /// The activation that `hidden_act` of a `config.json`, and settings of other tools named alike, stand for; nothing for
    /// others.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "silu" | "swish" | "swiglu" => Self::Silu,
            "gelu" | "geglu" | "gelu_python" => Self::Gelu,
            "gelu_pytorch_tanh" | "gelu_tanh" | "approx_gelu" => Self::GeluTanh,
            "gelu_new" => Self::GeluNew,
            "relu" => Self::Relu,
            "relu2" | "relu_squared" | "squared_relu" | "squared-relu" => Self::Relu2,
            "clamped_silu" => Self::ClampedSilu,
            "xielu" => Self::Xielu,
            _ => return None,
        })
    }
}

impl Model {
    /// The activation of a model that states none, a variant of `base`: that of `base` while both are of one kind.
    pub fn usual_activation(&self, base: &Self) -> Activation {
        let usual = self.activation_of_kind();
        if usual == base.activation_of_kind() { base.activation } else { usual }
    }

    /// The activation of the best known model of the same kind: GPT-OSS has gates, experts and biases, Llama gates, GPT-2 a
    /// learned table of positions and biases, Nemotron a pattern of layers.
    pub fn activation_of_kind(&self) -> Activation {
        let biased = self.bias == Bias::All;
        match (self.gated_mlp, self.positions) {
            (true, _) if biased && self.experts.count > 0 => Activation::ClampedSilu,
            (true, _) => Activation::Silu,
            (false, Positions::Learned(_)) if biased => Activation::GeluNew,
            (false, _) if !self.pattern.is_empty() => Activation::Relu2,
            (false, _) => Activation::Gelu,
        }
    }
}
