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
        "Tokens that a token sees in layers with sliding-window attention. 0 where every layer sees all of them."
    ),
    integer!(
        "wfull",
        "Full attention in every n-th layer",
        "layers",
        Model,
        0..=4096,
        model.window.full_every,
        "2 where windowed and full layers alternate, 0 where all are windowed. Only with a window."
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
        "A letter a layer, repeated over the model, where layers differ: a attention, w attention to a window, s attention to selected keys, t by the selection of the layer before, c to compressed keys, n to both, r the recurrent mixer, p attention beside it, l a matrix, each with a feed-forward part; z a shared block of attention and feed-forward part; * and M attention and the recurrent mixer alone, - and E a feed-forward part and experts alone. 3ra is rrra. a:8192~4, has a feed-forward size of 8192 and 4 key/value heads instead of the model's; a~0, keys and values of an earlier layer. Empty where windows and experts say which layer is what.",
    ),
    integer!(
        "blk",
        "Shared blocks",
        "blocks",
        Model,
        0..=4096,
        model.shared.count,
        "Distinct blocks of weights that several layers use in turn: 2 in Zamba2 7B for the layers z of its pattern, 1 in ALBERT for all layers. 0 if every layer has weights of its own."
    ),
    flag!(
        "blke",
        "Shared blocks read embeddings",
        Model,
        model.shared.reads_embeddings,
        "Attention of shared blocks reads the residual stream and the embeddings side by side, and each use projects the block's output with a matrix of its own (Zamba2)."
    ),
    integer!(
        "blkr",
        "Adapter rank of shared blocks",
        "",
        Model,
        0..=65_536,
        model.shared.adapter_rank,
        "Rank of low-rank matrices that each use of a shared block has of its own beside the up-projections: 128 in Zamba2. 0 without."
    ),
    flag!(
        "blka",
        "Attention adapters of shared blocks",
        Model,
        model.shared.attention_adapters,
        "Queries, keys and values of shared blocks have low-rank matrices of each use, too."
    ),
    integer!(
        "sel",
        "Selected keys",
        "per query",
        Model,
        0..=16_777_216,
        model.sparse.selected,
        "Keys that each query attends to in layers of sparse attention: 2,048 in DeepSeek-V3.2. Blocks count with all their tokens. 0 where no layer selects keys."
    ),
    integer!(
        "selt",
        "Tokens per selectable key",
        "tokens",
        Model,
        1..=65_536,
        model.sparse.stride,
        "1 where queries select among the tokens themselves, more where tokens are compressed before: 4 in DeepSeek-V4."
    ),
    integer!(
        "idxh",
        "Indexer heads",
        "heads",
        Model,
        0..=4096,
        model.sparse.index_heads,
        "Heads of the indexer that scores all keys before the selection. Every tensor-parallel rank has all of them. 0 where the selection has no weights, as in MoBA."
    ),
    integer!(
        "idxd",
        "Indexer head dimension",
        "",
        Model,
        0..=4096,
        model.sparse.index_dim,
        "Width of the indexer's heads."
    ),
    integer!(
        "cmp",
        "Compression",
        "tokens",
        Model,
        0..=1_048_576,
        model.sparse.compression,
        "Tokens per compressed key in layers that attend to all compressed keys: 128 in DeepSeek-V4. 0 where no layer does."
    ),
    integer!(
        "ple",
        "Embedding width of each layer",
        "",
        Model,
        0..=65_536,
        model.layer_embeddings.width,
        "Width of embeddings that every layer reads in addition to the residual stream (per-layer embeddings): 256 in Gemma 3n and Gemma 4 E2B. 0 without."
    ),
    integer!(
        "plev",
        "Vocabulary of layer embeddings",
        "tokens",
        Model,
        0..=16_777_216,
        model.layer_embeddings.vocabulary,
        "Rows of the table of per-layer embeddings. 0 if equal to the vocabulary."
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
        "What carries a state from token to token in the layers that the pattern gives it: Mamba, a delta rule, linear attention, a gated convolution.",
    ),
    integer!(
        "mixh",
        "Mixer heads",
        "heads",
        Model,
        0..=65_536,
        model.recurrent.heads,
        "Heads of the recurrent mixer (value heads, where keys have fewer). Tensor parallelism splits them."
    ),
    integer!(
        "mixk",
        "Mixer key heads",
        "heads",
        Model,
        0..=65_536,
        model.recurrent.key_heads,
        "Heads of its keys and queries; groups that share input and output matrices in Mamba-2."
    ),
    integer!(
        "mixs",
        "Mixer state",
        "",
        Model,
        0..=4096,
        model.recurrent.key_dim,
        "Width of one of its keys; the state size of Mamba."
    ),
    integer!(
        "mixd",
        "Mixer head dimension",
        "",
        Model,
        0..=65_536,
        model.recurrent.value_dim,
        "Width of one of its heads' values."
    ),
    integer!(
        "conv",
        "Convolution taps",
        "tokens",
        Model,
        0..=64,
        model.recurrent.convolution,
        "Tokens that the short convolution before the mixer sees. 0 without one."
    ),
    integer!(
        "elat",
        "Expert latent",
        "",
        Model,
        0..=1_048_576,
        model.experts.latent,
        "Width that tokens are projected to before they are sent to the routed experts, and back from behind them. 0 where they are sent as they are."
    ),
    integer!(
        "sffn",
        "Shared expert size",
        "",
        Model,
        0..=1_048_576,
        model.experts.shared_ffn,
        "Feed-forward width of one shared expert. 0 where it is that of a routed one."
    ),
    integer!(
        "dv",
        "Head value dimension",
        "",
        Model,
        0..=4096,
        model.value_dim,
        "Width of a head's value where it differs from the head dimension (MiMo-V2). 0 where they are the same. Only without a key/value latent."
    ),
    integer!(
        "fkv",
        "Key/value heads of full layers",
        "heads",
        Model,
        0..=4096,
        model.full_heads.kv_heads,
        "Key/value heads of layers that attend to all tokens, in models whose windowed layers have others (Gemma 4, MiMo-V2). 0 where all layers have the same."
    ),
    integer!(
        "fdh",
        "Head dimension of full layers",
        "",
        Model,
        0..=4096,
        model.full_heads.head_dim,
        "Head dimension of layers that attend to all tokens, where windowed layers have another (Gemma 4). 0 where all layers have the same."
    ),
    integer!(
        "orank",
        "Output latent",
        "",
        Model,
        0..=1_048_576,
        model.output_latent.rank,
        "Width that each group of heads is projected to before the output projection (DeepSeek-V4), with a query latent beside it. 0 where the output is projected directly. Only without a key/value latent."
    ),
    integer!(
        "ogrp",
        "Output groups",
        "groups",
        Model,
        1..=4096,
        model.output_latent.groups,
        "Groups of heads that have an output latent each. Tensor parallelism splits them."
    ),
    flag!(
        "kvs",
        "Keys are values",
        Model,
        model.keys_are_values,
        "One projection gives keys and values, which are the same (DeepSeek-V4)."
    ),
    integer!(
        "hc",
        "Residual streams",
        "streams",
        Model,
        1..=64,
        model.streams,
        "Residual streams that small matrices mix around every part of a layer (hyper-connections): 4 in DeepSeek-V4. 1 without."
    ),
    flag!(
        "ogate",
        "Attention output gate",
        Model,
        model.output_gate,
        "The attention's output is weighed by a gate of its own width, projected with the queries (Qwen3-Next, Qwen3.5)."
    ),
    integer!(
        "mtp",
        "Prediction layers",
        "layers",
        Model,
        0..=64,
        model.prediction_layers,
        "Layers that predict tokens beyond the next one (multi-token prediction), each with its own pass through the LM head."
    ),
    choice!(
        "unc",
        "Not counted",
        Model,
        uncounted,
        model.uncounted.parts,
        "Parts of the model that the forecast leaves out. Imports set it, for example for the vision tower of a model of images and text. The 90 % interval is wider with it."
    ),
    integer!(
        "uncp",
        "Parameters not counted",
        "million",
        Model,
        0..=4_000_000_000,
        model.uncounted.millions,
        "Parameters of the parts that are not counted; 0 where they are unknown."
    ),
    flag!(
        "causal",
        "Causal attention",
        Model,
        model.causal,
        "On for decoders, whose tokens see only those before them; off for encoders."
    ),
];
