//! What becomes of layouts that are picked because they are forecast fastest, and of those that a rule of thumb picks.

use super::layouts::{LayoutGroup, MeasuredLayout, winner};
use super::mean;
use super::pairs::quantile;
use crate::scenario::plan::Plan;
use crate::tuner::rule_of_thumb as rule;
use serde::Serialize;

/// Forecast step over that of the fastest up to which a layout counts as its rival.
const RIVAL: f64 = 1.1;

/// What following the rule of thumb costs in one job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Followed {
    /// Whether the rule's own layout was measured: the same tensor-, context-, pipeline- and expert-parallel degrees and
    /// micro-batch. Otherwise it is the nearest measured one.
    pub exact: bool,
    /// Measured time of that layout over that of the fastest, less 1; the mean where it was measured more than once.
    pub regret: f64,
}

/// The layouts forecast fastest of jobs measured in several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Winners {
    /// Jobs.
    pub jobs: usize,
    /// Jobs in which it was measured fastest, too.
    pub fastest: usize,
    /// Mean bias of their forecasts to the fast side, relative to those of their jobs: ln(measured / forecast).
    pub mean_optimism: f64,
    /// Standard error of that mean, were the jobs independent.
    pub error: f64,
    /// What one of twenty jobs stays below.
    pub low: f64,
    /// What one of twenty jobs exceeds.
    pub high: f64,
    /// Jobs with other layouts forecast within 10 % of it.
    pub jobs_with_rivals: usize,
    /// Mean bias of their forecasts to the fast side, relative to those of these rivals.
    pub mean_beyond_rivals: f64,
    /// Standard error of that mean, were the jobs independent.
    pub error_beyond_rivals: f64,
}

/// What following the rule of thumb costs in jobs measured in several layouts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RuleOfThumb {
    /// Jobs in which the rule's own layout was measured.
    pub measured: usize,
    /// Mean regret of the rule there.
    pub mean_regret: f64,
    /// Largest of them.
    pub largest_regret: f64,
    /// Mean regret of the layouts forecast fastest there.
    pub forecast_regret: f64,
    /// Jobs for which the rule has a layout.
    pub jobs: usize,
    /// Mean regret of the measured layouts nearest to the rule's there.
    pub nearest_regret: f64,
    /// Mean regret of the layouts forecast fastest there.
    pub nearest_forecast_regret: f64,
}

/// Place of the layout forecast fastest, from 1, among pairs of measured and forecast times.
pub(super) fn rank(times: &[(f64, f64)]) -> usize {
    let won = winner(times).map_or(0.0, |winner| winner.0);
    1 + times.iter().filter(|time| time.0 < won).count()
}

/// ln(measured / forecast) of one layout.
fn error(time: (f64, f64)) -> f64 {
    libm::log(time.0 / time.1)
}

/// ln(measured / forecast) of the layout forecast fastest, less the mean of all.
pub(super) fn optimism(times: &[(f64, f64)]) -> f64 {
    let errors: Vec<f64> = times.iter().copied().map(error).collect();
    winner(times).map_or(0.0, |won| error(won) - mean(&errors))
}

/// ln(measured / forecast) of the layout forecast fastest, less the mean of the others forecast nearly as fast.
pub(super) fn beyond_rivals(times: &[(f64, f64)]) -> Option<f64> {
    let first = times.iter().enumerate().min_by(|a, b| a.1.1.total_cmp(&b.1.1))?.0;
    let won = *times.get(first)?;
    let near = |(index, time): (usize, &(f64, f64))| {
        (index != first && time.1 <= won.1 * RIVAL).then(|| error(*time))
    };
    let rivals: Vec<f64> = times.iter().enumerate().filter_map(near).collect();
    (!rivals.is_empty()).then(|| error(won) - mean(&rivals))
}

