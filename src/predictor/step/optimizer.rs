//! The parameter update.

use super::emit::Emitter;
use super::{Call, Module, Pass, Program};
use crate::cost::Work;
use crate::scenario::plan::Zero;
use crate::scenario::plan::stages::StageParameters;
use crate::scenario::{Optimizer, Training};

impl Program<'_> {
    /// The optimizer on the rank's share of the `trained` parameters: memory-bound except for Muon's products; nothing
    /// if the host updates ([`Program::updated_parameters`] has the share).
    pub(super) fn update_parameters(&self, trained: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let plan = &self.scenario.plan;
        if plan.offload_optimizer {
            return;
        }
        let resident = if self.shards_parameters() { 0.0 } else { trained.total() };
        let bytes = self.update_bytes(trained) + resident * self.constants.optimizer_bytes_local;
        Emitter::new(self, &mut *visit).kernel(
            Module::Optimizer,
            Pass::Step,
            Work::Stream { bytes, kernels: 0.0 },
        );
        if plan.fetches_parameters() {
            let bytes = self.scenario.host_weight_bytes() * self.updated_parameters(trained);
            Emitter::new(self, &mut *visit).kernel(
                Module::ParameterReturn,
                Pass::Step,
                Work::HostCopy { bytes },
            );
        }
        let training = &self.scenario.training;
        if training.optimizer == Optimizer::Muon && !training.adapters.freeze() {
            self.orthogonalise(trained, visit);
        }
    }

    /// Bytes that the update of one rank's share of the `trained` parameters moves: those of 32-bit Adam, times a ratio
    /// for other optimizers and formats.
    pub(crate) fn update_bytes(&self, trained: &StageParameters) -> f64 {
        let [layer, end] = self.scenario.training.update();
        let [usual, _] = Training::USUAL.update();
        let updated = self.updated_parameters(trained);
        let of_ends = self.share(trained.ends(), 0.0);
        let widths =
            updated * (layer.moved / usual.moved) + of_ends * ((end.moved - layer.moved) / usual.moved);
        widths * self.constants.optimizer_bytes_sharded
    }

    /// Parameters that one rank updates: its shard of the sharded ones.
    pub(crate) fn updated_parameters(&self, parameters: &StageParameters) -> f64 {
        self.share(parameters.shared(), parameters.experts())
    }

    /// Ranks over which one copy of the states is sharded, except the copies of a mirrored pipeline.
    fn sharding_ranks(&self) -> f64 {
        let grouped = self.scenario.plan.shards_in_groups();
        if grouped { self.groups.shard.size } else { self.groups.data.size }
    }

    /// Parameters that one rank updates, of those that every data-parallel rank holds and of routed experts.
    pub(super) fn share(&self, shared: f64, of_experts: f64) -> f64 {
        let shard = |whole: f64, ranks: f64| whole / ranks.max(1.0);
        let copies = f64::from(self.scenario.plan.copies());
        let experts = self.groups.expert_data.size;
        match self.scenario.plan.zero {
            Zero::None => shared + of_experts,
            Zero::Optimizer | Zero::Gradients => {
                shard(shared, self.sharding_ranks() * copies) + shard(of_experts, experts * copies)
            }
            Zero::Parameters | Zero::Hybrid => {
                shard(shared, self.groups.shard.size) + shard(of_experts, experts)
            }
        }
    }
}
