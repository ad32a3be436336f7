//! Parameter counts.
//!
//! Matrices are split over the tensor-parallel group as Megatron splits them: query/key/value and
//! up-projections by columns with their biases, attention output and down-projection by rows with
//! their biases whole on every rank. Key/value heads that are fewer than the group are held more than
//! once. Norms are whole on every rank. What a pipeline stage holds is counted in
//! [`crate::scenario::plan::stages`].

use super::{
    Bias, FeedForward, LayerKind, Layers, Mixer, MixerParts, Model, Norm, Positions, TowerParameters,
};

/// Parameters of one transformer layer on one tensor-parallel rank, by owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LayerParameters {
    /// Query, key and value projection, with its bias.
    pub qkv: u64,
    /// Projection of the attention output, with its bias.
    pub attention_output: u64,
    /// Up-projection, including the gate's, and their biases; of the shared experts in an MoE layer.
    pub mlp_up: u64,
    /// Down-projection, with its bias.
    pub mlp_down: u64,
    /// Router of an MoE layer, whole on every rank.
    pub router: u64,
    /// Routed experts on this rank.
    pub experts: u64,
    /// The norms: two, and those of the latents of multi-head latent attention.
    pub norms: u64,
    /// Parameters of all the above that every rank holds whole: norms and the biases of the row-parallel
    /// matrices.
    pub replicated: u64,
    /// Parameters of all the above that each use of a shared block has of its own; 0 in other layers.
    pub own: u64,
}

impl LayerParameters {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.matrices() + self.norms
    }

    /// Parameters of the linear layers.
    pub fn matrices(&self) -> u64 {
        self.qkv + self.attention_output + self.mlp_up + self.mlp_down + self.router + self.experts
    }
}

impl Model {
    /// Parameters of one dense layer on one rank of a tensor-parallel group; of the whole layer for 1.
    ///
    /// The degree is assumed to divide heads and feed-forward size; otherwise shares are rounded up.
    pub fn layer_parameters(&self, tensor_parallel: u32) -> LayerParameters {
        self.kind_parameters(LayerKind::DENSE, tensor_parallel, 1, 1)
    }

    /// Parameters of a layer's mixer on one rank.
    fn mixer_parameters(&self, kind: LayerKind, degree: u32) -> LayerParameters {
        match kind.parts() {
            MixerParts::None => LayerParameters::default(),
            MixerParts::Recurrent => self.recurrent_parameters(degree),
            MixerParts::Both => self.both_mixers(kind, degree),
            MixerParts::Attention => self.with_indexer(kind.mixer, self.attention_of(kind, degree)),
            MixerParts::Matrix => {
                let norm = self.norm_parameters();
                LayerParameters {
                    attention_output: u64::from(self.hidden.div_ceil(degree)) * u64::from(self.hidden),
                    norms: norm,
                    replicated: norm,
                    ..LayerParameters::default()
                }
            }
        }
    }

    /// Matrices of each use of a shared block on one rank: the projection of its output, whole on every rank, and the
    /// low-rank matrices, whose narrow sides are whole on every rank.
    fn with_own(&self, kind: LayerKind, layer: LayerParameters, degree: u32) -> LayerParameters {
        let shared = &self.shared;
        if !kind.shares || !shared.reads_embeddings && shared.adapter_rank == 0 {
            return layer;
        }
        let model = self.of_kind(kind);
        let (hidden, rank) = (u64::from(self.hidden), u64::from(shared.adapter_rank));
        let split = |width: u32| u64::from(width.div_ceil(degree));
        let output = if shared.reads_embeddings { hidden * hidden } else { 0 };
        let up = rank * self.up_branches() * split(model.ffn);
        let (down, heads) = if shared.attention_adapters {
            let queries = split(model.heads) * u64::from(model.head_dim);
            let keys_values = split(model.kv_heads) * u64::from(model.key_value_width());
            (3 * rank * u64::from(self.mixer_input(kind)), rank * (queries + keys_values))
        } else {
            (0, 0)
        };
        let whole = output + down + rank * hidden;
        LayerParameters {
            qkv: layer.qkv + down + heads,
            mlp_up: layer.mlp_up + rank * hidden + up,
            mlp_down: layer.mlp_down + output,
            replicated: layer.replicated + whole,
            own: whole + heads + up,
            ..layer
        }
    }

