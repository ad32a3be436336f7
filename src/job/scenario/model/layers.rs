//! A model as a list of layers: its kinds of layer, and the kind of each layer.
//!
//! Layers of one kind have equal cost and memory: the same mixer and feed-forward part. Nothing here allocates, and no
//! input panics.

use super::Model;
use super::parts::{FeedForward, Mixer};
use super::pattern::{LayerPattern, LayerSizes, MOST_LETTERS};
use super::state_rules::StateRule;
use crate::scenario::WideLayers;
use core::ops::Range;

/// Most kinds of layer in a model.
pub const MOST_KINDS: usize = 16;

/// One value per kind of layer, in the order of [`Layers::kinds`]; nothing beyond the last kind.
pub type OfKinds<T> = [T; MOST_KINDS];

/// A kind of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerKind {
    /// Its feed-forward part.
    pub feed_forward: FeedForward,
    /// Its token mixer.
    pub mixer: Mixer,
    /// Whether it uses the weights of a shared block ([`SharedBlocks`](super::SharedBlocks)).
    pub shares: bool,
    /// Its sizes where they differ from the model's.
    pub sizes: LayerSizes,
    /// Whether its products keep 16 bits where those of other layers are quantised.
    pub wide: bool,
}

impl LayerKind {
    /// A dense layer with attention.
    pub const DENSE: Self = Self {
        feed_forward: FeedForward::Dense,
        mixer: Mixer::Attention,
        shares: false,
        sizes: LayerSizes::OF_MODEL,
        wide: false,
    };

    /// Whether it holds experts.
    pub fn has_experts(self) -> bool {
        self.feed_forward == FeedForward::Experts
    }

    /// Whether it attends.
    pub fn attends(self) -> bool {
        self.mixer.attends()
    }

    /// Description for people.
    pub fn label(self, rule: StateRule) -> String {
        let of_rule = if self.mixer.recurs() { rule.label() } else { "" };
        let mixer = format!("{}{of_rule}", self.mixer.row().label);
        let feed_forward = self.feed_forward.row().label;
        let and = if mixer.is_empty() || feed_forward.is_empty() { "" } else { " and " };
        let shared = if self.shares { "shared " } else { "" };
        let LayerSizes { ffn, kv_heads } = self.sizes;
        let heads = match kv_heads {
            0 => String::new(),
            LayerSizes::REUSED => " with keys and values of an earlier layer".to_owned(),
            _ => format!(" of {kv_heads} key/value heads"),
        };
        let width = if ffn > 0 { format!(" of width {ffn}") } else { String::new() };
        let format = if self.wide { " in 16 bits" } else { "" };
        format!("{shared}{mixer}{heads}{and}{feed_forward}{width}{format}")
    }
}

/// The layers of a model, by kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layers {
    kinds: OfKinds<LayerKind>,
    /// Number of kinds, at least 1.
    len: usize,
    /// Layers in all.
    total: u32,
    /// Whether mixers or formats differ from layer to layer, by a pattern, by windows or by their place.
    mixed: bool,
    /// Layers of each kind.
    counts: OfKinds<u32>,
    /// Distinct shared blocks of each kind.
    blocks: OfKinds<u32>,
    /// The kind of each letter of the pattern, in layers without and with experts, and the same in 16 bits.
    of_letters: [[u8; 4]; MOST_LETTERS],
    model: Rules,
}

/// What determines a layer's kind.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rules {
    pattern: LayerPattern,
    /// Whether any layer may have experts.
    experts: bool,
    /// Leading layers without experts, and the stride of MoE layers among the others.
    leading_dense: u32,
    every: u32,
    /// Whether layers have a window, and the stride of full-attention layers, 0 for none.
    windowed: bool,
    full_every: u32,
    /// Whether all layers share blocks.
    shares: bool,
    /// Layers between the first and the last ones that keep 16 bits.
    narrow: (u32, u32),
}

impl Rules {
    fn new(model: &Model, wide: WideLayers) -> Self {
        Self {
            pattern: model.pattern,
            experts: model.experts.count > 0,
            leading_dense: model.experts.leading_dense,
            every: model.experts.every.max(1),
            windowed: model.window.tokens > 0,
            full_every: model.window.full_every,
            shares: model.shared.count > 0 && !model.pattern.any(|letter| letter.shares),
            narrow: (wide.first, model.layers.saturating_sub(wide.last)),
        }
    }

    fn kind_of(&self, layer: u32) -> LayerKind {
        self.kind_where(layer, self.has_experts(layer), self.is_wide(layer))
    }

    fn is_wide(&self, layer: u32) -> bool {
        layer < self.narrow.0 || layer >= self.narrow.1
    }

