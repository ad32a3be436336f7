//! Encoders with a decoder that reads their output by cross-attention: T5, BART, Whisper.

use super::super::super::ImportError;
use super::super::super::draft::Draft;
use super::super::super::settings::Settings;
use super::families;
use crate::scenario::model::presets;
use crate::scenario::model::{Activation, Bias, LayerPattern, Model, Norm, Positions, Tower, UncountedParts};

/// A decoder's layer is two of the pattern: attention, then cross-attention with a feed-forward part.
const LAYER: &str = "*x";

/// Tokens of a source text where a file does not limit them (T5, Raffel et al. 2019, arXiv 1910.10683, section 3.1.2).
const SOURCE: u32 = 512;

/// Rows that BART's tables of positions have beside those of tokens (Transformers, `BartLearnedPositionalEmbedding`).
const OFFSET: u32 = 2;

/// Families whose encoder attends to parts of a long source text, and what is taken for that.
const APPROXIMATED: [(&str, &str); 4] = [
    ("longt5", "the encoder's local and transient-global attention is modelled as full attention."),
    (
        "led",
        "the encoder's windows are modelled as full attention, and its projections of global tokens are not counted.",
    ),
    ("bigbird_pegasus", "the encoder's block-sparse attention is modelled as full attention."),
    (
        "pegasus_x",
        "the encoder's block-local attention and its global tokens are modelled as full attention.",
    ),
];

/// Reads a model of a known family into the fields; whether it is one.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<bool, ImportError> {
    let Some(named) = settings.text(&["model_type"]) else { return Ok(false) };
    let family = families::plain(named.value());
    let mut shape = Sizes { settings };
    let mut model = match family.as_str() {
        "t5" => shape.t5(false)?,
        "mt5" | "umt5" => shape.t5(true)?,
        "bart" | "mbart" | "plbart" | "pegasus" | "blenderbot" | "marian" => shape.bart()?,
        "blenderbot_small" | "mvp" => shape.bart()?,
        "m2m_100" | "pegasus_x" => shape.m2m()?,
        "longt5" => shape.t5(false)?,
        "led" | "bigbird_pegasus" => shape.bart()?,
        "whisper" => shape.whisper()?,
        _ => return Ok(false),
    };
    model.pattern = LayerPattern::parse(LAYER).unwrap_or(LayerPattern::NONE);
    model.code = presets::code_of(&model);
    if let Some((_, text)) = APPROXIMATED.iter().find(|row| row.0 == family) {
        model.uncounted.parts = UncountedParts::Other;
        draft.note(None, format!("Not supported: {text}"));
    }
    if family != "whisper" {
        draft.note(
            Some("enct"),
            format!("A source text of {} tokens per sequence is assumed.", model.tower.tokens),
        );
    }
    draft.model(&model);
    Ok(true)
}

/// Sizes in a file.
struct Sizes<'a> {
    settings: &'a mut Settings,
}

