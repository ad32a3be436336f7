//! A sampled search, as in simulators that are too slow for an exhaustive one. Its result is compared with the
//! exhaustive search.

use super::margin::Margin;
use super::ranking::Candidate;
use super::space::Space;
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::scenario::plan::{Plan, StageSplit};

/// Result of a sampled search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// The fastest sampled layout that leaves the margin free; else the fastest that fits.
    pub best: Option<Candidate>,
    /// Number of layouts forecast.
    pub forecast: usize,
}

/// Share of the space between two consecutive samples: the golden ratio, whose multiples are spread most evenly.
const STRIDE: f64 = 0.618_033_988_749_895;

/// Forecasts `most` layouts of a coarse grid as in a manual search, spread evenly over the space: degrees, micro-batch
/// and virtual stages in powers of two, an even split of layers, and the job's sharding.
pub fn sampled(predictor: &Predictor<'_>, space: &Space, most: usize, margin: Margin) -> Sampled {
    let job = space.job();
    let mut estimator = predictor.estimator(job);
    let mut found = Sampled { best: None, forecast: 0 };
    let layouts = evenly(space.len()).filter_map(|index| Some((index, space.at(index)?)));
    for (number, plan) in layouts.filter(|(_, plan)| is_coarse(plan, &job.plan)).take(most) {
        found.forecast += 1;
        let estimate = estimator.estimate(&plan);
        let row = Candidate { number, ..Candidate::new(&Scenario { plan, ..*job }, &estimate) };
        let better = found.best.is_none_or(|best| {
            let roomier = row.is_comfortable(margin).cmp(&best.is_comfortable(margin));
            roomier.then(best.step.0.total_cmp(&row.step.0)).is_gt()
        });
        if row.fits && better {
            found.best = Some(row);
        }
    }
    found
}

/// Whether a layout is on the manual grid of powers of two.
fn is_coarse(plan: &Plan, own: &Plan) -> bool {
    let degrees = [
        plan.tensor_parallel,
        plan.context_parallel,
        plan.pipeline_parallel,
        plan.expert_parallel,
        plan.expert_tensor_parallel,
        plan.micro_batch,
        plan.virtual_stages,
    ];
    degrees.iter().all(|degree| degree.is_power_of_two())
        && plan.zero == own.zero
        && plan.stage_split == StageSplit::Even
}

/// The numbers below `count`, each once, with consecutive ones far apart.
fn evenly(count: usize) -> impl Iterator<Item = usize> {
    let near = (count as f64 * STRIDE) as usize;
    let stride = (near..count).find(|stride| common_divisor(*stride, count) == 1).unwrap_or(1);
    let mut next = 0;
    (0..count).map(move |_| {
        let now = next;
        next = (next + stride) % count.max(1);
        now
    })
}

fn common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for count in [0, 1, 2, 6, 7, 60, 1000, 4096] {
            let mut numbers: Vec<usize> = evenly(count).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>());
        }
        let first: Vec<usize> = evenly(1000).take(10).collect();
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] > 40), "{first:?}");
    }
}
