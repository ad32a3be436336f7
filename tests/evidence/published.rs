//! The measured runs that the page carries.

use crate::data;
use stepcast::forecast::CalibrationEvidence;
use stepcast::forecast::Predictor;
use stepcast::validate::published::{self, Published};
use stepcast::validate::{MeasuredRun, evidence, tried, validate, validate_memory};

/// Runs and peaks as the page carries them.
fn carried() -> Published {
    published::read(include_str!("../../static/runs.tsv")).expect("as written")
}

#[test]
fn every_run_and_peak_opens_on_the_form() {
    let Published { runs, peaks, .. } = carried();
    assert!(runs.len() > 2000 && peaks.len() > 4, "{} and {}", runs.len(), peaks.len());
    let impossible: Vec<String> = runs
        .iter()
        .filter_map(|(run, _)| run.scenario.as_ref().err().map(|reason| format!("{}: {reason}", run.id)))
        .collect();
    assert!(impossible.is_empty(), "{}: {impossible:#?}", impossible.len());
    assert!(peaks.iter().all(|(peak, _)| peak.scenario.is_ok()));
}

/// Runs whose sources state a layout that cannot be: more expert-parallel ranks than a stage has GPUs.
const MENDED: usize = 2;

/// What the form's bounds and a link's digits change of a run changes nothing of its forecast, unless its source
/// states a layout that cannot be.
#[test]
fn a_carried_run_is_forecast_as_its_row_is() {
    let carried: Vec<MeasuredRun> = carried().runs.into_iter().map(|(run, _)| run).collect();
    let Some(rows) = data::rows("runs.csv") else { return };
    let rows: Vec<MeasuredRun> = rows.iter().map(data::run).collect();
    let (carried, own) = (validate(&Predictor::SHIPPED, &carried), validate(&Predictor::SHIPPED, &rows));
    assert_eq!(carried.rows.len(), own.rows.len());
    let mut mended = Vec::new();
    for ((carried, own), run) in carried.rows.iter().zip(&own.rows).zip(&rows) {
        let (page, row) = (carried.predicted_s.unwrap_or(f64::NAN), own.predicted_s.unwrap_or(f64::NAN));
        if (page / row - 1.0).abs() >= 1e-9 {
            let refused = run.scenario.as_ref().is_ok_and(|scenario| scenario.validate().is_err());
            assert!(refused, "{}: {page} s on the page, {row} s from its row", own.id);
            mended.push(format!("{}: {page} s on the page, {row} s from its row", own.id));
        }
    }
    assert_eq!(mended.len(), MENDED, "{mended:#?}");
    assert_eq!(carried.layouts.len(), own.layouts.len());
    assert!((carried.mean_tau - own.mean_tau).abs() < 1e-9, "{} and {}", carried.mean_tau, own.mean_tau);
}

/// What the width of an interval takes to be known is what the data set holds.
#[test]
fn the_shipped_evidence_is_the_runs() {
    let runs: Vec<MeasuredRun> = carried().runs.into_iter().map(|(run, _)| run).collect();
    let kept = runs.iter().filter(|run| !run.dropped);
    let held = CalibrationEvidence::of(kept.filter_map(|run| run.scenario.as_ref().ok()));
    let shipped = CalibrationEvidence::shipped();
    assert_eq!((held.experts, held.most_gpus), (shipped.experts, shipped.most_gpus));
    assert!(held.stacks.iter().all(|stack| shipped.stacks.contains(stack)), "{:?}", held.stacks);
    assert!(held.gpus.iter().all(|gpu| shipped.gpus.contains(gpu)), "{:?}", held.gpus);
    assert_eq!((held.stacks.len(), held.gpus.len()), (shipped.stacks.len(), shipped.gpus.len()));
}

/// The table of what runs have tried is of the runs that the page carries.
#[test]
fn the_table_of_what_was_tried_is_the_runs() {
    let runs: Vec<MeasuredRun> = carried().runs.into_iter().map(|(run, _)| run).collect();
    assert_eq!(tried(&runs), include_str!("../../data/tried.tsv"), "`cargo xtask readme` writes it anew");
}

/// The table of evidence is of the runs at hand, those of `evidence/` with their first forecasts.
#[test]
fn the_table_of_evidence_is_the_runs() {
    let (Some(fitted), Some(public)) = (data::rows("runs.csv"), data::rows("runs_hybrid.csv")) else {
        return;
    };
    let fitted: Vec<MeasuredRun> = fitted.iter().map(data::run).collect();
    let hybrids = data::evidence("hybrid.tsv");
    let mut others = data::runs();
    others.extend(hybrids.iter().chain(&public).map(data::run));
    let table = evidence(&Predictor::SHIPPED, &fitted, &others);
    assert_eq!(table, include_str!("../../data/evidence.tsv"), "`cargo xtask readme` writes it anew");
}

/// Peaks do not depend on the data set: the page's own come within two percent.
#[test]
fn carried_peaks_come_within_two_percent() {
    let peaks: Vec<_> = carried().peaks.into_iter().map(|(peak, _)| peak).collect();
    let report = validate_memory(&peaks);
    assert_eq!(report.n, peaks.len());
    assert!(report.worst < 0.02, "{}", report.worst);
}
