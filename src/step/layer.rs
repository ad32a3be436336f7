//! One dense transformer layer: forward kernels and collectives, and their gradients.

use super::attention::attention;
use super::{Operator, Role, Shapes};
use crate::constants::Constants;
use crate::cost::{Collective, Gemm, Group, Work};
use crate::scenario::model::Norm;
use crate::scenario::stack::Launch;
use crate::scenario::{Precision, Scenario};
use crate::step::Pass;

/// Constants of memory-bound kernels under one stack and precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic {
    passes: f64,
    /// Bytes per element of a norm.
    norm: f64,
    /// Bytes per rotated element.
    rotary: f64,
    backward: f64,
    quantize_bytes: f64,
    quantize_backward: f64,
}

impl Traffic {
    pub(crate) fn new(scenario: &Scenario, c: &Constants) -> Self {
        let passes = match scenario.software.profile().launch {
            Launch::Eager => c.passes_eager,
            Launch::PartlyFused => 0.5 * (c.passes_eager + c.passes_fused),
            Launch::Fused => c.passes_fused,
            Launch::Compiled => c.passes_compiled,
        };
        let quantize_bytes = match scenario.workload.precision {
            Precision::Fp16 | Precision::Bf16 => 0.0,
            Precision::Fp8 | Precision::Nvfp4 => c.quantize_bytes,
            Precision::Fp8Block | Precision::Mxfp8 => c.quantize_bytes_block,
        };
        let plain = scenario.software.profile().is_eager();
        Self {
            passes,
            norm: if plain && scenario.model.norm == Norm::Rms { c.norm_bytes_eager } else { 4.0 * passes },
            rotary: if plain { c.rotary_bytes_eager } else { 4.0 * passes },
            backward: c.elementwise_backward_ratio,
            quantize_bytes,
            quantize_backward: c.quantize_backward_ratio,
        }
    }

    /// Casts of the inputs of the matrix products, `elements` of them, and of their gradients.
    pub(super) fn quantize(&self, elements: f64, visit: &mut impl FnMut(Operator)) {
        if self.quantize_bytes > 0.0 {
            let bytes = elements * self.quantize_bytes;
            kernel("quantize", Pass::Forward, Work::Stream { bytes, kernels: 1.0 }, visit);
            let bytes = bytes * self.quantize_backward;
            kernel("quantize", Pass::Backward, Work::Stream { bytes, kernels: 1.0 }, visit);
        }
    }
}

/// Gives every operator of one dense layer and micro-batch to `visit`, forward first.
pub(crate) fn layer(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    tensor: &Group,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, split_tokens, hidden, ffn, .. } = *shapes;
    attention(scenario, shapes, traffic, tensor, visit);
    norm("mlp_norm", split_tokens * hidden, traffic, visit);
    communication("mlp_input_gather", shapes, tensor, scenario, false, visit);
    feed_forward(["mlp_up", "activation", "mlp_down"], tokens, ffn, shapes, traffic, visit);
    communication("mlp_output_reduce", shapes, tensor, scenario, true, visit);
    stream("mlp_residual", 6.0 * split_tokens * hidden, traffic, visit);
    traffic.quantize(tokens * (2.0 * hidden + shapes.heads * shapes.value_dim + ffn), visit);
}

/// Up-projections, activation and down-projection of width `ffn`.
pub(super) fn feed_forward(
    [up, activation, down]: [&'static str; 3],
    tokens: f64,
    ffn: f64,
    shapes: &Shapes,
    traffic: &Traffic,
    visit: &mut impl FnMut(Operator),
) {
    linear(up, tokens, shapes.up_branches * ffn, shapes.hidden, visit);
    stream(activation, (2.0 + 2.0 * shapes.up_branches) * tokens * ffn, traffic, visit);
    linear(down, tokens, shapes.hidden, ffn, visit);
}

/// Y = X W: forward (T, N, K), input gradient (T, K, N), weight gradient (N, K, T).
pub(super) fn linear(name: &'static str, tokens: f64, n: f64, k: f64, visit: &mut impl FnMut(Operator)) {
    grouped_linear(name, 1.0, tokens, n, k, visit);
}

/// The same for `groups` matrices with `tokens` rows each.
pub(super) fn grouped_linear(
    name: &'static str,
    groups: f64,
    tokens: f64,
    n: f64,
    k: f64,
    visit: &mut impl FnMut(Operator),
) {
    let gemm = |m, n, k, accumulates| Work::Gemm(Gemm { m, n, k, low_precision: true, accumulates, groups });
    kernel(name, Pass::Forward, gemm(tokens, n, k, false), visit);
    kernel(name, Pass::InputGradient, gemm(tokens, k, n, false), visit);
    kernel(name, Pass::WeightGradient, gemm(n, k, tokens, true), visit);
}

/// A norm of so many elements.
pub(super) fn norm(name: &'static str, elements: f64, traffic: &Traffic, visit: &mut impl FnMut(Operator)) {
    memory_bound(name, elements * traffic.norm, traffic, visit);
}

/// Rotation of so many elements of queries and keys.
pub(super) fn rotary(name: &'static str, elements: f64, traffic: &Traffic, visit: &mut impl FnMut(Operator)) {
    memory_bound(name, elements * traffic.rotary, traffic, visit);
}

/// A memory-bound kernel that moves so many bytes at the least.
pub(super) fn stream(name: &'static str, bytes: f64, traffic: &Traffic, visit: &mut impl FnMut(Operator)) {
    memory_bound(name, bytes * traffic.passes, traffic, visit);
}

fn memory_bound(name: &'static str, bytes: f64, traffic: &Traffic, visit: &mut impl FnMut(Operator)) {
    kernel(name, Pass::Forward, Work::Stream { bytes, kernels: 1.0 }, visit);
    kernel(name, Pass::Backward, Work::Stream { bytes: bytes * traffic.backward, kernels: 2.0 }, visit);
}

pub(super) fn kernel(name: &'static str, pass: Pass, work: Work, visit: &mut impl FnMut(Operator)) {
    visit(Operator { name, pass, role: Role::Kernel, work });
}

/// Megatron's f and g. Without sequence parallelism the output is all-reduced forward and the input's
/// gradient backward; with it, the input is gathered and the output reduce-scattered, and the reverse.
pub(super) fn communication(
    name: &'static str,
    shapes: &Shapes,
    tensor: &Group,
    scenario: &Scenario,
    output: bool,
    visit: &mut impl FnMut(Operator),
) {
    if scenario.plan.tensor_parallel <= 1 {
        return;
    }
    let mut emit = |pass, kind| {
        let work = Work::Collective { kind, bytes: shapes.residual_bytes(), group: *tensor };
        visit(Operator { name, pass, role: Role::TensorCommunication, work });
    };
    match (scenario.plan.sequence_parallel, output) {
        (true, false) => {
            emit(Pass::Forward, Collective::AllGather);
            emit(Pass::Backward, Collective::ReduceScatter);
        }
        (true, true) => {
            emit(Pass::Forward, Collective::ReduceScatter);
            emit(Pass::Backward, Collective::AllGather);
        }
        (false, false) => emit(Pass::Backward, Collective::AllReduce),
        (false, true) => emit(Pass::Forward, Collective::AllReduce),
    }
}
