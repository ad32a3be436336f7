//! Half-widths of 90 % intervals by class of job, read off runs that no constant was fitted to: split-conformal prediction over
//! publications.
//!
//! A class is whether something is left open, then the band of utilisation, then the kind of model, then whether software and
//! GPUs are calibrated. Each side of a class is the quantile that one twentieth of its runs exceed, where a publication weighs
//! one however many runs it has. A class of few publications says little of its own: the logarithm of its quantile counts as
//! many times as it has publications, and that of the class around it [`POOLED`] times.

use super::{MeasuredRun, check, mean};
use crate::forecast::{BANDS, ClassWidths, Predictor, WidthClass};
use crate::scenario::model::MixerClass;
use crate::units::Seconds;
use std::collections::{BTreeMap, BTreeSet};

/// Publications for which the class around one counts.
const POOLED: f64 = 20.0;

/// Share of runs beyond either end of a 90 % interval.
const BEYOND: f64 = 0.05;

/// The narrowest half-width of a side, of ln(measured / forecast): repeated steps of one job differ by as much.
const LEAST: f64 = 0.02;

/// Head of the table.
const HEAD: &str = "\
# Half-widths of 90 % intervals in units of ln(measured / forecast), by class of job: written by `cargo xtask readme` from runs that no
# constant was fitted to. open: whether a run's source leaves open something that its time hangs on. utilisation: HFU where the class
# begins. calibrated: whether constants were fitted to runs of the software and on the generation of GPUs. Models with recurrent layers
# (mixers) have too few runs for classes: their row is of all of them.
mixers\topen\tutilisation\texperts\tcalibrated\tpublications\truns\tbelow [1]\tabove [1]
";

/// A run's class, and ln(measured / forecast) of today's forecast.
struct Residual<'a> {
    publication: &'a str,
    class: WidthClass,
    ratio: f64,
}

/// How many of the values of a class decide: none is everything, each one more splits it further.
const LEVELS: usize = 5;

/// What the first so many values of a class say; those behind them are all alike.
fn within(class: WidthClass, level: usize) -> WidthClass {
    WidthClass {
        open: level > 0 && class.open,
        band: if level > 1 { class.band } else { 0 },
        experts: level > 2 && class.experts,
        calibrated: level > 3 && class.calibrated,
    }
}

/// The table of half-widths, tab-separated: classes of `runs`, and the row of those of `hybrids` with recurrent layers.
pub fn interval_widths(predictor: &Predictor<'_>, runs: &[MeasuredRun], hybrids: &[MeasuredRun]) -> String {
    let mut table = HEAD.to_owned();
    let mut add = |mixers: MixerClass, class: &str, row: ClassWidths| {
        table.push_str(&format!(
            "{}\t{class}\t{}\t{}\t{:.3}\t{:.3}\n",
            mixers.names().0,
            row.publications,
            row.runs,
            row.below,
            row.above,
        ));
    };
    for row in fitted(&residuals(predictor, runs, MixerClass::Attention)) {
        let yes = |flag: bool| if flag { "yes" } else { "no" };
        let begin = row.class.band.checked_sub(1).and_then(|band| BANDS.get(band)).copied().unwrap_or(0.0);
        let [open, experts, calibrated] = [row.class.open, row.class.experts, row.class.calibrated].map(yes);
        add(MixerClass::Attention, &format!("{open}\t{begin}\t{experts}\t{calibrated}"), row);
    }
    let recurrent = residuals(predictor, hybrids, MixerClass::Recurrent);
    if let Some(first) = recurrent.first() {
        let row = own(first.class, &recurrent.iter().collect::<Vec<_>>());
        add(MixerClass::Recurrent, "any\tany\tany\tany", row);
    }
    table
}

/// What intervals would have held of runs whose publication had no part in their widths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldIntervals {
    /// Mean over publications of the share of runs that are held.
    pub held: f64,
    /// Mean over publications of the half-width, both sides' mean.
    pub half_width: f64,
    /// Mean over publications of Winkler's score: the width, and 20 times what lies outside.
    pub score: f64,
}

