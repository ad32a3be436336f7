//! The operators of a step in the paper's decomposition (arXiv 2509.22832), with how often each runs.

use super::amounts::Direction::{self, Backward, Forward};
use super::operator::{OperatorWorkload, SampledOperator, rank_vocabulary};
use crate::cost::GroupPlacement;
use crate::scenario::Scenario;
use crate::scenario::model::{Norm, Positions};
use crate::scenario::plan::stages::stage_layers;
use crate::scenario::plan::{Modules, Plan, Recompute, StageSplit};
use crate::scenario::stack::Attention;
use crate::step::Groups;

/// Where an operator runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelPart {
    /// Every layer.
    Layer,
    /// The first stage, before its layers.
    First,
    /// The last stage, after its layers.
    Last,
}

/// An operator of one micro-batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OperatorCall {
    pub(super) place: ModelPart,
    pub(super) workload: OperatorWorkload,
    pub(super) direction: Direction,
    /// Times it runs in a pass through its place.
    pub(super) times: f64,
}

/// Bytes of a 32-bit value relative to a sample's.
const SINGLE: f64 = 2.0;

/// Sizes that the operators are made of.
struct Sizes {
    b: f64,
    l: f64,
    d: f64,
    /// Query heads, key/value heads and width of a head on one rank.
    heads: f64,
    kv_heads: f64,
    width: f64,
    /// Feed-forward width on one rank.
    ffn: f64,
    vocabulary: f64,
}

/// Every operator of one micro-batch, forward and backward, without full recomputation.
pub(super) fn calls(scenario: &Scenario, groups: &Groups) -> Vec<OperatorCall> {
    let (model, plan) = (&scenario.model, &scenario.plan);
    let t = f64::from(plan.tensor_parallel.max(1));
    let sizes = Sizes {
        b: f64::from(plan.micro_batch),
        l: f64::from(scenario.workload.sequence) / f64::from(plan.context_parallel.max(1)),
        d: f64::from(model.hidden),
        heads: f64::from(model.heads) / t,
        kv_heads: (f64::from(model.kv_heads) / t).max(1.0),
        width: f64::from(model.head_dim),
        ffn: f64::from(model.ffn) / t,
        vocabulary: rank_vocabulary(f64::from(model.vocabulary), t),
    };
    let mut calls = Vec::new();
    layer(scenario, &sizes, &mut calls);
    embedding_and_head(scenario, &sizes, &mut calls);
    if plan.tensor_parallel > 1 {
        communication(&sizes, &groups.tensor, &mut calls);
    }
    calls
}

fn layer(scenario: &Scenario, sizes: &Sizes, calls: &mut Vec<OperatorCall>) {
    let model = &scenario.model;
    let Sizes { b, l, d, heads, kv_heads, width, ffn, .. } = *sizes;
    let mut add = |operator, sizes: &[f64], times| {
        let workload = OperatorWorkload::new(operator, sizes);
        for direction in [Forward, Backward] {
            calls.push(OperatorCall { place: ModelPart::Layer, workload, direction, times });
        }
    };
    add(norm(model.norm), &[b, l, d], 2.0);
    add(SampledOperator::Linear1, &[b * l, d, (heads + 2.0 * kv_heads) * width], 1.0);
    if model.positions == Positions::Rotary {
        // Queries and keys; the samples rotate both, with as many key heads as query heads.
        add(SampledOperator::Rope, &[l, b, 0.5 * (heads + kv_heads), width], 1.0);
    }
    if scenario.software.attention() == Attention::Unfused {
        add(SampledOperator::Scores, &[b * heads, l, width, l], 1.0);
        add(SampledOperator::FusedSoftmax, &[b * heads, l, l], 1.0);
        add(SampledOperator::Values, &[b * heads, l, l, width], 1.0);
    } else {
        add(SampledOperator::FlashAttention, &[b, l, heads, width], 1.0);
    }
    add(SampledOperator::Linear2, &[b * l, heads * width, d], 1.0);
    add(SampledOperator::Linear3, &[b * l, d, if model.gated_mlp { 2.0 * ffn } else { ffn }], 1.0);
    if model.gated_mlp {
        add(SampledOperator::SwiGlu, &[b, l, ffn], 1.0);
    } else {
        add(SampledOperator::Gelu, &[l, b, ffn], 1.0);
    }
    add(SampledOperator::Linear4, &[b * l, ffn, d], 1.0);
    add(SampledOperator::ResidualAdd, &[b, l, d], 2.0);
}

