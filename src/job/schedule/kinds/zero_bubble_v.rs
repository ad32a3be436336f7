//! ZB-V: two parts of the model on every GPU, placed in a V shape.
//!
//! Source: Qi et al. 2024, arXiv 2401.10241, section 6.

use super::super::description::{ChunkAssignment, Demand, Description, StepBoundary, WeightGradients};
use super::super::in_flight::in_chunks;
use super::super::placement::{ChunkPass, Placement};
use super::two_chunks::TwoChunkOrder;

/// Row of this schedule in the table of schedules.
pub(in crate::schedule) static ROW: Description = Description {
    name: "zb-v",
    label: "ZB-V",
    choice: "Zero bubble V (two virtual stages)",
    assignment: ChunkAssignment::Folded,
    least_stages: 2,
    stages_multiple_of: 1,
    virtual_stages: 2..=2,
    micro_batches: |_, _| Demand::NONE,
    weight_gradients: WeightGradients::Apart,
    // As ZB-H2.
    step_end: StepBoundary::Apart,
    order,
    // p micro-batches on every stage (section 6).
    in_flight: |seat| {
        let (p, i) = (f64::from(seat.stages.max(1)), f64::from(seat.stage));
        in_chunks([(2.0 * p, 0.0), (2.0 * p - 1.0, 1.0), (f64::from(seat.behind()), 2.0 * i + 1.0)])
    },
    paired_share: None,
    closed_form: None,
    least_duration: Some(|outline| outline.traverse()),
};

/// ZB-V in the order of PyTorch's `ScheduleZBVZeroBubble` (Qi et al., section 6), for at least 2p - 1 micro-batches;
/// with fewer, without the passes of the missing ones.
fn order(placement: &Placement, micro_batches: u32, stage: u32, actions: &mut Vec<ChunkPass>) {
    let stages = placement.stages.max(1);
    let filled = micro_batches.max(2 * stages - 1);
    let behind = stages - stage;
    let mut lane = TwoChunkOrder::new([stage, 2 * stages - 1 - stage], micro_batches, actions);
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
        for _ in 0..lane.deferred() {
            lane.weight_gradient_of(which);
        }
    }
}
