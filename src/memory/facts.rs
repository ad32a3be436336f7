//! What a software stack keeps in memory, as data.

use crate::scenario::stack::Attention;
use crate::scenario::{Precision, Scenario};

/// Memory behaviour of a scenario's software.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Facts {
    /// Attention scores are materialised.
    pub(super) unfused_attention: bool,
    /// Dropout masks are kept.
    pub(super) dropout: bool,
    /// The gated activation and its product are one kernel.
    pub(super) fused_activation: bool,
    /// Bytes per element of a linear layer's input kept for its weight gradient.
    pub(super) linear_input_bytes: f64,
    /// Bytes per gradient element.
    pub(super) gradient_bytes: f64,
    /// The only resident parameters are the 32-bit ones (FSDP, JAX): 16-bit copies exist while gathered.
    pub(super) master_only: bool,
    /// Weight gradients are added to the main gradients inside the GEMM, and autograd is handed a cached
    /// placeholder of each weight's shape instead.
    pub(super) placeholder_gradients: bool,
    /// Bytes per logit at the loss's peak.
    pub(super) logit_bytes: f64,
}

/// Eager cross-entropy: 16-bit logits, their 32-bit copy, and the shifted exponentials
/// (Megatron-LM 2022, `vocab_parallel_cross_entropy`).
const LOGIT_BYTES_EAGER: f64 = 2.0 + 4.0 + 4.0;
/// Fused or compiled cross-entropy: 16-bit logits or their gradient beside one 32-bit softmax
/// (Megatron-Core, `fused_vocab_parallel_cross_entropy`).
const LOGIT_BYTES_FUSED: f64 = 2.0 + 4.0;

impl Facts {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let profile = scenario.software.profile();
        let precision = scenario.workload.precision;
        // Megatron-LM and Megatron-DeepSpeed of the unfused years train GPT (not gated) with dropout.
        let unfused = scenario.software.attention() == Attention::Unfused;
        // Their bf16 optimizer accumulates in 32 bits; fp16 keeps 16.
        let wide_gradients = unfused && precision != Precision::Fp16;
        Self {
            unfused_attention: unfused,
            dropout: unfused && !scenario.model.gated_mlp,
            fused_activation: profile.fused_activation,
            linear_input_bytes: if profile.keeps_quantised_inputs { quantised_bytes(precision) } else { 2.0 },
            gradient_bytes: if wide_gradients { 4.0 } else { profile.gradient_bytes },
            master_only: profile.master_only,
            placeholder_gradients: profile.placeholder_gradients,
            logit_bytes: if profile.is_eager() { LOGIT_BYTES_EAGER } else { LOGIT_BYTES_FUSED },
        }
    }
}

/// Bytes of one element of a GEMM operand, block scales included.
fn quantised_bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Fp16 | Precision::Bf16 => 2.0,
        Precision::Fp8 => 1.0,
        // One 32-bit scale per 128 elements; one 8-bit scale per 32; one 8-bit scale per 16.
        Precision::Fp8Block => 1.0 + 4.0 / 128.0,
        Precision::Mxfp8 => 1.0 + 1.0 / 32.0,
        Precision::Nvfp4 => 0.5 + 1.0 / 16.0,
    }
}
