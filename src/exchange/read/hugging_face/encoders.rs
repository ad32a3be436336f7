//! Families of encoders, as Transformers builds them.

use crate::scenario::model::{Bias, Norm, UncountedParts};

/// How the layers of an encoder are built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Built {
    /// Types of the encoder, or of the whole model where the encoder's table names none.
    types: &'static [&'static str],
    pub(super) gated: bool,
    pub(super) bias: Bias,
    pub(super) norm: Norm,
    /// Tokens of an image beside its patches.
    pub(super) class_tokens: u32,
    /// Whether there is a row of a table of positions for every token.
    pub(super) positions: bool,
    /// Side of a patch where the file leaves it out, pixels.
    pub(super) patch: u32,
}

/// What becomes of an encoder's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fed {
    /// Merged tokens are averaged, and projected by one matrix.
    Averaged,
    /// Merged tokens are joined, and projected by one matrix.
    Joined,
    /// Merged tokens are joined, and projected by two matrices, as wide between as before.
    JoinedTwice,
    /// The same, as wide between as the language model.
    ByTheModel,
    /// The same, after a matrix from the joined tokens to the encoder's width (Mistral 3).
    MergedBefore,
    /// Outputs of several layers are joined, and projected by one matrix (Llama 3.2 Vision).
    SeveralLayers,
    /// Merged tokens, as wide as the feed-forward part, pass two matrices to a width of their own, and one to the language
    /// model's (Llama 4).
    Shuffled,
}

const PLAIN: Built = Built {
    types: &[],
    gated: false,
    bias: Bias::All,
    norm: Norm::Layer,
    class_tokens: 0,
    positions: true,
    patch: 14,
};

/// Encoders.
const ENCODERS: [Built; 9] = [
    Built { types: &["mllama_vision_model"], class_tokens: 1, ..PLAIN },
    Built {
        types: &["clip_vision_model", "intern_vit_6b", "internvl_vision", "qianfan_ocr_vision"],
        class_tokens: 1,
        ..PLAIN
    },
    Built { types: &["llama4_vision_model"], class_tokens: 1, ..PLAIN },
    Built {
        types: &[
            "siglip_vision_model",
            "paddleocr_vl_vision",
            "idefics3_vision",
            "idefics3",
            "smolvlm_vision",
            "smolvlm",
        ],
        ..PLAIN
    },
    Built { types: &["qwen2_vl", "qwen2_vl_vision"], positions: false, ..PLAIN },
    Built {
        types: &[
            "qwen3_vl",
            "qwen3_vl_moe",
            "qwen3_vl_vision",
            "qwen3_vl_moe_vision",
            "qwen3_omni_moe_vision_encoder",
            "moonvit",
        ],
        positions: false,
        patch: 16,
        ..PLAIN
    },
    Built {
        types: &["qwen2_5_vl", "qwen2_5_vl_vision", "qwen2_5_omni_vision_encoder"],
        gated: true,
        norm: Norm::Rms,
        positions: false,
        ..PLAIN
    },
    Built { types: &["pixtral"], gated: true, bias: Bias::None, norm: Norm::Rms, positions: false, ..PLAIN },
    Built {
        types: &[
            "qwen2_audio_encoder",
            "qwen2_5_omni_audio_encoder",
            "voxtral_encoder",
            "audioflamingo3_encoder",
        ],
        ..PLAIN
    },
];

