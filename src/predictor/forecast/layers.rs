//! What places of different layouts share, priced: the calls of layers before recomputation and the ends of the model.

use super::passes::Passes;
use super::places::Priced;
use crate::cost::Price;
use crate::step::{Call, LayerCalls, Place};
use std::sync::Arc;

/// What places cost in any mode of recomputation: the calls of one layer of each kind with their prices, and the ends of the
/// model.
#[derive(Debug, Clone)]
pub(crate) struct PricedLayers {
    pub(crate) calls: LayerCalls,
    prices: Vec<Arc<[Price]>>,
    pub(super) ends: Arc<ModelEnds>,
}

impl PricedLayers {
    /// Those of one kind.
    pub(super) fn of(&self, kind: usize) -> (&[Call], &[Price]) {
        let calls = self.calls.get(kind).map_or(&[][..], |calls| calls);
        (calls, self.prices.get(kind).map_or(&[][..], |prices| prices))
    }

    pub(super) fn new(ends: Arc<ModelEnds>, layers: impl Iterator<Item = PricedLayer>) -> Self {
        let (calls, prices) = layers.unzip();
        Self { calls, prices, ends }
    }
}

/// Passes of the embedding, of a prediction layer's projection and of the head.
pub(super) type ModelEnds = [Passes; 3];

/// The calls of one layer with their prices.
pub(super) type PricedLayer = (Arc<[Call]>, Arc<[Price]>);

impl Priced<'_> {
    /// The calls of one layer of each kind.
    pub(crate) fn layers(&self) -> PricedLayers {
        let kinds = 0..self.program.layers.kinds().len();
        PricedLayers::new(self.ends().into(), kinds.map(|kind| self.calls_within(kind)))
    }

    /// The ends of the model.
    pub(super) fn ends(&self) -> ModelEnds {
        let predicts = self.program.scenario.model.prediction_layers > 0;
        [Place::Embedding, Place::PredictionProjection, Place::Head].map(|place| match place {
            Place::PredictionProjection if !predicts => Passes::default(),
            _ => self.end(place),
        })
    }

    /// The calls of one layer of a kind.
    pub(super) fn calls_within(&self, kind: usize) -> PricedLayer {
        let calls = self.program.calls_within(kind);
        let prices = calls.iter().map(|call| self.rates.price(&call.work)).collect();
        (calls, prices)
    }
}
