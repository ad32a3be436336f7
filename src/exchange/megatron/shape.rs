//! The model, in Megatron's names.

use super::super::ImportError;
use super::super::hub::{self, shape};
use super::super::settings::Setting;
use super::layers::{Frequency, frequency};
use super::{Dialect, Reader};
use crate::names::{HUB, HubModel};
use crate::scenario::model::presets::{self, MODELS};
use crate::scenario::model::{
    Activation, Bias, Experts, Latent, LayerPattern, Model, Norm, Positions, Window,
};

/// Vocabularies of tokenizers by their types. Whose files may be any others is `true`.
const VOCABULARIES: [(&str, u32, bool); 3] = [
    ("GPT2BPETokenizer", 50_257, false),
    ("Llama2Tokenizer", 32_000, true),
    ("BertWordPieceLowerCase", 30_522, false),
];

/// What a shape needs, and the names of it.
const NEEDED: [(&str, &[&str]); 3] = [
    ("layers", &["num_layers", "hybrid_layer_pattern", "hybrid_override_pattern"]),
    ("hidden", &["hidden_size"]),
    ("heads", &["num_attention_heads"]),
];

/// Fields of a shape that follow from no count.
const KINDS: [&str; 8] = ["gated", "act", "code", "tied", "bias", "norm", "qkn", "pos"];

/// Rows of a position table where none are given.
const USUAL_ROWS: u32 = 2048;

