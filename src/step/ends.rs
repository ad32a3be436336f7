//! The two ends of the model: embedding on the first stage, LM head and loss on the last.

use super::layer::linear;
use super::{Operator, Role, Shapes};
use crate::constants::Constants;
use crate::cost::{Collective, Gemm, Group, Work};
use crate::scenario::Scenario;
use crate::scenario::stack::Launch;
use crate::step::Pass;

/// Bytes of one 32-bit value.
const FLOAT_BYTES: f64 = 4.0;

/// Gives the embedding's operators of one micro-batch to `visit`.
pub(crate) fn embedding(
    scenario: &Scenario,
    shapes: &Shapes,
    tensor: &Group,
    visit: &mut impl FnMut(Operator),
) {
    // Rows gathered and written; gradient read and scattered.
    let bytes = 4.0 * (shapes.split_tokens + shapes.tokens) * shapes.hidden;
    let mut kernel = |pass| {
        let work = Work::Stream { bytes, kernels: 1.0 };
        visit(Operator { name: "embedding", pass, role: Role::Kernel, work });
    };
    kernel(Pass::Forward);
    kernel(Pass::Backward);
    if scenario.plan.tensor_parallel > 1 {
        let forward =
            if scenario.plan.sequence_parallel { Collective::ReduceScatter } else { Collective::AllReduce };
        let work = Work::Collective { kind: forward, bytes: shapes.residual_bytes(), group: *tensor };
        let role = Role::TensorCommunication;
        visit(Operator { name: "embedding_reduce", pass: Pass::Forward, role, work });
        if scenario.plan.sequence_parallel {
            let work = Work::Collective {
                kind: Collective::AllGather,
                bytes: shapes.residual_bytes(),
                group: *tensor,
            };
            visit(Operator { name: "embedding_reduce", pass: Pass::Backward, role, work });
        }
    }
}

/// Gives the final norm's, LM head's and loss's operators of one micro-batch to `visit`.
pub(crate) fn head(
    scenario: &Scenario,
    shapes: &Shapes,
    c: &Constants,
    tensor: &Group,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, hidden, vocabulary, .. } = *shapes;
    let launch = scenario.software.profile().launch;
    let norm = 4.0 * shapes.split_tokens * hidden;
    let mut kernel = |name, pass, work| visit(Operator { name, pass, role: Role::Kernel, work });
    kernel("final_norm", Pass::Forward, Work::Stream { bytes: norm, kernels: 1.0 });
    kernel(
        "final_norm",
        Pass::Backward,
        Work::Stream { bytes: norm * c.elementwise_backward_ratio, kernels: 2.0 },
    );
    // The head stays in 16 bits under FP8 and FP4.
    let gemm =
        |m, n, k, accumulates| Work::Gemm(Gemm { m, n, k, low_precision: false, accumulates, groups: 1.0 });
    kernel("lm_head", Pass::Forward, gemm(tokens, vocabulary, hidden, false));
    kernel("lm_head", Pass::InputGradient, gemm(tokens, hidden, vocabulary, false));
    kernel("lm_head", Pass::WeightGradient, gemm(vocabulary, hidden, tokens, true));
    let per_logit = match launch {
        Launch::Eager | Launch::PartlyFused => c.cross_entropy_bytes_eager,
        Launch::Fused | Launch::Compiled => c.cross_entropy_bytes_fused,
    };
    // About 60 % of the loss's traffic is forward: cast, maximum, exponentials and their sum.
    let loss = tokens * vocabulary * per_logit;
    kernel("cross_entropy", Pass::Forward, Work::Stream { bytes: 0.6 * loss, kernels: 4.0 });
    kernel("cross_entropy", Pass::Backward, Work::Stream { bytes: 0.4 * loss, kernels: 2.0 });
    if scenario.plan.tensor_parallel > 1 {
        let role = Role::TensorCommunication;
        let reduce = |bytes| Work::Collective { kind: Collective::AllReduce, bytes, group: *tensor };
        // Maximum, target logit and sum of exponentials: one 32-bit value a token each.
        for name in ["loss_maximum", "loss_target", "loss_sum"] {
            visit(Operator { name, pass: Pass::Forward, role, work: reduce(FLOAT_BYTES * tokens) });
        }
        let work = if scenario.plan.sequence_parallel {
            Work::Collective {
                kind: Collective::ReduceScatter,
                bytes: shapes.residual_bytes(),
                group: *tensor,
            }
        } else {
            reduce(shapes.residual_bytes())
        };
        visit(Operator { name: "lm_head_input_reduce", pass: Pass::Backward, role, work });
        if scenario.plan.sequence_parallel {
            let work = Work::Collective {
                kind: Collective::AllGather,
                bytes: shapes.residual_bytes(),
                group: *tensor,
            };
            visit(Operator { name: "lm_head_input_gather", pass: Pass::Forward, role, work });
        }
    }
}

/// Gives the projection of a multi-token prediction layer to `visit`: two residual streams, each normed, to
/// one (DeepSeek-V3, arXiv 2412.19437, equation 21).
pub(crate) fn prediction_projection(shapes: &Shapes, tensor_parallel: f64, visit: &mut impl FnMut(Operator)) {
    let Shapes { tokens, split_tokens, hidden, .. } = *shapes;
    linear("prediction_projection", tokens, hidden / tensor_parallel, 2.0 * hidden, visit);
    for (pass, bytes) in [(Pass::Forward, 8.0), (Pass::Backward, 16.0)] {
        let work = Work::Stream { bytes: bytes * split_tokens * hidden, kernels: 2.0 };
        visit(Operator { name: "prediction_norm", pass, role: Role::Kernel, work });
    }
}
