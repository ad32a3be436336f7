//! Fields of a model's layers: which is of which kind, and what they mix tokens by.

use super::choices::{self, uncounted};
use super::{Field, FieldGroup, FieldKind, Row, Value};
use crate::scenario::model::StateRule;

pub(super) const FIELDS: &[Row] = &[
    integer!(
        "window",
        "Attention window",
        "tokens",
        Model,
        0..=16_777_216,
        model.window.tokens,
        "Window size of sliding-window attention, in tokens. 0 if every layer has full attention."
    ),
    integer!(
        "wfull",
        "Full attention every n-th layer",
        "layers",
        Model,
        0..=4096,
        model.window.full_every,
        "Every n-th layer has full attention: 2 if windowed and full-attention layers alternate, 0 if all layers are windowed. Only with an attention window."
    ),
    (
        Field {
            key: "lay",
            label: "Layer pattern",
            unit: "",
            group: FieldGroup::Model,
            kind: FieldKind::Pattern,
            kilo: 1000.0,
            get: |scenario| Value::Pattern(scenario.model.pattern),
            set: |scenario, value| {
                if let Value::Pattern(pattern) = value {
                    scenario.model.pattern = pattern;
                }
            },
        },
        "One letter per layer; the pattern repeats over the model. Layers with a feed-forward part: a (attention), w (sliding-window attention), s (sparse attention to selected keys), t (sparse attention that reuses the keys selected by the previous layer), c (attention to compressed keys), n (attention to selected and compressed keys), r (recurrent mixer), p (attention in parallel with the recurrent mixer), x (cross-attention to the encoder's output), l (one matrix). z is a shared block of attention and feed-forward. Layers with one part: * (attention), M (recurrent mixer), - (feed-forward), E (experts). 3ra means rrra. \u{201c}a:8192~4,\u{201d} sets the feed-forward size (8192) and key/value heads (4) of one layer; \u{201c}a~0,\u{201d} reuses keys and values of an earlier layer. Leave empty to use the window and expert fields.",
    ),
    integer!(
        "blk",
        "Shared blocks",
        "blocks",
        Model,
        0..=4096,
        model.shared.count,
        "Number of weight blocks that are shared by several layers: 2 in Zamba2 7B (layers z of the pattern), 1 in ALBERT (all layers). The layers use the blocks in turn. 0 if no layers share weights."
    ),
    flag!(
        "blke",
        "Shared blocks read embeddings",
        Model,
        model.shared.reads_embeddings,
        "Attention in shared blocks reads the residual stream concatenated with the embeddings. Each layer that uses a shared block has a separate output projection (Zamba2)."
    ),
    integer!(
        "blkr",
        "Adapter rank of shared blocks",
        "",
        Model,
        0..=65_536,
        model.shared.adapter_rank,
        "Rank of the adapters on the up-projections of shared blocks: 128 in Zamba2. Each layer that uses a shared block has separate adapters. 0 without adapters."
    ),
    flag!(
        "blka",
        "Attention adapters of shared blocks",
        Model,
        model.shared.attention_adapters,
        "Layers that use a shared block also have adapters on the query, key and value projections."
    ),
    integer!(
        "sel",
        "Selected keys",
        "per query",
        Model,
        0..=16_777_216,
        model.sparse.selected,
        "Number of keys that each query attends to in sparse-attention layers: 2,048 in DeepSeek-V3.2. If queries select blocks, count all tokens of the blocks. 0 without sparse attention."
    ),
    integer!(
        "selt",
        "Tokens per selectable key",
        "tokens",
        Model,
        1..=65_536,
        model.sparse.stride,
        "Number of tokens that one selectable key represents: 1 if queries select individual tokens; 4 in DeepSeek-V4, which compresses tokens before the selection."
    ),
    integer!(
        "idxh",
        "Indexer heads",
        "heads",
        Model,
        0..=4096,
        model.sparse.index_heads,
        "Number of heads of the indexer, which scores all keys to select some of them. Every TP rank holds a copy of the indexer. 0 if the selection has no weights (MoBA)."
    ),
    integer!(
        "idxd",
        "Indexer head dimension",
        "",
        Model,
        0..=4096,
        model.sparse.index_dim,
        "Dimension of each indexer head."
    ),
    integer!(
        "cmp",
        "Compression ratio",
        "tokens",
        Model,
        0..=1_048_576,
        model.sparse.compression,
        "Number of tokens that are compressed into one key, in layers that attend to all compressed keys: 128 in DeepSeek-V4. 0 without compressed attention."
    ),
    integer!(
        "ple",
        "Embedding width of each layer",
        "",
        Model,
        0..=65_536,
        model.layer_embeddings.width,
        "Width of the per-layer embeddings, which are an additional input of every layer: 256 in Gemma 3n and Gemma 4 E2B. 0 without per-layer embeddings."
    ),
    integer!(
        "plev",
        "Vocabulary of layer embeddings",
        "tokens",
        Model,
        0..=16_777_216,
        model.layer_embeddings.vocabulary,
        "Number of rows in the per-layer embedding table. 0 if equal to the vocabulary size."
    ),
    (
        Field {
            key: "mix",
            label: "Recurrent mixer",
            unit: "",
            group: FieldGroup::Model,
            kind: FieldKind::Choice(choices::RULES),
            kilo: 1000.0,
            get: |scenario| Value::Choice(scenario.model.recurrent.rule.name()),
            set: |scenario, value| {
                if let Value::Choice(name) = value {
                    scenario.model.recurrent.rule = StateRule::from_name(name);
                }
            },
        },
        "Type of the recurrent mixer: Mamba, delta rule, linear attention or gated convolution. The layer pattern selects the layers with a recurrent mixer.",
    ),
    integer!(
        "mixh",
        "Mixer heads",
        "heads",
        Model,
        0..=65_536,
        model.recurrent.heads,
        "Number of heads of the recurrent mixer (number of value heads if the numbers of key and value heads differ). TP splits the heads."
    ),
    integer!(
        "mixk",
        "Mixer key heads",
        "heads",
        Model,
        0..=65_536,
        model.recurrent.key_heads,
        "Number of key and query heads of the recurrent mixer, or number of groups in Mamba-2."
    ),
    integer!(
        "mixs",
        "Mixer state size",
        "",
        Model,
        0..=4096,
        model.recurrent.key_dim,
        "Key dimension of each head of the recurrent mixer, or state size in Mamba."
    ),
    integer!(
        "mixd",
        "Mixer head dimension",
        "",
        Model,
        0..=65_536,
        model.recurrent.value_dim,
        "Value dimension of each head of the recurrent mixer."
    ),
    integer!(
        "conv",
        "Convolution kernel size",
        "tokens",
        Model,
        0..=64,
        model.recurrent.convolution,
        "Kernel size of the short convolution before the recurrent mixer. 0 without a convolution."
    ),
    integer!(
        "elat",
        "Expert latent size",
        "",
        Model,
        0..=1_048_576,
        model.experts.latent,
        "Dimension of the routed experts' input and output, if projections before and after the experts change the dimension. 0 without projections."
    ),
    integer!(
        "sffn",
        "Shared expert size",
        "",
        Model,
        0..=1_048_576,
        model.experts.shared_ffn,
        "Feed-forward size of one shared expert. 0 if equal to the size of a routed expert."
    ),
    integer!(
        "dv",
        "Head value dimension",
        "",
        Model,
        0..=4096,
        model.value_dim,
        "Value dimension of each attention head, if different from the head dimension (MiMo-V2). 0 if equal. Not supported with MLA."
    ),
    integer!(
        "fkv",
        "Key/value heads of full-attention layers",
        "heads",
        Model,
        0..=4096,
        model.full_heads.kv_heads,
        "Number of key/value heads in full-attention layers, if different from windowed layers (Gemma 4, MiMo-V2). 0 if all layers have the same number."
    ),
    integer!(
        "fdh",
        "Head dimension of full-attention layers",
        "",
        Model,
        0..=4096,
        model.full_heads.head_dim,
        "Head dimension in full-attention layers, if different from windowed layers (Gemma 4). 0 if all layers have the same head dimension."
    ),
    integer!(
        "orank",
        "Output LoRA rank",
        "",
        Model,
        0..=1_048_576,
        model.output_latent.rank,
        "Rank of the low-rank attention output projection of each group of heads (DeepSeek-V4). Requires a query LoRA rank. 0 for a full-rank output projection. Not supported with MLA."
    ),
    integer!(
        "ogrp",
        "Output groups",
        "groups",
        Model,
        1..=4096,
        model.output_latent.groups,
        "Number of head groups in the low-rank output projection. TP splits the groups."
    ),
    flag!(
        "kvs",
        "Shared keys and values",
        Model,
        model.keys_are_values,
        "One projection produces both keys and values, which are identical (DeepSeek-V4)."
    ),
    integer!(
        "hc",
        "Residual streams",
        "streams",
        Model,
        1..=64,
        model.streams,
        "Number of residual streams of hyper-connections: 4 in DeepSeek-V4. 1 without hyper-connections."
    ),
    flag!(
        "ogate",
        "Attention output gate",
        Model,
        model.output_gate,
        "An element-wise gate multiplies the attention output (Qwen3-Next, Qwen3.5). The query projection also computes the gate."
    ),
    integer!(
        "mtp",
        "MTP layers",
        "layers",
        Model,
        0..=64,
        model.prediction_layers,
        "Number of multi-token prediction layers. Each layer runs the LM head one more time."
    ),
    choice!(
        "unc",
        "Parts not modelled",
        Model,
        uncounted,
        model.uncounted.parts,
        "Parts of the model that the forecast excludes, such as the vision tower of a multimodal model. Imports set this field. Excluded parts widen the 90 % range."
    ),
    integer!(
        "uncp",
        "Parameters not modelled",
        "million",
        Model,
        0..=4_000_000_000,
        model.uncounted.millions,
        "Number of parameters in the parts that are not modelled. 0 if unknown."
    ),
    flag!(
        "causal",
        "Causal attention",
        Model,
        model.causal,
        "Causal attention mask: on for decoders, off for encoders."
    ),
];
