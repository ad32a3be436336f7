//! `stepcast predict -`: a job in each line of the standard input, a forecast in each line of the standard output.

use crate::Failure;
use crate::complain;
use crate::files::MOST_OF_A_SCENARIO;
use std::io::{self, BufRead, Read as _, Write as _};
use stepcast::forecast::Predictor;
use stepcast::scripting::{Problem, answers};

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
        let (answer, notices) = match text(&line) {
            Ok(line) => answers::line(predictor, line),
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
        return Err(vec![Problem::new(format!("The line is too long: at most {most} MiB are read."))]);
    }
    str::from_utf8(line).map_err(|_| vec![Problem::new("The line is not text in UTF-8.")])
}
