//! ZB-H2: ZB-H1 with twice the warm-up.
//!
//! Source: Qi et al. 2024, arXiv 2401.10241, section 2.2.

use super::super::description::{ChunkAssignment, Demand, Description, StepBoundary, WeightGradients};
use super::zero_bubble_h1::{in_flight, order};

/// Row of this schedule in the table of schedules.
pub(in crate::schedule) static ROW: Description = Description {
    name: "zb-h2",
    label: "ZB-H2",
    choice: "Zero bubble H2 (twice the memory)",
    assignment: ChunkAssignment::RoundRobin,
    least_stages: 2,
    stages_multiple_of: 1,
    virtual_stages: 1..=1,
    micro_batches: |_, _| Demand::NONE,
    weight_gradients: WeightGradients::Apart,
    // The optimizer's checks come after the step (post-validation, section 4 of the same).
    step_end: StepBoundary::Apart,
    order: |placement, micro_batches, stage, actions| order(placement, micro_batches, stage, 2, actions),
    in_flight: |seat| in_flight(seat, 2.0),
    paired_share: None,
    closed_form: None,
    least_duration: Some(|outline| outline.zero_bubble(2.0)),
};
