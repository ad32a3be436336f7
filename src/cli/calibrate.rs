//! `stepcast calibrate`: refits the measured and fitted constants, and says how well forecasts hold for
//! runs that were left out.

use crate::kernels::{KernelRow, read_collectives, read_kernels};
use crate::text::{CellAlign, percent, table};
use crate::{Failure, runs};
use clap::ValueEnum;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use stepcast::calibrate::determined::determined;
use stepcast::calibrate::fit::{FreeConstant, fit, fitted_to_runs};
use stepcast::constants::{Benchmark, Constant, Constants, REGISTRY};
use stepcast::forecast::CalibrationEvidence;
use stepcast::forecast::Predictor;
use stepcast::validate::microbenchmarks::{self, KernelSample};
use stepcast::validate::{MeasuredRun, PairAccuracy, observations, validate};

/// How far measured constants may move, in natural-log units: the samples, not the prior, should decide.
const LOOSE: f64 = 0.5;

/// What is left out, one group at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LeaveOut {
    /// Publications.
    Source,
    /// Software stacks.
    Stack,
    /// GPUs.
    Gpu,
    /// Model families.
    Family,
}

/// Refits from a data folder (kernels.csv, nccl_bandwidth.csv, runs.csv) and prints the constants.
pub(crate) fn calibrate(data: &Path, leave_out: Option<LeaveOut>) -> Result<String, Failure> {
    let runs = runs::read(&data.join("runs.csv"))?;
    if let Some(by) = leave_out {
        return Ok(left_out(&runs, by));
    }
    let samples = |rows: Vec<KernelRow>| -> Vec<KernelSample> {
        rows.into_iter().flatten().filter(KernelSample::is_of_the_fit).collect()
    };
    let kernels = samples(read_kernels(&data.join("kernels.csv"))?);
    let collectives = samples(read_collectives(&data.join("nccl_bandwidth.csv"))?);
    let of = |class: &str| -> Vec<KernelSample> {
        kernels.iter().filter(|sample| sample.kind.class() == class).copied().collect()
    };
    let mut out = String::new();
    for (title, samples, benchmark) in [
        ("16-bit GEMMs", &of("GEMM, 16 bits"), Benchmark::Products),
        ("FP8 and FP4 GEMMs", &of("GEMM, FP8 and FP4"), Benchmark::LowPrecision),
        ("Attention", &of("attention"), Benchmark::Attention),
        ("Collectives within a node", &collectives, Benchmark::Collectives),
    ] {
        let free = free(benchmark);
        let fitted = microbenchmarks::fit(&Constants::SHIPPED, samples, &free);
        let error = median(microbenchmarks::ratios(samples, &fitted));
        out.push_str(&format!("{title}: {} samples, median error {}\n", samples.len(), percent(error)));
        out.push_str(&constants(&free, &fitted));
    }
    let free = fitted_to_runs();
    let observations = observations(&runs, |_| true);
    let fitted = fit(&Constants::SHIPPED, &observations, &free);
    let report = validate(&Predictor::new(&fitted), &runs);
    out.push_str(&format!(
        "Runs: {}, mean of the medians per source {}\n",
        report.overall.n,
        percent(report.mean_of_medians)
    ));
    let known = determined(&observations, &fitted, &free);
    let mut rows = vec![
        ["constant", "shipped", "refit", "unit", "prior", "error", "evidence"].map(str::to_owned).to_vec(),
    ];
    rows.extend(refit(&free, &fitted).zip(&free).zip(&known).map(|((mut row, entry), known)| {
        row.push(format!("{:.3e} \u{b1} {}", entry.prior, percent(entry.spread)));
        row.extend([known.error, known.evidence].map(percent));
        row
    }));
    let align = [
        CellAlign::Left,
        CellAlign::Right,
        CellAlign::Right,
        CellAlign::Left,
        CellAlign::Right,
        CellAlign::Right,
        CellAlign::Right,
    ];
    Ok(out + &table(&rows, &align))
}

/// Forecasts every group of runs with constants fitted to all the others.
fn left_out(runs: &[MeasuredRun], by: LeaveOut) -> String {
    let key = |run: &MeasuredRun| match by {
        LeaveOut::Source => run.source.clone(),
        LeaveOut::Stack => run.stack.clone(),
        LeaveOut::Gpu => run.gpu.clone(),
        LeaveOut::Family => run.family.clone(),
    };
    let mut groups: BTreeMap<String, Vec<MeasuredRun>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.scenario.is_ok() && !run.dropped) {
        groups.entry(key(run)).or_default().push(run.clone());
    }
    let mut rows =
        vec![["held out", "n", "median error", "bias", "in 90 % range"].map(str::to_owned).to_vec()];
    let mut ratios =
        vec![["held out", "jobs", "50 % within", "90 % within", "in 90 % range"].map(str::to_owned).to_vec()];
    let (mut median, mut coverage) = (0.0, 0.0);
    let mut refits = Vec::new();
    for (name, members) in &groups {
        let fitted =
            fit(&Constants::SHIPPED, &observations(runs, |run| key(run) != *name), &fitted_to_runs());
        let seen = runs.iter().filter(|run| !run.dropped && key(run) != *name);
        let evidence = CalibrationEvidence::of(seen.filter_map(|run| run.scenario.as_ref().ok()));
        let report = validate(&Predictor::new(&fitted).with_evidence(&evidence), members);
        let overall = report.overall;
        let all = |pairs: &&PairAccuracy| pairs.of == "all" && pairs.difference.is_none();
        ratios.extend(report.pairs.iter().find(all).map(|pairs| ratio_line(name, pairs)));
        median += overall.median_ape;
        coverage += overall.coverage_90;
        refits.push((name.as_str(), fitted));
        rows.push(vec![
            name.clone(),
            overall.n.to_string(),
            percent(overall.median_ape),
            percent(overall.bias),
            percent(overall.coverage_90),
        ]);
    }
    let count = groups.len().max(1) as f64;
    let lines = table(
        &rows,
        &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right, CellAlign::Right],
    );
    let (median, coverage) = (percent(median / count), percent(coverage / count));
    let moved = moved(&refits);
    let ratios = table(
        &ratios,
        &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right, CellAlign::Right],
    );
    format!(
        "{lines}Mean of the medians: {median}; mean coverage of the ranges: {coverage}\n\nStep time ratios of two layouts\n{ratios}\n{moved}"
    )
}

