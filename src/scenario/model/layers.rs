//! A model as a list of layers: the kinds of layer that it is made of, and which layer is of which kind.
//!
//! A kind is what layers have in common that cost and keep the same: a mixer and a feed-forward part. Nothing here
//! allocates, and no input panics.

use super::Model;
use core::ops::Range;

/// Kinds of layer that a model has at most.
pub const MOST_KINDS: usize = 8;

/// Something of every kind of layer, in the order of [`Layers::kinds`]; nothing beyond the last kind.
pub type OfKinds<T> = [T; MOST_KINDS];

/// What mixes the tokens of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mixer {
    /// Attention to all tokens before (decoders), or to all (encoders).
    Attention,
    /// Attention to the nearest tokens ([`Window`](super::Window)).
    Windowed,
}

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
    /// What mixes its tokens.
    pub mixer: Mixer,
}

impl LayerKind {
    /// A dense layer with attention.
    pub const DENSE: Self = Self { feed_forward: FeedForward::Dense, mixer: Mixer::Attention };

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
    /// Whether some have experts and others have none.
    both_parts: bool,
    /// Leading layers without experts, and which of the others have them: every n-th.
    leading_dense: u32,
    every: u32,
    /// Which layers see all tokens where others do not: every n-th; 0 where all do, or none.
    full_every: u32,
}

impl Layers {
    /// The layers of a model.
    pub fn new(model: &Model) -> Self {
        let of_experts = model.expert_layers();
        let dense = of_experts < model.layers || of_experts == 0;
        let windowed = model.window.share() > 0.0;
        let full = model.window.share() < 1.0;
        let mut layers = Self {
            kinds: [LayerKind::DENSE; MOST_KINDS],
            len: 0,
            total: model.layers,
            both_parts: dense && of_experts > 0,
            leading_dense: model.experts.leading_dense,
            every: model.experts.every.max(1),
            full_every: if windowed && full { model.window.full_every } else { 0 },
        };
        for (feed_forward, any) in [(FeedForward::Dense, dense), (FeedForward::Experts, of_experts > 0)] {
            for (mixer, some) in [(Mixer::Attention, full), (Mixer::Windowed, windowed)] {
                if any
                    && some
                    && let Some(slot) = layers.kinds.get_mut(layers.len)
                {
                    *slot = LayerKind { feed_forward, mixer };
                    layers.len += 1;
                }
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
        let next = layer.saturating_add(1);
        let with_experts = self.with_experts_before(next) > self.with_experts_before(layer);
        let windowed = self.full_every > 0 && !next.is_multiple_of(self.full_every);
        let mixers = if self.full_every > 0 { 2 } else { 1 };
        mixers * usize::from(self.both_parts && with_experts) + usize::from(windowed)
    }

    /// How many of some neighbouring layers are of each kind.
    pub fn among(&self, layers: Range<u32>) -> OfKinds<u32> {
        let mut counts = [0; MOST_KINDS];
        if self.full_every > 0 {
            for layer in layers {
                if let Some(count) = counts.get_mut(self.kind_of(layer)) {
                    *count += 1;
                }
            }
            return counts;
        }
        let held = layers.end.saturating_sub(layers.start);
        let with_experts = if self.both_parts {
            self.with_experts_before(layers.end) - self.with_experts_before(layers.start.min(layers.end))
        } else {
            0
        };
        counts[0] = held - with_experts;
        counts[1] = with_experts;
        counts
    }

    /// Whether all layers from one on are of one kind.
    pub fn are_alike_from(&self, first: u32) -> bool {
        self.len <= 1 || self.among(first..self.total).iter().filter(|layers| **layers > 0).count() <= 1
    }

    /// The kind of the layers of multi-token prediction: that of the layers with experts, where there are any.
    pub fn of_predictions(&self) -> usize {
        self.kinds().iter().position(|kind| kind.has_experts()).unwrap_or(0)
    }

    /// Layers with experts among the first `count` of a model that has some.
    fn with_experts_before(&self, count: u32) -> u32 {
        count.min(self.total).saturating_sub(self.leading_dense) / self.every
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::model::{Experts, Window};

    /// Counting by ranges is counting one by one.
    #[test]
    fn ranges_hold_what_their_layers_are() {
        for (leading_dense, every, full_every) in [(0, 1, 0), (3, 1, 0), (1, 2, 0), (0, 1, 4), (2, 3, 2)] {
            let experts = Experts { count: 8, top_k: 2, ffn: 64, shared: 0, leading_dense, every };
            let window = Window { tokens: if full_every > 0 { 128 } else { 0 }, full_every };
            let model = Model { layers: 29, experts, window, ..Model::DENSE };
            let layers = Layers::new(&model);
            for (start, end) in [(0, 29), (0, 3), (2, 9), (9, 9), (20, 29)] {
                let mut counted = [0; MOST_KINDS];
                (start..end).for_each(|layer| counted[layers.kind_of(layer)] += 1);
                assert_eq!(layers.among(start..end), counted, "{leading_dense} {every} {full_every}");
            }
            for layer in 0..29 {
                let kind = layers.kind(layers.kind_of(layer));
                assert_eq!(kind.has_experts(), model.has_experts(layer));
                let windowed = full_every > 0 && (layer + 1) % full_every != 0;
                assert_eq!(kind.mixer == Mixer::Windowed, windowed);
            }
        }
    }
}
