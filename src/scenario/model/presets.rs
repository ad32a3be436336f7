//! Published models. A new model is one entry of [`MODELS`] and one line of `tests/presets.rs`.

use super::{Bias, Experts, Latent, Model, Norm, Positions, Window};

/// A published model.
#[derive(Debug, Clone, Copy)]
pub struct ModelPreset {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Where its shape is published.
    pub source: &'static str,
    /// The shape of the model.
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

/// Routed experts of width `ffn` in every layer, none shared.
const fn routed(count: u32, top_k: u32, ffn: u32) -> Experts {
    Experts { count, top_k, ffn, ..Experts::NONE }
}

/// Mixtral's architecture: Llama's with experts of the feed-forward size.
const fn mixtral(layers: u32, hidden: u32, ffn: u32, heads: u32, vocabulary: u32, count: u32) -> Model {
    Model { experts: routed(count, 2, ffn), ..llama(layers, hidden, ffn, heads, 8, vocabulary) }
}

/// Qwen3's dense architecture: heads of 128 whatever the width, no biases, 8 key/value heads.
const fn qwen3(layers: u32, hidden: u32, ffn: u32, heads: u32) -> Model {
    Model { head_dim: 128, ..llama(layers, hidden, ffn, heads, 8, 151_936) }
}

/// Qwen3's mixtures: 128 experts, 8 a token, 4 key/value heads, no dense layers.
const fn qwen3_experts(layers: u32, hidden: u32, ffn: u32, heads: u32) -> Model {
    Model { kv_heads: 4, experts: routed(128, 8, ffn), ..qwen3(layers, hidden, ffn, heads) }
}

/// GPT-OSS's architecture: 4 experts a token, heads of 64, biases everywhere, every other layer sees 128
/// tokens.
const fn gpt_oss(layers: u32, count: u32) -> Model {
    Model {
        head_dim: 64,
        bias: Bias::All,
        window: Window { tokens: 128, full_every: 2 },
        experts: routed(count, 4, 2880),
        ..llama(layers, 2880, 2880, 64, 8, 201_088)
    }
}

/// DeepSeek's latents: keys and values of rank 512, heads of 128 + 64, values of 128.
const fn deepseek_latent(query_rank: u32) -> Latent {
    Latent { kv_rank: 512, query_rank, plain_dim: 128, rotary_dim: 64, value_dim: 128 }
}

/// DeepSeek's architecture: latent attention, shared experts, leading dense layers.
const fn deepseek(
    layers: u32,
    hidden: u32,
    ffn: u32,
    heads: u32,
    vocabulary: u32,
    latent: Latent,
    experts: Experts,
) -> Model {
    Model { head_dim: 128, latent, experts, ..llama(layers, hidden, ffn, heads, heads, vocabulary) }
}

/// Gemma's architecture: gated, tied embeddings, 256,000 tokens or more.
const fn gemma(
    layers: u32,
    hidden: u32,
    ffn: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    vocabulary: u32,
) -> Model {
    Model { head_dim, tied_embeddings: true, ..llama(layers, hidden, ffn, heads, kv_heads, vocabulary) }
}

/// Llama-3 70B (and 3.1, 3.3 70B, which have the same shape).
pub(crate) const LLAMA3_70B: Model = llama(80, 8192, 28_672, 64, 8, 128_256);

const MEGATRON: &str = "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, 2022, table 3: https://arxiv.org/abs/2205.05198";
const LLAMA2: &str = "https://huggingface.co/meta-llama/Llama-2-70b-hf/blob/main/config.json and its siblings; https://arxiv.org/abs/2307.09288";
const LLAMA3: &str = "The Llama 3 Herd of Models, 2024, table 3: https://arxiv.org/abs/2407.21783";
const QWEN25: &str =
    "Qwen2.5 Technical Report, 2024: https://arxiv.org/abs/2412.15115; https://huggingface.co/Qwen";
const MIXTRAL: &str = "https://huggingface.co/mistralai/Mixtral-8x7B-v0.1/blob/main/config.json and its siblings; https://arxiv.org/abs/2401.04088";
const QWEN3: &str = "Qwen3 Technical Report, 2025, tables 1 and 2: https://arxiv.org/abs/2505.09388; https://huggingface.co/Qwen";
const GPT_OSS: &str = "https://huggingface.co/openai/gpt-oss-120b/blob/main/config.json; gpt-oss model card, 2025: https://arxiv.org/abs/2508.10925";
const GEMMA: &str = "https://huggingface.co/google/gemma-2-27b/blob/main/config.json and its siblings; https://arxiv.org/abs/2408.00118";
const LLAMA4: &str = "https://huggingface.co/meta-llama/Llama-4-Scout-17B-16E/blob/main/config.json and Maverick's (text model)";
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
    "llama4-scout", "Llama-4 Scout 109B-A17B", LLAMA4,
        Model {
            experts: Experts { shared: 1, ..routed(16, 1, 8192) },
            ..llama(48, 5120, 16_384, 40, 8, 202_048)
        };
    "llama4-maverick", "Llama-4 Maverick 400B-A17B", LLAMA4,
        Model {
            experts: Experts { shared: 1, every: 2, ..routed(128, 1, 8192) },
            ..llama(48, 5120, 16_384, 40, 8, 202_048)
        };
    "mixtral-8x7b", "Mixtral 8x7B", MIXTRAL, mixtral(32, 4096, 14_336, 32, 32_000, 8);
    "mixtral-8x22b", "Mixtral 8x22B", MIXTRAL, mixtral(56, 6144, 16_384, 48, 32_768, 8);
    "qwen3-8b", "Qwen3 8B", QWEN3, qwen3(36, 4096, 12_288, 32);
    "qwen3-14b", "Qwen3 14B", QWEN3, qwen3(40, 5120, 17_408, 40);
    "qwen3-32b", "Qwen3 32B", QWEN3, qwen3(64, 5120, 25_600, 64);
    "qwen3-30b-a3b", "Qwen3 30B-A3B", QWEN3, qwen3_experts(48, 2048, 768, 32);
    "qwen3-235b-a22b", "Qwen3 235B-A22B", QWEN3, qwen3_experts(94, 4096, 1536, 64);
    "gpt-oss-20b", "GPT-OSS 20B", GPT_OSS, gpt_oss(24, 32);
    "gpt-oss-120b", "GPT-OSS 120B", GPT_OSS, gpt_oss(36, 128);
    "deepseek-v2-lite", "DeepSeek-V2 Lite 16B-A2.4B",
        "https://huggingface.co/deepseek-ai/DeepSeek-V2-Lite/blob/main/config.json; https://arxiv.org/abs/2405.04434",
        deepseek(27, 2048, 10_944, 16, 102_400, deepseek_latent(0),
            Experts { shared: 2, leading_dense: 1, ..routed(64, 6, 1408) });
    "deepseek-v2", "DeepSeek-V2 236B-A21B",
        "https://huggingface.co/deepseek-ai/DeepSeek-V2/blob/main/config.json; https://arxiv.org/abs/2405.04434",
        deepseek(60, 5120, 12_288, 128, 102_400, deepseek_latent(1536),
            Experts { shared: 2, leading_dense: 1, ..routed(160, 6, 1536) });
    "deepseek-v3", "DeepSeek-V3 671B-A37B",
        "https://huggingface.co/deepseek-ai/DeepSeek-V3/blob/main/config.json; https://arxiv.org/abs/2412.19437",
        Model {
            prediction_layers: 1,
            ..deepseek(61, 7168, 18_432, 128, 129_280, deepseek_latent(1536),
                Experts { shared: 1, leading_dense: 3, ..routed(256, 8, 2048) })
        };
    "kimi-k2", "Kimi K2 1T-A32B",
        "https://huggingface.co/moonshotai/Kimi-K2-Base/blob/main/config.json; https://arxiv.org/abs/2507.20534",
        deepseek(61, 7168, 18_432, 64, 163_840, deepseek_latent(1536),
            Experts { shared: 1, leading_dense: 1, ..routed(384, 8, 2048) });
    "glm-4.5", "GLM-4.5 355B-A32B",
        "https://huggingface.co/zai-org/GLM-4.5/blob/main/config.json; https://arxiv.org/abs/2508.06471",
        Model {
            head_dim: 128,
            bias: Bias::Qkv,
            experts: Experts { shared: 1, leading_dense: 3, ..routed(160, 8, 1536) },
            ..llama(92, 5120, 12_288, 96, 8, 151_552)
        };
    "grok-1", "Grok-1 314B",
        "https://github.com/xai-org/grok-1/blob/main/run.py",
        Model { head_dim: 128, tied_embeddings: true, ..mixtral(64, 6144, 32_768, 48, 131_072, 8) };
    "gemma2-9b", "Gemma 2 9B", GEMMA,
        Model { window: Window { tokens: 4096, full_every: 2 }, ..gemma(42, 3584, 14_336, 16, 8, 256, 256_000) };
    "gemma2-27b", "Gemma 2 27B", GEMMA,
        Model { window: Window { tokens: 4096, full_every: 2 }, ..gemma(46, 4608, 36_864, 32, 16, 128, 256_000) };
    "gemma3-27b", "Gemma 3 27B",
        "https://huggingface.co/google/gemma-3-27b-pt/blob/main/config.json (text model); https://arxiv.org/abs/2503.19786",
        Model { window: Window { tokens: 1024, full_every: 6 }, ..gemma(62, 5376, 21_504, 32, 16, 128, 262_208) };
    "olmo2-7b", "OLMo 2 7B",
        "https://huggingface.co/allenai/OLMo-2-1124-7B/blob/main/config.json; https://arxiv.org/abs/2501.00656",
        llama(32, 4096, 11_008, 32, 32, 100_352);
    "olmo2-32b", "OLMo 2 32B",
        "https://huggingface.co/allenai/OLMo-2-0325-32B/blob/main/config.json; https://arxiv.org/abs/2501.00656",
        llama(64, 5120, 27_648, 40, 8, 100_352);
    "phi4-14b", "Phi-4 14B",
        "https://huggingface.co/microsoft/phi-4/blob/main/config.json; https://arxiv.org/abs/2412.08905",
        llama(40, 5120, 17_920, 40, 10, 100_352);
    "bert-large", "BERT large",
        "https://huggingface.co/google-bert/bert-large-uncased/blob/main/config.json; https://arxiv.org/abs/1810.04805",
        Model { causal: false, ..gpt(24, 1024, 16, 30_522, 512) };
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
