//! The timeline in Chrome's trace event format, which Perfetto and chrome://tracing open: one thread per
//! stage, one complete event per pass, times in microseconds.

use super::{PASSES, Replayed, kind};
use serde::Serialize;

/// A trace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    trace_events: Vec<Entry>,
    display_time_unit: &'static str,
}

/// An event of the format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum Entry {
    /// A thread's name.
    Name { ph: &'static str, name: &'static str, pid: u32, tid: u32, args: Name },
    /// A pass.
    Pass {
        ph: &'static str,
        name: String,
        cat: &'static str,
        pid: u32,
        tid: u32,
        ts: f64,
        dur: f64,
        args: TracePlace,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Name {
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct TracePlace {
    micro_batch: u32,
    chunk: u32,
}

/// The trace of a timeline.
pub fn trace(replayed: &Replayed) -> Trace {
    let names = (0..replayed.stages()).map(|stage| Entry::Name {
        ph: "M",
        name: "thread_name",
        pid: 0,
        tid: stage,
        args: Name { name: format!("Stage {stage}") },
    });
    let passes = replayed.timeline.events.iter().map(|event| {
        let label = PASSES.get(kind(event.pass)).map_or("", |entry| entry.1);
        Entry::Pass {
            ph: "X",
            name: format!("{label} {}", event.micro_batch),
            cat: label,
            pid: 0,
            tid: event.stage,
            ts: event.start.0 * 1e6,
            dur: (event.end - event.start).0 * 1e6,
            args: TracePlace { micro_batch: event.micro_batch, chunk: event.chunk },
        }
    });
    Trace { trace_events: names.chain(passes).collect(), display_time_unit: "ms" }
}
