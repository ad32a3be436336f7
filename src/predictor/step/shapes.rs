//! Sizes of one micro-batch on one GPU.

use crate::scenario::Scenario;
use crate::scenario::model::{LayerKind, Mixer, Model, RecurrentWidths, padded_vocabulary};
use crate::scenario::plan::{ContextExchange, Plan};

/// Sizes of one micro-batch on one GPU, from which all operators are built.
#[derive(Debug, Clone, Copy)]
pub struct Shapes {
    /// Tokens of a micro-batch on one GPU: b s / c.
    pub tokens: f64,
    /// Tokens of the split residual stream: tokens / t with sequence parallelism.
    pub split_tokens: f64,
    /// Sequence length.
    pub sequence: f64,
    /// Tokens that attend to each other: the sequence, or a document of it.
    pub attended: f64,
    /// Hidden width.
    pub hidden: f64,
    /// Width of the input of the mixer: the hidden width, or twice that.
    pub mixer_input: f64,
    /// Feed-forward width on one GPU.
    pub ffn: f64,
    /// Query heads on one GPU.
    pub heads: f64,
    /// Key/value heads on one GPU (at least one: replicated when t exceeds them).
    pub kv_heads: f64,
    /// Width of one head's query and key.
    pub head_dim: f64,
    /// Width of one head's value.
    pub value_dim: f64,
    /// Width of one head's query and key in the attention core: the latent width where queries gather latents, since
    /// the projections to keys and values are then folded into queries and outputs.
    pub core_query: f64,
    /// Width of one head's value in the attention core.
    pub core_value: f64,
    /// Whether queries gather their own keys.
    pub gathers: bool,
    /// Elements of one token's indexer keys, replicated on every GPU; 0 without an indexer.
    pub index_keys: f64,
    /// Elements of one token's keys and values on one GPU, as the attention core reads them.
    pub key_values: f64,
    /// Tokens whose keys and values the layer reads: its own, or the encoder's outputs in cross-attention.
    pub key_tokens: f64,
    /// Of those elements, the ones that the layer projects from its input: none if they are an earlier layer's.
    pub projected: f64,
    /// Elements of keys and values that the layer projects from an output of the encoder; none but in cross-attention.
    pub crossed: f64,
    /// Keys of which separate kernels compute all scores.
    pub all_keys: f64,
    /// Copies of keys and values that a tokens-for-heads exchange sends, so that each rank has a whole head: one,
    /// unless there are fewer heads than ranks (Bekman et al. 2025, arXiv 2506.13996, section 3.2.1).
    pub key_value_copies: f64,
    /// Width of the latents of one token (multi-head latent attention), replicated on every GPU.
    pub latent_width: f64,
    /// Query-key pairs computed, relative to causal attention to all attended keys.
    pub pairs: f64,
    /// The recurrent mixer's widths on one GPU.
    pub recurrent: RecurrentWidths,
    /// Width of the tokens at the routed experts' input.
    pub expert_hidden: f64,
    /// Width of the shared experts on one GPU.
    pub shared_ffn: f64,
    /// Width of a routed expert on one GPU.
    pub expert_ffn: f64,
    /// Routed experts on one GPU.
    pub local_experts: f64,
    /// Token copies that one GPU sends to experts.
    pub routed_tokens: f64,
    /// Padded vocabulary on one GPU.
    pub vocabulary: f64,
    /// 2 when the MLP is gated, else 1.
    pub up_branches: f64,
}

