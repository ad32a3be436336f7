//! A recurrent mixer: projections, convolution, scan, gated norm, output projection.

use super::emit::Emitter;
use super::{HALF, Module, Pass, Saved};
use crate::cost::{Scan, Work};

/// Kernels of the convolution's backward pass: its gradients, and the sums for taps and biases.
const CONVOLUTION_KERNELS: f64 = 4.0;
/// Kernels of the gated norm's backward pass.
const NORM_KERNELS: f64 = 3.0;

impl Emitter<'_, '_> {
    /// Norm, projections, scan and output projection of one micro-batch. A tensor-parallel group splits the heads as in
    /// attention; a context-parallel group exchanges tokens for heads (Megatron-Core, `MambaContextParallel`).
    pub(super) fn recurrent(&mut self) {
        let program = self.program;
        self.norm(Module::AttentionNorm, program.shapes.split_elements());
        self.block_input(Module::AttentionInputGather);
        self.recurrence();
        self.block_output(Module::AttentionOutputReduce);
        self.residual(Module::AttentionResidual, program.saved_attention_residual());
    }

    /// The recurrent mixer that runs after attention in the same layer, on the same normed input. Their outputs are
    /// added before attention's tensor-parallel reduction.
    pub(super) fn recurrent_beside(&mut self) {
        self.recurrence();
        self.residual(Module::AttentionResidual, Saved::NOTHING);
    }

    /// Projections, scan and output projection.
    fn recurrence(&mut self) {
        let program = self.program;
        let (shapes, rule) = (&program.shapes, program.scenario.model.recurrent.rule);
        let (tokens, hidden, of) = (shapes.tokens, shapes.hidden, &shapes.recurrent);
        let inputs = HALF * tokens * of.projected;
        let saves = Saved { stays: inputs, for_weights: inputs, ..Saved::NOTHING };
        self.saving_linear(Module::MixerProjection, [tokens, of.projected, hidden], saves);
        if of.low_rank > 0.0 {
            self.linear(Module::MixerGateDown, tokens, of.low_rank, of.low_rank_input);
            self.linear(Module::MixerGateUp, tokens, of.from_low_rank, of.gate_rank);
        }
        if of.square_gates > 0.0 {
            let width = f64::from(program.scenario.model.recurrent.value_dim);
            let gates = [tokens, of.square_gates, width];
            self.grouped_linear(Module::MixerGateUp, of.heads, gates, Saved::NOTHING);
        }
        self.swap_for_scan(Module::AttentionInputExchange, of.projected);
        self.convolution(tokens * of.channels);
        if rule.row().scan.is_some() {
            self.scan();
        }
        self.swap_for_scan(Module::AttentionOutputExchange, of.values);
        if of.output_gate {
            self.gated_norm(tokens * of.values);
        }
        self.linear(Module::AttentionOutput, tokens, hidden, of.values);
    }

    /// The convolution over this many channels of tokens, with its activation: one kernel.
    fn convolution(&mut self, elements: f64) {
        if elements <= 0.0 {
            return;
        }
        let c = self.program.constants;
        let again = self.program.scenario.model.recurrent.rule.row().recomputes_convolution;
        let saves = if again { Saved::NOTHING } else { Saved { stays: HALF * elements, ..Saved::NOTHING } };
        let work = |kernels, passes| Work::Convolution { elements, kernels, passes };
        let before = if again { 1.0 } else { 0.0 };
        let backward = work(before + CONVOLUTION_KERNELS, before + c.convolution_backward);
        self.saving_kernel(Module::MixerConvolution, Pass::Forward, work(1.0, 1.0), saves);
        self.kernel(Module::MixerConvolution, Pass::Backward, backward);
    }

    /// The norm over this many elements of the output, with its gate.
    fn gated_norm(&mut self, elements: f64) {
        let c = self.program.constants;
        let backward = (self.program.scenario.model.recurrent.rule.row().norm_backward)(c);
        let work = |bytes, kernels| Work::Stream { bytes: bytes * elements, kernels };
        let output = HALF * elements;
        let saves = Saved { stays: output, for_weights: output, ..Saved::NOTHING };
        self.saving_kernel(Module::MixerNorm, Pass::Forward, work(c.gated_norm_bytes_forward, 1.0), saves);
        self.kernel(Module::MixerNorm, Pass::Backward, work(backward, NORM_KERNELS));
    }

    fn scan(&mut self) {
        let program = self.program;
        let (shapes, recurrent) = (&program.shapes, &program.scenario.model.recurrent);
        let of = &shapes.recurrent;
        // With a split sequence, each rank scans all tokens for its share of the heads.
        let swapped = f64::from(program.scenario.plan.context_parallel.max(1));
        let forward = Scan {
            rule: recurrent.rule,
            tokens: shapes.tokens * swapped,
            sequence: shapes.attended,
            heads: of.heads / swapped,
            keys: of.keys / swapped,
            key_dim: f64::from(recurrent.key_dim.max(1)),
            value_dim: f64::from(recurrent.value_dim),
            backward: false,
        };
        let output = HALF * shapes.tokens * of.values;
        let saves = Saved { stays: output, ..Saved::NOTHING };
        self.saving_kernel(Module::MixerScan, Pass::Forward, Work::Scan(forward), saves);
        self.kernel(Module::MixerScan, Pass::Backward, Work::Scan(Scan { backward: true, ..forward }));
    }

    fn swap_for_scan(&mut self, module: Module, width: f64) {
        if self.program.scenario.plan.context_parallel > 1 {
            self.swap_tokens_for_heads(module, width);
        }
    }
}