    /// Parameters of one layer of a kind on one rank: its share of the shared experts, split over the tensor-parallel
    /// group, and `count / expert_parallel` routed experts, each split over `expert_tensor_parallel` ranks.
    pub fn kind_parameters(
        &self,
        kind: LayerKind,
        tensor_parallel: u32,
        expert_parallel: u32,
        expert_tensor_parallel: u32,
    ) -> LayerParameters {
        let degree = tensor_parallel.max(1);
        let hidden = u64::from(self.hidden);
        let branches = self.up_branches();
        let all_bias = u64::from(self.bias == Bias::All);
        let mixer = self.with_streams(kind, self.mixer_parameters(kind, degree));
        let norm = if kind.feed_forward == FeedForward::None { 0 } else { self.norm_parameters() };
        let mixer =
            LayerParameters { norms: mixer.norms + norm, replicated: mixer.replicated + norm, ..mixer };
        let mixer = self.with_layer_embeddings(mixer);
        match kind.feed_forward {
            FeedForward::None => mixer,
            FeedForward::Dense => {
                let width = u64::from(self.of_kind(kind).ffn.div_ceil(degree));
                let layer = LayerParameters {
                    mlp_up: mixer.mlp_up + width * branches * (hidden + all_bias),
                    mlp_down: mixer.mlp_down + width * hidden + all_bias * hidden,
                    replicated: mixer.replicated + all_bias * hidden,
                    ..mixer
                };
                self.with_own(kind, layer, degree)
            }
            FeedForward::Experts => {
                let experts = &self.experts;
                let shared = if experts.shared_ffn > 0 {
                    u64::from(experts.shared_width().div_ceil(degree))
                } else {
                    u64::from(experts.shared) * u64::from(experts.ffn.div_ceil(degree))
                };
                let local = u64::from(experts.count.div_ceil(expert_parallel.max(1)));
                let width = u64::from(experts.ffn.div_ceil(expert_tensor_parallel.max(1)));
                let inner = u64::from(experts.width(self.hidden));
                // The latent projections of experts are whole on every rank, like the router.
                let latent = if experts.latent > 0 { 2 * hidden * inner } else { 0 };
                let router = u64::from(experts.count) * hidden + latent;
                LayerParameters {
                    mlp_up: mixer.mlp_up + shared * branches * hidden,
                    mlp_down: mixer.mlp_down + shared * hidden,
                    router,
                    experts: local * width * (branches + 1) * inner,
                    replicated: mixer.replicated + router,
                    ..mixer
                }
            }
        }
    }

    /// The mixer and the matrices that mix residual streams before and after each part of the layer, whole on every
    /// rank (DeepSeek-V4: to read the streams, to write them and to mix them, each from all streams of a token).
    fn with_streams(&self, kind: LayerKind, mixer: LayerParameters) -> LayerParameters {
        if self.streams <= 1 {
            return mixer;
        }
        let streams = u64::from(self.streams);
        let outputs = streams * (streams + 2);
        let mixes = kind.parts() != MixerParts::None;
        let parts = u64::from(mixes) + u64::from(kind.feed_forward != FeedForward::None);
        let matrices = parts * (outputs * streams * u64::from(self.hidden) + outputs + 3);
        LayerParameters { norms: mixer.norms + matrices, replicated: mixer.replicated + matrices, ..mixer }
    }

    /// Attention with its indexer and compressors, which are whole on every rank.
    fn with_indexer(&self, mixer: Mixer, attention: LayerParameters) -> LayerParameters {
        let widths = self.sparse_widths(mixer);
        let (weights, small) = (widths.weights(f64::from(self.hidden)) as u64, widths.small as u64);
        LayerParameters {
            qkv: attention.qkv + weights,
            norms: attention.norms + small,
            replicated: attention.replicated + weights + small,
            ..attention
        }
    }

