//! Layers of other mixers than attention, in Megatron's names.

use super::super::ImportError;
use super::super::parts;
use super::Reader;
use crate::scenario::model::{FeedForward, LayerPattern, Model, Recurrent, Sparse, StateRule};

/// Most layers that shares are spread over.
const MOST_LAYERS: u32 = 4096;

impl Reader<'_> {
    /// Letters of every layer of a hybrid model; nothing of one whose layers all attend.
    pub(super) fn parts(&mut self) -> Result<Option<String>, ImportError> {
        if let Some(list) = self.settings.text(&["hybrid_layer_pattern", "hybrid_override_pattern"]) {
            self.draft.source("layers", &list);
            self.draft.source("lay", &list);
            ["hybrid_attention_ratio", "hybrid_mlp_ratio", "num_layers"]
                .iter()
                .for_each(|name| self.settings.spend(name));
            let bare = list.value().trim_matches(['"', '\'']);
            return match parts::letters(bare) {
                Some(letters) => Ok(Some(letters)),
                None => Err(list.wrong("expected a layer pattern such as M-M-M*-")),
            };
        }
        let attention = self.settings.text(&["hybrid_attention_ratio"]);
        let inner = self.settings.text(&["hybrid_mlp_ratio"]);
        let stack = self.settings.text(&["spec"]).is_some_and(|spec| spec.value().contains("mamba"));
        let said = self.settings.flag(&["is_hybrid_model"])?.unwrap_or(false);
        if attention.is_none() && inner.is_none() && !stack && !said {
            return Ok(None);
        }
        let share = |setting: Option<super::Setting>| {
            setting.and_then(|setting| setting.value().parse::<f64>().ok()).unwrap_or(0.0)
        };
        let layers = self.count("layers", &["num_layers"])?.unwrap_or(0).min(MOST_LAYERS);
        let layers = usize::try_from(layers).unwrap_or(0);
        Ok((layers > 0).then(|| parts::of_shares(layers, share(attention), share(inner))))
    }

    /// What the layers are where not all attend, of a shape whose heads and widths are known.
    pub(super) fn layers(&mut self, model: &mut Model, parts: Option<String>) -> Result<(), ImportError> {
        model.output_gate = self.settings.flag(&["attention_output_gate"])?.unwrap_or(false);
        if let Some(letters) = parts {
            model.pattern = repeated(&letters)?;
            if letters.contains('G') {
                if letters.contains('M') {
                    let text = "Models with both Mamba and gated delta rule layers are not supported.";
                    return Err(ImportError { line: None, name: None, message: text.to_owned() });
                }
                model.recurrent = self.gated_delta()?;
            } else if letters.contains('M') {
                model.recurrent = self.mamba(model.hidden)?;
            }
            let dense = model.pattern.any(|letter| letter.feed_forward == Some(FeedForward::Dense));
            if dense && let Some(width) = self.count("ffn", &["ffn_hidden_size"])? {
                model.ffn = width;
            }
            return Ok(());
        }
        let variant = self.settings.text(&["experimental_attention_variant", "linear_attention_type"]);
        if variant.as_ref().is_some_and(|variant| variant.value() == "dsa") {
            model.pattern = LayerPattern::parse("s").unwrap_or_default();
            model.sparse = Sparse {
                selected: self.or("sel", "dsa_indexer_topk", 2048)?,
                index_heads: self.or("idxh", "dsa_indexer_n_heads", 64)?,
                index_dim: self.or("idxd", "dsa_indexer_head_dim", 128)?,
                ..Sparse::NONE
            };
            return Ok(());
        }
        if variant.is_none_or(|variant| variant.value() != "gated_delta_net") {
            return Ok(());
        }
        let Some(order) = self.settings.text(&["linear_attention_freq"]) else { return Ok(()) };
        self.draft.source("lay", &order);
        let layers = usize::try_from(model.layers.min(MOST_LAYERS)).unwrap_or(0);
        let recurs: Vec<bool> = match order.value().parse::<usize>() {
            Ok(every) => (1..=layers).map(|layer| !layer.is_multiple_of(every.max(1))).collect(),
            Err(_) => super::layers::list(order.value())
                .ok_or_else(|| order.wrong("expected a layer order such as 4 or ([1]*3+[0]*1)*12"))?,
        };
        let letters: String = recurs.into_iter().map(|recurs| if recurs { 'r' } else { 'a' }).collect();
        model.pattern = repeated(&letters)?;
        model.recurrent = self.gated_delta()?;
        Ok(())
    }

    /// A count of the file, or another without it.
    fn or(&mut self, key: &'static str, name: &str, other: u32) -> Result<u32, ImportError> {
        Ok(self.count(key, &[name])?.unwrap_or(other))
    }

    /// Mamba-2, with the parser's defaults.
    fn mamba(&mut self, hidden: u32) -> Result<Recurrent, ImportError> {
        let width = self.or("mixd", "mamba_head_dim", 64)?;
        let usual = hidden.saturating_mul(2) / width.max(1);
        Ok(Recurrent {
            rule: StateRule::Mamba2,
            heads: self.or("mixh", "mamba_num_heads", usual)?,
            key_heads: self.or("mixk", "mamba_num_groups", 8)?,
            key_dim: self.or("mixs", "mamba_state_dim", 128)?,
            value_dim: width,
            convolution: 4,
        })
    }

    /// Gated DeltaNet, with the parser's defaults.
    fn gated_delta(&mut self) -> Result<Recurrent, ImportError> {
        Ok(Recurrent {
            rule: StateRule::GatedDelta,
            heads: self.or("mixh", "linear_num_value_heads", 32)?,
            key_heads: self.or("mixk", "linear_num_key_heads", 16)?,
            key_dim: self.or("mixs", "linear_key_head_dim", 128)?,
            value_dim: self.or("mixd", "linear_value_head_dim", 128)?,
            convolution: self.or("conv", "linear_conv_kernel_dim", 4)?,
        })
    }
}

fn repeated(letters: &str) -> Result<LayerPattern, ImportError> {
    parts::pattern(letters).map_err(|period| ImportError {
        line: None,
        name: Some("hybrid_override_pattern".to_owned()),
        message: format!("The layer pattern has a period of {period} layers, but at most 128 are supported."),
    })
}
