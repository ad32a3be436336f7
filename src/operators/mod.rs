//! A scenario decomposed into operators: the kernels and collectives of one layer, of the two ends
//! of the model, and of the step's end. The same lists serve ranking (summed) and the report (kept).

mod ends;
mod groups;
mod layer;

pub(crate) use ends::{embedding, head};
pub use groups::Groups;
pub(crate) use groups::shard_replicas;
pub(crate) use layer::{Traffic, layer};

use crate::cost::Work;
use crate::plan::Modules;
use crate::prediction::Pass;
use crate::scenario::Scenario;

/// One operator of one micro-batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operator {
    /// Name.
    pub name: &'static str,
    /// Pass it runs in.
    pub pass: Pass,
    /// Whether selective or full recompute repeats it in the backward pass.
    pub role: Role,
    /// What it does.
    pub work: Work,
}

/// Whether recomputing a set of modules runs a forward operator of that name again.
pub(crate) fn runs_again(set: Modules, name: &str) -> bool {
    match name {
        "attention_core" => set.has(Modules::ATTENTION_CORE),
        "attention_norm" | "mlp_norm" => set.has(Modules::NORMS),
        "activation" => set.has(Modules::ACTIVATION) || set.has(Modules::FEED_FORWARD),
        "mlp_up" | "mlp_down" | "mlp_input_gather" => set.has(Modules::FEED_FORWARD),
        _ => false,
    }
}

/// Which sum of the breakdown an operator belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A kernel.
    Kernel,
    /// The attention core, which unfused stacks recompute selectively.
    AttentionCore,
    /// Tensor-parallel communication.
    TensorCommunication,
}

/// Sizes of one micro-batch on one GPU that every operator is made of.
#[derive(Debug, Clone, Copy)]
pub struct Shapes {
    /// Tokens of a micro-batch on one GPU: b s / c.
    pub tokens: f64,
    /// Tokens of the split residual stream: tokens / t with sequence parallelism.
    pub split_tokens: f64,
    /// Sequence length.
    pub sequence: f64,
    /// Hidden width.
    pub hidden: f64,
    /// Feed-forward width on one GPU.
    pub ffn: f64,
    /// Query heads on one GPU.
    pub heads: f64,
    /// Key/value heads on one GPU (at least one: replicated when t exceeds them).
    pub kv_heads: f64,
    /// Head width.
    pub head_dim: f64,
    /// Padded vocabulary on one GPU.
    pub vocabulary: f64,
    /// 2 when the MLP is gated, else 1.
    pub up_branches: f64,
}

impl Shapes {
    /// Shapes of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let model = &scenario.model;
        let plan = &scenario.plan;
        let t = f64::from(plan.tensor_parallel.max(1));
        let sequence = f64::from(scenario.workload.sequence);
        let tokens = f64::from(plan.micro_batch) * sequence / f64::from(plan.context_parallel.max(1));
        Self {
            tokens,
            split_tokens: if plan.sequence_parallel { tokens / t } else { tokens },
            sequence,
            hidden: f64::from(model.hidden),
            ffn: f64::from(model.ffn) / t,
            heads: f64::from(model.heads) / t,
            kv_heads: (f64::from(model.kv_heads) / t).max(1.0),
            head_dim: f64::from(model.head_dim),
            vocabulary: f64::from(crate::model::padded_vocabulary(model.vocabulary, plan.tensor_parallel))
                / t,
            up_branches: if model.gated_mlp { 2.0 } else { 1.0 },
        }
    }

    /// Bytes of the residual stream of one micro-batch, 16 bits.
    pub fn residual_bytes(&self) -> f64 {
        2.0 * self.tokens * self.hidden
    }
}
