//! What families of one shape have one way or the other: tied embeddings, biases, norms and positions.

use super::super::super::ImportError;
use super::Shape;
use super::families::{self, Where};
use crate::scenario::model::{Bias, Model, Norm, Positions};

impl Shape<'_> {
    /// Sets them in a shape.
    pub(super) fn details(&mut self, model: &mut Model) -> Result<(), ImportError> {
        // Transformers asks the whole model's configuration first (`tie_weights`).
        let tied = [
            "/tie_word_embeddings",
            "tie_word_embeddings",
            "tie_embedding",
            "tie_embeddings",
            "weight_tying",
            "share_input_output_layers",
        ];
        model.tied_embeddings = self.settings.flag(&tied)?.unwrap_or(self.family.tied);
        self.settings.spend("tie_word_embeddings");
        model.bias = self.bias()?;
        model.norm = self.family.norm;
        // PhiMoE calls the epsilon of its LayerNorm so, too.
        let by_name = model.norm == Norm::Layer && !families::names_layer_norm_so(&self.name);
        if by_name && self.settings.text(&["rms_norm_eps"]).is_some() {
            model.norm = Norm::Rms;
        }
        // DeltaNet names the norm of its keys, which has no weights.
        let named = self.settings.text(&["qk_norm"]).is_some_and(|norm| norm.value() == "l2");
        let said = if named {
            None
        } else {
            self.settings.flag(&[
                "use_qk_norm",
                "qk_layernorm",
                "qk_norm",
                "use_qk_layernorm",
                "normalize_qk_projections",
            ])?
        };
        model.query_key_norm = said.unwrap_or_else(|| families::norms_queries_and_keys(&self.name));
        model.positions = self.positions()?;
        Ok(())
    }

    fn bias(&mut self) -> Result<Bias, ImportError> {
        let attention_only = families::has_biases_of_attention_alone(&self.name);
        let bias = self.settings.flag(&["bias"])?;
        let (everywhere, inner) = if attention_only { (None, bias) } else { (bias, None) };
        let without = self.settings.flag(&["no_bias"])?.map(|without| !without);
        let everywhere = everywhere
            .or(self.settings.flag(&[
                "use_bias",
                "add_bias_linear",
                "mlp_bias",
                "use_bias_linear",
                "mlp_fc1_bias",
                "include_bias",
            ])?)
            .or(without)
            .unwrap_or(self.family.bias == Bias::All);
        let inner = inner
            .or(self.settings.flag(&[
                "attention_bias",
                "qkv_bias",
                "use_qkv_bias",
                "add_qkv_bias",
                "qkv_proj_bias",
                "include_qkv_bias",
            ])?)
            .unwrap_or(self.family.bias != Bias::None);
        Ok(match (everywhere, inner) {
            (true, _) => Bias::All,
            (false, true) => Bias::Qkv,
            (false, false) => Bias::None,
        })
    }

    fn positions(&mut self) -> Result<Positions, ImportError> {
        let rows = ["n_positions", "max_position_embeddings", "n_ctx", "max_seq_len"];
        let kind = self.settings.text(&["position_embedding_type"]);
        let is = |kinds: &[&str]| kind.as_ref().is_some_and(|kind| kinds.contains(&kind.value()));
        if is(&["rope", "rotary"]) {
            return Ok(Positions::Rotary);
        }
        let alibi = self.settings.flag(&["alibi", "attn_config.alibi", "use_alibi"])?;
        let alibi = if is(&["alibi"]) { Some(true) } else { alibi };
        Ok(match (alibi, self.family.positions) {
            (Some(true), _) | (None, Where::Alibi) => Positions::Alibi,
            (_, Where::Rotary) => Positions::Rotary,
            (_, Where::Learned | Where::Alibi) => match self.count("ctx", &rows)? {
                Some(rows) => Positions::Learned(rows),
                None => Positions::Rotary,
            },
        })
    }
}
