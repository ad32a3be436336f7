//! What a family of models leaves out of its `config.json`, as its code in Hugging Face transformers (4.57) has it.

use super::family_table::FAMILIES;
use crate::scenario::model::{Activation, Bias, ModelCode, Norm, StateRule};

/// How positions enter, where the configuration does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// Rotated into queries and keys.
    Rotary,
    /// A learned table.
    Learned,
    /// A bias on the scores.
    Alibi,
}

/// One family.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    /// Values of `model_type`.
    pub(super) types: &'static [&'static str],
    /// Whether the feed-forward part has two up-projections.
    pub(super) gated: bool,
    /// Whether the LM head is the embedding, unless `tie_word_embeddings` says otherwise.
    pub(super) tied: bool,
    /// Which linear layers have biases, unless a setting says otherwise.
    pub(super) bias: Bias,
    /// The norm.
    pub(super) norm: Norm,
    /// How positions enter.
    pub(super) positions: Where,
    /// Whether every token sees all others.
    pub(super) encoder: bool,
    /// The recurrent mixer of its layers that do not attend; of all, where its file lists none that do.
    pub(super) mixer: StateRule,
    /// Whether its recurrent mixers are layers of their own, without a feed-forward part.
    pub(super) alone: bool,
    /// Whether its layers attend beside the recurrent mixer.
    pub(super) beside: bool,
    /// A difference that fields do not express and that leaves the count of parameters as it is.
    pub(super) near: Option<&'static str>,
    /// What of the family is not supported: its shape is another one than the fields say.
    pub(super) caveat: Option<&'static str>,
}

/// Families of flash-linear-attention whose mixer is a rule here, and the one that attends.
const FLASH_LINEAR_ATTENTION: [&str; 9] =
    ["transformer", "gla", "delta_net", "gated_deltanet", "retnet", "hgrn2", "linear_attn", "kda", "samba"];

/// Whether a `model_type` is one of flash-linear-attention.
pub(super) fn is_of_flash_linear_attention(model_type: &str) -> bool {
    FLASH_LINEAR_ATTENTION.contains(&plain(model_type).as_str())
}

/// Families whose mixer, or whose sharing of layers, is none that is modelled.
const WITHOUT_A_RULE: [(&str, &str); 29] = [
    ("phi4flash", "gated memory units, which share the states of earlier layers"),
    ("rwkv", "RWKV"),
    ("rwkv5", "RWKV"),
    ("rwkv6", "RWKV"),
    ("rwkv7", "RWKV"),
    ("xlstm", "xLSTM"),
    ("hyena", "Hyena's long convolutions"),
    ("hgrn", "HGRN's gated recurrence"),
    ("lightnet", "LightNet's additive decay"),
    ("gsa", "gated slot attention"),
    ("abc", "attention with bounded-memory control (ABC)"),
    ("comba", "Comba's delta rule"),
    ("gated_deltaproduct", "DeltaProduct"),
    ("mamba3", "Mamba-3"),
    ("log_linear_mamba2", "log-linear attention"),
    ("mesa_net", "MesaNet"),
    ("path_attn", "PaTH attention"),
    ("reformer", "LSH attention"),
    ("zaya", "attention with convolved, compressed keys"),
    ("doge", "dynamic mask attention"),
    ("dory", "layers that run several times"),
    ("hrm_text", "looped stacks of layers"),
    ("inkling_text", "convolved keys and learned relative positions"),
    ("inkling2_text", "convolved keys and learned relative positions"),
    ("inkling2_loop_text", "layers that run several times"),
    ("muse_spark_text", "experts with a different width than the residual stream"),
    ("blt", "byte patches"),
    ("nsa", "native sparse attention"),
    ("moshi", "a second decoder for audio codes"),
];

/// Whether a `model_type` has no attention at all.
pub(super) fn has_no_attention(model_type: &str) -> bool {
    ["mamba", "mamba2", "mamba_ssm2", "falcon_mamba", "codestral_mamba"].contains(&plain(model_type).as_str())
}

/// Whether a `model_type` weighs the output of attention by a gate, where its file says nothing of it.
pub(super) fn gates_attention(model_type: &str) -> bool {
    let plain = plain(model_type);
    ["qwen3_next", "afmoe", "beam", "muse_glimmer_text"].contains(&plain.as_str())
        || plain.starts_with("qwen3_5")
}

/// The mixer of a `model_type` that is none that is modelled.
pub(super) fn mixer_without_a_rule(model_type: &str) -> Option<&'static str> {
    let plain = plain(model_type);
    WITHOUT_A_RULE.iter().find(|entry| entry.0 == plain).map(|entry| entry.1)
}

/// What a family has for a vocabulary that a whole file leaves out: all of flash-linear-attention's classes have one.
pub(super) fn usual_vocabulary(model_type: &str) -> Option<u32> {
    is_of_flash_linear_attention(model_type).then_some(32_000)
}

/// Whether a family calls the rows of its embeddings `embedding_size`, which is their width elsewhere.
pub(super) fn calls_rows_so(model_type: &str) -> bool {
    ["hf_olmo", "llada", "molmo"].contains(&plain(model_type).as_str())
}

/// Whether a family's setting `bias` is of its attention alone.
pub(super) fn has_biases_of_attention_alone(model_type: &str) -> bool {
    ["internlm", "internlm2", "internlmxcomposer2", "panguembedded"].contains(&plain(model_type).as_str())
}

/// Whether a family has LayerNorm though its file calls the epsilon `rms_norm_eps`.
pub(super) fn names_layer_norm_so(model_type: &str) -> bool {
    plain(model_type) == "phimoe"
}

