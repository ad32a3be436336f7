//! Passes of a stage that works for two chunks, one after the other: what ZB-V, DualPipe and DualPipeV are made of.

use super::super::placement::{Action, Work};
use std::collections::VecDeque;

/// Passes of a stage with two chunks, in the making.
pub(super) struct Lane<'a> {
    /// Numbers of the two chunks: the one whose forward passes come first, and the other.
    chunks: [u32; 2],
    /// Micro-batches there are for each; passes of further ones are left out.
    micro_batches: u32,
    pub(super) forwards: [u32; 2],
    backwards: [u32; 2],
    /// Weight gradients put off, oldest first.
    put_off: VecDeque<Action>,
    actions: &'a mut Vec<Action>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(chunks: [u32; 2], micro_batches: u32, actions: &'a mut Vec<Action>) -> Self {
        Self { chunks, micro_batches, forwards: [0; 2], backwards: [0; 2], put_off: VecDeque::new(), actions }
    }

    fn push(&mut self, action: Action) {
        if action.micro_batch < self.micro_batches {
            self.actions.push(action);
        }
    }

    /// Weight gradients put off so far.
    pub(super) fn put_off(&self) -> usize {
        self.put_off.len()
    }

    pub(super) fn forward(&mut self, which: usize) {
        self.push_forward(which, Work::Forward);
    }

    fn push_forward(&mut self, which: usize, work: Work) {
        if let (Some(&chunk), Some(next)) = (self.chunks.get(which), self.forwards.get_mut(which)) {
            let action = Action { work, chunk, micro_batch: *next };
            *next += 1;
            self.push(action);
        }
    }

    pub(super) fn backward(&mut self, which: usize) {
        self.push_backward(which, Work::Backward);
    }

    fn push_backward(&mut self, which: usize, work: Work) {
        if let (Some(&chunk), Some(next)) = (self.chunks.get(which), self.backwards.get_mut(which)) {
            let action = Action { work, chunk, micro_batch: *next };
            *next += 1;
            self.push(action);
            if work == Work::InputGradient {
                self.put_off.push_back(Action { work: Work::WeightGradient, ..action });
            }
        }
    }

    pub(super) fn input_gradient(&mut self, which: usize) {
        self.push_backward(which, Work::InputGradient);
    }

    /// The oldest weight gradient that was put off.
    pub(super) fn weight_gradient(&mut self) {
        if let Some(action) = self.put_off.pop_front() {
            self.push(action);
        }
    }

    /// The oldest weight gradient of one chunk that was put off.
    pub(super) fn weight_gradient_of(&mut self, which: usize) {
        let chunk = self.chunks.get(which).copied();
        let at = self.put_off.iter().position(|action| Some(action.chunk) == chunk);
        if let Some(action) = at.and_then(|at| self.put_off.remove(at)) {
            self.push(action);
        }
    }

    /// A forward pass of one chunk, as one with a backward pass of the other.
    pub(super) fn pair(&mut self, forward: usize, backward: usize) {
        self.push_forward(forward, Work::ForwardPaired);
        self.backward(backward);
    }
}
