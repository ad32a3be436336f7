//! One's own measured steps as text: one per line, seconds first, then the link of the job that took them.

use crate::calibrate::own_runs::{Moved, OwnRun, Part};
use crate::decimal;
use crate::document::Document;
use crate::learned::Problem;
use crate::scenario::Scenario;

/// Measured steps, and lines that are none.
#[derive(Debug, Clone, Default)]
pub struct Pasted {
    /// The steps, each with its line.
    pub runs: Vec<(usize, OwnRun)>,
    /// What cannot be read.
    pub problems: Vec<Problem>,
}

/// Reads lines of `seconds` (a step of `present`, the job on the form) or `seconds link`. A link is a whole address
/// or what stands behind its `#`. Empty lines say nothing.
pub fn read(text: &str, present: &Scenario) -> Pasted {
    let mut pasted = Pasted::default();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        match run(text.trim(), present) {
            Ok(run) => pasted.runs.push((line, run)),
            Err((column, message)) => {
                pasted.problems.push(Problem { line, column: column.to_owned(), message });
            }
        }
    }
    pasted
}

fn run(text: &str, present: &Scenario) -> Result<OwnRun, (&'static str, String)> {
    let (seconds, link) = match text.split_once(char::is_whitespace) {
        Some((seconds, link)) => (seconds, link.trim()),
        None => (text, ""),
    };
    let measured_s = decimal::parse(seconds.strip_suffix('s').unwrap_or(seconds))
        .filter(|seconds| *seconds > 0.0 && seconds.is_finite())
        .ok_or_else(|| ("seconds", format!("\"{seconds}\" is not a positive number of seconds.")))?;
    if link.is_empty() {
        return Ok(OwnRun { scenario: *present, measured_s });
    }
    let opened = Document::from_link(link).map_err(|error| ("link", error.message))?;
    let scenario = opened.document.scenario().map_err(|errors| {
        ("link", errors.into_iter().next().map(|error| error.message).unwrap_or_default())
    })?;
    Ok(OwnRun { scenario, measured_s })
}

/// A part of the calibration in words.
pub fn part(part: Part) -> &'static str {
    match part {
        Part::Compute => "Compute",
        Part::Network => "Network",
        Part::Host => "Host",
    }
}

/// How far a part moved, in words, or that it stayed for want of evidence.
pub fn moved(moved: &Moved) -> String {
    let percent = (moved.factor - 1.0) * 100.0;
    match (moved.moves, percent.abs() < 0.05) {
        (false, _) => "stays: these runs say too little about it".to_owned(),
        (true, true) => "as it was".to_owned(),
        (true, false) if percent > 0.0 => format!("{percent:.1} % slower"),
        (true, false) => format!("{:.1} % faster", -percent),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::document::Document;

    #[test]
    fn lines_are_read_or_named() {
        let present = Document::default().scenario().expect("legal");
        let text = "9.5\n\n4.2s #1;m=llama3-8b;g=dgx-h100;n=64\nfast\n1.5 https://example.org/a#1;m=llama2-7b;g=dgx-h100;n=8;tp=8;pp=1;gb=8;seq=512\n2 #1;tp=3\n-1\n";
        let pasted = read(text, &present);
        let lines: Vec<usize> = pasted.runs.iter().map(|run| run.0).collect();
        assert_eq!(lines, [1, 3, 5]);
        assert_eq!(pasted.runs[0].1.scenario, present);
        assert_eq!(pasted.runs[1].1.measured_s, 4.2);
        assert_eq!(pasted.runs[2].1.scenario.cluster.gpus, 8);
        let bad: Vec<(usize, &str)> = pasted.problems.iter().map(|p| (p.line, p.column.as_str())).collect();
        assert_eq!(bad, [(4, "seconds"), (6, "link"), (7, "seconds")]);
    }
}
