//! Pipeline schedules: when every micro-batch passes every stage, and how long a step's pipeline takes.
//!
//! [`simulate`] replays a schedule event by event. [`one_forward_one_backward`] and [`interleaved`] are
//! closed forms, without allocation, for searches over many layouts; they equal the simulation on equal
//! stages.

mod closed_form;
mod simulation;
mod stage_maxima;

pub use closed_form::{interleaved, one_forward_one_backward};
pub use simulation::{Event, MAX_PASSES, Pass, Timeline, simulate};
pub use stage_maxima::stage_maxima;

use crate::units::Seconds;

/// Time that one micro-batch keeps a stage (or one of its virtual stages) busy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageTime {
    /// Forward pass.
    pub forward: Seconds,
    /// Backward pass, recomputation included.
    pub backward: Seconds,
}

impl StageTime {
    /// From a forward and a backward time.
    pub const fn new(forward: Seconds, backward: Seconds) -> Self {
        Self { forward, backward }
    }

    /// Both passes.
    pub fn total(self) -> Seconds {
        self.forward + self.backward
    }

    /// The same with negative and undefined times as zero.
    fn sane(self) -> Self {
        Self { forward: self.forward.max(Seconds::ZERO), backward: self.backward.max(Seconds::ZERO) }
    }
}
