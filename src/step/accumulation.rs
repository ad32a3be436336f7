//! Gradients of products that kernels of their own add to those of the micro-batches before.

use super::emit::Emitter;
use super::implementations as kernels;
use super::{Module, Program, Saved};
use crate::scenario::stack::Launch;

impl Program<'_> {
    /// Whether a kernel of its own adds the gradient of a product of weights to the sum over micro-batches, and not the product. AMD's scripts for Megatron-LM set `--no-gradient-accumulation-fusion`
    /// (`examples/llama/train_llama3.sh` of ROCm/Megatron-LM), and Primus' configurations `gradient_accumulation_fusion: false`.
    pub(super) fn accumulates_apart(&self) -> bool {
        let scenario = self.scenario;
        let whole = !scenario.plan.zero.wraps_modules();
        let amd = scenario.cluster.gpu.family.is_amd();
        amd && whole && scenario.software.launch() == Launch::Fused
    }
}

impl Emitter<'_, '_> {
    /// The gradients of so many weights added to their sums, where a kernel of its own does it.
    pub(super) fn accumulate(&mut self, weights: f64) {
        if self.program.accumulates_apart() {
            self.moved(Module::GradientAccumulation, kernels::GRADIENT_ADDED.half, weights, Saved::NOTHING);
        }
    }
}
