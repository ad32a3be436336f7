//! What a family of models leaves out of its `config.json`, as its code in Hugging Face transformers (4.57) has it.

use crate::scenario::model::{Activation, Bias, ModelCode, Norm};

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
    /// Whether it has layers of linear attention or state-space mixing, which its file may not list.
    pub(super) mixes: bool,
    /// A difference that fields do not express and that leaves the count of parameters as it is.
    pub(super) near: Option<&'static str>,
    /// What of the family is not supported: its shape is another one than the fields say.
    pub(super) caveat: Option<&'static str>,
}

/// As Llama. An unknown family is treated as one of these.
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
        "qwen3_omni_moe_text",
        "minimax_m2",
        "minimax_m3",
        "minimax_m3_text",
        "minimax_m3_vl",
        "deepseek_v32",
        "glm_moe_dsa",
        "kimi_k2",
        "phi3",
        "olmo2",
        "olmo3",
        "olmoe",
        "flex_olmo",
        "granite",
        "granitemoe",
        "granitemoeshared",
        "yi",
        "xverse",
        "cwm",
        "minicpm",
        "internlm2",
        "internlm3",
        "exaone",
        "exaone4",
        "ernie4_5",
        "ernie4_5_moe",
        "glm4_moe",
        "seed_oss",
        "hunyuan_v1_dense",
        "hunyuan_v1_moe",
        "dots1",
        "bailing_moe",
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
    encoder: false,
    mixes: false,
    near: None,
    caveat: None,
};

/// No gate, LayerNorm, biases everywhere and a learned table: as GPT-2.
const GPT2: Family = Family {
    types: &["gpt2", "opt", "gpt_bigcode", "gpt_neo", "imagegpt", "openai-gpt"],
    gated: false,
    tied: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Where::Learned,
    encoder: false,
    mixes: false,
    near: None,
    caveat: None,
};

/// As GPT-2, but every token sees all others: as BERT.
const BERT: Family = Family {
    types: &[
        "bert",
        "roberta",
        "xlm_roberta",
        "camembert",
        "distilbert",
        "electra",
        "ernie",
        "mpnet",
        "data2vec_text",
    ],
    encoder: true,
    ..GPT2
};

const UNWEIGHTED: &str = "Its norms are LayerNorm without a bias or without weights; RMSNorm has as many parameters or nearly, and is taken.";

const OUTPUT_GATE: &str = "The output gate of attention, which doubles the query projection, is not counted.";

