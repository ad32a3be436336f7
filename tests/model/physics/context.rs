//! Context parallelism: keys and values around a ring or gathered, or tokens exchanged for heads.

use crate::physics::sharding::plain;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::Algorithm;
use stepcast::forecast::Predictor;
use stepcast::forecast::{Pass, Prediction};
use stepcast::memory::stage_memory;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::ContextExchange;
use stepcast::step::Parallelism;
use stepcast::traffic::AxisOrder;
use stepcast::units::BytesPerSecond;

/// Llama-2 7B or another model, one sequence of 16,384 tokens a micro-batch, three of them.
fn job(model: &str, context: u32, gpus: u32) -> Scenario {
    let (c, n, gb) = (context.to_string(), gpus.to_string(), (3 * gpus / context).to_string());
    scenario(&[
        ("m", model),
        ("g", "dgx-h100"),
        ("n", &n),
        ("gb", &gb),
        ("seq", "16384"),
        ("stack", "compiled"),
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
                .traffic(&job, AxisOrder::from(job.plan.mapping), Algorithm::Ring, 0)
                .expect("legal");
            let around = listed.messages.iter().find(|message| message.kind == Parallelism::ContextParallel);
            let around = around.expect("a ring");
            assert_eq!(around.bytes as f64, message);
            assert_eq!(around.count as f64, 2.0 * 3.0 * layers * 3.0 * (c - 1.0));
            assert_close(around.sent.0, 3.0 * layers * 3.0 * (c - 1.0) * message);
        }
    }
}

/// Behind the core hides what takes no longer than a share of it, and behind the backward core as much of its own time. A
/// share of the ring never hides; where the links take longer than the core, that is part of what is seen of them.
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
        let seen = |exchange: f64, core: f64| f64::max(exchange - share * core, first * ring).min(exchange);
        let (forward, backward) = (seen(ring, core), seen(2.0 * ring, backward));
        assert_close(found.breakdown.context_communication.0, 3.0 * 32.0 * (forward + backward));
        let hidden = 3.0 * 32.0 * (3.0 * ring - forward - backward);
        assert!((found.hidden.context.0 - hidden).abs() < 1e-9 * ring, "{:?} {hidden}", found.hidden.context);
    }
}

/// Over links that take far longer than all compute, the core hides whole: the step is the exchange and what is not attention.
#[test]
fn the_core_hides_behind_slow_links() {
    let mut job = job("llama2-7b", 8, 8);
    job.cluster.scale_up.bandwidth.0 /= 1000.0;
    let whole = Constants { overlap_context: 1.0, ..Constants::SHIPPED };
    let found = forecast_under(&job, &whole);
    let (core, backward) = (core(&found, Pass::Forward), core(&found, Pass::Backward));
    let hidden = 3.0 * 32.0 * (core + backward);
    assert!((found.hidden.context.0 / hidden - 1.0).abs() < 1e-9, "{:?} {hidden}", found.hidden.context);
    assert!(found.breakdown.context_communication.0 > 10.0 * hidden);
}

/// One rank exchanges nothing.
#[test]
fn a_whole_sequence_exchanges_nothing() {
    let found = forecast_under(&job("llama2-7b", 1, 8), &constants(0.0, 0.0));
    assert_eq!((found.breakdown.context_communication.0, found.hidden.context.0), (0.0, 0.0));
}

/// The job with another way of exchanging.
fn exchanging(way: &str, model: &str, context: u32, gpus: u32) -> Scenario {
    let mut job = job(model, context, gpus);
    job.plan.context_exchange = match way {
        "gather" => ContextExchange::AllGather,
        _ => ContextExchange::AllToAll,
    };
    assert!(job.validate().is_ok(), "{:?}", job.validate());
    job
}

/// The bytes that a rank sends for context parallelism in a step, and how many collectives that takes.
fn sent(job: &Scenario) -> (f64, u64) {
    let listed = Predictor::SHIPPED
        .traffic(job, AxisOrder::from(job.plan.mapping), Algorithm::Ring, 0)
        .expect("legal");
    let mine = listed.totals.iter().find(|total| total.kind == Parallelism::ContextParallel).expect("some");
    (mine.sent.0, mine.count)
}

/// Keys and values of the whole sequence are gathered forward and once more backward, and their gradients scattered:
/// (c - 1)/c of the tensor each time, three times in all, and nothing of it hides (Transformer Engine, `all_gather`).
#[test]
fn gathers_bring_all_keys_and_values() {
    for (model, layers, elements) in
        [("llama2-7b", 32.0, 2.0 * 32.0 * 128.0), ("llama3-8b", 32.0, 2.0 * 8.0 * 128.0)]
    {
        for (context, gpus, rate) in [(2_u32, 8, 450e9), (8, 8, 450e9), (16, 16, 50e9)] {
            let job = exchanging("gather", model, context, gpus);
            let c = f64::from(context);
            let each = (c - 1.0) / c * 2.0 * elements * 16_384.0;
            assert_eq!(sent(&job), (3.0 * layers * 3.0 * each, 3 * layers as u64 * 3));
            let found = forecast_under(&job, &constants(1.0, 0.0));
            // Two machines: the switch and the network share the ranks, and the slower one sets the pace.
            let time = if gpus > 8 { 2.0 * elements * 16_384.0 / 2.0 / (8.0 * rate) } else { each / rate };
            let time = time.max(each / 450e9);
            assert_close(found.breakdown.context_communication.0, 3.0 * layers * 3.0 * time);
            assert_eq!(found.hidden.context.0, 0.0);
        }
    }
}

