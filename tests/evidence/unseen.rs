//! Published runs of stacks, GPUs and models that no constant was fitted to (docs/blind-tests.md), forecast again: a
//! change must not make them worse.

use std::collections::BTreeMap;

use stepcast::forecast::Predictor;
use stepcast::validate::{MeasuredRun, validate};

/// Median of |forecast / measured - 1| over all rows when last looked at.
const MEDIAN_ERROR: f64 = 0.095;

/// Share of rows whose measured time lay in the 90 % interval.
const COVERAGE: f64 = 0.89;

/// Slack, so that another look at a constant need not touch this file: a few rows.
const SLACK: f64 = 0.01;

#[test]
fn runs_of_unseen_stacks_are_forecast_no_worse() {
    let mut reader = csv::Reader::from_reader(include_str!("../unseen.csv").as_bytes());
    let runs = reader.deserialize().map(|row| {
        let row: BTreeMap<String, String> = row.expect("a well-formed row");
        MeasuredRun::read(|column| row.get(column).map_or("", String::as_str))
    });
    let report = validate(&Predictor::SHIPPED, &runs.collect::<Vec<_>>());
    assert_eq!((report.overall.n, report.overall.skipped), (417, 0));
    let (error, coverage) = (report.overall.median_ape, report.overall.coverage_90);
    assert!(error <= MEDIAN_ERROR + SLACK, "median error {error}");
    assert!(coverage >= COVERAGE - SLACK, "coverage {coverage}");
}
