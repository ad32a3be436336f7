//! Mixers that carry a state from token to token instead of attending to all tokens: Mamba, the delta rules, linear
//! attention, gated convolutions.

use serde::{Deserialize, Serialize};

/// How a recurrent mixer updates its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateRule {
    /// No recurrent layer.
    None,
    /// Mamba-2 (Dao and Gu 2024, arXiv 2405.21060): a scalar decay per head, computed in chunks.
    Mamba2,
    /// Mamba (Gu and Dao 2023, arXiv 2312.00752): a decay per channel and state.
    Mamba1,
    /// Gated DeltaNet (Yang et al. 2024, arXiv 2412.06464): decay and correction, with an output gate.
    GatedDelta,
    /// DeltaNet (Yang et al. 2024, arXiv 2406.06484): correction without decay or output gate.
    Delta,
    /// Kimi Delta Attention (Kimi Team 2025, arXiv 2510.26692): a decay per key channel.
    Kda,
    /// Lightning attention (MiniMax-01, arXiv 2501.08313), and RetNet's: a fixed decay per head, with an output gate.
    Lightning,
    /// Linear attention without an output gate: HGRN2 (Qin et al. 2024, arXiv 2404.07904), and without a decay.
    Linear,
    /// Gated linear attention (Yang et al. 2023, arXiv 2312.06635): a low-rank decay per key channel.
    GatedLinear,
    /// RG-LRU (De et al. 2024, arXiv 2402.19427): a gated linear recurrence per channel.
    RgLru,
    /// Only a gated short convolution (LFM2).
    ShortConvolution,
}

impl StateRule {
    /// Every rule with its name in links and tables, and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 11] = [
        (Self::None, "none", "None"),
        (Self::Mamba2, "mamba2", "Mamba-2"),
        (Self::Mamba1, "mamba1", "Mamba"),
        (Self::GatedDelta, "gated-delta", "Gated DeltaNet"),
        (Self::Delta, "delta", "DeltaNet"),
        (Self::Kda, "kda", "Kimi Delta Attention"),
        (Self::Lightning, "lightning", "Lightning attention, RetNet"),
        (Self::Linear, "linear", "Linear attention, HGRN2"),
        (Self::GatedLinear, "gated-linear", "Gated linear attention"),
        (Self::RgLru, "rg-lru", "RG-LRU"),
        (Self::ShortConvolution, "short-convolution", "Short convolution (LFM2)"),
    ];

    /// Name in links and tables.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("none", |row| row.1)
    }

    /// Name for people.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("None", |row| row.2)
    }

    /// The rule of a name; none for an unknown one.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.iter().find(|row| row.1 == name).map_or(Self::None, |row| row.0)
    }
}

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
#[derive(Debug, Clone, Copy, Default, PartialEq)]
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
    /// Columns of the projections from these.
    pub from_low_rank: f64,
    /// Channels of the convolution.
    pub channels: f64,
    /// Whether the output has a gate.
    pub output_gate: bool,
}

/// Inner width of gated linear attention's low-rank decay (`fla`, `GatedLinearAttention`, `gate_low_rank_dim`).
const LINEAR_GATE_RANK: f64 = 16.0;

impl Recurrent {
    /// No recurrent mixer.
    pub const NONE: Self =
        Self { rule: StateRule::None, heads: 0, key_heads: 0, key_dim: 0, value_dim: 0, convolution: 0 };