impl Sizes<'_> {
    /// RMS norms without biases, and biases of the scores by distance.
    fn t5(&mut self, multilingual: bool) -> Result<Model, ImportError> {
        let kind = self.settings.text(&["feed_forward_proj"]);
        let gated = kind.map_or(multilingual, |kind| kind.value().starts_with("gated"));
        let layers = self.needed("num_layers")?;
        let tower = Tower {
            layers,
            hidden: self.needed("d_model")?,
            ffn: self.needed("d_ff")?,
            heads: self.needed("num_heads")?,
            head_dim: self.needed("d_kv")?,
            gated,
            bias: Bias::None,
            norm: Norm::Rms,
            tokens: self.whole("n_positions")?.unwrap_or(SOURCE),
            projectors: 0,
            ..Tower::NONE
        };
        ["relative_attention_num_buckets", "relative_attention_max_distance", "is_gated_act", "dense_act_fn"]
            .iter()
            .for_each(|name| self.settings.spend(name));
        let decoder = self.whole("num_decoder_layers")?.unwrap_or(layers);
        let tied = self.settings.flag(&["tie_word_embeddings"])?.unwrap_or(!multilingual);
        Ok(Model {
            layers: decoder.saturating_mul(2),
            vocabulary: self.needed("vocab_size")?,
            activation: if gated { Activation::GeluNew } else { Activation::Relu },
            positions: Positions::Alibi,
            tied_embeddings: tied,
            causal: true,
            tower,
            ..tower.encoder()
        })
    }

    /// Layer norms, biases, and a table of positions for each side.
    fn bart(&mut self) -> Result<Model, ImportError> {
        let rows = self.whole("max_position_embeddings")?;
        // LED has a longer table for its encoder, and none of them has rows beside those of tokens.
        let source = self.whole("max_encoder_position_embeddings")?;
        let offset = if source.is_some() { 0 } else { OFFSET };
        let source = source.or(rows).unwrap_or(1024);
        let rows = self.whole("max_decoder_position_embeddings")?.or(rows).unwrap_or(1024);
        let tower = self.tower(source)?;
        let tower = Tower { positions: source.saturating_add(offset), ..tower };
        self.decoder(tower, rows.saturating_add(offset))
    }

    /// The same, with sines in place of the tables, which have no weights.
    fn m2m(&mut self) -> Result<Model, ImportError> {
        let rows = self.whole("max_position_embeddings")?.unwrap_or(1024);
        let tower = self.tower(rows)?;
        Ok(Model { positions: Positions::Rotary, ..self.decoder(tower, rows)? })
    }

    /// The same, with frames of a sound in place of a source text (Radford et al. 2022, arXiv 2212.04356, section 2.2).
    fn whisper(&mut self) -> Result<Model, ImportError> {
        let frames = self.whole("max_source_positions")?.unwrap_or(1500);
        let mels = self.whole("num_mel_bins")?.unwrap_or(80);
        let tower = self.tower(frames)?;
        // Two convolutions over three frames each.
        let patch = tower.hidden.saturating_add(mels).saturating_mul(3);
        let rows = self.whole("max_target_positions")?.unwrap_or(448);
        self.decoder(Tower { patch, positions: frames, ..tower }, rows)
    }

    fn tower(&mut self, tokens: u32) -> Result<Tower, ImportError> {
        Ok(Tower {
            layers: self.needed("encoder_layers")?,
            hidden: self.needed("d_model")?,
            ffn: self.needed("encoder_ffn_dim")?,
            heads: self.needed("encoder_attention_heads")?,
            tokens,
            projectors: 0,
            ..Tower::NONE
        })
    }

    fn decoder(&mut self, tower: Tower, rows: u32) -> Result<Model, ImportError> {
        let heads = self.needed("decoder_attention_heads")?;
        let activation = self.settings.text(&["activation_function"]);
        let activation = activation.and_then(|name| Activation::from_name(name.value()));
        self.settings.spend("num_hidden_layers");
        Ok(Model {
            layers: self.needed("decoder_layers")?.saturating_mul(2),
            ffn: self.needed("decoder_ffn_dim")?,
            heads,
            kv_heads: heads,
            head_dim: tower.hidden / heads.max(1),
            vocabulary: self.needed("vocab_size")?,
            activation: activation.unwrap_or(Activation::Gelu),
            positions: Positions::Learned(rows),
            tied_embeddings: self.settings.flag(&["tie_word_embeddings"])?.unwrap_or(true),
            causal: true,
            tower,
            ..tower.encoder()
        })
    }

    fn whole(&mut self, name: &str) -> Result<Option<u32>, ImportError> {
        let Some(number) = self.settings.whole(&[name])? else { return Ok(None) };
        match u32::try_from(number.value) {
            Ok(value @ 1..=16_777_216) => Ok(Some(value)),
            _ => Err(number.setting.wrong("Model sizes must be from 1 to 16777216")),
        }
    }

    fn needed(&mut self, name: &str) -> Result<u32, ImportError> {
        self.whole(name)?.ok_or_else(|| ImportError {
            line: None,
            name: Some(name.to_owned()),
            message: format!("Required setting {name} is missing."),
        })
    }
}