/// Of queries, keys, values and output of its s/c tokens a rank sends (c - 1)/c, forward and backward: 4 s h/c elements of
/// plain heads (DeepSpeed-Ulysses, arXiv 2309.14509, section 3.2), and of grouped ones no fewer than a head for each rank.
#[test]
fn tokens_are_exchanged_for_heads() {
    for (model, context, gpus, elements) in [
        ("llama2-7b", 2_u32, 8, 4.0 * 4096.0),
        ("llama2-7b", 16, 16, 4.0 * 4096.0),
        ("llama3-8b", 8, 8, 2.0 * 4096.0 + 2.0 * 8.0 * 128.0),
        ("llama3-8b", 16, 16, 2.0 * 4096.0 + 2.0 * 16.0 * 128.0),
    ] {
        let job = exchanging("swap", model, context, gpus);
        let c = f64::from(context);
        let each = (c - 1.0) / c * 2.0 * elements * 16_384.0 / c;
        let (bytes, count) = sent(&job);
        assert!((bytes / (3.0 * 32.0 * 2.0 * each) - 1.0).abs() < 1e-6, "{bytes}");
        assert_eq!(count, 3 * 32 * 4);
        let found = forecast_under(&job, &constants(1.0, 0.0));
        assert!(found.breakdown.context_communication.0 > 0.0);
        assert_eq!(found.hidden.context.0, 0.0);
    }
}

/// However queries and keys meet, the attention is as much work for every rank: causal work is even.
#[test]
fn every_way_computes_the_same_attention() {
    let flops = |job: &Scenario| {
        let found = forecast_under(job, &constants(0.0, 0.0));
        let cores = found.operators.iter().filter(|row| row.name == "attention_core");
        cores.map(|row| row.flops.0 * row.count).sum::<f64>()
    };
    for model in ["llama2-7b", "llama3-8b"] {
        let ring = flops(&job(model, 8, 8));
        // Half of the pairs of 16,384 tokens, two products of 2 FLOPs over 4,096 elements, shared by 8; backward 2.5 times.
        let forward = 0.5 * 16_384.0 * 16_384.0 * 4.0 * 4096.0 / 8.0;
        assert_close(ring, 32.0 * 3.5 * forward);
        assert_close(flops(&exchanging("gather", model, 8, 8)), ring);
        assert_close(flops(&exchanging("swap", model, 8, 8)), ring);
    }
}

/// Gathers keep the keys and values of all tokens beside their gradients while a layer runs; rings and swaps do not.
#[test]
fn gathered_keys_and_values_take_room() {
    let workspace = |job: &Scenario| stage_memory(job, 0).workspace.0;
    let job = |way: &str| {
        let mut job = if way == "ring" { job("llama2-7b", 8, 8) } else { exchanging(way, "llama2-7b", 8, 8) };
        // Little to lose: the logits of a small vocabulary leave the layer's own tensors in sight.
        job.model.vocabulary = 256;
        job
    };
    let keys_and_values = 2.0 * 2.0 * 4096.0 * 16_384.0;
    assert!(workspace(&job("gather")) - workspace(&job("ring")) > keys_and_values);
    let swapped = workspace(&job("swap")) - workspace(&job("ring"));
    assert!((0.0..=2.0 * 3.0 * 4096.0 * 2048.0).contains(&swapped), "{swapped}");
}

/// Of a ring over two machines one rank of each sends across: with one NIC for all its GPUs it has the whole of the machine's
/// network, with a NIC of its own an eighth. Where every GPU sends across, both have their share.
#[test]
fn a_ring_leaves_a_machine_over_one_nic() {
    let exchanged = |context: u32, nics: u32, gigabits: f64| {
        let mut job = job("llama2-7b", context, 16);
        job.cluster.network.nics_per_node = nics;
        job.cluster.network.nic_bandwidth = BytesPerSecond::from_gigabits(gigabits);
        forecast_under(&job, &constants(0.0, 0.0)).breakdown.context_communication.0
    };
    let own = exchanged(16, 8, 50.0);
    assert_close(exchanged(16, 1, 400.0), own / 8.0);
    assert_close(exchanged(16, 4, 100.0), own / 2.0);
    assert_close(exchanged(16, 8, 400.0), own / 8.0);
}
