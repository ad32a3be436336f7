//! How recurrent mixers update their state: one row a rule, with everything that tells it from the others.

use serde::{Deserialize, Serialize};

use super::recurrent::{Recurrent, RecurrentWidths};
use crate::constants::Constants;

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

/// What a rule's scan is priced with.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScanRates {
    /// Seconds that a chunk waits for the one before it.
    pub chain: f64,
    /// Passes over the bytes, relative to reading inputs and writing states, corrections and outputs once.
    pub passes: f64,
    /// Seconds of a streaming multiprocessor per token of a head whose state has 128 times 128 elements.
    pub work: f64,
    /// Kernels launched.
    pub kernels: f64,
    /// Backward over forward.
    pub backward: f64,
}

/// Bytes that the kernels of a scan move forward, each tensor once per kernel that reads or writes it.
#[derive(Debug, Clone, Copy)]
pub struct ScanBytes {
    /// Per element of a token's keys, or queries.
    pub keys: f64,
    /// Per element of a token's values.
    pub values: f64,
    /// Per head of a token: steps and sums of decays.
    pub steps: f64,
    /// Per element of a head's key and value, for corrected ones.
    pub corrected: f64,
    /// Per element of a chunk's state.
    pub states: f64,
    /// Per product of two tokens of a chunk, for each head of keys.
    pub scores: f64,
}

/// Everything that tells one rule from the others.
pub struct StateRuleRow {
    rule: StateRule,
    /// Name in links and tables.
    name: &'static str,
    /// Name for people.
    label: &'static str,
    /// Widths on one GPU, given the model's width; `keys`, `values` and `heads` are filled in.
    pub(super) widths: fn(&Recurrent, RecurrentWidths, f64) -> RecurrentWidths,
    /// Parameters outside of the linear layers and of the taps: decays, biases of steps, norms.
    pub(super) small_parameters: fn(&Recurrent, &RecurrentWidths) -> f64,
    /// Whether it has keys and queries, or equivalent matrices.
    pub(crate) has_keys: bool,
    /// Products with the state for each token, in elements of the state: each is one multiply-add.
    pub state_products: f64,
    /// Products of keys, and of values, with the other tokens of a chunk.
    pub chunk_products: [f64; 2],
    /// Tokens of a chunk.
    pub chunk: f64,
    /// What its scan moves.
    pub moved: ScanBytes,
    /// What its scan is priced with; none if it carries no state.
    pub scan: Option<fn(&Constants) -> ScanRates>,
    /// Bytes of an element in the backward pass of the gated norm.
    pub norm_backward: fn(&Constants) -> f64,
    /// Whether the backward pass runs the convolution again instead of keeping its output.
    pub recomputes_convolution: bool,
}

/// Tokens per chunk of the delta rules and of linear attention (flash-linear-attention, `chunk_size`).
const CHUNK: f64 = 64.0;
/// Tokens per chunk of Mamba-2 (`chunk_size` of its published models).
const CHUNK_MAMBA2: f64 = 128.0;
/// Kernels of a forward pass: Mamba-2's cumulative sums, chunk states, state passing, products within chunks, and the
/// scan (`mamba_ssm`, `_mamba_chunk_scan_combined_fwd`).
const KERNELS_MAMBA2: f64 = 5.0;
/// The delta rules': sums of gates, products of keys, their inverse, corrected keys and values, states, outputs
/// (flash-linear-attention, `chunk_gated_delta_rule_fwd`), and norms of queries and keys.
const KERNELS_DELTA: f64 = 7.0;
/// Linear attention's: sums of gates, states, outputs (`chunk_gla_fwd`).
const KERNELS_LINEAR: f64 = 3.0;
/// Inner width of gated linear attention's low-rank decay (`fla`, `GatedLinearAttention`, `gate_low_rank_dim`).
const LINEAR_GATE_RANK: f64 = 16.0;

/// No mixer, from which the rows below take what they do not say.
const NONE: StateRuleRow = StateRuleRow {
    rule: StateRule::None,
    name: "none",
    label: "None",
    widths: |_, _, _| RecurrentWidths::NONE,
    small_parameters: |_, _| 0.0,
    has_keys: false,
    state_products: 0.0,
    chunk_products: [0.0, 0.0],
    chunk: CHUNK,
    // Inputs read and outputs written once; corrected keys and values, and states, written and read in 16 bits.
    moved: ScanBytes { keys: 4.0, values: 4.0, steps: 0.0, corrected: 4.0, states: 4.0, scores: 0.0 },
    scan: None,
    norm_backward: |c| c.gated_norm_bytes_backward,
    recomputes_convolution: false,
};

