//! Mixers that carry a state from token to token instead of attending to all tokens: Mamba, the delta rules, linear
//! attention, gated convolutions. What tells them apart is in `state_rules.rs`.

use serde::{Deserialize, Serialize};

use super::state_rules::StateRule;

/// A recurrent mixer; [`Recurrent::NONE`] if every layer attends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recurrent {
    /// State update rule.
    pub rule: StateRule,
    /// Heads (value heads, if there are fewer key heads).
    pub heads: u32,
    /// Heads of keys and queries; groups that share input and output matrices (Mamba).
    pub key_heads: u32,
    /// Width of a key, or of the state (Mamba).
    pub key_dim: u32,
    /// Width of a head's value.
    pub value_dim: u32,
    /// Taps of the preceding convolution; 0 without one.
    pub convolution: u32,
}

/// A recurrent mixer's widths on one GPU, elements per token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecurrentWidths {
    /// Heads.
    pub heads: f64,
    /// Queries, and equally many keys (Mamba's input and output matrices).
    pub keys: f64,
    /// Values, the width of the output.
    pub values: f64,
    /// Columns of the projection from the residual stream, split by heads.
    pub projected: f64,
    /// Width of projections that are whole on every rank: inputs of low-rank gates and of Mamba's steps.
    pub low_rank: f64,
    /// Width of what these are projected from: the residual stream, or the values.
    pub low_rank_input: f64,
    /// Inner width of the gates and steps.
    pub gate_rank: f64,
    /// Columns of the projections from these.
    pub from_low_rank: f64,
    /// Columns of the gates that each head projects from its own values.
    pub square_gates: f64,
    /// Channels of the convolution.
    pub channels: f64,
    /// Whether the output has a gate.
    pub output_gate: bool,
}

impl RecurrentWidths {
    /// No mixer.
    pub const NONE: Self = Self {
        heads: 0.0,
        keys: 0.0,
        values: 0.0,
        projected: 0.0,
        low_rank: 0.0,
        low_rank_input: 0.0,
        gate_rank: 0.0,
        from_low_rank: 0.0,
        square_gates: 0.0,
        channels: 0.0,
        output_gate: false,
    };
}

impl Recurrent {
    /// No recurrent mixer.
    pub const NONE: Self =
        Self { rule: StateRule::None, heads: 0, key_heads: 0, key_dim: 0, value_dim: 0, convolution: 0 };

    /// Widths for one of `split` shares of the heads. `hidden` is the model's width.
    pub fn widths(&self, hidden: f64, split: f64) -> RecurrentWidths {
        let heads = f64::from(self.heads) / split;
        let key_heads = (f64::from(self.key_heads) / split).max(if self.key_heads > 0 { 1.0 } else { 0.0 });
        let (keys, values) = (key_heads * f64::from(self.key_dim), heads * f64::from(self.value_dim));
        let given = RecurrentWidths { heads, keys, values, low_rank_input: hidden, ..RecurrentWidths::NONE };
        let of = (self.rule.row().widths)(self, given, hidden);
        RecurrentWidths { channels: if self.convolution > 0 { of.channels } else { 0.0 }, ..of }
    }

    /// Parameters outside the linear layers for one of `split` shares of the heads: convolution, decays, biases of
    /// steps, norms.
    pub fn small_parameters(&self, split: f64) -> f64 {
        let of = self.widths(0.0, split);
        f64::from(self.convolution) * of.channels + (self.rule.row().small_parameters)(self, &of)
    }
}
