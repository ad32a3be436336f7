//! Families of models: values of `model_type`, and what of each differs from Llama and GPT-2.

use super::families::{Family, Where};
use crate::scenario::model::{Bias, Norm, StateRule};

/// As Llama.
pub(super) const LLAMA: Family = Family {
    types: &[
        "llama",
        "transformer",
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
        "deepseek_v4",
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
        "mimo_v2_flash",
        "llama4_text",
        "helium",
        "aria_text",
        "glm4_moe_lite",
        "granite_swa",
        "granitemoe_swa",
        "ministral3",
        "solar_open",
        "youtu",
        "hyperclovax",
        "exaone_moe",
        "hy_v3",
        "mellum",
        "minimax_m3_vl_text",
        "afmoe",
        "axk1",
        "nemotron_nas",
        "deci",
        "decilm",
        "mistral4",
        "mistral_large4_text",
        "flint",
        "kolibri1",
        "beam",
        "muse_glimmer_text",
        "molmo2_text",
        "glm_ocr_text",
        "paddleocr_vl_text",
        "unlimited_ocr_text",
        "granite_docling_text",
        "phi4_multimodal",
        "arctic",
        "bailing_moe_v2",
        "llada2_moe",
        "grok_1",
        "grok1",
        "hunyuan",
        "sdar",
        "sdar_moe",
        "bluelm",
        "emu3",
        "plamo",
        "panguembedded",
        "pangupromoe",
        "pangu_ultra_moe",
        "skywork",
        "telechat",
        "trillion",
        "llava_llama",
        "llava_mistral",
        "longcat_flash",
        "longcat_flash_ngram",
        "internlmxcomposer2",
        "ernie4_5_moe_vl",
        "ernie4_5_vl_moe_text",
    ],
    gated: true,
    tied: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Where::Rotary,
    encoder: false,
    mixer: StateRule::None,
    alone: false,
    beside: false,
    near: None,
    caveat: None,
};

/// No gate, LayerNorm, biases everywhere and a learned table: as GPT-2.
const GPT2: Family = Family {
    types: &["gpt2", "opt", "gpt_bigcode", "gpt_neo", "imagegpt", "openai-gpt", "biogpt"],
    gated: false,
    tied: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Where::Learned,
    ..LLAMA
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
        "bert_generation",
        "megatron_bert",
        "roberta_prelayernorm",
        "xlm_roberta_xl",
    ],
    encoder: true,
    caveat: Some("The transform before the LM head and the token type embedding are not counted."),
    ..GPT2
};

/// What encoders have for their masked tokens.
const HEAD: &str = "The transform before the LM head is not counted.";

const UNWEIGHTED: &str = "LayerNorm without bias or weights is treated as RMSNorm, which has nearly the same number of parameters.";