/// What following the rule of thumb costs in a job, of which these are the measured layouts.
pub(super) fn followed(layouts: &[MeasuredLayout<'_>]) -> Option<Followed> {
    let plan = rule(layouts.first()?.scenario)?;
    let far = |layout: &MeasuredLayout<'_>| distance(&layout.scenario.plan, &plan);
    let least = layouts.iter().map(far).min_by(compare)?;
    let nearest: Vec<f64> =
        layouts.iter().filter(|layout| far(layout) == least).map(|layout| layout.measured_s).collect();
    let best = layouts.iter().map(|layout| layout.measured_s).fold(f64::INFINITY, f64::min);
    let exact = least.iter().all(|steps| *steps == 0.0);
    Some(Followed { exact, regret: mean(&nearest) / best - 1.0 })
}

/// How far two layouts are apart, in doublings: tensor-, context-, pipeline- and expert-parallel degree and micro-batch,
/// the weightier first.
fn distance(a: &Plan, b: &Plan) -> [f64; 5] {
    let degrees = |plan: &Plan| {
        [
            plan.tensor_parallel,
            plan.context_parallel,
            plan.pipeline_parallel,
            plan.expert_parallel,
            plan.micro_batch,
        ]
    };
    let doublings = |(a, b): (u32, u32)| libm::log2(f64::from(a.max(1)) / f64::from(b.max(1))).abs();
    let (a, b) = (degrees(a), degrees(b));
    let mut pairs = a.into_iter().zip(b);
    core::array::from_fn(|_| pairs.next().map_or(0.0, doublings))
}

fn compare(a: &[f64; 5], b: &[f64; 5]) -> core::cmp::Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(core::cmp::Ordering::Equal)
}

/// The winners of all jobs.
pub(super) fn winners(jobs: &[LayoutGroup]) -> Winners {
    let mut optimism: Vec<f64> = jobs.iter().map(|job| job.winner_optimism).collect();
    optimism.sort_by(f64::total_cmp);
    let alike: Vec<(f64, f64)> = optimism.iter().map(|value| (*value, 1.0)).collect();
    let rivals: Vec<f64> = jobs.iter().filter_map(|job| job.winner_beyond_rivals).collect();
    Winners {
        jobs: jobs.len(),
        fastest: jobs.iter().filter(|job| job.winner_rank == 1).count(),
        mean_optimism: mean(&optimism),
        error: error_of_mean(&optimism),
        low: quantile(&alike, 0.05),
        high: quantile(&alike, 0.95),
        jobs_with_rivals: rivals.len(),
        mean_beyond_rivals: mean(&rivals),
        error_beyond_rivals: error_of_mean(&rivals),
    }
}

/// Standard error of a mean of independent values.
fn error_of_mean(values: &[f64]) -> f64 {
    let (centre, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    // A sum of nothing is -0.
    ((0.0 + squares) / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
}

/// The rule of thumb in all jobs.
pub(super) fn rule_of_thumb(jobs: &[LayoutGroup]) -> RuleOfThumb {
    let followed = || jobs.iter().filter_map(|job| Some((job, job.rule_of_thumb?)));
    let of = |exact_only: bool, value: fn(&LayoutGroup, Followed) -> f64| -> Vec<f64> {
        followed().filter(|entry| entry.1.exact || !exact_only).map(|(job, rule)| value(job, rule)).collect()
    };
    let measured = of(true, |_, rule| rule.regret);
    RuleOfThumb {
        measured: measured.len(),
        mean_regret: mean(&measured),
        largest_regret: measured.iter().copied().fold(0.0, f64::max),
        forecast_regret: mean(&of(true, |job, _| job.regret)),
        jobs: followed().count(),
        nearest_regret: mean(&of(false, |_, rule| rule.regret)),
        nearest_forecast_regret: mean(&of(false, |job, _| job.regret)),
    }
}

#[cfg(test)]
mod tests {
    use super::{beyond_rivals, error_of_mean, optimism, rank};

    #[test]
    fn the_winner_against_all_and_against_its_rivals() {
        // Forecast fastest at 1.0 but measured at 1.1; a rival forecast 5 % slower is right, and so is one far behind.
        let times = [(1.05, 1.05), (1.1, 1.0), (2.0, 2.0)];
        let off = libm::log(1.1);
        assert_eq!(rank(&times), 2);
        assert!((optimism(&times) - off * 2.0 / 3.0).abs() < 1e-12);
        assert!(beyond_rivals(&times).is_some_and(|found| (found - off).abs() < 1e-12));
        assert_eq!(beyond_rivals(&times[1..]), None);
        assert_eq!((rank(&[]), optimism(&[]), beyond_rivals(&[])), (1, 0.0, None));
    }

    #[test]
    fn the_error_of_a_mean() {
        // Deviations -1, 0, 1: a variance of 1, so the standard error of the mean is 1 / sqrt(3).
        assert!((error_of_mean(&[1.0, 2.0, 3.0]) - 3.0_f64.sqrt().recip()).abs() < 1e-12);
        assert_eq!(error_of_mean(&[]), 0.0);
    }
}