/// Every publication left out of the widths in turn, around today's forecasts, or the first ones of runs that have one.
pub fn left_out(predictor: &Predictor<'_>, runs: &[MeasuredRun], first: bool) -> HeldIntervals {
    let residuals = residuals(predictor, runs, MixerClass::Attention);
    let publications: BTreeSet<&str> = residuals.iter().map(|row| row.publication).collect();
    let (mut held, mut widths, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for publication in publications {
        let kept: Vec<&Residual<'_>> =
            residuals.iter().filter(|row| row.publication != publication).collect();
        let classes = fitted_to(&kept);
        let of = |run: &MeasuredRun| {
            let job = run.scenario.as_ref().ok()?;
            let step = predictor.step_time(job);
            let around = if first { run.first?.step_s } else { step.0 };
            let open = !run.states_layout_and_network();
            let (below, above) = predictor.half_widths_by(&classes, job, step, open);
            let ratio = libm::log(run.measured_s / around);
            let outside = (ratio - above).max(-below - ratio).max(0.0);
            Some([f64::from(u8::from(outside == 0.0)), 0.5 * (below + above), below + above + 20.0 * outside])
        };
        let rows: Vec<[f64; 3]> =
            runs.iter().filter(|run| run.source == publication && counts(run)).filter_map(of).collect();
        if rows.is_empty() {
            continue;
        }
        let of_column =
            |column: usize| mean(&rows.iter().filter_map(|row| row.get(column).copied()).collect::<Vec<_>>());
        held.push(of_column(0));
        widths.push(of_column(1));
        scores.push(of_column(2));
    }
    HeldIntervals { held: mean(&held), half_width: mean(&widths), score: mean(&scores) }
}

/// Whether a run is one to learn from.
fn counts(run: &MeasuredRun) -> bool {
    !run.dropped && check::seconds(run.measured_s).is_ok()
}

/// Residuals of runs of models with one class of mixers.
fn residuals<'a>(
    predictor: &Predictor<'_>,
    runs: &'a [MeasuredRun],
    mixers: MixerClass,
) -> Vec<Residual<'a>> {
    let residual = |run: &'a MeasuredRun| {
        let job = run.scenario.as_ref().ok()?;
        if !counts(run) || job.model.mixer_class() != mixers {
            return None;
        }
        let step = predictor.step_time(job).0;
        let class = WidthClass {
            open: !run.states_layout_and_network(),
            ..predictor.width_class(job, Seconds(step))
        };
        Some(Residual { publication: &run.source, class, ratio: libm::log(run.measured_s / step) })
    };
    runs.iter().filter_map(residual).collect()
}

