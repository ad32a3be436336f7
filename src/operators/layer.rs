//! One transformer layer: forward kernels and collectives, and their gradients.

use super::{Operator, Role, Shapes};
use crate::calibration::Constants;
use crate::cost::{AttentionCore, Collective, Gemm, Group, Work};
use crate::model::Positions;
use crate::prediction::Pass;
use crate::scenario::{Precision, Scenario};
use crate::stack::Launch;

/// Constants of memory-bound kernels under one stack and precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic {
    passes: f64,
    backward: f64,
    quantize_bytes: f64,
    quantize_backward: f64,
}

impl Traffic {
    pub(crate) fn new(scenario: &Scenario, c: &Constants) -> Self {
        let passes = match scenario.software.stack.profile().launch {
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
        Self {
            passes,
            backward: c.elementwise_backward_ratio,
            quantize_bytes,
            quantize_backward: c.quantize_backward_ratio,
        }
    }
}

/// Gives every operator of one layer and micro-batch to `visit`, forward first.
pub(crate) fn layer(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    tensor: &Group,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, split_tokens, hidden, ffn, .. } = *shapes;
    let queries = shapes.heads * shapes.head_dim;
    let keys = shapes.kv_heads * shapes.head_dim;
    let norm = 4.0 * split_tokens * hidden;
    let residual = 6.0 * split_tokens * hidden;

    stream("attention_norm", norm, traffic, visit);
    communication("attention_input_gather", shapes, tensor, scenario, false, visit);
    linear("qkv_projection", tokens, queries + 2.0 * keys, hidden, visit);
    if scenario.model.positions == Positions::Rotary {
        stream("rotary_embedding", 4.0 * tokens * (queries + keys), traffic, visit);
    }
    attention(shapes, visit);
    linear("attention_output", tokens, hidden, queries, visit);
    communication("attention_output_reduce", shapes, tensor, scenario, true, visit);
    stream("attention_residual", residual, traffic, visit);

    stream("mlp_norm", norm, traffic, visit);
    communication("mlp_input_gather", shapes, tensor, scenario, false, visit);
    linear("mlp_up", tokens, shapes.up_branches * ffn, hidden, visit);
    stream("activation", (2.0 + 2.0 * shapes.up_branches) * tokens * ffn, traffic, visit);
    linear("mlp_down", tokens, hidden, ffn, visit);
    communication("mlp_output_reduce", shapes, tensor, scenario, true, visit);
    stream("mlp_residual", residual, traffic, visit);

    if traffic.quantize_bytes > 0.0 {
        let elements = tokens * (2.0 * hidden + queries + ffn);
        let bytes = elements * traffic.quantize_bytes;
        kernel("quantize", Pass::Forward, Work::Stream { bytes, kernels: 1.0 }, visit);
        let bytes = bytes * traffic.quantize_backward;
        kernel("quantize", Pass::Backward, Work::Stream { bytes, kernels: 1.0 }, visit);
    }
}

/// Y = X W: forward (T, N, K), input gradient (T, K, N), weight gradient (N, K, T).
fn linear(name: &'static str, tokens: f64, n: f64, k: f64, visit: &mut impl FnMut(Operator)) {
    let gemm = |m, n, k, accumulates| Work::Gemm(Gemm { m, n, k, low_precision: true, accumulates });
    kernel(name, Pass::Forward, gemm(tokens, n, k, false), visit);
    kernel(name, Pass::InputGradient, gemm(tokens, k, n, false), visit);
    kernel(name, Pass::WeightGradient, gemm(n, k, tokens, true), visit);
}

fn attention(shapes: &Shapes, visit: &mut impl FnMut(Operator)) {
    let core = |backward| {
        Work::Attention(AttentionCore {
            tokens: shapes.tokens,
            keys: shapes.sequence,
            heads: shapes.heads,
            head_dim: shapes.head_dim,
            backward,
        })
    };
    let name = "attention_core";
    visit(Operator { name, pass: Pass::Forward, role: Role::AttentionCore, work: core(false) });
    visit(Operator { name, pass: Pass::Backward, role: Role::AttentionCore, work: core(true) });
}

fn stream(name: &'static str, bytes: f64, traffic: &Traffic, visit: &mut impl FnMut(Operator)) {
    let bytes = bytes * traffic.passes;
    kernel(name, Pass::Forward, Work::Stream { bytes, kernels: 1.0 }, visit);
    kernel(name, Pass::Backward, Work::Stream { bytes: bytes * traffic.backward, kernels: 2.0 }, visit);
}

fn kernel(name: &'static str, pass: Pass, work: Work, visit: &mut impl FnMut(Operator)) {
    visit(Operator { name, pass, role: Role::Kernel, work });
}

/// Megatron's f and g. Without sequence parallelism the output is all-reduced forward and the input's
/// gradient backward; with it, the input is gathered and the output reduce-scattered, and the reverse.
fn communication(
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
