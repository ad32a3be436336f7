//! Measured kernels and collectives.

use super::runs::rows;
use std::collections::BTreeMap;
use stepcast::constants::Constants;
use stepcast::validate::microbenchmarks::{KernelSample, KindErrors, read_collective, read_kernel, report};

/// Samples, and their errors today: one group per kind of operator and GPU.
pub(crate) struct Benchmarks {
    samples: Vec<Result<KernelSample, &'static str>>,
    today: Vec<KindErrors>,
}

impl Benchmarks {
    /// Reads both tables.
    pub(crate) fn read(kernels: &str, collectives: &str) -> Result<Self, String> {
        let table = |file| rows(file, &mut csv::ReaderBuilder::new());
        let (kernels, collectives) = (table(kernels)?, table(collectives)?);
        let kernels = kernels.iter().map(|row| read_kernel(|column| cell(row, column)));
        let samples: Vec<Result<KernelSample, &'static str>> = kernels
            .chain(collectives.iter().map(|row| read_collective(|column| cell(row, column))))
            .collect();
        let today = report(&samples, &Constants::SHIPPED).groups;
        Ok(Self { samples, today })
    }

    /// Largest increase of a group's median error under other constants.
    pub(crate) fn loss(&self, constants: &Constants) -> f64 {
        let groups = report(&self.samples, constants).groups;
        let increases = groups.iter().zip(&self.today).map(|(now, today)| now.median_ape - today.median_ape);
        increases.fold(0.0, f64::max)
    }
}

fn cell<'a>(row: &'a BTreeMap<String, String>, column: &str) -> &'a str {
    row.get(column).map_or("", String::as_str)
}
