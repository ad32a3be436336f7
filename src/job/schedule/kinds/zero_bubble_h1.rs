//! ZB-H1: 1F1B whose weight gradients fill the drain, in 1F1B's memory.
//!
//! Source: Qi et al. 2024, arXiv 2401.10241, section 2.1.

use super::super::description::{ChunkAssignment, Demand, Description, Seat, StepBoundary, WeightGradients};
use super::super::in_flight::Moments;
use super::super::placement::{ChunkPass, ChunkTask, Placement};

/// Row of this schedule in the table of schedules.
pub(in crate::schedule) static ROW: Description = Description {
    name: "zb-h1",
    label: "ZB-H1",
    choice: "Zero bubble H1 (memory of 1F1B)",
    assignment: ChunkAssignment::RoundRobin,
    least_stages: 2,
    stages_multiple_of: 1,
    virtual_stages: 1..=1,
    micro_batches: |_, _| Demand::NONE,
    weight_gradients: WeightGradients::Apart,
    step_end: StepBoundary::Together,
    order: |placement, micro_batches, stage, actions| order(placement, micro_batches, stage, 1, actions),
    in_flight: |seat| in_flight(seat, 1.0),
    paired_share: None,
    closed_form: None,
    least_duration: Some(|outline| outline.zero_bubble(1.0).max(outline.filled())),
};

/// ZB-H1 (`reach` 1) and ZB-H2 (`reach` 2): stage i of p warms up with `reach` (p - 1 - i) forwards, then runs one
/// forward and one input gradient in turn, and defers weight gradients by `reach` i micro-batches (Qi et al., section
/// 2.1 and 2.2).
pub(super) fn order(
    placement: &Placement,
    micro_batches: u32,
    stage: u32,
    reach: u32,
    actions: &mut Vec<ChunkPass>,
) {
    let warm_up = (reach * (placement.stages.max(1) - 1 - stage)).min(micro_batches);
    let deferred = reach * stage;
    // A micro-batch's forward pass comes `warm_up` turns before its input gradient, and its weight gradient
    // `deferred` turns after.
    for turn in 0..micro_batches + warm_up + deferred {
        let passes = [
            (ChunkTask::Forward, Some(turn)),
            (ChunkTask::InputGradient, turn.checked_sub(warm_up)),
            (ChunkTask::WeightGradient, turn.checked_sub(warm_up + deferred)),
        ];
        for (task, micro_batch) in passes {
            if let Some(micro_batch) = micro_batch.filter(|index| *index < micro_batches) {
                actions.push(ChunkPass { task, chunk: stage, micro_batch });
            }
        }
    }
}

/// `reach` (p - 1 - i) + 1 micro-batches on stage i, and `reach` i deferred (Qi et al., table 2 and section 2).
/// Between a micro-batch's input gradient and its weight gradient, one less is kept and one more deferred.
pub(super) fn in_flight(seat: &Seat, reach: f64) -> Moments {
    let (kept, deferred) = (reach * f64::from(seat.behind()) + 1.0, reach * f64::from(seat.stage));
    [(kept, deferred), (kept - 1.0, deferred + 1.0), (0.0, 0.0)]
}
