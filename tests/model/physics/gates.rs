//! Expert traffic before the run: popularity, choices, capacity and spread, from the definitions of the distributions.

use crate::support::assert_close;
use stepcast::traffic::experts::{ExpertJob, ExpertTraffic, Gate};

/// Tokens, and bytes of one.
const TOKENS: u32 = 10_000;
const ROW: f64 = 2.0 * 64.0;

const JOB: ExpertJob = ExpertJob {
    ranks: 2,
    experts: 2,
    top_k: 1,
    tokens: TOKENS,
    hidden: 64,
    layers: 3,
    micro_batches: 5,
    capacity_factor: None,
    forward_passes: 1,
};

/// Popular as can be reckoned: a spread of pi / sqrt(3) is a logistic scale of 1.
fn gate() -> Gate {
    let skew = std::f64::consts::PI / 3.0_f64.sqrt();
    Gate {
        skew_initial: skew,
        skew_final: skew,
        decay_steps: 50.0,
        later_choices_initial: 0.25,
        fluctuation: 0.0,
    }
}

fn even() -> Gate {
    Gate { skew_initial: 0.0, skew_final: 0.0, ..gate() }
}

fn traffic(job: &ExpertJob, gate: &Gate) -> ExpertTraffic {
    ExpertTraffic::new(job, gate, 0.0).expect("legal")
}

/// What fades falls to 1/e in the steps of its name; a token makes its first choice always, and each further one with
/// a share that grows to 1.
#[test]
fn gates_even_out_exponentially() {
    let gate = Gate { skew_initial: 3.0, skew_final: 1.0, ..gate() };
    let e = std::f64::consts::E;
    for (step, left) in [(0.0, 1.0), (50.0, 1.0 / e), (100.0, 1.0 / (e * e)), (-7.0, 1.0)] {
        assert_close(gate.skew(step), 1.0 + 2.0 * left);
        for top_k in [1, 2, 4] {
            let later = 1.0 - 0.75 * left;
            assert_close(gate.choices(top_k, step), 1.0 + f64::from(top_k - 1) * later);
        }
    }
    assert_close(gate.choices(0, 0.0), 1.0);
}

/// Of two experts at the quartiles of a logistic distribution of scale 1, odds are 3 and 1/3: 90 % of all tokens go to
/// the first. What is sampled varies as a binomial count; what fluctuates adds in quadrature.
#[test]
fn popular_experts_get_their_quantile() {
    let (n, all) = (f64::from(TOKENS), 2.0 * 3.0 * 5.0);
    for fluctuation in [0.0, 0.5] {
        let gate = Gate { fluctuation, ..gate() };
        let found = traffic(&JOB, &gate);
        let deviation = |share: f64| {
            let mean = n * share;
            (mean * (1.0 - share) + (fluctuation * gate.skew_final * mean).powi(2)).sqrt()
        };
        for (rank, share) in [(0, 0.9), (1, 0.1)] {
            assert_close(found.one_all_to_all(rank).mean.0, n * share * ROW);
            assert_close(found.one_all_to_all(rank).deviation.0, deviation(share) * ROW);
        }
        // Tokens there and results back, in either direction of training, of each layer and micro-batch.
        let pair = found.between(0, 1);
        assert_close(pair.mean.0, all * n * ROW);
        assert_close(
            pair.deviation.0,
            (all * (deviation(0.9).powi(2) + deviation(0.1).powi(2))).sqrt() * ROW,
        );
        assert_close(found.sent(1).mean.0, pair.mean.0);
        assert_close(found.total().mean.0, 2.0 * pair.mean.0);
        assert_close(found.total().deviation.0, 2.0_f64.sqrt() * pair.deviation.0);
        let (low, high) = pair.ninety_percent();
        assert_close(high.0 - pair.mean.0, 1.645 * pair.deviation.0);
        assert_close(low.0, (pair.mean.0 - 1.645 * pair.deviation.0).max(0.0));
    }
    // Everything computed again sends three times instead of twice; two experts a rank bring their sum.
    let again = traffic(&ExpertJob { forward_passes: 2, ..JOB }, &gate());
    assert_close(again.between(0, 1).mean.0, 1.5 * all * n * ROW);
    let four = traffic(&ExpertJob { experts: 4, ..JOB }, &gate());
    let odds = [7.0, 5.0 / 3.0, 3.0 / 5.0, 1.0 / 7.0];
    let first = (odds[0] + odds[1]) / odds.iter().sum::<f64>();
    assert_close(four.one_all_to_all(0).mean.0, n * first * ROW);
    assert_eq!((four.heaviest, four.ranks()), (0, 2));
}