    /// Parallel attention and recurrent mixer on one rank, and their shared norm.
    fn both_mixers(&self, kind: LayerKind, degree: u32) -> LayerParameters {
        let attention = self.attention_of(kind, degree);
        let recurrent = self.recurrent_parameters(degree);
        let norm = self.norm_parameters();
        LayerParameters {
            qkv: attention.qkv + recurrent.qkv,
            attention_output: attention.attention_output + recurrent.attention_output,
            norms: attention.norms + recurrent.norms - norm,
            replicated: attention.replicated + recurrent.replicated - norm,
            ..LayerParameters::default()
        }
    }

    /// A recurrent mixer and its norm on one rank.
    fn recurrent_parameters(&self, degree: u32) -> LayerParameters {
        let (hidden, split) = (f64::from(self.hidden), f64::from(degree));
        let of = self.recurrent.widths(hidden, split);
        let output = (of.values * hidden).round();
        let norm = self.norm_parameters();
        LayerParameters {
            qkv: (self.recurrent.weights(hidden, split) - output).round() as u64,
            attention_output: output as u64,
            norms: norm + self.recurrent.small_parameters(split).round() as u64,
            replicated: norm,
            ..LayerParameters::default()
        }
    }

    /// Attention and its norms of a layer of a kind on one rank.
    fn attention_of(&self, kind: LayerKind, degree: u32) -> LayerParameters {
        let model = self.of_kind(kind);
        let input = self.mixer_input(kind);
        let attention = model.attention_parameters(degree, input);
        if !kind.sizes.reuses_keys() || self.latent.kv_rank > 0 {
            return attention;
        }
        let width = u64::from(model.kv_heads.div_ceil(degree)) * u64::from(model.key_value_width());
        let bias = u64::from(self.bias != Bias::None);
        let norm = if self.query_key_norm { u64::from(model.head_dim) } else { 0 };
        LayerParameters {
            qkv: attention.qkv - width * (u64::from(input) + bias),
            norms: attention.norms - norm,
            replicated: attention.replicated - norm,
            ..attention
        }
    }

    /// A layer with the gate, projection and norm of its own embeddings, whole on every rank.
    fn with_layer_embeddings(&self, layer: LayerParameters) -> LayerParameters {
        let matrix = u64::from(self.layer_embeddings.width) * u64::from(self.hidden);
        let norm = if matrix > 0 { self.norm_parameters() } else { 0 };
        LayerParameters {
            mlp_up: layer.mlp_up + matrix,
            mlp_down: layer.mlp_down + matrix,
            norms: layer.norms + norm,
            replicated: layer.replicated + 2 * matrix + norm,
            ..layer
        }
    }

    /// Parameters of the table of layers' own embeddings on one rank, whose rows are split, and of the projection and
    /// norm that are added to them, which are whole on every rank.
    pub fn layer_embedding_parameters(&self, tensor_parallel: u32) -> u64 {
        let own = &self.layer_embeddings;
        let all = u64::from(own.width) * u64::from(self.layers);
        let vocabulary = if own.vocabulary > 0 { own.vocabulary } else { self.vocabulary };
        let rows = u64::from(vocabulary.div_ceil(tensor_parallel.max(1)));
        all * (rows + u64::from(self.hidden)) + u64::from(own.width)
    }

