//! One layer of experts: router, exchange of tokens, grouped products, shared experts.

use super::attention::attention;
use super::layer::{Traffic, communication, feed_forward, grouped_linear, kernel, linear, norm, stream};
use super::{Operator, Role, Shapes};
use crate::cost::{Collective, Group, Work};
use crate::scenario::Scenario;
use crate::scenario::model::Bias;
use crate::scenario::stack::{Dispatcher, ExpertKernels};
use crate::step::Pass;

/// Bytes per token and expert of the router's scores, their softmax and top-k: written and read in 32 bits.
const ROUTER_BYTES: f64 = 12.0;

/// Bytes per element of adding an expert's bias, weighted by the gate, to its output outside the product
/// (Megatron-Core, `TEGroupedMLP._apply_bias`): 4 for the weighted bias written in 32 bits, 10 for its sum with
/// the 16-bit output, 8 for joining the experts' sums, 6 for casting them back.
const BIAS_BYTES: f64 = 28.0;

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

/// Gives every operator of one layer of experts and micro-batch to `visit`, forward first. The rank
/// with the most popular experts sets the pace of all.
pub(crate) fn expert_layer(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    groups: &ExpertGroups,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, split_tokens, hidden, expert_ffn, .. } = *shapes;
    attention(scenario, shapes, traffic, &groups.tensor, visit);
    norm("mlp_norm", split_tokens * hidden, traffic, visit);
    routed(scenario, shapes, traffic, groups, visit);
    let shared = scenario.model.experts.shared > 0;
    if shared {
        communication("shared_input_gather", shapes, &groups.tensor, scenario, false, visit);
        let names = ["shared_up", "shared_activation", "shared_down"];
        feed_forward(names, tokens, shapes.shared_ffn, shapes, traffic, visit);
        communication("shared_output_reduce", shapes, &groups.tensor, scenario, true, visit);
    }
    stream("mlp_residual", 6.0 * split_tokens * hidden, traffic, visit);
    let shared = if shared { tokens * (hidden + shapes.shared_ffn) } else { 0.0 };
    let fused = scenario.software.expert_kernels == ExpertKernels::Fused;
    let routed = if fused { 0.0 } else { rows(scenario, shapes) * (hidden + expert_ffn) };
    let quantized = tokens * (hidden + shapes.heads * shapes.value_dim) + routed + shared;
    traffic.quantize(quantized, visit);
}

/// Router, exchange of tokens and the routed experts' products.
fn routed(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    groups: &ExpertGroups,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, hidden, routed_tokens, expert_ffn, local_experts, .. } = *shapes;
    let count = f64::from(scenario.model.experts.count);
    let own = tokens / f64::from(scenario.plan.tensor_parallel.max(1));
    linear("router", own, count, hidden, visit);
    stream("router_top_k", ROUTER_BYTES * own * count, traffic, &mut |operator| visit(scattered(operator)));

    // Copies are sorted by expert where they arrive, and by rank before they are sent unless the dispatcher
    // reads them in place; each sorting reads and writes them once, and so does its inverse.
    let sortings = match scenario.software.dispatcher() {
        Dispatcher::AllToAll => 2.0,
        Dispatcher::Hierarchical => 1.0,
    };
    let permute = sortings * 4.0 * routed_tokens * hidden;
    sorting("token_permute", permute, visit);
    exchange("token_dispatch", scenario, shapes, &groups.experts, visit);
    split("expert_input_gather", true, shapes, &groups.expert_tensor, visit);
    let rows = rows(scenario, shapes);
    let each = rows / local_experts.max(1.0);
    // A rank's only expert is computed like any feed-forward layer.
    let weighed = |operator| if local_experts > 1.0 { scattered(operator) } else { operator };
    grouped_linear("expert_up", local_experts, each, shapes.up_branches * expert_ffn, hidden, visit);
    if scenario.software.expert_kernels != ExpertKernels::Fused {
        let bytes = (2.0 + 2.0 * shapes.up_branches) * rows * expert_ffn;
        stream("expert_activation", bytes, traffic, &mut |operator| visit(weighed(operator)));
    }
    grouped_linear("expert_down", local_experts, each, hidden, expert_ffn, visit);
    if scenario.model.bias == Bias::All {
        let bytes = BIAS_BYTES * rows * hidden;
        stream("expert_bias", bytes, traffic, &mut |operator| visit(weighed(operator)));
    }
    split("expert_output_reduce", false, shapes, &groups.expert_tensor, visit);
    exchange("token_combine", scenario, shapes, &groups.experts, visit);
    sorting("token_unpermute", permute, visit);
}

/// Copies of tokens that the experts of the GPU with the most popular ones compute.
fn rows(scenario: &Scenario, shapes: &Shapes) -> f64 {
    shapes.routed_tokens * shapes.imbalance * f64::from(scenario.plan.expert_tensor_parallel.max(1))
}

/// The same operator with rows gathered, scattered or weighed as it streams.
fn scattered(operator: Operator) -> Operator {
    match operator.work {
        Work::Stream { bytes, kernels } => Operator { work: Work::Scatter { bytes, kernels }, ..operator },
        _ => operator,
    }
}

/// Copies of tokens brought into another order; backward the other way.
fn sorting(name: &'static str, bytes: f64, visit: &mut impl FnMut(Operator)) {
    for pass in [Pass::Forward, Pass::Backward] {
        kernel(name, pass, Work::Scatter { bytes, kernels: 1.0 }, visit);
    }
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
    let bytes = 2.0 * shapes.routed_tokens * shapes.imbalance * shapes.hidden;
    let top_k = f64::from(scenario.model.experts.top_k);
    let work = match scenario.software.dispatcher() {
        Dispatcher::AllToAll => Work::Exchange { bytes, across: 1.0, library: true, group: *group },
        // A token goes to a rank once, whatever experts it has there, and to a domain once.
        Dispatcher::Hierarchical => {
            let to_ranks = unique_share(top_k, group.size);
            let across = unique_share(top_k, group.domains()) / to_ranks;
            Work::Exchange { bytes: bytes * to_ranks, across, library: false, group: *group }
        }
    };
    for pass in [Pass::Forward, Pass::Backward] {
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

/// Distinct places over copies: a token with `top_k` experts spread evenly over n places meets
/// `n (1 - (1 - 1/n)^k)` of them.
fn unique_share(top_k: f64, places: f64) -> f64 {
    let met = places * (1.0 - libm::pow(1.0 - 1.0 / places.max(1.0), top_k));
    (met / top_k.max(1.0)).clamp(0.0, 1.0)
}
