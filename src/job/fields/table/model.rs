//! Fields of the model.

use super::choices::{self, activation, bias, model_code, norm};
use super::{Field, FieldGroup, FieldKind, Row, Value};
use crate::scenario::model::{Positions, presets};

/// Rows of a learned position table until the user says otherwise.
const DEFAULT_POSITION_ROWS: u32 = 2048;

/// A field in which the suffix `k` stands for 1,000.
const fn in_thousands((field, help): Row) -> Row {
    (Field { kilo: 1000.0, ..field }, help)
}

pub(super) const FIELDS: &[Row] = &[
    (
        Field {
            key: "m",
            label: "Model",
            unit: "",
            group: FieldGroup::Model,
            kind: FieldKind::Choice(choices::MODEL_PRESETS),
            kilo: 1000.0,
            get: |scenario| Value::Choice(presets::name_of(&scenario.model).unwrap_or(choices::CUSTOM)),
            set: |scenario, value| {
                if let Value::Choice(name) = value
                    && let Some(preset) = presets::find(name)
                {
                    scenario.model = preset.model;
                }
            },
        },
        "Published model. Selecting a model sets the fields below, which you can then edit.",
    ),
    integer!(
        "layers",
        "Layers",
        "layers",
        Model,
        1..=4096,
        model.layers,
        "Number of transformer blocks, each with attention and a feed-forward part."
    ),
    integer!(
        "hidden",
        "Hidden size",
        "",
        Model,
        8..=1_048_576,
        model.hidden,
        "Dimension of the residual stream."
    ),
    integer!(
        "ffn",
        "Feed-forward size",
        "",
        Model,
        8..=4_194_304,
        model.ffn,
        "Intermediate size of the feed-forward layer (size of one branch if gated)."
    ),
    integer!(
        "heads",
        "Attention heads",
        "heads",
        Model,
        1..=4096,
        model.heads,
        "Number of query heads. The number must be divisible by TP."
    ),
    integer!(
        "kv",
        "Key/value heads",
        "heads",
        Model,
        1..=4096,
        model.kv_heads,
        "Number of key/value heads: equal to the attention heads (multi-head attention), fewer (grouped-query attention), or 1 (multi-query attention)."
    ),
    integer!(
        "dh",
        "Head dimension",
        "",
        Model,
        1..=4096,
        model.head_dim,
        "Dimension of each head, usually the hidden size divided by the number of heads. Kernels are fastest at 64, 128 and 256."
    ),
    in_thousands(integer!(
        "vocab",
        "Vocabulary",
        "tokens",
        Model,
        1..=16_777_216,
        model.vocabulary,
        "Number of tokens in the vocabulary. Like Megatron, the forecast pads this number to a multiple of 128 × TP."
    )),
    flag!(
        "gated",
        "Gated feed-forward",
        Model,
        model.gated_mlp,
        "Gated feed-forward layer (SwiGLU, GeGLU) with three weight matrices instead of two."
    ),
    choice!(
        "act",
        "Activation function",
        Model,
        activation,
        model.activation,
        "Activation function of the feed-forward layer, or of the gate if gated: SiLU in Llama, GELU in GPT-2 and Gemma, squared ReLU in Nemotron."
    ),
    flag!(
        "tied",
        "Tied embeddings",
        Model,
        model.tied_embeddings,
        "The LM head shares its weights with the input embedding. With PP, the first and last stage all-reduce the gradients of the shared weights."
    ),
    choice!(
        "bias",
        "Biases",
        Model,
        bias,
        model.bias,
        "Linear layers that have a bias: none in Llama; query, key and value in Qwen2; all in GPT-2."
    ),
    choice!(
        "norm",
        "Normalisation",
        Model,
        norm,
        model.norm,
        "RMSNorm has a weight per channel; LayerNorm also has a bias per channel."
    ),
    flag!(
        "qkn",
        "Query and key norm",
        Model,
        model.query_key_norm,
        "Normalisation of queries and keys (QK norm), as in Qwen3, Gemma 3 and OLMo 2. Plain PyTorch runs this norm unfused."
    ),
    (
        Field {
            key: "pos",
            label: "Position embedding",
            unit: "",
            group: FieldGroup::Model,
            kind: FieldKind::Choice(choices::POSITIONS),
            kilo: 1000.0,
            get: |scenario| {
                Value::Choice(match scenario.model.positions {
                    Positions::Learned(_) => "learned",
                    Positions::Rotary => "rotary",
                    Positions::Alibi => "alibi",
                })
            },
            set: |scenario, value| {
                scenario.model.positions = match (value, scenario.model.positions) {
                    (Value::Choice("rotary"), _) => Positions::Rotary,
                    (Value::Choice("alibi"), _) => Positions::Alibi,
                    (Value::Choice("learned"), Positions::Rotary | Positions::Alibi) => {
                        Positions::Learned(DEFAULT_POSITION_ROWS)
                    }
                    (_, unchanged) => unchanged,
                }
            },
        },
        "Position encoding: rotary (RoPE), a learned table, or a bias on the attention scores (ALiBi).",
    ),
    choice!(
        "code",
        "Model implementation",
        Model,
        model_code,
        model.code,
        "Model code in plain PyTorch. GPT-2 code has a fused QKV projection, dropout and a loss on 16-bit logits. torchtitan's Llama code applies RoPE with complex numbers."
    ),
    (
        Field {
            key: "ctx",
            label: "Position table size",
            unit: "rows",
            group: FieldGroup::Model,
            kind: FieldKind::Integer { min: 1, max: 16_777_216 },
            kilo: 1024.0,
            get: |scenario| {
                Value::Integer(match scenario.model.positions {
                    Positions::Learned(rows) => rows,
                    Positions::Rotary | Positions::Alibi => DEFAULT_POSITION_ROWS,
                })
            },
            set: |scenario, value| {
                if let (Value::Integer(rows), Positions::Learned(_)) = (value, scenario.model.positions) {
                    scenario.model.positions = Positions::Learned(rows);
                }
            },
        },
        "Number of rows of the learned position table, which is the maximum sequence length. Only with learned positions.",
    ),
    integer!(
        "moe",
        "Routed experts",
        "per layer",
        Model,
        0..=65_536,
        model.experts.count,
        "Number of routed experts per mixture-of-experts layer. 0 for a dense model."
    ),
    integer!(
        "topk",
        "Experts per token",
        "",
        Model,
        1..=1024,
        model.experts.top_k,
        "Number of routed experts that process each token (top-k)."
    ),
    integer!(
        "effn",
        "Expert feed-forward size",
        "",
        Model,
        0..=1_048_576,
        model.experts.ffn,
        "Intermediate size of one expert, routed or shared."
    ),
    integer!(
        "shared",
        "Shared experts",
        "per layer",
        Model,
        0..=1024,
        model.experts.shared,
        "Number of experts that process every token, in addition to the routed experts."
    ),
    integer!(
        "lead",
        "Leading dense layers",
        "layers",
        Model,
        0..=4096,
        model.experts.leading_dense,
        "Number of layers at the start of the model that have a dense feed-forward layer instead of experts."
    ),
    integer!(
        "every",
        "Experts every n-th layer",
        "layers",
        Model,
        1..=4096,
        model.experts.every,
        "After the leading dense layers: 1 if every layer has experts; 2 if every second layer has experts."
    ),
    integer!(
        "kvrank",
        "KV LoRA rank (MLA)",
        "",
        Model,
        0..=1_048_576,
        model.latent.kv_rank,
        "Rank of the key/value projection of multi-head latent attention (kv_lora_rank). 0 without MLA."
    ),
    integer!(
        "qrank",
        "Query LoRA rank (MLA)",
        "",
        Model,
        0..=1_048_576,
        model.latent.query_rank,
        "Rank of the low-rank query projection (q_lora_rank). 0 for a full-rank projection. Only with a KV or output LoRA rank."
    ),
    integer!(
        "nope",
        "Non-rotary head dimension (MLA)",
        "",
        Model,
        0..=4096,
        model.latent.plain_dim,
        "Dimension of each query and key head without RoPE (qk_nope_head_dim). Only with MLA."
    ),
    integer!(
        "rope",
        "Rotary head dimension (MLA)",
        "",
        Model,
        0..=4096,
        model.latent.rotary_dim,
        "Dimension of each query and key head with RoPE (qk_rope_head_dim). All heads share this part of the key. Only with MLA."
    ),
    integer!(
        "vdim",
        "Value head dimension (MLA)",
        "",
        Model,
        0..=4096,
        model.latent.value_dim,
        "Value dimension of each head (v_head_dim). Only with MLA."
    ),
];
