//! What one GPU of each stage has to hold.

use crate::units::Bytes;
use serde::Serialize;

/// Memory of every stage against the GPU's capacity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryReport {
    /// Peak of the fullest stage, GiB.
    pub peak_gib: f64,
    /// Capacity of the GPU, GiB.
    pub capacity_gib: f64,
    /// Whether every stage fits.
    pub fits: bool,
    /// Number of the fullest stage.
    pub worst_stage: u32,
    /// Footprint per stage.
    pub stages: Vec<StageMemory>,
}

/// Memory of one GPU of one stage, by owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StageMemory {
    /// Parameters in the compute format.
    pub weights: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Optimizer states and master weights.
    pub optimizer: Bytes,
    /// Activations kept for the backward pass of all micro-batches in flight.
    pub activations: Bytes,
    /// Logits and the loss's temporaries (last stage).
    pub logits: Bytes,
    /// Transient tensors of the layer being computed, communication buffers, library workspaces.
    pub workspace: Bytes,
}

impl StageMemory {
    /// Key, label and size of every owner, in reading order.
    pub fn parts(&self) -> [(&'static str, &'static str, Bytes); 6] {
        [
            ("weights", "Weights", self.weights),
            ("gradients", "Gradients", self.gradients),
            ("optimizer", "Optimizer states", self.optimizer),
            ("activations", "Activations", self.activations),
            ("logits", "Logits", self.logits),
            ("workspace", "Workspace", self.workspace),
        ]
    }

    /// Sum of the owners.
    pub fn total(&self) -> Bytes {
        self.parts().iter().map(|part| part.2).sum()
    }
}

pub fn report(_s: &crate::scenario::Scenario) -> MemoryReport {
    MemoryReport { peak_gib: 0., capacity_gib: 0., fits: true, worst_stage: 0, stages: vec![] }
}
pub fn peak(_s: &crate::scenario::Scenario) -> (Bytes, u32) {
    (Bytes(0.), 0)
}
pub fn fits(_s: &crate::scenario::Scenario, _p: Bytes) -> bool {
    true
}
