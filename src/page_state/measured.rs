//! The reader's own measured step beside the answer: read as people write it, kept in the link, and what it changed.

use super::page::{Action, PageForecast};
use super::report::scenario_link;
use super::your_runs::{RUNS, moved, part, with};
use crate::decimal;
use crate::document::Document;
use crate::fields::parse::shown;
use crate::forecast::Predictor;
use crate::number;
use crate::scenario::Scenario;
use crate::units::Seconds;
use crate::validate::check::STEP_SECONDS;

/// Seconds of a job's step as people write it: `9.1`, `9.1 s`, `9100 ms`, `1.5 min`, `0.11 it/s`, `2.7M tokens/s`,
/// `5.2k tokens/s/GPU`.
///
/// # Errors
/// What can be written.
pub fn seconds(text: &str, job: &Scenario) -> Result<f64, String> {
    let text = text.trim();
    let refused = || {
        format!(
            "{} is not a step time. Examples: 9.1 s, 9100 ms, 2.7M tokens/s, 5.2k tokens/s/GPU.",
            shown(text)
        )
    };
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || ".,".contains(letter)));
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let value = grouped(digits).and_then(|digits| decimal::parse(&digits));
    let value = value.filter(|value| *value > 0.0).ok_or_else(refused)?;
    let seconds = in_seconds(value, unit.trim(), job).ok_or_else(refused)?;
    if STEP_SECONDS.contains(&seconds) { Ok(seconds) } else { Err(refused()) }
}

/// Digits without the commas between thousands; nothing where a comma is elsewhere, as in `9,1`.
fn grouped(digits: &str) -> Option<String> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let grouped =
        groups.clone().all(|group| group.len() == 3) && (first.len() <= 3 || groups.next().is_none());
    (grouped && !fraction.contains(',')).then(|| digits.replace(',', ""))
}

/// A value in a unit as seconds per step.
fn in_seconds(value: f64, unit: &str, job: &Scenario) -> Option<f64> {
    let is = |names: &[&str]| names.iter().any(|name| unit.eq_ignore_ascii_case(name));
    if is(&["", "s", "sec", "seconds", "s/step", "s/it"]) {
        return Some(value);
    }
    if is(&["ms", "ms/step", "milliseconds"]) {
        return Some(value / 1e3);
    }
    if is(&["min", "minutes"]) {
        return Some(value * 60.0);
    }
    if is(&["it/s", "steps/s"]) {
        return Some(1.0 / value);
    }
    let (factor, rate) = match unit.as_bytes().first()? {
        b'k' | b'K' => (1e3, unit.get(1..)?.trim_start()),
        b'M' => (1e6, unit.get(1..)?.trim_start()),
        _ => (1.0, unit),
    };
    let rate = rate.strip_prefix("tokens").or_else(|| rate.strip_prefix("tok"))?;
    let gpus = match rate.strip_prefix("/s")? {
        "" => 1.0,
        "/GPU" | "/gpu" | " per GPU" | " per gpu" => f64::from(job.cluster.gpus),
        _ => return None,
    };
    Some(job.tokens_per_step() / (value * factor * gpus))
}

/// Keeps a step that was measured of the job that is shown, in the place of another of that job.
///
/// # Errors
/// Why the text is none, or that the GPUs' peak does not allow such a step.
pub fn add(forecast: &PageForecast, text: &str) -> Result<Action, String> {
    let seconds = seconds(text, &forecast.scenario)?;
    let utilisation = forecast.prediction.mfu * (forecast.prediction.step.0 / seconds);
    if utilisation > 1.0 {
        return Err(format!(
            "A step time of {} would require {} of the GPUs' peak FLOP/s. Check the step time, batch, number of GPUs and precision.",
            number::time(Seconds(seconds)),
            number::percent(utilisation)
        ));
    }
    let runs = forecast.document.extra(RUNS).unwrap_or_default();
    Ok(Action::Show { key: RUNS.to_owned(), text: with(runs, seconds, &scenario_link(&forecast.document)) })
}

/// Forgets all measured steps.
pub fn remove() -> Action {
    Action::Show { key: RUNS.to_owned(), text: String::new() }
}

/// Whether a document has measured steps, for whatever job.
pub fn has_any(document: &Document) -> bool {
    document.extra(RUNS).is_some_and(|text| !text.trim().is_empty())
}

