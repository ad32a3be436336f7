//! Hugging Face `config.json`: a model's shape.

mod attention;
mod blocks;
mod details;
mod encoders;
mod experts;
mod families;
mod family_table;
mod feed_forward;
mod layer_configurations;
mod layers;
mod mixers;
mod naming;
mod sequence_to_sequence;
mod shared;
mod sparse;
mod towers;
mod unsupported;

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::{Number, Setting, Settings, quoted};
use crate::scenario::model::presets;
use crate::scenario::model::{Bias, FeedForward, LayerPattern, Model, Norm};
use families::{Family, Where};

/// Names of the number of layers.
const LAYERS: [&str; 5] =
    ["num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers"];

/// Names of the width of the residual stream.
const HIDDEN: [&str; 6] = ["hidden_size", "n_embd", "n_embed", "d_model", "dim", "model_dim"];

/// Names of the activation of the feed-forward part.
const ACTIVATION: [&str; 5] =
    ["hidden_act", "hidden_activation", "activation_function", "mlp_hidden_act", "activation"];

/// Parts of a model of several kinds of data that hold the language model.
const TEXT_PARTS: [&str; 6] = [
    "text_config",
    "language_config",
    "llm_config",
    "lm_config",
    "text_model_config",
    "transformer_layer_config",
];

/// Parts of such a model that are not the one that is trained to read and write text, whatever they hold.
const OTHER_PARTS: [&str; 7] = ["talker", "vision", "audio", "speech", "code2wav", "token2wav", "draft"];

/// Reads the settings of a `config.json`.
pub(crate) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    if sequence_to_sequence::read(settings, draft)? {
        return Ok(());
    }
    let nested = enter_text(settings, draft);
    refuse_what_no_field_says(settings)?;
    let (name, family) = family(settings);
    let mut shape = Shape { settings, draft, name, family, nested, unsupported: Vec::new(), left_out: 0.0 };
    let mut model = shape.model()?;
    shape.look_for_unsupported(&model);
    let (unsupported, left_out) = (shape.unsupported, shape.left_out);
    towers::read(settings, draft, &mut model)?;
    if !unsupported.is_empty() {
        model.uncounted.parts = model.uncounted.parts.and_other();
        let millions = (left_out / 1e6).round() as u32;
        let own = blocks::not_counted(settings, &model).saturating_add(millions);
        model.uncounted.millions = model.uncounted.millions.saturating_add(own);
    }
    draft.model(&model);
    draft.name = naming::name(settings, &model);
    unsupported::say(unsupported, &model, draft);
    Ok(())
}

/// Refuses a shape that would be read as another one.
fn refuse_what_no_field_says(settings: &mut Settings) -> Result<(), ImportError> {
    let pairs = ["is_encoder_decoder", "/is_encoder_decoder"].map(|name| settings.text(&[name]));
    let pair = |pair: &Setting| pair.value().eq_ignore_ascii_case("true");
    if let Some(pair) = pairs.into_iter().flatten().find(pair) {
        return Err(pair
            .wrong("Encoder-decoder models are not supported, except T5, BART, Whisper and similar models"));
    }
    let named = settings.text(&["model_type"]);
    let whole = settings.text(&["/model_type"]);
    if let Some(named) =
        named.iter().chain(&whole).find(|named| unsupported::is_encoder_with_decoder(named.value()))
    {
        return Err(named.wrong(&format!(
            "{} models are encoder-decoder models, which are not supported",
            quoted(named.value())
        )));
    }
    if let Some(named) = &named
        && let Some(mixer) = families::mixer_without_a_rule(named.value())
    {
        return Err(named.wrong(&format!("Models with {mixer} ({}) are not supported", named.value())));
    }
    Ok(())
}

