//! Heads, latents and windows of a `config.json`.

use super::super::super::ImportError;
use super::layers::{Kind, Order};
use super::{Shape, families};
use crate::scenario::model::{Latent, Model, OutputLatent, Window};

impl Shape<'_> {
    /// Heads, latent attention and the window of a shape whose width is known.
    pub(super) fn attention(&mut self, model: &mut Model) -> Result<(), ImportError> {
        model.kv_heads = self.key_value_heads(model.heads)?;
        // It is the recurrent mixer's in flash-linear-attention.
        let own = if families::is_of_flash_linear_attention(&self.name) { "" } else { "head_dim" };
        let head = self.count("dh", &[own, "kv_channels", "d_kv", "attention_head_dim"])?;
        model.head_dim = head.filter(|width| *width > 0).unwrap_or(model.hidden / model.heads.max(1));
        if self.is_zamba() {
            // Its class computes the width of the stream and the embeddings, whatever the file says.
            model.head_dim = model.hidden.saturating_mul(2) / model.heads.max(1);
        }
        self.latent(model)?;
        self.heads_by_kind(model)?;
        if model.latent.kv_rank == 0
            && let Some(rank) = self.count("orank", &["o_lora_rank"])?.filter(|rank| *rank > 0)
        {
            let groups = self.count("ogrp", &["o_groups"])?.unwrap_or(1).max(1);
            model.output_latent = OutputLatent { rank, groups };
            model.latent.query_rank = self.count("qrank", &["q_lora_rank"])?.unwrap_or(0);
        }
        if self.name == "deepseek_v4" {
            model.keys_are_values = true;
            model.streams = self.count("hc", &["hc_mult"])?.unwrap_or(4).max(1);
        }
        let gate = self.settings.flag(&["attn_output_gate"])?;
        model.output_gate = gate.unwrap_or_else(|| families::gates_attention(&self.name));
        Ok(())
    }

    /// Heads of full layers where those of windowed ones differ: Gemma 4 gives the former a name of their own, MiMo-V2 the latter.
    fn heads_by_kind(&mut self, model: &mut Model) -> Result<(), ImportError> {
        if model.latent.kv_rank > 0 {
            return Ok(());
        }
        if let Some(width) = self.count("dv", &["v_head_dim"])?.filter(|width| *width != model.head_dim) {
            model.value_dim = width;
        }
        let other = |own: Option<u32>, base: u32| own.filter(|own| *own > 0 && *own != base);
        let heads = self.count("fkv", &["num_global_key_value_heads"])?;
        let width = self.count("fdh", &["global_head_dim"])?;
        model.full_heads.kv_heads = other(heads, model.kv_heads).unwrap_or(0);
        model.full_heads.head_dim = other(width, model.head_dim).unwrap_or(0);
        // Its class in Transformers has twice as many.
        let twice = (self.name == "mimo_v2_flash").then(|| model.kv_heads.saturating_mul(2));
        let windowed = self.plain_count("swa_num_key_value_heads")?.or(twice);
        if let Some(windowed) = other(windowed, model.kv_heads) {
            model.full_heads.kv_heads = model.kv_heads;
            model.kv_heads = windowed;
        }
        if let Some(windowed) = other(self.plain_count("swa_head_dim")?, model.head_dim) {
            model.full_heads.head_dim = model.head_dim;
            model.head_dim = windowed;
        }
        Ok(())
    }

    /// A count without a default of its family.
    pub(super) fn plain_count(&mut self, name: &str) -> Result<Option<u32>, ImportError> {
        Ok(self.settings.whole(&[name])?.and_then(|count| u32::try_from(count.value).ok()))
    }

    fn key_value_heads(&mut self, heads: u32) -> Result<u32, ImportError> {
        // Falcon's first versions have one key and value for all heads, unless the new architecture gives a number.
        let kind = self.settings.text(&["attention_head_type"]);
        let one = kind.is_some_and(|kind| kind.value() == "multiquery");
        let one = one || self.settings.flag(&["multi_query"])?.unwrap_or(false);
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
            "num_attention_groups",
            "num_multi_query_heads",
        ];
        if let Some(mean) = self.mean("num_kv_heads", |heads| heads).filter(|_| self.name == "openelm") {
            return Ok(mean.max(1));
        }
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
        let Some(kv_rank) =
            self.count("kvrank", &["kv_lora_rank", "attention_kv_lora_dim"])?.filter(|rank| *rank > 0)
        else {
            return Ok(());
        };
        model.latent = Latent {
            kv_rank,
            query_rank: self.count("qrank", &["q_lora_rank", "attention_q_lora_dim"])?.unwrap_or(0),
            plain_dim: self.count("nope", &["qk_nope_head_dim", "attention_qk_dim"])?.unwrap_or(0),
            rotary_dim: self.count("rope", &["qk_rope_head_dim", "attention_qk_rope_dim"])?.unwrap_or(0),
            // MiniCPM3 leaves it to its class.
            value_dim: self
                .count("vdim", &["v_head_dim", "attention_v_dim"])?
                .unwrap_or(model.hidden / model.heads.max(1)),
        };
        model.head_dim = model.latent.value_dim;
        model.kv_heads = model.heads;
        Ok(())
    }

    /// The window, and what the layers are where not all attend to all tokens.
    pub(super) fn windows_and_layers(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let used = self.settings.flag(&["use_sliding_window"])?;
        let names = [
            "sliding_window",
            "sliding_window_size",
            "attn_config.sliding_window_size",
            "local_attention",
            "attention_window_size",
            "window_size",
            "attn.window_size",
            "sparse_config.window_size",
        ];
        // -1 stands for none in Grok-2.
        let none = self.settings.whole(&names)?.is_some_and(|tokens| tokens.value < 0);
        let tokens = if none { None } else { self.count("window", &names)? };
        let tokens = tokens.filter(|_| used != Some(false)).unwrap_or(0);
        let tokens = if tokens == 0 && self.name == "deepseek_v4" { 128 } else { tokens };
        let order = self.order(model.layers)?;
        let full_every = match &order {
            Some(Order::Every(every)) => *every,
            Some(Order::Listed(kinds)) => match period(kinds) {
                Some(every) => every,
                None => {
                    model.window = Window { tokens, full_every: 0 };
                    return self.pattern(model, kinds);
                }
            },
            // Every other layer of Gemma 2 and GPT-OSS, as their code has it.
            None if ["gemma2", "gpt_oss"].contains(&self.name.as_str()) => 2,
            None if self.name.starts_with("gemma3") => 6,
            None => {
                let leading = self.count("wfull", &["max_window_layers"])?.unwrap_or(0).min(model.layers);
                if tokens > 0 && leading > 0 {
                    // Qwen's `max_window_layers`: that many of the first layers see everything.
                    let of = |layer| if layer < leading { Kind::Full } else { Kind::Windowed };
                    let kinds: Vec<Kind> = (0..model.layers).map(of).collect();
                    model.window = Window { tokens, full_every: 0 };
                    return self.pattern(model, &kinds);
                }
                0
            }
        };
        // A window in no layer is none.
        model.window =
            if full_every == 1 || tokens == 0 { Window::NONE } else { Window { tokens, full_every } };
        Ok(())
    }
}

/// Every how many layers one sees all tokens, wherever the first of them stands, where the list is one of windows and
/// regular: 0 where none does, 1 where all do.
fn period(kinds: &[Kind]) -> Option<u32> {
    if !kinds.iter().all(|kind| matches!(kind, Kind::Full | Kind::Windowed)) {
        return None;
    }
    let mut places =
        kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Full).map(|(index, _)| index);
    let Some(first) = places.next() else { return Some(0) };
    let every = places.next().map_or_else(|| kinds.len().max(first + 1), |second| second - first);
    let regular =
        kinds.iter().enumerate().all(|(index, kind)| (*kind == Kind::Full) == (index % every == first));
    (regular && first < every).then(|| u32::try_from(every).ok()).flatten()
}
