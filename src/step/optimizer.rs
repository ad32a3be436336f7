//! The update of the parameters.

use super::emit::Emitter;
use super::{Call, Pass, Program};
use crate::cost::Work;
use crate::scenario::plan::Zero;
use crate::scenario::plan::stages::StageParameters;

impl Program<'_> {
    /// Adam on the rank's share, bound by device memory; nothing where the host updates
    /// ([`Program::updated_parameters`] says how much).
    pub(super) fn update_parameters(&self, parameters: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let plan = &self.scenario.plan;
        if plan.offload_optimizer {
            return;
        }
        let c = self.constants;
        let resident = if self.shards_parameters() { 0.0 } else { parameters.total() };
        let updated = self.updated_parameters(parameters);
        let bytes = updated * c.optimizer_bytes_sharded + resident * c.optimizer_bytes_local;
        Emitter::new(self, visit).kernel("optimizer", Pass::Step, Work::Stream { bytes, kernels: 0.0 });
    }

    /// Parameters that one rank updates: its shard of those that are sharded.
    pub(crate) fn updated_parameters(&self, parameters: &StageParameters) -> f64 {
        let shard = |whole: f64, ranks: f64| whole / ranks.max(1.0);
        let copies = f64::from(self.scenario.plan.copies());
        let experts = self.groups.expert_data.size;
        match self.scenario.plan.zero {
            Zero::None => parameters.total(),
            Zero::Optimizer | Zero::Gradients => {
                shard(parameters.shared(), self.groups.data.size * copies)
                    + shard(parameters.experts(), experts * copies)
            }
            Zero::Parameters | Zero::Hybrid => {
                shard(parameters.shared(), self.groups.shard.size) + shard(parameters.experts(), experts)
            }
        }
    }
}