/// Why a setting that no reader asked for is left out.
pub(crate) fn why(setting: &Setting) -> Option<String> {
    let known = [
        ("dtype", "The training precision is a separate field (prec)."),
        ("quantization_config", "The storage format does not determine the training precision (prec)."),
        (
            "max_position_embeddings",
            "Maximum sequence length of the model. The training sequence length is a separate field (seq).",
        ),
        ("attention_chunk_size", "Not supported: chunked attention is modelled as full attention."),
        ("no_rope_layers", "Layers without position embedding have the same cost."),
        ("vision_config", "This encoder is not imported."),
        ("audio_config", "This encoder is not imported."),
        ("attention_dropout", "Dropout is not modelled."),
    ];
    let found = known.iter().find(|(name, _)| setting.path.contains(name)).map(|entry| entry.1);
    let harmless = || NO_SHAPE.iter().any(|part| setting.path.contains(part));
    let text = match found {
        Some(text) => text,
        None if setting.key().starts_with('/') => "Not part of the language model.",
        None if harmless() => "Not used.",
        None => "Not supported. If this setting changes the architecture, the parameter count is wrong.",
    };
    Some(text.to_owned())
}

/// Parts of names of settings that change no matrix: tokens, dropout, scales, routing, rotation, and bookkeeping.
const NO_SHAPE: [&str; 38] = [
    "token_id",
    "token_index",
    "dropout",
    "drop",
    "init",
    "eps",
    "rope",
    "rotary",
    "use_cache",
    "version",
    "name_or_path",
    "auto_map",
    "aux_loss",
    "scal",
    "multiplier",
    "pretraining_tp",
    "output_",
    "softcap",
    "logit",
    "topk_prob",
    "router",
    "topk_method",
    "topk_group",
    "n_group",
    "scoring_func",
    "label",
    "task_specific",
    "summary_",
    "return_dict",
    "use_bfloat16",
    "tokenizer",
    "temperature",
    "capacity_factor",
    "gradient_checkpointing",
    "attn_implementation",
    "seq_aux",
    "model_type",
    "architectures",
];

/// Takes the part of the language model where a file describes several; whether it did.
fn enter_text(settings: &mut Settings, draft: &mut Draft) -> bool {
    // Some files repeat the number of layers outside of the part that says the rest.
    let named = settings.text(&["model_type"]);
    let known = named.is_none_or(|named| families::find(named.value()).is_some());
    if known && LAYERS.iter().any(|name| settings.has(name)) {
        return false;
    }
    let tables = settings.iter().filter_map(|setting| {
        let table = setting.key().rsplit_once('.')?.0;
        let named = TEXT_PARTS.contains(&table.rsplit('.').next().unwrap_or_default());
        let other = OTHER_PARTS.iter().any(|part| table.contains(part));
        (named && !other).then(|| table.to_owned())
    });
    // The outermost: a part may hold parts of its own.
    let Some(part) = tables.min_by_key(|table| table.matches('.').count()) else { return false };
    draft.note(None, format!("The language model is imported from {part}."));
    settings.enter(&part);
    true
}

/// The family that the file names, with its type; of one that is not known, what its settings tell.
fn family(settings: &mut Settings) -> (String, Family) {
    let named = settings.text(&["model_type"]).or_else(|| settings.text(&["/model_type"]));
    let architecture = settings.text(&["architectures"]).or_else(|| settings.text(&["/architectures"]));
    // LLM Foundry's name of a model, `mpt_causal_lm`.
    let own = settings.text(&["name"]);
    let types = [
        named.as_ref().map(|setting| setting.value().to_owned()),
        architecture.map(|setting| type_of_class(setting.value())),
        own.and_then(|setting| setting.value().strip_suffix("_causal_lm").map(str::to_owned)),
        type_of_settings(settings).map(str::to_owned),
    ];
    let known = types.into_iter().flatten().find_map(|name| families::find(&name).map(|row| (name, *row)));
    let unknown = || named.map_or(String::new(), |setting| setting.value().to_owned());
    known.unwrap_or_else(|| (unknown(), unknown_family(settings)))
}

/// The type of a file without one that has the settings of the package `mamba_ssm`.
fn type_of_settings(settings: &mut Settings) -> Option<&'static str> {
    let layer = settings.text(&["ssm_cfg.layer"]);
    let second = layer.is_some_and(|layer| layer.value() == "Mamba2");
    let own = settings.has("fused_add_norm") && settings.has("residual_in_fp32");
    own.then_some(if second { "mamba_ssm2" } else { "mamba" })
}

