//! Gradients of products that kernels of their own add to those of the micro-batches before.

use super::emit::Emitter;
use super::{Module, Pass, Program};
use crate::cost::Work;
use crate::scenario::stack::Launch;

/// Bytes per gradient that Megatron-LM moves beside the product's without its fused accumulation, in one kernel:
/// `param.main_grad.add_(param.grad.data)`, which reads 2 and 4 bytes and writes 4
/// (`megatron/core/distributed/distributed_data_parallel.py`).
const MEGATRON: f64 = 10.0;

impl Program<'_> {
    /// Bytes per gradient of a product of weights that a kernel of its own moves to add it to the sum over micro-batches;
    /// nothing where the product does so itself. AMD's scripts for Megatron-LM set `--no-gradient-accumulation-fusion`
    /// (`examples/llama/train_llama3.sh` of ROCm/Megatron-LM), and Primus' configurations `gradient_accumulation_fusion: false`.
    pub(super) fn accumulation(&self) -> Option<f64> {
        let scenario = self.scenario;
        let whole = !scenario.plan.zero.wraps_modules();
        let amd = scenario.cluster.gpu.family.is_amd();
        (amd && whole && scenario.software.launch() == Launch::Fused).then_some(MEGATRON)
    }
}

impl Emitter<'_, '_> {
    /// The gradients of so many weights added to their sums, where a kernel of its own does it.
    pub(super) fn accumulate(&mut self, weights: f64) {
        if let Some(bytes) = self.program.accumulation() {
            let work = Work::Stream { bytes: bytes * weights, kernels: 1.0 };
            self.kernel(Module::GradientAccumulation, Pass::Backward, work);
        }
    }
}