    /// Attention and its norms of one layer on one rank, of an input of this width.
    fn attention_parameters(&self, degree: u32, input: u32) -> LayerParameters {
        let (hidden, input) = (u64::from(self.hidden), u64::from(input));
        let heads = u64::from(self.heads.div_ceil(degree));
        let qkv_bias = u64::from(self.bias != Bias::None);
        let all_bias = u64::from(self.bias == Bias::All);
        let latent = &self.latent;
        let head = u64::from(self.head_dim);
        let of_heads = if self.query_key_norm && latent.kv_rank == 0 { 2 * head } else { 0 };
        let wide = if input > hidden { 2 } else { 1 };
        let norms = wide * self.norm_parameters() + of_heads;
        let replicated = norms + all_bias * hidden;
        if latent.kv_rank == 0 {
            let query = heads * head;
            let key_value = u64::from(self.kv_heads.div_ceil(degree)) * u64::from(self.key_value_width());
            let context = heads * u64::from(self.head_value_dim());
            let gate = if self.output_gate { context * input } else { 0 };
            // The down-projection to the queries' latent is whole on every rank.
            let rank = u64::from(self.query_latent());
            let (down, read) = if rank > 0 { (input * rank, rank) } else { (0, input) };
            let latents = (self.output_latent.width() / f64::from(degree)).ceil() as u64;
            let output = if latents > 0 {
                context * u64::from(self.output_latent.rank) + latents * hidden
            } else {
                context * hidden
            };
            return LayerParameters {
                qkv: query * (read + qkv_bias) + key_value * (input + qkv_bias) + gate + down,
                attention_output: output + all_bias * hidden,
                norms: norms + rank,
                replicated: replicated + down + rank,
                ..LayerParameters::default()
            };
        }
        // Down-projections to the latents, with the rotated key, are whole on every rank.
        let (kv_rank, query_rank) = (u64::from(latent.kv_rank), u64::from(latent.query_rank));
        let (plain, rotary) = (u64::from(latent.plain_dim), u64::from(latent.rotary_dim));
        let value = u64::from(latent.value_dim);
        let down = input * (query_rank + kv_rank + rotary);
        let query = heads * (plain + rotary) * if query_rank > 0 { query_rank } else { input };
        let key_value = heads * (plain + value) * kv_rank;
        let latent_norms = query_rank + kv_rank;
        LayerParameters {
            qkv: down + query + key_value,
            attention_output: heads * value * hidden,
            norms: norms + latent_norms,
            replicated: replicated + down + latent_norms,
            ..LayerParameters::default()
        }
    }

    /// Up-projections of a feed-forward network: 2 when gated.
    fn up_branches(&self) -> u64 {
        if self.gated_mlp { 2 } else { 1 }
    }

    /// Parameters of one norm.
    pub fn norm_parameters(&self) -> u64 {
        let per_channel = match self.norm {
            Norm::Layer => 2,
            Norm::Rms => 1,
        };
        per_channel * u64::from(self.hidden)
    }

    /// Parameters of the learned position table; 0 without one.
    pub fn position_parameters(&self) -> u64 {
        match self.positions {
            Positions::Learned(rows) => u64::from(rows) * u64::from(self.hidden),
            Positions::Rotary | Positions::Alibi => 0,
        }
    }

    /// Parameters of the whole model, with the published vocabulary (not padded). Multi-token prediction layers are not
    /// counted, as in model names.
    pub fn parameters(&self) -> u64 {
        self.with_experts(self.experts.count)
    }

    /// Parameters that one token passes: all but the routed experts that it does not use.
    pub fn active_parameters(&self) -> u64 {
        self.with_experts(self.experts.top_k.min(self.experts.count))
    }

    /// Parameters of the whole model with this many routed experts in a layer.
    fn with_experts(&self, count: u32) -> u64 {
        let tables = if self.tied_embeddings { 1 } else { 2 };
        let layers = Layers::new(self);
        let held = layers.counts();
        let numbers = held.into_iter().zip(layers.reused(held));
        let of_layers = layers.kinds().iter().zip(numbers).map(|(kind, (number, reused))| {
            let mut layer = self.kind_parameters(*kind, 1, 1, 1);
            layer.experts = layer.experts / u64::from(self.experts.count.max(1)) * u64::from(count);
            u64::from(number - reused) * layer.total() + u64::from(reused) * layer.own
        });
        of_layers.sum::<u64>()
            + tables * u64::from(self.vocabulary) * u64::from(self.hidden)
            + self.position_parameters()
            + self.layer_embedding_parameters(1)
            + self.norm_parameters()
            + TowerParameters::new(self, 1).total() as u64
    }
}

/// Vocabulary padded as Megatron pads it: to a multiple of 128 t.
pub fn padded_vocabulary(vocabulary: u32, tensor_parallel: u32) -> u32 {
    let unit = tensor_parallel.max(1).saturating_mul(128);
    vocabulary.div_ceil(unit).saturating_mul(unit)
}
