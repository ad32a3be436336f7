//! Defects of the authors' tool of arXiv 2509.22832 that a forecast with learned operators must not share.

use crate::paper::{GPT_20B, Job, LLAMA_13B, LLEMMA, profile};
use stepcast::constants::Constants;
use stepcast::learned::{
    Amounts, Direction, LayerAssignment, LearnedStep, ModelPart, OperatorTime, OperatorWorkload, Profile,
    Provenance, SampledOperator, step,
};

fn found(step: &LearnedStep, operator: SampledOperator, direction: Direction) -> &OperatorTime {
    let row = step.operators.iter().find(|row| row.operator == operator && row.direction == direction);
    row.unwrap_or_else(|| panic!("no {operator:?}"))
}

fn degrees(pipeline: u32, tensor: u32, data: u32) -> Job {
    Job { degrees: [pipeline, tensor, data], ..LLEMMA }
}

/// 1: without data parallelism the whole update was dropped.
#[test]
fn one_replica_updates_its_parameters_too() {
    let step = degrees(4, 2, 1).step("perlmutter");
    assert!(step.update.0 > 0.01, "{:?}", step.update);
    assert_eq!(step.gradient_reduce.0, 0.0);
}

/// 2: the optimizer ran over all of a rank's parameters however many replicas share them.
#[test]
fn replicas_share_the_optimizer() {
    let time = |data| degrees(4, 2, data).step("perlmutter").stages[1].optimizer.0;
    let ratio = time(8) / time(1);
    assert!(ratio < 0.35, "{ratio}");
}

/// 3: one stage held five layers more than the model, two stages had a third between them, and eight lost layers.
#[test]
fn every_layer_is_on_one_stage() {
    for job in [LLEMMA, LLAMA_13B, GPT_20B, Job { layers: 36, ..LLEMMA }] {
        for pipeline in [1, 2, 4, 8, 16] {
            for dealing in [LayerAssignment::Planned, LayerAssignment::GptNeox] {
                let job = Job { degrees: [pipeline, 1, 1], ..job };
                let step = step(&job.on("perlmutter"), &profile("perlmutter"), &Constants::SHIPPED, dealing)
                    .expect("legal");
                assert_eq!(step.stages.len(), pipeline as usize);
                assert_eq!(step.stages.iter().map(|stage| stage.layers).sum::<u32>(), job.layers);
            }
        }
    }
}

/// 4: two replicas on one machine were given the curves of four, and neighbours on one machine the network's.
#[test]
fn messages_take_the_links_they_cross() {
    let step = degrees(1, 1, 2).step("perlmutter");
    let reduce = found(&step, SampledOperator::AllReduceLarge, Direction::Whole);
    assert_eq!(reduce.sizes[1..], [1.0, 2.0]);
    let inside = degrees(4, 1, 1).step("perlmutter").hop.0;
    let across = degrees(4, 4, 1).step("perlmutter").hop.0 * 4.0;
    assert!(inside < across / 10.0, "{inside} {across}");
}

/// 5: outside the samples every time was that of the nearest one.
#[test]
fn beyond_the_samples_times_go_on_growing() {
    let profile = profile("perlmutter");
    let cluster = LLEMMA.on("perlmutter").cluster;
    let reduce = |elements: f64| {
        let workload = OperatorWorkload::new(SampledOperator::AllReduce, &[elements, 1.0, 2.0]);
        profile.time(&workload, Direction::Whole, &cluster, &Constants::SHIPPED)
    };
    // Sampled from 21 to 1,200 million elements.
    assert_eq!(reduce(134e6).provenance, Provenance::Measured);
    for elements in [1e6, 8.4e6, 2.4e9] {
        let time = reduce(elements);
        assert_eq!(time.provenance, Provenance::Extrapolated);
        let ratio = time.seconds / elements / (reduce(134e6).seconds / 134e6);
        // Small messages pay for latency, by a factor of two at 2 MB.
        assert!((0.85..3.0).contains(&ratio), "{elements}: {ratio}");
    }
    let total = |job: Job| job.step("perlmutter").layer.iter().map(|time| time.0).sum::<f64>();
    let longer = total(Job { sequence: 8192, ..LLEMMA }) / total(LLEMMA);
    assert!((2.0..3.0).contains(&longer), "{longer}");
    let wide = Job { hidden: 8192, heads: 64, ..LLEMMA };
    let wider = total(Job { hidden: 16_384, heads: 128, ..wide }) / total(wide);
    assert!((2.5..4.5).contains(&wider), "{wider}");
    let batch = |micro_batch| total(Job { micro_batch, ..LLEMMA });
    let larger = batch(32) / batch(16);
    assert!((1.8..2.2).contains(&larger), "{larger}");
}