    /// The kind of a layer that has experts, or not, unless its letter says so, in that format.
    fn kind_where(&self, layer: u32, has_experts: bool, wide: bool) -> LayerKind {
        let letter = self.pattern.of(layer);
        let (mixer, feed_forward) = match letter {
            Some(letter) => (letter.mixer, letter.feed_forward),
            None if self.windowed && !layer.saturating_add(1).is_multiple_of(self.full_every) => {
                (Mixer::Windowed, None)
            }
            None => (Mixer::Attention, None),
        };
        let by_rule = if has_experts { FeedForward::Experts } else { FeedForward::Dense };
        LayerKind {
            mixer,
            feed_forward: feed_forward.unwrap_or(by_rule),
            shares: self.shares || letter.is_some_and(|letter| letter.shares),
            sizes: self.pattern.sizes_of(layer),
            wide,
        }
    }

    fn has_experts(&self, layer: u32) -> bool {
        self.experts
            && layer >= self.leading_dense
            && (layer - self.leading_dense).saturating_add(1).is_multiple_of(self.every)
    }

    /// MoE layers among the first `count` if no pattern decides.
    fn with_experts_before(&self, count: u32) -> u32 {
        if self.experts { count.saturating_sub(self.leading_dense) / self.every } else { 0 }
    }

    /// Number of layers after which kinds repeat.
    fn period(&self) -> u32 {
        let mixers = match (self.pattern.len(), self.windowed) {
            (0, true) => self.full_every.max(1),
            (0, false) => 1,
            (letters, _) => letters,
        };
        let parts = if self.experts { self.every } else { 1 };
        let leading = if self.experts { self.leading_dense } else { 0 };
        // Mixers meet every position of the feed-forward pattern within the product of both periods.
        leading.saturating_add(mixers.saturating_mul(parts)).saturating_add(mixers)
    }
}

impl Layers {
    /// The layers of a model.
    pub fn new(model: &Model) -> Self {
        Self::keeping(model, WideLayers::NONE)
    }

    /// The layers of a model of which so many first and last ones keep 16 bits.
    pub(in crate::scenario) fn keeping(model: &Model, wide: WideLayers) -> Self {
        let rules = Rules::new(model, wide);
        let by_place = wide != WideLayers::NONE;
        let mixed = rules.windowed && model.window.full_every != 1 || !rules.pattern.is_empty() || by_place;
        let mut layers = Self {
            kinds: [LayerKind::DENSE; MOST_KINDS],
            len: 0,
            total: model.layers,
            mixed,
            counts: [0; MOST_KINDS],
            blocks: [0; MOST_KINDS],
            of_letters: [[0; 4]; MOST_LETTERS],
            model: rules,
        };
        if mixed {
            let period = if by_place { u32::MAX } else { rules.period() };
            for layer in 0..model.layers.max(1).min(period) {
                layers.add(rules.kind_of(layer));
            }
            let found = layers.kinds.get_mut(..layers.len).unwrap_or_default();
            found.sort_unstable();
        } else {
            let dense = LayerKind { shares: rules.shares, ..LayerKind::DENSE };
            let of_experts = rules.with_experts_before(model.layers);
            if of_experts < model.layers || of_experts == 0 {
                layers.add(dense);
            }
            if of_experts > 0 {
                layers.add(LayerKind { feed_forward: FeedForward::Experts, ..dense });
            }
        }
        for (layer, slots) in (0..rules.pattern.len()).zip(&mut layers.of_letters) {
            let kinds = layers.kinds.get(..layers.len).unwrap_or_default();
            *slots =
                [(false, false), (true, false), (false, true), (true, true)].map(|(has_experts, wide)| {
                    let kind = rules.kind_where(layer, has_experts, wide);
                    kinds.iter().position(|known| *known == kind).unwrap_or(0) as u8
                });
        }
        layers.counts = layers.counted(0..model.layers);
        if model.shared.count > 0 {
            layers.count_blocks(model.shared.count);
        }
        layers
    }

    /// Counts the distinct blocks of each kind: the first of the layers that share weights.
    fn count_blocks(&mut self, blocks: u32) {
        let rules = self.model;
        let shared = (0..self.total).filter(|layer| rules.kind_of(*layer).shares);
        for layer in shared.take(usize::try_from(blocks).unwrap_or(usize::MAX)) {
            let kind = self.kind_of(layer);
            if let Some(count) = self.blocks.get_mut(kind) {
                *count += 1;
            }
        }
    }

    /// Of so many layers of each kind on a GPU, those that use the weights of a block that another of them holds.
    pub fn reused(&self, held: OfKinds<u32>) -> OfKinds<u32> {
        let mut reused = [0; MOST_KINDS];
        let kinds = self.kinds().iter().zip(held).zip(self.blocks);
        for (reused, ((kind, held), blocks)) in reused.iter_mut().zip(kinds) {
            *reused = if kind.shares { held.saturating_sub(blocks) } else { 0 };
        }
        reused
    }

    /// Whether the layers that share weights repeat: every block is of one kind, and each has a layer.
    pub fn blocks_repeat(&self, blocks: u32) -> bool {
        let shared = (0..self.total).map(|layer| self.model.kind_of(layer)).filter(|kind| kind.shares);
        let later = shared.clone().skip(usize::try_from(blocks).unwrap_or(usize::MAX));
        self.blocks.iter().sum::<u32>() == blocks && later.zip(shared).all(|(later, first)| later == first)
    }

