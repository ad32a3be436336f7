//! Sharded parameters (ZeRO-3, FSDP, HSDP): gathered before a layer runs, gradients reduced after.

use super::emit::Emitter;
use super::{Call, Communication, HALF, Module, Overlap, Parallelism, Pass, ProcessGroup, Program, Saved};
use crate::cost::{Collective, Work};
use crate::scenario::plan::stages::StageParameters;

/// Overlap of the model ends' gathers, relative to a layer's: they have a neighbour on one side only.
const ONE_SIDED: f64 = 0.5;

impl Emitter<'_, '_> {
    /// Copies of parameters out of a gather, or of gradients into a reduction. They are not overlapped.
    fn copy(&mut self, pass: Pass, kind: Collective, parameters: f64) {
        let profile = self.program.profile;
        let (module, bytes) = match kind {
            Collective::AllGather => (Module::ParameterCopy, profile.gather_copy),
            _ => (Module::GradientCopy, profile.reduce_copy),
        };
        if bytes * parameters > 0.0 {
            self.kernel(module, pass, Work::Stream { bytes: bytes * parameters, kernels: 1.0 });
        }
    }
}

impl Program<'_> {
    /// A layer's parameters gathered before its forward pass, and its gradients reduced after its backward pass: routed
    /// experts among ranks that hold the same experts, everything else among all ranks of a copy.
    pub(super) fn gather_parameters(&self, kind: usize, visit: &mut dyn FnMut(Call)) {
        self.of_parameters(
            kind,
            visit,
            &[
                (Module::ParameterGather, Pass::Forward, Collective::AllGather),
                (Module::GradientScatter, Pass::Backward, Collective::ReduceScatter),
            ],
        );
    }

    /// Every call for the sharded parameters of one layer of a kind.
    pub(crate) fn parameter_calls(&self, kind: usize, visit: &mut dyn FnMut(Call)) {
        self.gather_parameters(kind, &mut *visit);
        self.gather_parameters_again(kind, visit);
    }

    /// A layer's parameters gathered again for its backward pass.
    pub(super) fn gather_parameters_again(&self, kind: usize, visit: &mut dyn FnMut(Call)) {
        self.of_parameters(kind, visit, &[(Module::ParameterGather, Pass::Backward, Collective::AllGather)]);
    }

    fn of_parameters(&self, kind: usize, visit: &mut dyn FnMut(Call), calls: &[(Module, Pass, Collective)]) {
        if !self.shards_parameters() {
            return;
        }
        let of = |stage: &StageParameters| {
            stage.kinds.get(kind).map_or((0.0, 0.0), |layer| (layer.shared, layer.experts))
        };
        let adapters = &self.scenario.training.adapters;
        let (held, trained) = (of(&self.first), of(&self.first_trained));
        let quantised = self.scenario.software.gather_bytes(self.precision);
        // Bytes gathered, and bytes of gradients reduced.
        let bytes = |held: f64, trained: f64, kind: Collective| {
            if kind != Collective::AllGather {
                self.reduce_bytes() * trained
            } else if adapters.freeze() {
                adapters.base_bytes() * held + 2.0 * trained
            } else {
                quantised * held
            }
        };
        let mut emit = Emitter::new(self, visit);
        for &(module, pass, kind) in calls {
            let shared = bytes(held.0, trained.0, kind);
            let experts = bytes(held.1, trained.1, kind);
            for (bytes, group) in [(shared, ProcessGroup::Shard), (experts, ProcessGroup::ExpertData)] {
                if bytes > 0.0 {
                    let hides = Overlap::NeighbouringLayer(self.sharding_overlap(kind));
                    let axis = (Parallelism::DataParallel, group, hides);
                    emit.collective(module, pass, kind, bytes, axis);
                }
            }
            if kind == Collective::AllGather {
                let hides = Overlap::NeighbouringLayer(self.sharding_overlap(kind));
                self.fetch(&mut emit, pass, self.scenario.host_weight_bytes(), held, hides);
            }
            let copied = if kind == Collective::AllGather { held } else { trained };
            emit.copy(pass, kind, copied.0 + copied.1);
        }
    }

    /// Offloaded shards on their way to the GPU for a gather: parameters of all ranks and of routed experts, `width`
    /// bytes each. PyTorch's FSDP keeps one copy in the weights' format (torch.distributed.fsdp,
    /// `FSDPParam.all_gather_inputs`), others an additional 16-bit copy.
    fn fetch(
        &self,
        emit: &mut Emitter<'_, '_>,
        pass: Pass,
        width: f64,
        (shared, experts): (f64, f64),
        hides: Overlap,
    ) {
        if !self.scenario.plan.fetches_parameters() {
            return;
        }
        let bytes = width * (shared / self.groups.shard.size + experts / self.groups.expert_data.size);
        let communication = Some(Communication {
            parallelism: Parallelism::DataParallel,
            group: ProcessGroup::Shard,
            messages: 1.0,
            hides,
        });
        let (work, saves) = (Work::HostCopy { bytes }, Saved::NOTHING);
        emit.call(Call { module: Module::ParameterFetch, pass, work, times: 1.0, communication, saves });
    }

    /// The parameters of a model end, gathered in 16 bits for the forward pass and kept for the backward pass.
    pub(super) fn gather_end(&self, parameters: f64, visit: &mut dyn FnMut(Call)) {
        if !self.shards_parameters() || parameters <= 0.0 {
            return;
        }
        let axis = |kind: Collective| {
            let hides = Overlap::Around(ONE_SIDED * self.sharding_overlap(kind));
            (Parallelism::DataParallel, ProcessGroup::Shard, hides)
        };
        let mut emit = Emitter::new(self, visit);
        let gather = Collective::AllGather;
        // Frozen ends stay in 16 bits.
        let width = self.scenario.host_weight_bytes().max(HALF);
        self.fetch(&mut emit, Pass::Forward, width, (parameters, 0.0), axis(gather).2);
        emit.collective(Module::ParameterGather, Pass::Forward, gather, 2.0 * parameters, axis(gather));
        emit.copy(Pass::Forward, gather, parameters);
        if !self.scenario.training.adapters.freeze() {
            let gradient = self.reduce_bytes() * parameters;
            let scatter = Collective::ReduceScatter;
            emit.collective(Module::GradientScatter, Pass::Backward, scatter, gradient, axis(scatter));
            emit.copy(Pass::Backward, scatter, parameters);
        }
    }

    /// Parameters of the final norm and the LM head: only the norm if the head is tied to an embedding on the same
    /// stage.
    pub(super) fn head_parameters(&self) -> f64 {
        let plan = &self.scenario.plan;
        let stage = if plan.embedding_and_head(0).1 { 0 } else { plan.pipeline_parallel.max(1) - 1 };
        self.parameters(stage).head
    }

    /// Largest overlapped share of the gathers and scatters of sharded parameters: with prefetching, all but the first
    /// layer's gather and the last layer's scatter, which have no other layer to overlap with. It is computed for the
    /// whole model, since a place takes equally long on every stage.
    pub(super) fn sharding_overlap(&self, kind: Collective) -> f64 {
        let plan = &self.scenario.plan;
        let gathers = kind == Collective::AllGather;
        let overlaps = if gathers { plan.gathers_overlap() } else { plan.data_overlap };
        if !overlaps || self.scenario.software.waits_for_launches() {
            0.0
        } else if self.profile.shards_by_module {
            1.0 - 1.0 / f64::from(self.scenario.model.layers.max(1))
        } else {
            self.constants.overlap_fsdp
        }
    }
}
