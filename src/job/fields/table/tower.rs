//! Fields of an encoder in front of the decoder.

use super::choices::{bias, norm};
use super::{Field, FieldGroup, FieldKind, Row, Value};

pub(super) const FIELDS: &[Row] = &[
    integer!(
        "enc",
        "Encoder layers",
        "layers",
        Model,
        0..=4096,
        model.tower.layers,
        "Layers of an encoder for images, audio or source text in front of the decoder: 27 in Gemma 3. 0 without an encoder."
    ),
    integer!(
        "ench",
        "Encoder hidden size",
        "",
        Model,
        0..=1_048_576,
        model.tower.hidden,
        "Hidden size of the encoder."
    ),
    integer!(
        "encf",
        "Encoder feed-forward size",
        "",
        Model,
        0..=16_777_216,
        model.tower.ffn,
        "Feed-forward size of the encoder (of one branch if gated)."
    ),
    integer!(
        "enca",
        "Encoder heads",
        "heads",
        Model,
        0..=4096,
        model.tower.heads,
        "Attention heads of the encoder. TP splits the heads."
    ),
    integer!(
        "encd",
        "Encoder head dimension",
        "",
        Model,
        0..=4096,
        model.tower.head_dim,
        "Dimension of each encoder head. 0 for the hidden size divided by the number of heads."
    ),
    flag!(
        "encg",
        "Gated encoder feed-forward",
        Model,
        model.tower.gated,
        "The encoder's feed-forward part has two up-projections (Qwen2.5-VL, Pixtral)."
    ),
    choice!(
        "encb",
        "Encoder bias",
        Model,
        bias,
        model.tower.bias,
        "Linear layers of the encoder with a bias."
    ),
    choice!("encn", "Encoder norm", Model, norm, model.tower.norm, "Norms of the encoder."),
    integer!(
        "enct",
        "Encoder tokens per sample",
        "tokens",
        Model,
        0..=16_777_216,
        model.tower.tokens,
        "Patches of an image, frames of an audio clip or tokens of a source text that the encoder processes as one sample: 4,096 in Gemma 3. Without windows, each token attends to the whole sample."
    ),
    integer!(
        "encwn",
        "Encoder window",
        "tokens",
        Model,
        0..=16_777_216,
        model.tower.window,
        "Tokens per attention window of the encoder: 64 in Qwen2.5-VL. 0 without windows."
    ),
    integer!(
        "encwf",
        "Encoder full attention interval",
        "layers",
        Model,
        0..=4096,
        model.tower.full_every,
        "Every n-th layer of the encoder attends to the whole sample: 8 in Qwen2.5-VL. 0 if all layers use windowed attention."
    ),
    integer!(
        "encs",
        "Samples per sequence",
        "samples",
        Model,
        1..=65_536,
        model.tower.samples,
        "Images, audio clips or source texts per decoder sequence."
    ),
    integer!(
        "encm",
        "Merged encoder tokens",
        "tokens",
        Model,
        1..=65_536,
        model.tower.merge,
        "Encoder tokens merged into one decoder token: 4 in Qwen2-VL, 16 in Gemma 3. 1 without merging."
    ),
    integer!(
        "encw",
        "Encoder input size",
        "",
        Model,
        0..=1_048_576,
        model.tower.patch,
        "Elements per input token of the encoder: 588 for a patch of 14 x 14 pixels with 3 channels. 0 if the encoder reads rows of the decoder's embedding table."
    ),
    integer!(
        "encp",
        "Encoder position table",
        "tokens",
        Model,
        0..=16_777_216,
        model.tower.positions,
        "Rows of the encoder's learned position table. 0 without a table."
    ),
    integer!(
        "encpi",
        "Projector input size",
        "",
        Model,
        0..=16_777_216,
        model.tower.projector_input,
        "Input size of the projector. 0 if merged tokens are concatenated; the encoder's hidden size if they are averaged (Gemma 3)."
    ),
    integer!(
        "encpf",
        "Projector inner size",
        "",
        Model,
        0..=16_777_216,
        model.tower.projector_inner,
        "Hidden size between the two matrices of the projector. 0 if the projector has one matrix."
    ),
    integer!(
        "encpn",
        "Projectors",
        "projectors",
        Model,
        0..=64,
        model.tower.projectors,
        "Number of projectors: 4 in Qwen3-VL, which also reads three inner layers of the encoder (DeepStack). 0 if the decoder reads the encoder's output directly."
    ),
    flag!(
        "encz",
        "Frozen encoder",
        Model,
        model.tower.frozen,
        "The encoder is not trained, but its projectors are. With LoRA, both are frozen."
    ),
];