/// The activation of a family whose code asks for no setting, or not for the one that its file has: Gemma's `hidden_act` is
/// overridden by `hidden_activation`, which is this one; GPT-OSS's says SiLU.
pub(super) fn own_activation(model_type: &str) -> Option<Activation> {
    match plain(model_type).as_str() {
        "gpt_oss" => Some(Activation::ClampedSilu),
        "gemma"
        | "gemma2"
        | "gemma3"
        | "gemma3_text"
        | "gemma3n_text"
        | "gemma4"
        | "gemma4_text"
        | "gemma4_unified"
        | "gemma4_unified_text" => Some(Activation::GeluTanh),
        _ => None,
    }
}

/// Whose modules a family is made of, where its shape alone would say another.
pub(super) fn own_code(model_type: &str) -> Option<ModelCode> {
    let name = plain(model_type);
    let begins = |names: &[&str]| names.iter().any(|begin| name.starts_with(begin));
    if begins(&["qwen", "gemma", "glm", "gpt_oss"]) {
        Some(ModelCode::Qwen)
    } else if begins(&["nemotron", "arcee", "apertus"]) || name == "llama" {
        Some(ModelCode::Llama)
    } else {
        None
    }
}

/// What a family has for an activation that its file leaves out, where that is not as in Llama or GPT-2.
pub(super) fn usual_activation(model_type: &str) -> Option<Activation> {
    Some(match plain(model_type).as_str() {
        "nemotron" | "nemotron_h" | "arcee" | "persimmon" => Activation::Relu2,
        "apertus" => Activation::Xielu,
        "opt" => Activation::Relu,
        "gptj" | "codegen" | "phi" => Activation::GeluNew,
        "starcoder2" | "gpt_bigcode" => Activation::GeluTanh,
        "modernbert" | "bert" | "roberta" | "xlm_roberta" | "electra" | "distilbert" | "zamba2" => {
            Activation::Gelu
        }
        _ => return None,
    })
}

/// Families whose queries and keys have norms of their own without a word in their configuration.
const QUERY_KEY_NORM: [&str; 45] = [
    "sdar",
    "sdar_moe",
    "deepseek_v4",
    "qwen3",
    "qwen3_moe",
    "qwen3_vl_text",
    "qwen3_vl_moe_text",
    "qwen3_omni_moe_text",
    "qwen3_next",
    "qwen3_5",
    "qwen3_5_text",
    "qwen3_5_moe",
    "qwen3_5_moe_text",
    "gemma3",
    "gemma3_text",
    "gemma3n_text",
    "gemma4_text",
    "olmo2",
    "olmo3",
    "olmoe",
    "flex_olmo",
    "exaone4",
    "dots1",
    "apertus",
    "apertus1p5_text",
    "exaone_moe",
    "hy_v3",
    "mellum",
    "afmoe",
    "lfm2",
    "lfm2_moe",
    "lfm3",
    "hunyuan_v1_dense",
    "hunyuan_v1_moe",
    "flint",
    "kolibri1",
    "beam",
    "muse_glimmer_text",
    "molmo2_text",
    "laguna",
    "step3p5",
    "step3p7",
    "lara_mini",
    "gemma4_unified",
    "gemma4_unified_text",
];

/// Whether a `model_type` norms queries and keys, where its file says nothing of it.
pub(super) fn norms_queries_and_keys(model_type: &str) -> bool {
    QUERY_KEY_NORM.contains(&plain(model_type).as_str())
}

/// Counts that a configuration class of transformers has where a part of a larger file leaves them out (parts are saved
/// without what is at its default, whole files are not): `model_type`, field, value.
const USUAL: [(&str, &str, u32); 30] = [
    ("gemma3_text", "vocab", 262_208),
    ("gemma3_text", "heads", 8),
    ("gemma3_text", "kv", 4),
    ("gemma3_text", "dh", 256),
    ("llama", "layers", 32),
    ("llama", "hidden", 4096),
    ("llama", "ffn", 11_008),
    ("llama", "heads", 32),
    ("llama", "vocab", 32_000),
    ("mistral", "layers", 32),
    ("mistral", "hidden", 4096),
    ("mistral", "ffn", 14_336),
    ("mistral", "heads", 32),
    ("mistral", "kv", 8),
    ("mistral", "vocab", 32_000),
    ("qwen2", "layers", 32),
    ("qwen2", "hidden", 4096),
    ("qwen2", "ffn", 22_016),
    ("qwen2", "heads", 32),
    ("qwen2", "kv", 32),
    ("qwen2", "vocab", 151_936),
    ("gemma", "layers", 28),
    ("gemma", "heads", 16),
    ("gemma", "kv", 16),
    ("gemma", "dh", 256),
    ("gemma2", "layers", 26),
    ("gemma2", "heads", 8),
    ("gemma2", "kv", 4),
    ("gemma2", "dh", 256),
    ("gemma2", "vocab", 256_000),
];

/// What a `model_type` has for a field that its part of a file leaves out.
pub(super) fn usual(model_type: &str, key: &str) -> Option<u32> {
    USUAL.iter().find(|row| row.0 == model_type && row.1 == key).map(|row| row.2)
}

/// The family of a `model_type`.
pub(super) fn find(model_type: &str) -> Option<&'static Family> {
    let lower = plain(model_type);
    FAMILIES.iter().find(|family| {
        family.types.iter().any(|name| name.eq_ignore_ascii_case(model_type) || *name == lower)
    })
}

/// A `model_type` in small letters, with underscores for dashes.
pub(super) fn plain(model_type: &str) -> String {
    model_type.to_ascii_lowercase().replace('-', "_")
}
