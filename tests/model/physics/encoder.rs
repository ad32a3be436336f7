//! An encoder in front of the decoder: CLIP ViT-L/14 of LLaVA 1.5 (24 layers of width 1024 with biases, 577 tokens, and two
//! matrices to the decoder's width), counted by hand.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::cost::Work;
use stepcast::memory::stage_memory;
use stepcast::scenario::Scenario;
use stepcast::scenario::model::{Layers, Mixer, Model, Tower};
use stepcast::step::{Call, Pass, Place, Program};

const LAYERS: f64 = 24.0;
const H: f64 = 1024.0;
const F: f64 = 4096.0;
const T: f64 = 577.0;
/// Weights and biases of a layer, with two norms.
const LAYER: f64 = 4.0 * H * H + 2.0 * H * F + 4.0 * H + F + H + 4.0 * H;
/// Patches, positions and last norm.
const ENDS: f64 = 588.0 * H + T * H + 2.0 * H;
/// To the decoder's width, and again.
const PROJECTOR: f64 = H * 4096.0 + 4096.0 * 4096.0;

fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("enc", "24"),
        ("ench", "1024"),
        ("encf", "4096"),
        ("enca", "16"),
        ("enct", "577"),
        ("encs", "2"),
        ("encw", "588"),
        ("encp", "577"),
        ("encpf", "4096"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "16"),
        ("seq", "4096"),
        ("stack", "compiled"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", "0"),
    ];
    scenario(&[&base[..], edits].concat())
}

fn calls(job: &Scenario, place: Place) -> Vec<Call> {
    let mut calls = Vec::new();
    Program::new(job, &Constants::SHIPPED).calls(place, &mut |call| calls.push(call));
    calls
}

/// FLOPs of the products of a pass, and scores times widths of its attention cores.
fn work(calls: &[Call], pass: Pass) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for call in calls.iter().filter(|call| call.pass == pass) {
        match call.work {
            Work::Gemm(gemm) => sums[0] += 2.0 * gemm.m * gemm.n * gemm.k,
            Work::Attention(core) => {
                // Pairs are relative to a causal mask, which leaves half of all.
                let scores = 0.5 * core.pairs * core.tokens * core.keys;
                sums[1] += scores * core.heads * (core.head_dim + core.value_dim);
            }
            _ => {}
        }
    }
    sums
}

#[test]
fn parameters_are_those_of_its_matrices() {
    let model = job(&[]).model;
    let without = Model { tower: Tower::NONE, ..model }.parameters() as f64;
    assert_close(model.parameters() as f64 - without, LAYERS * LAYER + ENDS + PROJECTOR);
    let frozen = job(&[("encz", "1")]);
    assert_close(frozen.trained_parameters(), without + PROJECTOR);
}

#[test]
fn a_layer_computes_all_scores_of_every_sample() {
    let tokens = 2.0 * T;
    let layer = calls(&job(&[]), Place::Tower);
    for pass in [Pass::Forward, Pass::InputGradient, Pass::WeightGradient] {
        assert_close(work(&layer, pass)[0], 2.0 * tokens * (4.0 * H * H + 2.0 * H * F));
    }
    assert_close(work(&layer, Pass::Forward)[1], tokens * T * 2.0 * H);
    // A tensor-parallel group splits it, and a context-parallel group shares the samples.
    for split in [("tp", "2"), ("cp", "2")] {
        let half = calls(&job(&[split]), Place::Tower);
        assert_close(work(&half, Pass::Forward)[0], 0.5 * work(&layer, Pass::Forward)[0]);
        assert_close(work(&half, Pass::Forward)[1], 0.5 * work(&layer, Pass::Forward)[1]);
    }
    // Ends: patches have no gradient of their input; two matrices of every token.
    let ends = calls(&job(&[]), Place::Embedding);
    let (patches, projected) = (2.0 * tokens * 588.0 * H, 2.0 * tokens * PROJECTOR);
    assert_close(work(&ends, Pass::Forward)[0], patches + projected);
    assert_close(work(&ends, Pass::InputGradient)[0], projected);
    assert_close(work(&ends, Pass::WeightGradient)[0], patches + projected);
}

