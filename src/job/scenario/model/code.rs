//! Modelling code of a model in plain PyTorch, if no compiler or fused kernel replaces it.

use super::{Bias, Model};
use serde::{Deserialize, Serialize};

/// Model family whose code is used in plain PyTorch (Transformers, torchtitan).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelCode {
    /// Llama's; also Mistral, DeepSeek and OLMo.
    Llama,
    /// Qwen's; also Gemma and GPT-OSS: like Llama's, but with rotation by halves in torchtitan too.
    Qwen,
    /// GPT-2's; also GPT-NeoX and BLOOM.
    Gpt2,
}

impl ModelCode {
    /// Whether queries, keys and values come from one product (`c_attn` of Transformers' `GPT2Attention`).
    pub const fn joins_projections(self) -> bool {
        matches!(self, Self::Gpt2)
    }

    /// Whether logits are cast to 32 bits before the loss (`logits.float()` of Transformers' `LlamaForCausalLM`).
    pub const fn widens_logits(self) -> bool {
        !matches!(self, Self::Gpt2)
    }

    /// Whether models are trained with dropout.
    pub const fn has_dropout(self) -> bool {
        matches!(self, Self::Gpt2)
    }

    /// Whether torchtitan rotates queries and keys as complex numbers (`apply_rotary_emb` of its Llama 3, Llama 4 and
    /// DeepSeek-V3).
    pub const fn rotates_complex(self) -> bool {
        matches!(self, Self::Llama)
    }
}

impl Model {
    /// The default code of a variant of `base`: that of `base` if both are of one kind.
    pub fn usual_code(&self, base: &Self) -> ModelCode {
        let usual = self.code_of_kind();
        if usual == base.code_of_kind() { base.code } else { usual }
    }

    /// The code of the best-known model of the same kind: GPT-2 has no gates and one kind of layer; Llama's heads are
    /// together as wide as the model, without biases.
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