fn embedding_and_head(scenario: &Scenario, sizes: &Sizes, calls: &mut Vec<OperatorCall>) {
    let Sizes { b, l, d, vocabulary, .. } = *sizes;
    let mut add = |place, operator, sizes: &[f64]| {
        let workload = OperatorWorkload::new(operator, sizes);
        for direction in [Forward, Backward] {
            calls.push(OperatorCall { place, workload, direction, times: 1.0 });
        }
    };
    add(ModelPart::First, SampledOperator::Embedding, &[b * l, vocabulary, d]);
    add(ModelPart::Last, norm(scenario.model.norm), &[b, l, d]);
    add(ModelPart::Last, SampledOperator::LinearFinal, &[b * l, d, vocabulary]);
    add(ModelPart::Last, SampledOperator::CrossEntropy, &[b, l, vocabulary]);
}

/// Two all-reduces per layer in each direction, one for the embedding forward, one for the head backward, and three of
/// a 32-bit value per token in the loss.
fn communication(sizes: &Sizes, tensor: &GroupPlacement, calls: &mut Vec<OperatorCall>) {
    let tokens = sizes.b * sizes.l;
    let mut add = |place, elements, direction, times| {
        calls.push(OperatorCall {
            place,
            workload: link(SampledOperator::AllReduce, elements, tensor),
            direction,
            times,
        });
    };
    for direction in [Forward, Backward] {
        add(ModelPart::Layer, tokens * sizes.d, direction, 2.0);
    }
    add(ModelPart::First, tokens * sizes.d, Forward, 1.0);
    add(ModelPart::Last, tokens * sizes.d, Backward, 1.0);
    add(ModelPart::Last, SINGLE * tokens, Forward, 3.0);
}

/// A collective over a group, by the elements of one rank's input.
pub(super) fn link(operator: SampledOperator, elements: f64, group: &GroupPlacement) -> OperatorWorkload {
    OperatorWorkload::new(operator, &[elements, group.domains(), group.in_domain])
}

fn norm(norm: Norm) -> SampledOperator {
    match norm {
        Norm::Layer => SampledOperator::LayerNorm,
        Norm::Rms => SampledOperator::RmsNorm,
    }
}

/// Layers per stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LayerAssignment {
    /// As in the plan.
    #[default]
    Planned,
    /// GPT-NeoX: two pipeline layers precede the transformer's and three follow, all with equal weight; the first
    /// stages take one more if they do not divide.
    GptNeox,
}

/// Layers of every stage.
pub(super) fn layers_per_stage(scenario: &Scenario, assignment: LayerAssignment) -> Vec<u32> {
    let plan = &scenario.plan;
    let (layers, stages) = (scenario.model.layers, plan.pipeline_parallel.max(1));
    let planned = |plan: &Plan| (0..stages).map(|stage| stage_layers(layers, plan, stage)).collect();
    match assignment {
        LayerAssignment::Planned => planned(plan),
        LayerAssignment::GptNeox => {
            let all = layers.saturating_add(5);
            let counted: Option<Vec<u32>> = (0..stages)
                .map(|stage| {
                    let assigned = all / stages + u32::from(stage < all % stages);
                    let assigned = assigned.checked_sub(if stage == 0 { 2 } else { 0 })?;
                    assigned.checked_sub(if stage + 1 == stages { 3 } else { 0 })
                })
                .collect();
            // More stages than such a model can fill: GPT-NeoX refuses this; layers are split evenly here.
            counted.unwrap_or_else(|| planned(&Plan { stage_split: StageSplit::Even, ..*plan }))
        }
    }
}

/// Whether the backward pass first reruns a layer's operator.
pub(super) fn runs_again(operator: SampledOperator, recompute: Recompute) -> bool {
    let is_core = matches!(
        operator,
        SampledOperator::FlashAttention
            | SampledOperator::Scores
            | SampledOperator::FusedSoftmax
            | SampledOperator::Values
    );
    match recompute {
        Recompute::None => false,
        Recompute::Selective => is_core,
        Recompute::Full | Recompute::Every(_) => true,
        Recompute::Modules(set) => match operator {
            SampledOperator::LayerNorm | SampledOperator::RmsNorm => set.has(Modules::NORMS),
            SampledOperator::Gelu | SampledOperator::SwiGlu => {
                set.has(Modules::ACTIVATION) || set.has(Modules::FEED_FORWARD)
            }
            SampledOperator::Linear3 | SampledOperator::Linear4 => set.has(Modules::FEED_FORWARD),
            _ => is_core && set.has(Modules::ATTENTION_CORE),
        },
    }
}
