//! One layer of experts: router, exchange of tokens, grouped products, shared experts.

use super::attention::attention;
use super::layer::{Traffic, communication, feed_forward, grouped_linear, linear, stream};
use super::{Operator, Role, Shapes};
use crate::cost::{Collective, Group, Work};
use crate::prediction::Pass;
use crate::scenario::Scenario;
use crate::stack::Dispatcher;

/// Bytes per token and expert of the router's scores, their softmax and top-k: written and read in 32 bits.
const ROUTER_BYTES: f64 = 12.0;

/// Groups that the operators of an expert layer communicate in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpertGroups {
    /// Tensor-parallel ranks.
    pub(crate) tensor: Group,
    /// Ranks that the experts are dealt to.
    pub(crate) experts: Group,
    /// Ranks that one expert is split over.
    pub(crate) expert_tensor: Group,
}

/// Gives every operator of one layer of experts and micro-batch to `visit`, forward first. Tokens are taken
/// to spread evenly over the experts, and to cross a domain's border once however many experts they have
/// there where the dispatcher sends them so.
pub(crate) fn expert_layer(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    groups: &ExpertGroups,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, split_tokens, hidden, routed_tokens, expert_ffn, local_experts, .. } = *shapes;
    let experts = &scenario.model.experts;
    let count = f64::from(experts.count);
    attention(scenario, shapes, traffic, &groups.tensor, visit);
    stream("mlp_norm", 4.0 * split_tokens * hidden, traffic, visit);
    let own = tokens / f64::from(scenario.plan.tensor_parallel.max(1));
    linear("router", own, count, hidden, visit);
    stream("router_top_k", ROUTER_BYTES * own * count, traffic, visit);

    // Tokens are sorted by expert before they are sent, and by expert again where they arrive.
    let permute = 2.0 * 4.0 * routed_tokens * hidden;
    stream("token_permute", permute, traffic, visit);
    exchange("token_dispatch", scenario, shapes, &groups.experts, visit);
    split("expert_input_gather", true, shapes, &groups.expert_tensor, visit);
    let rows = routed_tokens * f64::from(scenario.plan.expert_tensor_parallel.max(1));
    let each = rows / local_experts.max(1.0);
    grouped_linear("expert_up", local_experts, each, shapes.up_branches * expert_ffn, hidden, visit);
    stream("expert_activation", (2.0 + 2.0 * shapes.up_branches) * rows * expert_ffn, traffic, visit);
    grouped_linear("expert_down", local_experts, each, hidden, expert_ffn, visit);
    split("expert_output_reduce", false, shapes, &groups.expert_tensor, visit);
    exchange("token_combine", scenario, shapes, &groups.experts, visit);
    stream("token_unpermute", permute, traffic, visit);

    if experts.shared > 0 {
        communication("shared_input_gather", shapes, &groups.tensor, scenario, false, visit);
        let names = ["shared_up", "shared_activation", "shared_down"];
        feed_forward(names, tokens, shapes.shared_ffn, shapes, traffic, visit);
        communication("shared_output_reduce", shapes, &groups.tensor, scenario, true, visit);
    }
    stream("mlp_residual", 6.0 * split_tokens * hidden, traffic, visit);
    let shared = if experts.shared > 0 { tokens * (hidden + shapes.shared_ffn) } else { 0.0 };
    let quantized =
        tokens * (hidden + shapes.heads * shapes.value_dim) + rows * (hidden + expert_ffn) + shared;
    traffic.quantize(quantized, visit);
}

/// Routed tokens to their experts, or their outputs back; the gradients go the other way.
fn exchange(
    name: &'static str,
    scenario: &Scenario,
    shapes: &Shapes,
    group: &Group,
    visit: &mut impl FnMut(Operator),
) {
    if scenario.plan.expert_parallel <= 1 {
        return;
    }
    let bytes = 2.0 * shapes.routed_tokens * shapes.hidden;
    let unique = match scenario.software.stack.profile().dispatcher {
        Dispatcher::AllToAll => 1.0,
        Dispatcher::Hierarchical => unique_share(f64::from(scenario.model.experts.top_k), group.domains()),
    };
    for pass in [Pass::Forward, Pass::Backward] {
        let work = Work::Exchange { bytes, unique, group: *group };
        visit(Operator { name, pass, role: Role::ExpertCommunication, work });
    }
}

/// Expert-tensor parallelism: routed tokens are gathered before an expert's products and reduced after.
fn split(
    name: &'static str,
    gathers: bool,
    shapes: &Shapes,
    group: &Group,
    visit: &mut impl FnMut(Operator),
) {
    if group.size <= 1.0 {
        return;
    }
    let bytes = 2.0 * shapes.routed_tokens * shapes.hidden * group.size;
    let kinds = if gathers {
        [Collective::AllGather, Collective::ReduceScatter]
    } else {
        [Collective::ReduceScatter, Collective::AllGather]
    };
    for (pass, kind) in [Pass::Forward, Pass::Backward].into_iter().zip(kinds) {
        let work = Work::Collective { kind, bytes, group: *group };
        visit(Operator { name, pass, role: Role::TensorCommunication, work });
    }
}

/// Distinct domains over copies: a token with `top_k` experts spread evenly over n domains meets
/// `n (1 - (1 - 1/n)^k)` of them.
fn unique_share(top_k: f64, domains: f64) -> f64 {
    let met = domains * (1.0 - libm::pow(1.0 - 1.0 / domains.max(1.0), top_k));
    (met / top_k.max(1.0)).clamp(0.0, 1.0)
}
