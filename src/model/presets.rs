//! Published models. A new model is one entry of [`MODELS`] and one line of `tests/presets.rs`.

use super::{Bias, Model, Norm, Positions};

/// A published model.
#[derive(Debug, Clone, Copy)]
pub struct ModelPreset {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Where its shape is published.
    pub source: &'static str,
    /// Its shape.
    pub model: Model,
}

/// The preset of that name.
pub fn find(name: &str) -> Option<&'static ModelPreset> {
    MODELS.iter().find(|preset| preset.name == name)
}

/// Name of the preset that is exactly this model.
pub fn name_of(model: &Model) -> Option<&'static str> {
    MODELS.iter().find(|preset| preset.model == *model).map(|preset| preset.name)
}

/// GPT-2's architecture: LayerNorm, biases everywhere, a feed-forward layer of 4 h, learned
/// positions, tied embeddings.
const fn gpt(layers: u32, hidden: u32, heads: u32, vocabulary: u32, positions: u32) -> Model {
    Model {
        layers,
        hidden,
        ffn: 4 * hidden,
        heads,
        kv_heads: heads,
        head_dim: hidden / heads,
        vocabulary,
        gated_mlp: false,
        tied_embeddings: true,
        bias: Bias::All,
        norm: Norm::Layer,
        positions: Positions::Learned(positions),
        ..Model::DENSE
    }
}

/// Llama's architecture: RMSNorm, no biases, a gated feed-forward layer, rotary positions, untied
/// embeddings.
const fn llama(layers: u32, hidden: u32, ffn: u32, heads: u32, kv_heads: u32, vocabulary: u32) -> Model {
    Model {
        layers,
        hidden,
        ffn,
        heads,
        kv_heads,
        head_dim: hidden / heads,
        vocabulary,
        gated_mlp: true,
        tied_embeddings: false,
        bias: Bias::None,
        norm: Norm::Rms,
        positions: Positions::Rotary,
        ..Model::DENSE
    }
}

/// Qwen2's architecture: Llama's with biases on query, key and value.
const fn qwen2(layers: u32, hidden: u32, ffn: u32, heads: u32, kv_heads: u32) -> Model {
    Model { bias: Bias::Qkv, ..llama(layers, hidden, ffn, heads, kv_heads, 152_064) }
}

/// Nemotron-4's architecture: LayerNorm, no biases, squared ReLU (not gated), rotary positions,
/// 8 key/value heads.
const fn nemotron4(layers: u32, hidden: u32, heads: u32) -> Model {
    Model { gated_mlp: false, norm: Norm::Layer, ..llama(layers, hidden, 4 * hidden, heads, 8, 256_000) }
}

/// Llama-3 70B (and 3.1, 3.3 70B, which have the same shape).
pub(crate) const LLAMA3_70B: Model = llama(80, 8192, 28_672, 64, 8, 128_256);

const MEGATRON: &str = "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, 2022, table 3: https://arxiv.org/abs/2205.05198";
const LLAMA2: &str = "https://huggingface.co/meta-llama/Llama-2-70b-hf/blob/main/config.json and its siblings; https://arxiv.org/abs/2307.09288";
const LLAMA3: &str = "The Llama 3 Herd of Models, 2024, table 3: https://arxiv.org/abs/2407.21783";
const QWEN25: &str =
    "Qwen2.5 Technical Report, 2024: https://arxiv.org/abs/2412.15115; https://huggingface.co/Qwen";
const APNET24: &str = "Understanding Communication Characteristics of Distributed Training, APNet'24: layers, hidden size and sequence; heads of width 100 are an assumption";

macro_rules! presets {
    ($($name:literal, $label:literal, $source:expr, $model:expr;)+) => {
        &[$(ModelPreset { name: $name, label: $label, source: $source, model: $model }),+]
    };
}

/// Every model, by family and size.
pub static MODELS: &[ModelPreset] = presets! {
    "llama3-8b", "Llama-3 8B", LLAMA3, llama(32, 4096, 14_336, 32, 8, 128_256);
    "llama3-70b", "Llama-3 70B", LLAMA3, LLAMA3_70B;
    "llama3-405b", "Llama-3.1 405B", LLAMA3, llama(126, 16_384, 53_248, 128, 8, 128_256);
    "llama2-7b", "Llama-2 7B", LLAMA2, llama(32, 4096, 11_008, 32, 32, 32_000);
    "llama2-13b", "Llama-2 13B", LLAMA2, llama(40, 5120, 13_824, 40, 40, 32_000);
    "llama2-70b", "Llama-2 70B", LLAMA2, llama(80, 8192, 28_672, 64, 8, 32_000);
    "llemma-7b", "Llemma 7B",
        "https://huggingface.co/EleutherAI/llemma_7b/blob/main/config.json; https://arxiv.org/abs/2310.10631",
        llama(32, 4096, 11_008, 32, 32, 32_016);
    "mistral-7b", "Mistral 7B",
        "https://huggingface.co/mistralai/Mistral-7B-v0.1/blob/main/config.json; https://arxiv.org/abs/2310.06825",
        llama(32, 4096, 14_336, 32, 8, 32_000);
    "qwen2.5-7b", "Qwen2.5 7B", QWEN25, qwen2(28, 3584, 18_944, 28, 4);
    "qwen2.5-32b", "Qwen2.5 32B", QWEN25, qwen2(64, 5120, 27_648, 40, 8);
    "qwen2.5-72b", "Qwen2.5 72B", QWEN25, qwen2(80, 8192, 29_568, 64, 8);
    "nemotron4-15b", "Nemotron-4 15B",
        "Nemotron-4 15B Technical Report, 2024, table 1: https://arxiv.org/abs/2402.16819",
        nemotron4(32, 6144, 48);
    "nemotron4-340b", "Nemotron-4 340B",
        "Nemotron-4 340B Technical Report, 2024, table 1: https://arxiv.org/abs/2406.11704",
        nemotron4(96, 18_432, 96);
    "gpt-neox-20b", "GPT-NeoX 20B",
        "GPT-NeoX-20B, 2022: https://arxiv.org/abs/2204.06745; https://huggingface.co/EleutherAI/gpt-neox-20b/blob/main/config.json",
        Model { positions: Positions::Rotary, tied_embeddings: false, ..gpt(44, 6144, 64, 50_432, 2048) };
    "gpt2-1.5b", "GPT-2 1.5B",
        "Language Models are Unsupervised Multitask Learners, 2019; https://huggingface.co/openai-community/gpt2-xl/blob/main/config.json",
        gpt(48, 1600, 25, 50_257, 1024);
    "gpt3-175b", "GPT-3 175B",
        "Language Models are Few-Shot Learners, 2020, table 2.1: https://arxiv.org/abs/2005.14165",
        gpt(96, 12_288, 96, 50_257, 2048);
    "megatron-22b", "Megatron 22B", MEGATRON, gpt(48, 6144, 64, 51_200, 2048);
    "megatron-175b", "Megatron 175B", MEGATRON, gpt(96, 12_288, 96, 51_200, 2048);
    "megatron-530b", "Megatron 530B", MEGATRON, gpt(105, 20_480, 128, 51_200, 2048);
    "megatron-1t", "Megatron 1T", MEGATRON, gpt(128, 25_600, 160, 51_200, 2048);
    "apnet24-gpt-1.5b", "APNet'24 GPT 1.5B", APNET24, gpt(48, 1600, 16, 50_257, 1024);
    "apnet24-gpt-3b", "APNet'24 GPT 3B", APNET24, gpt(54, 2000, 20, 50_257, 1024);
};
