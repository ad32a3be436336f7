//! How often a micro-batch visits each place of a stage.

use super::{Place, Program};
use crate::scenario::plan::stages::{
    chunk_expert_layers, chunk_kept_layers, chunk_layers, stage_expert_layers, stage_kept_layers,
    stage_layers,
};

/// Visits of each place, per micro-batch of a replica.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Visits {
    /// The embedding.
    pub embedding: f64,
    /// Dense layers, but for those that recompute passes over.
    pub layers: f64,
    /// Dense layers that recompute passes over.
    pub kept_layers: f64,
    /// Layers of experts, but for those that recompute passes over.
    pub expert_layers: f64,
    /// Layers of experts that recompute passes over.
    pub kept_expert_layers: f64,
    /// Projections of multi-token prediction.
    pub projections: f64,
    /// The head.
    pub head: f64,
}

impl Visits {
    /// Every place with its visits, in the order in which a forward pass comes by.
    pub fn places(&self) -> [(Place, f64); 7] {
        [
            (Place::Embedding, self.embedding),
            (Place::Layer, self.layers),
            (Place::KeptLayer, self.kept_layers),
            (Place::ExpertLayer, self.expert_layers),
            (Place::KeptExpertLayer, self.kept_expert_layers),
            (Place::PredictionProjection, self.projections),
            (Place::Head, self.head),
        ]
    }
}

impl Program<'_> {
    /// Visits on a stage: of all its chunks, or the mean of the two directions of a mirrored pipeline, of which each
    /// takes half of the micro-batches.
    pub fn visits(&self, stage: u32) -> Visits {
        let (model, plan) = (&self.scenario.model, &self.scenario.plan);
        let layers = stage_layers(model.layers, plan, stage);
        let of_experts = stage_expert_layers(model, plan, stage);
        let kept = stage_kept_layers(model, plan, stage);
        let ends = plan.embedding_and_head(stage);
        self.counted([layers, of_experts], kept, ends, plan.share_of_micro_batches())
    }

    /// Visits in one chunk of the model.
    pub fn chunk_visits(&self, chunk: u32) -> Visits {
        let (model, plan) = (&self.scenario.model, &self.scenario.plan);
        let layers = chunk_layers(model.layers, plan, chunk);
        let of_experts = chunk_expert_layers(model, plan, chunk);
        let kept = chunk_kept_layers(model, plan, chunk);
        self.counted([layers, of_experts], kept, (chunk == 0, chunk + 1 == plan.chunks()), 1.0)
    }

    /// Each prediction layer joins two residual streams to one, passes a layer like the others, and the head again
    /// (DeepSeek-V3, arXiv 2412.19437, section 2.2).
    fn counted(
        &self,
        [layers, of_experts]: [u32; 2],
        (kept, kept_experts): (u32, u32),
        (first, last): (bool, bool),
        share: f64,
    ) -> Visits {
        let model = &self.scenario.model;
        let of_experts = of_experts.min(layers);
        let predictions = if last { f64::from(model.prediction_layers) } else { 0.0 };
        let has_experts = model.experts.count > 0;
        let (dense, routed) = if has_experts { (0.0, predictions) } else { (predictions, 0.0) };
        let one_if = |there: bool| f64::from(u8::from(there));
        Visits {
            embedding: share * one_if(first),
            layers: share * (f64::from(layers - of_experts - kept) + dense),
            kept_layers: share * f64::from(kept),
            expert_layers: share * (f64::from(of_experts - kept_experts) + routed),
            kept_expert_layers: share * f64::from(kept_experts),
            projections: share * predictions,
            head: share * (one_if(last) + predictions),
        }
    }
}
