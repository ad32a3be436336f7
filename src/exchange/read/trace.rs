//! Chrome and PyTorch traces: how long the profiler's steps took.

use super::super::draft::Draft;
use super::super::{ImportError, Measured, sentence};
use super::training_log::median;
use serde::Deserialize;
use std::borrow::Cow;

/// Name that PyTorch's profiler gives a step, before its number.
const STEP: &str = "ProfilerStep";

/// A trace as a table.
#[derive(Deserialize)]
struct Table<'a> {
    #[serde(borrow, rename = "traceEvents")]
    events: Vec<Event<'a>>,
}

/// One event, as far as it is read.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    /// Duration \[microseconds\].
    dur: Option<f64>,
}

/// Reads the steps of a trace. It sets no field.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let listed = text.trim_start().starts_with('[');
    let events: Result<Vec<Event>, _> = if listed {
        serde_json::from_str(text)
    } else {
        serde_json::from_str::<Table>(text).map(|table| table.events)
    };
    let events = events.map_err(|error| ImportError {
        line: u32::try_from(error.line()).ok(),
        name: None,
        message: format!("This is no trace: {error}."),
    })?;
    let mut seen: Vec<&str> = Vec::new();
    let mut seconds = Vec::new();
    for event in events.iter().filter(|event| event.name.starts_with(STEP)) {
        // A step stands on the host's and on each device's line; the host's comes first.
        if let Some(duration) = event.dur.filter(|duration| duration.is_finite() && *duration > 0.0)
            && !seen.contains(&event.name.as_ref())
            && seen.len() < super::training_log::MOST_STEPS
        {
            seen.push(&event.name);
            seconds.push(duration * 1e-6);
        }
    }
    let Some((step_seconds, steps)) = median(&seconds, 0) else {
        let message = format!(
            "The trace holds {} events and no step ({STEP}#1): profile with step() called.",
            events.len()
        );
        return Err(sentence(message));
    };
    draft.measured = Some(Measured { step_seconds, steps });
    draft.note(None, "A profiled step takes longer than one without a profiler.");
    Ok(())
}
