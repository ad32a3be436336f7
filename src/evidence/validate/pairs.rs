//! Accuracy of the forecast ratio of two layouts' steps: pairs of measured runs of one job.

use super::layouts::MeasuredLayout;
use crate::forecast::{Difference, Predictor};
use serde::Serialize;
use std::collections::BTreeMap;

/// Errors of the forecast ratios of pairs of layouts. Jobs have equal weight, however many pairs they have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairAccuracy {
    /// Which pairs: a publication, or one of the kinds of jobs, including `all`.
    pub of: String,
    /// How the layouts of a pair differ; any difference if missing.
    pub difference: Option<Difference>,
    /// Number of jobs with such pairs.
    pub jobs: usize,
    /// Pairs.
    pub pairs: usize,
    /// Measured layouts that are in no pair because there would be too many: the same ones in each job, evenly spread.
    pub left_out: usize,
    /// Half-width of |ln(forecast ratio / measured ratio)| that covers 50 %.
    pub half_width_50: f64,
    /// Half-width that covers 90 %.
    pub half_width_90: f64,
    /// Share of measured ratios within the forecast's 50 % interval. Meaningless for layouts that do not differ.
    pub coverage_50: f64,
    /// Share of measured ratios within the forecast's 90 % interval.
    pub coverage_90: f64,
}

/// One pair of layouts of one job.
struct Pair<'a> {
    job: (&'a str, &'a str),
    difference: Difference,
    experts: bool,
    unmeasured: bool,
    error: f64,
    in_half: bool,
    in_most: bool,
}

/// Names and members of the kinds of jobs.
type JobKinds = (&'static str, fn(&Pair<'_>) -> bool);

const KINDS: [JobKinds; 4] = [
    ("all", |_| true),
    ("dense models, measured software", |pair| !pair.experts && !pair.unmeasured),
    ("dense models, other software", |pair| !pair.experts && pair.unmeasured),
    ("mixtures of experts", |pair| pair.experts),
];

/// Accuracy of the ratios of all pairs, by kind of job and by publication.
pub(super) fn accuracy(predictor: &Predictor<'_>, layouts: &[MeasuredLayout<'_>]) -> Vec<PairAccuracy> {
    let (pairs, left_out) = pairs(predictor, layouts);
    let differences =
        [None, Some(Difference::Settings), Some(Difference::Degrees), Some(Difference::Nothing)];
    let mut found: Vec<PairAccuracy> = Vec::new();
    for (name, member) in KINDS {
        for difference in differences {
            found.extend(summary(name, difference, pairs.iter().filter(|pair| member(pair))));
        }
    }
    let mut sources: Vec<&str> = pairs.iter().map(|pair| pair.job.1).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in sources {
        for difference in differences {
            found.extend(summary(source, difference, pairs.iter().filter(|pair| pair.job.1 == source)));
        }
    }
    found.iter_mut().for_each(|accuracy| accuracy.left_out = left_out);
    found
}

/// Most pairs of all jobs: some 80 bytes each, and some microseconds.
const MOST_PAIRS: usize = 1 << 20;

/// All pairs of runs of one job that differ only in the layout, limited to an equal number of runs per job if there are
/// too many; and the number of runs left out.
fn pairs<'a>(predictor: &Predictor<'_>, layouts: &[MeasuredLayout<'a>]) -> (Vec<Pair<'a>>, usize) {
    let mut jobs: BTreeMap<(&str, &str), Vec<&MeasuredLayout<'a>>> = BTreeMap::new();
    for layout in layouts {
        jobs.entry((layout.job, layout.source)).or_default().push(layout);
    }
    let most = most_of_a_job(jobs.values().map(Vec::len));
    let (mut pairs, mut paired) = (Vec::new(), 0);
    for (job, layouts) in jobs {
        let chosen: Vec<_> = layouts.iter().step_by(layouts.len().div_ceil(most)).collect();
        paired += chosen.len();
        for (index, a) in chosen.iter().enumerate() {
            pairs.extend(chosen.iter().skip(index + 1).filter_map(|b| pair(predictor, job, a, b)));
        }
    }
    (pairs, layouts.len() - paired)
}

/// Most runs of a job in pairs: all of the largest, halved until pairs are few enough.
fn most_of_a_job(sizes: impl Iterator<Item = usize> + Clone) -> usize {
    let mut most = sizes.clone().max().unwrap_or(1).max(2);
    let pairs =
        |most: usize| sizes.clone().map(|size| size.min(most)).map(|size| size * size / 2).sum::<usize>();
    while most > 2 && pairs(most) > MOST_PAIRS {
        most = most.div_ceil(2);
    }
    most
}

