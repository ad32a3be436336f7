//! The end of a step: gradient reduction, parameter update and gather.

use super::emit::Emitter;
use super::{Call, Module, Overlap, Parallelism, Pass, ProcessGroup, Program};
use crate::cost::{Collective, Work};
use crate::scenario::plan::Zero;
use crate::scenario::plan::stages::StageParameters;

/// Bytes of a parameter as replicas gather it after the update.
const WEIGHT_BYTES: f64 = 2.0;

/// Times that PyTorch's DDP moves a gradient in addition to its reduction: read and written into its bucket, and out of
/// it again (`torch/csrc/distributed/c10d/reducer.cpp`, `mark_variable_ready_dense` and `finalize_bucket_dense`;
/// `gradient_as_bucket_view` is off by default).
const BUCKET_COPIES: f64 = 4.0;

/// Times that DeepSpeed moves a gradient in addition to an all-reduce of all ranks' slices: read and written into the
/// bucket, when divided by the number of ranks, and into the tensor that is sent
/// (`deepspeed/runtime/zero/stage_1_and_2.py` at 0.14.2, `reduce_independent_p_g_buckets_and_remove_grads`,
/// `average_tensor`, `allreduce_bucket`).
const SLICE_COPIES: f64 = 6.0;

impl Program<'_> {
    /// What a rank of `stage` runs once per step, in order: gradient reduction, tied-embedding sync, update, gather of
    /// updated parameters.
    pub fn step_end(&self, stage: u32, visit: &mut dyn FnMut(Call)) {
        let trained = if stage == 0 {
            self.first_trained
        } else {
            self.scenario.trained(&self.layers, &self.parameters(stage))
        };
        self.reduce_gradients(&trained, visit);
        self.synchronise_embedding(stage, visit);
        self.update_parameters(&trained, visit);
        self.gather_updated(&trained, visit);
    }

    /// Reduces gradients among ranks that hold the same parameters. In a mirrored pipeline, the two copies are reduced
    /// first; each keeps its half if states are sharded.
    fn reduce_gradients(&self, parameters: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let plan = &self.scenario.plan;
        let width = self.reduce_bytes();
        let in_whole = self.profile.reduces_whole && !self.shards_parameters();
        let kind = if plan.zero == Zero::None || in_whole {
            Collective::AllReduce
        } else {
            Collective::ReduceScatter
        };
        if plan.schedule.mirrors() {
            self.at_end(
                Module::GradientReduction,
                kind,
                ProcessGroup::FirstAndLast,
                width * parameters.total(),
                1.0,
                visit,
            );
        }
        let whole = if plan.zero == Zero::None { 1.0 } else { f64::from(plan.copies()) };
        if plan.shards_in_groups() {
            // Routed experts are sharded over all ranks that hold the same ones: no gradient is left to reduce.
            let shard = width * parameters.shared() / (whole * self.groups.shard.size.max(1.0));
            self.at_end(
                Module::GradientReduction,
                Collective::AllReduce,
                ProcessGroup::Replicas,
                shard,
                self.reductions_per_step(),
                visit,
            );
        }
        if !plan.zero.shards_parameters() {
            for (elements, group) in self.shared_and_experts(parameters) {
                let bytes = width * elements / whole;
                self.at_end(Module::GradientReduction, kind, group, bytes, self.reductions_per_step(), visit);
            }
            self.copy_gradients(parameters, visit);
        }
    }

    /// Gradients copied into the reduction buckets, for software that also copies those of sharded parameters
    /// ([`Program::gather_parameters`]).
    fn copy_gradients(&self, parameters: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let copied = self.profile.reduce_copy;
        let moved = match self.scenario.plan.zero {
            _ if copied <= 0.0 || self.groups.data.size <= 1.0 => return,
            Zero::None => BUCKET_COPIES * self.reduce_bytes(),
            Zero::Optimizer | Zero::Gradients if self.profile.reduces_whole => {
                SLICE_COPIES * self.reduce_bytes()
            }
            Zero::Optimizer | Zero::Gradients | Zero::Parameters | Zero::Hybrid => copied,
        };
        let times = self.reductions_per_step();
        let work = Work::Stream { bytes: moved * parameters.total(), kernels: 1.0 };
        Emitter::new(self, &mut |call| visit(Call { times, ..call })).kernel(
            Module::GradientCopy,
            Pass::Step,
            work,
        );
    }

    /// Reductions of every gradient per step.
    pub(crate) fn reductions_per_step(&self) -> f64 {
        if self.scenario.training.reduces_micro_batches(&self.scenario.plan) {
            f64::from(self.scenario.micro_batches())
        } else {
            1.0
        }
    }

    /// A tied embedding's gradient, summed over the two stages that hold a copy of the table.
    fn synchronise_embedding(&self, stage: u32, visit: &mut dyn FnMut(Call)) {
        let plan = &self.scenario.plan;
        let (first, last) = plan.embedding_and_head(stage);
        let frozen = self.scenario.training.adapters.freeze();
        let tied = self.profile.embedding_sync && self.scenario.model.tied_embeddings && !frozen;
        if plan.pipeline_parallel > 1 && first != last && tied {
            let table = self.shapes.vocabulary * self.shapes.hidden * self.reduce_bytes();
            let axis = (Parallelism::EmbeddingSync, ProcessGroup::FirstAndLast, Overlap::Nowhere);
            let mut emit = Emitter::new(self, visit);
            emit.collective(Module::EmbeddingSynchronisation, Pass::Step, Collective::AllReduce, table, axis);
        }
    }

    /// Sends updated parameters to every replica where each rank updates a shard (ZeRO-1 and ZeRO-2), then to the other
    /// copy in a mirrored pipeline.
    fn gather_updated(&self, parameters: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let plan = &self.scenario.plan;
        let gather = Collective::AllGather;
        if matches!(plan.zero, Zero::Optimizer | Zero::Gradients) {
            for (elements, group) in self.shared_and_experts(parameters) {
                let bytes = WEIGHT_BYTES * elements / f64::from(plan.copies());
                self.at_end(Module::ParameterGather, gather, group, bytes, 1.0, visit);
            }
        }
        if plan.schedule.mirrors() && plan.zero != Zero::None {
            let bytes = WEIGHT_BYTES * parameters.total();
            self.at_end(Module::ParameterGather, gather, ProcessGroup::FirstAndLast, bytes, 1.0, visit);
        }
    }

    fn at_end(
        &self,
        module: Module,
        kind: Collective,
        group: ProcessGroup,
        bytes: f64,
        times: f64,
        visit: &mut dyn FnMut(Call),
    ) {
        if bytes <= 0.0 {
            return;
        }
        let hides = Overlap::BackwardPasses(self.overlap_at_end(kind));
        let axis = (Parallelism::DataParallel, group, hides);
        Emitter::new(self, &mut |call| visit(Call { times, ..call })).collective(
            module,
            Pass::Step,
            kind,
            bytes,
            axis,
        );
    }

    /// Largest share of a reduction or gather that overlaps with passes.
    fn overlap_at_end(&self, kind: Collective) -> f64 {
        let plan = &self.scenario.plan;
        let overlaps = if kind == Collective::AllGather { plan.gathers_overlap() } else { plan.data_overlap };
        match plan.zero {
            _ if !overlaps || self.scenario.software.waits_for_launches() => 0.0,
            Zero::Parameters | Zero::Hybrid => self.sharding_overlap(kind),
            Zero::None if self.profile.shards_by_module => 1.0 - self.last_reduced(),
            Zero::None | Zero::Optimizer | Zero::Gradients => self.constants.overlap_data,
        }
    }

    /// Share of the trained parameters whose gradients are complete last: the input embedding's, or the first layer's
    /// if larger.
    fn last_reduced(&self) -> f64 {
        let trained = &self.first_trained;
        let dense = self.scenario.model.layer_parameters(self.scenario.plan.tensor_parallel);
        let first = if self.scenario.training.adapters.freeze() { 0.0 } else { dense.total() as f64 };
        let last = trained.embedding.max(first);
        (last / trained.total().max(1.0)).min(1.0)
    }

    /// Parameters that every data-parallel rank holds, and routed experts, each with the ranks that reduce or shard them.
    fn shared_and_experts(&self, parameters: &StageParameters) -> [(f64, ProcessGroup); 2] {
        let shared =
            if self.scenario.plan.shards_in_groups() { ProcessGroup::Shard } else { ProcessGroup::Data };
        [(parameters.shared(), shared), (parameters.experts(), ProcessGroup::ExpertData)]
    }
}
