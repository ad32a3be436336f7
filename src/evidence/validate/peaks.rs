//! Memory forecasts against measured peaks.

use super::{MeasuredRun, check, mean, median};
use crate::memory::{MemoryReport, PeakClass, report};
use crate::scenario::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;

/// A measured peak and its job.
#[derive(Debug, Clone)]
pub struct Peak {
    /// Identifier of the row.
    pub id: String,
    /// Publication it comes from; empty if it is not known.
    pub source: String,
    /// Most on any rank, by the counter that was read, GiB.
    pub measured_gib: f64,
    /// Its counter.
    pub counter: Counter,
    /// The job, or why it cannot be forecast.
    pub scenario: Result<Scenario, String>,
}

impl Peak {
    /// Reads a row: the columns of a runs file, with `peak_gib` for `iteration_s`, and `counter`. `get` returns a
    /// column's text, empty if the file has none.
    pub fn read<'a>(get: impl Fn(&str) -> &'a str) -> Self {
        let measured_gib = get("peak_gib").trim().parse().unwrap_or(f64::NAN);
        let counter = match get("counter").trim() {
            "reserved" => Counter::Reserved,
            "device" => Counter::Device,
            _ => Counter::Allocated,
        };
        let MeasuredRun { id, source, scenario, .. } = MeasuredRun::read(get);
        Self { id, source, measured_gib, counter, scenario }
    }
}

/// Source of a measured peak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// PyTorch's `max_memory_allocated`, and any program output without details.
    Allocated,
    /// PyTorch's `max_memory_reserved`.
    Reserved,
    /// The device's counter (`nvidia-smi`).
    Device,
}

impl Counter {
    /// Forecast of this counter, GiB.
    fn of(self, memory: &MemoryReport) -> f64 {
        match self {
            Self::Allocated => memory.peak_gib,
            Self::Reserved => memory.reserved_gib,
            Self::Device => memory.device_gib,
        }
    }
}

impl Counter {
    /// What was measured over what the allocator would reserve if the device had no end; nothing where less is measured than a
    /// process takes outside of it.
    fn over_reserved(self, measured_gib: f64, memory: &MemoryReport) -> Option<f64> {
        let reserved = memory.wanted_gib;
        let ratio = match self {
            Self::Allocated => measured_gib / memory.peak_gib,
            Self::Reserved => measured_gib / reserved,
            Self::Device => (measured_gib - (memory.capacity_gib - memory.usable_gib)) / reserved,
        };
        (ratio > 0.0).then_some(ratio)
    }
}

/// One peak's outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeakRow {
    /// Identifier of the row.
    pub id: String,
    /// Measured peak, GiB.
    pub measured_gib: f64,
    /// Forecast peak, GiB; absent when the row was skipped.
    pub predicted_gib: Option<f64>,
    /// Largest owner of the forecast peak.
    pub owner: Option<&'static str>,
    /// Why it was skipped.
    pub skipped: Option<String>,
}

/// Outcome of a whole file. Errors are ratios, not percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeakReport {
    /// Every row.
    pub rows: Vec<PeakRow>,
    /// Rows counted.
    pub n: usize,
    /// Median of |forecast / measured - 1|.
    pub median_ape: f64,
    /// Mean of |forecast / measured - 1|.
    pub mape: f64,
    /// Largest |forecast / measured - 1|.
    pub worst: f64,
}

/// Forecasts every peak.
pub fn validate_memory(peaks: &[Peak]) -> PeakReport {
    let rows: Vec<PeakRow> = peaks.iter().map(row).collect();
    let mut errors: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.predicted_gib.map(|predicted| (predicted / row.measured_gib - 1.0).abs()))
        .collect();
    errors.sort_by(f64::total_cmp);
    PeakReport {
        n: errors.len(),
        median_ape: median(&errors),
        mape: mean(&errors),
        worst: errors.last().copied().unwrap_or(0.0),
        rows,
    }
}

