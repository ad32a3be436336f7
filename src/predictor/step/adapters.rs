//! Low-rank adapters on frozen linear layers, and the cost of quantized frozen weights.

use super::emit::Emitter;
use super::module::{ExpertPart, LayerPart};
use super::{Module, Pass, Program, Saved};
use crate::cost::{Gemm, Work};
use crate::scenario::AdapterTargets;

/// Bytes of an element in 16 bits.
const HALF: f64 = 2.0;

/// Kernels that an adapter adds to its linear layer (PEFT's `Linear.forward`): two products, the scaling and the sum.
const LAUNCHES: f64 = 4.0;
/// Kernels that a layer of Llama's modules launches forward ([`Program::launches_of_layer`]); the host-time constants
/// refer to it.
const LAUNCHES_OF_LLAMA: f64 = 40.0;

impl Program<'_> {
    /// Launches of a layer and its adapters, relative to a layer of Llama's modules. Not counted for compiled and fused
    /// stacks.
    pub(crate) fn launches_over_llama(&self) -> f64 {
        let Some(layer) = self.launches_of_layer() else {
            return 1.0;
        };
        let linear = [Module::QkvProjection, Module::AttentionOutput, Module::MlpUp, Module::MlpDown];
        let adapters: f64 = linear.map(|module| self.adapters_on(module)).iter().sum();
        (layer + adapters * LAUNCHES) / LAUNCHES_OF_LLAMA
    }

    /// Fused matrices of a linear layer that have adapters, each with its own A; 0 without adapters.
    pub(super) fn adapters_on(&self, module: Module) -> f64 {
        let adapters = &self.scenario.training.adapters;
        if !adapters.freeze() {
            return 0.0;
        }
        if module == Module::CrossKeysValues {
            return 2.0;
        }
        let all = if adapters.targets == AdapterTargets::AllLinear { 1.0 } else { 0.0 };
        match module.part() {
            LayerPart::QueryKeyValue if self.shapes.projected <= 0.0 => 1.0,
            LayerPart::QueryKeyValue => 3.0,
            LayerPart::AttentionOutput | LayerPart::LatentDown | LayerPart::LatentUp => 1.0,
            LayerPart::Up | LayerPart::Experts(ExpertPart::Up) => all * self.shapes.up_branches,
            LayerPart::Down | LayerPart::Experts(ExpertPart::Down) => all,
            LayerPart::Norm
            | LayerPart::HeadNorm
            | LayerPart::KeyAssembly
            | LayerPart::AttentionCore
            | LayerPart::AttentionResidual
            | LayerPart::FeedForwardInput
            | LayerPart::Activation
            | LayerPart::LayerOutput
            | LayerPart::Experts(ExpertPart::Sorting | ExpertPart::Activation | ExpertPart::Bias)
            | LayerPart::Routing
            | LayerPart::Other => 0.0,
        }
    }

    /// Whether a linear layer keeps its input for a weight gradient, its own or its adapter's.
    pub(super) fn reads_input(&self, module: Module) -> bool {
        !self.scenario.training.adapters.freeze() || self.adapters_on(module) > 0.0
    }
}

impl Emitter<'_, '_> {
    /// Quantized frozen weights are dequantized before each of the two products that read them: read as stored, written
    /// in 16 bits.
    pub(super) fn widen(&mut self, weights: f64) {
        let bytes = weights * (self.program.scenario.training.adapters.base_bytes() + HALF);
        let work = Work::Stream { bytes, kernels: 1.0 };
        self.kernel(Module::Dequantise, Pass::Forward, work);
        self.kernel(Module::Dequantise, Pass::Backward, work);
    }

    /// The adapter of the linear layer Y = X W, if it has one: Y + X A B, where the inner dimension is the rank, and
    /// the gradients of both. A layer of several fused matrices has one A for each.
    pub(super) fn adapter(&mut self, module: Module, groups: f64, [tokens, n, k]: [f64; 3]) {
        let scenario = self.program.scenario;
        let adapters = &scenario.training.adapters;
        let adapted = self.program.adapters_on(module);
        if adapted <= 0.0 {
            return;
        }
        let rank = f64::from(adapters.rank);
        let inner = adapted * rank;
        let gemm = |m, n, k, accumulates| {
            Work::Gemm(Gemm { m, n, k, low_precision: false, accumulates, groups, unaligned: false })
        };
        let between = Saved { stays: groups * tokens * inner * HALF, ..Saved::NOTHING };
        self.saving_kernel(Module::AdapterDown, Pass::Forward, gemm(tokens, inner, k, false), between);
        self.kernel(Module::AdapterDown, Pass::InputGradient, gemm(tokens, k, inner, false));
        self.kernel(Module::AdapterDown, Pass::WeightGradient, gemm(inner, k, tokens, true));
        self.kernel(Module::AdapterUp, Pass::Forward, gemm(tokens, n, rank, false));
        self.kernel(Module::AdapterUp, Pass::InputGradient, gemm(tokens, rank, n, false));
        self.kernel(Module::AdapterUp, Pass::WeightGradient, gemm(n, rank, tokens, true));
        // Adds the adapter's output to the layer's, and its input gradient to the layer's; plain PyTorch scales the
        // output and its gradient in separate kernels (PEFT's `Linear.forward`).
        let plain = scenario.software.plain_modules();
        let scaled = if plain { 2.0 * HALF * groups * tokens * n } else { 0.0 };
        let sum = |elements: f64| Work::Stream {
            bytes: 3.0 * HALF * groups * tokens * elements + scaled,
            kernels: if plain { 2.0 } else { 1.0 },
        };
        self.kernel(Module::AdapterSum, Pass::Forward, sum(n));
        self.kernel(Module::AdapterSum, Pass::Backward, sum(k));
    }
}
