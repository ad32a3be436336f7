//! GPipe: all forward passes, then all backward passes.
//!
//! Source: Huang et al. 2019, arXiv 1811.06965.

use super::super::description::{ChunkAssignment, Demand, Description, StepBoundary, WeightGradients};
use super::super::in_flight::one_moment;
use super::super::placement::{ChunkPass, ChunkTask, Placement};
use super::super::{StageTime, work};
use crate::units::Seconds;

/// Row of this schedule in the table of schedules.
pub(in crate::schedule) static ROW: Description = Description {
    name: "gpipe",
    label: "GPipe",
    choice: "All forward, all backward (GPipe)",
    assignment: ChunkAssignment::RoundRobin,
    least_stages: 2,
    stages_multiple_of: 1,
    virtual_stages: 1..=1,
    micro_batches: |_, _| Demand::NONE,
    weight_gradients: WeightGradients::AtOnce,
    step_end: StepBoundary::Together,
    order,
    // Every micro-batch is kept until the last forward pass.
    in_flight: |seat| one_moment((f64::from(seat.micro_batches), 0.0)),
    paired_share: None,
    closed_form: Some(all_forward_all_backward),
    least_duration: Some(|outline| outline.all_forward_all_backward()),
};

/// All forward passes, then all backward passes in the same order of micro-batches.
fn order(_: &Placement, micro_batches: u32, stage: u32, actions: &mut Vec<ChunkPass>) {
    for task in [ChunkTask::Forward, ChunkTask::Backward] {
        actions.extend((0..micro_batches).map(|micro_batch| ChunkPass { task, chunk: stage, micro_batch }));
    }
}

/// Duration of all forward passes and then all backward passes: two flow shops of equal jobs, each as long as one
/// micro-batch on every stage plus the others on the slowest. Exact for any stages.
pub fn all_forward_all_backward(stages: &[StageTime], micro_batches: u32, hop: Seconds) -> Seconds {
    if stages.is_empty() || micro_batches == 0 {
        return Seconds::ZERO;
    }
    let later = f64::from(micro_batches - 1);
    let p2p_time = 2.0 * hop.max(Seconds::ZERO) * (stages.len() - 1) as f64;
    let slowest = |pass: fn(StageTime) -> Seconds| {
        stages.iter().map(|stage| pass(stage.sane())).fold(Seconds::ZERO, Seconds::max)
    };
    work(stages) + p2p_time + (slowest(|stage| stage.forward) + slowest(|stage| stage.backward)) * later
}
