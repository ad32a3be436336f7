//! Pipeline schedules: when each micro-batch passes each stage, and how long a step's pipeline takes.
//!
//! A schedule is a row of the table ([`Schedule::row`]) and a file in `kinds/`; its properties are in its
//! [`Description`], and no other code depends on which one it is. [`Pipeline::simulate`] replays a schedule event by
//! event. [`Pipeline::duration`] is for searches over many layouts: [`one_forward_one_backward`], [`interleaved`] and
//! [`all_forward_all_backward`] are closed forms without allocation; the other schedules are replayed until they
//! repeat, and extrapolated from there. [`in_flight()`] computes what a stage holds at its peak.

mod cycle_time;
mod dependencies;
mod description;
mod in_flight;
mod kinds;
mod least;
mod placement;
mod simulation;
mod stage_maxima;
mod steady;
mod table;

pub use description::{ChunkAssignment, Demand, Description, StepBoundary, WeightGradients};
pub use in_flight::{InFlight, in_flight, paired_share};
pub use kinds::all_forward_all_backward::all_forward_all_backward;
pub use kinds::one_forward_one_backward::{interleaved, one_forward_one_backward};
pub use least::{StageRun, least_duration};
pub use simulation::{MAX_PASSES, ScheduledPass, SimulatedPass, Timeline};
pub use stage_maxima::stage_maxima;
pub use steady::SteadyScratch;
pub use table::Schedule;

use crate::units::Seconds;

/// Time that one micro-batch keeps a stage (or one chunk of it) busy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageTime {
    /// Forward pass.
    pub forward: Seconds,
    /// Backward pass, recomputation and weight gradients included.
    pub backward: Seconds,
    /// Of the backward pass: weight gradients, which a schedule may defer.
    pub weight_gradient: Seconds,
    /// Of both passes: communication that a forward-backward pair overlaps with each other's kernels.
    pub hideable: Seconds,
}

impl StageTime {
    /// From a forward and a backward time without movable parts.
    pub const fn new(forward: Seconds, backward: Seconds) -> Self {
        Self { forward, backward, weight_gradient: Seconds::ZERO, hideable: Seconds::ZERO }
    }

    /// A stage's times with this much of the backward pass spent on weight gradients.
    #[must_use]
    pub const fn with_weight_gradient(self, weight_gradient: Seconds) -> Self {
        Self { weight_gradient, ..self }
    }

    /// A stage's times with this much communication that a pair overlaps.
    #[must_use]
    pub const fn with_hideable(self, hideable: Seconds) -> Self {
        Self { hideable, ..self }
    }

    /// The time of forward and backward together.
    pub fn total(self) -> Seconds {
        self.forward + self.backward
    }

    /// Backward pass with respect to the input alone.
    pub fn input_gradient(self) -> Seconds {
        self.backward - self.weight_gradient
    }

    /// The times with negative and undefined times as zero, and parts no larger than their wholes.
    fn sane(self) -> Self {
        let (forward, backward) = (self.forward.max(Seconds::ZERO), self.backward.max(Seconds::ZERO));
        Self {
            forward,
            backward,
            weight_gradient: self.weight_gradient.max(Seconds::ZERO).min(backward),
            hideable: self.hideable.max(Seconds::ZERO).min(forward + backward),
        }
    }
}

/// A pipeline to run: its schedule, and the times of its chunks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pipeline<'a> {
    /// Order of the passes.
    pub schedule: Schedule,
    /// Chunks per stage: 1, or more where the schedule interleaves them, or 2 where it folds them.
    pub virtual_stages: u32,
    /// Times of all chunks in model order.
    pub chunks: &'a [StageTime],
    /// Micro-batches of one replica and step.
    pub micro_batches: u32,
    /// From the end of a pass until its output arrives at the next stage.
    pub hop: Seconds,
}

impl Pipeline<'_> {
    /// Stages: GPUs (or groups of them) that take turns.
    pub fn stages(&self) -> usize {
        self.chunks.len() / self.virtual_stages.max(1) as usize
    }
}

/// Whether transfers stall interleaved passes: a round trip takes longer than a chunk of the stage with
/// `micro_batch_time` seconds per micro-batch. The closed form of interleaved passes covers such stalls only on
/// average.
pub fn stalls_chunks(micro_batch_time: f64, virtual_stages: u32, hop: f64) -> bool {
    virtual_stages > 1 && 2.0 * hop > micro_batch_time / f64::from(virtual_stages)
}

/// Work of one micro-batch over all stages.
fn work(stages: &[StageTime]) -> Seconds {
    stages.iter().map(|stage| stage.sane().total()).sum()
}
