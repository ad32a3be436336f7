//! Exact event simulation of a schedule.

use super::dependencies::{Dependencies, PassKey};
use super::placement::{ChunkPass, ChunkTask, Placement};
use super::{Pipeline, Schedule};
use crate::error::FieldError;
use crate::index;
use crate::units::Seconds;
use serde::Serialize;

/// Most passes (forward and backward, over chunks and micro-batches) that one simulation replays.
pub const MAX_PASSES: u64 = 4_000_000;

/// What a pass computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduledPass {
    /// Forward.
    Forward,
    /// Backward: input and weight gradients.
    Backward,
    /// Backward with respect to the input alone.
    InputGradient,
    /// Backward with respect to the weights alone.
    WeightGradient,
}

/// One pass of one micro-batch through one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimulatedPass {
    /// Stage, from 0.
    pub stage: u32,
    /// Which of the stage's chunks, from 0.
    pub virtual_stage: u32,
    /// Place of the chunk in the model, from 0.
    pub chunk: u32,
    /// Micro-batch, from 0. If micro-batches enter at both ends of the pipeline, those of the second end are numbered
    /// after the first.
    pub micro_batch: u32,
    /// What is computed.
    pub pass: ScheduledPass,
    /// Stage that waits for the result; none if nothing leaves the stage.
    pub next: Option<u32>,
    /// When it begins.
    pub start: Seconds,
    /// When it ends.
    pub end: Seconds,
}

/// A replayed schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    /// From the first pass's start to the last pass's end.
    pub makespan: Seconds,
    /// The longest time from a stage's first pass's start to its last pass's end: the length of a step if stages do not
    /// wait for each other at its end.
    pub span: Seconds,
    /// Time each stage computes.
    pub busy: Vec<Seconds>,
    /// Every pass, by stage and then in execution order; empty unless requested.
    pub events: Vec<SimulatedPass>,
}

impl Timeline {
    /// The timeline with all times multiplied by `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.makespan = self.makespan * factor;
        self.span = self.span * factor;
        for busy in &mut self.busy {
            *busy = *busy * factor;
        }
        for event in &mut self.events {
            event.start = event.start * factor;
            event.end = event.end * factor;
        }
        self
    }

    /// Time of the pipeline under a schedule: the makespan, or the longest stage's span if the stages need not end
    /// together.
    pub fn duration(&self, schedule: Schedule) -> Seconds {
        if schedule.ends_unevenly() { self.span } else { self.makespan }
    }
}

