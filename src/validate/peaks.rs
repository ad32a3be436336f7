//! Memory forecasts against measured peaks.

use super::{MeasuredRun, check, mean, median};
use crate::memory::{MemoryReport, report};
use crate::scenario::Scenario;
use serde::Serialize;

/// A measured peak and its job.
#[derive(Debug, Clone)]
pub struct Peak {
    /// Identifier of the row.
    pub id: String,
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
        let MeasuredRun { id, scenario, .. } = MeasuredRun::read(get);
        Self { id, measured_gib, counter, scenario }
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
