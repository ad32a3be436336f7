//! Blocks that several layers share, layers with sizes of their own, and embeddings of every layer's own: parameters,
//! FLOPs, gradients and states by hand.

use crate::support::assert_close;
use stepcast::constants::Constants;
use stepcast::cost::{Collective, Work};
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::memory::stage_memory;
use stepcast::page_state::report::ModelReport;
use stepcast::scenario::Scenario;
use stepcast::step::{Call, Module, Pass, Place, Program};

/// Width, feed-forward width, vocabulary and layers of the model.
const H: f64 = 1024.0;
const F: f64 = 4096.0;
const V: f64 = 32_000.0;
const LAYERS: f64 = 12.0;
/// A layer: four square matrices, three of the feed-forward part, two norms.
const LAYER: f64 = 4.0 * H * H + 3.0 * H * F + 2.0 * H;
const ENDS: f64 = 2.0 * V * H + H;

const PLAIN: &str = "#2;m=custom;layers=12;hidden=1024;ffn=4096;heads=16;kv=16;dh=64;vocab=32000;gated=1;tied=0;norm=rms;bias=none;\
     g=dgx-h100;n=8;tp=1;sp=0;pp=1;cp=1;zero=0;mb=1;gb=8;seq=2048;wts=master;grads=32;stack=megatron-lm;rc=none";

fn job(more: &str) -> Scenario {
    let document = Document::from_link(&format!("{PLAIN};{more}")).expect("a link").document;
    document.scenario().unwrap_or_else(|errors| panic!("{more}: {errors:?}"))
}

fn refused(more: &str, field: &str) {
    let document = Document::from_link(&format!("{PLAIN};{more}")).expect("a link").document;
    let errors = document.scenario().expect_err(more);
    assert!(errors.iter().any(|error| error.field == field), "{more}: {errors:?}");
}

fn calls(job: &Scenario, place: Place) -> Vec<Call> {
    let mut calls = Vec::new();
    Program::new(job, &Constants::SHIPPED).calls(place, &mut |call| calls.push(call));
    calls
}

/// Multiply-adds of the forward products of one visit of every layer, without attention cores.
fn products(job: &Scenario) -> f64 {
    let program = Program::new(job, &Constants::SHIPPED);
    let counts = program.layers.counts();
    let of_kind = |kind: usize| -> f64 {
        let forward = calls(job, Place::layer(kind)).into_iter().filter(|call| call.pass == Pass::Forward);
        forward
            .map(|call| match call.work {
                Work::Gemm(gemm) => gemm.groups * gemm.m * gemm.n * gemm.k,
                _ => 0.0,
            })
            .sum()
    };
    (0..program.layers.kinds().len()).map(|kind| f64::from(counts[kind]) * of_kind(kind)).sum()
}

/// ALBERT (Lan et al. 2019, arXiv 1909.11942, table 1): one block for all layers.
#[test]
fn a_shared_block_is_held_once_and_computed_for_every_use() {
    let (own, shared) = (job(""), job("blk=2"));
    assert_close(own.model.parameters() as f64, LAYERS * LAYER + ENDS);
    assert_close(shared.model.parameters() as f64, 2.0 * LAYER + ENDS);
    // 4 bytes of the copy and 8 of two states a parameter; 4 of the gradient.
    let [of_own, of_shared] = [&own, &shared].map(|job| stage_memory(job, 0));
    assert_close(of_own.optimizer.0 - of_shared.optimizer.0, 12.0 * 10.0 * LAYER);
    assert_close(of_own.gradients.0 - of_shared.gradients.0, 4.0 * 10.0 * LAYER);
    assert_close(of_own.activations.0, of_shared.activations.0);
    assert_close(products(&own), products(&shared));
    let flops = |job: &Scenario| {
        serde_json::to_value(ModelReport::of(job)).expect("JSON")["flops_per_token"]
            .as_f64()
            .expect("a number")
    };
    assert_close(flops(&own), flops(&shared));
    let reduced = |job: &Scenario| -> f64 {
        let end = calls(job, Place::StepEnd);
        let of = |call: &Call| match call.work {
            Work::Collective { kind: Collective::AllReduce, bytes, .. } => bytes * call.times,
            _ => 0.0,
        };
        end.iter().filter(|call| call.module == Module::GradientReduction).map(of).sum()
    };
    assert_close(reduced(&own) - reduced(&shared), 4.0 * 10.0 * LAYER);
    // Sharded parameters are gathered for every use.
    let step = |more: &str| Predictor::SHIPPED.estimate(&job(more)).step.0;
    assert!(step("blk=2") < step(""));
    assert!(step("blk=1") <= step("blk=2"));
}