/// A family whose code is not known, as the names of its settings have it: of Llama's kind, or of BERT's.
fn unknown_family(settings: &Settings) -> Family {
    let has = |names: &[&str]| names.iter().any(|name| settings.has(name));
    let says = |names: &[&str], word: &str| {
        settings.iter().any(|setting| names.contains(&setting.key()) && setting.value().contains(word))
    };
    let encoder = has(&["type_vocab_size"]);
    let layer_norm = has(&["layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon"]);
    let layer_norm = layer_norm && !has(&["rms_norm_eps"]);
    let rotary =
        settings.iter().any(|setting| setting.key().contains("rope") || setting.key().contains("rotary"));
    // Transformers 4 writes this setting wherever embeddings are not tied.
    let of_4 = says(&["transformers_version"], "4.");
    let unsaid = of_4 && !has(&["tie_word_embeddings", "/tie_word_embeddings", "weight_tying"]);
    Family {
        gated: !layer_norm || says(&ACTIVATION, "silu") || says(&ACTIVATION, "glu"),
        tied: encoder || unsaid,
        norm: if layer_norm { Norm::Layer } else { Norm::Rms },
        positions: if encoder && !rotary { Where::Learned } else { Where::Rotary },
        bias: if encoder && !rotary { Bias::All } else { Bias::None },
        encoder,
        caveat: Some(
            "Unknown model family. The shape is inferred from the setting names; all other properties are as in Llama.",
        ),
        ..family_table::LLAMA
    }
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
    /// The `model_type` that is read: of the language model where a file describes several, and of its class where none is
    /// known by its type.
    name: String,
    family: Family,
    /// Whether the shape is a part of a larger file, which leaves out what is at its default.
    nested: bool,
    /// What fields do not say of it, in sentences.
    unsupported: Vec<String>,
    /// Parameters of it that are not counted.
    left_out: f64,
}

