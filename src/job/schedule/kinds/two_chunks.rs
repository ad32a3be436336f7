//! Pass order of a stage with two chunks: the basis of ZB-V, DualPipe and DualPipeV.

use super::super::placement::{ChunkPass, ChunkTask};
use std::collections::VecDeque;

/// Builder of the pass order of a stage with two chunks.
pub(super) struct TwoChunkOrder<'a> {
    /// Numbers of the two chunks, the one whose forward passes come first in front.
    chunks: [u32; 2],
    /// Number of micro-batches for each; further passes are left out.
    micro_batches: u32,
    pub(super) forwards: [u32; 2],
    backwards: [u32; 2],
    /// Deferred weight gradients, oldest first.
    deferred: VecDeque<ChunkPass>,
    actions: &'a mut Vec<ChunkPass>,
}

impl<'a> TwoChunkOrder<'a> {
    pub(super) fn new(chunks: [u32; 2], micro_batches: u32, actions: &'a mut Vec<ChunkPass>) -> Self {
        Self {
            chunks,
            micro_batches,
            forwards: [0; 2],
            backwards: [0; 2],
            deferred: VecDeque::new(),
            actions,
        }
    }

    fn push(&mut self, action: ChunkPass) {
        if action.micro_batch < self.micro_batches {
            self.actions.push(action);
        }
    }

    /// Deferred weight gradients so far.
    pub(super) fn deferred(&self) -> usize {
        self.deferred.len()
    }

    pub(super) fn forward(&mut self, which: usize) {
        self.push_forward(which, ChunkTask::Forward);
    }

    fn push_forward(&mut self, which: usize, task: ChunkTask) {
        if let (Some(&chunk), Some(next)) = (self.chunks.get(which), self.forwards.get_mut(which)) {
            let action = ChunkPass { task, chunk, micro_batch: *next };
            *next += 1;
            self.push(action);
        }
    }

    pub(super) fn backward(&mut self, which: usize) {
        self.push_backward(which, ChunkTask::Backward);
    }

    fn push_backward(&mut self, which: usize, task: ChunkTask) {
        if let (Some(&chunk), Some(next)) = (self.chunks.get(which), self.backwards.get_mut(which)) {
            let action = ChunkPass { task, chunk, micro_batch: *next };
            *next += 1;
            self.push(action);
            if task == ChunkTask::InputGradient {
                self.deferred.push_back(ChunkPass { task: ChunkTask::WeightGradient, ..action });
            }
        }
    }

    pub(super) fn input_gradient(&mut self, which: usize) {
        self.push_backward(which, ChunkTask::InputGradient);
    }

    /// Runs the oldest deferred weight gradient.
    pub(super) fn weight_gradient(&mut self) {
        if let Some(action) = self.deferred.pop_front() {
            self.push(action);
        }
    }

    /// Runs the oldest deferred weight gradient of one chunk.
    pub(super) fn weight_gradient_of(&mut self, which: usize) {
        let chunk = self.chunks.get(which).copied();
        let at = self.deferred.iter().position(|action| Some(action.chunk) == chunk);
        if let Some(action) = at.and_then(|at| self.deferred.remove(at)) {
            self.push(action);
        }
    }

    /// A forward pass of one chunk, paired with a backward pass of the other.
    pub(super) fn pair(&mut self, forward: usize, backward: usize) {
        self.push_forward(forward, ChunkTask::ForwardPaired);
        self.backward(backward);
    }
}
