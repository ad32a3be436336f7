//! Passes, and the stages of their chunks.
//!
//! A pass identifies its chunk by a number that includes the direction: 0 to n - 1 are the n chunks in model order; n
//! to 2n - 1 the same chunks of the second copy in a mirrored pipeline.

use super::StageTime;
use super::description::ChunkAssignment;

/// What a stage computes for a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkTask {
    Forward,
    /// Forward, paired with the next backward pass in the order.
    ForwardPaired,
    /// Input and weight gradients.
    Backward,
    InputGradient,
    WeightGradient,
}

impl ChunkTask {
    /// Every work, in the order of the variants.
    pub(super) const ALL: [Self; 5] =
        [Self::Forward, Self::ForwardPaired, Self::Backward, Self::InputGradient, Self::WeightGradient];

    /// Seconds of a pass through a chunk with times `time`; of both passes in a forward-backward pair, whose second is
    /// through `partner`.
    pub(super) fn duration(self, time: StageTime, partner: StageTime) -> f64 {
        let seconds = match self {
            Self::Forward => time.forward,
            Self::ForwardPaired => {
                let both = time.forward + partner.backward;
                both - (0.5 * (time.hideable + partner.hideable)).min(both)
            }
            Self::Backward => time.backward,
            Self::InputGradient => time.input_gradient(),
            Self::WeightGradient => time.weight_gradient,
        };
        seconds.0
    }
}

/// One pass of one micro-batch through one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkPass {
    pub(super) task: ChunkTask,
    pub(super) chunk: u32,
    /// Micro-batch, from 0 in either direction.
    pub(super) micro_batch: u32,
}

impl ChunkPass {
    /// Number of its result: forward, then backward results, by chunk and micro-batch.
    pub(super) fn result(&self, numbers: u32, micro_batches: u32) -> Option<usize> {
        let direction = match self.task {
            ChunkTask::Forward | ChunkTask::ForwardPaired => 0,
            ChunkTask::Backward | ChunkTask::InputGradient => numbers,
            ChunkTask::WeightGradient => return None,
        };
        Some((direction + self.chunk) as usize * micro_batches as usize + self.micro_batch as usize)
    }
}

/// Where chunks are placed and to which chunk each sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) assignment: ChunkAssignment,
    pub(super) stages: u32,
    /// Chunks of one copy of the model.
    pub(super) chunks: u32,
}

impl Placement {
    /// Number of chunk numbers: one per chunk and direction.
    pub(super) fn numbers(&self) -> u32 {
        if self.assignment == ChunkAssignment::Mirrored { 2 * self.chunks } else { self.chunks }
    }

    /// Position of a chunk in the model.
    pub(super) fn place(&self, number: u32) -> u32 {
        if number >= self.chunks { number - self.chunks } else { number }
    }

    /// Stage of a chunk.
    pub(super) fn stage(&self, number: u32) -> u32 {
        let stages = self.stages.max(1);
        if number >= self.chunks {
            (stages - 1).saturating_sub(number - self.chunks)
        } else if self.assignment == ChunkAssignment::Folded && number >= stages {
            (2 * stages - 1).saturating_sub(number)
        } else {
            number % stages
        }
    }

    /// Chunk whose output its forward pass needs.
    pub(super) fn before(&self, number: u32) -> Option<u32> {
        (self.place(number) > 0).then(|| number - 1)
    }

    /// Chunk whose gradient its backward pass needs.
    pub(super) fn after(&self, number: u32) -> Option<u32> {
        (self.place(number) + 1 < self.chunks).then(|| number + 1)
    }

    /// Index among its stage's chunks, from 0.
    pub(super) fn slot(&self, number: u32) -> u32 {
        if number >= self.chunks { 1 } else { number / self.stages.max(1) }
    }
}
