//! Properties of the schedules: one record each.

use super::StageTime;
use super::in_flight::Moments;
use super::least::LeastDurationInput;
use super::placement::{ChunkPass, Placement};
use crate::units::Seconds;
use std::ops::RangeInclusive;

/// How a model's chunks are assigned to the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkAssignment {
    /// Round-robin: chunk k on stage k mod p.
    RoundRobin,
    /// Down the stages and up again (V-shaped): chunk k < p on stage k, the others on stage 2p - 1 - k.
    Folded,
    /// One per stage, plus the mirror stage's chunk, for micro-batches that enter at the other end.
    Mirrored,
}

/// When a backward pass computes the weight gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightGradients {
    /// With the input gradients, in one pass.
    AtOnce,
    /// In a separate pass, which may come later.
    Apart,
}

/// When a stage continues with the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepBoundary {
    /// When all stages have finished: a step takes the makespan.
    Together,
    /// When it has finished itself: a step takes the longest stage's span.
    Apart,
}

/// Requirements of a schedule on the number of micro-batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Fewest.
    pub least: u32,
    /// A divisor of their number.
    pub multiple_of: u32,
}

impl Demand {
    /// Any number.
    pub const NONE: Self = Self { least: 0, multiple_of: 1 };

    /// Whether this many micro-batches can run.
    pub fn is_met(self, micro_batches: u32) -> bool {
        micro_batches >= self.least && micro_batches.is_multiple_of(self.multiple_of.max(1))
    }
}

/// A stage of a pipeline.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    pub(super) stages: u32,
    pub(super) virtual_stages: u32,
    pub(super) micro_batches: u32,
    /// Number of the stage, from 0.
    pub(super) stage: u32,
}

impl Seat {
    /// Stages after this one.
    pub(super) fn behind(&self) -> u32 {
        self.stages.max(1).saturating_sub(self.stage.saturating_add(1))
    }
}

/// Lower bound of a pipeline's time, seconds.
pub(super) type Least = fn(&LeastDurationInput<'_>) -> f64;

/// A pipeline's duration from its stages, micro-batches and the hop between stages.
pub(super) type ClosedFormDuration = fn(&[StageTime], u32, Seconds) -> Seconds;

/// One pipeline schedule: its distinguishing properties.
#[derive(Debug, Clone)]
pub struct Description {
    /// Name of the schedule in links and files.
    pub name: &'static str,
    /// Name of the schedule for people.
    pub label: &'static str,
    /// Entry of the schedule in the form's list.
    pub choice: &'static str,
    /// How the model's chunks are assigned to the stages.
    pub assignment: ChunkAssignment,
    /// Fewest stages.
    pub least_stages: u32,
    /// A divisor of the number of stages.
    pub stages_multiple_of: u32,
    /// Allowed virtual stages per stage.
    pub virtual_stages: RangeInclusive<u32>,
    /// Its requirement on micro-batches, given stages and virtual stages.
    pub micro_batches: fn(stages: u32, virtual_stages: u32) -> Demand,
    /// When weight gradients are computed.
    pub weight_gradients: WeightGradients,
    /// When its stages continue with the next step.
    pub step_end: StepBoundary,
    /// Appends the passes of one stage in order. Expects a pipeline that the schedule allows.
    pub(super) order: fn(&Placement, micro_batches: u32, stage: u32, &mut Vec<ChunkPass>),
    /// The memory peaks of a stage.
    pub(super) in_flight: fn(&Seat) -> Moments,
    /// Share of a stage's forward passes that are paired with a backward pass, if any.
    pub(super) paired_share: Option<fn(&Seat) -> f64>,
    /// Its time with one chunk per stage, if there is a closed form of the stages, the micro-batches and the hop; other
    /// schedules are ranked by a replay.
    pub(super) closed_form: Option<ClosedFormDuration>,
    /// Lower bound of its time, if tighter than the busiest stage's compute.
    pub(super) least_duration: Option<Least>,
}

impl Description {
    /// Whether the user chooses the virtual stages, which micro-batches then pass in turn.
    pub fn interleaves(&self) -> bool {
        self.virtual_stages.start() < self.virtual_stages.end()
    }

    /// Whether its time with one chunk per stage has a closed form.
    pub fn has_closed_form(&self) -> bool {
        self.closed_form.is_some()
    }
}
