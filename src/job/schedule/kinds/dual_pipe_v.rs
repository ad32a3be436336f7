//! DualPipeV: DualPipe cut in half, one copy of the model, folded like ZB-V.
//!
//! Source: DeepSeek-AI, github.com/deepseek-ai/DualPipe.

use super::super::description::{ChunkAssignment, Demand, Description, StepBoundary, WeightGradients};
use super::super::placement::{ChunkPass, Placement};
use super::dual_pipe::{eight_steps, moments, paired};
use super::two_chunks::TwoChunkOrder;

/// Row of this schedule in the table of schedules.
pub(in crate::schedule) static ROW: Description = Description {
    name: "dualpipev",
    label: "DualPipeV",
    choice: "DualPipeV (two virtual stages)",
    assignment: ChunkAssignment::Folded,
    least_stages: 2,
    stages_multiple_of: 1,
    virtual_stages: 2..=2,
    micro_batches: |stages, _| Demand { least: stages.saturating_mul(2), multiple_of: 1 },
    weight_gradients: WeightGradients::Apart,
    step_end: StepBoundary::Together,
    order,
    // p + 1/2 micro-batches (DeepSeek-V3, table 2, in chunks).
    in_flight: |seat| moments(f64::from(seat.stages.max(1)), f64::from(seat.stage)),
    paired_share: Some(|seat| paired(seat.stages, seat.stage, seat.micro_batches)),
    closed_form: None,
    least_duration: None,
};

/// DualPipeV: the first half of a DualPipe of twice the length, whose two directions are the two legs of the V.
fn order(placement: &Placement, micro_batches: u32, stage: u32, actions: &mut Vec<ChunkPass>) {
    let stages = placement.stages.max(1);
    let chunks = [stage, 2 * stages - 1 - stage];
    eight_steps(TwoChunkOrder::new(chunks, micro_batches, actions), stages, stage, micro_batches);
}