/// 6: a bucket's bytes were compared with elements; the reduction takes the time of its bytes, however many.
#[test]
fn gradients_take_the_time_of_their_bytes() {
    let rate = |job: Job| {
        let step = Job { degrees: [4, 4, 2], ..job }.step("perlmutter");
        let stage = &step.stages[0];
        stage.gradient_reduce.0 / stage.parameters
    };
    for job in [LLAMA_13B, GPT_20B, Job { hidden: 8192, heads: 64, ..GPT_20B }] {
        let ratio = rate(job) / rate(LLEMMA);
        assert!((0.95..1.05).contains(&ratio), "{ratio}");
    }
}

/// 7: attention's output projection was sampled on Perlmutter without tensor parallelism only, and asked for with.
#[test]
fn every_linear_is_a_product_of_its_own_sizes() {
    let time = |tensor| {
        let step = degrees(4, tensor, 1).step("perlmutter");
        let row = found(&step, SampledOperator::Linear2, Direction::Forward);
        assert_eq!(row.provenance, Provenance::Measured);
        row.time.0
    };
    for tensor in [2, 4] {
        let ratio = time(tensor) / time(1) * f64::from(tensor);
        assert!((0.9..1.25).contains(&ratio), "{tensor}: {ratio}");
    }
}

/// 8: attention was sampled with every score computed. Causal attention is an operator of its own, with half of the
/// work, and never takes the other's samples.
#[test]
fn causal_attention_is_not_mistaken_for_the_sampled_one() {
    let sizes = [4.0, 4096.0, 16.0, 128.0];
    let [full, causal] = [SampledOperator::FlashAttention, SampledOperator::CausalAttention]
        .map(|o| OperatorWorkload::new(o, &sizes));
    let flops = |workload| Amounts::new(workload, Direction::Forward).flops;
    assert_eq!(flops(&full), 2.0 * flops(&causal));
    assert!(profile("perlmutter").find(&full, Direction::Forward).is_some());
    assert!(profile("perlmutter").find(&causal, Direction::Forward).is_none());
}

/// 9: Vista's captures of attention's backward pass missed its kernels.
#[test]
fn attention_backward_takes_longer_than_forward() {
    let step = LLEMMA.step("vista");
    let time = |direction| found(&step, SampledOperator::FlashAttention, direction).time;
    assert!((2.5..3.5).contains(&(time(Direction::Backward) / time(Direction::Forward))));
    assert_eq!(
        found(&step, SampledOperator::FlashAttention, Direction::Backward).provenance,
        Provenance::Default
    );
}

/// 10: a second replica on Vista made the step ten times as long.
#[test]
fn a_second_replica_costs_a_reduction() {
    let step = |data| Job { micro_batch: 2, ..degrees(8, 1, data) }.step("vista");
    let (one, two) = (step(1), step(2));
    let more = two.step.0 - one.step.0;
    assert!(more > 0.0 && more < 0.1 * one.step.0, "{more} of {:?}", one.step);
}

/// 11: the loss and the head communicate too.
#[test]
fn all_reduces_of_the_ends_are_priced() {
    let step = LLEMMA.step("perlmutter");
    let reduces = step.operators.iter().filter(|row| row.operator == SampledOperator::AllReduce);
    let at_ends: f64 = reduces.filter(|row| row.place != Some(ModelPart::Layer)).map(|row| row.times).sum();
    assert_eq!(at_ends, 5.0);
}

/// 12: models were fitted at first use and differed with the libraries. Ours are data, the same everywhere.
#[test]
fn a_profile_is_what_was_written() {
    for machine in ["perlmutter", "vista"] {
        let profile = profile(machine);
        let bytes = profile.to_bytes();
        assert_eq!(Profile::from_bytes(&bytes), Ok(profile));
    }
}

/// 13: groups that were not sampled were an index error.
#[test]
fn groups_that_were_not_sampled_are_extrapolated() {
    for job in [degrees(2, 16, 2), degrees(4, 2, 16), degrees(2, 2, 3)] {
        let step = job.step("vista");
        assert!(step.step.0.is_finite() && step.step.0 > 0.5);
        let reduces = step.operators.iter().filter(|row| row.operator == SampledOperator::AllReduceLarge);
        let beyond = reduces.filter(|row| row.sizes[1] > 8.0);
        assert!(beyond.into_iter().all(|row| row.provenance == Provenance::Extrapolated));
    }
}
