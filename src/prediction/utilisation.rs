//! How well the machines are used: FLOPs of the model over what the hardware could have done.

use crate::cluster::Gpu;
use crate::model::Model;
use crate::scenario::{Precision, Scenario};

/// FLOPs a model needs for one token of a sequence of length `s`, forward and backward, nothing twice:
/// `6 (L (h dh (2a + 2k) + f h (2 or 3)) + V h) + 6 L s a dh`.
///
/// The last term is causal attention: each query sees s/2 keys on average. The vocabulary is not padded.
pub(crate) fn model_flops_per_token(model: &Model, sequence: u32) -> f64 {
    let hidden = f64::from(model.hidden);
    let layers = f64::from(model.layers);
    let head_dim = f64::from(model.head_dim);
    let heads = f64::from(model.heads);
    let attention = hidden * head_dim * 2.0 * (heads + f64::from(model.kv_heads));
    let mlp = hidden * f64::from(model.ffn) * if model.gated_mlp { 3.0 } else { 2.0 };
    let head = f64::from(model.vocabulary) * hidden;
    6.0 * (layers * (attention + mlp) + head) + 6.0 * layers * f64::from(sequence) * heads * head_dim
}

/// Peak of the GPU in the scenario's precision, FLOP/s; its 16-bit peak where it lacks the precision.
pub(crate) fn peak(gpu: &Gpu, precision: Precision) -> f64 {
    let low = match precision {
        Precision::Fp16 | Precision::Bf16 => 0.0,
        Precision::Fp8 | Precision::Fp8Block | Precision::Mxfp8 => gpu.peak_fp8.0,
        Precision::Nvfp4 => gpu.peak_fp4.0,
    };
    if low > 0.0 { low } else { gpu.peak_bf16.0 }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Share of the cluster's peak that executed FLOPs took during `seconds`.
pub(crate) fn of_peak(scenario: &Scenario, flops: f64, seconds: f64) -> f64 {
    let peak = peak(&scenario.cluster.gpu, scenario.workload.precision);
    ratio(flops, peak * f64::from(scenario.cluster.gpus) * seconds)
}

/// FLOPs of the model in one step.
pub(crate) fn model_flops(scenario: &Scenario) -> f64 {
    scenario.tokens_per_step() * model_flops_per_token(&scenario.model, scenario.workload.sequence)
}

/// Model FLOPs utilisation.
pub(crate) fn mfu(scenario: &Scenario, seconds: f64) -> f64 {
    of_peak(scenario, model_flops(scenario), seconds)
}

/// Tokens per second and GPU.
pub(crate) fn tokens_per_s_per_gpu(scenario: &Scenario, seconds: f64) -> f64 {
    ratio(scenario.tokens_per_step(), seconds * f64::from(scenario.cluster.gpus))
}
