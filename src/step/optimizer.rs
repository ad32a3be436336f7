//! The parameter update.

use super::emit::Emitter;
use super::module::{ExpertPart, LayerPart};
use super::{Call, Module, Pass, Place, Program};
use crate::cost::{Gemm, Work};
use crate::scenario::plan::Zero;
use crate::scenario::plan::stages::StageParameters;
use crate::scenario::{Optimizer, Training};

/// Newton-Schulz iterations that Muon runs on every matrix.
const MUON_STEPS: f64 = 5.0;

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
        let of_ends = self.share(trained.embedding + trained.head, 0.0);
        let widths =
            updated * (layer.moved / usual.moved) + of_ends * ((end.moved - layer.moved) / usual.moved);
        widths * self.constants.optimizer_bytes_sharded
    }

    /// Muon's update of the layers' matrices (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon): five
    /// Newton-Schulz iterations, `X <- a X + (b X X' + c (X X')^2) X`, of three products each. A rank updates its share
    /// of the matrices, or its tensor-parallel part of each.
    fn orthogonalise(&self, trained: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let all = trained.total() - trained.embedding - trained.head;
        let mine = self.updated_parameters(trained) - self.share(trained.embedding + trained.head, 0.0);
        let share = if all > 0.0 { mine / all } else { 0.0 };
        let held = trained.layers.iter().enumerate().filter(|(_, layers)| **layers > 0);
        for (kind, layers) in held.map(|(kind, layers)| (kind, f64::from(*layers))) {
            self.calls(Place::layer(kind), &mut |call| {
                if let (Pass::WeightGradient, Work::Gemm(gemm)) = (call.pass, call.work) {
                    let times = MUON_STEPS * share * layers * gemm.groups;
                    for (rows, count) in self.matrices(call.module.part(), gemm.m) {
                        self.newton_schulz([rows, gemm.n], times * count, &mut *visit);
                    }
                }
            });
        }
    }

    /// Matrices in a linear layer's weights: their rows, and how many have this many rows. Query, key and value are
    /// three, the branches of a gated up-projection two.
    fn matrices(&self, part: LayerPart, rows: f64) -> [(f64, f64); 2] {
        match part {
            LayerPart::QueryKeyValue => {
                let key_values = self.shapes.key_values;
                [(rows - key_values, 1.0), (0.5 * key_values, 2.0)]
            }
            LayerPart::Up | LayerPart::Experts(ExpertPart::Up) => {
                let branches = self.shapes.up_branches;
                [(rows / branches, branches), (0.0, 0.0)]
            }
            LayerPart::Norm
            | LayerPart::HeadNorm
            | LayerPart::LatentDown
            | LayerPart::LatentUp
            | LayerPart::KeyAssembly
            | LayerPart::AttentionCore
            | LayerPart::AttentionOutput
            | LayerPart::AttentionResidual
            | LayerPart::FeedForwardInput
            | LayerPart::Activation
            | LayerPart::Down
            | LayerPart::LayerOutput
            | LayerPart::Experts(
                ExpertPart::Sorting | ExpertPart::Activation | ExpertPart::Down | ExpertPart::Bias,
            )
            | LayerPart::Other => [(rows, 1.0), (0.0, 0.0)],
        }
    }

    /// The three products of an iteration on a matrix with shorter side a and longer side b: a b a, a a a, a a b.
    fn newton_schulz(&self, [rows, columns]: [f64; 2], times: f64, visit: &mut dyn FnMut(Call)) {
        if times <= 0.0 {
            return;
        }
        let (a, b) = (rows.min(columns), rows.max(columns));
        for (n, k) in [(a, b), (a, a), (b, a)] {
            let (low_precision, accumulates, unaligned) = (false, false, false);
            let gemm = Gemm { m: a, n, k, low_precision, accumulates, groups: 1.0, unaligned };
            let mut emit = |call: Call| visit(Call { times, ..call });
            Emitter::new(self, &mut emit).kernel(Module::NewtonSchulz, Pass::Step, Work::Gemm(gemm));
        }
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
    fn share(&self, shared: f64, of_experts: f64) -> f64 {
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