/// Mamba-2, and what Mamba shares with it. Mamba's own scan has no known measurement: Mamba-2's is used.
const MAMBA2: StateRuleRow = StateRuleRow {
    rule: StateRule::Mamba2,
    name: "mamba2",
    label: "Mamba-2",
    // Values, gate, input and output matrices, and a step per head.
    widths: |_, of, _| RecurrentWidths {
        projected: 2.0 * of.values + 2.0 * of.keys + of.heads,
        channels: of.values + 2.0 * of.keys,
        output_gate: true,
        ..of
    },
    // A bias of the convolution; decay, step bias and skip per head; the gated norm.
    small_parameters: |_, of| of.channels + 3.0 * of.heads + of.values,
    has_keys: true,
    state_products: 2.0,
    chunk_products: [1.0, 1.0],
    chunk: CHUNK_MAMBA2,
    // Both matrices and the values are read by two kernels. Steps are read in 16 bits and written in 32, with their sums;
    // two kernels read both. States are written and read in 32 bits, passed on, and written and read in 16. Products of
    // the two matrices are written and read in 32 bits (`mamba_ssm`, `_mamba_chunk_scan_combined_fwd`).
    moved: ScanBytes { keys: 8.0, values: 6.0, steps: 26.0, corrected: 0.0, states: 12.0, scores: 8.0 },
    scan: Some(|c| ScanRates {
        chain: 0.0,
        // What its kernels move is counted from their source.
        passes: 1.0,
        work: c.scan_work_mamba2,
        kernels: KERNELS_MAMBA2,
        backward: c.scan_backward_mamba2,
    }),
    norm_backward: |c| c.gated_norm_bytes_backward_mamba,
    // `mamba_ssm`, `MambaSplitConv1dScanCombinedFn.backward` and `MambaInnerFn.backward` (`checkpoint_lvl` 1).
    recomputes_convolution: true,
};

/// Gated DeltaNet, and what the delta rules share.
const GATED_DELTA: StateRuleRow = StateRuleRow {
    rule: StateRule::GatedDelta,
    name: "gated-delta",
    label: "Gated DeltaNet",
    widths: |_, of, _| RecurrentWidths {
        projected: 2.0 * of.keys + 2.0 * of.values + 2.0 * of.heads,
        channels: 2.0 * of.keys + of.values,
        output_gate: true,
        ..of
    },
    small_parameters: |mixer, of| 2.0 * of.heads + f64::from(mixer.value_dim),
    has_keys: true,
    state_products: 3.0,
    chunk_products: [3.0, 2.0],
    scan: Some(|c| delta_rates(c, c.scan_backward_delta)),
    ..NONE
};

/// Linear attention without an output gate, and what it shares with others.
const LINEAR: StateRuleRow = StateRuleRow {
    rule: StateRule::Linear,
    name: "linear",
    label: "Linear attention, HGRN2",
    widths: |_, of, _| RecurrentWidths {
        projected: 2.0 * of.keys + of.values,
        channels: 2.0 * of.keys + of.values,
        output_gate: false,
        ..of
    },
    small_parameters: |_, of| of.values,
    has_keys: true,
    state_products: 2.0,
    chunk_products: [1.0, 1.0],
    scan: Some(|c| ScanRates {
        chain: c.scan_chain_linear,
        passes: c.scan_passes_linear,
        work: 0.0,
        kernels: KERNELS_LINEAR,
        backward: c.scan_backward_linear,
    }),
    ..NONE
};

/// Rates of the delta rules with one decay per head, or none.
fn delta_rates(c: &Constants, backward: f64) -> ScanRates {
    ScanRates {
        chain: c.scan_chain_delta,
        passes: c.scan_passes_delta,
        work: c.scan_work_delta,
        kernels: KERNELS_DELTA,
        backward,
    }
}

