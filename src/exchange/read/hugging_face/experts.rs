//! Experts of a `config.json`.

use super::super::super::ImportError;
use super::super::super::parts;
use super::Shape;
use crate::scenario::model::{Experts, Model};

/// Names of the number of routed experts.
const COUNT: [&str; 7] = [
    "n_routed_experts",
    "num_local_experts",
    "num_experts",
    "moe_num_experts",
    "ffn_config.moe_num_experts",
    "num_moe_experts",
    "num_routed_experts",
];

/// Names of the experts that a token is sent to.
const TOP_K: [&str; 9] = [
    "num_experts_per_tok",
    "num_experts_per_token",
    "top_k_experts",
    "experts_per_token",
    "num_experts_per_topk",
    "moe_top_k",
    "moe_topk",
    "moe_k",
    "ffn_config.moe_top_k",
];

impl Shape<'_> {
    /// The experts of a shape whose feed-forward part is known.
    pub(super) fn experts(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let top_k = self.count("topk", &TOP_K)?;
        let Some(count) = self.count("moe", &COUNT)?.filter(|count| *count > 1) else {
            return Ok(());
        };
        let top_k = match top_k {
            Some(top_k) => top_k,
            None => {
                self.draft.note(Some("topk"), "2: how many experts a token is sent to is not said.");
                2
            }
        };
        let own = self.width(model)?;
        let ffn = self.projected(own, model.hidden)?;
        let shared = self.shared(own, ffn)?;
        let (leading_dense, every) = self.order()?;
        model.experts = Experts { count, top_k, ffn, shared, shared_ffn: 0, latent: 0, leading_dense, every };
        // Without a dense layer, the width of dense layers is of no use, and must not stand in the way of a layout.
        if leading_dense == 0 && every == 1 && self.family_name() != "llama4_text" {
            model.ffn = ffn;
        }
        Ok(())
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

    /// The width of an expert that has as many parameters at the model's width as it has on a projection of it.
    fn projected(&mut self, own: u32, hidden: u32) -> Result<u32, ImportError> {
        let narrow = self.count("effn", &["moe_latent_size", "routed_expert_hidden_size"])?;
        let Some(narrow) = narrow.filter(|narrow| *narrow > 0 && *narrow < hidden) else { return Ok(own) };
        let width = parts::at_full_width(own, narrow, hidden);
        self.draft.note(Some("effn"), parts::projection_note(own, narrow, hidden));
        Ok(width)
    }

    /// Shared experts in units of a routed one: their number times their width, which is that of a routed one where the
    /// file gives none.
    fn shared(&mut self, own: u32, ffn: u32) -> Result<u32, ImportError> {
        let names = ["n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"];
        let count = self.count("shared", &names)?;
        // A width of their own holds whatever their number is.
        let widths = [
            "shared_expert_intermediate_size",
            "moe_shared_expert_intermediate_size",
            "shared_intermediate_size",
        ];
        let width = match self.count("shared", &widths)? {
            // Gemma 4 has its dense feed-forward part beside the experts of every layer.
            None if self.settings.flag(&["enable_moe_block"])? == Some(true) => {
                self.count("shared", &["intermediate_size"])?
            }
            width => width,
        };
        if let Some(width) = width.filter(|width| *width > 0 && count != Some(0)) {
            let count = (f64::from(width) / f64::from(ffn.max(1))).round().max(1.0) as u32;
            if width != ffn.saturating_mul(count) {
                let text = format!("{count}: shared experts of {width} together, in units of {ffn}.");
                self.draft.note(Some("shared"), text);
            }
            return Ok(count);
        }
        if let Some(count) = count {
            return Ok(if own == ffn { count } else { count.saturating_mul(own).div_ceil(ffn.max(1)) });
        }
        // Every expert layer of Llama-4 has one, and its configuration does not say so.
        Ok(u32::from(self.family_name() == "llama4_text"))
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
        self.draft.ignore(&dense, "Dense layers that are not the first ones are taken to hold experts.");
        Ok(0)
    }

    /// Dense layers before the first with experts, and every how many of the others hold them.
    fn order(&mut self) -> Result<(u32, u32), ImportError> {
        let leading = self.leading()?;
        let names =
            ["interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_interval", "expert_layer_period"];
        if let Some(every) = self.count("every", &names)? {
            return Ok((leading, every.max(1)));
        }
        let Some(frequency) = self.settings.text(&["moe_layer_freq"]) else { return Ok((leading, 1)) };
        if let Ok(every) = frequency.value().parse::<u32>() {
            return Ok((leading, every.max(1)));
        }
        // A list of 0 and 1, one a layer: dense layers first is the only order that fields say.
        let kinds: Vec<&str> = frequency.value().split(',').map(str::trim).collect();
        let dense = kinds.iter().take_while(|kind| **kind == "0").count();
        if kinds.iter().skip(dense).any(|kind| *kind != "1") {
            self.draft.ignore(&frequency, "Its order of dense layers and experts is none that fields say.");
        }
        Ok((u32::try_from(dense).unwrap_or(leading), 1))
    }
}
