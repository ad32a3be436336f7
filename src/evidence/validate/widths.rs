//! Widths of 90 % intervals compared with the required widths: by class of job, and by utilisation.

use super::{ClassAccuracy, MeasuredRun, mean};
use serde::Serialize;
use std::collections::BTreeMap;

/// Half-widths of the intervals of some forecasts, and their coverage, with equal weight per source. Half-widths are
/// natural logarithms of ratios: 0.25 is from 0.78 to 1.28 times the forecast.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Widths {
    /// Rows counted.
    pub n: usize,
    /// Their publications.
    pub sources: usize,
    /// Mean over sources of their mean half-width.
    pub half_width: f64,
    /// Half-width that covers 90 % of the first forecasts, if on record.
    pub nine_of_ten_first: Option<f64>,
    /// Half-width that covers 90 % of today's forecasts.
    pub nine_of_ten_now: f64,
    /// Mean over sources of the share of first forecasts for which today's interval contains the measured time.
    pub held_first: Option<f64>,
    /// Same, for today's forecasts.
    pub held_now: f64,
}

/// Dense jobs whose forecast hardware utilisation (HFU) is below `below` and not in the range before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UtilisationBand {
    /// Upper end of the range; the last has none.
    pub below: Option<f64>,
    /// Their intervals.
    pub widths: Widths,
}

/// Forecast accuracy by class of job, and interval widths of dense jobs by utilisation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassReport {
    /// Every class, and all together at the end.
    pub classes: Vec<ClassAccuracy>,
    /// All runs whose file states layout and network, and has no doubt that affects their time.
    pub stated: ClassAccuracy,
    /// Utilisation ranges, lowest first; those without runs are left out.
    pub utilisation: Vec<UtilisationBand>,
}

/// Upper ends of the utilisation ranges except the last.
pub(super) const BANDS: [f64; 4] = [0.2, 0.3, 0.4, 0.5];

/// Share of runs that a 90 % interval should hold.
const SHARE: f64 = 0.9;

/// A forecast's distance from what was measured, in natural logarithms: the first where it is on record, and today's, with the upper
/// and the lower half-width of today's interval.
#[derive(Debug, Clone, Copy)]
struct Distance {
    first: Option<f64>,
    now: f64,
    lower: f64,
    upper: f64,
}

impl Distance {
    fn new(run: &MeasuredRun, [forecast, low, high]: [f64; 3]) -> Self {
        let from = |step: f64| libm::log(run.measured_s / step);
        Self {
            first: run.first.map(|first| from(first.step_s)),
            now: from(forecast),
            lower: libm::log(forecast / low),
            upper: libm::log(high / forecast),
        }
    }

    fn holds(&self, distance: f64) -> bool {
        (-self.lower..=self.upper).contains(&distance)
    }
}

/// Widths of runs with their forecasts and the ends of their intervals, seconds.
pub(super) fn widths<'a>(rows: impl Iterator<Item = (&'a MeasuredRun, [f64; 3])>) -> Widths {
    let mut sources: BTreeMap<&str, Vec<Distance>> = BTreeMap::new();
    for (run, forecast) in rows {
        sources.entry(&run.source).or_default().push(Distance::new(run, forecast));
    }
    let of_sources = |value: &dyn Fn(&Distance) -> Option<f64>| {
        let of_one = |rows: &Vec<Distance>| {
            let values: Vec<f64> = rows.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| mean(&values))
        };
        let means: Vec<f64> = sources.values().filter_map(of_one).collect();
        (!means.is_empty()).then(|| mean(&means))
    };
    let held = |distance: Option<f64>, row: &Distance| Some(f64::from(u8::from(row.holds(distance?))));
    Widths {
        n: sources.values().map(Vec::len).sum(),
        sources: sources.len(),
        half_width: of_sources(&|row| Some(0.5 * (row.lower + row.upper))).unwrap_or(0.0),
        nine_of_ten_first: nine_of_ten(sources.values(), |row| row.first),
        nine_of_ten_now: nine_of_ten(sources.values(), |row| Some(row.now)).unwrap_or(0.0),
        held_first: of_sources(&|row| held(row.first, row)),
        held_now: of_sources(&|row| held(Some(row.now), row)).unwrap_or(0.0),
    }
}

/// The least distance that contains nine tenths of the runs, with equal weight per source; nothing without runs.
fn nine_of_ten<'a>(
    sources: impl Iterator<Item = &'a Vec<Distance>>,
    distance: impl Fn(&Distance) -> Option<f64>,
) -> Option<f64> {
    let mut weighted: Vec<(f64, f64)> = Vec::new();
    let mut all = 0.0;
    for rows in sources {
        let distances: Vec<f64> = rows.iter().filter_map(&distance).map(f64::abs).collect();
        let weight = 1.0 / distances.len().max(1) as f64;
        all += if distances.is_empty() { 0.0 } else { 1.0 };
        weighted.extend(distances.into_iter().map(|size| (size, weight)));
    }
    weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut sum = 0.0;
    let mut reaches = |weight: f64| {
        sum += weight;
        // A sum of many fractions may fall short of its whole by rounding.
        sum >= SHARE * all - 1e-9
    };
    weighted.iter().find(|entry| reaches(entry.1)).map(|entry| entry.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A run of 1 s; its forecast that many times as long, in an interval of a fifth either way.
    fn run(source: &str, forecast: f64) -> (MeasuredRun, [f64; 3]) {
        let columns = BTreeMap::from([
            ("id", "a"),
            ("source", source),
            ("stack", "nemo"),
            ("layers", "2"),
            ("hidden", "128"),
            ("ffn", "512"),
            ("heads", "2"),
            ("vocab", "1000"),
            ("seq", "128"),
            ("gpu", "h100-80g"),
            ("gpus", "1"),
            ("iteration_s", "1"),
            ("gbs", "1"),
        ]);
        let run = MeasuredRun::read(|column| columns.get(column).copied().unwrap_or(""));
        (run, [forecast, forecast / 1.2, forecast * 1.2])
    }

    #[test]
    fn sources_count_alike_however_many_runs_they_have() {
        let mut rows: Vec<(MeasuredRun, [f64; 3])> =
            (1..=10).map(|tenth| run("ten", 1.0 + 0.01 * f64::from(tenth))).collect();
        rows.push(run("one", 2.0));
        let widths = widths(rows.iter().map(|(run, forecast)| (run, *forecast)));
        assert_eq!((widths.n, widths.sources), (11, 2));
        assert!((widths.half_width - libm::log(1.2)).abs() < 1e-12);
        // Half of the weight is the one run's: nine tenths reach into it, and it is not held.
        assert!((widths.nine_of_ten_now - libm::log(2.0)).abs() < 1e-12);
        assert!((widths.held_now - 0.5).abs() < 1e-12);
        assert_eq!((widths.nine_of_ten_first, widths.held_first), (None, None));
    }

    #[test]
    fn nine_of_ten_runs_lie_within() {
        let rows: Vec<(MeasuredRun, [f64; 3])> =
            (1..=10).map(|tenth| run("ten", 1.0 + 0.1 * f64::from(tenth))).collect();
        let widths = widths(rows.iter().map(|(run, forecast)| (run, *forecast)));
        assert!((widths.nine_of_ten_now - libm::log(1.9)).abs() < 1e-12);
        assert!((widths.held_now - 0.2).abs() < 1e-12);
    }
}
