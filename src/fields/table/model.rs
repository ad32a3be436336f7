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
        "A published transformer. Choosing one fills in the fields below; each can then be edited.",
    ),
    integer!(
        "layers",
        "Layers",
        "layers",
        Model,
        1..=4096,
        model.layers,
        "Transformer blocks, each with one attention and one feed-forward part."
    ),
    integer!(
        "hidden",
        "Hidden size",
        "",
        Model,
        8..=1_048_576,
        model.hidden,
        "Width of the residual stream."
    ),
    integer!(
        "ffn",
        "Feed-forward size",
        "",
        Model,
        8..=4_194_304,
        model.ffn,
        "Width inside the feed-forward layer; of one branch when it is gated."
    ),
    integer!(
        "heads",
        "Attention heads",
        "heads",
        Model,
        1..=4096,
        model.heads,
        "Query heads. Tensor parallelism splits them, so its degree has to divide this number."
    ),
    integer!(
        "kv",
        "Key/value heads",
        "heads",
        Model,
        1..=4096,
        model.kv_heads,
        "As many as there are heads for multi-head attention, fewer for grouped-query attention, 1 for multi-query."
    ),
    integer!(
        "dh",
        "Head dimension",
        "",
        Model,
        1..=4096,
        model.head_dim,
        "Width of one head, usually the hidden size over the heads. Kernels are fastest at 64, 128 and 256."
    ),
    in_thousands(integer!(
        "vocab",
        "Vocabulary",
        "tokens",
        Model,
        1..=16_777_216,
        model.vocabulary,
        "Entries of the tokenizer. It is padded to a multiple of 128 times the tensor-parallel degree, as Megatron does."
    )),
    flag!(
        "gated",
        "Gated feed-forward",
        Model,
        model.gated_mlp,
        "Two up-projections, one of which gates the other (SwiGLU, GeGLU), so three matrices instead of two."
    ),
    choice!(
        "act",
        "Activation",
        Model,
        activation,
        model.activation,
        "Activation of the feed-forward part, of the gate where there is one: SiLU in Llama, GELU in GPT-2 and Gemma, squared ReLU in Nemotron."
    ),
    flag!(
        "tied",
        "Tied embeddings",
        Model,
        model.tied_embeddings,
        "The LM head uses the input embedding's weights. With pipeline parallelism their gradients are then summed between the first and the last stage."
    ),
    choice!(
        "bias",
        "Biases",
        Model,
        bias,
        model.bias,
        "Which linear layers add a bias vector: none in Llama, query, key and value in Qwen2, all in GPT-2."
    ),
    choice!(
        "norm",
        "Normalisation",
        Model,
        norm,
        model.norm,
        "RMSNorm has a weight per channel; LayerNorm has a bias as well."
    ),
    flag!(
        "qkn",
        "Query and key norm",
        Model,
        model.query_key_norm,
        "Queries and keys pass through a norm of their own (QK norm), as in Qwen3, Gemma 3 and OLMo 2. Plain PyTorch runs it operation by operation."
    ),
    (
        Field {
            key: "pos",
            label: "Positions",
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
        "How a token's position enters: rotated into queries and keys, looked up in a learned table, or as a bias on the scores.",
    ),
    choice!(
        "code",
        "Modelling code",
        Model,
        model_code,
        model.code,
        "Whose modules plain PyTorch runs. GPT-2's have one projection for queries, keys and values, dropout, and a loss of 16-bit logits; torchtitan rotates Llama's queries and keys as complex numbers."
    ),
    (
        Field {
            key: "ctx",
            label: "Position table",
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
        "Rows of the learned position table: the longest sequence the model can take. Only with learned positions.",
    ),
    integer!(
        "moe",
        "Routed experts",
        "per layer",
        Model,
        0..=65_536,
        model.experts.count,
        "Feed-forward networks of a mixture-of-experts layer, of which each token passes a few. 0 for a dense model."
    ),
    integer!(
        "topk",
        "Experts per token",
        "",
        Model,
        1..=1024,
        model.experts.top_k,
        "Routed experts that each token is sent to (top-k)."
    ),
    integer!(
        "effn",
        "Expert size",
        "",
        Model,
        0..=1_048_576,
        model.experts.ffn,
        "Feed-forward width of one expert, routed or shared."
    ),
    integer!(
        "shared",
        "Shared experts",
        "per layer",
        Model,
        0..=1024,
        model.experts.shared,
        "Experts that every token passes besides the routed ones."
    ),
    integer!(
        "lead",
        "Leading dense layers",
        "layers",
        Model,
        0..=4096,
        model.experts.leading_dense,
        "First layers that have one feed-forward network, of the feed-forward size, instead of experts."
    ),
    integer!(
        "every",
        "Experts in every n-th layer",
        "layers",
        Model,
        1..=4096,
        model.experts.every,
        "1 where all layers after the leading ones hold experts, 2 where every other one does."
    ),
    integer!(
        "kvrank",
        "Key/value latent",
        "",
        Model,
        0..=1_048_576,
        model.latent.kv_rank,
        "Width of the latent that keys and values are projected from (multi-head latent attention). 0 without one."
    ),
    integer!(
        "qrank",
        "Query latent",
        "",
        Model,
        0..=1_048_576,
        model.latent.query_rank,
        "Width of the latent that queries are projected from; 0 where they are projected directly. Only with a latent of keys and values or of the output."
    ),
    integer!(
        "nope",
        "Head part without position",
        "",
        Model,
        0..=4096,
        model.latent.plain_dim,
        "Width of the part of each head's query and key that is not rotated. Only with a key/value latent."
    ),
    integer!(
        "rope",
        "Head part with position",
        "",
        Model,
        0..=4096,
        model.latent.rotary_dim,
        "Width of the rotated part, whose key all heads share. Only with a key/value latent."
    ),
    integer!(
        "vdim",
        "Value dimension",
        "",
        Model,
        0..=4096,
        model.latent.value_dim,
        "Width of each head's value. Only with a key/value latent."
    ),
];
