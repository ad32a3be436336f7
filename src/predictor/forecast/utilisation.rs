//! Utilisation: the model's FLOPs over the hardware's peak.

use crate::scenario::cluster::Gpu;
use crate::scenario::model::{LayerKind, LayerShares, Layers, Mixer, Model, OfKinds, Reads, Tower};
use crate::scenario::plan::Recompute;
use crate::scenario::{Precision, Scenario};

/// The forward pass's share of a layer's FLOPs.
const FORWARD_SHARE: f64 = 1.0 / 3.0;

/// FLOPs a model needs for one token of a sequence of length `s`, forward and backward, without recomputation: 6 per
/// weight of each matrix that the token passes, and `6 s a (dqk + dv) / 2` per layer for causal attention, where each
/// query sees s/2 keys on average (less with a window, twice that without a mask).
///
/// Only routed experts that receive the token count. The vocabulary is not padded. For Llama's shape it is `6 (L (h dh
/// (2a + 2k) + f h (2 or 3)) + V h) + 6 L s a dh`.
pub(crate) fn model_flops_per_token(model: &Model, sequence: u32) -> f64 {
    let hidden = f64::from(model.hidden);
    let head = f64::from(model.vocabulary) * hidden;
    let sequence = f64::from(sequence);
    let layer = |kind: LayerKind| {
        let mut products = 0.0;
        model.layer_weights(kind, LayerShares::WHOLE, &mut |weights| {
            products += match weights.reads {
                Reads::Input | Reads::Inside => weights.matrices(),
                // Keys and values of cross-attention are projected from the encoder's outputs.
                Reads::Encoder => model.tower.merged_per_sequence() / sequence.max(1.0) * weights.matrices(),
                Reads::Routed => {
                    f64::from(model.experts.top_k) * (weights.matrices() / weights.count.max(1.0))
                }
            };
        });
        if kind.attends() {
            let pairs = model.pairs(kind.mixer, sequence, 0.0);
            let core = 0.5 * pairs * sequence * f64::from(model.heads) * head_widths(&model.of_kind(kind));
            products += core + selection(model, kind.mixer, sequence);
        }
        if kind.mixer.recurs() {
            products += recurrent_state(model);
        }
        // The layer's share of the projection of its own embeddings.
        products + hidden * f64::from(model.layer_embeddings.width)
    };
    let of_model = Layers::new(model);
    let all = |counts: OfKinds<u32>| -> f64 {
        of_model.kinds().iter().zip(counts).map(|(kind, count)| f64::from(count) * layer(*kind)).sum()
    };
    let prediction = all(of_model.in_prediction()) + head + 2.0 * hidden * hidden;
    6.0 * (all(of_model.counts()) + head + f64::from(model.prediction_layers) * prediction)
}

/// Width of a head's query and value together.
fn head_widths(model: &Model) -> f64 {
    let latent = &model.latent;
    if latent.kv_rank > 0 {
        f64::from(latent.plain_dim) + f64::from(latent.rotary_dim) + f64::from(latent.value_dim)
    } else {
        f64::from(model.head_dim) + f64::from(model.head_value_dim())
    }
}

/// Products of an indexer for one token outside its linear layers, in multiply-adds of a whole pass: the indexer's gradients
/// are for the selected keys, and its training targets are scores computed once more.
fn selection(model: &Model, mixer: Mixer, sequence: f64) -> f64 {
    let widths = model.sparse_widths(mixer);
    if widths.index_queries == 0.0 {
        return 0.0;
    }
    let scored = model.keys_scored(sequence);
    let selected = model.keys_selected(sequence);
    let scores = widths.index_queries * (scored + 2.0 * selected);
    let latent = &model.latent;
    let query = if latent.kv_rank > 0 { latent.plain_dim + latent.rotary_dim } else { model.head_dim };
    let target = f64::from(model.heads) * f64::from(query) * selected;
    (scores + target) / 3.0
}

/// A recurrent mixer's products outside its linear layers for one token, in multiply-adds: those with its state, and
/// the convolution. Products within chunks do not count. Megatron-Bridge counts a recurrence's operations, a third more
/// for the delta rules and three quarters more for Mamba (`flop_utils.py`: 8 and 7 FLOPs per element of the state).
fn recurrent_state(model: &Model) -> f64 {
    let of = model.recurrent.widths(f64::from(model.hidden), 1.0);
    let state = of.values * f64::from(model.recurrent.key_dim.max(1));
    let updates = model.recurrent.rule.row().state_products * state;
    updates + f64::from(model.recurrent.convolution) * of.channels
}