impl Reader<'_> {
    /// The whole shape where it is given; else what a recipe's name says of it.
    pub(super) fn shape(&mut self) -> Result<(), ImportError> {
        let known = |(key, names): &(&str, &[&str])| {
            names.iter().any(|name| self.settings.knows(name)) || self.draft.given(key).is_some()
        };
        if NEEDED.iter().all(known) {
            let model = self.model()?;
            self.draft.model(&model);
            return Ok(());
        }
        self.named()?;
        if self.draft.text("m").is_some() {
            return Ok(());
        }
        let mut open = false;
        for (key, names) in NEEDED {
            open |= self.draft.given(key).is_none() && self.open(key, names);
        }
        if open {
            // What follows from counts that are not known is nothing to speak of.
            let notes = self.draft.notes();
            let model = self.model()?;
            self.draft.unsay(notes);
            self.draft.part_of_model(&model, &KINDS);
        }
        Ok(())
    }

    /// The model that a name says: of the model, of its recipe or of its class.
    fn named(&mut self) -> Result<(), ImportError> {
        let target = self.settings.iter().filter(|setting| setting.key() == "_target_").find_map(|target| {
            let name = target.value().rsplit('.').next().unwrap_or_default();
            hub::in_words(&name.to_ascii_lowercase().replace("config", ""))
        });
        let family = self.settings.text(&["model_family_name"]);
        let size = self.settings.text(&["model_size"]);
        let path = self.settings.named_of_path("model.path");
        let names =
            ["recipe", "model_recipe_name", "factory", "model_name", "model", "model_name_or_path", "config"];
        let written: Vec<Setting> =
            path.into_iter().chain(names.iter().filter_map(|name| self.settings.text(&[name]))).collect();
        let whole = size.map(|size| {
            let first = written.first().map(Setting::value);
            let family = family.as_ref().map(Setting::value).or(first).unwrap_or_default();
            format!("{family}_{}", size.value())
        });
        let recipe = written.iter().any(|name| ["recipe", "model_recipe_name"].contains(&name.key()));
        let plain =
            |name: &Setting| name.value().trim_end_matches(".yaml").trim_end_matches(".yml").to_owned();
        let named = |name: &Setting| hub::find(&plain(name)).or_else(|| hub::in_words(&plain(name)));
        let model =
            target.or_else(|| hub::in_words(whole.as_deref()?)).or_else(|| written.iter().find_map(named));
        match (model, written.first()) {
            (Some(mut model), _) => {
                if self.dialect == Dialect::Bridge && recipe && model.prediction_layers == 1 {
                    self.repeated_prediction(&mut model);
                }
                self.adjust(&mut model)?;
                self.draft.model(&model);
            }
            (None, first) => {
                let known = self.of_checkpoint()?;
                if let Some(first) = first.filter(|_| !known) {
                    self.draft.ignore(first, "This name is not a known model.");
                }
            }
        }
        for name in &written {
            self.recipe_of_adapters(name);
        }
        Ok(())
    }

    /// The recipes of Nemotron 3 run their layer of multi-token prediction twice (`recipes/nemotronh`, `mtp_num_layers`).
    fn repeated_prediction(&mut self, model: &mut Model) {
        let named = presets::name_of(model).unwrap_or_default();
        if ["nemotron-3-super", "nemotron-3-ultra"].contains(&named) {
            model.prediction_layers = 2;
            self.draft.note(Some("mtp"), "2: not set; default of the recipe.");
        }
    }

    /// What settings say of a model that is known by its name.
    fn adjust(&mut self, model: &mut Model) -> Result<(), ImportError> {
        self.without_latent(model)?;
        if self.settings.word(&["mtp_num_layers"]).is_some() {
            model.prediction_layers = self.count("mtp", &["mtp_num_layers"])?.unwrap_or(0);
        }
        if self.settings.has_below("hybrid_layer_pattern") {
            let parts = self.parts()?;
            model.layers =
                parts.as_ref().and_then(|parts| u32::try_from(parts.len()).ok()).unwrap_or(model.layers);
            self.layers(model, parts)?;
        } else if model.pattern == LayerPattern::NONE
            && let Some(layers) = self.count("layers", &["num_layers"])?
        {
            model.layers = layers;
        }
        Ok(())
    }

    /// The model that the checkpoint is named after, which training starts from; whether it is known.
    fn of_checkpoint(&mut self) -> Result<bool, ImportError> {
        let Some(path) = self.settings.path(&["hf_checkpoint", "pretrained_checkpoint"]) else {
            return Ok(false);
        };
        let last = path.value().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        match hub::find(path.value()).or_else(|| hub::in_words(last)) {
            Some(mut model) => {
                self.adjust(&mut model)?;
                self.draft.model(&model);
                self.draft.note(Some("m"), format!("Model inferred from the name {}.", path.path));
                Ok(true)
            }
            None => {
                self.draft.ignore(
                &path,
                "The model is defined by this checkpoint, which is not a known model. Import its config.json too.",
                );
                Ok(false)
            }
        }
    }

    /// Switches off the latent of a model that is known by its name, where its attention is said to have none.
    fn without_latent(&mut self, model: &mut Model) -> Result<(), ImportError> {
        if model.latent.kv_rank == 0 || self.settings.flag(&["multi_latent_attention"])? != Some(false) {
            return Ok(());
        }
        model.latent = Latent::NONE;
        model.kv_heads = self.key_value_heads(model.heads)?;
        model.head_dim = self.count("dh", &["kv_channels"])?.unwrap_or(model.hidden / model.heads.max(1));
        let text =
            format!("0: multi_latent_attention is false, and the head dimension is {}.", model.head_dim);
        self.draft.note(Some("kvrank"), text);
        Ok(())
    }

    pub(super) fn count(&mut self, key: &'static str, names: &[&str]) -> Result<Option<u32>, ImportError> {
        let Some(number) = self.settings.whole(names)? else {
            if self.draft.given(key).is_none() {
                self.open(key, names);
            }
            return Ok(self.draft.given(key));
        };
        self.draft.source(key, &number.setting);
        let count = u32::try_from(number.value);
        count.map(Some).map_err(|_| number.setting.wrong(&format!("{} is not a count", number.value)))
    }

    fn model(&mut self) -> Result<Model, ImportError> {
        let parts = self.parts()?;
        let layers = match &parts {
            Some(parts) => u32::try_from(parts.len()).unwrap_or(u32::MAX),
            None => self.count("layers", &["num_layers"])?.unwrap_or(0),
        };
        let hidden = self.count("hidden", &["hidden_size"])?.unwrap_or(0);
        let heads = self.count("heads", &["num_attention_heads"])?.unwrap_or(0);
        let mut model = Model { layers, hidden, heads, ..Model::DENSE };
        model.gated_mlp = self.gated()?;
        let usual = if model.gated_mlp { two_thirds(hidden) } else { hidden.saturating_mul(4) };
        let multiple = self.count("ffn", &["multiple_of"])?.filter(|multiple| *multiple > 0);
        model.ffn = match (self.count("ffn", &["ffn_hidden_size"])?, multiple) {
            (Some(width), _) => width,
            (None, Some(multiple)) if model.gated_mlp => self.width_of_llama(hidden, multiple),
            (None, _) => {
                let text = format!("{usual}: not set; framework default.");
                self.draft.note(Some("ffn"), text);
                usual
            }
        };
        model.kv_heads = self.key_value_heads(heads)?;
        model.head_dim = self.count("dh", &["kv_channels"])?.unwrap_or(hidden / heads.max(1));
        model.tied_embeddings = self.tied()?;
        model.bias = self.bias()?;
        model.norm = match self.settings.text(&["normalization"]) {
            Some(norm) if norm.value().to_ascii_lowercase().contains("rms") => Norm::Rms,
            _ => Norm::Layer,
        };
        model.query_key_norm = self.settings.flag(&["qk_layernorm", "qk_l2_norm"])?.unwrap_or(false);
        model.positions = self.positions()?;
        self.latent(&mut model)?;
        self.experts(&mut model)?;
        model.activation = self.activation(&model)?;
        model.window = self.window()?;
        self.layers(&mut model, parts)?;
        model.prediction_layers = self.count("mtp", &["mtp_num_layers"])?.unwrap_or(0);
        model.vocabulary = self.vocabulary(&model)?;
        model.code = presets::code_of(&model);
        Ok(model)
    }

    /// The width that Llama's code computes (`model.py`, `FeedForward`): two thirds of four times the hidden size, times a
    /// factor, rounded up.
    fn width_of_llama(&mut self, hidden: u32, multiple: u32) -> u32 {
        let factor = self.settings.text(&["hidden_dim_multiplier", "ffn_dim_multiplier"]);
        let factor = factor.and_then(|factor| crate::decimal::parse(factor.value())).unwrap_or(1.0);
        let width = f64::from((u64::from(hidden) * 8 / 3) as u32) * factor;
        (width.min(1e9) as u32).div_ceil(multiple).saturating_mul(multiple)
    }

    fn gated(&mut self) -> Result<bool, ImportError> {
        let activation = self.settings.text(&["activation"]);
        let by_name = activation.is_some_and(|name| name.value().contains("glu"));
        Ok(self.settings.flag(&["swiglu", "quick_geglu", "gated_linear_unit"])?.unwrap_or(by_name))
    }

    /// The activation: of a switch, of its name (NeMo's `activation`, Megatron-Bridge's `activation_func`), or as models of this
    /// kind have it.
    fn activation(&mut self, model: &Model) -> Result<Activation, ImportError> {
        let switches = [
            ("squared_relu", Activation::Relu2),
            ("xielu", Activation::Xielu),
            ("quick_geglu", Activation::ClampedSilu),
            ("swiglu", Activation::Silu),
        ];
        for (switch, activation) in switches {
            if self.settings.flag(&[switch])? == Some(true) {
                return Ok(activation);
            }
        }
        let name = self.settings.text(&["activation_func", "activation"]);
        let name = name.as_ref().map_or("", |name| name.value().rsplit('.').next().unwrap_or_default());
        let said = Activation::from_name(name.trim_start_matches("fast-"));
        Ok(said.unwrap_or_else(|| model.activation_of_kind()))
    }

    fn key_value_heads(&mut self, heads: u32) -> Result<u32, ImportError> {
        let grouped = self.settings.flag(&["group_query_attention"])?;
        let groups = self.count("kv", &["num_query_groups"])?;
        let counts = grouped.unwrap_or(self.dialect == Dialect::Bridge);
        Ok(groups.filter(|_| counts).unwrap_or(heads))
    }

    fn tied(&mut self) -> Result<bool, ImportError> {
        let untied = self.settings.flag(&["untie_embeddings_and_output_weights"])?;
        let shared = self.settings.flag(&["share_embeddings_and_output_weights"])?;
        Ok(untied.map(|untied| !untied).or(shared).unwrap_or(true))
    }

    fn bias(&mut self) -> Result<Bias, ImportError> {
        let disabled = self.settings.flag(&["disable_bias_linear"])?.map(|disabled| !disabled);
        let everywhere = disabled.or(self.settings.flag(&["add_bias_linear", "bias"])?).unwrap_or(true);
        let inner = self.settings.flag(&["add_qkv_bias", "qkv_bias"])?.unwrap_or(false);
        Ok(match (everywhere, inner) {
            (true, _) => Bias::All,
            (false, true) => Bias::Qkv,
            (false, false) => Bias::None,
        })
    }

    fn positions(&mut self) -> Result<Positions, ImportError> {
        let old = self.flag(&["use_rotary_position_embeddings"])?;
        let kind = self.settings.word(&["position_embedding_type"]).filter(|kind| !kind.value().is_empty());
        let name = kind.as_ref().map_or("learned_absolute", |kind| kind.value());
        if let Some(kind) = kind.as_ref().filter(|_| ["relative", "nope"].contains(&name)) {
            self.draft
                .ignore(kind, "Unsupported position encoding. The cost is nearly the same as with RoPE.");
        }
        Ok(match name {
            "alibi" => {
                self.settings.spend("max_position_embeddings");
                Positions::Alibi
            }
            name if name.contains("learned") && !old => {
                Positions::Learned(self.count("ctx", &["max_position_embeddings"])?.unwrap_or(USUAL_ROWS))
            }
            _ => {
                self.settings.spend("max_position_embeddings");
                Positions::Rotary
            }
        })
    }

    fn latent(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let said = self.settings.flag(&["multi_latent_attention"])?;
        let kv_rank = self.count("kvrank", &["kv_lora_rank"])?;
        let query_rank = self.count("qrank", &["q_lora_rank"])?.unwrap_or(0);
        let parts =
            [("nope", "qk_head_dim", 128), ("rope", "qk_pos_emb_head_dim", 64), ("vdim", "v_head_dim", 128)];
        let mut widths = [0; 3];
        for (width, (key, name, usual)) in widths.iter_mut().zip(parts) {
            *width = self.count(key, &[name])?.unwrap_or(usual);
        }
        if said.unwrap_or(self.dialect == Dialect::Bridge && kv_rank.is_some()) {
            let [plain_dim, rotary_dim, value_dim] = widths;
            let kv_rank = kv_rank.unwrap_or(32);
            model.latent = Latent { kv_rank, query_rank, plain_dim, rotary_dim, value_dim };
            model.head_dim = value_dim;
            model.kv_heads = model.heads;
        }
        Ok(())
    }

    fn experts(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let top_k = self.count("topk", &["moe_router_topk"])?.unwrap_or(2);
        let width = self.count("effn", &["moe_ffn_hidden_size"])?;
        let shared = self.count("shared", &["moe_shared_expert_intermediate_size"])?;
        let order = self.settings.text(&["moe_layer_freq"]);
        let Some(count) = self.count("moe", &["num_experts", "num_moe_experts"])?.filter(|count| *count > 1)
        else {
            return Ok(());
        };
        let ffn = width.unwrap_or(model.ffn);
        let latent = self.count("elat", &["moe_latent_size"])?.filter(|narrow| *narrow < model.hidden);
        let latent = latent.unwrap_or(0);
        // One width holds all that every token passes.
        let (shared, shared_ffn) = match shared.filter(|width| *width > 0) {
            Some(width) if width.is_multiple_of(ffn.max(1)) => (width / ffn.max(1), 0),
            Some(width) => (1, width),
            None => (0, 0),
        };
        let Frequency { leading_dense, every } =
            order.map_or(Ok(Frequency::ALL), |order| self.order(&order))?;
        model.experts = Experts { count, top_k, ffn, shared, shared_ffn, latent, leading_dense, every };
        // Without a dense layer, the width of dense layers is of no use, and must not stand in the way of a layout.
        if leading_dense == 0 && every == 1 {
            model.ffn = ffn;
        }
        Ok(())
    }

    fn order(&mut self, order: &Setting) -> Result<Frequency, ImportError> {
        let Some(frequency) = frequency(order.value()) else {
            return Err(order.wrong("expected an order of dense and MoE layers such as 2 or ([0]*3+[1]*58)"));
        };
        if frequency.is_none() {
            self.draft.ignore(
                order,
                "This order of dense and expert layers is not supported. The forecast assumes experts in all layers.",
            );
        }
        Ok(frequency.unwrap_or(Frequency::ALL))
    }

    fn window(&mut self) -> Result<Window, ImportError> {
        let every = self.settings.text(&["window_attn_skip_freq"]);
        let Some(size) = self.settings.text(&["window_size"]) else { return Ok(Window::NONE) };
        let first = size.value().trim_matches(['(', ')', '[', ']']).split(',').next().unwrap_or_default();
        let before = first
            .trim()
            .parse::<u32>()
            .map_err(|_| size.wrong("expected a pair of numbers such as (127,0)"))?;
        // Megatron counts the tokens before a token, the field that token, too.
        let tokens = before.saturating_add(1);
        let every = match &every {
            Some(every) => {
                every.value().parse::<u32>().map_err(|_| every.wrong("only whole numbers are supported"))?
            }
            None => 0,
        };
        Ok(if every == 1 { Window::NONE } else { Window { tokens, full_every: every } })
    }

    /// The vocabulary: given, of the tokenizer, or of the published model of this shape.
    fn vocabulary(&mut self, model: &Model) -> Result<u32, ImportError> {
        if let Some(given) = self.count("vocab", &["vocab_size", "padded_vocab_size", "pad_vocab_size_to"])? {
            return Ok(given);
        }
        if let Some(given) = self.settings.of_whole(&["tokenizer.vocab_size"])? {
            return Ok(u32::try_from(given.value).unwrap_or(0));
        }
        let tokenizer = self.settings.text(&["tokenizer_type"]);
        let by_name = |name: &str| VOCABULARIES.iter().find(|entry| entry.0 == name);
        let typed = tokenizer.as_ref().and_then(|tokenizer| by_name(tokenizer.value()));
        let source = self.settings.path(&["tokenizer_model"]);
        if let Some((_, size, any)) = typed {
            let text = match source.filter(|_| *any) {
                Some(file) => format!(
                    "{size}: not set; value of Llama 2. Check the tokenizer file ({}).",
                    file.value().rsplit('/').next().unwrap_or_default()
                ),
                None => format!("{size}: not set; vocabulary of the tokenizer."),
            };
            self.draft.note(Some("vocab"), text);
            return Ok(*size);
        }
        if let Some(other) = source.and_then(|source| hub::find(source.value())) {
            let size = other.vocabulary;
            self.draft.note(
                Some("vocab"),
                format!("{size}: not set; vocabulary of the model whose tokenizer is used."),
            );
            return Ok(size);
        }
        let alike = |other: &Model| {
            (other.layers, other.hidden, other.heads, other.kv_heads, other.ffn, other.experts.count)
                == (model.layers, model.hidden, model.heads, model.kv_heads, model.ffn, model.experts.count)
        };
        let preset = MODELS.iter().find(|preset| alike(&preset.model));
        let of_hub = || {
            let of = |row: &HubModel| shape(row).filter(alike).map(|model| (model.vocabulary, row.name));
            HUB.iter().find_map(of)
        };
        let known = preset.map(|preset| (preset.model.vocabulary, preset.label)).or_else(of_hub);
        let (size, label) = known.unwrap_or((50_257, "GPT-2"));
        self.draft.note(Some("vocab"), format!("{size}: not set; vocabulary of {label}."));
        Ok(size)
    }
}

/// The parser's default width of a gated feed-forward part: two thirds of 4 times the hidden size, in steps of 64.
fn two_thirds(hidden: u32) -> u32 {
    let width = u64::from(hidden) * 8 / 3 / 64 * 64;
    u32::try_from(width).unwrap_or(u32::MAX)
}
