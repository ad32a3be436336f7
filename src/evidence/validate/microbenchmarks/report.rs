//! Errors of many operators' forecasts.

use super::{KernelKind, KernelSample, MACHINES, ratios};
use crate::constants::Constants;
use crate::validate::{mean, median};
use serde::Serialize;
use std::collections::BTreeMap;

/// Errors over the samples of one kind on one GPU, or over all that are pooled. Ratios, not percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindErrors {
    /// GPU as the table names it; absent where GPUs are pooled.
    pub gpu: Option<&'static str>,
    /// Kind of operator, or what kinds are pooled.
    pub kind: &'static str,
    /// Samples.
    pub n: usize,
    /// Median of |forecast / measured - 1|.
    pub median_ape: f64,
    /// Mean of forecast / measured - 1.
    pub bias: f64,
}

/// Outcome of kernel and collective tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelReport {
    /// Every kind on every GPU.
    pub groups: Vec<KindErrors>,
    /// Kinds of one class over all GPUs.
    pub pooled: Vec<KindErrors>,
    /// Why rows were not used, and how many.
    pub unused: BTreeMap<&'static str, usize>,
}

/// Compares the rows of tables with their forecasts.
pub fn report(rows: &[Result<KernelSample, &'static str>], constants: &Constants) -> KernelReport {
    let mut unused: BTreeMap<&'static str, usize> = BTreeMap::new();
    for reason in rows.iter().filter_map(|row| row.as_ref().err()) {
        *unused.entry(reason).or_default() += 1;
    }
    let samples: Vec<KernelSample> = rows.iter().filter_map(|row| row.as_ref().ok()).copied().collect();
    let mut groups: BTreeMap<(KernelKind, usize), Vec<f64>> = BTreeMap::new();
    let mut pooled: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let mut sorted: Vec<(&KernelSample, f64)> = samples
        .iter()
        .zip(ratios(&samples, constants))
        .map(|(sample, ratio)| (sample, ratio - 1.0))
        .collect();
    sorted.sort_by_key(|(sample, _)| sample.kind);
    for (sample, error) in sorted {
        groups.entry((sample.kind, sample.machine)).or_default().push(error);
        let class = sample.kind.class();
        match pooled.iter_mut().find(|entry| entry.0 == class) {
            Some(entry) => entry.1.push(error),
            None => pooled.push((class, vec![error])),
        }
    }
    let named = |machine: usize| MACHINES.get(machine).map(|entry| entry.0);
    KernelReport {
        groups: groups
            .iter()
            .map(|((kind, machine), errors)| group(named(*machine), kind.name(), errors))
            .collect(),
        pooled: pooled.iter().map(|(class, errors)| group(None, class, errors)).collect(),
        unused,
    }
}

fn group(gpu: Option<&'static str>, kind: &'static str, errors: &[f64]) -> KindErrors {
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    KindErrors { gpu, kind, n: errors.len(), median_ape: median(&sizes), bias: mean(errors) }
}
