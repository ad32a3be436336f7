//! Distribution of the step times of all layouts, collected during a search.

use crate::units::Seconds;
use serde::Serialize;

/// Lower edges of the bins of one doubling, relative to its start: powers of the eighth root of two.
const EDGES: [f64; 8] = [
    1.0,
    1.090_507_732_665_257_7,
    1.189_207_115_002_721,
    1.296_839_554_651_009_6,
    core::f64::consts::SQRT_2,
    1.542_210_825_407_940_7,
    1.681_792_830_507_429,
    1.834_008_086_409_342_4,
];
/// Exponent of the lowest edge: 2^-14 s, some 60 us.
const LEAST: i32 = -14;
/// Doublings above it: up to 2^26 s, two years.
const DOUBLINGS: usize = 40;
/// Mantissa bits of a number.
const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
/// Exponent bits of 1.0.
const ONE: u64 = 1023;

/// Counts of layouts by step, and of layouts that a bound ruled out, by that bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Per bin, layouts that were timed, and layouts that were ruled out. Empty until something is counted.
    bins: Vec<[u32; 2]>,
}

/// Layouts with similar steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HistogramBin {
    /// Least step.
    #[serde(rename = "from_s")]
    pub from: Seconds,
    /// Upper end, exclusive.
    #[serde(rename = "to_s")]
    pub to: Seconds,
    /// Layouts timed in this range.
    pub timed: usize,
    /// Layouts proven to take at least this long, and not timed.
    pub left_out: usize,
}

impl Histogram {
    /// Counts a layout with its step, seconds.
    pub(super) fn time(&mut self, step: f64) {
        self.count(step, 0);
    }

    /// Counts a layout that is known by a lower bound of its step only, seconds.
    pub(super) fn leave_out(&mut self, least: f64) {
        self.count(least, 1);
    }

    fn count(&mut self, step: f64, kind: usize) {
        if self.bins.is_empty() {
            self.bins.resize(DOUBLINGS * EDGES.len(), [0; 2]);
        }
        let bits = step.max(0.0).to_bits();
        let doubling = (bits >> MANTISSA) as i32 - ONE as i32 - LEAST;
        let rest = f64::from_bits(bits & ((1 << MANTISSA) - 1) | ONE << MANTISSA);
        let within = EDGES.iter().filter(|edge| **edge <= rest).count() - 1;
        let place = usize::try_from(doubling).map_or(0, |doubling| doubling * EDGES.len() + within);
        let last = self.bins.len() - 1;
        if let Some(count) = self.bins.get_mut(place.min(last)).and_then(|bin| bin.get_mut(kind)) {
            *count = count.saturating_add(1);
        }
    }

    /// Both.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        if self.bins.is_empty() {
            return other.clone();
        }
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = mine.saturating_add(*theirs);
            }
        }
        self
    }

    /// The bins from the first to the last that has a layout: eight per doubling of the step, or four, two and so on if
    /// that gives more than `most`.
    pub fn bins(&self, most: usize) -> Vec<HistogramBin> {
        let edge = |place: usize| {
            let exponent = (place / EDGES.len()) as i32 + LEAST;
            Seconds(EDGES.get(place % EDGES.len()).map_or(1.0, |edge| edge * 2.0_f64.powi(exponent)))
        };
        let holds = |bin: &[u32; 2]| bin.iter().any(|count| *count > 0);
        let first = self.bins.iter().position(holds).unwrap_or_default();
        let end = self.bins.iter().rposition(holds).map_or(0, |last| last + 1);
        let mut width = 1;
        while end.div_ceil(width) - first / width > most.max(1) {
            width *= 2;
        }
        let wide = self.bins.chunks(width).enumerate().take(end.div_ceil(width)).skip(first / width);
        let sum = |bins: &[[u32; 2]], kind: usize| bins.iter().filter_map(|bin| bin.get(kind)).sum::<u32>();
        wide.map(|(place, bins)| HistogramBin {
            from: edge(place * width),
            to: edge((place + 1) * width),
            timed: sum(bins, 0) as usize,
            left_out: sum(bins, 1) as usize,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_counted_where_it_lies() {
        let mut counts = Histogram::default();
        assert!(counts.bins(99).is_empty());
        for step in [0.92, 1.0, 1.09, 1.091, 3.99] {
            counts.time(step);
        }
        counts.leave_out(1.05);
        let bins = counts.bins(99);
        let held: usize = bins.iter().map(|bin| bin.timed + bin.left_out).sum();
        assert_eq!((held, bins.len()), (6, 1 + 16));
        let at = |step: f64| bins.iter().find(|bin| bin.from.0 <= step && step < bin.to.0).copied();
        assert_eq!(at(1.0).map(|bin| (bin.timed, bin.left_out)), Some((2, 1)));
        assert_eq!(at(1.1).map(|bin| bin.timed), Some(1));
        let ratios = bins.iter().map(|bin| (bin.to / bin.from).powi(8));
        assert!(ratios.clone().all(|ratio| (ratio - 2.0).abs() < 1e-12), "as wide as each other");
        assert!(bins.windows(2).all(|pair| pair[0].to == pair[1].from));
        let few = counts.bins(5);
        assert_eq!((few.len(), few[1].from.0, few[3].from.0), (5, 1.0, 2.0));
        assert_eq!(few.iter().map(|bin| bin.timed + bin.left_out).sum::<usize>(), 6);
    }

    #[test]
    fn what_lies_outside_is_counted_at_the_ends() {
        let mut counts = Histogram::default();
        for step in [-1.0, 0.0, 1e-9, 1e30, f64::INFINITY, f64::NAN] {
            counts.time(step);
        }
        let bins = counts.bins(999);
        assert_eq!(bins.len(), DOUBLINGS * EDGES.len());
        assert_eq!(bins.iter().map(|bin| bin.timed).sum::<usize>(), 6);
        let twice = counts.clone().and(&counts);
        assert_eq!(twice.bins(9).iter().map(|bin| bin.timed).sum::<usize>(), 12);
        assert_eq!(Histogram::default().and(&counts), counts);
        assert_eq!(counts.clone().and(&Histogram::default()), counts);
    }
}