    /// Adds a kind if it is new and there is room.
    fn add(&mut self, kind: LayerKind) {
        if !self.kinds().contains(&kind)
            && let Some(slot) = self.kinds.get_mut(self.len)
        {
            *slot = kind;
            self.len += 1;
        }
    }

    /// Whether there were more kinds than fit.
    pub fn is_full(&self) -> bool {
        let known = |layer| self.kinds().contains(&self.model.kind_of(layer));
        self.mixed && self.len == MOST_KINDS && !(0..self.total).all(known)
    }

    /// Layers in all.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The kinds, in the order of their feed-forward parts: none, dense, experts.
    pub fn kinds(&self) -> &[LayerKind] {
        self.kinds.get(..self.len).unwrap_or_default()
    }

    /// A kind; the first if it does not exist.
    pub fn kind(&self, kind: usize) -> LayerKind {
        self.kinds.get(kind).copied().unwrap_or(LayerKind::DENSE)
    }

    /// A layer's kind, with layers numbered from 0.
    pub fn kind_of(&self, layer: u32) -> usize {
        if let Some(place) = layer.checked_rem(self.model.pattern.len()) {
            let has_experts = usize::from(self.model.has_experts(layer));
            let wide = usize::from(self.model.is_wide(layer));
            return usize::from(self.of_letters[place as usize][has_experts + 2 * wide]);
        }
        let kind = self.model.kind_of(layer);
        self.kinds().iter().position(|known| *known == kind).unwrap_or(0)
    }

    /// Layers of each kind in a range.
    pub fn among(&self, layers: Range<u32>) -> OfKinds<u32> {
        if layers == (0..self.total) { self.counts } else { self.counted(layers) }
    }

    fn counted(&self, layers: Range<u32>) -> OfKinds<u32> {
        let mut counts = [0; MOST_KINDS];
        if self.mixed {
            for layer in layers {
                if let Some(count) = counts.get_mut(self.kind_of(layer)) {
                    *count += 1;
                }
            }
            return counts;
        }
        let held = layers.end.saturating_sub(layers.start);
        let before = |layer: u32| self.model.with_experts_before(layer);
        let with_experts =
            if self.len > 1 { before(layers.end) - before(layers.start.min(layers.end)) } else { 0 };
        counts[0] = held - with_experts;
        counts[1] = with_experts;
        counts
    }

    /// Layers of each kind in the whole model.
    pub fn counts(&self) -> OfKinds<u32> {
        self.counts
    }

    /// The layers in their order: kinds, numbered from 0, and how many neighbouring layers are of each.
    pub fn runs(&self) -> Vec<(usize, u32)> {
        let mut runs: Vec<(usize, u32)> = Vec::new();
        for kind in (0..self.total).map(|layer| self.kind_of(layer)) {
            match runs.last_mut() {
                Some((last, count)) if *last == kind => *count += 1,
                _ => runs.push((kind, 1)),
            }
        }
        runs
    }

    /// How many layers of the model a test picks.
    pub fn count(&self, picks: impl Fn(LayerKind) -> bool) -> u32 {
        self.kinds().iter().zip(self.counts()).filter(|(kind, _)| picks(**kind)).map(|(_, count)| count).sum()
    }

    /// Whether all layers from one on are of one kind.
    pub fn are_alike_from(&self, first: u32) -> bool {
        self.len <= 1 || self.among(first..self.total).iter().filter(|layers| **layers > 0).count() <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::model::{Experts, Window};

    /// Counting by ranges equals counting one by one.
    #[test]
    fn ranges_hold_what_their_layers_are() {
        for (leading_dense, every, full_every) in [(0, 1, 0), (3, 1, 0), (1, 2, 0), (0, 1, 4), (2, 3, 2)] {
            let experts = Experts {
                count: 8,
                top_k: 2,
                ffn: 64,
                shared: 0,
                shared_ffn: 0,
                latent: 0,
                leading_dense,
                every,
            };
            let window = Window { tokens: if full_every > 0 { 128 } else { 0 }, full_every };
            let model = Model { layers: 29, experts, window, ..Model::DENSE };
            let layers = Layers::new(&model);
            for (start, end) in [(0, 29), (0, 3), (2, 9), (9, 9), (20, 29)] {
                let mut counted = [0; MOST_KINDS];
                (start..end).for_each(|layer| counted[layers.kind_of(layer)] += 1);
                assert_eq!(layers.among(start..end), counted, "{leading_dense} {every} {full_every}");
            }
            let in_order = layers.runs().into_iter().flat_map(|(kind, count)| vec![kind; count as usize]);
            assert!(in_order.eq((0..29).map(|layer| layers.kind_of(layer))));
            for layer in 0..29 {
                let kind = layers.kind(layers.kind_of(layer));
                let with_experts = layer >= leading_dense && (layer - leading_dense + 1) % every == 0;
                assert_eq!(kind.has_experts(), with_experts);
                let windowed = full_every > 0 && (layer + 1) % full_every != 0;
                assert_eq!(kind.mixer == Mixer::Windowed, windowed);
            }
        }
    }
}
