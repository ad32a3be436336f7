//! Experts of a `config.json`.

use super::super::super::ImportError;
use super::Shape;
use crate::scenario::model::{Experts, Model};

/// Names of the number of routed experts.
const COUNT: [&str; 9] = [
    "n_routed_experts",
    "num_local_experts",
    "num_experts",
    "moe_num_experts",
    "ffn_config.moe_num_experts",
    "num_moe_experts",
    "num_routed_experts",
    "moe_config.num_experts",
    "moe_config.moe_num_experts",
];

/// Names of the experts that a token is sent to.
const TOP_K: [&str; 11] = [
    "num_experts_per_tok",
    "num_experts_per_token",
    "top_k_experts",
    "experts_per_token",
    "num_experts_per_topk",
    "moe_top_k",
    "moe_topk",
    "moe_k",
    "ffn_config.moe_top_k",
    "moe_config.top_k",
    "moe_config.moe_top_k",
];

/// What is said of dense layers between or behind those with experts.
const OTHER_ORDER: &str =
    "Only leading dense layers are supported. Other dense layers are counted as expert layers.";

impl Shape<'_> {
    /// The experts of a shape whose feed-forward part is known.
    pub(super) fn experts(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let top_k = self.count("topk", &TOP_K)?;
        let Some(count) = self.count("moe", &COUNT)?.filter(|count| *count > 1) else {
            // Granite 4's feed-forward part is what would be the shared expert.
            if self.name == "granitemoehybrid"
                && let Some(width) = self.count("ffn", &["shared_intermediate_size"])?
            {
                model.ffn = width;
            }
            return Ok(());
        };
        let top_k = match top_k {
            Some(top_k) => top_k,
            None => {
                self.draft.note(Some("topk"), "2: the number of experts per token is not in the file.");
                2
            }
        };
        if self.name == "jetmoe" {
            // The projections of queries and outputs that a token is not sent to.
            let idle = f64::from(count.saturating_sub(top_k)) * f64::from(model.layers);
            let matrix = f64::from(model.hidden) * f64::from(model.kv_heads) * f64::from(model.head_dim);
            self.left_out += 2.0 * idle * matrix;
        }
        let ffn = match self.width_of_texts(model, count)? {
            Some(ffn) => ffn,
            None => self.width(model)?,
        };
        let narrow = self.count("elat", &["moe_latent_size", "routed_expert_hidden_size"])?;
        let latent = narrow.filter(|narrow| *narrow < model.hidden).unwrap_or(0);
        let (shared, shared_ffn) = self.shared(ffn, model)?;
        let (leading_dense, every) = self.order_of_experts(model.layers)?;
        model.experts = Experts { count, top_k, ffn, shared, shared_ffn, latent, leading_dense, every };
        // Without a dense layer, the width of dense layers is of no use, and must not stand in the way of a layout.
        if leading_dense == 0 && every == 1 && self.name != "llama4_text" {
            model.ffn = ffn;
        }
        Ok(())
    }

    /// The first of two widths: ERNIE 4.5 VL has experts of another width, as many again, for tokens of images.
    fn width_of_texts(&mut self, model: &Model, count: u32) -> Result<Option<u32>, ImportError> {
        let Some(widths) = self.settings.text(&["moe_intermediate_size"]) else { return Ok(None) };
        let Some((texts, images)) = widths.value().split_once(',') else { return Ok(None) };
        let (Ok(texts), Ok(images)) = (texts.trim().parse::<u32>(), images.trim().parse::<u32>()) else {
            return Ok(None);
        };
        let layers = model.layers.saturating_sub(self.leading()?);
        self.left_out +=
            3.0 * f64::from(layers) * f64::from(count) * f64::from(images) * f64::from(model.hidden);
        self.unsupported("The experts for image tokens (moe_intermediate_size) are not counted.");
        Ok(Some(texts))
    }

    fn width(&mut self, model: &Model) -> Result<u32, ImportError> {
        let own = self.count(
            "effn",
            &["moe_intermediate_size", "expert_ffn_hidden_size", "expert_dim", "ffn_config.ffn_hidden_size"],
        )?;
        // Llama-4 and MiniMax-M3 give the width of an expert under the usual name, and that of dense layers apart.
        let apart = ["intermediate_size_mlp", "dense_intermediate_size"];
        let own = match own {
            None if apart.iter().any(|name| self.settings.has(name)) => {
                self.count("effn", &["intermediate_size"])?
            }
            own => own,
        };
        Ok(own.unwrap_or(model.ffn))
    }

    /// Shared experts, and the width of each where it is another than a routed one's: as many of a routed one's width as a
    /// width of their own holds.
    fn shared(&mut self, ffn: u32, model: &Model) -> Result<(u32, u32), ImportError> {
        let names = ["n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"];
        let count = self.count("shared", &names)?;
        // A width of their own holds whatever their number is.
        let widths = [
            "shared_expert_intermediate_size",
            "moe_shared_expert_intermediate_size",
            "shared_intermediate_size",
            "shared_experts_intermediate_size",
            "share_expert_dim",
        ];
        let width = match self.count("sffn", &widths)? {
            // Gemma 4 and Grok-2 have their dense feed-forward part beside the experts of every layer.
            None if self.settings.flag(&["enable_moe_block", "residual_moe"])? == Some(true) => {
                self.count("sffn", &["intermediate_size"])?
            }
            // Arctic has one as wide as the residual stream.
            None if self.settings.flag(&["parallel_attn_mlp_res"])? == Some(true) => Some(model.hidden),
            width => width,
        };
        if let Some(width) = width.filter(|width| *width > 0 && count != Some(0)) {
            return Ok(if width.is_multiple_of(ffn.max(1)) { (width / ffn.max(1), 0) } else { (1, width) });
        }
        // Every expert layer of Llama-4 has one, and its configuration does not say so.
        Ok((count.unwrap_or(u32::from(self.name == "llama4_text")), 0))
    }

    fn leading(&mut self) -> Result<u32, ImportError> {
        if let Some(leading) =
            self.count("lead", &["first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"])?
        {
            return Ok(leading);
        }
        // Qwen lists its dense layers one by one.
        let Some(dense) = self.settings.text(&["mlp_only_layers"]) else { return Ok(0) };
        let layers: Vec<&str> = dense.value().split(',').map(str::trim).collect();
        let leading = layers.iter().enumerate().all(|(index, layer)| layer.parse() == Ok(index));
        if leading {
            return Ok(u32::try_from(layers.len()).unwrap_or(u32::MAX));
        }
        self.unsupported(OTHER_ORDER);
        Ok(0)
    }

    /// Dense layers before the first with experts, and every how many of the others hold them.
    fn order_of_experts(&mut self, layers: u32) -> Result<(u32, u32), ImportError> {
        let leading = self.leading()?;
        if let Some(places) = self.settings.text(&["moe_layers_enum"]) {
            let places: Vec<u32> =
                places.value().split(',').filter_map(|place| place.trim().parse().ok()).collect();
            let first = places.first().copied().unwrap_or(0);
            if !places.iter().copied().eq(first..layers) {
                self.unsupported(OTHER_ORDER);
            }
            return Ok((first, 1));
        }
        let names = [
            "interleave_moe_layer_step",
            "decoder_sparse_step",
            "moe_layer_interval",
            "expert_layer_period",
            "moe_every_n_layers",
        ];
        if let Some(every) = self.count("every", &names)? {
            let every = every.max(1);
            // Jamba says which layer of a period it is; fields take the last of each behind the leading ones.
            let offset = self.count("lead", &["expert_layer_offset"])?.map(|offset| (offset + 1) % every);
            if offset.is_some_and(|offset| offset > 0 && offset < layers) && every > 1 {
                self.draft.note(Some("lead"), "Experts in the first layer period are not counted.");
            }
            return Ok((offset.unwrap_or(leading), every));
        }
        let names = ["moe_layer_freq", "mlp_layer_types"];
        let Some(frequency) = self.settings.text(&names) else { return Ok((leading, 1)) };
        if let Ok(every) = frequency.value().parse::<u32>() {
            return Ok((leading, every.max(1)));
        }
        // One of 0 and 1, or a word, a layer: dense layers first is the only order that fields say.
        let kinds: Vec<bool> =
            frequency.value().split(',').map(|kind| ["0", "dense"].contains(&kind.trim())).collect();
        let dense = kinds.iter().take_while(|dense| **dense).count();
        if kinds.iter().skip(dense).any(|dense| *dense) {
            self.unsupported(OTHER_ORDER);
        }
        Ok((u32::try_from(dense).unwrap_or(leading), 1))
    }
}
