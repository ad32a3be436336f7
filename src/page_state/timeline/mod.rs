//! The pipeline's timeline as people look at it: which part of it is in sight, what stands where, and a pass
//! in words. A trace for other tools is in [`trace`].

mod overview;
mod span;
pub mod trace;

pub use overview::{Overview, TimelineBlock};
pub use span::{SPAN, Span};

use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::number;
use crate::scenario::Scenario;
use crate::schedule::{ScheduledPass, SimulatedPass, Timeline};
use crate::units::Seconds;
use serde::Serialize;
use std::ops::Range;

/// Passes of a stage that are in sight at first: the warm-up with its bubble, and what follows.
const OPENING_PASSES: usize = 40;

/// Most passes of a step that the page replays.
pub const MOST_PASSES: u64 = 500_000;

/// A replayed step: its passes by stage, and what comes after them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replayed {
    /// Time of the step.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// The passes.
    #[serde(flatten)]
    pub timeline: Timeline,
    /// Where each stage's passes lie among all events.
    #[serde(skip)]
    lanes: Vec<Range<usize>>,
}

/// A stage's passes, summed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lane {
    /// The stage, from 0.
    pub stage: u32,
    /// Passes of the stage.
    pub passes: usize,
    /// Time it computes.
    pub busy: Seconds,
    /// Time it waits for its neighbours between its first pass and its last.
    pub waits: Seconds,
    /// Start of its first pass.
    pub start: Seconds,
    /// End of its last pass.
    pub end: Seconds,
    /// Most forward passes whose backward pass is still to come: what activation memory is held for.
    pub in_flight: u32,
}

/// What is drawn of a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum LaneDetail<'a> {
    /// Pass by pass.
    Passes(&'a [SimulatedPass]),
    /// Too many passes for that: columns of equal width, each with its shares of forward and backward passes
    /// and of gradients of inputs and of weights ([`PASSES`]).
    Columns(Vec<[f64; PASSES.len()]>),
}

/// Kinds of passes, in the order of [`LaneDetail::Columns`].
pub const PASSES: [(ScheduledPass, &str); 4] = [
    (ScheduledPass::Forward, "Forward"),
    (ScheduledPass::Backward, "Backward"),
    (ScheduledPass::InputGradient, "Backward, inputs"),
    (ScheduledPass::WeightGradient, "Backward, weights"),
];

/// Place of a kind of pass in [`PASSES`].
pub fn kind(pass: ScheduledPass) -> usize {
    PASSES.iter().position(|entry| entry.0 == pass).unwrap_or(0)
}

impl Replayed {
    /// Replays the pipeline of a step that takes `step`.
    ///
    /// # Errors
    /// What makes the scenario impossible, or a step of more than `most` passes.
    pub fn new(
        predictor: &Predictor<'_>,
        scenario: &Scenario,
        step: Seconds,
        most: u64,
    ) -> Result<Self, Vec<FieldError>> {
        let passes = 2 * u64::from(scenario.plan.chunks()) * u64::from(scenario.micro_batches());
        if passes > most {
            let message = format!(
                "The step has {} passes, but the chart is limited to {}. Reduce the number of micro-batches.",
                number::integer(passes),
                number::integer(most),
            );
            return Err(vec![FieldError::new("gb", message)]);
        }
        let timeline = predictor.timeline(scenario)?;
        let stages = timeline.busy.len() as u32;
        let first = |stage: u32| timeline.events.partition_point(|event| event.stage < stage);
        let lanes = (0..stages).map(|stage| first(stage)..first(stage + 1)).collect();
        Ok(Self { step, timeline, lanes })
    }

    /// Stages.
    pub fn stages(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// End of the time axis: of the step, or of its last pass should that be later.
    pub fn end(&self) -> Seconds {
        self.step.max(self.timeline.makespan)
    }

    /// What is in sight at first: the first passes of the first stage, each wide enough to be told apart.
    pub fn opening(&self) -> Span {
        let end = self.end().0;
        let last = self.lane(0).get(OPENING_PASSES).map_or(end, |event| event.start.0);
        if end > 0.0 { Span { from: 0.0, to: (last / end).clamp(0.0, 1.0) } } else { Span::WHOLE }
    }

    /// The passes of a stage, in the order they run.
    pub fn lane(&self, stage: u32) -> &[SimulatedPass] {
        let range = self.lanes.get(stage as usize).cloned().unwrap_or_default();
        self.timeline.events.get(range).unwrap_or_default()
    }

    /// The visible part of a stage's passes, for a drawing this many columns wide.
    pub fn sight(&self, stage: u32, span: Span, columns: usize) -> LaneDetail<'_> {
        let lane = self.lane(stage);
        let (from, to) = (span.from * self.end().0, span.to * self.end().0);
        let first = lane.partition_point(|event| event.end.0 <= from);
        let last = lane.partition_point(|event| event.start.0 < to);
        let seen = lane.get(first..last.max(first)).unwrap_or_default();
        if seen.len() <= columns / 2 {
            LaneDetail::Passes(seen)
        } else {
            LaneDetail::Columns(shares(seen, from, to, columns))
        }
    }

