//! Hugging Face `config.json`: a model's shape.

mod attention;
mod experts;
mod families;

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::parts::Parts;
use super::super::settings::{Number, Setting, Settings};
use crate::scenario::model::{Bias, Model, Norm, Positions};
use families::{Family, LLAMA, Where};

/// Names of the number of layers.
const LAYERS: [&str; 4] = ["num_hidden_layers", "n_layer", "n_layers", "num_layers"];

/// Names of the width of the residual stream.
const HIDDEN: [&str; 4] = ["hidden_size", "n_embd", "n_embed", "d_model"];

/// Parts of a model of several kinds of data that hold the language model.
const TEXT_PARTS: [&str; 3] = ["text_config", "language_config", "llm_config"];

/// Reads the settings of a `config.json`.
pub(in crate::exchange) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    enter_text(settings, draft);
    refuse_what_no_field_says(settings)?;
    let family = family(settings, draft);
    let mut shape = Shape { settings, draft, family };
    let model = shape.model()?;
    if let Some(caveat) = family.caveat {
        draft.note(None, caveat);
    }
    draft.model(&model);
    Ok(())
}

/// Refuses a shape that would be read as another one.
fn refuse_what_no_field_says(settings: &mut Settings) -> Result<(), ImportError> {
    let refused = |message: &str| Err(ImportError { line: None, name: None, message: message.to_owned() });
    if settings.flag(&["is_encoder_decoder", "/is_encoder_decoder"])? == Some(true) {
        return refused("This is an encoder with a decoder, and only models of one of them are forecast.");
    }
    if settings.has_below("block_configs") {
        return refused(
            "The layers of this model differ from one another (block_configs), which no field says.",
        );
    }
    Ok(())
}

/// Why a setting that no reader asked for is left out.
pub(in crate::exchange) fn why(setting: &Setting) -> Option<String> {
    let known = [
        ("dtype", "The precision of training is chosen for itself (prec)."),
        ("quantization_config", "How weights are stored does not say how they are trained (prec)."),
        (
            "max_position_embeddings",
            "The longest sequence it can take; what it is trained on is chosen for itself (seq).",
        ),
        (
            "attention_chunk_size",
            "Attention within chunks is no window; every layer is taken to see all tokens.",
        ),
        ("no_rope_layers", "Layers without positions cost the same."),
        ("vision_config", "Only the language model is read."),
        ("audio_config", "Only the language model is read."),
        ("attention_dropout", "Dropout is not modelled."),
    ];
    let found = known.iter().find(|(name, _)| setting.path.contains(name)).map(|entry| entry.1);
    found.map_or_else(|| Some("No part of the model's shape.".to_owned()), |text| Some(text.to_owned()))
}

/// Takes the part of the language model where a file describes several.
fn enter_text(settings: &mut Settings, draft: &mut Draft) {
    let inside =
        |part: &&&str| LAYERS.iter().chain(&HIDDEN).any(|name| settings.has(&format!("{part}.{name}")));
    let alone = !LAYERS.iter().any(|name| settings.has(name));
    if let Some(part) = TEXT_PARTS.iter().filter(|_| alone).find(inside) {
        draft.note(None, format!("Only the language model is taken, as {part} says."));
        settings.enter(part);
    }
}

fn family(settings: &mut Settings, draft: &mut Draft) -> &'static Family {
    let named = settings.text(&["model_type"]).or_else(|| settings.text(&["/model_type"]));
    let architecture = settings.text(&["architectures"]).or_else(|| settings.text(&["/architectures"]));
    let by_type = named.as_ref().and_then(|setting| families::find(setting.value()));
    let by_class = || families::find(&type_of_class(architecture.as_ref()?.value()));
    if let Some(family) = by_type.or_else(by_class) {
        return family;
    }
    let name = named.as_ref().or(architecture.as_ref()).map_or("it names none", |setting| setting.value());
    draft.note(
        None,
        format!(
            "The family ({name}) is not known here: taken to be as Llama (gated, RMSNorm, rotary, no biases)."
        ),
    );
    &LLAMA
}

/// `LlamaForCausalLM` is of type `llama`, `Qwen2MoeForCausalLM` of `qwen2_moe`.
fn type_of_class(class: &str) -> String {
    let stem = class.split("For").next().unwrap_or_default();
    let mut name = String::new();
    for letter in stem.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// A shape that is being read.
struct Shape<'a> {
    settings: &'a mut Settings,
    draft: &'a mut Draft,
    family: &'static Family,
}

