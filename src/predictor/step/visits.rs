//! How often a micro-batch visits each place of a stage.

use super::{Place, Program};
use crate::scenario::model::OfKinds;
use crate::scenario::plan::stages::{chunk_kinds, chunk_passed_over, stage_kinds, stage_passed_over};

/// Visits of each place, per micro-batch of a replica.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Visits {
    /// The embedding.
    pub embedding: f64,
    /// Layers of the encoder in front of the decoder.
    pub tower: f64,
    /// Layers of each kind: those that recompute runs again, if any, and those that it skips.
    pub layers: OfKinds<[f64; 2]>,
    /// Projections of multi-token prediction.
    pub projections: f64,
    /// The head.
    pub head: f64,
}

impl Visits {
    /// Every visited place with its number of visits, in forward order.
    pub fn places(&self) -> impl Iterator<Item = (Place, f64)> {
        let layers = self.layers.iter().enumerate().flat_map(|(kind, visits)| {
            [false, true]
                .into_iter()
                .zip(visits)
                .map(move |(passed_over, visits)| (Place::Layer { kind, passed_over }, *visits))
        });
        let ends = [(Place::PredictionProjection, self.projections), (Place::Head, self.head)];
        let begin = [(Place::Embedding, self.embedding), (Place::Tower, self.tower)];
        let all = begin.into_iter().chain(layers).chain(ends);
        all.filter(|(_, visits)| *visits > 0.0)
    }
}

impl Program<'_> {
    /// Visits on a stage: of all its chunks, or the mean over the two directions of a mirrored pipeline, each with half
    /// of the micro-batches.
    pub fn visits(&self, stage: u32) -> Visits {
        let plan = &self.scenario.plan;
        let held = stage_kinds(&self.layers, plan, stage);
        let passed_over = stage_passed_over(&self.layers, plan, stage);
        self.counted(held, passed_over, plan.embedding_and_head(stage), plan.share_of_micro_batches())
    }

    /// Visits in one chunk of the model.
    pub fn chunk_visits(&self, chunk: u32) -> Visits {
        let plan = &self.scenario.plan;
        let held = chunk_kinds(&self.layers, plan, chunk);
        let passed_over = chunk_passed_over(&self.layers, plan, chunk);
        self.counted(held, passed_over, (chunk == 0, chunk + 1 == plan.chunks()), 1.0)
    }

    /// Each prediction layer merges two residual streams into one, runs a normal layer, and the head again
    /// (DeepSeek-V3, arXiv 2412.19437, section 2.2).
    fn counted(
        &self,
        held: OfKinds<u32>,
        passed_over: OfKinds<u32>,
        (first, last): (bool, bool),
        share: f64,
    ) -> Visits {
        let predictions = if last { f64::from(self.scenario.model.prediction_layers) } else { 0.0 };
        let one_if = |there: bool| f64::from(u8::from(there));
        let mut layers = OfKinds::default();
        let kinds = held.into_iter().zip(passed_over).zip(self.layers.in_prediction());
        for (visits, ((held, passed_over), predicted)) in layers.iter_mut().zip(kinds) {
            let run = f64::from(held - passed_over) + predictions * f64::from(predicted);
            *visits = [share * run, share * f64::from(passed_over)];
        }
        Visits {
            embedding: share * one_if(first),
            tower: share * one_if(first) * f64::from(self.scenario.model.tower.layers),
            layers,
            projections: share * predictions,
            head: share * (one_if(last) + predictions),
        }
    }
}
