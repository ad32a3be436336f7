//! A model as a list of layers: the kinds of layer that it is made of, and which layer is of which kind.
//!
//! A kind is what layers have in common that cost and keep the same. Nothing here allocates, and no input panics.

use super::Model;
use core::ops::Range;

/// Kinds of layer that a model has at most.
pub const MOST_KINDS: usize = 8;

/// Something of every kind of layer, in the order of [`Layers::kinds`]; nothing beyond the last kind.
pub type OfKinds<T> = [T; MOST_KINDS];

/// What comes after a layer's mixer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeedForward {
    /// One network that every token passes.
    Dense,
    /// Experts, of which each token passes some.
    Experts,
}

/// A kind of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerKind {
    /// Its feed-forward part.
    pub feed_forward: FeedForward,
}

impl LayerKind {
    /// A dense layer.
    pub const DENSE: Self = Self { feed_forward: FeedForward::Dense };

    /// Whether it holds experts.
    pub fn has_experts(self) -> bool {
        self.feed_forward == FeedForward::Experts
    }
}

/// The layers of a model, by kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layers {
    kinds: OfKinds<LayerKind>,
    /// Kinds that there are: 1 at least.
    len: usize,
    /// Layers in all.
    total: u32,
    /// Leading layers without experts, and which of the others have them: every n-th.
    leading_dense: u32,
    every: u32,
}

impl Layers {
    /// The layers of a model.
    pub fn new(model: &Model) -> Self {
        let of_experts = model.expert_layers();
        let kinds = [
            (FeedForward::Dense, of_experts < model.layers || of_experts == 0),
            (FeedForward::Experts, of_experts > 0),
        ];
        let mut layers = Self {
            kinds: [LayerKind::DENSE; MOST_KINDS],
            len: 0,
            total: model.layers,
            leading_dense: model.experts.leading_dense,
            every: model.experts.every.max(1),
        };
        for (feed_forward, _) in kinds.into_iter().filter(|kind| kind.1) {
            if let Some(slot) = layers.kinds.get_mut(layers.len) {
                *slot = LayerKind { feed_forward };
                layers.len += 1;
            }
        }
        layers
    }

    /// Layers in all.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The kinds, dense ones first.
    pub fn kinds(&self) -> &[LayerKind] {
        self.kinds.get(..self.len).unwrap_or_default()
    }

    /// A kind; the first where there is no such.
    pub fn kind(&self, kind: usize) -> LayerKind {
        self.kinds.get(kind).copied().unwrap_or(LayerKind::DENSE)
    }

    /// Which kind a layer is of, numbered from 0.
    pub fn kind_of(&self, layer: u32) -> usize {
        let before = self.with_experts_before(layer);
        usize::from(self.len > 1 && self.with_experts_before(layer.saturating_add(1)) > before)
    }

    /// How many of some neighbouring layers are of each kind.
    pub fn among(&self, layers: Range<u32>) -> OfKinds<u32> {
        let Range { start, end } = layers;
        let held = end.saturating_sub(start);
        let mut counts = [0; MOST_KINDS];
        if self.len <= 1 {
            counts[0] = held;
            return counts;
        }
        let with_experts = self.with_experts_before(end) - self.with_experts_before(start.min(end));
        counts[0] = held - with_experts;
        counts[1] = with_experts;
        counts
    }

    /// Whether all layers from one on are of one kind.
    pub fn are_alike_from(&self, first: u32) -> bool {
        self.len <= 1 || self.among(first..self.total).iter().filter(|layers| **layers > 0).count() <= 1
    }

    /// Layers with experts among the first `count` of a model that has both kinds.
    fn with_experts_before(&self, count: u32) -> u32 {
        count.min(self.total).saturating_sub(self.leading_dense) / self.every
    }

    /// The kind of the layers of multi-token prediction: that of the layers with experts, where there are any.
    pub fn of_predictions(&self) -> usize {
        self.kinds().iter().position(|kind| kind.has_experts()).unwrap_or(0)
    }
}
