//! DualPipe: two copies of the model, fed from both ends.
//!
//! Source: DeepSeek-V3, arXiv 2412.19437, section 3.2.1.

use super::super::description::{ChunkAssignment, Demand, Description, Seat, StepBoundary, WeightGradients};
use super::super::in_flight::{Moments, in_chunks};
use super::super::placement::{ChunkPass, Placement};
use super::two_chunks::TwoChunkOrder;

/// Row of this schedule in the table of schedules.
pub(in crate::schedule) static ROW: Description = Description {
    name: "dualpipe",
    label: "DualPipe",
    choice: "DualPipe (two copies of the model)",
    assignment: ChunkAssignment::Mirrored,
    least_stages: 2,
    stages_multiple_of: 2,
    virtual_stages: 1..=1,
    micro_batches: |stages, _| Demand { least: stages.saturating_mul(2), multiple_of: 2 },
    weight_gradients: WeightGradients::Apart,
    step_end: StepBoundary::Together,
    order,
    // (p + 1) / 2 micro-batches of the stage's two chunks (table 2, in chunks).
    in_flight: |seat| moments(0.5 * f64::from(seat.stages.max(1)), f64::from(from_end(seat))),
    paired_share: Some(|seat| paired(seat.stages / 2, from_end(seat), seat.micro_batches / 2)),
    closed_form: None,
    least_duration: None,
};

/// Distance of a stage from the nearer end.
fn from_end(seat: &Seat) -> u32 {
    seat.stage.min(seat.behind())
}

/// DualPipe: the second half of the stages mirrors the first, each with its own and its mirror image's chunk, and half
/// of the micro-batches from either end.
fn order(placement: &Placement, micro_batches: u32, stage: u32, actions: &mut Vec<ChunkPass>) {
    let half = (placement.stages / 2).max(1);
    let across = placement.stages.max(1) - 1 - stage;
    let from_end = stage.min(across);
    let (own, mirrored) = (stage, placement.chunks + across);
    let chunks = if stage < half { [own, mirrored] } else { [mirrored, own] };
    eight_steps(TwoChunkOrder::new(chunks, micro_batches / 2, actions), half, from_end, micro_batches / 2);
}

/// The eight steps of DualPipe (DeepSeek-AI's `dualpipe.py`), for stage `from_end` of `half` and
/// `micro_batches` in each direction, at least 2 `half`.
pub(super) fn eight_steps(mut lane: TwoChunkOrder, half: u32, from_end: u32, micro_batches: u32) {
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
            // Not paired, so that the neighbour in the middle gets its input sooner.
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
    // The second half of these passes defers its weight gradients to the drain.
    let mut splits = false;
    for round in 0..before {
        let halfway = round == before / 2;
        splits |= halfway && from_end % 2 == 1;
        if splits {
            lane.input_gradient(1)
        } else {
            lane.backward(1)
        }
        splits |= halfway;
        if splits { lane.input_gradient(0) } else { lane.backward(0) }
    }
    for _ in 0..behind {
        lane.weight_gradient();
        lane.input_gradient(0);
    }
    while lane.deferred() > 0 {
        lane.weight_gradient();
    }
}

/// What stage `from_end` of `half` holds.
pub(super) fn moments(half: f64, from_end: f64) -> Moments {
    let drained = ((half - from_end - 1.0).max(0.0), from_end + 1.0);
    in_chunks([(2.0 * half + 1.0, 0.0), (2.0 * half - 1.0, 1.0), drained])
}

/// Share of the forward passes that are paired with a backward pass: in the main part both of a stage's chunks, then
/// one.
pub(super) fn paired(half: u32, from_end: u32, micro_batches: u32) -> f64 {
    let behind = half.saturating_sub(from_end + 1);
    let rounds = (micro_batches + from_end + 1).saturating_sub(2 * half);
    let pairs = (2 * rounds + behind).saturating_sub(u32::from(behind == 0));
    f64::from(pairs) / f64::from((2 * micro_batches).max(1))
}