/// Zamba2 (Glorioso et al. 2024, arXiv 2411.15242, section 2): the block's attention reads twice the width; each use has a
/// matrix that projects its output, and low-rank matrices.
#[test]
fn uses_of_a_block_have_matrices_of_their_own() {
    let zamba = "lay=3az;blk=2;blke=1;blkr=64;dh=128";
    let (queries, plain) = (16.0 * 128.0, job("dh=128"));
    let of_block = 3.0 * 2.0 * H * queries + queries * H + 3.0 * H * F + 3.0 * H;
    let of_use = H * H + 64.0 * (H + 2.0 * F);
    let attention = 64.0 * (3.0 * 2.0 * H + 3.0 * queries);
    let others = 9.0 * (plain.model.layer_parameters(1).total() as f64);
    for (more, own) in [("", of_use), (";blka=1", of_use + attention)] {
        let job = job(&format!("{zamba}{more}"));
        assert_close(job.model.parameters() as f64, others + 2.0 * of_block + 3.0 * own + ENDS);
        // Every weight but those of norms multiplies every token once a use.
        let norms = 9.0 * 2.0 * H + 3.0 * 3.0 * H;
        let weights = others + 3.0 * (of_block + own) - norms;
        assert_close(products(&job), weights * 2048.0);
    }
}

#[test]
fn what_cannot_be_split_is_refused() {
    refused("blk=2;pp=2", "pp");
    refused("lay=az", "blk");
    refused("blk=5;lay=2wa;window=512", "blk");
    refused("blk=13", "blk");
    refused("blk=2;blke=1;moe=8;effn=512", "blke");
    refused("lay=a:4100,a;tp=8", "tp");
    refused("lay=a~5,a", "lay");
    refused("lay=aa~0,;pp=2", "pp");
    refused("ple=64;pp=2", "pp");
    job("blk=3;lay=2wa;window=512");
}

/// Nemotron-NAS (Bercovich et al. 2024, arXiv 2411.19146): layers without attention, narrower, or with a matrix in place of
/// attention.
#[test]
fn layers_have_sizes_of_their_own() {
    let mixed = job("lay=2a:2048~4,-:512,la");
    let ends = |layers: f64| layers + ENDS;
    let narrow = 2.0 * H * H + 2.0 * H * 4.0 * 64.0 + 3.0 * H * 2048.0 + 2.0 * H;
    let alone = 3.0 * H * 512.0 + H;
    let matrix = H * H + 3.0 * H * F + 2.0 * H;
    // Layers 0 to 11: the pattern of five twice, and its first two.
    let expected = 6.0 * narrow + 2.0 * alone + 2.0 * matrix + 2.0 * LAYER;
    assert_close(mixed.model.parameters() as f64, ends(expected));
    let norms = 6.0 * 2.0 * H + 2.0 * H + 4.0 * 2.0 * H;
    assert_close(products(&mixed), (expected - norms) * 2048.0);
    let halves = job("lay=2a:2048~4,-:512,la;tp=2;sp=1");
    assert_eq!(Program::new(&halves, &Constants::SHIPPED).layers.kinds().len(), 4);
}

/// Gemma 3n and Gemma 4: keys and values of an earlier layer, and embeddings of every layer's own.
#[test]
fn keys_are_reused_and_layers_read_embeddings() {
    let reused = job("lay=2aa~0,");
    assert_close(reused.model.parameters() as f64, LAYERS * LAYER - 4.0 * 2.0 * H * H + ENDS);
    assert_close(products(&job("")) - products(&reused), 4.0 * 2.0 * H * H * 2048.0);
    let kept = stage_memory(&job(""), 0).activations.0 - stage_memory(&reused, 0).activations.0;
    assert_close(kept, 4.0 * 2.0 * 2.0 * 2048.0 * H);
    let own = job("ple=64;plev=1000");
    let table = LAYERS * 64.0 * (1000.0 + H) + 64.0;
    let more = table + LAYERS * (2.0 * 64.0 * H + H);
    assert_close(own.model.parameters() as f64, LAYERS * LAYER + ENDS + more);
    assert_close(products(&own) - products(&job("")), LAYERS * 2.0 * 64.0 * H * 2048.0);
}
