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
        "Number of layers of the encoder, which processes images, audio or source text for the decoder: 27 in Gemma 3. 0 without an encoder."
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
        "Feed-forward size of the encoder (size of one branch if gated)."
    ),
    integer!(
        "enca",
        "Encoder heads",
        "heads",
        Model,
        0..=4096,
        model.tower.heads,
        "Number of attention heads of the encoder. TP splits the heads."
    ),
    integer!(
        "encd",
        "Encoder head dimension",
        "",
        Model,
        0..=4096,
        model.tower.head_dim,
        "Dimension of each encoder head. 0 if equal to the encoder's hidden size divided by its number of heads."
    ),
    flag!(
        "encg",
        "Gated encoder feed-forward",
        Model,
        model.tower.gated,
        "Gated feed-forward layers in the encoder, with two up-projections (Qwen2.5-VL, Pixtral)."
    ),
    choice!(
        "encb",
        "Encoder bias",
        Model,
        bias,
        model.tower.bias,
        "Linear layers of the encoder that have a bias."
    ),
    choice!("encn", "Encoder norm", Model, norm, model.tower.norm, "Type of the norms in the encoder."),
    integer!(
        "enct",
        "Encoder tokens per sample",
        "tokens",
        Model,
        0..=16_777_216,
        model.tower.tokens,
        "Number of tokens that the encoder processes as one sample (patches of an image, frames of an audio clip, or tokens of a source text): 4,096 in Gemma 3. Without windows, each token attends to the whole sample."
    ),
    integer!(
        "encwn",
        "Encoder window",
        "tokens",
        Model,
        0..=16_777_216,
        model.tower.window,
        "Number of tokens in one attention window of the encoder: 64 in Qwen2.5-VL. 0 without windows."
    ),
    integer!(
        "encwf",
        "Encoder full attention interval",
        "layers",
        Model,
        0..=4096,
        model.tower.full_every,
        "If the encoder has windows, every n-th layer attends to the whole sample: every 8th in Qwen2.5-VL. 0 if all layers use windowed attention."
    ),
    integer!(
        "encs",
        "Samples per sequence",
        "samples",
        Model,
        1..=65_536,
        model.tower.samples,
        "Number of images, audio clips or source texts per decoder sequence."
    ),
    integer!(
        "encm",
        "Merged encoder tokens",
        "tokens",
        Model,
        1..=65_536,
        model.tower.merge,
        "Number of encoder tokens that are merged into one decoder token: 4 in Qwen2-VL, 16 in Gemma 3. 1 without merging."
    ),
    integer!(
        "encw",
        "Encoder input size",
        "",
        Model,
        0..=1_048_576,
        model.tower.patch,
        "Number of values per input token of the encoder: 588 for a patch of 14 x 14 pixels with 3 channels. 0 if the encoder uses the decoder's embedding table."
    ),
    integer!(
        "encp",
        "Encoder position table",
        "tokens",
        Model,
        0..=16_777_216,
        model.tower.positions,
        "Number of rows in the encoder's learned position table. 0 without a table."
    ),
    integer!(
        "encpi",
        "Projector input size",
        "",
        Model,
        0..=16_777_216,
        model.tower.projector_input,
        "Input size of the projector. Enter 0 if merged tokens are concatenated, or the encoder's hidden size if they are averaged (Gemma 3)."
    ),
    integer!(
        "encpf",
        "Projector inner size",
        "",
        Model,
        0..=16_777_216,
        model.tower.projector_inner,
        "Hidden size of a projector with two matrices. 0 if the projector has one matrix."
    ),
    integer!(
        "encpn",
        "Projectors",
        "projectors",
        Model,
        0..=64,
        model.tower.projectors,
        "Number of projectors between encoder and decoder: 4 in Qwen3-VL, which also projects the outputs of three inner encoder layers (DeepStack). 0 if the decoder reads the encoder's output directly."
    ),
    flag!(
        "encz",
        "Frozen encoder",
        Model,
        model.tower.frozen,
        "Training updates the projectors but not the encoder. With LoRA, both are frozen."
    ),
];
