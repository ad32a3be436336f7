//! Parameters that one GPU of a stage holds, by origin.

use crate::scenario::model::{OfKinds, TowerParameters};

/// Parameters of one layer on one GPU. Counts, exact up to 2^53.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct KindParameters {
    /// All but the routed experts, including those that every tensor-parallel rank holds whole.
    pub shared: f64,
    /// Routed experts.
    pub experts: f64,
    /// Of `shared`, those that each use of a shared block has of its own; 0 in other layers.
    pub own: f64,
}

/// Parameters on one GPU of a stage, by origin. Counts, exact up to 2^53.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageParameters {
    /// Transformer layers of the stage, by kind.
    pub layers: OfKinds<u32>,
    /// Of those, layers that use the weights of a block that another of them holds.
    pub reused: OfKinds<u32>,
    /// Parameters of one layer of each kind.
    pub kinds: OfKinds<KindParameters>,
    /// Layers of multi-token prediction and their projections (last stage).
    pub prediction: KindParameters,
    /// Input embedding, and the learned position table and the table of layers' own embeddings if any (first stage).
    pub embedding: f64,
    /// An encoder in front of the decoder (first stage).
    pub tower: TowerParameters,
    /// Final norm and LM head (last stage). With tied embeddings, only the norm on one stage, and a second copy of the
    /// embedding on more.
    pub head: f64,
}

impl StageParameters {
    /// All parameters on this GPU.
    pub fn total(&self) -> f64 {
        self.shared() + self.experts()
    }

    /// Parameters that every data-parallel rank holds: all but the routed experts.
    pub fn shared(&self) -> f64 {
        self.of_layers(|layer| layer.shared, |layer| layer.own) + self.prediction.shared + self.ends()
    }

    /// Routed experts, which only the ranks of the same expert-parallel position hold.
    pub fn experts(&self) -> f64 {
        self.of_layers(|layer| layer.experts, |_| 0.0) + self.prediction.experts
    }

    /// Input embedding, encoder, final norm and LM head.
    pub fn ends(&self) -> f64 {
        self.embedding + self.tower.total() + self.head
    }

    /// Parameters of the stage's largest layer.
    pub fn largest_layer(&self) -> f64 {
        self.held().map(|(_, layer)| layer.shared + layer.experts).fold(self.tower.layer, f64::max)
    }

    /// Layers of the stage, of all kinds.
    pub fn all_layers(&self) -> u32 {
        self.layers.iter().sum()
    }

    /// Layers of a kind that hold weights of their own, or are the first to use a block.
    pub fn distinct(&self, kind: usize) -> f64 {
        let of = |counts: &OfKinds<u32>| counts.get(kind).copied().unwrap_or_default();
        f64::from(of(&self.layers).saturating_sub(of(&self.reused)))
    }

    /// The stage's kinds of layer: number of layers, of those that use a block again, and parameters of each.
    fn held(&self) -> impl Iterator<Item = ([f64; 2], &KindParameters)> {
        let kinds = self.layers.iter().zip(&self.reused).zip(&self.kinds);
        kinds
            .filter(|((layers, _), _)| **layers > 0)
            .map(|((layers, reused), kind)| ([f64::from(*layers), f64::from(*reused)], kind))
    }

    /// The sum of a part of all layers, of which a use of a block that another layer holds has only its own.
    fn of_layers(&self, part: fn(&KindParameters) -> f64, own: fn(&KindParameters) -> f64) -> f64 {
        self.held()
            .map(|([layers, reused], kind)| layers * part(kind) - reused * (part(kind) - own(kind)))
            .sum()
    }
}