/// What of families differs from Llama and GPT-2, as their modelling files in transformers have it; of fla
/// (flash-linear-attention), Phi-3-small and Bailing as the repositories of their own code have it.
const FAMILIES: &[Family] = &[
    LLAMA,
    GPT2,
    BERT,
    Family {
        types: &["deberta", "deberta_v2"],
        caveat: Some("Its disentangled attention is priced as plain attention."),
        ..BERT
    },
    Family {
        types: &["albert"],
        caveat: Some(
            "Its layers share their weights, and its embeddings are narrow: weights of every layer are counted.",
        ),
        ..BERT
    },
    Family { types: &["eurobert"], encoder: true, ..LLAMA },
    Family { types: &["modernbert"], tied: true, encoder: true, near: Some(UNWEIGHTED), ..LLAMA },
    Family {
        types: &[
            "qwen2",
            "qwen2_moe",
            "qwen",
            "qwen2_vl",
            "qwen2_vl_text",
            "qwen2_5_vl",
            "qwen2_5_vl_text",
            "qwen2_5_omni_text",
        ],
        bias: Bias::Qkv,
        ..LLAMA
    },
    Family {
        types: &["internlm", "glm", "glm4", "glm4v_text", "glm4v_moe_text", "chatglm"],
        bias: Bias::Qkv,
        ..LLAMA
    },
    Family {
        types: &["gemma", "gemma2", "gemma3", "gemma3_text", "smollm3", "llama_tied", "vaultgemma"],
        tied: true,
        ..LLAMA
    },
    Family {
        types: &["gemma3n_text"],
        tied: true,
        caveat: Some("Its alternating updates and layers that share keys and values are not counted."),
        ..LLAMA
    },
    Family {
        types: &["gemma4", "gemma4_text"],
        tied: true,
        caveat: Some(
            "Its layers of full attention have fewer and wider heads; all are treated as those with a window.",
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
    Family { types: &["mpt"], bias: Bias::None, norm: Norm::Rms, near: Some(UNWEIGHTED), ..GPT2 },
    Family { types: &["nemotron"], gated: false, norm: Norm::Layer, ..LLAMA },
    // Up and down only: xIELU, and the square of ReLU.
    Family { types: &["apertus", "arcee"], gated: false, ..LLAMA },
    Family { types: &["stablelm", "stablelm_epoch", "orion"], norm: Norm::Layer, ..LLAMA },
    Family {
        types: &["phimoe"],
        norm: Norm::Layer,
        near: Some("Its output projection and its LM head have biases, too, which are not counted."),
        ..LLAMA
    },
    Family { types: &["phi3small"], tied: true, bias: Bias::All, norm: Norm::Layer, ..LLAMA },
    Family { types: &["cohere", "cohere2"], tied: true, near: Some(UNWEIGHTED), ..LLAMA },
    Family { types: &["olmo", "dbrx"], near: Some(UNWEIGHTED), ..LLAMA },
    Family {
        types: &[
            "minimax",
            "minimax_text_01",
            "minimax_m1",
            "jamba",
            "bamba",
            "granitemoehybrid",
            "kimi_linear",
            "bailing_moe_linear",
        ],
        mixes: true,
        ..LLAMA
    },
    Family {
        types: &["qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"],
        mixes: true,
        caveat: Some(OUTPUT_GATE),
        ..LLAMA
    },
    Family {
        types: &["falcon_h1"],
        caveat: Some("The Mamba mixer beside the attention of every layer is not counted."),
        ..LLAMA
    },
    Family { types: &["lfm2", "lfm2_moe", "recurrent_gemma"], tied: true, mixes: true, ..LLAMA },
    Family { types: &["zamba", "zamba2"], tied: true, mixes: true, ..LLAMA },
    // Its feed-forward parts square what ReLU lets through, and have one up-projection.
    Family { types: &["nemotron_h"], gated: false, mixes: true, ..LLAMA },
    Family { types: &FLASH_LINEAR_ATTENTION, mixes: true, ..LLAMA },
    Family {
        types: &["deepseek_v4"],
        caveat: Some("Its attention to compressed tokens is not priced: only the window is."),
        ..LLAMA
    },
    Family {
        types: &["mimo_v2_flash"],
        caveat: Some("Its values are narrower than its keys, and are treated as equally wide."),
        ..LLAMA
    },
];

/// Families of flash-linear-attention; Samba has Mamba between layers of attention with a window.
const FLASH_LINEAR_ATTENTION: [&str; 16] = [
    "gla",
    "delta_net",
    "gated_deltanet",
    "gated_deltaproduct",
    "retnet",
    "rwkv6",
    "rwkv7",
    "hgrn",
    "hgrn2",
    "linear_attn",
    "lightnet",
    "gsa",
    "abc",
    "kda",
    "comba",
    "samba",
];

/// What a family has for a vocabulary that a whole file leaves out: all of flash-linear-attention's classes have one.
pub(super) fn usual_vocabulary(model_type: &str) -> Option<u32> {
    FLASH_LINEAR_ATTENTION.contains(&plain(model_type).as_str()).then_some(32_000)
}

/// Whether a family has LayerNorm though its file calls the epsilon `rms_norm_eps`.
pub(super) fn names_layer_norm_so(model_type: &str) -> bool {
    plain(model_type) == "phimoe"
}

/// Families without attention, of which a shape with heads would say nothing true.
const WITHOUT_ATTENTION: [&str; 6] = ["mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm", "hyena"];

/// Whether a `model_type` has no attention at all.
pub(super) fn has_no_attention(model_type: &str) -> bool {
    WITHOUT_ATTENTION.contains(&plain(model_type).as_str())
}

/// Activations that come with one up-projection wherever transformers has them: the square of ReLU (Nemotron, Arcee,
/// Nemotron-H, Persimmon), xIELU (Apertus), and plain ReLU (OPT).
const WITHOUT_GATE: [&str; 5] = ["relu2", "relu_squared", "squared_relu", "xielu", "relu"];

/// Whether the feed-forward part of a family that is not known has two up-projections, by its activation.
pub(super) fn gated_by_activation(activation: &str) -> bool {
    !WITHOUT_GATE.contains(&activation.to_ascii_lowercase().as_str())
}

/// The activation of a family whose code asks for no setting, or not for the one that its file has: Gemma's `hidden_act` is
/// overridden by `hidden_activation`, which is this one; GPT-OSS's says SiLU.
pub(super) fn own_activation(model_type: &str) -> Option<Activation> {
    match plain(model_type).as_str() {
        "gpt_oss" => Some(Activation::ClampedSilu),
        "gemma" | "gemma2" | "gemma3" | "gemma3_text" | "gemma3n_text" | "gemma4" | "gemma4_text" => {
            Some(Activation::GeluTanh)
        }
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
        "modernbert" | "bert" | "roberta" | "xlm_roberta" | "electra" | "distilbert" => Activation::Gelu,
        _ => return None,
    })
}

/// Families whose queries and keys have norms of their own without a word in their configuration.
const QUERY_KEY_NORM: [&str; 25] = [
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
    "lfm2",
    "lfm2_moe",
    "hunyuan_v1_dense",
    "hunyuan_v1_moe",
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
fn plain(model_type: &str) -> String {
    model_type.to_ascii_lowercase().replace('-', "_")
}
