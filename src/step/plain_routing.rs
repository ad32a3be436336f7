//! Tokens brought to their experts and back by operations of plain PyTorch, each a kernel of its own.

use super::elementwise::{KernelTraffic, RESIDUAL};
use super::emit::Emitter;
use super::{Module, Saved};
use crate::scenario::stack::{Compiler, ExpertKernels};

/// Bytes of copies of tokens gathered or put elsewhere by PyTorch's indexing: read and written.
const INDEXED: f64 = 4.0;
/// What was gathered put back to where it was; backward gathered again.
const PUT_BACK: KernelTraffic = KernelTraffic::new([INDEXED, 1.0], [INDEXED, 1.0]);
/// A row of zeros added to all others, from which gaps between groups are filled (torchtitan's `_permute`): all copied; backward the
/// gradient of the copy without that row.
const ZERO_ROW: KernelTraffic = KernelTraffic::new([4.0, 1.0], [6.0, 1.0]);
/// Experts' outputs weighted by the gate (torchtitan, `models/common/token_dispatcher.py`): cast to 32 bits 6, product 8, cast
/// back 6; backward gathered 4, cast 6, product with the weights 8, product with the outputs and its sum 16, cast back 6.
const WEIGHTED: KernelTraffic = KernelTraffic::new([20.0, 3.0], [40.0, 6.0]);
/// And added up by `scatter_add`.
const SCATTER_ADD: f64 = 6.0;
/// The same in 16 bits (Transformers' `integrations/moe.py`): product 4, brought into the tokens' order 4, sum over a token's experts 2;
/// backward put back into the experts' order 8, product with the weights 4, product with the outputs and its sum 8.
const WEIGHTED_HALF: KernelTraffic = KernelTraffic::new([10.0, 3.0], [20.0, 5.0]);
/// Experts' biases (torchtitan's `models/gpt_oss/moe.py`, Transformers' `integrations/moe.py`): rows written 2 and added 6;
/// backward the outputs' gradient is read 2 and summed into the experts' few rows.
const EXPERT_BIAS: KernelTraffic = KernelTraffic::new([8.0, 2.0], [2.0, 1.0]);
/// The same where only the sum is a kernel of its own.
const EXPERT_BIAS_COMPILED: KernelTraffic = KernelTraffic::new([0.0, 0.0], [2.0, 1.0]);

impl Emitter<'_, '_> {
    /// Whether tokens are brought to their experts and back by operations of plain PyTorch, each a kernel of its own, around
    /// grouped products.
    pub(super) fn routes_plainly(&self) -> bool {
        let software = &self.program.scenario.software;
        let eager = software.plain_modules() || software.leaves_routing_eager();
        software.expert_kernels == ExpertKernels::PerExpert && eager
    }

    /// Copies of tokens gathered by PyTorch's indexing, whose gradient is added up row by row in the order of the indices.
    fn gather(&self) -> KernelTraffic {
        KernelTraffic::new([INDEXED, 1.0], [INDEXED * self.program.constants.index_gradient_ratio, 1.0])
    }

    /// So many elements of copies of tokens gathered by plain PyTorch, `sortings` times in a row; each projection that reads them
    /// hands back a gradient.
    pub(super) fn gathered(&mut self, elements: f64, sortings: f64, saves: Saved) {
        let readers = self.program.shapes.up_branches;
        let sums = KernelTraffic::new([0.0; 2], RESIDUAL.backward).times(readers - 1.0);
        let gathers = if self.pads_groups() {
            self.gather().times(2.0).and(ZERO_ROW)
        } else {
            self.gather().times(sortings)
        };
        self.moved(Module::TokenPermute, gathers.and(sums), elements, saves);
    }

    /// So many elements of experts' outputs brought back through `sortings` orders, weighted and added up by plain PyTorch.
    pub(super) fn weighted(&mut self, elements: f64, sortings: f64) {
        let profile = self.program.profile;
        let again = if self.pads_groups() { 1.0 } else { sortings - 1.0 };
        let weighted = if profile.compiler != Compiler::Inductor {
            WEIGHTED_HALF
        } else if profile.adds_up_in_order {
            WEIGHTED.and(KernelTraffic::new(self.gather().backward, [0.0; 2]))
        } else {
            WEIGHTED.and(KernelTraffic::new([SCATTER_ADD, 1.0], [0.0; 2]))
        };
        self.moved(Module::TokenUnpermute, PUT_BACK.times(again).and(weighted), elements, Saved::NOTHING);
    }

    /// Whether copies of tokens are sorted once more where they arrive, into groups with gaps between them.
    fn pads_groups(&self) -> bool {
        self.program.profile.pads_groups
    }

    /// Biases of experts in PyTorch's own operators, added to so many outputs: a row of them gathered for every copy of a token and
    /// added, which compiled programs do as they read the products' outputs. Whether there are any such operators.
    pub(super) fn expert_bias(&mut self, outputs: f64) -> bool {
        let software = &self.program.scenario.software;
        let grouped = software.expert_kernels == ExpertKernels::PerExpert;
        let module = if grouped && software.plain_modules() {
            EXPERT_BIAS
        } else if self.program.profile.compiler == Compiler::Inductor {
            EXPERT_BIAS_COMPILED
        } else {
            return false;
        };
        self.moved(Module::ExpertBias, module, outputs, Saved::NOTHING);
        true
    }
}