fn pair<'a>(
    predictor: &Predictor<'_>,
    job: (&'a str, &'a str),
    a: &MeasuredLayout<'_>,
    b: &MeasuredLayout<'_>,
) -> Option<Pair<'a>> {
    let mut moved = *b.scenario;
    moved.plan = a.scenario.plan;
    if moved != *a.scenario {
        return None;
    }
    let measured = a.measured_s / b.measured_s;
    let forecast = a.forecast_s / b.forecast_s;
    let interval = predictor.ratio_interval(a.scenario, &b.scenario.plan, forecast);
    Some(Pair {
        job,
        difference: Difference::between(&a.scenario.plan, &b.scenario.plan),
        experts: a.scenario.model.experts.count > 0,
        unmeasured: predictor.is_unmeasured(a.scenario),
        error: libm::log(forecast / measured).abs(),
        in_half: (interval.half_low..=interval.half_high).contains(&measured),
        in_most: (interval.low..=interval.high).contains(&measured),
    })
}

/// Statistics of some pairs; nothing if there are none. Pairs without a difference count only on request.
fn summary<'a>(
    of: &str,
    difference: Option<Difference>,
    pairs: impl Iterator<Item = &'a Pair<'a>>,
) -> Option<PairAccuracy> {
    let asked = |pair: &&Pair<'_>| match difference {
        Some(difference) => pair.difference == difference,
        None => pair.difference != Difference::Nothing,
    };
    let counted: Vec<&Pair<'_>> = pairs.filter(asked).collect();
    let mut sizes: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for pair in &counted {
        *sizes.entry(pair.job).or_default() += 1.0;
    }
    let weight = |pair: &Pair<'_>| sizes.get(&pair.job).map_or(0.0, |pairs| 1.0 / pairs);
    let mut errors: Vec<(f64, f64)> = counted.iter().map(|pair| (pair.error, weight(pair))).collect();
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let share = |holds: fn(&Pair<'_>) -> bool| {
        let held: f64 = counted.iter().filter(|pair| holds(pair)).map(|pair| weight(pair)).sum();
        // A sum of nothing is -0.
        (0.0 + held) / sizes.len().max(1) as f64
    };
    (!counted.is_empty()).then(|| PairAccuracy {
        of: of.to_owned(),
        difference,
        jobs: sizes.len(),
        pairs: counted.len(),
        left_out: 0,
        half_width_50: quantile(&errors, 0.5),
        half_width_90: quantile(&errors, 0.9),
        coverage_50: share(|pair| pair.in_half),
        coverage_90: share(|pair| pair.in_most),
    })
}

/// The weighted quantile of values in ascending order; zero of none.
pub(super) fn quantile(sorted: &[(f64, f64)], share: f64) -> f64 {
    let total: f64 = sorted.iter().map(|entry| entry.1).sum();
    let mut below = 0.0;
    let found = sorted.iter().find(|entry| {
        below += entry.1;
        // Sums of shares differ from the whole by rounding.
        below >= share * total * (1.0 - 1e-12)
    });
    found.or(sorted.last()).map_or(0.0, |entry| entry.0)
}

#[cfg(test)]
mod tests {
    use super::{MOST_PAIRS, most_of_a_job, quantile};

    #[test]
    fn pairs_are_few_enough_whatever_the_sizes() {
        assert_eq!(most_of_a_job([1000, 4].into_iter()), 1000);
        assert_eq!(most_of_a_job([].into_iter()), 2);
        for (jobs, size) in [(1, 100_000), (50_000, 2), (1000, 100), (10, 10_000)] {
            let most = most_of_a_job(std::iter::repeat_n(size, jobs));
            assert!(jobs * most.min(size) * most.min(size) / 2 <= MOST_PAIRS, "{jobs} {size}: {most}");
            assert!(most >= 2, "{jobs} {size}: {most}");
        }
    }

    #[test]
    fn a_quantile_is_of_the_weight() {
        let values = [(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)];
        assert_eq!(
            [0.25, 0.26, 0.75, 0.76, 1.0].map(|share| quantile(&values, share)),
            [1.0, 2.0, 2.0, 3.0, 3.0]
        );
        assert_eq!(quantile(&[], 0.5), 0.0);
    }
}