/// Types of whole models, the encoder that they have by default, and what becomes of its output.
const MODELS: [(&str, &str, Fed); 34] = [
    ("mllama", "mllama_vision_model", Fed::SeveralLayers),
    ("llava", "clip_vision_model", Fed::ByTheModel),
    ("llava_next", "clip_vision_model", Fed::ByTheModel),
    ("llava_onevision", "siglip_vision_model", Fed::ByTheModel),
    ("gemma3", "siglip_vision_model", Fed::Averaged),
    ("paligemma", "siglip_vision_model", Fed::Joined),
    ("qwen2_vl", "qwen2_vl", Fed::JoinedTwice),
    ("qwen2_5_vl", "qwen2_5_vl", Fed::JoinedTwice),
    ("qwen2_5_omni", "qwen2_5_omni_vision_encoder", Fed::JoinedTwice),
    ("qwen2_5_omni_thinker", "qwen2_5_omni_vision_encoder", Fed::JoinedTwice),
    ("qwen3_vl", "qwen3_vl", Fed::JoinedTwice),
    ("qwen3_vl_moe", "qwen3_vl_moe", Fed::JoinedTwice),
    ("qwen3_5", "qwen3_vl", Fed::JoinedTwice),
    ("qwen3_5_moe", "qwen3_vl", Fed::JoinedTwice),
    ("internvl", "internvl_vision", Fed::ByTheModel),
    ("internvl_chat", "intern_vit_6b", Fed::ByTheModel),
    ("mistral3", "pixtral", Fed::MergedBefore),
    ("llama4", "llama4_vision_model", Fed::Shuffled),
    ("idefics3", "idefics3_vision", Fed::Joined),
    ("smolvlm", "smolvlm_vision", Fed::Joined),
    ("kimi_vl", "moonvit", Fed::JoinedTwice),
    ("qwen2_audio", "qwen2_audio_encoder", Fed::Averaged),
    ("voxtral", "voxtral_encoder", Fed::ByTheModel),
    ("shieldgemma2", "siglip_vision_model", Fed::Averaged),
    ("llava_next_video", "clip_vision_model", Fed::ByTheModel),
    ("qianfan_ocr", "qianfan_ocr_vision", Fed::ByTheModel),
    ("qwen3_omni_moe", "qwen3_omni_moe_vision_encoder", Fed::JoinedTwice),
    ("qwen3_omni_moe_thinker", "qwen3_omni_moe_vision_encoder", Fed::JoinedTwice),
    ("cosmos3_omni", "qwen3_vl_vision", Fed::JoinedTwice),
    ("lighton_ocr", "pixtral", Fed::MergedBefore),
    ("mistral_large4", "pixtral", Fed::MergedBefore),
    ("paddleocr_vl", "paddleocr_vl_vision", Fed::JoinedTwice),
    ("audioflamingo3", "audioflamingo3_encoder", Fed::ByTheModel),
    ("musicflamingo", "audioflamingo3_encoder", Fed::ByTheModel),
];

/// The encoder of a model, by both types; nothing where either is not known.
pub(super) fn find(inner: &str, outer: &str, part: UncountedParts) -> Option<(&'static Built, Fed)> {
    let (_, usual, fed) = MODELS.iter().find(|row| row.0 == outer)?;
    let of = |name: &str| ENCODERS.iter().find(|built| built.types.contains(&name));
    let after = inner.strip_prefix(outer).unwrap_or("other");
    let built =
        of(inner).or_else(|| of(usual).filter(|_| inner.is_empty() || ["", "_vision"].contains(&after)))?;
    // A model of several kinds of data is fed by each in its own way.
    let sounds = outer.starts_with("qwen2_5_omni") && part == UncountedParts::Audio;
    Some((built, if sounds { Fed::Averaged } else { *fed }))
}

/// Whether a model reads images of any size, so that a size that its file states is only a limit.
pub(super) fn reads_any_size(outer: &str) -> bool {
    outer.starts_with("qwen") || ["mistral3", "kimi_vl"].contains(&outer)
}

/// Tokens that a model merges where its file does not say.
pub(super) fn usual_merge(outer: &str, fed: Fed) -> u32 {
    match (outer, fed) {
        ("qwen2_audio" | "qwen2_5_omni" | "qwen2_5_omni_thinker", Fed::Averaged) => 2,
        ("voxtral", _) | (_, Fed::JoinedTwice | Fed::MergedBefore) => 4,
        _ => 1,
    }
}
