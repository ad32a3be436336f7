//! What memory is bought with and what overlap saves: recomputed modules, offloading, blocking sends.

use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::forecast::{Pass, Prediction};
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::stages::stage_parameters;

fn scenario(edits: &[(&str, &str)]) -> Scenario {
    let mut document = Document::default();
    edits.iter().for_each(|(key, text)| document.set(key, text));
    document.scenario().unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn forecast(edits: &[(&str, &str)]) -> Prediction {
    Predictor::SHIPPED.predict(&scenario(edits)).expect("legal")
}

fn close(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-9
}

/// Norms and activation are what fused stacks recompute selectively: the same memory. Their time is what
/// their forward kernels take once more.
#[test]
fn recomputed_modules_cost_their_forward_kernels() {
    let peak = |edits: &[(&str, &str)]| forecast(edits).memory.stages[0].activations.0;
    assert_eq!(peak(&[("rc", "modules"), ("rcm", "norms,act")]), peak(&[("rc", "selective")]));
    let order = ["act", "mlp", "norms,mlp"];
    let peaks = order.map(|modules| peak(&[("rc", "modules"), ("rcm", modules)]));
    assert!(
        peak(&[]) > peaks[0]
            && peaks[0] > peaks[1]
            && peaks[1] > peaks[2]
            && peaks[2] > peak(&[("rc", "full")])
    );

    for (modules, names) in [
        ("norms", &["attention_norm", "mlp_norm"][..]),
        ("act", &["activation"]),
        ("core", &["attention_core"]),
        ("mlp", &["mlp_up", "activation", "mlp_down"]),
    ] {
        let with = forecast(&[("rc", "modules"), ("rcm", modules)]);
        let again =
            with.operators.iter().filter(|row| row.pass == Pass::Forward && names.contains(&row.name));
        let once: f64 = again.map(|row| row.count * row.time.0).sum();
        let expected = once * f64::from(with.micro_batches);
        assert!(
            close(with.breakdown.recompute.0, expected),
            "{modules}: {:?} {expected}",
            with.breakdown.recompute
        );
        assert!(with.hfu >= with.mfu);
    }
    let refused =
        Document::from_link("#1;m=llama3-70b;g=dgx-h100;n=512;rc=modules").expect("a link").document;
    assert_eq!(refused.scenario().expect_err("no module")[0].field, "rcm");
}

/// Per GPU of the first stage: a third of its parameters is updated (3 replicas). Gradients in 16 bits there,
/// weights back, at 0.8 of 63 GB/s; 30 bytes a parameter, and 22 of what comes and goes, through the host's memory.
#[test]
fn an_optimizer_on_the_host_leaves_the_gpu_and_takes_its_time() {
    let edits = [("n", "96"), ("gb", "96"), ("oo", "1")];
    let with = forecast(&edits);
    let job = scenario(&edits);
    assert_eq!(with.memory.stages[0].optimizer.0, 0.0);
    assert!(with.memory.peak_gib < forecast(&edits[..2]).memory.peak_gib);
    let c = Constants::SHIPPED;
    let updated = stage_parameters(&job.model, &job.plan, 0).total() / f64::from(with.data_parallel);
    assert_eq!(with.data_parallel, 3);
    let memory = 63e9 * c.host_memory_over_link * c.host_memory_efficiency;
    let expected = updated * (4.0 / (63e9 * c.host_link_efficiency) + (30.0 + 22.0) / memory);
    assert!(close(with.breakdown.optimizer.0, expected), "{:?} {expected}", with.breakdown.optimizer);
}

/// All activations of a stage but two layers' leave the GPU. On a link as fast as they need it costs nothing;
/// on a slow one what outlasts the kernels shows.
#[test]
fn activations_on_the_host_cost_what_outlasts_the_kernels() {
    let base = [("mb", "1"), ("seq", "8192")];
    let here = forecast(&base);
    let away = |link: &str| forecast(&[&base[..], &[("oa", "100"), ("host", link)]].concat());
    let fast = away("10000");
    let layers = 20.0;
    let in_flight = 4.0;
    let kept = here.memory.stages[0].activations.0 / (layers * in_flight);
    assert!(close(fast.memory.stages[0].activations.0, 2.0 * kept));
    assert_eq!(fast.step, here.step);
    let slow = away("10");
    let crossing = kept / (10e9 * Constants::SHIPPED.host_link_efficiency);
    let stage = &here.stages[1];
    let excess =
        (layers * crossing - stage.forward.0).max(0.0) + (layers * crossing - stage.backward.0).max(0.0);
    let grown = slow.stages[1].forward.0 + slow.stages[1].backward.0 - stage.forward.0 - stage.backward.0;
    assert!(excess > 0.0 && close(grown, excess), "{grown} {excess}");
    assert!(slow.step > here.step);
}

/// Sends that a stage waits for lengthen its passes by two transfers per micro-batch and virtual stage; others
/// only fill and drain the pipeline with them.
#[test]
fn blocking_sends_show_for_every_micro_batch() {
    for edits in
        [&[("vpp", "1")][..], &[("vpp", "5")], &[("sched", "zb-h1")], &[("sched", "zb-v"), ("vpp", "2")]]
    {
        let beside = forecast(edits);
        let waiting = forecast(&[edits, &[("ppo", "0")]].concat());
        let (m, v) = (f64::from(waiting.micro_batches), f64::from(scenario(edits).plan.virtual_stages));
        let hop = (beside.hidden.pipeline + beside.breakdown.pipeline_communication).0 / (2.0 * m * v);
        let more = (waiting.step - beside.step).0;
        assert!(more > 0.3 * m * v * hop && more < 2.2 * m * v * hop, "{edits:?} {more} {}", m * v * hop);
    }
}
