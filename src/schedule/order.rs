//! The order in which every stage runs its passes, schedule by schedule.
//!
//! A pass names its chunk by a number that also says the direction: 0 to n - 1 are the n chunks in model
//! order; n to 2n - 1 the same chunks of the copy that a mirrored pipeline feeds from its other end.

mod bidirectional;
mod one_way;

use crate::schedule::Schedule;

/// What a stage does with a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Forward,
    /// Forward, as one with the backward pass that follows it in the order.
    ForwardPaired,
    /// Input and weight gradients.
    Backward,
    InputGradient,
    WeightGradient,
}

/// One pass of one micro-batch through one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) work: Work,
    pub(super) chunk: u32,
    /// Micro-batch, from 0 in either direction.
    pub(super) micro_batch: u32,
}

/// Where chunks live and what each hands on to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) schedule: Schedule,
    pub(super) stages: u32,
    /// Chunks of one copy of the model.
    pub(super) chunks: u32,
}

impl Placement {
    /// Numbers that chunks have: one per chunk and direction.
    pub(super) fn numbers(&self) -> u32 {
        if self.schedule.mirrors() { 2 * self.chunks } else { self.chunks }
    }

    /// Place of a chunk in the model.
    pub(super) fn place(&self, number: u32) -> u32 {
        if number >= self.chunks { number - self.chunks } else { number }
    }

    /// Stage that a chunk lives on.
    pub(super) fn stage(&self, number: u32) -> u32 {
        let stages = self.stages.max(1);
        if number >= self.chunks {
            (stages - 1).saturating_sub(number - self.chunks)
        } else if self.schedule.folds() && number >= stages {
            (2 * stages - 1).saturating_sub(number)
        } else {
            number % stages
        }
    }

    /// Chunk whose output this one's forward pass needs.
    pub(super) fn before(&self, number: u32) -> Option<u32> {
        (self.place(number) > 0).then(|| number - 1)
    }

    /// Chunk whose gradient this one's backward pass needs.
    pub(super) fn after(&self, number: u32) -> Option<u32> {
        (self.place(number) + 1 < self.chunks).then(|| number + 1)
    }

    /// Which of its stage's chunks it is, from 0.
    pub(super) fn slot(&self, number: u32) -> u32 {
        if number >= self.chunks { 1 } else { number / self.stages.max(1) }
    }
}

/// Passes of one stage in their order. The pipeline is taken to be one the schedule allows
/// ([`super::Pipeline::simulate`] checks it).
pub(super) fn order(placement: &Placement, micro_batches: u32, stage: u32) -> Vec<Action> {
    match placement.schedule {
        Schedule::OneForwardOneBackward => one_way::one_forward_one_backward(placement, micro_batches, stage),
        Schedule::AllForwardAllBackward => one_way::all_forward_all_backward(micro_batches, stage),
        Schedule::ZeroBubbleH1 => one_way::zero_bubble(placement, micro_batches, stage, 1),
        Schedule::ZeroBubbleH2 => one_way::zero_bubble(placement, micro_batches, stage, 2),
        Schedule::ZeroBubbleV => bidirectional::zero_bubble_v(placement, micro_batches, stage),
        Schedule::DualPipe => bidirectional::dual_pipe(placement, micro_batches, stage),
        Schedule::DualPipeV => bidirectional::dual_pipe_v(placement, micro_batches, stage),
    }
}