/// Every rule, in the order of the form's list and of the enum.
const ROWS: [StateRuleRow; 11] = [
    NONE,
    MAMBA2,
    StateRuleRow {
        rule: StateRule::Mamba1,
        name: "mamba1",
        label: "Mamba",
        // Low-rank steps and both matrices are projected from the values.
        widths: |mixer, of, hidden| {
            let rank = (hidden / 16.0).ceil();
            RecurrentWidths {
                projected: 2.0 * of.values,
                low_rank: rank + 2.0 * f64::from(mixer.key_dim),
                low_rank_input: of.values,
                gate_rank: rank,
                from_low_rank: of.values,
                channels: of.values,
                output_gate: true,
                ..of
            }
        },
        // Decays per channel and state, a skip and a step bias per channel.
        small_parameters: |mixer, of| of.channels + of.values * (f64::from(mixer.key_dim) + 2.0),
        chunk: CHUNK,
        ..MAMBA2
    },
    GATED_DELTA,
    StateRuleRow {
        rule: StateRule::Delta,
        name: "delta",
        label: "DeltaNet",
        widths: |_, of, _| RecurrentWidths {
            projected: 2.0 * of.keys + of.values + of.heads,
            channels: 2.0 * of.keys + of.values,
            output_gate: false,
            ..of
        },
        small_parameters: |mixer, _| f64::from(mixer.value_dim),
        scan: Some(|c| delta_rates(c, c.scan_backward_delta_plain)),
        ..GATED_DELTA
    },
    StateRuleRow {
        rule: StateRule::Kda,
        name: "kda",
        label: "Kimi Delta Attention",
        // Decay and output gate are low-rank, with a head's width as rank.
        widths: |mixer, of, _| RecurrentWidths {
            projected: 2.0 * of.keys + of.values + of.heads,
            low_rank: 2.0 * f64::from(mixer.value_dim),
            gate_rank: f64::from(mixer.value_dim),
            from_low_rank: of.keys + of.values,
            channels: 2.0 * of.keys + of.values,
            output_gate: true,
            ..of
        },
        small_parameters: |mixer, of| of.heads + of.keys + f64::from(mixer.value_dim),
        scan: Some(|c| ScanRates {
            chain: c.scan_chain_kda,
            passes: c.scan_passes_kda,
            work: c.scan_work_kda,
            kernels: KERNELS_DELTA,
            backward: c.scan_backward_kda,
        }),
        ..GATED_DELTA
    },
    StateRuleRow {
        rule: StateRule::Lightning,
        name: "lightning",
        label: "Lightning attention, RetNet",
        widths: |_, of, _| RecurrentWidths {
            projected: 2.0 * of.keys + 2.0 * of.values,
            channels: 2.0 * of.keys + of.values,
            output_gate: true,
            ..of
        },
        ..LINEAR
    },
    LINEAR,
    StateRuleRow {
        rule: StateRule::GatedLinear,
        name: "gated-linear",
        label: "Gated linear attention",
        widths: |_, of, _| RecurrentWidths {
            projected: 2.0 * of.keys + 2.0 * of.values,
            low_rank: LINEAR_GATE_RANK,
            gate_rank: LINEAR_GATE_RANK,
            from_low_rank: of.keys,
            channels: 2.0 * of.keys + of.values,
            output_gate: true,
            ..of
        },
        small_parameters: |mixer, of| of.keys + f64::from(mixer.value_dim),
        scan: Some(|c| ScanRates {
            chain: c.scan_chain_gated_linear,
            passes: c.scan_passes_gated_linear,
            work: 0.0,
            kernels: KERNELS_LINEAR,
            backward: c.scan_backward_gated_linear,
        }),
        ..LINEAR
    },
    StateRuleRow {
        rule: StateRule::RgLru,
        name: "rg-lru",
        label: "RG-LRU",
        // Both gates are square matrices over each head's channels.
        widths: |mixer, of, _| RecurrentWidths {
            projected: 2.0 * of.values,
            square_gates: 2.0 * f64::from(mixer.value_dim),
            channels: of.values,
            output_gate: true,
            ..of
        },
        // With biases of the projections, of the convolution and of both gates, and a decay per channel.
        small_parameters: |_, of| of.channels + 5.0 * of.values,
        state_products: 1.0,
        scan: Some(|c| ScanRates {
            chain: c.scan_chain_recurrence,
            passes: 1.0,
            work: 0.0,
            kernels: 1.0,
            backward: c.scan_backward_recurrence,
        }),
        ..NONE
    },
    StateRuleRow {
        rule: StateRule::ShortConvolution,
        name: "short-convolution",
        label: "Short convolution (LFM2)",
        widths: |_, of, _| RecurrentWidths {
            projected: 3.0 * of.values,
            channels: of.values,
            output_gate: true,
            ..of
        },
        ..NONE
    },
];

impl StateRule {
    /// Every rule with its name in links and tables, and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); ROWS.len()] = {
        let mut all = [(Self::None, "", ""); ROWS.len()];
        let mut index = 0;
        while index < ROWS.len() {
            all[index] = (ROWS[index].rule, ROWS[index].name, ROWS[index].label);
            index += 1;
        }
        all
    };

    /// Everything that tells it from the others.
    pub fn row(self) -> &'static StateRuleRow {
        static TABLE: [StateRuleRow; ROWS.len()] = ROWS;
        TABLE.iter().find(|row| row.rule == self).unwrap_or(&TABLE[0])
    }

    /// Name in links and tables.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Name for people.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// The rule of a name; none for an unknown one.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.iter().find(|row| row.1 == name).map_or(Self::None, |row| row.0)
    }
}
