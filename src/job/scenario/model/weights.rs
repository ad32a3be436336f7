//! The weights of a layer on one GPU, as its mixer and its feed-forward part describe them. Parameters, adapters, FLOPs,
//! casts and memory are sums over them.
//!
//! Matrices are split over the tensor-parallel group as Megatron splits them: projections that read the residual stream
//! by columns with their biases, those that write it by rows with their biases whole on every rank. Key/value heads that
//! are fewer than the group are held more than once. Nothing here allocates.

use super::{Bias, FeedForward, LayerKind, Mixer, Model};

/// A linear layer with its bias, or a vector such as a norm's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Width of its input.
    pub input: f64,
    /// Width of its output.
    pub output: f64,
    /// Number of equal matrices.
    pub count: f64,
    /// Elements beside the matrices.
    pub vectors: f64,
    /// What a tensor-parallel group splits.
    pub split: WeightSplit,
    /// What it multiplies.
    pub reads: Reads,
    /// Fused matrices whose low-rank adapters read the input with a matrix of their own; none without adapters.
    pub adapters: Option<f64>,
    /// What is cast before products in few bits.
    pub cast: Cast,
    /// Whether each use of a shared block has its own.
    pub own: bool,
}

/// Which side of a matrix a tensor-parallel group splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightSplit {
    /// The output, with its vectors.
    Columns,
    /// The input; its vectors are whole on every rank.
    Rows,
    /// Neither.
    Nowhere,
}

/// What a linear layer multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The normed input of the mixer or of the feed-forward part.
    Input,
    /// A tensor inside of it.
    Inside,
    /// Outputs of the encoder in front of the decoder.
    Encoder,
    /// Copies of tokens that are sent to experts.
    Routed,
}

/// What of a linear layer is cast for its product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cast {
    /// Nothing.
    Nothing,
    /// Its input.
    Input,
    /// Its input and its weights.
    Both,
}

/// Ranks that share a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerShares {
    /// Tensor-parallel ranks.
    pub tensor: u32,
    /// Ranks that the experts are assigned to.
    pub experts: u32,
    /// Ranks that each expert is split over.
    pub expert_tensor: u32,
}

impl LayerShares {
    /// The whole layer on one GPU.
    pub const WHOLE: Self = Self { tensor: 1, experts: 1, expert_tensor: 1 };

    /// One rank's share of a tensor-parallel group's whole number.
    pub(super) fn split(self, whole: u32) -> f64 {
        f64::from(whole.div_ceil(self.tensor.max(1)))
    }
}

impl Weights {
    /// A linear layer of the part's input, split by columns, that is cast as a whole.
    pub(super) fn from_input(input: f64, output: f64) -> Self {
        Self {
            input,
            output,
            count: 1.0,
            vectors: 0.0,
            split: WeightSplit::Columns,
            reads: Reads::Input,
            adapters: Some(1.0),
            cast: Cast::Both,
            own: false,
        }
    }

    /// A linear layer inside of a part that writes its output, split by rows.
    pub(super) fn to_output(input: f64, output: f64) -> Self {
        Self { split: WeightSplit::Rows, reads: Reads::Inside, ..Self::from_input(input, output) }
    }

    /// A linear layer without adapters that is whole on every rank and is not cast.
    pub(super) fn whole(reads: Reads, input: f64, output: f64) -> Self {
        Self {
            split: WeightSplit::Nowhere,
            reads,
            adapters: None,
            cast: Cast::Nothing,
            ..Self::from_input(input, output)
        }
    }

    /// A vector that is whole on every rank.
    pub(super) fn vector(elements: f64) -> Self {
        Self { vectors: elements, ..Self::whole(Reads::Inside, 0.0, 0.0) }
    }

    /// Elements of the matrices.
    pub fn matrices(&self) -> f64 {
        self.count * self.input * self.output
    }

    /// Parameters of an adapter of rank 1 of each matrix of n rows and k columns: n + k. Tensor parallelism splits the
    /// adapter's side that matches the split side of the matrix; the other is whole on every rank.
    pub fn adapter(&self) -> f64 {
        self.adapters.map_or(0.0, |fused| self.count * (fused * self.input + self.output))
    }
}

impl Model {
    /// Calls `visit` with all weights of a layer of a kind on one GPU.
    pub fn layer_weights(&self, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
        self.mixer_weights(kind, shares, &mut *visit);
        self.feed_forward_weights(kind, shares, &mut *visit);
        // The gate, projection and norm of the layer's own embeddings.
        let (hidden, width) = (f64::from(self.hidden), f64::from(self.layer_embeddings.width));
        if width > 0.0 {
            visit(Weights::whole(Reads::Inside, hidden, width));
            visit(Weights::whole(Reads::Inside, width, hidden));
            visit(Weights::vector(self.norm_parameters() as f64));
        }
    }

    /// The same for its mixer.
    pub fn mixer_weights(&self, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
        if kind.mixer != Mixer::None {
            self.around(self.mixer_input(kind), &mut *visit);
            (kind.mixer.row().weights)(&self.of_kind(kind), kind, shares, visit);
        }
    }

