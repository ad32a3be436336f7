//! `stepcast predict -`: a job in each line of the standard input, a forecast in each line of the standard output.

use crate::Failure;
use std::io::{BufRead as _, Write as _};
use stepcast::forecast::Predictor;
use stepcast::scripting::answers;

/// Forecasts every line, a share link or a JSON object of fields, as JSON; a line that cannot be forecast says why.
pub(crate) fn predict(predictor: &Predictor<'_>) -> Result<String, Failure> {
    let failure = |error: std::io::Error| vec![format!("The lines cannot be read: {error}.")];
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(failure)?;
        if line.trim().is_empty() {
            continue;
        }
        // A reader that has seen enough closes the pipe; that is no error.
        if writeln!(out, "{}", answers::line(predictor, &line)).is_err() {
            break;
        }
    }
    Ok(String::new())
}
