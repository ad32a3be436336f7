//! The attention half of a layer, dense or of experts.

use super::layer::{Traffic, communication, linear, norm, rotary, stream};
use super::{Operator, Role, Shapes};
use crate::cost::{AttentionCore, Group, Work};
use crate::scenario::Scenario;
use crate::scenario::model::Positions;
use crate::step::Pass;

/// Norm, projections, core and output projection of one micro-batch.
pub(super) fn attention(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    tensor: &Group,
    visit: &mut impl FnMut(Operator),
) {
    let Shapes { tokens, split_tokens, hidden, heads, .. } = *shapes;
    norm("attention_norm", split_tokens * hidden, traffic, visit);
    communication("attention_input_gather", shapes, tensor, scenario, false, visit);
    let rotated = if scenario.model.latent.kv_rank > 0 {
        latent_projections(scenario, shapes, traffic, visit)
    } else {
        let queries = heads * shapes.head_dim;
        linear("qkv_projection", tokens, queries + shapes.key_values, hidden, visit);
        queries + 0.5 * shapes.key_values
    };
    if scenario.model.positions == Positions::Rotary {
        rotary("rotary_embedding", tokens * rotated, traffic, visit);
    }
    core(shapes, visit);
    linear("attention_output", tokens, hidden, heads * shapes.value_dim, visit);
    communication("attention_output_reduce", shapes, tensor, scenario, true, visit);
    stream("attention_residual", 6.0 * split_tokens * hidden, traffic, visit);
}

/// Multi-head latent attention: down to the latents on every rank, up to the local heads (DeepSeek-V2,
/// arXiv 2405.04434, equations 9 to 19). Returns the elements of a token that are rotated.
fn latent_projections(
    scenario: &Scenario,
    shapes: &Shapes,
    traffic: &Traffic,
    visit: &mut impl FnMut(Operator),
) -> f64 {
    let Shapes { tokens, hidden, heads, .. } = *shapes;
    let latent = &scenario.model.latent;
    let (query_rank, kv_rank) = (f64::from(latent.query_rank), f64::from(latent.kv_rank));
    let rotary = f64::from(latent.rotary_dim);
    let queries = heads * shapes.head_dim;
    if latent.query_rank > 0 {
        linear("query_down", tokens, query_rank, hidden, visit);
        linear("query_up", tokens, queries, query_rank, visit);
    } else {
        linear("query_projection", tokens, queries, hidden, visit);
    }
    linear("key_value_down", tokens, kv_rank + rotary, hidden, visit);
    let up = heads * (f64::from(latent.plain_dim) + shapes.value_dim);
    linear("key_value_up", tokens, up, kv_rank, visit);
    // Norms of the latents, and the keys put together from their two parts.
    stream("latent_norm", 4.0 * tokens * (query_rank + kv_rank), traffic, visit);
    stream("key_assembly", 4.0 * tokens * queries, traffic, visit);
    heads * rotary + rotary
}

fn core(shapes: &Shapes, visit: &mut impl FnMut(Operator)) {
    let core = |backward| {
        Work::Attention(AttentionCore {
            tokens: shapes.tokens,
            keys: shapes.sequence,
            heads: shapes.heads,
            head_dim: shapes.head_dim,
            value_dim: shapes.value_dim,
            pairs: shapes.pairs,
            backward,
        })
    };
    let name = "attention_core";
    visit(Operator { name, pass: Pass::Forward, role: Role::AttentionCore, work: core(false) });
    visit(Operator { name, pass: Pass::Backward, role: Role::AttentionCore, work: core(true) });
}
