//! Scenarios and forecasts as tests ask for them: the one place that knows by what names the library gives them.

// Every test file takes what it needs.
#![allow(dead_code)]

use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::{Estimate, Prediction, Predictor};
use stepcast::scenario::Scenario;

/// The default job with some fields typed over.
#[track_caller]
pub(crate) fn scenario(edits: &[(&str, &str)]) -> Scenario {
    let mut document = Document::default();
    edits.iter().for_each(|(key, text)| document.set(key, text));
    document.scenario().unwrap_or_else(|errors| panic!("{edits:?}: {errors:?}"))
}

/// The full report of a legal job.
#[track_caller]
pub(crate) fn forecast(scenario: &Scenario) -> Prediction {
    Predictor::SHIPPED.predict(scenario).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The same under constants of the test's own.
#[track_caller]
pub(crate) fn forecast_under(scenario: &Scenario, constants: &Constants) -> Prediction {
    Predictor::new(constants).predict(scenario).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// What ranking is told about a job.
pub(crate) fn estimate(scenario: &Scenario) -> Estimate {
    Predictor::SHIPPED.estimate(scenario)
}

/// Whether two numbers are the same but for rounding.
pub(crate) fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(found.abs())
}

/// Fails where two numbers differ by more than rounding.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64) {
    assert!(close(found, expected), "{found} is not {expected} ({:+.3e})", found / expected - 1.0);
}
