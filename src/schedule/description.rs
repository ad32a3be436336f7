//! What there is to know of a schedule: one record each.

use super::StageTime;
use super::in_flight::Moments;
use super::least::LeastDurationInput;
use super::placement::{ChunkPass, Placement};
use crate::units::Seconds;
use std::ops::RangeInclusive;

/// How a model's chunks are assigned to the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkAssignment {
    /// Round and round: chunk k on stage k mod p.
    RoundRobin,
    /// Down the stages and up again: chunk k < p on stage k, the others on stage 2p - 1 - k.
    Folded,
    /// One on every stage, and on each stage the chunk of the stage across too, for micro-batches that enter at the
    /// other end.
    Mirrored,
}

/// When a backward pass computes the gradients of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightGradients {
    /// With those of the input, in one pass.
    AtOnce,
    /// In a pass of its own, which may come later.
    Apart,
}

/// When a stage goes on to the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepBoundary {
    /// When all stages have ended: a step takes the makespan.
    Together,
    /// When it has ended itself: a step takes the longest stage's span.
    Apart,
}

/// What a schedule asks of the number of micro-batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Fewest.
    pub least: u32,
    /// What must divide their number.
    pub multiple_of: u32,
}

impl Demand {
    /// Any number.
    pub const NONE: Self = Self { least: 0, multiple_of: 1 };

    /// Whether so many micro-batches can be run.
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

/// The least that a pipeline takes, seconds.
pub(super) type Least = fn(&LeastDurationInput<'_>) -> f64;

/// A pipeline's duration from its stages, micro-batches and the hop between stages.
pub(super) type ClosedFormDuration = fn(&[StageTime], u32, Seconds) -> Seconds;

/// One pipeline schedule: everything that tells it from the others.
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
    /// What must divide the number of stages.
    pub stages_multiple_of: u32,
    /// Virtual stages that a stage may have.
    pub virtual_stages: RangeInclusive<u32>,
    /// What it asks of the micro-batches, given stages and virtual stages.
    pub micro_batches: fn(stages: u32, virtual_stages: u32) -> Demand,
    /// What it does with weight gradients.
    pub weight_gradients: WeightGradients,
    /// When its stages go on to the next step.
    pub step_end: StepBoundary,
    /// Passes of one stage in their order, appended. The pipeline is one that the schedule allows.
    pub(super) order: fn(&Placement, micro_batches: u32, stage: u32, &mut Vec<ChunkPass>),
    /// The fullest moments of a stage.
    pub(super) in_flight: fn(&Seat) -> Moments,
    /// Share of a stage's forward passes that run as one with a backward pass, where any do.
    pub(super) paired_share: Option<fn(&Seat) -> f64>,
    /// How long it takes with one chunk on a stage, where a closed form of the stages, the micro-batches and the hop
    /// says so; everything else is ranked by a replay.
    pub(super) closed_form: Option<ClosedFormDuration>,
    /// The least that it takes, where more can be told than how long the busiest stage computes.
    pub(super) least_duration: Option<Least>,
}

impl Description {
    /// Whether a stage's virtual stages are for the user to choose: the micro-batches then pass through them in turn.
    pub fn interleaves(&self) -> bool {
        self.virtual_stages.start() < self.virtual_stages.end()
    }

    /// Whether a closed form says how long it takes with one chunk on a stage.
    pub(crate) fn has_closed_form(&self) -> bool {
        self.closed_form.is_some()
    }
}
