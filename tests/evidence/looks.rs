//! Sets of runs that were forecast before anyone had looked at them (docs/blind-tests.md): what their forecasts were, and are.

use crate::data;
use stepcast::forecast::Predictor;
use stepcast::memory::report;
use stepcast::validate::{by_look, validate};

/// `evidence/looks.tsv` says of a set what its runs say.
#[test]
fn what_is_recorded_of_a_look_is_what_its_runs_say() {
    let mut recorded = data::evidence("looks.tsv");
    recorded.retain(|row| row["file"] == "runs.tsv");
    let found = by_look(&Predictor::SHIPPED, &data::runs());
    assert_eq!(recorded.len(), found.len());
    for (row, look) in recorded.iter().zip(found) {
        let share = |of: Option<f64>| of.map_or_else(String::new, |share| format!("{share:.3}"));
        let first = look.first;
        let said = [
            look.look,
            look.now.n.to_string(),
            look.now.sources.to_string(),
            share(first.map(|first| first.mean_of_medians)),
            share(first.map(|first| first.coverage_90)),
        ];
        assert_eq!(
            ["look", "runs", "names", "first_error [1]", "held [1]"].map(|column| row[column].clone()),
            said
        );
    }
}

/// Median of |forecast / measured - 1| over all rows of the first set when last looked at.
const MEDIAN_ERROR: f64 = 0.068;

/// Share of its rows whose measured time lay in the 90 % interval.
const COVERAGE: f64 = 0.966;

/// Slack, so that another look at a constant need not touch this file: a few rows.
const SLACK: f64 = 0.01;

/// A change must not make forecasts worse of stacks, GPUs and models that no constant was fitted to.
#[test]
fn runs_of_unseen_stacks_are_forecast_no_worse() {
    let mut runs = data::runs();
    runs.retain(|run| run.look == "unseen");
    let report = validate(&Predictor::SHIPPED, &runs);
    assert_eq!((report.overall.n, report.overall.skipped), (417, 0));
    let (error, coverage) = (report.overall.median_ape, report.overall.coverage_90);
    assert!(error <= MEDIAN_ERROR + SLACK, "median error {error}");
    assert!(coverage >= COVERAGE - SLACK, "coverage {coverage}");
}

/// What notes of a run say before what its memory hangs on, and its source does not say.
const LEFT_OPEN: &str = "left open:";

/// Runs ran, so they have to fit: those whose sources say what their memory hangs on.
#[test]
fn no_run_that_states_its_options_is_too_big() {
    // Of the large file, those that say what they recompute.
    let mut rows = data::rows("runs.csv").unwrap_or_default();
    rows.retain(|row| !row["recompute"].is_empty());
    rows.extend(data::evidence("runs.tsv"));
    let (mut too_big, mut fitting) = (Vec::new(), 0);
    for row in &rows {
        let memory =
            report(&data::run(row).scenario.unwrap_or_else(|reason| panic!("{}: {reason}", row["id"])));
        if memory.fits {
            fitting += 1;
        } else if !row["notes"].contains(LEFT_OPEN) {
            too_big.push(format!("{}: {:.1} of {:.1} GiB", row["id"], memory.peak_gib, memory.usable_gib));
        }
    }
    assert!(too_big.is_empty(), "{too_big:#?}");
    assert!(fitting + 100 > rows.len(), "{fitting} of {}", rows.len());
}
