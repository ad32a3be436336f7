//! Whose modules a model is made of where no compiler and no fused kernel replaces them.

use super::{Bias, Model};
use serde::{Deserialize, Serialize};

/// Whose modelling code a model has in plain PyTorch (Transformers, torchtitan).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelCode {
    /// Llama's, and Mistral's, DeepSeek's and OLMo's after it.
    Llama,
    /// Qwen's, and Gemma's and GPT-OSS's: Llama's, but for a rotation by halves in torchtitan too.
    Qwen,
    /// GPT-2's, and GPT-NeoX's and BLOOM's.
    Gpt2,
}

impl ModelCode {
    /// Whether one product makes queries, keys and values (`c_attn` of Transformers' `GPT2Attention`).
    pub const fn joins_projections(self) -> bool {
        matches!(self, Self::Gpt2)
    }

    /// Whether logits are widened to 32 bits before the loss (`logits.float()` of Transformers' `LlamaForCausalLM`).
    pub const fn widens_logits(self) -> bool {
        !matches!(self, Self::Gpt2)
    }

    /// Whether models are trained with dropout.
    pub const fn has_dropout(self) -> bool {
        matches!(self, Self::Gpt2)
    }

    /// Whether torchtitan rotates queries and keys as complex numbers (`apply_rotary_emb` of its Llama 3 and 4 and its DeepSeek-V3).
    pub const fn rotates_complex(self) -> bool {
        matches!(self, Self::Llama)
    }
}

impl Model {
    /// The code of a model that states none, a variant of `base`: that of `base` while both are of one kind.
    pub fn usual_code(&self, base: &Self) -> ModelCode {
        let usual = self.code_of_kind();
        if usual == base.code_of_kind() { base.code } else { usual }
    }

    /// The code of the best known model of the same kind: GPT-2 has no gates and one kind of layer; heads of Llama are together as wide as the model, and
    /// have no biases.
    pub fn code_of_kind(&self) -> ModelCode {
        let as_wide = self.heads.checked_mul(self.head_dim) == Some(self.hidden);
        if !self.gated_mlp && self.pattern.is_empty() {
            ModelCode::Gpt2
        } else if self.latent.kv_rank > 0 || as_wide && self.bias == Bias::None {
            ModelCode::Llama
        } else {
            ModelCode::Qwen
        }
    }
}
