//! One's own measured steps as text: one per line, seconds first, then the link of the job that took them.

use crate::calibrate::own::OwnCalibration;
use crate::calibrate::user_runs::{AdjustedPart, MachinePart};
use crate::constants::Constants;
use crate::decimal;
use crate::document::Document;
use crate::fields::parse::shown;
use crate::forecast::{Predictor, UserRun};
use crate::learned::RowProblem;
use crate::number::fixed;
use crate::scenario::Scenario;
use crate::validate::check::STEP_SECONDS;
use std::rc::Rc;

/// Key of the view state: the text of the runs.
pub const RUNS: &str = "runs";

/// Measured steps, and lines that are none.
#[derive(Debug, Clone, Default)]
pub struct Pasted {
    /// The steps, each with its line.
    pub runs: Vec<(usize, UserRun)>,
    /// What cannot be read.
    pub problems: Vec<RowProblem>,
}

/// Most measured steps that are read: three factors need no more, and each is forecast some eighty times.
const MOST_RUNS: usize = 200;

/// Most lines that are named as wrong.
const MOST_PROBLEMS: usize = 20;

/// Reads lines of `seconds` (a step of `present`, the job on the form) or `seconds link`. A link is a whole address
/// or what stands behind its `#`. Empty lines say nothing. Reading ends where there are too many runs or problems.
pub fn read(text: &str, present: &Scenario) -> Pasted {
    let mut pasted = Pasted::default();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        if pasted.runs.len() >= MOST_RUNS || pasted.problems.len() >= MOST_PROBLEMS {
            let message = format!(
                "Later lines are ignored: at most {MOST_RUNS} runs and {MOST_PROBLEMS} problems are listed."
            );
            pasted.problems.push(RowProblem { line, column: String::new(), message });
            break;
        }
        match run(text.trim(), present) {
            Ok(run) => pasted.runs.push((line, run)),
            Err((column, message)) => {
                pasted.problems.push(RowProblem { line, column: column.to_owned(), message });
            }
        }
    }
    pasted
}

/// Seconds and link of a line.
fn parts(text: &str) -> (&str, &str) {
    let (seconds, rest) = first_word(text.trim());
    // The unit may be a separate word.
    match first_word(rest) {
        ("s", link) => (seconds, link),
        _ => (seconds, rest),
    }
}

fn run(text: &str, present: &Scenario) -> Result<UserRun, (&'static str, String)> {
    let (seconds, link) = parts(text);
    let measured_s = decimal::parse(seconds.strip_suffix('s').unwrap_or(seconds))
        .filter(|seconds| STEP_SECONDS.contains(seconds))
        .ok_or_else(|| ("seconds", format!("\"{}\" is not a valid step time in seconds.", shown(seconds))))?;
    if link.is_empty() {
        return Ok(UserRun { scenario: *present, measured_s });
    }
    let opened = Document::from_link(link).map_err(|error| ("link", error.message))?;
    let scenario = opened.document.scenario().map_err(|errors| {
        ("link", errors.into_iter().next().map(|error| error.message).unwrap_or_default())
    })?;
    Ok(UserRun { scenario, measured_s })
}

/// What the measured steps of a document say of a job; nothing where none concerns it. Steps without a link are of whatever job
/// is shown, so they move no forecast. A calibration that is `known` is taken over where it is of the same steps.
pub fn calibration(
    document: &Document,
    job: &Scenario,
    known: Option<&Rc<OwnCalibration>>,
) -> Option<Rc<OwnCalibration>> {
    let text = document.extra(RUNS).filter(|text| !text.is_empty())?;
    let linked: Vec<&str> = text.lines().filter(|line| !parts(line).1.is_empty()).collect();
    let runs: Vec<UserRun> = read(&linked.join("\n"), job).runs.into_iter().map(|run| run.1).collect();
    match known.filter(|known| known.is_of(&runs, job)) {
        Some(known) => Some(Rc::clone(known)),
        None => OwnCalibration::of(&runs, job, &Constants::SHIPPED).map(Rc::new),
    }
}

