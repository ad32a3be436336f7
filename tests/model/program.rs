//! One program of a step: what the tables, the messages and the forecast say of a step is the same.

use stepcast::cost::Algorithm;
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::forecast::{Prediction, Predictor};
use stepcast::scenario::Scenario;
use stepcast::step::Parallelism;
use stepcast::traffic::{AxisOrder, RankTraffic, communication_times};

fn scenario(link: &str) -> Scenario {
    let opened = Document::from_link(link).unwrap_or_else(|error| panic!("{link}: {error}"));
    opened.document.scenario().unwrap_or_else(|errors| panic!("{link}: {errors:?}"))
}

fn forecast(link: &str) -> Prediction {
    Predictor::SHIPPED.predict(&scenario(link)).expect("legal")
}

fn messages(link: &str, rank: u32) -> RankTraffic {
    let scenario = scenario(link);
    let order = AxisOrder::from(scenario.plan.mapping);
    Predictor::SHIPPED.traffic(&scenario, order, Algorithm::Ring, rank).expect("legal")
}

/// Messages of one kind that a rank counts in a step.
fn count(link: &str, kind: Parallelism) -> u64 {
    messages(link, 0).totals.iter().find(|total| total.kind == kind).map_or(0, |total| total.count)
}

const LINKS: [&str; 12] = [
    "#1;m=llama3-70b;g=dgx-h100;n=512",
    "#1;m=llama3-70b;g=dgx-h100;n=512;zero=2",
    "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;cp=2;vpp=5;rc=full",
    "#1;m=llama3-70b;g=dgx-h100;n=512;rc=modules;rcm=mlp,core",
    "#1;m=llama3-8b;g=dgx-h100;n=64;tp=1;sp=0;pp=1;zero=3;stack=torchtitan;rc=selective",
    "#1;m=llama3-8b;g=dgx-h100;n=64;tp=1;sp=0;pp=1;zero=hsdp;stack=compiled",
    "#1;m=deepseek-v3;g=dgx-h100;n=2048;tp=1;sp=0;pp=16;ep=64;gb=8192;seq=4096;mtp=4",
    "#1;m=deepseek-v3;g=dgx-h100;n=2048;tp=1;sp=0;pp=16;ep=64;gb=8192;seq=4096;sched=dualpipe",
    "#1;m=mixtral-8x7b;g=dgx-h100;n=64;tp=2;pp=2;ep=4;gb=512;etp=2",
    "#1;m=gpt2-1.5b;g=dgx-a100-80g;n=8;gb=64;seq=1024;tp=1;sp=0;pp=4;mb=1;stack=megatron-lm;year=2022",
    "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;tp=8;pp=16;seq=2048;oo=1;ppo=0",
    "#1;m=llama2-70b;g=dgx-h100;n=64;seq=4096;gb=128;stack=maxtext;year=2024;tp=1;sp=0;pp=1;zero=3;mb=2;rc=full",
];

fn links() -> impl Iterator<Item = &'static str> {
    LINKS.into_iter().chain(EXAMPLES.iter().map(|example| example.link))
}

#[test]
fn operator_rows_sum_to_the_breakdown() {
    for link in links() {
        let forecast = forecast(link);
        for (part, _, seconds) in forecast.breakdown.parts() {
            if ["bubble", "host"].contains(&part) {
                continue;
            }
            let rows: f64 =
                forecast.operators.iter().filter(|row| row.part == part).map(|row| row.step.0).sum();
            let off = (rows - seconds.0).abs();
            assert!(off <= 1e-9 * forecast.step.0, "{link}: {part} {} s, its rows {rows} s", seconds.0);
        }
    }
}

