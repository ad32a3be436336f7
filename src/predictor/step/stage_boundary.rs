//! What neighbouring stages send to each other.

use super::emit::Emitter;
use super::{Call, Module, Overlap, Parallelism, Pass, ProcessGroup, Program};
use crate::cost::Collective;

/// Transfers of one rank with its neighbouring stages in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Sent to the next stage.
    pub to_next: u64,
    /// Sent to the stage before.
    pub to_previous: u64,
    /// Received from the next stage.
    pub from_next: u64,
    /// Received from the stage before.
    pub from_previous: u64,
}

impl Crossings {
    /// Transfers sent.
    pub fn sent(&self) -> u64 {
        self.to_next + self.to_previous
    }

    /// Transfers received.
    pub fn received(&self) -> u64 {
        self.from_next + self.from_previous
    }
}

impl Program<'_> {
    /// One micro-batch's residual stream to the next stage, and its gradient back. It is split over the tensor-parallel
    /// ranks, except in stacks whose ranks each send the whole tensor.
    pub(super) fn stage_boundary(&self, visit: &mut dyn FnMut(Call)) {
        let plan = &self.scenario.plan;
        if plan.pipeline_parallel <= 1 {
            return;
        }
        let split = plan.sequence_parallel || !self.profile.sends_whole_activations;
        let share = if split { f64::from(plan.tensor_parallel.max(1)) } else { 1.0 };
        let streams = f64::from(self.scenario.model.streams.max(1));
        let bytes = streams * self.shapes.residual_bytes() / share;
        let hides = if plan.pipeline_overlap { Overlap::OtherMicroBatches } else { Overlap::Nowhere };
        let axis = (Parallelism::PipelineParallel, ProcessGroup::Pipeline, hides);
        let mut emit = Emitter::new(self, visit);
        emit.collective(Module::StageTransfer, Pass::Forward, Collective::PointToPoint, bytes, axis);
        emit.collective(Module::StageTransfer, Pass::Backward, Collective::PointToPoint, bytes, axis);
    }

    /// Transfers of a rank of `stage` in one step: one per micro-batch, boundary between chunks and direction. Chunk k
    /// lives on stage k mod p, so that an interleaved pipeline's last stage sends to its first. A V, and the two
    /// directions of a mirrored pipeline, pass every boundary but the outer ones both ways.
    pub fn crossings(&self, stage: u32) -> Crossings {
        let plan = &self.scenario.plan;
        let stages = plan.pipeline_parallel.max(1);
        if stages < 2 {
            return Crossings::default();
        }
        let chunks = u64::from(plan.virtual_stages.max(1));
        let batches = self.micro_batches_through_chunk();
        let both_ways = plan.schedule.folds() || plan.schedule.mirrors();
        let passing = |outer: bool| match (both_ways, outer) {
            (true, true) => 0,
            (true, false) => 2 * batches,
            (false, outer) => batches * (chunks - u64::from(outer)),
        };
        let (onward, back) = (passing(stage + 1 == stages), passing(stage == 0));
        Crossings { to_next: onward, to_previous: back, from_next: onward, from_previous: back }
    }

    /// Micro-batches that pass through every chunk a stage holds in a step.
    pub fn micro_batches_through_chunk(&self) -> u64 {
        u64::from(self.scenario.micro_batches()) / u64::from(self.scenario.plan.copies())
    }
}
