//! Dispatch and combine in plain PyTorch, one kernel per operation.

use super::emit::Emitter;
use super::implementation::KernelTraffic;
use super::implementations as kernels;
use super::{HALF, Module, SINGLE, Saved};
use crate::scenario::stack::ExpertKernels;

impl Emitter<'_, '_> {
    /// Whether tokens are dispatched and combined by plain PyTorch, one kernel per operation, around grouped products.
    pub(super) fn routes_plainly(&self) -> bool {
        let software = &self.program.scenario.software;
        let eager = software.plain_modules() || software.leaves_routing_eager();
        software.expert_kernels == ExpertKernels::PerExpert && eager
    }

    /// Token copies gathered by PyTorch's indexing, whose backward adds rows up in the order of the indices.
    fn gather(&self) -> KernelTraffic {
        let KernelTraffic { forward, backward: [bytes, launched] } = kernels::INDEXED.half;
        KernelTraffic { forward, backward: [bytes * self.program.constants.index_gradient_ratio, launched] }
    }

    /// Token copies gathered by plain PyTorch, `sortings` times in a row; each projection that reads them returns a
    /// gradient.
    pub(super) fn gathered(&mut self, elements: f64, sortings: f64, saves: Saved) {
        let readers = self.program.shapes.up_branches;
        let sum = KernelTraffic { backward: kernels::RESIDUAL.half.backward, ..KernelTraffic::default() };
        let sums = sum.times(readers - 1.0);
        let gathers = if self.pads_groups() {
            self.gather().times(2.0).and(kernels::ZERO_ROW.half)
        } else {
            self.gather().times(sortings)
        };
        self.moved(Module::TokenPermute, gathers.and(sums), elements, saves);
    }

    /// Experts' outputs restored to token order through `sortings` permutations, weighted and summed by plain PyTorch.
    pub(super) fn weighted(&mut self, elements: f64, sortings: f64) {
        let profile = self.program.profile;
        let again = if self.pads_groups() { 1.0 } else { sortings - 1.0 };
        // Weighted outputs are kept for the gradient of the gate's weights. torchtitan weights the experts' inputs
        // (`score_before_experts`).
        let behind = !profile.inductor;
        let kept = match (profile.weighs_outputs, behind) {
            (true, _) => SINGLE,
            (false, true) => HALF,
            (false, false) => 0.0,
        };
        let saves = Saved { stays: kept * elements, ..Saved::NOTHING };
        let weighted = if behind {
            kernels::WEIGHTED_HALF.half
        } else if profile.adds_up_in_order {
            let added = KernelTraffic { forward: self.gather().backward, ..KernelTraffic::default() };
            kernels::WEIGHTED.half.and(added)
        } else {
            kernels::WEIGHTED.half.and(kernels::SCATTER_ADD.half)
        };
        self.moved(Module::TokenUnpermute, kernels::INDEXED.half.times(again).and(weighted), elements, saves);
    }

    /// Whether token copies are sorted again on arrival, into padded groups.
    fn pads_groups(&self) -> bool {
        self.program.profile.pads_groups
    }

    /// Experts' biases in PyTorch's own operators: a bias row is gathered for every token copy and added; compiled
    /// programs fuse this with the read of the products' outputs. Returns whether there are separate operators.
    pub(super) fn expert_bias(&mut self, outputs: f64) -> bool {
        let software = &self.program.scenario.software;
        let grouped = software.expert_kernels == ExpertKernels::PerExpert;
        let module = if grouped && software.plain_modules() {
            kernels::EXPERT_BIAS
        } else if self.program.profile.inductor {
            kernels::EXPERT_BIAS_COMPILED
        } else {
            return false;
        };
        self.moved(Module::ExpertBias, module.half, outputs, Saved::NOTHING);
        true
    }
}