/// Peak of the GPU in the scenario's precision, FLOP/s; its 16-bit peak if it lacks the precision, or is not faster in
/// it.
pub fn peak(gpu: &Gpu, precision: Precision) -> f64 {
    let low = match precision {
        Precision::Fp16 | Precision::Bf16 => 0.0,
        Precision::Fp8 | Precision::Fp8Block | Precision::Mxfp8 => gpu.peak_fp8.0,
        Precision::Nvfp4 => gpu.peak_fp4.0,
    };
    low.max(gpu.peak_bf16.0)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Share of the cluster's peak that executed FLOPs used during `seconds`.
pub(crate) fn of_peak(scenario: &Scenario, flops: f64, seconds: f64) -> f64 {
    let peak = peak(&scenario.cluster.gpu, scenario.workload.precision);
    ratio(flops, peak * f64::from(scenario.cluster.gpus) * seconds)
}

/// FLOPs of the model in one step.
pub(crate) fn model_flops(scenario: &Scenario) -> f64 {
    scenario.tokens_per_step() * flops_per_token(scenario)
}

/// FLOPs of an encoder and its projectors for one sequence of a decoder of this width: 6 per weight that a token passes,
/// 4 without a gradient of the input, and 2 if nothing is trained.
fn tower_flops(tower: &Tower, hidden: u32, (freezes_tower, freezes_all): (bool, bool)) -> f64 {
    if !tower.exists() {
        return 0.0;
    }
    let (forward, leaf, whole) = (2.0, 4.0, 6.0);
    let of_layers = model_flops_per_token(&tower.encoder(), tower.attended()) / whole;
    let of_patch = f64::from(tower.patch) * f64::from(tower.hidden);
    let [layers, patch] = if freezes_tower {
        [forward * of_layers, forward * of_patch]
    } else {
        [whole * of_layers, leaf * of_patch]
    };
    let inner = if tower.projector_inner > 0 { tower.projector_inner } else { hidden };
    let first = f64::from(tower.projected_width()) * f64::from(inner);
    let second = tower.projector_weights(hidden, 1) - first;
    let projector = match (freezes_all, freezes_tower) {
        (true, _) => forward * (first + second),
        (false, true) => leaf * first + whole * second,
        (false, false) => whole * (first + second),
    };
    tower.tokens_per_sequence() * (layers + patch)
        + tower.merged_per_sequence() * f64::from(tower.projectors) * projector
}

/// FLOPs that the model needs to train on one token, with its share of those of an encoder.
pub fn flops_per_token(scenario: &Scenario) -> f64 {
    let of_decoder = decoder_flops_per_token(scenario);
    let frozen = (scenario.freezes_tower(), scenario.training.adapters.freeze());
    let of_tower = tower_flops(&scenario.model.tower, scenario.model.hidden, frozen);
    let useful = scenario.tokens_per_step() / f64::from(scenario.workload.global_batch.max(1));
    of_decoder + of_tower / useful.max(1.0)
}

/// Share of the model's FLOPs that an encoder and its projectors have.
pub(super) fn encoder_share(scenario: &Scenario) -> f64 {
    let all = flops_per_token(scenario);
    if scenario.model.tower.exists() && all > 0.0 {
        1.0 - decoder_flops_per_token(scenario) / all
    } else {
        0.0
    }
}

fn decoder_flops_per_token(scenario: &Scenario) -> f64 {
    let all = model_flops_per_token(&scenario.model, scenario.workload.attended());
    // Frozen weights have no weight gradients, a third of their FLOPs; adapters are added.
    let adapters = if scenario.training.adapters.freeze() {
        let experts = &scenario.model.experts;
        let passed = scenario.adapter_parameters(experts.top_k.min(experts.count));
        6.0 * passed - model_flops_per_token(&scenario.model, 0) / 3.0
    } else {
        0.0
    };
    all + adapters
}

/// Model FLOPs utilisation.
pub(crate) fn mfu(scenario: &Scenario, seconds: f64) -> f64 {
    of_peak(scenario, model_flops(scenario), seconds)
}

/// Seconds of the model's FLOPs and of fully recomputed layers at the GPUs' peak.
pub(super) fn seconds_at_peak(scenario: &Scenario) -> f64 {
    let again = match scenario.plan.recompute {
        Recompute::Full | Recompute::Every(_) => FORWARD_SHARE / f64::from(scenario.plan.recompute.every()),
        Recompute::None | Recompute::Selective | Recompute::Modules(_) => 0.0,
    };
    of_peak(scenario, model_flops(scenario) * (1.0 + again), 1.0)
}

/// Tokens per second per GPU.
pub(crate) fn tokens_per_s_per_gpu(scenario: &Scenario, seconds: f64) -> f64 {
    ratio(scenario.tokens_per_step(), seconds * f64::from(scenario.cluster.gpus))
}