fn fitted(residuals: &[Residual<'_>]) -> Vec<ClassWidths> {
    fitted_to(&residuals.iter().collect::<Vec<_>>())
}

/// Half-widths of every class.
fn fitted_to(residuals: &[&Residual<'_>]) -> Vec<ClassWidths> {
    let mut levels: [BTreeMap<WidthClass, ClassWidths>; LEVELS] = Default::default();
    for level in 0..LEVELS {
        let mut classes: BTreeMap<WidthClass, Vec<&Residual<'_>>> = BTreeMap::new();
        for row in residuals {
            classes.entry(within(row.class, level)).or_default().push(row);
        }
        for (class, rows) in classes {
            let around =
                level.checked_sub(1).and_then(|outer| levels.get(outer)?.get(&within(class, outer)).copied());
            let own = own(class, &rows);
            let widths = around.map_or(own, |around| pooled(own, around));
            if let Some(level) = levels.get_mut(level) {
                level.insert(class, widths);
            }
        }
    }
    every_class()
        .map(|class| {
            let rows = (0..LEVELS).rev().find_map(|level| {
                let row = levels.get(level)?.get(&within(class, level))?;
                Some((level, *row))
            });
            match rows {
                Some((level, row)) if level + 1 == LEVELS => ClassWidths { class, ..row },
                Some((_, row)) => ClassWidths { class, publications: 0, runs: 0, ..row },
                None => ClassWidths { class, publications: 0, runs: 0, below: 1.0, above: 1.0 },
            }
        })
        .collect()
}

/// Every class, those of one level side by side.
fn every_class() -> impl Iterator<Item = WidthClass> {
    let flags = [false, true];
    flags.into_iter().flat_map(move |open| {
        (0..=BANDS.len()).flat_map(move |band| {
            flags.into_iter().flat_map(move |experts| {
                flags.into_iter().map(move |calibrated| WidthClass { open, band, experts, calibrated })
            })
        })
    })
}

/// Half-widths of some runs alone.
fn own(class: WidthClass, rows: &[&Residual<'_>]) -> ClassWidths {
    let mut publications: BTreeMap<&str, u32> = BTreeMap::new();
    for row in rows {
        *publications.entry(row.publication).or_default() += 1;
    }
    let weight =
        |row: &Residual<'_>| 1.0 / f64::from(publications.get(row.publication).copied().unwrap_or(1));
    // The next publication is one more: of n it exceeds the rank that is (n + 1)/n times as far up.
    let needed = (1.0 - BEYOND) * (publications.len() + 1) as f64;
    let exceeded = |sign: f64| {
        let mut sizes: Vec<(f64, f64)> = rows.iter().map(|row| (sign * row.ratio, weight(row))).collect();
        sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut sum = 0.0;
        let mut reaches = |weight: f64| {
            sum += weight;
            // A sum of many fractions may fall short of its whole by rounding.
            sum >= needed - 1e-9
        };
        sizes.iter().find(|size| reaches(size.1)).or(sizes.last()).map_or(LEAST, |size| size.0.max(LEAST))
    };
    ClassWidths {
        class,
        publications: publications.len() as u32,
        runs: rows.len() as u32,
        below: exceeded(-1.0),
        above: exceeded(1.0),
    }
}

/// Half-widths of a class that borrows from the one around it.
fn pooled(own: ClassWidths, around: ClassWidths) -> ClassWidths {
    let publications = f64::from(own.publications);
    let between = |own: f64, around: f64| {
        libm::exp((publications * libm::log(own) + POOLED * libm::log(around)) / (publications + POOLED))
    };
    ClassWidths { below: between(own.below, around.below), above: between(own.above, around.above), ..own }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: WidthClass = WidthClass { open: false, band: 1, experts: false, calibrated: true };

    fn rows(
        class: WidthClass,
        publications: &'static [&'static str],
        ratio: impl Fn(usize) -> f64,
    ) -> Vec<Residual<'static>> {
        let row =
            |(at, publication): (usize, &&'static str)| Residual { publication, class, ratio: ratio(at) };
        publications.iter().enumerate().map(row).collect()
    }

    const MANY: [&str; 40] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
        "u", "v", "w", "x", "y", "z", "aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll",
        "mm", "nn",
    ];

    /// Of 40 publications whose ratios are spread evenly, one lies beyond either end, and the 41st with a probability of 1/20.
    #[test]
    fn known_quantiles_come_out() {
        let rows = rows(CLASS, &MANY, |at| 0.02 * (at as f64 - 19.5));
        let found = fitted(&rows);
        let class = found.iter().find(|row| row.class == CLASS).expect("the class");
        assert!((class.above - 0.37).abs() < 1e-12 && (class.below - 0.37).abs() < 1e-12, "{class:?}");
        assert_eq!((class.publications, class.runs), (40, 40));
    }

    /// A publication of many runs counts as one of few, and a class of few publications is drawn to the class around it.
    #[test]
    fn little_evidence_borrows() {
        let calm = rows(CLASS, &MANY, |at| 0.002 * (at as f64 - 19.5));
        let few = WidthClass { calibrated: false, ..CLASS };
        let mut all = rows(few, &["one", "one", "one", "one"], |_| 1.0);
        all.extend(calm);
        let found = fitted(&all);
        let of = |class: WidthClass| *found.iter().find(|row| row.class == class).expect("a class");
        let (calm, few) = (of(CLASS), of(few));
        assert_eq!((few.publications, few.runs), (1, 4));
        assert!(few.above > calm.above && few.above < 0.2, "{few:?} beside {calm:?}");
        let unknown = of(WidthClass { experts: true, ..CLASS });
        assert_eq!((unknown.publications, unknown.runs), (0, 0));
        assert!(unknown.above > calm.above.min(few.above) - 1e-12 && unknown.above < 0.2, "{unknown:?}");
    }
}
