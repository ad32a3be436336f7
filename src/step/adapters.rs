//! Adapters of low rank beside frozen linear layers, and what frozen weights in few bits cost.

use super::emit::Emitter;
use super::{Pass, Program, Saved};
use crate::cost::{Gemm, Work};

/// Bytes of an element in 16 bits.
const HALF: f64 = 2.0;

/// Kernels that an adapter launches beside its linear layer (PEFT's `Linear.forward`): two products, their scale and the sum.
const LAUNCHES: f64 = 4.0;
/// Kernels that a layer of Llama's modules launches forward ([`Program::launches_of_layer`]), whose host time the constants are.
const LAUNCHES_OF_LLAMA: f64 = 36.0;

impl Program<'_> {
    /// Launches of a layer and its adapters over those of a layer of Llama's modules. Those of compiled and fused stacks are not
    /// counted.
    pub(crate) fn launches_over_llama(&self) -> f64 {
        let scenario = self.scenario;
        let Some(layer) = self.launches_of_layer() else {
            return 1.0;
        };
        let beside = |name| scenario.training.adapters.beside(name, scenario.model.gated_mlp);
        let adapters: f64 =
            ["qkv_projection", "attention_output", "mlp_up", "mlp_down"].map(beside).iter().sum();
        (layer + adapters * LAUNCHES) / LAUNCHES_OF_LLAMA
    }
}

impl Emitter<'_, '_> {
    /// Frozen weights in few bits are widened before each of the two products that read them: read as they are kept,
    /// written in 16 bits.
    pub(super) fn widen(&mut self, weights: f64) {
        let bytes = weights * (self.program.scenario.training.adapters.base_bytes() + HALF);
        let work = Work::Stream { bytes, kernels: 1.0 };
        self.kernel("dequantise", Pass::Forward, work);
        self.kernel("dequantise", Pass::Backward, work);
    }

    /// The adapter of the linear layer Y = X W of that name, where it has one: Y + X A B with an inner dimension of the
    /// rank, and both sides' gradients. Layers that are fused of several matrices have an A for each.
    pub(super) fn adapter(&mut self, name: &str, groups: f64, [tokens, n, k]: [f64; 3]) {
        let scenario = self.program.scenario;
        let adapters = &scenario.training.adapters;
        let beside = adapters.beside(name, scenario.model.gated_mlp);
        if beside <= 0.0 {
            return;
        }
        let rank = f64::from(adapters.rank);
        let inner = beside * rank;
        let gemm = |m, n, k, accumulates| {
            Work::Gemm(Gemm { m, n, k, low_precision: false, accumulates, groups, unaligned: false })
        };
        let between = Saved { stays: groups * tokens * inner * HALF, ..Saved::NOTHING };
        self.saving_kernel("adapter_down", Pass::Forward, gemm(tokens, inner, k, false), between);
        self.kernel("adapter_down", Pass::InputGradient, gemm(tokens, k, inner, false));
        self.kernel("adapter_down", Pass::WeightGradient, gemm(inner, k, tokens, true));
        self.kernel("adapter_up", Pass::Forward, gemm(tokens, n, rank, false));
        self.kernel("adapter_up", Pass::InputGradient, gemm(tokens, rank, n, false));
        self.kernel("adapter_up", Pass::WeightGradient, gemm(n, rank, tokens, true));
        // The adapter's output added to the layer's, and its input's gradient to that of the layer; plain PyTorch scales
        // the output and its gradient by kernels of their own (PEFT's `Linear.forward`).
        let plain = scenario.software.plain_modules();
        let scaled = if plain { 2.0 * HALF * groups * tokens * n } else { 0.0 };
        let sum = |elements: f64| Work::Stream {
            bytes: 3.0 * HALF * groups * tokens * elements + scaled,
            kernels: if plain { 2.0 } else { 1.0 },
        };
        self.kernel("adapter_sum", Pass::Forward, sum(n));
        self.kernel("adapter_sum", Pass::Backward, sum(k));
    }
}
