//! Laws of expert traffic, and of scaling curves.

use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::document::examples::find;
use stepcast::forecast::Predictor;
use stepcast::scaling::{Mode, doublings, scaling};
use stepcast::scenario::Scenario;
use stepcast::traffic::experts::{ExpertJob, ExpertTraffic, Gate};

/// The 760M model of APNet'24's section 3.2 on 8 GPUs; hidden size and tokens are an assumption.
const JOB: ExpertJob = ExpertJob {
    ranks: 8,
    experts: 8,
    top_k: 2,
    tokens: 8192,
    hidden: 1536,
    layers: 12,
    micro_batches: 1,
    capacity_factor: None,
    forward_passes: 1,
};

fn at(job: &ExpertJob, step: f64) -> ExpertTraffic {
    ExpertTraffic::new(job, &Gate::new(&Constants::SHIPPED), step).expect("legal")
}

/// Without drops, every choice of every token travels: 7 of 8 leave their rank, twice each way forward and
/// backward.
#[test]
fn the_expected_total_is_what_tokens_choose() {
    let traffic = at(&JOB, 25.0);
    let layers = 2.0 * 12.0;
    let towards: f64 = (0..8).map(|rank| traffic.one_all_to_all(rank).mean.0).sum();
    assert!((towards - 8192.0 * traffic.choices * 2.0 * 1536.0).abs() < 1e-6 * towards);
    let total = 8.0 * towards * 7.0 / 8.0 * 2.0 * layers;
    assert!((traffic.total().mean.0 - total).abs() < 1e-9 * total);
    let rows: f64 = (0..8).map(|rank| traffic.sent(rank).mean.0).sum();
    assert!((rows - total).abs() < 1e-9 * total);
    assert_eq!(traffic.between(3, 3).mean.0, 0.0);
    assert_eq!(traffic.between(2, 5), traffic.between(5, 2));
    assert_eq!(traffic.between(0, 8).mean.0, 0.0, "there are eight ranks");
    let band = traffic.between(0, 1);
    let (low, high) = band.ninety_percent();
    assert!(low.0 < band.mean.0 && band.mean.0 < high.0);
}

/// Figure 5 of APNet'24: the non-uniform factor falls over the first 100 steps, for models of all three
/// sizes; section 3.2: the total grows as tokens take to two experts.
#[test]
fn training_makes_traffic_even_and_larger() {
    for hidden in [768, 1024, 1536] {
        for capacity_factor in [None, Some(1.25)] {
            let job = ExpertJob { hidden, capacity_factor, ..JOB };
            let curve: Vec<ExpertTraffic> = (0..=10).map(|tens| at(&job, f64::from(tens) * 10.0)).collect();
            for pair in curve.windows(2) {
                assert!(pair[1].non_uniform.0 < pair[0].non_uniform.0);
                assert!(pair[1].total().mean.0 > pair[0].total().mean.0);
                assert!(pair[1].dropped <= pair[0].dropped);
            }
            assert!(curve[10].non_uniform_relative < 0.4 * curve[0].non_uniform_relative);
        }
    }
}

#[test]
fn an_even_gate_is_even_and_a_skewed_one_names_its_heaviest_rank() {
    let even = Gate { skew_initial: 0.0, skew_final: 0.0, ..Gate::new(&Constants::SHIPPED) };
    let traffic = ExpertTraffic::new(&JOB, &even, 0.0).expect("legal");
    let first = traffic.between(0, 1).mean.0;
    for (from, to) in (0..8).flat_map(|from| (0..8).map(move |to| (from, to))).filter(|(from, to)| from != to)
    {
        assert!((traffic.between(from, to).mean.0 / first - 1.0).abs() < 1e-12);
    }
    // What is left of the factor is chance: a few standard deviations of the number of tokens.
    let tokens = 8192.0 * traffic.choices / 8.0;
    let chance = traffic.non_uniform_relative * f64::sqrt(tokens);
    assert!((2.0..8.0).contains(&chance), "{chance}");
    let skewed = at(&JOB, 0.0);
    assert_eq!(skewed.heaviest, 0, "experts are numbered from the most popular one");
    assert!(skewed.sent(0).mean.0 > skewed.sent(7).mean.0);
    assert!(skewed.one_all_to_all(0).mean.0 > 2.0 * skewed.one_all_to_all(7).mean.0);
}

