//! The dense feed-forward part of a `config.json`: its gate and its width.

use super::super::super::ImportError;
use super::super::super::settings::Setting;
use super::{ACTIVATION, Shape, families};
use crate::scenario::model::{Activation, Model};

/// Names of the width. Files of experts may give the width of their dense layers apart from the usual name, which is that
/// of an expert then (Llama-4, MiniMax-M3).
const WIDTH: [&str; 12] = [
    "intermediate_size_mlp",
    "dense_intermediate_size",
    "ff_intermediate_size",
    "intermediate_size",
    "n_inner",
    "ffn_dim",
    "ffn_hidden_size",
    "ffn_config.ffn_hidden_size",
    "d_ff",
    "block_ff_dim",
    "hidden_dim",
    "mlp_hidden_size",
];

/// Settings whose value may be the name of a gate: SwiGLU, GEGLU.
const GATES: [&str; 4] = ["feed_forward_type", "activation_function", "activation_type", "hidden_act"];

/// What flash-linear-attention rounds widths up to.
const FLA_MULTIPLE: u32 = 256;

/// A width, and what is said of it where the file gives none.
pub(super) struct Dense {
    pub(super) width: u32,
    pub(super) note: Option<String>,
}

impl Shape<'_> {
    /// Whether there are two up-projections: as a setting or the family says, else as the activation does.
    pub(super) fn gated(&mut self) -> Result<bool, ImportError> {
        let said = self.settings.flag(&["gated_mlp", "is_gated_act", "use_gated_mlp", "ffn_with_glu"])?;
        // Encoders have SiLU in a gate alone.
        let names_gate = |name: &Setting| {
            let name = name.value().to_ascii_lowercase();
            name.contains("glu") || self.family.encoder && name.contains("silu")
        };
        let named = self.settings.text(&GATES).as_ref().is_some_and(names_gate);
        Ok(said.unwrap_or(self.family.gated || named))
    }

    /// The activation: as the file says, as the family's code has it where that asks for no setting, or as models of this kind
    /// have it.
    pub(super) fn activation(&mut self, model: &Model) -> Activation {
        let said = self.settings.text(&ACTIVATION).and_then(|name| Activation::from_name(name.value()));
        let name = self.name.clone();
        let taken = families::own_activation(&name).or(said).or_else(|| families::usual_activation(&name));
        taken.unwrap_or_else(|| model.activation_of_kind())
    }

    /// The width of the dense feed-forward part.
    pub(super) fn feed_forward(&mut self, hidden: u32) -> Result<Dense, ImportError> {
        if self.settings.has("ffn_multipliers") {
            let multiple = self.plain_count("ffn_dim_divisor")?.unwrap_or(FLA_MULTIPLE).max(1);
            let own =
                |share: f64| (share * f64::from(hidden) / f64::from(multiple)).round() * f64::from(multiple);
            if let Some(width) = self.mean("ffn_multipliers", own) {
                return Ok(Dense { width, note: None });
            }
        }
        if let Some(width) = self.usual_width() {
            return Ok(Dense { width, note: None });
        }
        if let Some(width) = self.count("ffn", &WIDTH)? {
            let width = match self.name.as_str() {
                // Both branches together.
                "qwen" | "recurrent_gemma" | "molmo" | "hf_olmo" => width / 2,
                "neobert" => rounded_up(two_thirds(width), 8),
                _ => width,
            };
            // It repeats the width of LFM2.
            self.settings.spend("block_ff_dim");
            return Ok(Dense { width: self.adjusted(width)?, note: None });
        }
        // RetNet's class has another default.
        let usual = if self.name == "retnet" { 2 } else { 4 };
        let fla = super::families::is_of_flash_linear_attention(&self.name).then_some(usual);
        if let Some(ratio) = self.count("ffn", &["hidden_ratio"])?.or(fla) {
            let width = two_thirds(hidden.saturating_mul(ratio));
            return Ok(Dense { width: rounded_up(width, FLA_MULTIPLE), note: None });
        }
        let ratio = self.count("ffn", &["expansion_ratio"])?.unwrap_or(4);
        let width = hidden.saturating_mul(ratio);
        let note =
            format!("{width}: the feed-forward size is not set; default: {ratio} times the hidden size.");
        Ok(Dense { width, note: Some(note) })
    }

    /// A width after the adjustment that LFM2 makes to the one in its file, for the third matrix of a gate.
    fn adjusted(&mut self, width: u32) -> Result<u32, ImportError> {
        if self.settings.flag(&["block_auto_adjust_ff_dim"])? != Some(true) {
            return Ok(width);
        }
        let factor = self.settings.text(&["block_ffn_dim_multiplier"]);
        let factor: f64 = factor.and_then(|factor| factor.value().parse().ok()).unwrap_or(1.0);
        let multiple = self.count("ffn", &["block_multiple_of"])?.unwrap_or(FLA_MULTIPLE);
        Ok(rounded_up((f64::from(two_thirds(width)) * factor) as u32, multiple))
    }
}

fn two_thirds(width: u32) -> u32 {
    (u64::from(width) * 2 / 3) as u32
}

fn rounded_up(width: u32, multiple: u32) -> u32 {
    width.div_ceil(multiple.max(1)).saturating_mul(multiple.max(1))
}
