//! Chrome and PyTorch traces: how long the profiler's steps took.

use super::super::draft::Draft;
use super::super::{ImportError, MeasuredSteps, sentence};
use super::training_log::{MOST_STEPS, median};
use core::fmt::Formatter;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::HashSet;

/// Name that PyTorch's profiler gives a step, before its number.
const STEP: &str = "ProfilerStep";

/// A trace as a table.
#[derive(Deserialize)]
struct TraceTable {
    #[serde(rename = "traceEvents")]
    events: Steps,
}

/// One event, as far as it is read.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    /// Duration \[microseconds\].
    dur: Option<f64>,
}

/// The steps among the events of a trace. Events are not kept.
#[derive(Default)]
struct Steps {
    events: usize,
    seen: HashSet<String>,
    /// Durations of steps, in order \[s\].
    seconds: Vec<f64>,
}

impl Steps {
    fn take(&mut self, event: &Event<'_>) {
        self.events += 1;
        // A step is on the host's and on each device's line; the host's comes first.
        if event.name.starts_with(STEP)
            && let Some(duration) = event.dur.filter(|duration| duration.is_finite() && *duration > 0.0)
            && self.seen.len() < MOST_STEPS
            && self.seen.insert(event.name.as_ref().to_owned())
        {
            self.seconds.push(duration * 1e-6);
        }
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Events)
    }
}

/// Reads a list of events one by one.
struct Events;

impl<'de> Visitor<'de> for Events {
    type Value = Steps;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Steps, A::Error> {
        let mut steps = Steps::default();
        while let Some(event) = events.next_element::<Event>()? {
            steps.take(&event);
        }
        Ok(steps)
    }
}

/// Reads the steps of a trace. It sets no field.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let listed = text.trim_start().starts_with('[');
    let steps = if listed {
        serde_json::from_str(text)
    } else {
        serde_json::from_str::<TraceTable>(text).map(|table| table.events)
    };
    let steps = steps.map_err(|error| ImportError {
        line: u32::try_from(error.line()).ok(),
        name: None,
        message: format!("This is not a trace: {error}."),
    })?;
    let Some((step_seconds, count)) = median(&steps.seconds, 0) else {
        let message = format!(
            "The trace has {} events but no step ({STEP}#1). Call profiler.step() when profiling.",
            steps.events
        );
        return Err(sentence(message));
    };
    draft.measured = Some(MeasuredSteps { step_seconds, steps: count });
    draft.note(None, "Profiling increases the step time.");
    Ok(())
}
