//! The end of a step: gradients reduced, parameters updated and gathered.

use super::Context;
use crate::cost::{Collective, Group, Work};
use crate::scenario::plan::Zero;

impl Context<'_> {
    /// Gradient reduction and parameter gathering of the step: exposed and hidden seconds.
    pub(super) fn data_reduction(&self, micro_batch: f64) -> (f64, f64) {
        let c = self.constants;
        let plan = &self.scenario.plan;
        let (first, last) = plan.ends(0);
        let synchronisation = if plan.pipeline_parallel > 1
            && first != last
            && self.profile.embedding_sync
            && self.scenario.model.tied_embeddings
        {
            let table = self.shapes.vocabulary * self.shapes.hidden * self.profile.reduce_bytes;
            self.collective(Collective::AllReduce, table, self.groups.ends)
        } else {
            0.0
        };
        let overlaps = if plan.data_overlap { c.overlap_data } else { 0.0 };
        // Sharded gradients leave no room to accumulate whole ones: every micro-batch reduces its own.
        let rounds =
            if plan.zero == Zero::Gradients { f64::from(self.scenario.micro_batches()) } else { 1.0 };
        let width = self.profile.reduce_bytes;
        let copies = f64::from(plan.copies());
        let once = |parameters: f64, group: Group| match plan.zero {
            Zero::None => self.collective(Collective::AllReduce, width * parameters, group),
            Zero::Optimizer | Zero::Gradients => {
                rounds * self.collective(Collective::ReduceScatter, width * parameters / copies, group)
                    + self.collective(Collective::AllGather, 2.0 * parameters / copies, group)
            }
            Zero::Parameters | Zero::Hybrid => 0.0,
        };
        let across = if copies > 1.0 { self.across(self.first.total()) } else { 0.0 };
        let (reduction, hides) = if plan.zero == Zero::Hybrid {
            let shard = width * self.first.total() / self.groups.shard.size.max(1.0);
            let hides = if plan.data_overlap { c.overlap_fsdp } else { 0.0 };
            (self.collective(Collective::AllReduce, shard, self.groups.replicas), hides)
        } else {
            let shared = once(self.first.shared(), self.groups.data);
            (shared + once(self.first.experts(), self.groups.expert_data), overlaps)
        };
        let reduction = reduction + across;
        let window = c.overlap_data_window * micro_batch * rounds.max(self.turns());
        let hidden = (reduction * hides).min(window);
        (reduction - hidden + synchronisation, hidden)
    }

    /// Micro-batches that a stage computes between its first chunk of layers and its last, and so between the
    /// first gradients that are whole and the last: an interleaved pipeline runs p of them through a chunk
    /// before the next (Narayanan et al. 2021, section 2.2).
    fn turns(&self) -> f64 {
        let plan = &self.scenario.plan;
        let (stages, chunks) = (f64::from(plan.pipeline_parallel), f64::from(plan.virtual_stages));
        let waiting = stages * (1.0 - 1.0 / chunks.max(1.0));
        waiting.clamp(1.0, f64::from(self.scenario.micro_batches()))
    }

    /// Adam on this rank's share, bound by device memory.
    pub(super) fn optimizer(&self) -> f64 {
        let c = self.constants;
        let parameters = self.first.total();
        let shard = |whole: f64, ranks: f64| whole / ranks.max(1.0);
        let copies = f64::from(self.scenario.plan.copies());
        let updated = match self.scenario.plan.zero {
            Zero::None => parameters,
            Zero::Optimizer | Zero::Gradients => {
                shard(self.first.shared(), self.groups.data.size * copies)
                    + shard(self.first.experts(), self.groups.expert_data.size * copies)
            }
            Zero::Parameters | Zero::Hybrid => {
                shard(self.first.shared(), self.groups.shard.size)
                    + shard(self.first.experts(), self.groups.expert_data.size)
            }
        };
        if self.scenario.plan.offload_optimizer {
            return self.host_update(updated);
        }
        let held = if self.shards_parameters() { 0.0 } else { parameters };
        let bytes = updated * c.optimizer_bytes_sharded + held * c.optimizer_bytes_local;
        self.rates.price(&Work::Stream { bytes, kernels: 0.0 }).time.0
    }
}
