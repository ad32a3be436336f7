// Generated from data/models.tsv by `cargo xtask data`: change the table, not this file.

//! Published models.

use super::presets::ModelPreset;
use super::{Bias, Experts, Latent, Model, Norm, Positions, Window};

/// The shape of Llama-3 8B.
pub(crate) const LLAMA3_8B: Model = Model {
    layers: 32,
    hidden: 4096,
    ffn: 14336,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 128256,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llama-3 70B.
pub(crate) const LLAMA3_70B: Model = Model {
    layers: 80,
    hidden: 8192,
    ffn: 28672,
    heads: 64,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 128256,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llama-3.1 405B.
pub(crate) const LLAMA3_405B: Model = Model {
    layers: 126,
    hidden: 16384,
    ffn: 53248,
    heads: 128,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 128256,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llama-2 7B.
pub(crate) const LLAMA2_7B: Model = Model {
    layers: 32,
    hidden: 4096,
    ffn: 11008,
    heads: 32,
    kv_heads: 32,
    head_dim: 128,
    vocabulary: 32000,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llama-2 13B.
pub(crate) const LLAMA2_13B: Model = Model {
    layers: 40,
    hidden: 5120,
    ffn: 13824,
    heads: 40,
    kv_heads: 40,
    head_dim: 128,
    vocabulary: 32000,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llama-2 70B.
pub(crate) const LLAMA2_70B: Model = Model {
    layers: 80,
    hidden: 8192,
    ffn: 28672,
    heads: 64,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 32000,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llemma 7B.
pub(crate) const LLEMMA_7B: Model = Model {
    layers: 32,
    hidden: 4096,
    ffn: 11008,
    heads: 32,
    kv_heads: 32,
    head_dim: 128,
    vocabulary: 32016,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Mistral 7B.
pub(crate) const MISTRAL_7B: Model = Model {
    layers: 32,
    hidden: 4096,
    ffn: 14336,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 32000,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Qwen2.5 7B.
pub(crate) const QWEN2_5_7B: Model = Model {
    layers: 28,
    hidden: 3584,
    ffn: 18944,
    heads: 28,
    kv_heads: 4,
    head_dim: 128,
    vocabulary: 152064,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::Qkv,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Qwen2.5 32B.
pub(crate) const QWEN2_5_32B: Model = Model {
    layers: 64,
    hidden: 5120,
    ffn: 27648,
    heads: 40,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 152064,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::Qkv,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Qwen2.5 72B.
pub(crate) const QWEN2_5_72B: Model = Model {
    layers: 80,
    hidden: 8192,
    ffn: 29568,
    heads: 64,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 152064,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::Qkv,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Llama-4 Scout 109B-A17B.
pub(crate) const LLAMA4_SCOUT: Model = Model {
    layers: 48,
    hidden: 5120,
    ffn: 16384,
    heads: 40,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 202048,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 16, top_k: 1, ffn: 8192, shared: 1, leading_dense: 0, every: 1 },
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Llama-4 Maverick 400B-A17B.
pub(crate) const LLAMA4_MAVERICK: Model = Model {
    layers: 48,
    hidden: 5120,
    ffn: 16384,
    heads: 40,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 202048,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 128, top_k: 1, ffn: 8192, shared: 1, leading_dense: 0, every: 2 },
    ..Model::DENSE
};

/// The shape of Mixtral 8x7B.
pub(crate) const MIXTRAL_8X7B: Model = Model {
    layers: 32,
    hidden: 4096,
    ffn: 14336,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 32000,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 8, top_k: 2, ffn: 14336, shared: 0, leading_dense: 0, every: 1 },
    ..Model::DENSE
};

/// The shape of Mixtral 8x22B.
pub(crate) const MIXTRAL_8X22B: Model = Model {
    layers: 56,
    hidden: 6144,
    ffn: 16384,
    heads: 48,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 32768,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 8, top_k: 2, ffn: 16384, shared: 0, leading_dense: 0, every: 1 },
    ..Model::DENSE
};

/// The shape of Qwen3 8B.
pub(crate) const QWEN3_8B: Model = Model {
    layers: 36,
    hidden: 4096,
    ffn: 12288,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 151936,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Qwen3 14B.
pub(crate) const QWEN3_14B: Model = Model {
    layers: 40,
    hidden: 5120,
    ffn: 17408,
    heads: 40,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 151936,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Qwen3 32B.
pub(crate) const QWEN3_32B: Model = Model {
    layers: 64,
    hidden: 5120,
    ffn: 25600,
    heads: 64,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 151936,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Qwen3 30B-A3B.
pub(crate) const QWEN3_30B_A3B: Model = Model {
    layers: 48,
    hidden: 2048,
    ffn: 768,
    heads: 32,
    kv_heads: 4,
    head_dim: 128,
    vocabulary: 151936,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 128, top_k: 8, ffn: 768, shared: 0, leading_dense: 0, every: 1 },
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Qwen3 235B-A22B.
pub(crate) const QWEN3_235B_A22B: Model = Model {
    layers: 94,
    hidden: 4096,
    ffn: 1536,
    heads: 64,
    kv_heads: 4,
    head_dim: 128,
    vocabulary: 151936,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 128, top_k: 8, ffn: 1536, shared: 0, leading_dense: 0, every: 1 },
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of GPT-OSS 20B.
pub(crate) const GPT_OSS_20B: Model = Model {
    layers: 24,
    hidden: 2880,
    ffn: 2880,
    heads: 64,
    kv_heads: 8,
    head_dim: 64,
    vocabulary: 201088,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::All,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 32, top_k: 4, ffn: 2880, shared: 0, leading_dense: 0, every: 1 },
    window: Window { tokens: 128, full_every: 2 },
    ..Model::DENSE
};

/// The shape of GPT-OSS 120B.
pub(crate) const GPT_OSS_120B: Model = Model {
    layers: 36,
    hidden: 2880,
    ffn: 2880,
    heads: 64,
    kv_heads: 8,
    head_dim: 64,
    vocabulary: 201088,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::All,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 128, top_k: 4, ffn: 2880, shared: 0, leading_dense: 0, every: 1 },
    window: Window { tokens: 128, full_every: 2 },
    ..Model::DENSE
};

/// The shape of DeepSeek-V2 Lite 16B-A2.4B.
pub(crate) const DEEPSEEK_V2_LITE: Model = Model {
    layers: 27,
    hidden: 2048,
    ffn: 10944,
    heads: 16,
    kv_heads: 16,
    head_dim: 128,
    vocabulary: 102400,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 64, top_k: 6, ffn: 1408, shared: 2, leading_dense: 1, every: 1 },
    latent: Latent { kv_rank: 512, query_rank: 0, plain_dim: 128, rotary_dim: 64, value_dim: 128 },
    ..Model::DENSE
};

/// The shape of DeepSeek-V2 236B-A21B.
pub(crate) const DEEPSEEK_V2: Model = Model {
    layers: 60,
    hidden: 5120,
    ffn: 12288,
    heads: 128,
    kv_heads: 128,
    head_dim: 128,
    vocabulary: 102400,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 160, top_k: 6, ffn: 1536, shared: 2, leading_dense: 1, every: 1 },
    latent: Latent { kv_rank: 512, query_rank: 1536, plain_dim: 128, rotary_dim: 64, value_dim: 128 },
    ..Model::DENSE
};

/// The shape of DeepSeek-V3 671B-A37B.
pub(crate) const DEEPSEEK_V3: Model = Model {
    layers: 61,
    hidden: 7168,
    ffn: 18432,
    heads: 128,
    kv_heads: 128,
    head_dim: 128,
    vocabulary: 129280,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 256, top_k: 8, ffn: 2048, shared: 1, leading_dense: 3, every: 1 },
    latent: Latent { kv_rank: 512, query_rank: 1536, plain_dim: 128, rotary_dim: 64, value_dim: 128 },
    prediction_layers: 1,
    ..Model::DENSE
};

/// The shape of Kimi K2 1T-A32B.
pub(crate) const KIMI_K2: Model = Model {
    layers: 61,
    hidden: 7168,
    ffn: 18432,
    heads: 64,
    kv_heads: 64,
    head_dim: 128,
    vocabulary: 163840,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 384, top_k: 8, ffn: 2048, shared: 1, leading_dense: 1, every: 1 },
    latent: Latent { kv_rank: 512, query_rank: 1536, plain_dim: 128, rotary_dim: 64, value_dim: 128 },
    ..Model::DENSE
};

/// The shape of GLM-4.5 355B-A32B.
pub(crate) const GLM_4_5: Model = Model {
    layers: 92,
    hidden: 5120,
    ffn: 12288,
    heads: 96,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 151552,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::Qkv,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 160, top_k: 8, ffn: 1536, shared: 1, leading_dense: 3, every: 1 },
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Grok-1 314B.
pub(crate) const GROK_1: Model = Model {
    layers: 64,
    hidden: 6144,
    ffn: 32768,
    heads: 48,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 131072,
    gated_mlp: true,
    tied_embeddings: true,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    experts: Experts { count: 8, top_k: 2, ffn: 32768, shared: 0, leading_dense: 0, every: 1 },
    ..Model::DENSE
};

/// The shape of Gemma 2 9B.
pub(crate) const GEMMA2_9B: Model = Model {
    layers: 42,
    hidden: 3584,
    ffn: 14336,
    heads: 16,
    kv_heads: 8,
    head_dim: 256,
    vocabulary: 256000,
    gated_mlp: true,
    tied_embeddings: true,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    window: Window { tokens: 4096, full_every: 2 },
    ..Model::DENSE
};

/// The shape of Gemma 2 27B.
pub(crate) const GEMMA2_27B: Model = Model {
    layers: 46,
    hidden: 4608,
    ffn: 36864,
    heads: 32,
    kv_heads: 16,
    head_dim: 128,
    vocabulary: 256000,
    gated_mlp: true,
    tied_embeddings: true,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    window: Window { tokens: 4096, full_every: 2 },
    ..Model::DENSE
};

/// The shape of Gemma 3 27B.
pub(crate) const GEMMA3_27B: Model = Model {
    layers: 62,
    hidden: 5376,
    ffn: 21504,
    heads: 32,
    kv_heads: 16,
    head_dim: 128,
    vocabulary: 262208,
    gated_mlp: true,
    tied_embeddings: true,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    window: Window { tokens: 1024, full_every: 6 },
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of OLMo 2 7B.
pub(crate) const OLMO2_7B: Model = Model {
    layers: 32,
    hidden: 4096,
    ffn: 11008,
    heads: 32,
    kv_heads: 32,
    head_dim: 128,
    vocabulary: 100352,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of OLMo 2 32B.
pub(crate) const OLMO2_32B: Model = Model {
    layers: 64,
    hidden: 5120,
    ffn: 27648,
    heads: 40,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 100352,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    query_key_norm: true,
    ..Model::DENSE
};

/// The shape of Phi-4 14B.
pub(crate) const PHI4_14B: Model = Model {
    layers: 40,
    hidden: 5120,
    ffn: 17920,
    heads: 40,
    kv_heads: 10,
    head_dim: 128,
    vocabulary: 100352,
    gated_mlp: true,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Rms,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of BERT large.
pub(crate) const BERT_LARGE: Model = Model {
    layers: 24,
    hidden: 1024,
    ffn: 4096,
    heads: 16,
    kv_heads: 16,
    head_dim: 64,
    vocabulary: 30522,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(512),
    causal: false,
    ..Model::DENSE
};

/// The shape of Nemotron-4 15B.
pub(crate) const NEMOTRON4_15B: Model = Model {
    layers: 32,
    hidden: 6144,
    ffn: 24576,
    heads: 48,
    kv_heads: 8,
    head_dim: 128,
    vocabulary: 256000,
    gated_mlp: false,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Layer,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of Nemotron-4 340B.
pub(crate) const NEMOTRON4_340B: Model = Model {
    layers: 96,
    hidden: 18432,
    ffn: 73728,
    heads: 96,
    kv_heads: 8,
    head_dim: 192,
    vocabulary: 256000,
    gated_mlp: false,
    tied_embeddings: false,
    bias: Bias::None,
    norm: Norm::Layer,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of GPT-NeoX 20B.
pub(crate) const GPT_NEOX_20B: Model = Model {
    layers: 44,
    hidden: 6144,
    ffn: 24576,
    heads: 64,
    kv_heads: 64,
    head_dim: 96,
    vocabulary: 50432,
    gated_mlp: false,
    tied_embeddings: false,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Rotary,
    ..Model::DENSE
};

/// The shape of GPT-2 1.5B.
pub(crate) const GPT2_1_5B: Model = Model {
    layers: 48,
    hidden: 1600,
    ffn: 6400,
    heads: 25,
    kv_heads: 25,
    head_dim: 64,
    vocabulary: 50257,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(1024),
    ..Model::DENSE
};

/// The shape of GPT-3 175B.
pub(crate) const GPT3_175B: Model = Model {
    layers: 96,
    hidden: 12288,
    ffn: 49152,
    heads: 96,
    kv_heads: 96,
    head_dim: 128,
    vocabulary: 50257,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(2048),
    ..Model::DENSE
};

/// The shape of Megatron 22B.
pub(crate) const MEGATRON_22B: Model = Model {
    layers: 48,
    hidden: 6144,
    ffn: 24576,
    heads: 64,
    kv_heads: 64,
    head_dim: 96,
    vocabulary: 51200,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(2048),
    ..Model::DENSE
};

/// The shape of Megatron 175B.
pub(crate) const MEGATRON_175B: Model = Model {
    layers: 96,
    hidden: 12288,
    ffn: 49152,
    heads: 96,
    kv_heads: 96,
    head_dim: 128,
    vocabulary: 51200,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(2048),
    ..Model::DENSE
};

/// The shape of Megatron 530B.
pub(crate) const MEGATRON_530B: Model = Model {
    layers: 105,
    hidden: 20480,
    ffn: 81920,
    heads: 128,
    kv_heads: 128,
    head_dim: 160,
    vocabulary: 51200,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(2048),
    ..Model::DENSE
};

/// The shape of Megatron 1T.
pub(crate) const MEGATRON_1T: Model = Model {
    layers: 128,
    hidden: 25600,
    ffn: 102400,
    heads: 160,
    kv_heads: 160,
    head_dim: 160,
    vocabulary: 51200,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(2048),
    ..Model::DENSE
};

/// The shape of APNet'24 GPT 1.5B.
pub(crate) const APNET24_GPT_1_5B: Model = Model {
    layers: 48,
    hidden: 1600,
    ffn: 6400,
    heads: 16,
    kv_heads: 16,
    head_dim: 100,
    vocabulary: 50257,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(1024),
    ..Model::DENSE
};

/// The shape of APNet'24 GPT 3B.
pub(crate) const APNET24_GPT_3B: Model = Model {
    layers: 54,
    hidden: 2000,
    ffn: 8000,
    heads: 20,
    kv_heads: 20,
    head_dim: 100,
    vocabulary: 50257,
    gated_mlp: false,
    tied_embeddings: true,
    bias: Bias::All,
    norm: Norm::Layer,
    positions: Positions::Learned(1024),
    ..Model::DENSE
};

/// Every model, by family and size.
pub static MODELS: &[ModelPreset] = &[
    ModelPreset { name: "llama3-8b", label: "Llama-3 8B", model: LLAMA3_8B },
    ModelPreset { name: "llama3-70b", label: "Llama-3 70B", model: LLAMA3_70B },
    ModelPreset { name: "llama3-405b", label: "Llama-3.1 405B", model: LLAMA3_405B },
    ModelPreset { name: "llama2-7b", label: "Llama-2 7B", model: LLAMA2_7B },
    ModelPreset { name: "llama2-13b", label: "Llama-2 13B", model: LLAMA2_13B },
    ModelPreset { name: "llama2-70b", label: "Llama-2 70B", model: LLAMA2_70B },
    ModelPreset { name: "llemma-7b", label: "Llemma 7B", model: LLEMMA_7B },
    ModelPreset { name: "mistral-7b", label: "Mistral 7B", model: MISTRAL_7B },
    ModelPreset { name: "qwen2.5-7b", label: "Qwen2.5 7B", model: QWEN2_5_7B },
    ModelPreset { name: "qwen2.5-32b", label: "Qwen2.5 32B", model: QWEN2_5_32B },
    ModelPreset { name: "qwen2.5-72b", label: "Qwen2.5 72B", model: QWEN2_5_72B },
    ModelPreset { name: "llama4-scout", label: "Llama-4 Scout 109B-A17B", model: LLAMA4_SCOUT },
    ModelPreset { name: "llama4-maverick", label: "Llama-4 Maverick 400B-A17B", model: LLAMA4_MAVERICK },
    ModelPreset { name: "mixtral-8x7b", label: "Mixtral 8x7B", model: MIXTRAL_8X7B },
    ModelPreset { name: "mixtral-8x22b", label: "Mixtral 8x22B", model: MIXTRAL_8X22B },
    ModelPreset { name: "qwen3-8b", label: "Qwen3 8B", model: QWEN3_8B },
    ModelPreset { name: "qwen3-14b", label: "Qwen3 14B", model: QWEN3_14B },
    ModelPreset { name: "qwen3-32b", label: "Qwen3 32B", model: QWEN3_32B },
    ModelPreset { name: "qwen3-30b-a3b", label: "Qwen3 30B-A3B", model: QWEN3_30B_A3B },
    ModelPreset { name: "qwen3-235b-a22b", label: "Qwen3 235B-A22B", model: QWEN3_235B_A22B },
    ModelPreset { name: "gpt-oss-20b", label: "GPT-OSS 20B", model: GPT_OSS_20B },
    ModelPreset { name: "gpt-oss-120b", label: "GPT-OSS 120B", model: GPT_OSS_120B },
    ModelPreset { name: "deepseek-v2-lite", label: "DeepSeek-V2 Lite 16B-A2.4B", model: DEEPSEEK_V2_LITE },
    ModelPreset { name: "deepseek-v2", label: "DeepSeek-V2 236B-A21B", model: DEEPSEEK_V2 },
    ModelPreset { name: "deepseek-v3", label: "DeepSeek-V3 671B-A37B", model: DEEPSEEK_V3 },
    ModelPreset { name: "kimi-k2", label: "Kimi K2 1T-A32B", model: KIMI_K2 },
    ModelPreset { name: "glm-4.5", label: "GLM-4.5 355B-A32B", model: GLM_4_5 },
    ModelPreset { name: "grok-1", label: "Grok-1 314B", model: GROK_1 },
    ModelPreset { name: "gemma2-9b", label: "Gemma 2 9B", model: GEMMA2_9B },
    ModelPreset { name: "gemma2-27b", label: "Gemma 2 27B", model: GEMMA2_27B },
    ModelPreset { name: "gemma3-27b", label: "Gemma 3 27B", model: GEMMA3_27B },
    ModelPreset { name: "olmo2-7b", label: "OLMo 2 7B", model: OLMO2_7B },
    ModelPreset { name: "olmo2-32b", label: "OLMo 2 32B", model: OLMO2_32B },
    ModelPreset { name: "phi4-14b", label: "Phi-4 14B", model: PHI4_14B },
    ModelPreset { name: "bert-large", label: "BERT large", model: BERT_LARGE },
    ModelPreset { name: "nemotron4-15b", label: "Nemotron-4 15B", model: NEMOTRON4_15B },
    ModelPreset { name: "nemotron4-340b", label: "Nemotron-4 340B", model: NEMOTRON4_340B },
    ModelPreset { name: "gpt-neox-20b", label: "GPT-NeoX 20B", model: GPT_NEOX_20B },
    ModelPreset { name: "gpt2-1.5b", label: "GPT-2 1.5B", model: GPT2_1_5B },
    ModelPreset { name: "gpt3-175b", label: "GPT-3 175B", model: GPT3_175B },
    ModelPreset { name: "megatron-22b", label: "Megatron 22B", model: MEGATRON_22B },
    ModelPreset { name: "megatron-175b", label: "Megatron 175B", model: MEGATRON_175B },
    ModelPreset { name: "megatron-530b", label: "Megatron 530B", model: MEGATRON_530B },
    ModelPreset { name: "megatron-1t", label: "Megatron 1T", model: MEGATRON_1T },
    ModelPreset { name: "apnet24-gpt-1.5b", label: "APNet'24 GPT 1.5B", model: APNET24_GPT_1_5B },
    ModelPreset { name: "apnet24-gpt-3b", label: "APNet'24 GPT 3B", model: APNET24_GPT_3B },
];