#[test]
fn a_frozen_encoder_runs_forward_and_saves_nothing() {
    let frozen = job(&[("encz", "1"), ("rc", "full")]);
    let layer = calls(&frozen, Place::Tower);
    assert!(layer.iter().all(|call| call.pass == Pass::Forward && call.saves.total() == 0.0));
    // The projector is trained; no gradient goes back to the encoder.
    let ends = calls(&frozen, Place::Embedding);
    assert_close(work(&ends, Pass::WeightGradient)[0], 2.0 * 2.0 * T * PROJECTOR);
    assert_close(work(&ends, Pass::InputGradient)[0], 2.0 * 2.0 * T * 4096.0 * 4096.0);
    let adapted = job(&[("lora", "16")]);
    for place in [Place::Tower, Place::Embedding] {
        assert!(calls(&adapted, place).iter().all(|call| call.pass == Pass::Forward), "{place:?}");
    }
}

#[test]
fn the_first_stage_holds_it() {
    let of = |edits: &[(&str, &str)], stage: u32| {
        stage_memory(&job(&[&[("stack", "megatron-lm"), ("pp", "4"), ("n", "4")], edits].concat()), stage)
    };
    for stage in 1..4 {
        assert_eq!(of(&[], stage), of(&[("enc", "0")], stage));
    }
    let (without, with, frozen) = (of(&[("enc", "0")], 0), of(&[], 0), of(&[("encz", "1")], 0));
    let all = LAYERS * LAYER + ENDS + PROJECTOR;
    let bytes = |one: stepcast::units::Bytes, other: stepcast::units::Bytes| one.0 - other.0;
    assert_close(bytes(with.weights, without.weights), 2.0 * all);
    assert_close(bytes(frozen.weights, without.weights), 2.0 * all);
    // Master weights and two moments.
    assert_close(bytes(with.optimizer, without.optimizer), 12.0 * all);
    assert_close(bytes(frozen.optimizer, without.optimizer), 12.0 * PROJECTOR);
    assert!(with.activations.0 > frozen.activations.0 && frozen.activations.0 > without.activations.0);
}

/// A decoder of T5 large's kind: 2,048 tokens that attend to a source text of 512, width 1024, 16 heads, 4096 inside.
#[test]
fn cross_attention_projects_and_scores_the_encoders_outputs() {
    let t5 = [
        ("lay", "*x"),
        ("layers", "48"),
        ("hidden", "1024"),
        ("ffn", "4096"),
        ("heads", "16"),
        ("kv", "16"),
        ("dh", "64"),
        ("gated", "0"),
        ("enct", "512"),
        ("encs", "1"),
        ("encw", "0"),
        ("encp", "0"),
        ("encpn", "0"),
        ("seq", "2048"),
    ];
    let job = job(&t5);
    let (tokens, source) = (2048.0, 512.0);
    let kinds = Layers::new(&job.model);
    let of = |crosses: bool| {
        let mut mixers = kinds.kinds().iter().map(|kind| kind.mixer);
        let kind = mixers.position(|mixer| (mixer == Mixer::Crossed) == crosses);
        calls(&job, Place::layer(kind.expect("a kind")))
    };
    let (own, across) = (of(false), of(true));
    assert_close(work(&own, Pass::Forward)[0], 2.0 * tokens * 4.0 * H * H);
    let products = 2.0 * tokens * (2.0 * H * H + 2.0 * H * F) + 2.0 * source * 2.0 * H * H;
    for pass in [Pass::Forward, Pass::InputGradient, Pass::WeightGradient] {
        assert_close(work(&across, pass)[0], products);
    }
    assert_close(work(&across, Pass::Forward)[1], tokens * source * 2.0 * H);
    assert!(across.iter().all(|call| call.module.name() != "rotary_embedding"));
}
