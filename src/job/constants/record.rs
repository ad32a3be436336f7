//! How well measured steps determine the fitted constants, as the last refit recorded it.

use super::Constant;
use super::determined::RECORDS;

/// What is on record about a fitted constant, as of the last refit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitRecord {
    /// The standard deviation that is left, in natural-log units.
    pub error: f64,
    /// Share of the prior's variance that the runs remove, 0 to 1.
    pub evidence: f64,
    /// Least and most value that refits without one publication give, in the constant's unit.
    pub refits: (f64, f64),
    /// Publication without which it moves the most.
    pub without: &'static str,
}

/// Names and records of the fitted constants, as `stepcast calibrate --determined` prints them.
pub fn records() -> impl Iterator<Item = (&'static str, FitRecord)> {
    RECORDS.iter().copied()
}

impl Constant {
    /// How well the runs determine it, for one of [`super::Evidence::Fitted`].
    pub fn record(&self) -> Option<FitRecord> {
        records().find(|(name, _)| *name == self.name).map(|(_, record)| record)
    }
}
