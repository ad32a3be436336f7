//! `stepcast predict -`: a job in each line of the standard input, a forecast in each line of the standard output; or another
//! tool's file, which is one job.

use crate::Failure;
use crate::complain;
use crate::files::{MOST_OF_A_SCENARIO, MOST_OF_A_TABLE};
use crate::input::of_other_tool;
use std::io::{self, BufRead, Read as _, Write as _};
use stepcast::forecast::Predictor;
use stepcast::scripting::{self, OwnSteps, Problem, answers};

/// What the standard input holds.
#[derive(Debug)]
pub(crate) enum StdinContent {
    /// Jobs in lines, the first of which were read.
    Lines(Vec<u8>),
    /// Another tool's file.
    File(String),
}

/// Reads as much of the standard input as shows what it holds: the first line, where that is a job, so that it is answered
/// before the next one is written.
///
/// # Errors
/// It is empty, or cannot be read.
pub(crate) fn held() -> Result<StdinContent, Failure> {
    let (mut input, mut begun) = (io::stdin().lock(), Vec::new());
    loop {
        let start = begun.len();
        let read = input.by_ref().take(MOST_OF_A_SCENARIO + 1).read_until(b'\n', &mut begun);
        if read.map_err(failure)? == 0 {
            return Err(vec!["Standard input is empty.".to_owned()]);
        }
        let line = begun.get(start..).unwrap_or_default();
        if !line.trim_ascii().is_empty() {
            if is_job(line) {
                return Ok(StdinContent::Lines(begun));
            }
            break;
        }
    }
    input.take(MOST_OF_A_TABLE).read_to_end(&mut begun).map_err(failure)?;
    match String::from_utf8(begun) {
        Ok(text) if of_other_tool(&text) => Ok(StdinContent::File(text)),
        Ok(text) => Ok(StdinContent::Lines(text.into_bytes())),
        Err(error) => Ok(StdinContent::Lines(error.into_bytes())),
    }
}

/// Whether a line is a job, or would be one without an error, and no beginning of a file.
fn is_job(line: &[u8]) -> bool {
    let Ok(line) = text(line).map(str::trim) else { return false };
    let numbered = line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let object = line.starts_with('{') && line.ends_with('}');
    numbered || !of_other_tool(line) && (object || scripting::read(line).is_ok())
}

fn failure(error: io::Error) -> Failure {
    vec![format!("The lines cannot be read: {error}.")]
}

/// Forecasts every line, a share link or a JSON object of fields, as JSON; a line that cannot be forecast says why. Some of the
/// lines were read already.
pub(crate) fn predict(
    predictor: &Predictor<'_>,
    own_steps: OwnSteps,
    begun: &[u8],
) -> Result<String, Failure> {
    let (mut input, mut out) = (begun.chain(io::stdin().lock()), io::stdout().lock());
    let (mut line, mut number) = (Vec::new(), 0_usize);
    while read_line(&mut input, &mut line).map_err(failure)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, notices) = match text(&line) {
            Ok(line) => answers::line(predictor, own_steps, line),
            Err(problems) => (answers::refused(problems), Vec::new()),
        };
        complain(&notices.iter().map(|notice| format!("Line {number}: {notice}")).collect::<Vec<_>>());
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
        return Err(vec![Problem::new(format!("The line is too long. The limit is {most} MiB."))]);
    }
    str::from_utf8(line).map_err(|_| vec![Problem::new("The line is not UTF-8 text.")])
}
