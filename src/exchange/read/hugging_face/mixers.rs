//! The recurrent mixer of a `config.json`.

use super::super::super::ImportError;
use super::Shape;
use crate::scenario::model::{Model, Recurrent, StateRule};

/// Width of a head's value that channels are counted in, where a mixer has none of its own (Mamba).
const CHANNELS: u32 = 64;

/// What a family has for its mixer where the file leaves it out, as its configuration class has it.
struct Usual {
    types: &'static [&'static str],
    heads: u32,
    groups: u32,
    state: u32,
}

/// Of Mamba-2's kind: transformers 5.24.
const USUAL: [Usual; 4] = [
    Usual { types: &["bamba", "granitemoehybrid", "falcon_h1"], heads: 128, groups: 1, state: 256 },
    // The package `mamba_ssm` has heads of 64.
    Usual { types: &["mamba_ssm2"], heads: 0, groups: 1, state: 128 },
    Usual { types: &["zamba2"], heads: 0, groups: 1, state: 64 },
    Usual { types: &[], heads: 128, groups: 8, state: 128 },
];

impl Shape<'_> {
    /// The recurrent mixer of a shape whose attention is known.
    pub(super) fn mixer(&mut self, model: &Model) -> Result<Recurrent, ImportError> {
        match self.family.mixer {
            StateRule::None => Ok(Recurrent::NONE),
            StateRule::Mamba2 => self.mamba2(model),
            StateRule::Mamba1 => self.mamba1(model),
            StateRule::GatedDelta | StateRule::Kda | StateRule::Delta if !self.is_fla() => self.delta(model),
            StateRule::Lightning if !self.is_fla() => Ok(Recurrent {
                rule: StateRule::Lightning,
                heads: model.heads,
                key_heads: model.heads,
                key_dim: model.head_dim,
                value_dim: model.head_dim,
                convolution: 0,
            }),
            StateRule::RgLru => {
                let width = self.counted(&["lru_width"], model.hidden)?;
                Ok(Recurrent {
                    rule: StateRule::RgLru,
                    heads: model.heads,
                    key_heads: 0,
                    key_dim: 0,
                    value_dim: width / model.heads.max(1),
                    convolution: self.counted(&["conv1d_width"], 4)?,
                })
            }
            StateRule::ShortConvolution => Ok(Recurrent {
                rule: StateRule::ShortConvolution,
                heads: model.heads,
                key_heads: 0,
                key_dim: 0,
                value_dim: model.hidden / model.heads.max(1),
                convolution: self.counted(&["conv_L_cache"], 3)?,
            }),
            rule => self.flash_linear_attention(rule, model),
        }
    }

    /// A count of the file, or another without it.
    fn counted(&mut self, names: &[&str], other: u32) -> Result<u32, ImportError> {
        Ok(self.settings.whole(names)?.map(|number| super::checked(&number)).transpose()?.unwrap_or(other))
    }

    fn is_fla(&self) -> bool {
        super::families::is_of_flash_linear_attention(&self.name)
    }

    fn mamba2(&mut self, model: &Model) -> Result<Recurrent, ImportError> {
        let family = self.name.clone();
        let of = |row: &&Usual| row.types.is_empty() || row.types.contains(&family.as_str());
        let Usual { heads, groups, state, .. } = USUAL.iter().find(of).unwrap_or(&USUAL[3]);
        let expand = self.counted(&["mamba_expand", "expand"], 2)?;
        let inner = model.hidden.saturating_mul(expand);
        let inner = self.counted(&["mamba_d_ssm"], inner)?;
        let own = ["mamba2", "codestral_mamba"].contains(&family.as_str());
        let widths = ["mamba_head_dim", "mamba_d_head", "mamba_headdim", if own { "head_dim" } else { "" }];
        let width = self.counted(&widths, if family == "mamba_ssm2" { 64 } else { 0 })?;
        let usual = if width > 0 && *heads == 0 { inner / width } else { *heads };
        let names = ["mamba_num_heads", "mamba_n_heads", "n_mamba_heads", if own { "num_heads" } else { "" }];
        let heads = self.counted(&names, usual)?.max(1);
        Ok(Recurrent {
            rule: StateRule::Mamba2,
            heads,
            key_heads: self.counted(&["n_groups", "mamba_n_groups", "mamba_ngroups"], *groups)?,
            key_dim: self.counted(&["ssm_state_size", "mamba_d_state", "state_size"], *state)?,
            value_dim: if width > 0 { width } else { inner / heads },
            convolution: self.counted(&["conv_kernel", "mamba_d_conv", "mamba_conv_kernel"], 4)?,
        })
    }

    fn mamba1(&mut self, model: &Model) -> Result<Recurrent, ImportError> {
        let expand = self.counted(&["mamba_expand", "expand"], 2)?;
        // Models of Mamba alone give the width inside it, and the share of it, too.
        let inner =
            if super::families::has_no_attention(&self.name) { "intermediate_size" } else { "d_inner" };
        let inner = self.counted(&[inner], model.hidden.saturating_mul(expand))?;
        let width = if inner.is_multiple_of(CHANNELS) { CHANNELS } else { inner };
        let rank = self.counted(&["mamba_dt_rank", "time_step_rank"], model.hidden.div_ceil(16))?;
        if rank != model.hidden.div_ceil(16) {
            self.unsupported(format!(
                "The time step rank is {rank}, but the forecast assumes 1/16 of the hidden size."
            ));
        }
        Ok(Recurrent {
            rule: StateRule::Mamba1,
            heads: inner / width.max(1),
            key_heads: 1,
            key_dim: self.counted(&["mamba_d_state", "state_size"], 16)?,
            value_dim: width,
            convolution: self.counted(&["mamba_d_conv", "conv_kernel"], 4)?,
        })
    }

    /// Delta rules of Qwen, Kimi and OLMo.
    fn delta(&mut self, model: &Model) -> Result<Recurrent, ImportError> {
        let values = ["linear_num_value_heads", "linear_attn_config.num_heads", "linear_num_heads"];
        let heads =
            self.counted(&values, if self.family.mixer == StateRule::Kda { model.heads } else { 32 })?;
        let width = ["linear_key_head_dim", "linear_attn_config.head_dim", "linear_head_dim"];
        let key_dim = self.counted(&width, 128)?;
        let usual = if self.family.mixer == StateRule::GatedDelta { 16 } else { heads };
        Ok(Recurrent {
            rule: self.family.mixer,
            heads,
            key_heads: self.counted(&["linear_num_key_heads"], usual)?,
            key_dim,
            value_dim: self.counted(&["linear_value_head_dim"], key_dim)?,
            convolution: self
                .counted(&["linear_conv_kernel_dim", "linear_attn_config.short_conv_kernel_size"], 4)?,
        })
    }

    /// Classes of flash-linear-attention 0.6: shares of the width, and a convolution where it is asked for.
    fn flash_linear_attention(&mut self, rule: StateRule, model: &Model) -> Result<Recurrent, ImportError> {
        let family = self.name.clone();
        let share = |settings: &mut super::Settings, name: &str, other: f64| {
            let text = settings.text(&[name]).and_then(|setting| setting.value().parse::<f64>().ok());
            text.unwrap_or(other)
        };
        let (keys, values) = match family.as_str() {
            "gla" => (0.5, 1.0),
            "retnet" | "gated_deltanet" => (1.0, 2.0),
            _ => (1.0, 1.0),
        };
        let keys = share(self.settings, "expand_k", keys);
        let values = share(self.settings, "expand_v", values);
        let convolves = matches!(rule, StateRule::GatedDelta | StateRule::Delta | StateRule::Kda);
        let convolves = self.settings.flag(&["use_short_conv"])?.unwrap_or(convolves);
        let taps = self.counted(&["conv_size"], 4)?;
        let heads = self.counted(&["num_heads"], model.heads)?;
        let of_width = |share: f64| (f64::from(model.hidden) * share / f64::from(heads.max(1))) as u32;
        // Gated DeltaNet and KDA give the width of a key; HGRN2 the number of keys of a head.
        let own = matches!(family.as_str(), "gated_deltanet" | "kda");
        let key = self.counted(&[if own { "head_dim" } else { "" }], of_width(keys))?;
        let key = self.counted(&["expand_ratio"], key)?;
        let value_dim = if own { (f64::from(key) * values) as u32 } else { of_width(values) };
        Ok(Recurrent {
            rule,
            heads: self.counted(&["num_v_heads"], heads)?,
            key_heads: self.counted(&["num_kv_heads"], heads)?,
            key_dim: key,
            value_dim,
            convolution: if convolves { taps } else { 0 },
        })
    }
}
