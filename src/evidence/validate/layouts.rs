//! Whether forecasts rank the layouts of one job correctly.

use super::winners::{Followed, beyond_rivals, followed, optimism, rank};
use crate::scenario::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;

/// Least layouts of a job for a meaningful order.
const LEAST_LAYOUTS: usize = 4;

/// One measured layout of a job.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeasuredLayout<'a> {
    /// What the runs of the job have in common.
    pub(super) job: &'a str,
    /// Publication it comes from.
    pub(super) source: &'a str,
    /// The job in this layout.
    pub(super) scenario: &'a Scenario,
    /// Measured seconds per step.
    pub(super) measured_s: f64,
    /// Forecast seconds per step.
    pub(super) forecast_s: f64,
}

/// Layouts of one job: measured, and forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayoutGroup {
    /// What the runs have in common: source, model, GPUs, batch, sequence.
    pub job: String,
    /// Publication they come from.
    pub source: String,
    /// Layouts measured.
    pub n: usize,
    /// Kendall's tau-b between measured and forecast times: 1 for the same order, -1 for the reverse.
    pub tau: f64,
    /// Measured time of the layout forecast fastest over that of the fastest, less 1.
    pub regret: f64,
    /// Place of the layout forecast fastest among the measured ones, from 1.
    pub winner_rank: usize,
    /// How much more the forecast of the layout forecast fastest errs to the fast side than those of the job in the
    /// mean, in ln(measured / forecast).
    pub winner_optimism: f64,
    /// The same against its rivals only: the other layouts forecast within 10 % of it. Nothing where there is none.
    pub winner_beyond_rivals: Option<f64>,
    /// What following the rule of thumb costs; nothing where the rule has no layout for the job.
    pub rule_of_thumb: Option<Followed>,
}

/// Groups of at least [`LEAST_LAYOUTS`] layouts, by job.
pub(super) fn groups(layouts: &[MeasuredLayout<'_>]) -> Vec<LayoutGroup> {
    let mut jobs: BTreeMap<(&str, &str), Vec<MeasuredLayout<'_>>> = BTreeMap::new();
    for layout in layouts {
        jobs.entry((layout.job, layout.source)).or_default().push(*layout);
    }
    jobs.into_iter()
        .filter(|(_, layouts)| layouts.len() >= LEAST_LAYOUTS)
        .map(|((job, source), layouts)| {
            let times: Vec<(f64, f64)> =
                layouts.iter().map(|layout| (layout.measured_s, layout.forecast_s)).collect();
            LayoutGroup {
                job: job.to_owned(),
                source: source.to_owned(),
                n: times.len(),
                tau: tau(&times),
                regret: regret(&times),
                winner_rank: rank(&times),
                winner_optimism: optimism(&times),
                winner_beyond_rivals: beyond_rivals(&times),
                rule_of_thumb: followed(&layouts),
            }
        })
        .collect()
}

/// `(C - D) / sqrt((P - T_x) (P - T_y))` over pairs: concordant, discordant, all, tied in either. In n log n, by
/// Knight's algorithm (1966): sorted by one time, discordant pairs are the swaps for sorting by the other.
fn tau(pairs: &[(f64, f64)]) -> f64 {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let both = tied(&sorted, |a, b| a == b);
    let in_first = tied(&sorted, |a, b| a.0 == b.0);
    let mut second: Vec<f64> = sorted.iter().map(|pair| pair.1).collect();
    let swaps = sort_counting_swaps(&mut second);
    let in_second = tied(&second, |a, b| a == b);
    let all = choose_two(pairs.len());
    let score = all as f64 - in_first as f64 - in_second as f64 + both as f64 - 2.0 * swaps as f64;
    let scale = f64::sqrt((all - in_first) as f64 * (all - in_second) as f64);
    if scale > 0.0 { score / scale } else { 0.0 }
}

/// Pairs among equal neighbours.
fn tied<T>(sorted: &[T], equal: impl Fn(&T, &T) -> bool) -> u64 {
    sorted.chunk_by(equal).map(|run| choose_two(run.len())).sum()
}

fn choose_two(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

/// Merge sort that counts inversions.
fn sort_counting_swaps(values: &mut Vec<f64>) -> u64 {
    let (mut swaps, mut width) = (0_u64, 1);
    let mut merged = Vec::with_capacity(values.len());
    while width < values.len() {
        for run in values.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([a, others @ ..], [b, more @ ..]) = (left, right) {
                if b < a {
                    // All remaining elements of the left run were wrongly before it.
                    swaps += left.len() as u64;
                    merged.push(*b);
                    right = more;
                } else {
                    merged.push(*a);
                    left = others;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        core::mem::swap(values, &mut merged);
        merged.clear();
        width *= 2;
    }
    swaps
}

fn regret(layouts: &[(f64, f64)]) -> f64 {
    let best = layouts.iter().map(|layout| layout.0).fold(f64::INFINITY, f64::min);
    winner(layouts).map_or(best, |layout| layout.0) / best - 1.0
}

/// Measured and forecast time of the layout forecast fastest.
pub(super) fn winner(layouts: &[(f64, f64)]) -> Option<(f64, f64)> {
    layouts.iter().min_by(|a, b| a.1.total_cmp(&b.1)).copied()
}

#[cfg(test)]
mod tests {
    use super::{MeasuredLayout, groups, tau};
    use crate::document::Document;
    use proptest::prelude::*;

    #[test]
    fn order_and_regret_of_four_layouts() {
        // One of six pairs is in the wrong order; the layout forecast fastest takes 1.1 against 1.0.
        let scenario = Document::default().scenario().expect("possible");
        let times = [(1.0, 2.1), (1.1, 2.0), (2.0, 3.0), (3.0, 4.0)];
        let rows = times.map(|(measured_s, forecast_s)| MeasuredLayout {
            job: "j",
            source: "s",
            scenario: &scenario,
            measured_s,
            forecast_s,
        });
        let found = groups(&rows);
        assert_eq!(found.len(), 1);
        assert!((found[0].tau - 4.0 / 6.0).abs() < 1e-12, "{}", found[0].tau);
        assert!((found[0].regret - 0.1).abs() < 1e-12, "{}", found[0].regret);
        assert_eq!(found[0].winner_rank, 2);
        assert!(groups(&rows[..3]).is_empty());
    }

    /// By definition, pair by pair.
    fn slow_tau(pairs: &[(f64, f64)]) -> f64 {
        let sign = |value: f64| if value == 0.0 { 0.0 } else { value.signum() };
        let (mut score, mut untied_x, mut untied_y) = (0.0, 0.0, 0.0);
        for (index, a) in pairs.iter().enumerate() {
            for b in pairs.iter().skip(index + 1) {
                let (x, y) = (sign(a.0 - b.0), sign(a.1 - b.1));
                score += x * y;
                untied_x += x.abs();
                untied_y += y.abs();
            }
        }
        let scale = f64::sqrt(untied_x * untied_y);
        if scale > 0.0 { score / scale } else { 0.0 }
    }

    proptest! {
        #[test]
        fn tau_is_what_its_definition_says(pairs in prop::collection::vec((0..6u8, 0..6u8), 0..40)) {
            let pairs: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.0.into(), pair.1.into())).collect();
            prop_assert_eq!(tau(&pairs), slow_tau(&pairs));
        }
    }
}
