//! Schedules in which a stage works for two chunks at opposite ends of the model: ZB-V, DualPipe, DualPipeV.

use super::{Action, Placement, Work};

/// Passes of a stage with two chunks, in the making.
struct Lane {
    /// Numbers of the two chunks: the one whose forward passes come first, and the other.
    chunks: [u32; 2],
    forwards: [u32; 2],
    backwards: [u32; 2],
    /// Weight gradients put off, oldest first.
    put_off: Vec<Action>,
    actions: Vec<Action>,
}

impl Lane {
    fn new(chunks: [u32; 2], micro_batches: u32) -> Self {
        Self {
            chunks,
            forwards: [0; 2],
            backwards: [0; 2],
            put_off: Vec::new(),
            actions: Vec::with_capacity(6 * micro_batches as usize),
        }
    }

    fn forward(&mut self, which: usize) {
        self.push_forward(which, Work::Forward);
    }

    fn push_forward(&mut self, which: usize, work: Work) {
        if let (Some(&chunk), Some(next)) = (self.chunks.get(which), self.forwards.get_mut(which)) {
            self.actions.push(Action { work, chunk, micro_batch: *next });
            *next += 1;
        }
    }

    fn backward(&mut self, which: usize) {
        self.push_backward(which, Work::Backward);
    }

    fn push_backward(&mut self, which: usize, work: Work) {
        if let (Some(&chunk), Some(next)) = (self.chunks.get(which), self.backwards.get_mut(which)) {
            let action = Action { work, chunk, micro_batch: *next };
            self.actions.push(action);
            *next += 1;
            if work == Work::InputGradient {
                self.put_off.push(Action { work: Work::WeightGradient, ..action });
            }
        }
    }

    fn input_gradient(&mut self, which: usize) {
        self.push_backward(which, Work::InputGradient);
    }

    /// The oldest weight gradient that was put off.
    fn weight_gradient(&mut self) {
        if !self.put_off.is_empty() {
            self.actions.push(self.put_off.remove(0));
        }
    }

    /// The oldest weight gradient of one chunk that was put off.
    fn weight_gradient_of(&mut self, which: usize) {
        let chunk = self.chunks.get(which).copied();
        if let Some(at) = self.put_off.iter().position(|action| Some(action.chunk) == chunk) {
            self.actions.push(self.put_off.remove(at));
        }
    }

    /// A forward pass of one chunk as one with a backward pass of the other.
    fn pair(&mut self, forward: usize, backward: usize) {
        self.push_forward(forward, Work::ForwardPaired);
        self.backward(backward);
    }
}

/// ZB-V in the order of PyTorch's `ScheduleZBVZeroBubble` (Qi et al., section 6), for at least 2p - 1
/// micro-batches; of fewer, the passes of those there are.
pub(super) fn zero_bubble_v(placement: &Placement, micro_batches: u32, stage: u32) -> Vec<Action> {
    let stages = placement.stages.max(1);
    let filled = micro_batches.max(2 * stages - 1);
    let behind = stages - stage;
    let mut lane = Lane::new([stage, 2 * stages - 1 - stage], filled);
    for _ in 0..2 * behind - 1 {
        lane.forward(0);
    }
    for _ in 0..stage {
        lane.forward(1);
        lane.forward(0);
    }
    for _ in 0..behind {
        lane.forward(1);
        lane.input_gradient(1);
        lane.weight_gradient();
    }
    while lane.forwards[1] < lane.forwards[0] || lane.forwards[0] < filled {
        if lane.forwards[0] < filled {
            lane.forward(0);
        }
        lane.input_gradient(0);
        lane.weight_gradient();
        lane.forward(1);
        lane.input_gradient(1);
        lane.weight_gradient();
    }
    for _ in 0..stage {
        lane.input_gradient(0);
        lane.input_gradient(1);
    }
    for _ in 0..behind {
        lane.input_gradient(0);
        lane.weight_gradient_of(0);
    }
    for which in [1, 0] {
        for _ in 0..lane.put_off.len() {
            lane.weight_gradient_of(which);
        }
    }
    lane.actions.retain(|action| action.micro_batch < micro_batches);
    lane.actions
}

/// DualPipe: the second half of the stages mirrors the first, each with its own chunk and that of the stage
/// across, and half of the micro-batches from either end.
pub(super) fn dual_pipe(placement: &Placement, micro_batches: u32, stage: u32) -> Vec<Action> {
    let half = (placement.stages / 2).max(1);
    let across = placement.stages.max(1) - 1 - stage;
    let from_end = stage.min(across);
    let (own, mirrored) = (stage, placement.chunks + across);
    let chunks = if stage < half { [own, mirrored] } else { [mirrored, own] };
    eight_steps(Lane::new(chunks, micro_batches / 2), half, from_end, micro_batches / 2)
}

/// DualPipeV: the first half of a DualPipe twice as long, whose two directions are the two legs of a V.
pub(super) fn dual_pipe_v(placement: &Placement, micro_batches: u32, stage: u32) -> Vec<Action> {
    let stages = placement.stages.max(1);
    let chunks = [stage, 2 * stages - 1 - stage];
    eight_steps(Lane::new(chunks, micro_batches), stages, stage, micro_batches)
}

/// The eight steps of DualPipe (DeepSeek-AI's `dualpipe.py`), for stage `from_end` of `half` and
/// `micro_batches` in each direction, at least 2 `half`.
fn eight_steps(mut lane: Lane, half: u32, from_end: u32, micro_batches: u32) -> Vec<Action> {
    let (behind, before) = (half - from_end - 1, from_end + 1);
    for _ in 0..2 * behind {
        lane.forward(0);
    }
    for _ in 0..before {
        lane.forward(0);
        lane.forward(1);
    }
    for _ in 0..behind {
        lane.input_gradient(1);
        lane.weight_gradient();
        lane.forward(1);
    }
    for round in 0..(micro_batches + before).saturating_sub(2 * half) {
        if round == 0 && behind == 0 {
            // Apart, so that the neighbour in the middle gets its input sooner.
            lane.forward(0);
            lane.backward(1);
        } else {
            lane.pair(0, 1);
        }
        lane.pair(1, 0);
    }
    for _ in 0..behind {
        lane.backward(1);
        lane.pair(1, 0);
    }
    // The second half of these passes leaves its weight gradients for the drain.
    let mut splits = false;
    for round in 0..before {
        let turns = round == before / 2;
        splits |= turns && from_end % 2 == 1;
        if splits {
            lane.input_gradient(1)
        } else {
            lane.backward(1)
        }
        splits |= turns;
        if splits { lane.input_gradient(0) } else { lane.backward(0) }
    }
    for _ in 0..behind {
        lane.weight_gradient();
        lane.input_gradient(0);
    }
    while !lane.put_off.is_empty() {
        lane.weight_gradient();
    }
    lane.actions
}
