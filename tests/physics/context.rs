//! Context parallelism: keys and values around a ring, forward once, backward with their gradients.

use crate::sharding::plain;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::Algorithm;
use stepcast::forecast::Predictor;
use stepcast::forecast::{Pass, Prediction};
use stepcast::scenario::Scenario;
use stepcast::step::Parallelism;
use stepcast::traffic::Order;

/// Llama-2 7B or another model, one sequence of 16,384 tokens a micro-batch, three of them.
fn job(model: &str, context: u32, gpus: u32) -> Scenario {
    let (c, n, gb) = (context.to_string(), gpus.to_string(), (3 * gpus / context).to_string());
    scenario(&[
        ("m", model),
        ("g", "dgx-h100"),
        ("n", &n),
        ("gb", &gb),
        ("seq", "16384"),
        ("stack", "fms-fsdp"),
        ("tp", "1"),
        ("sp", "0"),
        ("cp", &c),
        ("pp", "1"),
        ("zero", "1"),
    ])
}

/// Links without losses, and a share of the attention core behind which the exchange hides.
fn constants(overlap: f64, exposed: f64) -> Constants {
    Constants { overlap_context: overlap, context_exposed: exposed, attention_backward_ratio: 3.0, ..plain() }
}

/// Seconds of the forward core of one layer.
fn core(found: &Prediction, pass: Pass) -> f64 {
    let row = found.operators.iter().find(|row| row.name == "attention_core" && row.pass == pass);
    row.expect("a core").time.0
}

/// With c ranks each hands 16-bit keys and values of its s/c tokens on c - 1 times forward; backward as much again,
/// and as much of their gradients. Grouped queries have fewer; latent attention has keys of 128 + 64 and values of
/// 128 for each head.
#[test]
fn rings_carry_keys_values_and_their_gradients() {
    for (model, layers, elements) in [
        ("llama2-7b", 32.0, 2.0 * 32.0 * 128.0),
        ("llama3-8b", 32.0, 2.0 * 8.0 * 128.0),
        ("deepseek-v2-lite", 27.0, 16.0 * (192.0 + 128.0)),
    ] {
        for (context, gpus, rate) in [(2_u32, 8, 450e9), (4, 8, 450e9), (8, 8, 450e9), (16, 16, 50e9)] {
            let job = job(model, context, gpus);
            let c = f64::from(context);
            let message = 2.0 * elements * 16_384.0 / c;
            let ring = (c - 1.0) * message / rate;
            let found = forecast_under(&job, &constants(0.0, 0.0));
            assert_close(found.breakdown.context_communication.0, 3.0 * layers * 3.0 * ring);
            assert_close(found.hidden.context.0 + 1.0, 1.0);
            // The messages: sent and received, c - 1 of them in each of three exchanges, layers and micro-batches.
            let listed = Predictor::SHIPPED
                .traffic(&job, Order::from(job.plan.mapping), Algorithm::Ring, 0)
                .expect("legal");
            let around = listed.messages.iter().find(|message| message.kind == Parallelism::ContextParallel);
            let around = around.expect("a ring");
            assert_eq!(around.bytes as f64, message);
            assert_eq!(around.count as f64, 2.0 * 3.0 * layers * 3.0 * (c - 1.0));
            assert_close(around.sent.0, 3.0 * layers * 3.0 * (c - 1.0) * message);
        }
    }
}

/// Behind the core hides what takes no longer than a share of it, and behind the backward core as much of its own time.
/// The first step of the ring never hides.
#[test]
fn exchanges_hide_behind_the_core() {
    for (context, slower) in [(2_u32, 1.0), (4, 20.0), (8, 20.0), (8, 200.0)] {
        let mut job = job("llama2-7b", context, 8);
        job.cluster.scale_up.bandwidth.0 /= slower;
        let (share, first) = (0.5, 0.125);
        let found = forecast_under(&job, &constants(share, first));
        let (core, backward) = (core(&found, Pass::Forward), core(&found, Pass::Backward));
        let c = f64::from(context);
        let ring = (c - 1.0) * 2.0 * 8192.0 * 16_384.0 / c * slower / 450e9;
        let seen =
            |exchange: f64, core: f64| (f64::max(exchange - share * core, 0.0) + first * ring).min(exchange);
        let (forward, backward) = (seen(ring, core), seen(2.0 * ring, backward));
        assert_close(found.breakdown.context_communication.0, 3.0 * 32.0 * (forward + backward));
        let hidden = 3.0 * 32.0 * (3.0 * ring - forward - backward);
        assert!((found.hidden.context.0 - hidden).abs() < 1e-9 * ring, "{:?} {hidden}", found.hidden.context);
    }
}

/// One rank exchanges nothing.
#[test]
fn a_whole_sequence_exchanges_nothing() {
    let found = forecast_under(&job("llama2-7b", 1, 8), &constants(0.0, 0.0));
    assert_eq!((found.breakdown.context_communication.0, found.hidden.context.0), (0.0, 0.0));
}
