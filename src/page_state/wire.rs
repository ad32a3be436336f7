//! Candidates as flat numbers, the form in which the worker hands them to the page.
//!
//! One candidate is [`WIDTH`] numbers. Both ends are the same binary, so the form needs no version.

use crate::scenario::plan::{Mapping, Modules, Plan, Recompute, Schedule, StageSplit, Zero};
use crate::tuner::Candidate;
use crate::units::{Bytes, Seconds};

/// Numbers per candidate.
pub const WIDTH: usize = PLAN_WIDTH + 11;

/// Numbers of its plan.
const PLAN_WIDTH: usize = 19;

const RECOMPUTES: [Recompute; 3] = [Recompute::None, Recompute::Selective, Recompute::Full];
const MAPPINGS: [Mapping; 2] = [Mapping::TensorDataPipeline, Mapping::TensorPipelineData];
const SPLITS: [StageSplit; 2] = [StageSplit::Even, StageSplit::CountEnds];

/// Appends one candidate.
pub fn encode(candidate: &Candidate, into: &mut Vec<f64>) {
    let Candidate {
        plan,
        number,
        data_parallel,
        micro_batches,
        step,
        mfu,
        tokens_per_s_per_gpu,
        communication_share,
        bubble_share,
        peak_memory,
        room,
        fits,
    } = *candidate;
    into.extend_from_slice(&plan_numbers(plan));
    into.extend_from_slice(&[
        number as f64,
        f64::from(data_parallel),
        f64::from(micro_batches),
        step.0,
        mfu,
        tokens_per_s_per_gpu,
        communication_share,
        bubble_share,
        peak_memory.0,
        room,
        flag(fits),
    ]);
}

/// A plan, which comes first of a candidate's numbers.
fn plan_numbers(plan: Plan) -> [f64; PLAN_WIDTH] {
    let Plan {
        tensor_parallel,
        sequence_parallel,
        context_parallel,
        expert_parallel,
        expert_tensor_parallel,
        pipeline_parallel,
        virtual_stages,
        schedule,
        zero,
        micro_batch,
        recompute,
        tensor_overlap,
        expert_overlap,
        data_overlap,
        pipeline_overlap,
        offload_optimizer,
        offload_activations,
        mapping,
        stage_split,
    } = plan;
    [
        f64::from(tensor_parallel),
        flag(sequence_parallel),
        f64::from(context_parallel),
        f64::from(expert_parallel),
        f64::from(expert_tensor_parallel),
        f64::from(pipeline_parallel),
        f64::from(virtual_stages),
        position(&Schedule::ALL, schedule),
        position(&Zero::ALL, zero),
        f64::from(micro_batch),
        recompute_number(recompute),
        flag(tensor_overlap),
        flag(expert_overlap),
        flag(data_overlap),
        flag(pipeline_overlap),
        flag(offload_optimizer),
        f64::from(offload_activations),
        position(&MAPPINGS, mapping),
        position(&SPLITS, stage_split),
    ]
}

/// Reads every whole candidate.
pub fn decode(numbers: &[f64]) -> impl Iterator<Item = Candidate> + '_ {
    numbers.chunks_exact(WIDTH).filter_map(|chunk| {
        let mut numbers = chunk.iter().copied();
        let mut next = move || numbers.next();
        Some(Candidate {
            plan: Plan {
                tensor_parallel: next()? as u32,
                sequence_parallel: next()? != 0.0,
                context_parallel: next()? as u32,
                expert_parallel: next()? as u32,
                expert_tensor_parallel: next()? as u32,
                pipeline_parallel: next()? as u32,
                virtual_stages: next()? as u32,
                schedule: *Schedule::ALL.get(next()? as usize)?,
                zero: *Zero::ALL.get(next()? as usize)?,
                micro_batch: next()? as u32,
                recompute: recompute_of(next()?)?,
                tensor_overlap: next()? != 0.0,
                expert_overlap: next()? != 0.0,
                data_overlap: next()? != 0.0,
                pipeline_overlap: next()? != 0.0,
                offload_optimizer: next()? != 0.0,
                offload_activations: next()? as u32,
                mapping: *MAPPINGS.get(next()? as usize)?,
                stage_split: *SPLITS.get(next()? as usize)?,
            },
            number: next()? as usize,
            data_parallel: next()? as u32,
            micro_batches: next()? as u32,
            step: Seconds(next()?),
            mfu: next()?,
            tokens_per_s_per_gpu: next()?,
            communication_share: next()?,
            bubble_share: next()?,
            peak_memory: Bytes(next()?),
            room: next()?,
            fits: next()? != 0.0,
        })
    })
}

/// Modes in their order, then one number per set of modules.
fn recompute_number(recompute: Recompute) -> f64 {
    match recompute {
        Recompute::Modules(set) => RECOMPUTES.len() as f64 + f64::from(set.bits()),
        mode => position(&RECOMPUTES, mode),
    }
}

fn recompute_of(number: f64) -> Option<Recompute> {
    let index = number as usize;
    match index.checked_sub(RECOMPUTES.len()) {
        Some(bits) => {
            let set = Modules::from_bits(u8::try_from(bits).ok()?);
            (usize::from(set.bits()) == bits).then_some(Recompute::Modules(set))
        }
        None => RECOMPUTES.get(index).copied(),
    }
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Where a value stands in a list. One that is missing there does not come back as another: it is not decoded.
fn position<T: PartialEq>(all: &[T], value: T) -> f64 {
    all.iter().position(|item| *item == value).unwrap_or(all.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::super::ranking::tests::candidate;
    use super::*;

    #[test]
    fn candidates_survive_the_wire() {
        let mut sent = vec![candidate(8, 1.25, true), candidate(2, 0.5, false)];
        for (index, zero) in Zero::ALL.into_iter().enumerate() {
            let mut next = candidate(1 << index, 3.0, true);
            next.plan.zero = zero;
            next.plan.recompute = RECOMPUTES[index % 3];
            next.plan.mapping = MAPPINGS[index % 2];
            next.plan.stage_split = SPLITS[(index + 1) % 2];
            next.plan.tensor_overlap = index % 2 == 0;
            next.plan.pipeline_overlap = index % 2 == 1;
            next.plan.offload_activations = index as u32;
            next.plan.schedule = Schedule::ALL[index];
            sent.push(next);
        }
        let mut modules = candidate(4, 1.0, true);
        modules.plan.recompute = Recompute::Modules(Modules::NORMS.and(Modules::FEED_FORWARD));
        sent.push(modules);
        let mut numbers = Vec::new();
        sent.iter().for_each(|candidate| encode(candidate, &mut numbers));
        assert_eq!(numbers.len(), WIDTH * sent.len());
        assert_eq!(decode(&numbers).collect::<Vec<_>>(), sent);
    }

    #[test]
    fn broken_messages_give_no_candidates() {
        assert_eq!(decode(&[1.0; WIDTH - 1]).count(), 0);
        assert_eq!(decode(&[99.0; WIDTH]).count(), 0);
    }
}
