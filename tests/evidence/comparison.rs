//! How sure comparisons of two layouts are: widths by hand, and against measured runs.

use crate::data;
use crate::forecast::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::forecast::{Difference, Predictor};
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{Plan, Recompute};
use stepcast::validate::{MeasuredRun, PairAccuracy, ValidationReport, published, validate};

const C: Constants = Constants::SHIPPED;

/// A job on software with measured runs, and one on software without.
fn jobs() -> [Scenario; 2] {
    ["nemo", "torchtitan"].map(|stack| scenario(&[("stack", stack), ("m", "llama3-70b"), ("g", "dgx-h100")]))
}

#[test]
fn layouts_differ_in_degrees_or_in_settings() {
    let plan = jobs()[0].plan;
    assert_eq!(Difference::between(&plan, &plan), Difference::Nothing);
    let settings = Plan { micro_batch: plan.micro_batch * 2, recompute: Recompute::Full, ..plan };
    assert_eq!(Difference::between(&plan, &settings), Difference::Settings);
    for other in [
        Plan { tensor_parallel: plan.tensor_parallel * 2, ..settings },
        Plan { context_parallel: plan.context_parallel * 2, ..plan },
        Plan { pipeline_parallel: plan.pipeline_parallel * 2, ..plan },
        Plan { expert_parallel: plan.expert_parallel * 2, ..plan },
        Plan { expert_tensor_parallel: plan.expert_tensor_parallel * 2, ..plan },
    ] {
        assert_eq!(Difference::between(&plan, &other), Difference::Degrees);
    }
}

/// Half-widths in logarithms: the base alone on measured software; where degrees differ elsewhere, the base and a share of
/// the forecast difference, squares added.
#[test]
fn widths_by_hand() {
    let [measured, elsewhere] = jobs();
    let ratio = 1.5_f64;
    let widths = |job: &Scenario, other: Plan| {
        let found = Predictor::SHIPPED.ratio_interval(job, &other, ratio);
        assert_close(found.low * found.high, ratio * ratio);
        assert_close(found.half_low * found.half_high, ratio * ratio);
        ((found.half_high / ratio).ln(), (found.high / ratio).ln())
    };
    let degrees = |job: &Scenario| Plan { tensor_parallel: job.plan.tensor_parallel * 2, ..job.plan };
    let settings = |job: &Scenario| Plan { micro_batch: job.plan.micro_batch * 2, ..job.plan };
    for (job, other) in [
        (&measured, degrees(&measured)),
        (&measured, settings(&measured)),
        (&elsewhere, settings(&elsewhere)),
    ] {
        let (half, most) = widths(job, other);
        assert_close(half, C.ratio_half);
        assert_close(most, C.ratio_most);
    }
    let (half, most) = widths(&elsewhere, degrees(&elsewhere));
    assert_close(half.powi(2), C.ratio_half.powi(2) + (C.ratio_half_slope * ratio.ln()).powi(2));
    assert_close(most.powi(2), C.ratio_most.powi(2) + (C.ratio_most_slope * ratio.ln()).powi(2));
    assert_eq!(widths(&elsewhere, elsewhere.plan), (0.0, 0.0));
}

/// A lead shrinks, and nothing else does.
#[test]
fn what_picking_the_fastest_costs() {
    let job = jobs()[0];
    let rival = Plan { micro_batch: job.plan.micro_batch * 2, ..job.plan };
    let (plain, lead) = (
        Predictor::SHIPPED.ratio_interval(&job, &rival, 1.02),
        Predictor::SHIPPED.lead_interval(&job, &rival, 1.02),
    );
    for (plain, lead) in [(plain.low, lead.low), (plain.high, lead.high), (plain.half_low, lead.half_low)] {
        assert_close((plain / lead).ln(), C.winner_lead_loss);
    }
    assert_eq!(Predictor::SHIPPED.lead_interval(&job, &job.plan, 1.0).low, 1.0);
}

/// Pairs of every kind together, layouts that do not differ left out.
fn all(report: &ValidationReport) -> &PairAccuracy {
    let all = |pairs: &&PairAccuracy| pairs.of == "all" && pairs.difference.is_none();
    report.pairs.iter().find(all).expect("pairs")
}

/// Share of ratios that the 90 % interval has to hold, every job counted alike.
const COVERAGE: f64 = 0.9;

#[test]
fn the_interval_of_ratios_holds_nine_of_ten_measured_ones() {
    let carried = published::read(include_str!("../../static/runs.tsv")).expect("as written");
    let runs: Vec<MeasuredRun> = carried.runs.into_iter().map(|(run, _)| run).collect();
    let report = validate(&Predictor::SHIPPED, &runs);
    let pairs = all(&report);
    assert!(pairs.jobs > 150 && pairs.coverage_90 >= COVERAGE, "{pairs:?}");
    // The shipped widths are those of these pairs, rounded up; those of halves within a tenth.
    assert!((pairs.half_width_90..1.2 * pairs.half_width_90).contains(&C.ratio_most), "{pairs:?}");
    assert!((pairs.half_width_50 / C.ratio_half - 1.0).abs() < 0.1, "{pairs:?}");
    // Runs of one job in one layout: how far repeated measurements differ.
    let nothing = |pairs: &&PairAccuracy| pairs.of == "all" && pairs.difference == Some(Difference::Nothing);
    let repeats = report.pairs.iter().find(nothing).expect("repeated runs");
    assert!(repeats.jobs > 20, "{repeats:?}");
    assert!((repeats.half_width_90 / C.interval_repeat - 1.0).abs() < 0.1, "{repeats:?}");
    let winners = report.winners;
    // Within its standard error a picked layout is as far off as its job's others, so that its interval is theirs.
    assert!(winners.mean_optimism.abs() < 2.0 * winners.error, "{winners:?}");
    assert!(
        (winners.mean_beyond_rivals - C.winner_lead_loss).abs() < 0.5 * winners.error_beyond_rivals,
        "{winners:?}"
    );
}

#[test]
fn and_of_unseen_ones() {
    let mut runs = data::runs();
    runs.retain(|run| ["unseen", "everyday"].contains(&run.look.as_str()));
    let report = validate(&Predictor::SHIPPED, &runs);
    let pairs = all(&report);
    assert!(pairs.jobs > 30 && pairs.coverage_90 >= COVERAGE, "{pairs:?}");
}
