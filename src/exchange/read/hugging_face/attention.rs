//! Heads, latents and windows of a `config.json`.

use super::super::super::ImportError;
use super::Shape;
use crate::scenario::model::{Latent, Model, Window};

impl Shape<'_> {
    /// Heads, latent attention and the window of a shape whose width is known.
    pub(super) fn attention(&mut self, model: &mut Model) -> Result<(), ImportError> {
        model.kv_heads = self.key_value_heads(model.heads)?;
        let head = self.count("dh", &["head_dim", "kv_channels", "d_kv", "attention_head_dim"])?;
        model.head_dim = head.filter(|width| *width > 0).unwrap_or(model.hidden / model.heads.max(1));
        self.latent(model)?;
        model.window = self.window(model.layers)?;
        Ok(())
    }

    fn key_value_heads(&mut self, heads: u32) -> Result<u32, ImportError> {
        // Falcon's first versions have one key and value for all heads, unless the new architecture gives a number.
        let one = self.settings.flag(&["multi_query"])?.unwrap_or(false);
        let new = self.settings.flag(&["new_decoder_architecture"])?.unwrap_or(false);
        let groups = self.settings.flag(&["multi_query_attention"])?;
        let names = [
            "num_key_value_heads",
            "num_kv_heads",
            "attn.num_kv_heads",
            "n_head_kv",
            "attn_config.kv_n_heads",
            "multi_query_group_num",
            "num_query_groups",
            "n_kv_heads",
        ];
        let given = self.count("kv", &names)?;
        Ok(match given {
            _ if one && !new => 1,
            Some(_) if groups == Some(false) => heads,
            Some(given) => given,
            None => heads,
        })
    }

    /// Multi-head latent attention, as DeepSeek-V2's and V3's configurations name its parts.
    fn latent(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let Some(kv_rank) = self.count("kvrank", &["kv_lora_rank"])?.filter(|rank| *rank > 0) else {
            return Ok(());
        };
        model.latent = Latent {
            kv_rank,
            query_rank: self.count("qrank", &["q_lora_rank"])?.unwrap_or(0),
            plain_dim: self.count("nope", &["qk_nope_head_dim"])?.unwrap_or(0),
            rotary_dim: self.count("rope", &["qk_rope_head_dim"])?.unwrap_or(0),
            value_dim: self.count("vdim", &["v_head_dim"])?.unwrap_or(0),
        };
        model.head_dim = model.latent.value_dim;
        model.kv_heads = model.heads;
        Ok(())
    }

    fn window(&mut self, layers: u32) -> Result<Window, ImportError> {
        let used = self.settings.flag(&["use_sliding_window"])?;
        let names = [
            "sliding_window",
            "sliding_window_size",
            "attn_config.sliding_window_size",
            "local_attention",
            "attention_window_size",
            "window_size",
            "attn.window_size",
        ];
        let tokens = self.count("window", &names)?;
        let order = self.order_of_windows()?;
        let Some(tokens) = tokens.filter(|tokens| *tokens > 0 && used != Some(false)) else {
            return Ok(Window::NONE);
        };
        let full_every = match order {
            Some(Order::Listed(full)) => match period(&full) {
                Some(every) => every,
                None => {
                    let every = nearest(&full, layers);
                    self.draft.note(
                        Some("wfull"),
                        format!("{every}: its layers of full attention stand in no regular order; that many of them is nearest."),
                    );
                    every
                }
            },
            Some(Order::Every(every)) => every,
            // Every other layer of Gemma 2 and GPT-OSS, as their code has it.
            None if ["gemma2", "gpt_oss"].contains(&self.family_name().as_str()) => 2,
            None if self.family_name().starts_with("gemma3") => 6,
            None => self.leading_full(layers)?,
        };
        // A window in no layer is none.
        Ok(if full_every == 1 { Window::NONE } else { Window { tokens, full_every } })
    }

    /// Which layers have a window, where the file says.
    fn order_of_windows(&mut self) -> Result<Option<Order>, ImportError> {
        let every = ["sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"];
        let letters = self.settings.text(&every).filter(|pattern| pattern.value().parse::<f64>().is_err());
        let kinds = self.settings.text(&["layer_types", "hybrid_layer_pattern", "attention_layers"]);
        if let Some(kinds) = kinds {
            every.iter().for_each(|name| self.settings.spend(name));
            return Ok(Some(Order::Listed(kinds.value().split(',').map(sees_all).collect())));
        }
        if let Some(letters) = letters {
            // EXAONE 4 has a letter a layer of one period: L for a local one, G for a global one.
            let full: Vec<bool> = letters.value().chars().map(|letter| letter == 'G').collect();
            return Ok(Some(Order::Listed(full)));
        }
        if let Some(every) = self.count("wfull", &every)? {
            return Ok(Some(Order::Every(every)));
        }
        // GPT-Neo: periods, each with how often it stands.
        let mut full = Vec::new();
        for index in 0.. {
            let Some(kinds) = self.settings.text(&[&format!("attention_types.{index}.0")]) else { break };
            let times = self.settings.whole(&[&format!("attention_types.{index}.1")])?;
            let times = times.map_or(1, |times| times.value.clamp(0, MOST_LAYERS)) as usize;
            let period: Vec<bool> = kinds.value().split(',').map(sees_all).collect();
            full.extend(core::iter::repeat_n(period, times).flatten());
        }
        Ok((!full.is_empty()).then_some(Order::Listed(full)))
    }

    /// Qwen's `max_window_layers`: that many of the first layers see everything.
    fn leading_full(&mut self, layers: u32) -> Result<u32, ImportError> {
        let full = self.count("wfull", &["max_window_layers"])?.unwrap_or(0).min(layers);
        if full == 0 {
            return Ok(0);
        }
        let every = (f64::from(layers) / f64::from(full)).round().max(1.0) as u32;
        self.draft.note(
            Some("wfull"),
            format!("{every}: the first {full} of the {layers} layers see all tokens; that share of them is taken."),
        );
        Ok(every)
    }
}

/// Most repetitions of a period that are read.
const MOST_LAYERS: i64 = 1024;

/// Which layers see all tokens.
enum Order {
    /// One by one.
    Listed(Vec<bool>),
    /// Every n-th.
    Every(u32),
}

/// Whether a layer of this kind sees all tokens: words, or 1 for a window and 0 for none.
fn sees_all(kind: &str) -> bool {
    ["full_attention", "global", "0"].contains(&kind.trim())
}

/// Every how many layers one sees all tokens, wherever the first of them stands, where the list is regular: 0 where none
/// does, 1 where all do.
fn period(full: &[bool]) -> Option<u32> {
    let mut places = full.iter().enumerate().filter(|(_, full)| **full).map(|(index, _)| index);
    let Some(first) = places.next() else { return Some(0) };
    let every = places.next().map_or_else(|| full.len().max(first + 1), |second| second - first);
    let regular = full.iter().enumerate().all(|(index, full)| *full == (index % every == first));
    (regular && first < every).then(|| u32::try_from(every).ok()).flatten()
}

/// The nearest regular order with as many layers of full attention.
fn nearest(full: &[bool], layers: u32) -> u32 {
    let count = full.iter().filter(|full| **full).count().max(1);
    (f64::from(layers) / count as f64).round().max(1.0) as u32
}
