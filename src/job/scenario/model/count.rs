//! Parameter counts: sums over the weights that a layer describes. What a pipeline stage holds is counted in
//! [`crate::scenario::plan::stages`].

use super::weights::{LayerShares, Reads, WeightSplit};
use super::{LayerKind, Layers, Model, Norm, Positions, TowerParameters};

/// Parameters of one transformer layer on one GPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LayerParameters {
    /// All but the routed experts.
    pub shared: u64,
    /// Routed experts on this GPU.
    pub experts: u64,
    /// Parameters of the above that every tensor-parallel rank holds whole.
    pub replicated: u64,
    /// Parameters of the above that each use of a shared block has of its own; 0 in other layers.
    pub own: u64,
}

impl LayerParameters {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.shared + self.experts
    }
}

impl Model {
    /// Parameters of one dense layer on one rank of a tensor-parallel group; of the whole layer for 1.
    ///
    /// The degree is assumed to divide heads and feed-forward size; otherwise shares are rounded up.
    pub fn layer_parameters(&self, tensor_parallel: u32) -> LayerParameters {
        let shares = LayerShares { tensor: tensor_parallel, ..LayerShares::WHOLE };
        self.kind_parameters(LayerKind::DENSE, shares)
    }

    /// Parameters of one layer of a kind on one GPU.
    pub fn kind_parameters(&self, kind: LayerKind, shares: LayerShares) -> LayerParameters {
        let (mut shared, mut experts, mut replicated, mut own) = (0.0, 0.0, 0.0, 0.0);
        self.layer_weights(kind, shares, &mut |weights| {
            let (matrices, vectors) = (weights.matrices(), weights.vectors);
            *if weights.reads == Reads::Routed { &mut experts } else { &mut shared } += matrices + vectors;
            replicated += match weights.split {
                WeightSplit::Columns => 0.0,
                WeightSplit::Rows => vectors,
                WeightSplit::Nowhere => matrices + vectors,
            };
            own += if weights.own { matrices } else { 0.0 };
        });
        let [shared, experts, replicated, own] =
            [shared, experts, replicated, own].map(|count: f64| count.round() as u64);
        LayerParameters { shared, experts, replicated, own }
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
            let mut layer = self.kind_parameters(*kind, LayerShares::WHOLE);
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