#[test]
fn every_kind_of_call_is_a_row() {
    let of =
        |link: &str| -> Vec<&'static str> { forecast(link).operators.iter().map(|row| row.name).collect() };
    let names = of("#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;cp=2;vpp=5;rc=full");
    for name in
        ["key_value_exchange", "stage_transfer", "gradient_reduction", "parameter_gather", "optimizer"]
    {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let names = of("#1;m=llama3-8b;g=dgx-h100;n=64;tp=1;sp=0;pp=1;zero=3;stack=torchtitan");
    assert!(names.contains(&"parameter_gather") && names.contains(&"gradient_scatter"), "{names:?}");
}

#[test]
fn messages_sum_to_what_was_priced() {
    for link in links() {
        let scenario = scenario(link);
        let stages = scenario.plan.pipeline_parallel;
        let gpus = scenario.cluster.gpus;
        for stage in [0, stages / 2, stages - 1] {
            let order = AxisOrder::from(scenario.plan.mapping);
            let layout = stepcast::traffic::DeviceMesh::new(&scenario, order);
            let rank = layout.moved(gpus - 1, stepcast::traffic::ParallelAxis::Pipeline, stage);
            let counted = messages(link, rank);
            let priced = communication_times(&Predictor::SHIPPED, &scenario, stage).expect("legal");
            for kind in Parallelism::ALL {
                let counted = counted.totals.iter().find(|total| total.kind == kind);
                let priced = priced.iter().find(|entry| entry.kind == kind);
                let (counted, priced) =
                    (counted.map_or(0.0, |total| total.sent.0), priced.map_or(0.0, |entry| entry.sent.0));
                // Sizes of messages are whole bytes.
                let off = (counted - priced).abs();
                assert!(
                    off <= 1e-6 * priced + 1.0,
                    "{link} stage {stage} {kind:?}: {counted} B for {priced} B"
                );
            }
        }
    }
}

/// Every micro-batch of a replica without a pipeline reduces its gradients (ZeRO-2); a pipeline reduces once.
#[test]
fn sharded_gradients_are_reduced_every_micro_batch_unless_there_is_a_pipeline() {
    let alone = "#1;m=llama3-8b;g=dgx-h100;n=64;tp=8;pp=1;gb=256;mb=1";
    let (once, every) = (format!("{alone};zero=1"), format!("{alone};zero=2"));
    // 32 reductions and one gather, for one of each.
    assert_eq!(count(&once, Parallelism::DataParallel), 2);
    assert_eq!(count(&every, Parallelism::DataParallel), 33);
    let piped = "#1;m=llama3-70b;g=dgx-h100;n=512";
    let (once, sharded) = (format!("{piped};zero=1"), format!("{piped};zero=2"));
    assert_eq!(count(&once, Parallelism::DataParallel), count(&sharded, Parallelism::DataParallel));
    assert_eq!(forecast(&once).breakdown.data_communication, forecast(&sharded).breakdown.data_communication);
}

/// Prediction layers are layers like the others: compute, messages and rows grow together.
#[test]
fn prediction_layers_are_in_every_table() {
    let base = "#1;m=deepseek-v3;g=dgx-h100;n=2048;tp=1;sp=0;pp=16;ep=64;gb=8192;seq=4096";
    let last = |depth: u32| {
        let link = format!("{base};mtp={depth}");
        let rank = scenario(&link).cluster.gpus - 1;
        let total = messages(&link, rank);
        total
            .totals
            .iter()
            .find(|total| total.kind == Parallelism::ExpertParallel)
            .map_or(0, |total| total.count)
    };
    // 61 layers on 16 stages, three on the last; there and back, forward and backward, for each micro-batch.
    let batches = u64::from(scenario(&format!("{base};mtp=0")).micro_batches());
    assert_eq!(last(0), 3 * 4 * batches);
    assert_eq!(last(4), (3 + 4) * 4 * batches);
}

/// A recomputed module's collectives run again, in the forecast and on the wire.
#[test]
fn recomputed_modules_send_their_messages_again() {
    let base = "#1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=1;gb=1024";
    let none = count(&format!("{base};rc=none"), Parallelism::TensorParallel);
    let mlp = count(&format!("{base};rc=modules;rcm=mlp"), Parallelism::TensorParallel);
    let batches = u64::from(scenario(base).micro_batches());
    // One more gather a layer and micro-batch: that of the feed-forward's input.
    assert_eq!(mlp - none, 80 * batches);
    let time = |recompute: &str| forecast(&format!("{base};{recompute}")).breakdown.tensor_communication;
    assert!(time("rc=modules;rcm=mlp") > time("rc=none"));
}

/// The two stages that share a tied embedding sit in one machine here: no NIC carries their synchronisation.
#[test]
fn what_stays_inside_a_machine_does_not_depend_on_the_network() {
    let base =
        "#1;m=gpt2-1.5b;g=dgx-a100-80g;n=8;gb=64;seq=1024;tp=1;sp=0;pp=4;mb=1;stack=megatron-lm;year=2022";
    let step = |network: &str| forecast(&format!("{base};nic={network}")).step;
    assert_eq!(step("200"), step("50"));
    assert_eq!(step("200"), step("0.001"));
}

/// The replayed pipeline is as long as the forecast's, whatever the stack is faster or slower than.
#[test]
fn the_timeline_is_as_long_as_the_pipeline_in_the_step() {
    let link = LINKS[11];
    let (forecast, timeline) =
        (forecast(link), Predictor::SHIPPED.timeline(&scenario(link)).expect("a timeline"));
    assert!(timeline.makespan <= forecast.step, "{} {}", timeline.makespan.0, forecast.step.0);
    let end = forecast.breakdown.optimizer;
    assert!((forecast.step - end - timeline.makespan).0 < 0.05 * forecast.step.0);
}

/// Under HSDP everything but the routed experts is all-reduced between replicas of a shard; experts are sharded over
/// all ranks that hold the same ones, and scattered layer by layer.
#[test]
fn replicas_of_a_shard_reduce_no_experts() {
    let link = "#1;m=mixtral-8x7b;g=dgx-h100;n=64;tp=1;sp=0;pp=1;ep=8;gb=512;zero=hsdp;stack=torchtitan";
    let forecast = forecast(link);
    let between =
        forecast.operators.iter().find(|row| row.name == "gradient_reduction").expect("a reduction");
    let stage = stepcast::scenario::plan::stages::stage_parameters;
    let job = scenario(link);
    let shared = stage(&job.model, &job.plan, 0).shared();
    // 4 bytes an element, an eighth of them on each GPU of a machine; a ring of 8 machines sends 2 * 7/8 of that.
    let expected = 2.0 * 7.0 / 8.0 * 4.0 * shared / 8.0;
    assert!((between.bytes.0 / expected - 1.0).abs() < 1e-9, "{} B for {expected}", between.bytes.0);
}