    /// The same for its feed-forward part.
    pub fn feed_forward_weights(&self, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
        if kind.feed_forward != FeedForward::None {
            self.around(self.hidden, &mut *visit);
            (kind.feed_forward.row().weights)(&self.of_kind(kind), kind, shares, visit);
        }
    }

    /// The norm of a part's input, and the matrices around the part that read residual streams, write them and mix them,
    /// each from all streams of a token (DeepSeek-V4).
    fn around(&self, input: u32, visit: &mut dyn FnMut(Weights)) {
        let width = if input > self.hidden { 2 } else { 1 };
        let streams = u64::from(self.streams);
        let outputs = streams * (streams + 2);
        let mixing = if streams > 1 { outputs * streams * u64::from(self.hidden) + outputs + 3 } else { 0 };
        visit(Weights::vector((width * self.norm_parameters() + mixing) as f64));
    }

    /// Up-projections of a feed-forward network: 2 when gated.
    fn up_branches(&self) -> f64 {
        if self.gated_mlp { 2.0 } else { 1.0 }
    }
}

/// A matrix in place of a mixer.
pub(super) fn matrix(model: &Model, _: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    visit(Weights::from_input(f64::from(model.hidden), shares.split(model.hidden)));
}

/// Attention of any kind: queries, keys and values, the indexer and compressors of sparse attention, which are whole on
/// every rank, and the output.
pub(super) fn attention(model: &Model, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    if model.latent.kv_rank > 0 {
        latent_projections(model, kind, shares, &mut *visit);
    } else {
        direct_projections(model, kind, shares, &mut *visit);
    }
    let (hidden, sparse) = (f64::from(model.hidden), model.sparse_widths(kind.mixer));
    visit(Weights::whole(Reads::Inside, sparse.query_input, sparse.index_queries));
    visit(Weights::whole(Reads::Input, hidden, sparse.index_keys + sparse.compressor));
    visit(Weights::vector(sparse.small));
}

fn direct_projections(model: &Model, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    let (hidden, input) = (f64::from(model.hidden), f64::from(model.mixer_input(kind)));
    let (heads, head) = (shares.split(model.heads), f64::from(model.head_dim));
    let (queries, context) = (heads * head, heads * f64::from(model.head_value_dim()));
    let crosses = kind.mixer == Mixer::Crossed;
    let held = shares.split(model.kv_heads) * f64::from(model.key_value_width());
    let keys_values = if kind.sizes.reuses_keys() { 0.0 } else { held };
    let projected = if crosses { 0.0 } else { keys_values };
    let of = |elements: f64| if model.bias == Bias::None { 0.0 } else { elements };

    let rank = f64::from(model.query_latent());
    let read = if rank > 0.0 { 0.0 } else { queries };
    if rank > 0.0 {
        let whole = Weights::whole(Reads::Input, input, rank);
        visit(Weights { adapters: Some(1.0), cast: Cast::Both, vectors: rank, ..whole });
        visit(Weights { vectors: of(queries), reads: Reads::Inside, ..Weights::from_input(rank, queries) });
    }
    let branches = if projected > 0.0 { 3.0 } else { 1.0 };
    visit(Weights {
        vectors: of(read + projected),
        adapters: Some(branches),
        ..Weights::from_input(input, read + projected)
    });
    if crosses {
        let (reads, adapters, vectors) = (Reads::Encoder, Some(2.0), of(keys_values));
        visit(Weights { vectors, reads, adapters, ..Weights::from_input(hidden, keys_values) });
    }
    if model.output_gate {
        // Fused with the queries.
        visit(Weights { adapters: Some(0.0), cast: Cast::Nothing, ..Weights::from_input(input, context) });
    }
    if model.query_key_norm {
        visit(Weights::vector(if kind.sizes.reuses_keys() { head } else { 2.0 * head }));
    }

    let vectors = if model.bias == Bias::All { hidden } else { 0.0 };
    let latents = shares.split(model.output_latent.rank.saturating_mul(model.output_latent.groups));
    if latents > 0.0 {
        let rank = f64::from(model.output_latent.rank);
        let count = latents / rank;
        visit(Weights { count, split: WeightSplit::Columns, ..Weights::to_output(context / count, rank) });
        visit(Weights { vectors, ..Weights::to_output(latents, hidden) });
    } else {
        visit(Weights { vectors, ..Weights::to_output(context, hidden) });
    }
}

