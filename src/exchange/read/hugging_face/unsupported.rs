//! Parts of a shape that fields do not express, by the setting that tells of them.

use super::super::super::draft::Draft;
use super::{Shape, families};
use crate::fields::CUSTOM;
use crate::number::significant;
use crate::scenario::model::Model;

/// Settings that, where they are set to more than zero, make a shape another one than the fields say.
const PARTS: [(&str, &str); 11] = [
    (
        "sparse_attention_config.use_sparse_attention",
        "Sparse attention is modelled as full attention, so the forecast time is too high.",
    ),
    (
        "linear_attn_config.use_full_rank_gate",
        "Full-rank gates of the recurrent mixer (use_full_rank_gate) are counted as low-rank gates.",
    ),
    ("mla_use_output_gate", "The output gate of MLA (mla_use_output_gate) is not counted."),
    (
        "attn_res_block_size",
        "Attention over the outputs of earlier layers (attn_res_block_size) is not modelled.",
    ),
    (
        "attention_k_eq_v",
        "Shared keys and values in full-attention layers (attention_k_eq_v) are counted separately.",
    ),
    (
        "draft_vocab_size",
        "The head of a draft model over its own vocabulary (draft_vocab_size) and the projection of the target model's states are not counted.",
    ),
    (
        "dflash_config.target_layer_ids",
        "The projection of the target model's states into a draft model is not counted.",
    ),
    ("ngram_vocab_size_ratio", "Embeddings of n-grams (ngram_vocab_size_ratio) are not counted."),
    ("use_nsa", "Sparse attention is modelled as full attention, so the forecast time is too high."),
    (
        "dense_attention_every_n_layers",
        "Block-sparse attention is modelled as full attention, so the forecast time is too high.",
    ),
    (
        "zero_expert_num",
        "Zero-computation experts (zero_expert_num) are not counted. The forecast assumes that every token uses regular experts.",
    ),
];

/// Widths of embeddings, which differ from the model's where they are projected.
const EMBEDDING_WIDTHS: [&str; 2] = ["word_embed_proj_dim", "embedding_size"];

/// Families of an encoder with a decoder that reads its output, which are not read.
const ENCODERS_WITH_DECODERS: [&str; 7] =
    ["switch_transformers", "t5gemma", "t5gemma2", "nllb_moe", "speech_to_text", "seamless_m4t", "moonshine"];

/// Whether models of a `model_type` are an encoder with a decoder.
pub(super) fn is_encoder_with_decoder(model_type: &str) -> bool {
    ENCODERS_WITH_DECODERS.contains(&families::plain(model_type).as_str())
}

impl Shape<'_> {
    /// Remembers that a part of the model is not what the fields say.
    pub(super) fn unsupported(&mut self, text: impl Into<String>) {
        let text = format!("Not supported: {}", lower_first(&text.into()));
        if !self.unsupported.contains(&text) {
            self.unsupported.push(text);
        }
    }

    /// Looks for everything that fields do not say of a shape that is read.
    pub(super) fn look_for_unsupported(&mut self, model: &Model) {
        if let Some(near) = self.family.near {
            self.draft.note(None, near);
        }
        if let Some(caveat) = self.family.caveat {
            self.unsupported(caveat);
        }
        for (name, text) in PARTS {
            if name.starts_with("sparse_attention_config") && model.sparse.selected > 0 {
                self.settings.spend(name);
                continue;
            }
            let setting = self.settings.text(&[name, &format!("/{name}")]);
            if setting.is_some_and(|setting| !["0", "false", "False"].contains(&setting.value())) {
                self.unsupported(text);
            }
        }
        let widths = EMBEDDING_WIDTHS.iter().filter(|_| !families::calls_rows_so(&self.name));
        for name in widths.copied().collect::<Vec<_>>() {
            let width = self.settings.text(&[name]).and_then(|setting| setting.value().parse::<u32>().ok());
            if let Some(width) = width.filter(|width| *width != model.hidden) {
                self.unsupported(format!(
                    "The embedding size is {width} with a projection to {}, but the forecast counts embeddings of size {}.",
                    model.hidden, model.hidden
                ));
            }
        }
        let grams = self.settings.whole(&["ngram_vocab_size_ratio"]).ok().flatten();
        let rows =
            grams.map_or(0.0, |grams| grams.value.clamp(0, 1 << 20) as f64) * f64::from(model.vocabulary);
        self.left_out += rows * f64::from(model.hidden);
        self.low_rank(model);
    }

    /// Low-rank projections without a latent of keys and values, as of DeepSeek-V4.
    fn low_rank(&mut self, model: &Model) {
        if model.latent.kv_rank > 0 || model.output_latent.rank > 0 {
            return;
        }
        let mut rank = |name: &str| {
            let setting = self.settings.text(&[name])?;
            setting.value().parse::<f64>().ok().filter(|rank| *rank > 0.0)
        };
        let (query, output, groups) =
            (rank("q_lora_rank").or(rank("share_q_dim")), rank("o_lora_rank"), rank("o_groups"));
        let (hidden, heads) = (f64::from(model.hidden), f64::from(model.heads) * f64::from(model.head_dim));
        let whole = hidden * heads;
        let of_query = query.map_or(whole, |rank| rank * (hidden + heads));
        // Every group of heads has a projection to the rank; together they are projected to the model's width.
        let of_output = output.map_or(whole, |rank| rank * (heads + groups.unwrap_or(1.0) * hidden));
        if query.is_some() || output.is_some() {
            let (counted, own) = (2.0 * whole / 1e6, (of_query + of_output) / 1e6);
            self.unsupported(format!(
                "Low-rank query and output projections (q_lora_rank, o_lora_rank, share_q_dim) are counted as full-rank projections: {} M parameters per layer instead of {} M.",
                significant(counted, 3),
                significant(own, 3)
            ));
        }
    }
}

/// Says what is not supported, with the parameters that are counted. Such a shape has no preset's name.
pub(super) fn say(unsupported: Vec<String>, model: &Model, draft: &mut Draft) {
    if unsupported.is_empty() {
        return;
    }
    unsupported.into_iter().for_each(|text| draft.note(None, text));
    let billions = significant(model.parameters() as f64 / 1e9, 3);
    draft.note(
        None,
        format!("The forecast counts {billions} billion parameters. Compare with the published number, because this architecture is approximated."),
    );
    draft.put("m", CUSTOM);
}

fn lower_first(text: &str) -> String {
    // Names such as LayerNorm keep their letters.
    let named =
        text.split(' ').next().is_some_and(|word| word.bytes().skip(1).any(|b| b.is_ascii_uppercase()));
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !named => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
