//! `stepcast validate`: forecasts against a file of measured runs.

use crate::text::{self, CellAlign, percent};
use crate::{Failure, json, tables};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stepcast::forecast::Predictor;
use stepcast::validate::{
    Accuracy, MeasuredRun, PairAccuracy, Peak, PeakReport, ValidationReport, evidence as table_of_evidence,
    peak_errors as table_of_peak_errors, published, tried as table_of_tried, validate as compare,
    validate_memory as compare_memory,
};

/// Columns without which a row says nothing.
pub(crate) const NEEDED: [&str; 3] = ["id", "source", "iteration_s"];

/// Forecasts every row of a file and compares.
pub(crate) fn validate(path: &Path, as_json: bool) -> Result<String, Failure> {
    let report = compare(&Predictor::SHIPPED, &read(path)?);
    if as_json { json(&report) } else { Ok(print(&report)) }
}

/// Columns without which a measured peak says nothing.
const NEEDED_OF_PEAKS: [&str; 2] = ["id", "peak_gib"];

/// Forecasts every memory peak of a file and compares.
pub(crate) fn validate_memory(path: &Path, as_json: bool) -> Result<String, Failure> {
    let report = compare_memory(&read_peaks(path)?);
    if as_json { json(&report) } else { Ok(print_peaks(&report)) }
}

/// The rows of both files as the page carries them.
pub(crate) fn links(runs: &Path, peaks: Option<&Path>) -> Result<String, Failure> {
    let peaks = peaks.map_or_else(|| Ok(Vec::new()), read_peaks)?;
    Ok(published::write(&read(runs)?, &peaks))
}

/// What the runs of a file have tried.
pub(crate) fn tried(path: &Path) -> Result<String, Failure> {
    read(path).map(|runs| table_of_tried(&runs))
}

/// What evidence runs are: those of a file that constants were fitted to, and those of others.
pub(crate) fn evidence(fitted: &Path, others: &[PathBuf]) -> Result<String, Failure> {
    let fitted = read(fitted)?;
    let others = others.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?.concat();
    Ok(table_of_evidence(&Predictor::SHIPPED, &fitted, &others))
}

/// How far measured peaks are from their forecasts.
pub(crate) fn peak_errors(path: &Path) -> Result<String, Failure> {
    read_peaks(path).map(|peaks| table_of_peak_errors(&peaks))
}

fn read_peaks(path: &Path) -> Result<Vec<Peak>, Failure> {
    tables::read(path, &NEEDED_OF_PEAKS, |record| Peak::read(|column| record.get(column)))
}

/// A Markdown table of every row.
fn print_peaks(report: &PeakReport) -> String {
    let head = ["row", "measured", "forecast", "error", "largest category"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(report.rows.iter().map(|row| {
        let gib = |value: f64| format!("{value:.2} GiB");
        let forecast = row.predicted_gib.map_or_else(|| "-".to_owned(), gib);
        let error = row.predicted_gib.map(|predicted| predicted / row.measured_gib - 1.0);
        vec![
            row.id.clone(),
            gib(row.measured_gib),
            forecast,
            error.map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", error * 100.0)),
            row.owner.or(row.skipped.as_deref()).unwrap_or("-").to_owned(),
        ]
    }));
    let mut out = text::markdown(
        &rows,
        &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right, CellAlign::Left],
    );
    out.push_str(&format!(
        "\n{} rows: median error {}, largest {}\n",
        report.n,
        percent(report.median_ape),
        percent(report.worst)
    ));
    out
}

/// Every run of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<MeasuredRun>, Failure> {
    tables::read(path, &NEEDED, |record| MeasuredRun::read(|column| record.get(column)))
}

/// Most reasons for skipping rows that are listed.
const MOST_REASONS: usize = 40;