/// What the reader's measured steps changed, in one sentence.
pub fn sentence(forecast: &PageForecast) -> Option<String> {
    let lines = forecast.document.extra(RUNS)?.lines().filter(|line| !line.trim().is_empty()).count();
    let steps = |count: usize| if count == 1 { "step" } else { "steps" };
    let Some(own) = &forecast.calibration else {
        return (lines > 0).then(|| {
            format!(
                "Your measured {} not used: unreadable, without a link, measured with other GPUs or software, or too far from the forecast.",
                if lines == 1 { "step is" } else { "steps are" }
            )
        });
    };
    let used = own.runs.len();
    let of = if used < lines { format!("{used} of {lines}") } else { used.to_string() };
    let parts: Vec<String> = own
        .explained
        .parts
        .iter()
        .filter(|adjusted| adjusted.moves && (adjusted.factor - 1.0).abs() >= 5e-4)
        .map(|adjusted| format!("{} {}", part(adjusted.part).to_ascii_lowercase(), moved(adjusted)))
        .collect();
    let parts = if parts.is_empty() { "no change".to_owned() } else { parts.join(", ") };
    let before = number::time(Predictor::SHIPPED.step_time(&forecast.scenario));
    Some(format!(
        "Calibrated with {of} measured {}: {parts}. Without calibration: {before}.",
        steps(if used < lines { lines } else { used })
    ))
}

#[cfg(test)]
mod tests {
    use super::{add, has_any, remove, seconds, sentence};
    use crate::document::Document;
    use crate::page::{Action, Page};

    #[test]
    fn steps_are_read_as_people_write_them() {
        let job = Document::default().scenario().expect("possible");
        let tokens = job.tokens_per_step();
        let gpus = f64::from(job.cluster.gpus);
        for (text, expected) in [
            ("9.1", 9.1),
            (" 9.1 s", 9.1),
            ("9,100 ms", 9.1),
            ("1.5 min", 90.0),
            ("0.5 it/s", 2.0),
            ("0.9M tokens/s", tokens / 0.9e6),
            ("1.8k tok/s/GPU", tokens / 1.8e3 / gpus),
        ] {
            let read = seconds(text, &job).expect(text);
            assert!((read / expected - 1.0).abs() < 1e-9, "{text}: {read}");
        }
        for text in [
            "",
            "fast",
            "9 parsecs",
            "0 s",
            "-3",
            "1e400",
            "k tokens/s",
            "3 \u{b5}s",
            "9,1 s",
            "2,7M tokens/s",
            "1.234,5",
        ] {
            assert!(seconds(text, &job).is_err(), "{text}");
        }
    }

    #[test]
    fn a_measured_step_moves_the_answer_and_stays_with_its_job() {
        let act = |page: &Page, action: Action| page.apply(action).expect("a change");
        let step = |page: &Page| page.outcome.forecast.as_ref().expect("a forecast").prediction.step.0;
        let said = |page: &Page| sentence(page.outcome.forecast.as_ref().expect("a forecast"));
        let page = act(&Page::new(), Action::Keep);
        let before = step(&page);
        let measured = format!("{} ms", 1.1e3 * before);
        let forecast = page.outcome.forecast.clone().expect("a forecast");
        assert!(add(&forecast, "1 s").expect_err("faster than the peak").contains("of the GPUs' peak"));
        let page = act(&page, add(&forecast, &measured).expect("a step"));
        assert!((1.06..1.11).contains(&(step(&page) / before)), "{} after {before}", step(&page));
        assert!(said(&page).expect("words").starts_with("Calibrated with 1 measured step: compute"));
        // Other numbers of GPUs are calibrated alike; other GPUs are not, and the step is not taken for one of theirs.
        let more = act(&page, Action::Choose { key: "n", text: "1024".to_owned() });
        assert!(said(&more).expect("words").starts_with("Calibrated"));
        let other = act(&page, Action::Choose { key: "g", text: "dgx-b200".to_owned() });
        assert!(said(&other).expect("words").contains("not used"), "{:?}", said(&other));
        let back = act(&other, Action::Choose { key: "g", text: "dgx-h100".to_owned() });
        assert!(has_any(&back.document) && said(&back).expect("words").starts_with("Calibrated"));
        // The link carries it.
        let link = Document::from_link(&page.document.to_link()).expect("a link");
        assert_eq!(step(&Page::opened(Ok(link))), step(&page));
        let forgotten = act(&page, remove());
        assert_eq!((step(&forgotten), said(&forgotten)), (before, None));
    }
}
