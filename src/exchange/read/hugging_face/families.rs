//! What a family of models leaves out of its `config.json`, as its code in Hugging Face transformers (4.57) has it.

use crate::scenario::model::{Bias, Norm};

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
    /// What the fields cannot say of it.
    pub(super) caveat: Option<&'static str>,
}

/// What a family is taken to be that is not known: as Llama.
pub(super) const LLAMA: Family = Family {
    types: &[
        "llama",
        "mistral",
        "mixtral",
        "mistral3",
        "ministral",
        "qwen3",
        "qwen3_moe",
        "deepseek",
        "deepseek_v2",
        "deepseek_v3",
        "qwen3_vl_text",
        "qwen3_vl_moe_text",
        "mllama_text_model",
        "phi3_v",
        "phi4mm",
        "kimi_k2",
        "phi3",
        "phimoe",
        "olmo2",
        "olmo3",
        "olmoe",
        "granite",
        "granitemoe",
        "granitemoeshared",
        "yi",
        "minicpm",
        "internlm2",
        "internlm3",
        "exaone4",
        "ernie4_5",
        "ernie4_5_moe",
        "glm4_moe",
        "seed_oss",
        "hunyuan_v1_dense",
        "hunyuan_v1_moe",
        "dots1",
        "bailing_moe",
        "apertus",
        "arcee",
        "aquila",
        "baichuan",
        "mimo",
        "llama4_text",
        "helium",
    ],
    gated: true,
    tied: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Where::Rotary,
    caveat: None,
};

/// A family with two up-projections less, LayerNorm, biases everywhere and a learned table: as GPT-2.
const GPT2: Family = Family {
    types: &["gpt2", "opt", "gpt_bigcode", "bert", "roberta", "gpt_neo", "imagegpt", "openai-gpt"],
    gated: false,
    tied: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Where::Learned,
    caveat: None,
};

const UNWEIGHTED: &str = "Its norms are LayerNorm without a bias or without weights; RMSNorm has as many parameters or nearly, and is taken.";

const LINEAR: &str = "Its layers of linear attention or state-space mixing are taken as full attention.";

const FAMILIES: &[Family] = &[
    LLAMA,
    GPT2,
    Family { types: &["qwen2", "qwen2_moe", "qwen", "qwen2_vl", "qwen2_5_vl"], bias: Bias::Qkv, ..LLAMA },
    Family { types: &["internlm", "glm", "glm4", "chatglm"], bias: Bias::Qkv, ..LLAMA },
    Family {
        types: &["gemma", "gemma2", "gemma3", "gemma3_text", "smollm3", "llama_tied"],
        tied: true,
        ..LLAMA
    },
    Family {
        types: &["gemma4", "gemma4_text"],
        tied: true,
        caveat: Some(
            "Its layers of full attention have fewer and wider heads; all are taken to be as those with a window.",
        ),
        ..LLAMA
    },
    Family { types: &["gpt_oss"], bias: Bias::All, ..LLAMA },
    Family {
        types: &["gpt_neox", "gptj", "codegen", "phi", "persimmon"],
        tied: false,
        positions: Where::Rotary,
        ..GPT2
    },
    Family { types: &["starcoder2"], positions: Where::Rotary, ..GPT2 },
    Family { types: &["bloom"], positions: Where::Alibi, ..GPT2 },
    Family {
        types: &["falcon", "RefinedWeb", "RefinedWebModel"],
        bias: Bias::None,
        positions: Where::Rotary,
        ..GPT2
    },
    Family { types: &["mpt"], bias: Bias::None, norm: Norm::Rms, caveat: Some(UNWEIGHTED), ..GPT2 },
    Family { types: &["nemotron"], gated: false, norm: Norm::Layer, ..LLAMA },
    Family { types: &["stablelm", "stablelm_epoch", "orion"], norm: Norm::Layer, ..LLAMA },
    Family { types: &["cohere", "cohere2"], tied: true, caveat: Some(UNWEIGHTED), ..LLAMA },
    Family { types: &["olmo", "dbrx"], caveat: Some(UNWEIGHTED), ..LLAMA },
    Family {
        types: &["minimax", "minimax_text_01", "minimax_m1"],
        caveat: Some("Its layers of lightning (linear) attention are taken as full attention."),
        ..LLAMA
    },
    Family { types: &["minimax_m2"], ..LLAMA },
    Family {
        types: &[
            "qwen3_next",
            "qwen3_5",
            "qwen3_5_text",
            "qwen3_5_moe",
            "qwen3_5_moe_text",
            "jamba",
            "falcon_h1",
            "granitemoehybrid",
            "kimi_linear",
            "zamba2",
        ],
        caveat: Some(LINEAR),
        ..LLAMA
    },
    // Its feed-forward parts square what ReLU lets through, and have one up-projection.
    Family { types: &["nemotron_h"], gated: false, caveat: Some(LINEAR), ..LLAMA },
    Family {
        types: &["deepseek_v32", "glm_moe_dsa"],
        caveat: Some(
            "Its sparse attention is taken as full attention, without the indexer that chooses tokens.",
        ),
        ..LLAMA
    },
    Family {
        types: &["deepseek_v4"],
        caveat: Some("Its attention to compressed tokens is left out: only the window is taken."),
        ..LLAMA
    },
    Family {
        types: &["mimo_v2_flash"],
        caveat: Some("Its values are narrower than its keys, and are taken to be as wide."),
        ..LLAMA
    },
];

/// Families whose queries and keys have norms of their own without a word in their configuration.
const QUERY_KEY_NORM: [&str; 14] = [
    "qwen3",
    "qwen3_moe",
    "qwen3_vl_text",
    "qwen3_vl_moe_text",
    "qwen3_next",
    "gemma3",
    "gemma3_text",
    "olmo2",
    "olmo3",
    "olmoe",
    "exaone4",
    "dots1",
    "hunyuan_v1_dense",
    "hunyuan_v1_moe",
];

/// Whether a `model_type` norms queries and keys, where its file says nothing of it.
pub(super) fn norms_queries_and_keys(model_type: &str) -> bool {
    let lower = model_type.to_ascii_lowercase().replace('-', "_");
    QUERY_KEY_NORM.contains(&lower.as_str())
}

/// Counts that a family's configuration class has where the file leaves them out: `model_type`, field, value.
const USUAL: [(&str, &str, u32); 4] = [
    ("gemma3_text", "vocab", 262_208),
    ("gemma3_text", "heads", 8),
    ("gemma3_text", "kv", 4),
    ("gemma3_text", "dh", 256),
];

/// What a `model_type` has for a field that its file leaves out.
pub(super) fn usual(model_type: &str, key: &str) -> Option<u32> {
    USUAL.iter().find(|row| row.0 == model_type && row.1 == key).map(|row| row.2)
}

/// The family of a `model_type`.
pub(super) fn find(model_type: &str) -> Option<&'static Family> {
    let lower = model_type.to_ascii_lowercase().replace('-', "_");
    FAMILIES.iter().find(|family| {
        family.types.iter().any(|name| name.eq_ignore_ascii_case(model_type) || *name == lower)
    })
}