/// A Markdown table per source and over all, then why rows were skipped.
fn print(report: &ValidationReport) -> String {
    let head =
        ["source", "n", "skipped", "median error", "mean error", "bias", "within 10 %", "in 90 % range"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(report.sources.iter().chain([&report.overall]).map(line));
    let mut align = vec![CellAlign::Right; head.len()];
    if let Some(first) = align.first_mut() {
        *first = CellAlign::Left;
    }
    let mut out = text::markdown(&rows, &align);
    if report.overall.n > 0 {
        out.push_str(&format!("\nMean of the medians per source: {}\n", percent(report.mean_of_medians)));
    }
    out.push_str(&order(report));
    let dropped = report.rows.iter().filter(|row| row.dropped).count();
    if dropped > 0 {
        out.push_str(&format!("Not counted (marked inconsistent in the file): {dropped}\n"));
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in report.rows.iter().filter_map(|row| row.skipped.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    for (reason, count) in reasons.iter().take(MOST_REASONS) {
        out.push_str(&format!("Skipped, {reason}: {count}\n"));
    }
    if let Some(others) = reasons.get(MOST_REASONS..).filter(|others| !others.is_empty()) {
        let count: usize = others.iter().map(|(_, count)| count).sum();
        out.push_str(&format!("Skipped for {} other reasons (see --json): {count}\n", others.len()));
    }
    out
}

/// How well forecasts order and compare the layouts of one job, in a paragraph.
fn order(report: &ValidationReport) -> String {
    let ValidationReport { layouts, winners, rule_of_thumb: rule, .. } = report;
    let signed = |log: f64| format!("{:+.1} %", log.exp_m1() * 100.0);
    let mut out = String::new();
    if !layouts.is_empty() {
        out.push_str(&format!(
            "Ranking of {} jobs with four or more layouts: mean Kendall tau {:.2}, mean regret {}, largest {}\n",
            layouts.len(),
            report.mean_tau,
            percent(report.mean_regret),
            percent(report.largest_regret)
        ));
        out.push_str(&format!(
            "Layouts with the fastest forecast: {} of {} are also the fastest measured. Their measured / forecast time relative to the mean of the job: {} (90 % range {} to {}), and relative to layouts within 10 %: {}\n",
            winners.fastest,
            winners.jobs,
            signed(winners.mean_optimism),
            signed(winners.low),
            signed(winners.high),
            signed(winners.mean_beyond_rivals)
        ));
        out.push_str(&format!(
            "Rule-of-thumb layouts that were measured ({} jobs): mean regret {}, largest {}; mean regret of the forecast {}\n",
            rule.measured,
            percent(rule.mean_regret),
            percent(rule.largest_regret),
            percent(rule.forecast_regret)
        ));
    }
    let all = |pairs: &&PairAccuracy| pairs.of == "all" && pairs.difference.is_none();
    if let Some(pairs) = report.pairs.iter().find(all) {
        out.push_str(&format!(
            "Step time ratios of two layouts, {} jobs: 50 % of errors within {}, 90 % within {}; 90 % range contains {}\n",
            pairs.jobs,
            percent(pairs.half_width_50.exp_m1()),
            percent(pairs.half_width_90.exp_m1()),
            percent(pairs.coverage_90)
        ));
        if pairs.left_out > 0 {
            out.push_str(&format!(
                "{} pairs counted; {} measured layouts excluded to limit the number of pairs\n",
                pairs.pairs, pairs.left_out
            ));
        }
    }
    out
}

fn line(accuracy: &Accuracy) -> Vec<String> {
    let or_dash = |text: String| if accuracy.n > 0 { text } else { "-".to_owned() };
    vec![
        accuracy.source.clone(),
        accuracy.n.to_string(),
        accuracy.skipped.to_string(),
        or_dash(percent(accuracy.median_ape)),
        or_dash(percent(accuracy.mape)),
        or_dash(format!("{:+.1} %", accuracy.bias * 100.0)),
        or_dash(format!("{:.0} %", accuracy.within_10 * 100.0)),
        or_dash(format!("{:.0} %", accuracy.coverage_90 * 100.0)),
    ]
}