fn row(peak: &Peak) -> PeakRow {
    let forecast = match &peak.scenario {
        Ok(scenario) => check::peak(peak.measured_gib).map(|()| report(scenario)),
        Err(reason) => Err(reason.clone()),
    };
    PeakRow {
        id: peak.id.clone(),
        measured_gib: peak.measured_gib,
        predicted_gib: forecast.as_ref().ok().map(|memory| peak.counter.of(memory)),
        owner: forecast.as_ref().ok().map(|memory| memory.owner),
        skipped: forecast.err(),
    }
}

/// Head of the table of [`peak_errors`].
const HEAD: &str = "\
# How far measured memory peaks are from their forecasts, by class of software: for each share, the ln(measured / forecast) that this
# share of the class's public peaks of evidence/peaks.tsv does not exceed, each by its own counter, those of the device less what a process
# takes outside of the allocator, with equal weight per publication; a class of few publications borrows from all: written by
# `cargo xtask readme`. Jobs that ran out of memory are not among them.
class\tpublications\tshare\tln [1]
";

/// Steps of the table of [`peak_errors`]: one twentieth each.
const STEPS: u32 = 20;

/// Publications for which the distribution over all software counts.
const POOLED: f64 = 5.0;

/// ln(measured / forecast) of every peak, by publication.
type Publications<'a> = BTreeMap<&'a str, Vec<f64>>;

/// The distribution of ln(measured / forecast) over publications by class of software, tab-separated. Each quantile of a class
/// counts as many times as it has publications, that over all classes `POOLED` times.
pub fn peak_errors(peaks: &[Peak]) -> String {
    let mut all = Publications::new();
    let mut classes: BTreeMap<PeakClass, Publications<'_>> = BTreeMap::new();
    for (peak, row) in peaks.iter().zip(peaks.iter().map(row)) {
        let Ok(scenario) = &peak.scenario else { continue };
        if row.predicted_gib.is_some()
            && let Some(ratio) = peak.counter.over_reserved(peak.measured_gib, &report(scenario))
        {
            let of_class = classes.entry(PeakClass::of(&scenario.software)).or_default();
            for publications in [&mut all, of_class] {
                publications.entry(&peak.source).or_default().push(libm::log(ratio));
            }
        }
    }
    let around = quantiles(&all);
    let mut table = HEAD.to_owned();
    for class in PeakClass::ALL {
        let publications = classes.remove(&class).unwrap_or_default();
        let weight = publications.len() as f64;
        for (step, (own, around)) in (1..STEPS).zip(quantiles(&publications).iter().zip(&around)) {
            let share = f64::from(step) / f64::from(STEPS);
            let error = (weight * own + POOLED * around) / (weight + POOLED);
            table.push_str(&format!("{}\t{weight}\t{share:.2}\t{error:.3}\n", class.key()));
        }
    }
    table
}

/// For each share, what it does not exceed, with equal weight per publication.
fn quantiles(publications: &Publications<'_>) -> Vec<f64> {
    let weighted = |errors: &Vec<f64>| {
        let weight = 1.0 / (errors.len() * publications.len()) as f64;
        errors.iter().map(move |error| (*error, weight)).collect::<Vec<_>>()
    };
    let mut errors: Vec<(f64, f64)> = publications.values().flat_map(weighted).collect();
    errors.sort_by(|one, other| one.0.total_cmp(&other.0));
    let quantile = |step: u32| {
        let share = f64::from(step) / f64::from(STEPS);
        let mut sum = 0.0;
        let mut reaches = |weight: f64| {
            sum += weight;
            // A sum of many fractions may fall short of its whole by rounding.
            sum >= share - 1e-9
        };
        errors.iter().find(|entry| reaches(entry.1)).map_or(0.0, |entry| entry.0)
    };
    (1..STEPS).map(quantile).collect()
}