impl Shape<'_> {
    fn model(&mut self) -> Result<Model, ImportError> {
        let layers = self.layers()?;
        let hidden = self.needed("hidden", &HIDDEN)?;
        let heads = self.needed("heads", &["num_attention_heads", "n_head", "n_heads", "num_heads"])?;
        let vocabulary = self.needed("vocab", &["vocab_size", "padded_vocab_size"])?;
        let mut model = Model { layers, hidden, heads, vocabulary, ..Model::DENSE };
        model.gated_mlp = self.gated()?;
        model.ffn = self.feed_forward(hidden, model.gated_mlp)?;
        model.tied_embeddings =
            self.settings.flag(&["tie_word_embeddings", "/tie_word_embeddings"])?.unwrap_or(self.family.tied);
        model.bias = self.bias()?;
        model.norm = self.family.norm;
        if model.norm == Norm::Layer && self.settings.text(&["rms_norm_eps"]).is_some() {
            model.norm = Norm::Rms;
        }
        let said = self.settings.flag(&["use_qk_norm", "qk_layernorm", "qk_norm", "use_qk_layernorm"])?;
        model.query_key_norm = said.unwrap_or_else(|| families::norms_queries_and_keys(&self.family_name()));
        model.positions = self.positions()?;
        self.attention(&mut model)?;
        self.experts(&mut model)?;
        if let Some(layers) = self.count("mtp", &["num_nextn_predict_layers", "num_mtp_modules"])? {
            model.prediction_layers = layers;
        }
        model.causal = !["bert", "roberta"].contains(&self.family_name().as_str());
        Ok(model)
    }

    /// The `model_type` that is read: of the language model where a file describes several.
    fn family_name(&self) -> String {
        let named = |key: &str| self.settings.iter().find(|setting| setting.key() == key);
        let setting = named("model_type").or_else(|| named("/model_type"));
        setting.map(|setting| setting.value().to_owned()).unwrap_or_default()
    }

    /// A count that may be left out.
    fn count(&mut self, key: &'static str, names: &[&str]) -> Result<Option<u32>, ImportError> {
        let Some(number) = self.settings.whole(names)? else {
            let usual = families::usual(&self.family_name(), key);
            if let Some(usual) = usual {
                self.draft
                    .note(Some(key), format!("{usual}: not given, and it is the default of this family."));
            }
            return Ok(usual);
        };
        self.draft.source(key, &number.setting);
        checked(&number).map(Some)
    }

    /// The number of layers: given, or that of the feed-forward parts where the file lists parts.
    fn layers(&mut self) -> Result<u32, ImportError> {
        let list = self.settings.text(&["hybrid_override_pattern", "layers_block_type"]);
        let parts = list.as_ref().and_then(|list| Parts::of(list.value()));
        let (Some(list), Some(parts)) = (list, parts) else { return self.needed("layers", &LAYERS) };
        LAYERS.iter().for_each(|name| self.settings.spend(name));
        self.draft.source("layers", &list);
        self.draft.note(Some("layers"), parts.note());
        Ok(parts.layers)
    }

    /// A count that every shape has.
    fn needed(&mut self, key: &'static str, names: &[&str]) -> Result<u32, ImportError> {
        self.count(key, names)?.ok_or_else(|| ImportError {
            line: None,
            name: names.first().map(|name| (*name).to_owned()),
            message: format!("A config.json of a language model says this, and here it is missing ({key})."),
        })
    }

    fn gated(&mut self) -> Result<bool, ImportError> {
        let said = self.settings.flag(&["gated_mlp", "is_gated_act", "use_gated_mlp"])?;
        Ok(said.unwrap_or(self.family.gated))
    }

    fn feed_forward(&mut self, hidden: u32, gated: bool) -> Result<u32, ImportError> {
        // Llama-4 gives the width of its dense layers apart.
        let names = [
            "intermediate_size_mlp",
            "intermediate_size",
            "n_inner",
            "ffn_dim",
            "ffn_hidden_size",
            "ffn_config.ffn_hidden_size",
            "d_ff",
        ];
        if let Some(width) = self.count("ffn", &names)? {
            // Qwen's first version gives both branches together.
            return Ok(if self.family_name() == "qwen" { width / 2 } else { width });
        }
        let ratio = self.count("ffn", &["expansion_ratio"])?.unwrap_or(4);
        let width = hidden.saturating_mul(ratio);
        if gated || ratio == 4 {
            self.draft.note(
                Some("ffn"),
                format!(
                    "{width}: no width of the feed-forward part is given, so it is 4 times the hidden size."
                ),
            );
        }
        Ok(width)
    }

    fn bias(&mut self) -> Result<Bias, ImportError> {
        let attention_only = ["internlm", "internlm2"].contains(&self.family_name().as_str());
        let bias = self.settings.flag(&["bias"])?;
        let (everywhere, inner) = if attention_only { (None, bias) } else { (bias, None) };
        let without = self.settings.flag(&["no_bias"])?.map(|without| !without);
        let everywhere = everywhere
            .or(self.settings.flag(&["use_bias", "add_bias_linear", "mlp_bias", "use_bias_linear"])?)
            .or(without)
            .unwrap_or(self.family.bias == Bias::All);
        let inner = inner
            .or(self.settings.flag(&["attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias"])?)
            .unwrap_or(self.family.bias != Bias::None);
        Ok(match (everywhere, inner) {
            (true, _) => Bias::All,
            (false, true) => Bias::Qkv,
            (false, false) => Bias::None,
        })
    }

    fn positions(&mut self) -> Result<Positions, ImportError> {
        let rows = ["n_positions", "max_position_embeddings", "n_ctx", "max_seq_len"];
        let alibi = self.settings.flag(&["alibi", "attn_config.alibi", "use_alibi"])?;
        Ok(match (alibi, self.family.positions) {
            (Some(true), _) | (None, Where::Alibi) => Positions::Alibi,
            (_, Where::Rotary) => Positions::Rotary,
            (_, Where::Learned | Where::Alibi) => match self.count("ctx", &rows)? {
                Some(rows) => Positions::Learned(rows),
                None => Positions::Rotary,
            },
        })
    }
}

/// A number as a count.
fn checked(number: &Number) -> Result<u32, ImportError> {
    u32::try_from(number.value).map_err(|_| number.setting.wrong(&format!("{} is no count", number.value)))
}