/// What of families differs from Llama and GPT-2, as their modelling files in transformers have it; of fla
/// (flash-linear-attention), Phi-3-small and Bailing as the repositories of their own code have it.
pub(super) const FAMILIES: &[Family] = &[
    LLAMA,
    GPT2,
    BERT,
    Family {
        types: &["deberta", "deberta_v2"],
        caveat: Some("Disentangled attention is modelled as full attention."),
        ..BERT
    },
    Family { types: &["albert"], ..BERT },
    Family {
        types: &["ouro"],
        near: Some("Two of the four norms per layer and the exit gate of the loop are not counted."),
        ..LLAMA
    },
    Family { types: &["esm"], positions: Where::Rotary, ..BERT },
    Family { types: &["new"], gated: true, positions: Where::Rotary, ..BERT },
    Family { types: &["neobert"], tied: true, encoder: true, near: Some(HEAD), ..LLAMA },
    Family { types: &["nomic_bert"], bias: Bias::None, positions: Where::Rotary, ..BERT },
    Family { types: &["eurobert", "llada", "bidir_mistral", "llama_bidirec"], encoder: true, ..LLAMA },
    Family { types: &["dream"], bias: Bias::Qkv, encoder: true, ..LLAMA },
    Family { types: &["modernbert"], tied: true, encoder: true, caveat: Some(HEAD), ..LLAMA },
    Family { types: &["modernbert_decoder"], tied: true, caveat: Some(HEAD), ..LLAMA },
    Family { types: &["ultrabert"], encoder: true, caveat: Some(HEAD), ..LLAMA },
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
            "dots_ocr",
            "llava_qwen",
            "minicpmv",
            "minicpmo",
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
        types: &[
            "gemma",
            "gemma2",
            "gemma3",
            "gemma3_text",
            "gemma4",
            "gemma4_text",
            "gemma4_unified",
            "gemma4_unified_text",
            "smollm3",
            "llama_tied",
            "vaultgemma",
            "minicpm",
            "minicpm3",
        ],
        tied: true,
        ..LLAMA
    },
    Family {
        types: &["gemma3n_text"],
        tied: true,
        near: Some("Activation sparsity (activation_sparsity_pattern) is not modelled."),
        caveat: Some("Alternating updates (AltUp) and low-rank residual layers (LAuReL) are not counted."),
        ..LLAMA
    },
    Family { types: &["gpt_oss"], bias: Bias::All, ..LLAMA },
    Family {
        types: &["gpt_neox", "gptj", "codegen", "phi", "mixformer_sequential", "persimmon"],
        tied: false,
        positions: Where::Rotary,
        ..GPT2
    },
    Family { types: &["starcoder2", "codeshell"], positions: Where::Rotary, ..GPT2 },
    Family {
        types: &["xglm"],
        positions: Where::Rotary,
        near: Some("The table of sine positions is not modelled."),
        ..GPT2
    },
    Family { types: &["bloom", "jais", "btlm"], positions: Where::Alibi, ..GPT2 },
    Family {
        types: &["falcon", "RefinedWeb", "RefinedWebModel"],
        bias: Bias::None,
        positions: Where::Rotary,
        ..GPT2
    },
    Family { types: &["mpt"], bias: Bias::None, norm: Norm::Rms, near: Some(UNWEIGHTED), ..GPT2 },
    Family { types: &["nemotron", "jais2"], gated: false, norm: Norm::Layer, ..LLAMA },
    // Up and down only: xIELU, and the square of ReLU.
    Family {
        types: &["apertus", "apertus1p5_text", "arcee", "nanochat", "cosmos3_edge_text"],
        gated: false,
        ..LLAMA
    },
    Family { types: &["stablelm", "stablelm_epoch", "orion"], norm: Norm::Layer, ..LLAMA },
    Family {
        types: &["phimoe"],
        norm: Norm::Layer,
        near: Some("The biases of the output projection and the LM head are not counted."),
        ..LLAMA
    },
    Family { types: &["phi3small"], tied: true, bias: Bias::All, norm: Norm::Layer, ..LLAMA },
    Family { types: &["cohere", "cohere2", "cohere2_moe"], tied: true, near: Some(UNWEIGHTED), ..LLAMA },
    Family { types: &["olmo", "hf_olmo", "dbrx"], near: Some(UNWEIGHTED), ..LLAMA },
    Family {
        types: &["laguna", "step3p5", "step3p7"],
        near: Some("The gate of each attention head is not counted."),
        ..LLAMA
    },
    Family {
        types: &["voxtral_realtime_text"],
        tied: true,
        near: Some("Norm scales that depend on the delay are not counted."),
        ..LLAMA
    },
    Family {
        types: &["bitnet"],
        near: Some("GEMMs with ternary weights are modelled in the training precision."),
        ..LLAMA
    },
    Family {
        types: &["diffllama", "motif"],
        caveat: Some("Differential attention is modelled as plain attention."),
        ..LLAMA
    },
    Family {
        types: &["solar"],
        near: Some("Weighted connections that skip blocks of layers (bskcn) are not modelled."),
        ..LLAMA
    },
    Family {
        types: &["kimi_audio"],
        bias: Bias::Qkv,
        caveat: Some("The layers and the head that write audio tokens (kimia_mimo_layers) are not counted."),
        ..LLAMA
    },
    Family {
        types: &["molmo"],
        bias: Bias::Qkv,
        caveat: Some("The vision encoder, which the file does not describe, is not counted."),
        ..LLAMA
    },
    Family {
        types: &["openelm"],
        tied: true,
        caveat: Some("Layers of different heads and widths are modelled as equal layers of the mean size."),
        ..LLAMA
    },
    Family {
        types: &["jetmoe"],
        tied: true,
        caveat: Some(
            "Routed attention heads are modelled as attention with the heads that a token is sent to.",
        ),
        ..LLAMA
    },
    Family {
        types: &["yuan"],
        tied: true,
        caveat: Some("The convolutions over neighbouring tokens before attention are not counted."),
        ..LLAMA
    },
    Family {
        types: &["cogvlm"],
        caveat: Some(
            "The second set of attention and feed-forward weights, for image tokens, is not counted.",
        ),
        ..LLAMA
    },
    Family {
        types: &["step3_text"],
        near: Some("Queries have one norm of their own (share_q_dim), which is not counted."),
        ..LLAMA
    },
    Family {
        types: &["hy_v4"],
        caveat: Some(
            "The output gate of MLA and the hyper-connections of residual streams (hc_mult) are not counted.",
        ),
        ..LLAMA
    },
    Family {
        types: &["minimax", "minimax_text_01", "minimax_m1", "bailing_moe_linear", "bailing_moe_linear_v2"],
        mixer: StateRule::Lightning,
        ..LLAMA
    },
    Family { types: &["jamba", "samba"], mixer: StateRule::Mamba1, ..LLAMA },
    Family { types: &["bamba", "granitemoehybrid"], mixer: StateRule::Mamba2, ..LLAMA },
    Family { types: &["kimi_linear"], mixer: StateRule::Kda, ..LLAMA },
    Family {
        types: &["glm5_next_text"],
        mixer: StateRule::Kda,
        caveat: Some("The hyper-connections of residual streams (hc_mult) are not counted."),
        ..LLAMA
    },
    Family {
        types: &["bailing_hybrid"],
        mixer: StateRule::Kda,
        caveat: Some(
            "Full-rank gates of the recurrent mixer are counted as low-rank gates, and the gate of each attention head is not counted.",
        ),
        ..LLAMA
    },
    Family {
        types: &[
            "qwen3_next",
            "qwen3_5",
            "qwen3_5_text",
            "qwen3_5_moe",
            "qwen3_5_moe_text",
            "olmo_hybrid",
            "lara_mini",
        ],
        mixer: StateRule::GatedDelta,
        ..LLAMA
    },
    Family { types: &["falcon_h1"], mixer: StateRule::Mamba2, beside: true, ..LLAMA },
    Family { types: &["lfm2", "lfm2_moe", "lfm3"], tied: true, mixer: StateRule::ShortConvolution, ..LLAMA },
    Family { types: &["recurrent_gemma"], tied: true, mixer: StateRule::RgLru, ..LLAMA },
    Family { types: &["zamba"], tied: true, mixer: StateRule::Mamba1, alone: true, ..LLAMA },
    Family { types: &["zamba2"], tied: true, mixer: StateRule::Mamba2, alone: true, ..LLAMA },
    Family { types: &["nemotron_h"], gated: false, mixer: StateRule::Mamba2, alone: true, ..LLAMA },
    Family { types: &["mamba_ssm2"], tied: true, mixer: StateRule::Mamba2, alone: true, ..LLAMA },
    Family { types: &["mamba2", "codestral_mamba"], mixer: StateRule::Mamba2, alone: true, ..LLAMA },
    Family { types: &["mamba", "falcon_mamba"], tied: true, mixer: StateRule::Mamba1, alone: true, ..LLAMA },
    Family { types: &["gla"], mixer: StateRule::GatedLinear, ..LLAMA },
    Family { types: &["retnet"], mixer: StateRule::Lightning, ..LLAMA },
    Family { types: &["hgrn2", "linear_attn"], mixer: StateRule::Linear, ..LLAMA },
    Family { types: &["delta_net"], mixer: StateRule::Delta, ..LLAMA },
    Family { types: &["gated_deltanet"], mixer: StateRule::GatedDelta, ..LLAMA },
    Family { types: &["kda"], mixer: StateRule::Kda, ..LLAMA },
];