/// The expected range of so many equal normal values is that many standard deviations (d2 of control charts): values
/// are those of r receivers from r - 1 senders.
#[test]
fn the_non_uniform_factor_is_an_expected_range() {
    for (ranks, d2) in
        [(2_u32, std::f64::consts::FRAC_2_SQRT_PI), (3, 2.534_413), (4, 3.258_455), (5, 3.734_950)]
    {
        let found = traffic(&ExpertJob { ranks, experts: ranks, ..JOB }, &even());
        let share = 1.0 / f64::from(ranks);
        let mean = f64::from(TOKENS) * share;
        let deviation = (mean * (1.0 - share)).sqrt();
        assert!((found.non_uniform.0 / (d2 * deviation * ROW) - 1.0).abs() < 1e-4, "{ranks}: {found:?}");
        assert!((found.non_uniform_relative / (d2 * deviation / mean) - 1.0).abs() < 1e-4, "{ranks}");
        assert_eq!(found.dropped, 0.0);
    }
    // Far apart, the range is the distance.
    let apart = traffic(&JOB, &gate());
    assert!((apart.non_uniform.0 / (0.8 * f64::from(TOKENS) * ROW) - 1.0).abs() < 1e-3, "{apart:?}");
    assert!((apart.non_uniform_relative - 1.6).abs() < 2e-3);
}

/// The mean and variance of what a normal quantity keeps below a capacity, integrated.
fn kept(mean: f64, deviation: f64, capacity: f64) -> (f64, f64) {
    let (points, reach) = (200_000, 12.0);
    let width = 2.0 * reach / f64::from(points);
    let (mut first, mut second) = (0.0, 0.0);
    for point in 0..points {
        let z = -reach + (f64::from(point) + 0.5) * width;
        let weight = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt() * width;
        let value = (mean + deviation * z).min(capacity);
        first += weight * value;
        second += weight * value * value;
    }
    (first, (second - first * first).max(0.0).sqrt())
}

/// An expert takes at most its capacity, rounded up to a token; what is beyond is dropped.
#[test]
fn capacity_cuts_the_distribution_off() {
    let n = f64::from(TOKENS);
    for (gate, shares) in [(even(), [0.5, 0.5]), (gate(), [0.9, 0.1])] {
        for factor in [0.2, 0.9977, 1.0, 1.00501, 1.8001, 3.0] {
            let found = traffic(&ExpertJob { capacity_factor: Some(factor), ..JOB }, &gate);
            let capacity = (factor * n / 2.0).ceil();
            let mut taken = 0.0;
            for (rank, share) in [0, 1].into_iter().zip(shares) {
                let deviation = (n * share * (1.0 - share)).sqrt();
                let (mean, spread) = kept(n * share, deviation, capacity);
                let band = found.one_all_to_all(rank);
                assert!((band.mean.0 / ROW - mean).abs() < 1e-5 * n, "{factor} {band:?} {mean}");
                assert!(
                    (band.deviation.0 / ROW - spread).abs() < 1e-2 * deviation,
                    "{factor} {band:?} {spread}"
                );
                taken += mean;
            }
            assert!((found.dropped - (n - taken) / n).abs() < 1e-6, "{factor}: {}", found.dropped);
        }
    }
    // One expert gets every token whatever its gate: a count without spread, cut off as it is.
    let alone = ExpertJob { ranks: 1, experts: 1, ..JOB };
    for (factor, share) in [(0.5, 0.5), (2.0, 1.0)] {
        let found = traffic(&ExpertJob { capacity_factor: Some(factor), ..alone }, &even());
        assert_close(found.one_all_to_all(0).mean.0, share * n * ROW);
        assert_eq!((found.one_all_to_all(0).deviation.0, found.non_uniform.0), (0.0, 0.0));
    }
}