/// The predictor of a calibration, and the shipped one where there is none.
pub fn predictor_of(calibration: Option<&OwnCalibration>) -> Predictor<'_> {
    calibration.map_or(Predictor::SHIPPED, OwnCalibration::predictor)
}

/// The first word of a text, and what comes after it.
fn first_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

/// The text with one more run, to the microsecond, of a job's link; in the place of another of that job.
pub fn with(text: &str, seconds: f64, link: &str) -> String {
    let others = text.lines().filter(|line| line.split_once(' ').is_none_or(|parts| parts.1.trim() != link));
    let line = format!("{} {link}", decimal::plain((seconds * 1e6).round() / 1e6));
    others.chain([line.as_str()]).collect::<Vec<_>>().join("\n")
}

/// A part of the calibration in words.
pub fn part(part: MachinePart) -> &'static str {
    match part {
        MachinePart::Compute => "Compute",
        MachinePart::Network => "Network",
        MachinePart::Host => "Host",
    }
}

/// How far a part moved, in words, or that it is unchanged for lack of data.
pub fn moved(moved: &AdjustedPart) -> String {
    let percent = (moved.factor - 1.0) * 100.0;
    match (moved.moves, percent.abs() < 0.05) {
        (false, _) => "unchanged (not enough data)".to_owned(),
        (true, true) => "unchanged".to_owned(),
        (true, false) if percent > 0.0 => format!("{} % slower", fixed(percent, 1)),
        (true, false) => format!("{} % faster", fixed(-percent, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_PROBLEMS, MOST_RUNS, read, with};
    use crate::document::Document;
    use proptest::prelude::*;

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
        for text in ["1e-300", "1e300", "inf", "0"] {
            assert_eq!(read(text, &present).problems.len(), 1, "{text}");
        }
    }

    #[test]
    fn the_unit_may_stand_apart() {
        let present = Document::default().scenario().expect("legal");
        let pasted = read("9.1 s\n4.2 s #1;m=llama3-8b;g=dgx-h100;n=64", &present);
        let read: Vec<_> =
            pasted.runs.iter().map(|(_, run)| (run.measured_s, run.scenario.cluster.gpus)).collect();
        assert_eq!((read, pasted.problems.len()), (vec![(9.1, present.cluster.gpus), (4.2, 64)], 0));
    }

    #[test]
    fn a_run_is_added_once_a_job() {
        let link = "#1;m=llama3-8b;g=dgx-h100;n=64";
        let text = with(&with("9.5", 1234.5, link), 0.25, link);
        assert_eq!(text, format!("9.5\n0.25 {link}"));
        let present = Document::default().scenario().expect("legal");
        let long = read(&with("", 12_345.678, link), &present);
        assert_eq!((long.runs.len(), long.problems.len()), (1, 0), "{:?}", long.problems);
        assert!((long.runs[0].1.measured_s / 12_345.678 - 1.0).abs() < 1e-4);
    }

    #[test]
    fn reading_ends_where_there_is_too_much() {
        let present = Document::default().scenario().expect("legal");
        let many = read(&"9.5\n".repeat(100_000), &present);
        assert_eq!((many.runs.len(), many.problems.len()), (MOST_RUNS, 1));
        assert_eq!(many.problems[0].line, MOST_RUNS + 1);
        let wrong = read(&"fast\n".repeat(100_000), &present);
        assert_eq!((wrong.runs.len(), wrong.problems.len()), (0, MOST_PROBLEMS + 1));
        let long = read(&"9".repeat(1_000_000), &present);
        assert!(long.problems[0].message.len() < 200, "{}", long.problems[0].message);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(\\PC|\n){0,200}") {
            let _ = read(&text, &Document::default().scenario().expect("legal"));
        }
    }
}
