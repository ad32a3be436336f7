//! Weight gradients added to the sum over micro-batches by separate kernels.

use super::emit::Emitter;
use super::implementations as kernels;
use super::{Module, Program, Saved};
use crate::scenario::stack::Launch;

impl Program<'_> {
    /// Whether a separate kernel, and not the GEMM, adds a weight gradient to the sum over micro-batches. AMD's scripts
    /// for Megatron-LM set `--no-gradient-accumulation-fusion` (`examples/llama/train_llama3.sh` of ROCm/Megatron-LM),
    /// and Primus' configurations set `gradient_accumulation_fusion: false`.
    pub(super) fn accumulates_apart(&self) -> bool {
        let scenario = self.scenario;
        let whole = !scenario.plan.zero.wraps_modules();
        let amd = scenario.cluster.gpu.family.is_amd();
        amd && whole && scenario.software.launch() == Launch::Fused
    }
}

impl Emitter<'_, '_> {
    /// Adds the gradients of this many weights to their sums, if a separate kernel does it.
    pub(super) fn accumulate(&mut self, weights: f64) {
        if self.program.accumulates_apart() {
            self.moved(Module::GradientAccumulation, kernels::GRADIENT_ADDED.half, weights, Saved::NOTHING);
        }
    }
}
