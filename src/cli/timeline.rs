//! `stepcast timeline`: the passes of the pipeline in one step.

use crate::input::Input;
use crate::report::heading;
use crate::text::{self, CellAlign, duration};
use crate::{Failure, json, sentences};
use clap::Args;

use stepcast::page_state::timeline::Replayed;
use stepcast::page_state::timeline::trace::trace;
use stepcast::schedule::MAX_PASSES;

/// What to print instead of the stages' totals.
#[derive(Debug, Args)]
pub(crate) struct Form {
    /// Print every pass as JSON.
    #[arg(long, conflicts_with = "trace")]
    json: bool,
    /// Print a trace for Perfetto or chrome://tracing.
    #[arg(long)]
    trace: bool,
}

/// Replays the pipeline of a job.
pub(crate) fn timeline(input: &Input, form: &Form) -> Result<String, Failure> {
    let predictor = input.predictor();
    let step = predictor.predict(&input.scenario).map_err(sentences)?.step;
    let replayed = Replayed::new(&predictor, &input.scenario, step, MAX_PASSES).map_err(sentences)?;
    if form.json {
        return json(&replayed);
    }
    if form.trace {
        return json(&trace(&replayed));
    }
    let head = ["stage", "passes", "computes", "waits", "first pass", "last pass ends", "max in flight"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(replayed.sums().iter().map(|lane| {
        vec![
            lane.stage.to_string(),
            lane.passes.to_string(),
            duration(lane.busy),
            duration(lane.waits),
            duration(lane.start),
            duration(lane.end),
            lane.in_flight.to_string(),
        ]
    }));
    let table = text::table(&rows, &[CellAlign::Right; 7]);
    Ok(format!("{}\n{}\n\n{table}", heading(input), replayed.summary()))
}
