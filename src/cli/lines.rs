//! `stepcast predict -`: a job in each line of the standard input, a forecast in each line of the standard output.

use crate::Failure;
use serde::Serialize;
use std::io::{BufRead as _, Write as _};
use stepcast::forecast::Predictor;
use stepcast::page_state::report::Report;
use stepcast::scripting::{Asked, Problem, asked};

/// A line that cannot be forecast.
#[derive(Debug, Serialize)]
struct Refused {
    problems: Vec<Problem>,
}

/// Forecasts every line, a share link or a JSON object of fields, as JSON; a line that cannot be forecast says why.
pub(crate) fn predict(predictor: &Predictor<'_>) -> Result<String, Failure> {
    let failure = |error: std::io::Error| vec![format!("The lines cannot be read: {error}.")];
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(failure)?;
        if line.trim().is_empty() {
            continue;
        }
        let answer =
            forecast(predictor, &line).or_else(|problems| serde_json::to_string(&Refused { problems }));
        let answer =
            answer.map_err(|error| vec![format!("The result cannot be written as JSON: {error}.")])?;
        // A reader that has seen enough closes the pipe; that is no error.
        if writeln!(out, "{answer}").is_err() {
            break;
        }
    }
    Ok(String::new())
}

fn forecast(predictor: &Predictor<'_>, line: &str) -> Result<String, Vec<Problem>> {
    let Asked { document, scenario, .. } = asked(line)?;
    let prediction = predictor
        .predict(&scenario)
        .map_err(|errors| errors.into_iter().map(Problem::from).collect::<Vec<_>>())?;
    serde_json::to_string(&Report::new(&scenario, &prediction, document.to_link()))
        .map_err(|error| vec![Problem::new(error.to_string())])
}