impl Shape<'_> {
    fn model(&mut self) -> Result<Model, ImportError> {
        let parts = self.parts()?;
        let layers = match &parts {
            Some((count, _)) => {
                LAYERS.iter().for_each(|name| self.settings.spend(name));
                u32::try_from(*count).unwrap_or(u32::MAX)
            }
            None => self.needed("layers", &LAYERS)?,
        };
        let hidden = self.needed("hidden", &HIDDEN)?;
        let heads = self.heads(hidden)?;
        let vocabulary = self.vocabulary()?;
        let mut model = Model { layers, hidden, heads, vocabulary, ..Model::DENSE };
        model.gated_mlp = self.gated()?;
        let dense = self.feed_forward(hidden)?;
        model.ffn = dense.width;
        self.details(&mut model)?;
        self.attention(&mut model)?;
        self.experts(&mut model)?;
        self.layers(&mut model, parts.map(|(_, pattern)| pattern), dense.width)?;
        // Where every layer holds experts, the width of a dense one is of no use.
        if let Some(note) = dense.note.filter(|_| model.ffn == dense.width) {
            self.draft.note(Some("ffn"), note);
        }
        let prediction = [
            "num_nextn_predict_layers",
            "num_mtp_modules",
            "mtp_num_hidden_layers",
            "mtp_num_layers",
            "num_mtp_layers",
        ];
        if let Some(layers) = self.count("mtp", &prediction)? {
            model.prediction_layers = layers;
        }
        model.causal = self.causal();
        model.activation = self.activation(&model);
        model.code = families::own_code(&self.name).unwrap_or_else(|| presets::code_of(&model));
        Ok(model)
    }

    /// What the layers are: a list of parts, if there is one, with dense feed-forward parts of this width.
    fn layers(
        &mut self,
        model: &mut Model,
        parts: Option<LayerPattern>,
        width: u32,
    ) -> Result<(), ImportError> {
        match parts {
            Some(pattern) => {
                model.pattern = pattern;
                if pattern.any(|letter| letter.feed_forward == Some(FeedForward::Dense)) {
                    model.ffn = width;
                }
                model.recurrent = self.mixer(model)?;
            }
            None if self.settings.has_below("block_configs") => self.blocks(model)?,
            None => self.windows_and_layers(model)?,
        }
        self.sizes_by_layer(model)?;
        self.layer_configurations(model)?;
        self.reused_keys(model)?;
        self.shared_keys(model)?;
        self.layer_embeddings(model)?;
        self.shared_blocks(model)?;
        Ok(())
    }

    /// Whether a token sees only those before it.
    fn causal(&mut self) -> bool {
        let mut says = |names: &[&str], wanted: &str| {
            self.settings.text(names).is_some_and(|setting| setting.value().eq_ignore_ascii_case(wanted))
        };
        if says(&["is_decoder"], "true") {
            return true;
        }
        let both_ways = says(&["use_bidirectional_attention"], "true") || says(&["is_causal"], "false");
        let class = self.settings.text(&["architectures", "/architectures"]);
        let fills_blanks = class.is_some_and(|class| class.value().contains("ForMaskedLM"));
        !(both_ways || fills_blanks || self.family.encoder)
    }

    /// A count that may be left out.
    fn count(&mut self, key: &'static str, names: &[&str]) -> Result<Option<u32>, ImportError> {
        let Some(number) = self.settings.whole(names)? else {
            let usual = self.nested.then(|| families::usual(&self.name, key)).flatten();
            if let Some(usual) = usual {
                self.draft.note(Some(key), format!("{usual}: not set; default of this model family."));
            }
            return Ok(usual);
        };
        self.draft.source(key, &number.setting);
        // Files may give one number under several names.
        let value = number.setting.value();
        for name in names {
            if self.settings.iter().any(|setting| setting.key() == *name && setting.value() == value) {
                self.settings.spend(name);
            }
        }
        checked(&number).map(Some)
    }

    /// Query heads. Models without attention have one, which no layer uses.
    fn heads(&mut self, hidden: u32) -> Result<u32, ImportError> {
        // Layers of attention have heads of their own in flash-linear-attention.
        let names =
            ["attn.num_heads", "num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"];
        if let Some(keys) = self.mean("num_kv_heads", |heads| heads).filter(|_| self.name == "openelm") {
            self.settings.spend("num_query_heads");
            return Ok(keys.saturating_mul(self.plain_count("num_gqa_groups")?.unwrap_or(1)).max(1));
        }
        // JetMoE's attention has as many heads as keys, times the experts that a token is sent to.
        if self.name == "jetmoe" {
            let keys = self.plain_count("num_key_value_heads")?.unwrap_or(16);
            let taken =
                self.plain_count("num_experts_per_tok")?.or(self.plain_count("moe_top_k")?).unwrap_or(2);
            return Ok(keys.saturating_mul(taken).max(1));
        }
        // HGRN2 counts its heads by the keys of each.
        let by_keys = self.settings.whole(&["expand_ratio"])?.and_then(|keys| u32::try_from(keys.value).ok());
        match by_keys.filter(|keys| *keys > 0) {
            Some(keys) if !names.iter().any(|name| self.settings.knows(name)) => Ok(hidden / keys),
            _ if families::has_no_attention(&self.name) => Ok(1),
            _ => self.needed("heads", &names),
        }
    }

    /// A count that every shape has.
    fn needed(&mut self, key: &'static str, names: &[&str]) -> Result<u32, ImportError> {
        let given = self.draft.given(key);
        self.count(key, names)?.or(given).ok_or_else(|| ImportError {
            line: None,
            name: names.iter().find(|name| !name.is_empty()).map(|name| (*name).to_owned()),
            message: format!("Required setting {key} is missing."),
        })
    }

    fn vocabulary(&mut self) -> Result<u32, ImportError> {
        // AI2's code pads the table of embeddings, and calls its rows so.
        let padded = if families::calls_rows_so(&self.name) { "embedding_size" } else { "" };
        let names = [padded, "vocab_size", "padded_vocab_size"];
        let usual = families::usual_vocabulary(&self.name);
        match usual.filter(|_| !names.iter().any(|name| self.settings.has(name))) {
            Some(usual) if self.draft.given("vocab").is_none() => {
                let text = format!("{usual}: not set; default of this model family.");
                self.draft.note(Some("vocab"), text);
                Ok(usual)
            }
            _ => {
                let rows = self.needed("vocab", &names)?;
                let multiple = self.plain_count("pad_vocab_size_multiple")?.unwrap_or(1).max(1);
                Ok(rows.checked_next_multiple_of(multiple).unwrap_or(rows))
            }
        }
    }
}

/// A number as a count.
fn checked(number: &Number) -> Result<u32, ImportError> {
    u32::try_from(number.value).map_err(|_| number.setting.wrong(&format!("{} is not a count", number.value)))
}
