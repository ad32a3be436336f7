//! `stepcast predict -`: a job in each line of the standard input, a forecast in each line of the standard output.

use crate::Failure;
use crate::complain;
use crate::files::MOST_OF_A_SCENARIO;
use serde::Serialize;
use std::io::{self, BufRead, Read as _, Write as _};
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
    let failure = |error: io::Error| vec![format!("The lines cannot be read: {error}.")];
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut number) = (Vec::new(), 0_usize);
    while read_line(&mut input, &mut line).map_err(failure)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = text(&line)
            .and_then(|line| forecast(predictor, line, number))
            .or_else(|problems| serde_json::to_string(&Refused { problems }));
        let answer =
            answer.map_err(|error| vec![format!("The result cannot be written as JSON: {error}.")])?;
        // A reader that has seen enough closes the pipe; that is no error.
        if writeln!(out, "{answer}").is_err() {
            break;
        }
    }
    Ok(String::new())
}

/// Reads the next line, or of a longer one what shows that it is too long; whether there was one.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.by_ref().take(MOST_OF_A_SCENARIO + 1).read_until(b'\n', line)?;
    if line.len() as u64 > MOST_OF_A_SCENARIO && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(!line.is_empty())
}

/// The text of a line.
fn text(line: &[u8]) -> Result<&str, Vec<Problem>> {
    if line.len() as u64 > MOST_OF_A_SCENARIO {
        let most = MOST_OF_A_SCENARIO >> 20;
        return Err(vec![Problem::new(format!("The line is too long: at most {most} MiB are read."))]);
    }
    str::from_utf8(line).map_err(|_| vec![Problem::new("The line is not text in UTF-8.")])
}

/// The forecast of a line. What was not understood but does no harm goes to the error stream.
fn forecast(predictor: &Predictor<'_>, line: &str, number: usize) -> Result<String, Vec<Problem>> {
    let Asked { document, scenario, notices } = asked(&Predictor::SHIPPED, line)?;
    complain(&notices.iter().map(|notice| format!("Line {number}: {notice}")).collect::<Vec<_>>());
    let prediction = predictor
        .predict(&scenario)
        .map_err(|errors| errors.into_iter().map(Problem::from).collect::<Vec<_>>())?;
    serde_json::to_string(&Report::new(&scenario, &prediction, document.to_link()))
        .map_err(|error| vec![Problem::new(error.to_string())])
}
