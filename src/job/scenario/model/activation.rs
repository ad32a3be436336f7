//! Activation of the feed-forward part.

use super::{Bias, Model, Positions};
use serde::{Deserialize, Serialize};

/// Activation of the feed-forward part, or of its gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// SiLU (swish): Llama.
    Silu,
    /// Exact GELU, with the error function.
    Gelu,
    /// GELU's tanh approximation in PyTorch's own kernel: Gemma.
    GeluTanh,
    /// The same approximation written out in PyTorch operations: GPT-2 (Transformers' `gelu_new`).
    GeluNew,
    /// SiLU with a slope of 1.702, with clamped branches, one of them plus 1: GPT-OSS.
    ClampedSilu,
    /// ReLU.
    Relu,
    /// Square of ReLU: Nemotron.
    Relu2,
    /// xIELU (arXiv 2411.13010): Apertus.
    Xielu,
}

impl Activation {
    /// The activation for `hidden_act` of a `config.json`, and for similar names in other tools; nothing for others.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "silu" | "swish" | "swiglu" => Self::Silu,
            "gelu" | "geglu" | "gelu_python" => Self::Gelu,
            "gelu_pytorch_tanh" | "gelu_tanh" | "approx_gelu" => Self::GeluTanh,
            "gelu_new" | "gelu_fast" => Self::GeluNew,
            "relu" => Self::Relu,
            "relu2" | "relu_squared" | "squared_relu" | "squared-relu" => Self::Relu2,
            "clamped_silu" => Self::ClampedSilu,
            "xielu" => Self::Xielu,
            _ => return None,
        })
    }
}

impl Model {
    /// The default activation of a variant of `base`: that of `base` if both are of one kind.
    pub fn usual_activation(&self, base: &Self) -> Activation {
        let usual = self.activation_of_kind();
        if usual == base.activation_of_kind() { base.activation } else { usual }
    }

    /// The activation of the best-known model of the same kind: GPT-OSS has gates, experts and biases, Llama gates,
    /// GPT-2 a learned position table and biases, Nemotron a layer pattern.
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