impl Pipeline<'_> {
    /// Replays the schedule. A stage runs one pass at a time in the schedule's order. An activation or gradient reaches
    /// the next stage `hop` after its pass; sending keeps nobody busy. A forward-backward pair takes both times, less
    /// their overlap, and sends its results at the end. Takes time and memory linear in the passes.
    ///
    /// # Errors
    /// If there is no stage, the chunks do not divide among the stages, the schedule cannot run this number of
    /// micro-batches on this number of stages, or there are more than [`MAX_PASSES`] passes.
    pub fn simulate(&self, record: bool) -> Result<Timeline, FieldError> {
        let placement = self.check()?;
        Ok(self.replay(placement, self.micro_batches, record))
    }

    /// Replays a part of the micro-batches.
    pub(super) fn replay(&self, placement: Placement, micro_batches: u32, record: bool) -> Timeline {
        let mut dependencies = Dependencies::default();
        dependencies.prepare(PassKey { schedule: self.schedule, placement, micro_batches });
        let (mut costs, mut ends) = (Vec::new(), Vec::new());
        let hop = self.hop.max(Seconds::ZERO).0;
        dependencies.price(self.chunks, &mut costs);
        dependencies.run(&costs, hop, &mut ends);
        let (makespan, span) = dependencies.extremes(&ends, hop);
        let mut busy = vec![Seconds::ZERO; placement.stages as usize];
        let mut lanes = vec![Vec::new(); placement.stages as usize];
        for (step, end) in dependencies.steps.iter().zip(ends.iter().skip(1)) {
            let actions = dependencies.passes(step);
            let Some(first) = actions.first() else { continue };
            let stage = placement.stage(first.chunk);
            let (start, end) = (Seconds(step.start(&ends, hop)), Seconds(*end));
            if let Some(busy) = busy.get_mut(stage as usize) {
                *busy += end - start;
            }
            if let Some(events) = lanes.get_mut(stage as usize).filter(|_| record) {
                let turn = self.turn(&placement, actions, start, end);
                for (action, time) in actions.iter().zip([(start, turn), (turn, end)]) {
                    events.push(event(&placement, micro_batches, stage, action, time));
                }
            }
        }
        let events = lanes.into_iter().flatten().collect();
        Timeline { makespan: Seconds(makespan), span: Seconds(span), busy, events }
    }

    /// Where the first pass of a pair is drawn to end: at its share of the pair's time.
    fn turn(&self, placement: &Placement, actions: &[ChunkPass], start: Seconds, end: Seconds) -> Seconds {
        let time =
            |action: &ChunkPass| index::element(self.chunks, placement.place(action.chunk) as usize).sane();
        match actions {
            [first, second] => {
                let (forward, backward) = (time(first).forward, time(second).backward);
                let both = forward + backward;
                start + (end - start) * if both.0 > 0.0 { forward / both } else { 0.0 }
            }
            _ => end,
        }
    }

    pub(super) fn check(&self) -> Result<Placement, FieldError> {
        let per_stage = self.virtual_stages.max(1) as usize;
        let (chunks, stages) = (self.chunks.len(), self.stages());
        let refuse = |field, message| Err(FieldError::new(field, message));
        if stages == 0 || stages.saturating_mul(per_stage) != chunks {
            return refuse(
                "vpp",
                format!("{chunks} chunks are not divisible by {per_stage} chunks per stage."),
            );
        }
        let (row, micro_batches) = (self.schedule.row(), self.micro_batches);
        if !row.virtual_stages.contains(&self.virtual_stages.max(1)) {
            return refuse(
                "vpp",
                format!("This schedule needs {} chunks per stage.", row.virtual_stages.start()),
            );
        }
        if !stages.is_multiple_of(row.stages_multiple_of as usize) {
            let multiple = row.stages_multiple_of;
            return refuse(
                "pp",
                format!(
                    "{} needs a number of stages divisible by {multiple}, but there are {stages}.",
                    row.label
                ),
            );
        }
        let demand = (row.micro_batches)(stages as u32, self.virtual_stages.max(1));
        if !demand.is_met(micro_batches) {
            return refuse(
                "gb",
                format!(
                    "This schedule needs at least {} micro-batches on {stages} stages, in multiples of {}, but there are {micro_batches}.",
                    demand.least, demand.multiple_of
                ),
            );
        }
        let passes = 2_u64.saturating_mul(chunks as u64).saturating_mul(u64::from(micro_batches));
        if passes > MAX_PASSES {
            return refuse(
                "gb",
                format!(
                    "{micro_batches} micro-batches on {stages} stages have {passes} passes. A timeline supports at most {MAX_PASSES}."
                ),
            );
        }
        Ok(Placement { assignment: row.assignment, stages: stages as u32, chunks: chunks as u32 })
    }
}

fn event(
    placement: &Placement,
    micro_batches: u32,
    stage: u32,
    action: &ChunkPass,
    (start, end): (Seconds, Seconds),
) -> SimulatedPass {
    let (pass, target) = match action.task {
        ChunkTask::Forward | ChunkTask::ForwardPaired => {
            (ScheduledPass::Forward, placement.after(action.chunk))
        }
        ChunkTask::Backward => (ScheduledPass::Backward, placement.before(action.chunk)),
        ChunkTask::InputGradient => (ScheduledPass::InputGradient, placement.before(action.chunk)),
        ChunkTask::WeightGradient => (ScheduledPass::WeightGradient, None),
    };
    let far_end = action.chunk >= placement.chunks;
    SimulatedPass {
        stage,
        virtual_stage: placement.slot(action.chunk),
        chunk: placement.place(action.chunk),
        micro_batch: action.micro_batch + if far_end { micro_batches / 2 } else { 0 },
        pass,
        next: target.map(|number| placement.stage(number)).filter(|next| *next != stage),
        start,
        end,
    }
}