#[test]
fn capacity_bounds_what_an_expert_takes() {
    let job = ExpertJob { capacity_factor: Some(1.0), ..JOB };
    let most = f64::from(8192_u32 * 2 / 8) * 2.0 * 1536.0;
    for step in [0.0, 20.0, 1000.0] {
        let (bounded, free) = (at(&job, step), at(&JOB, step));
        for rank in 0..8 {
            assert!(bounded.one_all_to_all(rank).mean.0 <= most * (1.0 + 1e-12));
            assert!(bounded.one_all_to_all(rank).mean.0 <= free.one_all_to_all(rank).mean.0);
        }
        assert!((0.0..1.0).contains(&bounded.dropped) && free.dropped == 0.0);
    }
    assert!(at(&job, 0.0).dropped > 0.05);
    // More experts than ranks even out what a rank gets.
    let many = ExpertJob { experts: 64, ..JOB };
    assert_eq!(at(&many, 0.0).ranks(), 8);
}

#[test]
fn impossible_experts_are_refused() {
    let field = |job: ExpertJob| {
        ExpertTraffic::new(&job, &Gate::new(&Constants::SHIPPED), 0.0).expect_err("refused")[0].field
    };
    assert_eq!(field(ExpertJob { experts: 12, ..JOB }), "experts");
    assert_eq!(field(ExpertJob { ranks: 0, ..JOB }), "ranks");
    assert_eq!(field(ExpertJob { top_k: 9, ..JOB }), "top_k");
    assert_eq!(field(ExpertJob { capacity_factor: Some(f64::NAN), ..JOB }), "capacity_factor");
    let alone = ExpertJob { ranks: 1, experts: 1, top_k: 1, ..JOB };
    assert_eq!(at(&alone, 0.0).total().mean.0, 0.0);
}

fn example(name: &str) -> Scenario {
    let link = find(name).unwrap_or_else(|| panic!("no example {name}")).link;
    Document::from_link(link).expect("readable").document.scenario().expect("legal")
}

/// Weak scaling goes on paying; strong scaling turns where the bubble and the gradients outgrow the work.
#[test]
fn strong_scaling_turns() {
    let job = example("gpt3-175b-1024xa100");
    let counts = doublings(&job);
    assert_eq!(counts.first(), Some(&128), "one replica");
    let weak = scaling(&Predictor::SHIPPED, &job, Mode::Weak, &counts).expect("legal");
    assert_eq!(weak.turn, None);
    assert!(weak.points.iter().all(|point| point.global_batch == 192 * point.data_parallel));
    let strong = scaling(&Predictor::SHIPPED, &job, Mode::Strong, &counts).expect("legal");
    let turn = strong.turn.expect("it turns");
    for (index, pair) in strong.points.windows(2).enumerate() {
        assert!(pair[1].step.0 < pair[0].step.0 && pair[1].efficiency < pair[0].efficiency);
        assert!(pair[1].data_share > pair[0].data_share && pair[1].bubble_share > pair[0].bubble_share);
        let ratio = pair[1].tokens_per_s / pair[0].tokens_per_s;
        assert_eq!(ratio >= 1.5, index < turn, "doubling pays up to the turn: {ratio} at {}", pair[1].gpus);
    }
    let own = strong.points.iter().find(|point| point.gpus == 1024).expect("the job itself");
    assert_eq!(own.step, Predictor::SHIPPED.predict(&job).expect("legal").step);
}

#[test]
fn numbers_that_make_no_job_are_left_out_or_refused() {
    let job = example("apnet24-gpt-3b");
    let curve =
        scaling(&Predictor::SHIPPED, &job, Mode::Strong, &[0, 12, 32, 8, 32, 1 << 20]).expect("legal");
    assert_eq!(curve.points.iter().map(|point| point.gpus).collect::<Vec<_>>(), [8, 32]);
    assert_eq!(scaling(&Predictor::SHIPPED, &job, Mode::Weak, &[3]).expect_err("refused")[0].field, "n");
}