    /// Place among a stage's passes of the one that runs at a time.
    pub fn at(&self, stage: u32, time: Seconds) -> Option<usize> {
        let lane = self.lane(stage);
        let next = lane.partition_point(|event| event.start <= time);
        let place = next.checked_sub(1)?;
        lane.get(place).filter(|event| time < event.end).map(|_| place)
    }

    /// Every stage, summed.
    pub fn sums(&self) -> Vec<Lane> {
        (0..self.stages()).map(|stage| self.sum(stage)).collect()
    }

    fn sum(&self, stage: u32) -> Lane {
        let events = self.lane(stage);
        let start = events.first().map_or(Seconds::ZERO, |event| event.start);
        let end = events.last().map_or(Seconds::ZERO, |event| event.end);
        let busy = self.timeline.busy.get(stage as usize).copied().unwrap_or_default();
        let (mut now, mut most) = (0_u32, 0_u32);
        for event in events {
            match event.pass {
                ScheduledPass::Forward => now += 1,
                ScheduledPass::Backward | ScheduledPass::InputGradient => now = now.saturating_sub(1),
                ScheduledPass::WeightGradient => {}
            }
            most = most.max(now);
        }
        let waits = (end - start - busy).max(Seconds::ZERO);
        Lane { stage, passes: events.len(), busy, waits, start, end, in_flight: most }
    }

    /// The timeline in words.
    pub fn summary(&self) -> String {
        let sums = self.sums();
        let makespan = self.timeline.makespan;
        let share = |time: Seconds| number::percent(if makespan.0 > 0.0 { time / makespan } else { 0.0 });
        let idle = |lane: &Lane| makespan - lane.busy;
        let most = sums.iter().max_by(|one, other| idle(one).0.total_cmp(&idle(other).0));
        let least = sums.iter().min_by(|one, other| idle(one).0.total_cmp(&idle(other).0));
        let (Some(most), Some(least)) = (most, least) else { return String::new() };
        let idle = if sums.len() == 1 {
            "the single stage is never idle".to_owned()
        } else {
            format!(
                "stage {} is idle for {}, stage {} for {}",
                least.stage,
                share(idle(least)),
                most.stage,
                share(idle(most))
            )
        };
        let rest = if self.step > makespan {
            format!(
                " Step: {}. The remaining {} are gradient sync, optimizer and fixed overhead.",
                number::time(self.step),
                number::time(self.step - makespan)
            )
        } else {
            String::new()
        };
        format!("Passes: {}; {idle}.{rest}", number::time(makespan))
    }
}

/// A pass in words.
pub fn sentence(event: &SimulatedPass, chunks_per_stage: u32) -> String {
    let chunk = if chunks_per_stage > 1 { format!(", chunk {}", event.chunk) } else { String::new() };
    let kind = PASSES.get(kind(event.pass)).map_or("", |entry| entry.1);
    format!(
        "Stage {}{chunk}, micro-batch {}: {}, {}, starts at {}.",
        event.stage,
        event.micro_batch,
        kind.to_ascii_lowercase(),
        number::time(event.end - event.start),
        number::time(event.start),
    )
}

/// Shares of each column's time, by kind of pass.
fn shares(events: &[SimulatedPass], from: f64, to: f64, columns: usize) -> Vec<[f64; PASSES.len()]> {
    let mut shares = vec![[0.0; PASSES.len()]; columns.max(1)];
    let width = (to - from) / shares.len() as f64;
    if width <= 0.0 {
        return shares;
    }
    for event in events {
        let (start, end) = ((event.start.0.max(from) - from) / width, (event.end.0.min(to) - from) / width);
        for (index, column) in shares.iter_mut().enumerate().take(end.ceil() as usize).skip(start as usize) {
            let inside = end.min(index as f64 + 1.0) - start.max(index as f64);
            if let Some(share) = column.get_mut(kind(event.pass)) {
                *share += inside.max(0.0);
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests;