/// Multi-head latent attention: down to the latents on every rank, up to the local heads. Latents are not cast, nor are the
/// weights around them.
fn latent_projections(model: &Model, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    let (input, latent) = (f64::from(model.mixer_input(kind)), &model.latent);
    let heads = shares.split(model.heads);
    let (key_values, latents) = (f64::from(latent.kv_rank), f64::from(latent.query_rank));
    let (plain, rotary) = (f64::from(latent.plain_dim), f64::from(latent.rotary_dim));
    let value = f64::from(latent.value_dim);
    let queries = heads * (plain + rotary);
    let down = |output: f64, vectors: f64| {
        let whole = Weights::whole(Reads::Input, input, output);
        Weights { vectors, adapters: Some(1.0), cast: Cast::Input, ..whole }
    };
    let up = |input: f64, output: f64| {
        let of_latents = Weights::from_input(input, output);
        Weights { reads: Reads::Inside, cast: Cast::Nothing, ..of_latents }
    };
    if latents > 0.0 {
        visit(down(latents, latents));
        visit(up(latents, queries));
    } else {
        visit(Weights { cast: Cast::Input, ..Weights::from_input(input, queries) });
    }
    visit(down(key_values + rotary, key_values));
    visit(up(key_values, heads * (plain + value)));
    visit(Weights::to_output(heads * value, f64::from(model.hidden)));
}

/// A recurrent mixer. Its taps, decays, biases of steps and norms are split with the heads.
pub(super) fn recurrent(model: &Model, _: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    let (hidden, split) = (f64::from(model.hidden), f64::from(shares.tensor.max(1)));
    let of = model.recurrent.widths(hidden, split);
    let gate = Weights {
        adapters: None,
        cast: Cast::Nothing,
        reads: Reads::Inside,
        ..Weights::from_input(0.0, 0.0)
    };
    visit(Weights {
        vectors: model.recurrent.small_parameters(split),
        ..Weights::from_input(hidden, of.projected)
    });
    visit(Weights::whole(Reads::Inside, of.low_rank_input, of.low_rank));
    visit(Weights { input: of.gate_rank, output: of.from_low_rank, ..gate });
    let width = f64::from(model.recurrent.value_dim);
    visit(Weights { count: of.heads, input: width, output: of.square_gates, ..gate });
    visit(Weights::to_output(of.values, hidden));
}

/// A feed-forward network of this inner width on one GPU.
fn network(model: &Model, width: f64, biased: bool, visit: &mut dyn FnMut(Weights)) {
    let (hidden, branches) = (f64::from(model.hidden), model.up_branches());
    let (inner, all) = (branches * width, if biased { 1.0 } else { 0.0 });
    visit(Weights { vectors: all * inner, adapters: Some(branches), ..Weights::from_input(hidden, inner) });
    visit(Weights { vectors: all * hidden, ..Weights::to_output(width, hidden) });
}

/// One network for all tokens; and in a shared block what each use has of its own: a projection of the output, whole on
/// every rank, and low-rank matrices, whose narrow sides are whole on every rank.
pub(super) fn dense(model: &Model, kind: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    network(model, shares.split(model.ffn), model.bias == Bias::All, &mut *visit);
    if !kind.shares {
        return;
    }
    let (hidden, rank) = (f64::from(model.hidden), f64::from(model.shared.adapter_rank));
    let mut low_rank = |input: f64, narrow: f64, output: f64| {
        visit(Weights { own: true, ..Weights::whole(Reads::Input, input, narrow) });
        let split = WeightSplit::Columns;
        visit(Weights { own: true, split, ..Weights::whole(Reads::Inside, rank, output) });
    };
    low_rank(hidden, rank, model.up_branches() * shares.split(model.ffn));
    if model.shared.attention_adapters {
        let queries = shares.split(model.heads) * f64::from(model.head_dim);
        let keys_values = shares.split(model.kv_heads) * f64::from(model.key_value_width());
        low_rank(f64::from(model.mixer_input(kind)), 3.0 * rank, queries + keys_values);
    }
    if model.shared.reads_embeddings {
        visit(Weights { own: true, ..Weights::whole(Reads::Inside, hidden, hidden) });
    }
}

/// Experts: router and projections to and from their width, whole on every rank; the share of the shared experts; and the
/// routed experts of this GPU.
pub(super) fn experts(model: &Model, _: LayerKind, shares: LayerShares, visit: &mut dyn FnMut(Weights)) {
    let (hidden, experts) = (f64::from(model.hidden), &model.experts);
    let inner = f64::from(experts.width(model.hidden));
    visit(Weights::whole(Reads::Input, hidden, f64::from(experts.count)));
    if experts.latent > 0 {
        visit(Weights::whole(Reads::Input, hidden, inner));
        visit(Weights::whole(Reads::Inside, inner, hidden));
    }
    if experts.shared > 0 {
        let each = if experts.shared_ffn > 0 { experts.shared_ffn } else { experts.ffn };
        network(model, f64::from(experts.shared) * shares.split(each), false, &mut *visit);
    }
    let count = f64::from(experts.count.div_ceil(shares.experts.max(1)));
    let (width, branches) =
        (f64::from(experts.ffn.div_ceil(shares.expert_tensor.max(1))), model.up_branches());
    let (reads, up) = (Reads::Routed, Weights::from_input(inner, branches * width));
    visit(Weights { count, reads, adapters: Some(branches), ..up });
    visit(Weights { count, reads, ..Weights::to_output(width, inner) });
}