    /// Widths for one of `split` shares of the heads. `hidden` is the model's width.
    pub fn widths(&self, hidden: f64, split: f64) -> RecurrentWidths {
        let heads = f64::from(self.heads) / split;
        let key_heads = (f64::from(self.key_heads) / split).max(if self.key_heads > 0 { 1.0 } else { 0.0 });
        let (keys, values) = (key_heads * f64::from(self.key_dim), heads * f64::from(self.value_dim));
        let of = |projected: f64, channels: f64, output_gate: bool| RecurrentWidths {
            heads,
            keys,
            values,
            projected,
            low_rank: 0.0,
            from_low_rank: 0.0,
            channels: if self.convolution > 0 { channels } else { 0.0 },
            output_gate,
        };
        match self.rule {
            StateRule::None => RecurrentWidths::default(),
            // Values, gate, input and output matrices, and a step per head.
            StateRule::Mamba2 => of(2.0 * values + 2.0 * keys + heads, values + 2.0 * keys, true),
            // Low-rank steps and both matrices are projected from the values.
            StateRule::Mamba1 => {
                let rank = (hidden / 16.0).ceil();
                RecurrentWidths {
                    low_rank: rank + 2.0 * f64::from(self.key_dim),
                    from_low_rank: values,
                    ..of(2.0 * values, values, true)
                }
            }
            StateRule::GatedDelta => of(2.0 * keys + 2.0 * values + 2.0 * heads, 2.0 * keys + values, true),
            StateRule::Delta => of(2.0 * keys + values + heads, 2.0 * keys + values, false),
            // Decay and output gate are low-rank, with a head's width as rank.
            StateRule::Kda => RecurrentWidths {
                low_rank: 2.0 * f64::from(self.value_dim),
                from_low_rank: keys + values,
                ..of(2.0 * keys + values + heads, 2.0 * keys + values, true)
            },
            StateRule::Lightning => of(2.0 * keys + 2.0 * values, 2.0 * keys + values, true),
            StateRule::Linear => of(2.0 * keys + values, 2.0 * keys + values, false),
            StateRule::GatedLinear => RecurrentWidths {
                low_rank: LINEAR_GATE_RANK,
                from_low_rank: keys,
                ..of(2.0 * keys + 2.0 * values, 2.0 * keys + values, true)
            },
            // The gates are square matrices over each head's channels.
            StateRule::RgLru => of(2.0 * values, values, true),
            StateRule::ShortConvolution => of(3.0 * values, values, true),
        }
    }

    /// Weights of the linear layers for one of `split` shares of the heads.
    pub fn weights(&self, hidden: f64, split: f64) -> f64 {
        let of = self.widths(hidden, split);
        let low_rank = match self.rule {
            // From the values, not from the residual stream.
            StateRule::Mamba1 => {
                of.values * of.low_rank + (of.low_rank - 2.0 * f64::from(self.key_dim)) * of.values
            }
            StateRule::Kda => hidden * of.low_rank + f64::from(self.value_dim) * of.from_low_rank,
            _ => hidden * of.low_rank + of.low_rank * of.from_low_rank,
        };
        let gates =
            if self.rule == StateRule::RgLru { 2.0 * of.values * f64::from(self.value_dim) } else { 0.0 };
        hidden * of.projected + low_rank + gates + of.values * hidden
    }

    /// Parameters outside the linear layers for one of `split` shares of the heads: convolution, decays, biases of
    /// steps, norms.
    pub fn small_parameters(&self, split: f64) -> f64 {
        let of = self.widths(0.0, split);
        let taps = f64::from(self.convolution) * of.channels;
        match self.rule {
            StateRule::None | StateRule::ShortConvolution => taps,
            // With a bias; decay, step bias and skip per head; the gated norm.
            StateRule::Mamba2 => taps + of.channels + 3.0 * of.heads + of.values,
            // Decays per channel and state, a skip and a step bias per channel.
            StateRule::Mamba1 => taps + of.channels + of.values * (f64::from(self.key_dim) + 2.0),
            StateRule::GatedDelta => taps + 2.0 * of.heads + f64::from(self.value_dim),
            StateRule::Delta => taps + f64::from(self.value_dim),
            StateRule::Kda => taps + of.heads + of.keys + f64::from(self.value_dim),
            StateRule::Lightning | StateRule::Linear => taps + of.values,
            StateRule::GatedLinear => taps + of.keys + f64::from(self.value_dim),
            // With biases of the projections, of the convolution and of both gates, and a decay per channel.
            StateRule::RgLru => taps + of.channels + 5.0 * of.values,
        }
    }
}