/// How well the ratios of two layouts' steps are forecast in a group of runs.
fn ratio_line(name: &str, pairs: &PairAccuracy) -> Vec<String> {
    let within = |width: f64| percent(width.exp_m1());
    vec![
        name.to_owned(),
        pairs.jobs.to_string(),
        within(pairs.half_width_50),
        within(pairs.half_width_90),
        percent(pairs.coverage_90),
    ]
}

/// Least and most value of a constant over refits, and without what it moves the most from the shipped one.
fn range<'a>(constant: &Constant, refits: &[(&'a str, Constants)]) -> (f64, f64, &'a str) {
    let values = || refits.iter().map(|(name, fitted)| (*name, (constant.get)(fitted)));
    let off = |value: f64| (value / constant.value).ln().abs();
    let farthest = values().max_by(|a, b| off(a.1).total_cmp(&off(b.1)));
    let least = values().fold(f64::INFINITY, |least, (_, value)| least.min(value));
    let most = values().fold(f64::NEG_INFINITY, |most, (_, value)| most.max(value));
    (least, most, farthest.map_or("", |entry| entry.0))
}

/// How far the fitted constants move when a group of runs is left out.
fn moved(refits: &[(&str, Constants)]) -> String {
    let mut rows =
        vec![["constant", "shipped", "least", "most", "largest change without"].map(str::to_owned).to_vec()];
    rows.extend(Constants::fitted().map(|constant| {
        let (least, most, without) = range(constant, refits);
        let digits = |value: f64| format!("{value:.3e}");
        vec![
            constant.name.to_owned(),
            digits(constant.value),
            digits(least),
            digits(most),
            without.to_owned(),
        ]
    }));
    table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right, CellAlign::Left])
}

/// How well the runs determine every fitted constant, as the registry keeps it (`data/determined.tsv`).
pub(crate) fn how_well(data: &Path) -> Result<String, Failure> {
    let runs = runs::read(&data.join("runs.csv"))?;
    let free = fitted_to_runs();
    let all = observations(&runs, |_| true);
    let fitted = fit(&Constants::SHIPPED, &all, &free);
    let sources: BTreeSet<&str> = runs.iter().map(|run| run.source.as_str()).collect();
    let refits: Vec<(&str, Constants)> = sources
        .into_iter()
        .map(|source| {
            (source, fit(&Constants::SHIPPED, &observations(&runs, |run| run.source != source), &free))
        })
        .collect();
    let mut out = "constant\terror\tevidence\tleast\tmost\twithout\n".to_owned();
    for known in determined(&all, &fitted, &free) {
        let (least, most, without) = range(known.constant, &refits);
        let (name, error, evidence) = (known.constant.name, known.error, known.evidence);
        out.push_str(&format!("{name}\t{error:.3}\t{evidence:.2}\t{least:.3e}\t{most:.3e}\t{without}\n"));
    }
    Ok(out)
}

/// The constants that benchmarks determine.
fn free(benchmark: Benchmark) -> Vec<FreeConstant> {
    REGISTRY
        .iter()
        .filter(|constant| constant.benchmark == Some(benchmark))
        .map(|constant| FreeConstant { constant, prior: constant.value, spread: LOOSE })
        .collect()
}

fn constants(free: &[FreeConstant], fitted: &Constants) -> String {
    let mut rows = vec![["constant", "shipped", "refit", "unit"].map(str::to_owned).to_vec()];
    rows.extend(refit(free, fitted));
    table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Left]) + "\n"
}

/// Name, shipped value, refitted value and unit.
fn refit(free: &[FreeConstant], fitted: &Constants) -> impl Iterator<Item = Vec<String>> {
    free.iter().map(|entry| {
        let constant = entry.constant;
        let digits = |value: f64| format!("{value:.3e}");
        vec![
            constant.name.to_owned(),
            digits(constant.value),
            digits((constant.get)(fitted)),
            constant.unit.to_owned(),
        ]
    })
}

fn median(ratios: Vec<f64>) -> f64 {
    let mut errors: Vec<f64> = ratios.into_iter().map(|ratio| (ratio - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(0.0)
}