impl Shapes {
    /// Shapes of a scenario, in layers of a kind.
    pub fn new(scenario: &Scenario, kind: LayerKind) -> Self {
        let model = &scenario.model.of_kind(kind);
        let plan = &scenario.plan;
        let t = f64::from(plan.tensor_parallel.max(1));
        let sequence = f64::from(scenario.workload.sequence);
        let outputs = model.tower.merged_per_sequence();
        let crosses = kind.mixer == Mixer::Crossed;
        let attended = if crosses { outputs } else { f64::from(scenario.workload.attended()) };
        let tokens = f64::from(plan.micro_batch) * sequence / f64::from(plan.context_parallel.max(1));
        let split_tokens = if plan.sequence_parallel { tokens / t } else { tokens };
        let heads = f64::from(model.heads) / t;
        let kv_heads = (f64::from(model.kv_heads) / t).max(1.0);
        let latent = &model.latent;
        let heads_of = HeadWidths::new(model, heads, kv_heads);
        let gathers = scenario.gathers_keys(kind.mixer);
        let in_core = if gathers { heads_of.gathered(model) } else { heads_of };
        let HeadWidths { query: head_dim, value: value_dim, .. } = heads_of;
        let HeadWidths { query: core_query, value: core_value, key_values } = in_core;
        let whole = if latent.kv_rank > 0 { heads } else { kv_heads };
        // Queries have a latent only if keys and values have one.
        let latent_width =
            if latent.kv_rank > 0 { f64::from(latent.query_rank) + f64::from(latent.kv_rank) } else { 0.0 };
        let experts = &model.experts;
        // Without sequence parallelism the ranks of a tensor-parallel group hold the same tokens, and each sends its
        // share.
        let routed_tokens = tokens / t * f64::from(experts.top_k);
        Self {
            tokens,
            split_tokens,
            sequence,
            attended,
            hidden: f64::from(model.hidden),
            mixer_input: f64::from(model.mixer_input(kind)),
            ffn: f64::from(model.ffn) / t,
            heads,
            kv_heads,
            head_dim,
            value_dim,
            core_query,
            core_value,
            gathers,
            index_keys: index_keys(model, kind),
            key_values,
            key_tokens: if crosses { tokens * outputs / sequence.max(1.0) } else { tokens },
            all_keys: if crosses { outputs } else { sequence },
            projected: if kind.sizes.reuses_keys() || crosses { 0.0 } else { key_values },
            crossed: if crosses { key_values } else { 0.0 },
            key_value_copies: key_value_copies(plan, whole),
            latent_width,
            pairs: model.pairs(kind.mixer, attended, WINDOW_TILE),
            recurrent: model.recurrent.widths(f64::from(model.hidden), t),
            expert_hidden: f64::from(experts.width(model.hidden)),
            shared_ffn: f64::from(experts.shared_width()) / t,
            expert_ffn: f64::from(experts.ffn) / f64::from(plan.expert_tensor_parallel.max(1)),
            local_experts: f64::from(experts.count) / f64::from(plan.expert_parallel.max(1)),
            routed_tokens,
            vocabulary: f64::from(padded_vocabulary(model.vocabulary, plan.tensor_parallel)) / t,
            up_branches: if model.gated_mlp { 2.0 } else { 1.0 },
        }
    }

    /// Bytes of the residual stream of one micro-batch, 16 bits.
    pub fn residual_bytes(&self) -> f64 {
        2.0 * self.tokens * self.hidden
    }

    /// Ratio of vocabulary to hidden width, rounded up: the number of chunks that Liger's loss aims at, so that a
    /// chunk's logits are no larger than the head's input (`fused_linear_cross_entropy`).
    pub fn widths_of_vocabulary(&self) -> f64 {
        (self.vocabulary / self.hidden).ceil().max(1.0)
    }
}

/// Copies of keys and values that a tokens-for-heads exchange sends, of so many heads on a GPU.
fn key_value_copies(plan: &Plan, heads: f64) -> f64 {
    match plan.context_exchange {
        ContextExchange::AllToAll => (f64::from(plan.context_parallel.max(1)) / heads).max(1.0),
        ContextExchange::Ring | ContextExchange::AllGather => 1.0,
    }
}

/// Elements of one token's indexer keys in layers of a kind.
fn index_keys(model: &Model, kind: LayerKind) -> f64 {
    let indexes = model.sparse.index_heads > 0 && kind.mixer.indexes();
    if indexes { f64::from(model.sparse.index_dim) } else { 0.0 }
}

/// Widths of a head, and elements of one token's keys and values on one GPU.
#[derive(Debug, Clone, Copy)]
struct HeadWidths {
    query: f64,
    value: f64,
    key_values: f64,
}

impl HeadWidths {
    /// Of so many heads on one GPU.
    fn new(model: &Model, heads: f64, kv_heads: f64) -> Self {
        let latent = &model.latent;
        if latent.kv_rank > 0 {
            let query = f64::from(latent.plain_dim) + f64::from(latent.rotary_dim);
            let value = f64::from(latent.value_dim);
            return Self { query, value, key_values: heads * (query + value) };
        }
        Self {
            query: f64::from(model.head_dim),
            value: f64::from(model.head_value_dim()),
            key_values: kv_heads * f64::from(model.key_value_width()),
        }
    }

    /// Widths where queries gather keys: those of the latents, if any.
    fn gathered(self, model: &Model) -> Self {
        if model.latent.kv_rank == 0 {
            return self;
        }
        let value = f64::from(model.latent.kv_rank);
        let query = value + f64::from(model.latent.rotary_dim);
        Self { query, value, key_values: query }
    }
}

/// Keys of one flash-attention tile.
const WINDOW_TILE: f64 = 128.0;
