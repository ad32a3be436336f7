//! Schedules whose micro-batches all run down the stages one after the other.

use super::{Action, Placement, Work};

/// All forward passes, then all backward passes in the same order of micro-batches.
pub(super) fn all_forward_all_backward(micro_batches: u32, stage: u32) -> Vec<Action> {
    let mut actions = Vec::with_capacity(2 * micro_batches as usize);
    for work in [Work::Forward, Work::Backward] {
        for micro_batch in 0..micro_batches {
            actions.push(Action { work, chunk: stage, micro_batch });
        }
    }
    actions
}

/// 1F1B, or interleaved 1F1B in Megatron's order: warm-up forwards, then one forward and one backward in
/// turn, then the remaining backwards.
pub(super) fn one_forward_one_backward(placement: &Placement, micro_batches: u32, stage: u32) -> Vec<Action> {
    let (stages, per_stage) = (placement.stages.max(1), (placement.chunks / placement.stages.max(1)).max(1));
    let forwards = micro_batches * per_stage;
    let behind = stages - 1 - stage;
    let warm_up = if per_stage > 1 { 2 * behind + (per_stage - 1) * stages } else { behind }.min(forwards);
    // p micro-batches through the first virtual stage, the same p through the second, and so on, then the
    // next p; backward in the reverse order of virtual stages.
    let dealt = |index: u32, backward: bool| {
        let (slot, micro_batch) = if per_stage > 1 {
            let (group, within) = (index / (stages * per_stage), index % (stages * per_stage));
            (within / stages, group * stages + within % stages)
        } else {
            (0, index)
        };
        let slot = if backward { per_stage - 1 - slot } else { slot };
        let work = if backward { Work::Backward } else { Work::Forward };
        Action { work, chunk: slot * stages + stage, micro_batch }
    };
    let mut actions = Vec::with_capacity(2 * forwards as usize);
    for index in 0..forwards + warm_up {
        if index < forwards {
            actions.push(dealt(index, false));
        }
        if index >= warm_up {
            actions.push(dealt(index - warm_up, true));
        }
    }
    actions
}

/// ZB-H1 (`reach` 1) and ZB-H2 (`reach` 2): stage i of p warms up with `reach` (p - 1 - i) forwards, then
/// runs one forward and one input gradient in turn, and puts weight gradients off by `reach` i micro-batches
/// (Qi et al., section 2.1 and 2.2).
pub(super) fn zero_bubble(placement: &Placement, micro_batches: u32, stage: u32, reach: u32) -> Vec<Action> {
    let warm_up = (reach * (placement.stages.max(1) - 1 - stage)).min(micro_batches);
    let put_off = reach * stage;
    let mut actions = Vec::with_capacity(3 * micro_batches as usize);
    // A micro-batch's forward pass comes `warm_up` turns before its input gradient, and its weight gradient
    // `put_off` turns after.
    for turn in 0..micro_batches + warm_up + put_off {
        let turns = [
            (Work::Forward, Some(turn)),
            (Work::InputGradient, turn.checked_sub(warm_up)),
            (Work::WeightGradient, turn.checked_sub(warm_up + put_off)),
        ];
        for (work, micro_batch) in turns {
            if let Some(micro_batch) = micro_batch.filter(|index| *index < micro_batches) {
                actions.push(Action { work, chunk: stage, micro_batch });
            }
        }
    }
    actions
}
