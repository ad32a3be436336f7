//! What one GPU of each stage has to hold.
//!
//! Model states follow ZeRO (Rajbhandari et al. 2020), activations Korthikanti et al. 2022. The peak is
//! reached when the last layer of a stage starts its backward pass: everything kept for the micro-batches
//! in flight, and either the loss's tensors or the gradients of one layer.

mod activations;
mod facts;
mod states;

use crate::operators::Shapes;
use crate::plan::Recompute;
use crate::plan::stages::stage_parameters;
use crate::scenario::Scenario;
use crate::units::Bytes;
use activations::LayerActivations;
use facts::Facts;
use serde::Serialize;
use states::States;

/// Device memory that the framework's allocator cannot hand out: CUDA context, NCCL's buffers, and what
/// fragmentation leaves unusable. Assumed; the fullest public run that ran leaves 1.8 GiB of an A100 40 GB.
pub const RESERVE: Bytes = Bytes::from_gib(1.5);

/// GEMM workspaces: 32 MiB each of PyTorch's and Transformer Engine's cuBLAS handles (defaults on Hopper and
/// later).
pub const LIBRARY_WORKSPACE: Bytes = Bytes(64.0 * 1024.0 * 1024.0);

/// Memory of every stage against the GPU's capacity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryReport {
    /// Peak of the fullest stage as the framework's allocator counts it (PyTorch's
    /// `max_memory_allocated`), GiB.
    pub peak_gib: f64,
    /// Capacity of the GPU, GiB.
    pub capacity_gib: f64,
    /// What a job may take of it, GiB: the capacity less [`RESERVE`].
    pub usable_gib: f64,
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
    /// Parameters in the compute format; under ZeRO-3 and FSDP the rank's shard and the layers gathered.
    pub weights: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Optimizer states and master weights.
    pub optimizer: Bytes,
    /// Activations kept for the backward pass of all micro-batches in flight.
    pub activations: Bytes,
    /// Logits and the loss's temporaries (last stage).
    pub logits: Bytes,
    /// Communication buffers, library workspaces, and what the layer being computed needs beyond the
    /// room of the logits, which are gone by then.
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

/// Memory of one GPU of `stage` at its peak.
pub fn stage_memory(scenario: &Scenario, stage: u32) -> StageMemory {
    Footprint::new(scenario).stage(stage)
}

/// Memory of every stage, against the GPU's capacity. The scenario is taken to be valid.
pub fn report(scenario: &Scenario) -> MemoryReport {
    let footprint = Footprint::new(scenario);
    let stages: Vec<StageMemory> =
        (0..scenario.plan.pipeline_parallel.max(1)).map(|stage| footprint.stage(stage)).collect();
    let (peak, worst_stage) = fullest(stages.iter().zip(0..).map(|(memory, stage)| (memory.total(), stage)));
    MemoryReport {
        peak_gib: peak.gib(),
        capacity_gib: scenario.cluster.gpu.memory.gib(),
        usable_gib: usable(scenario).gib(),
        fits: fits(scenario, peak),
        worst_stage,
        stages,
    }
}

/// Peak of the fullest stage, and which that is, without allocating.
///
/// Behind the second stage no middle stage holds more layers or micro-batches, so first, second and last
/// decide.
pub fn peak(scenario: &Scenario) -> (Bytes, u32) {
    let footprint = Footprint::new(scenario);
    let last = scenario.plan.pipeline_parallel.max(1) - 1;
    let candidates = [0, 1.min(last), last];
    fullest(candidates.into_iter().map(|stage| (footprint.stage(stage).total(), stage)))
}

/// What a job may take of a GPU's memory: all but the device's [`RESERVE`].
pub fn usable(scenario: &Scenario) -> Bytes {
    Bytes((scenario.cluster.gpu.memory.0 - RESERVE.0).max(0.0))
}

/// Whether a peak leaves the device its [`RESERVE`].
pub fn fits(scenario: &Scenario, peak: Bytes) -> bool {
    peak <= usable(scenario)
}

/// The recompute mode of least work with which the scenario fits; full recompute if none does.
pub fn least_recompute_that_fits(scenario: &Scenario) -> Recompute {
    let selective = scenario.software.stack.profile().selective_recompute;
    let modes = [Some(Recompute::None), selective.then_some(Recompute::Selective)];
    modes
        .into_iter()
        .flatten()
        .find(|&recompute| {
            let mut tried = *scenario;
            tried.plan.recompute = recompute;
            fits(&tried, peak(&tried).0)
        })
        .unwrap_or(Recompute::Full)
}

/// The first of the largest.
fn fullest(stages: impl Iterator<Item = (Bytes, u32)>) -> (Bytes, u32) {
    stages.fold((Bytes::ZERO, 0), |most, stage| if stage.0 > most.0 { stage } else { most })
}

/// What the footprints of all stages share.
struct Footprint<'a> {
    scenario: &'a Scenario,
    facts: Facts,
    shapes: Shapes,
    layer: LayerActivations,
    expert_layer: LayerActivations,
}

impl<'a> Footprint<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        let (facts, shapes) = (Facts::new(scenario), Shapes::new(scenario));
        let layer = LayerActivations::new(scenario, &shapes, &facts);
        let expert_layer = if scenario.model.experts.count > 0 {
            LayerActivations::of_experts(scenario, &shapes, &facts)
        } else {
            layer
        };
        Self { scenario, facts, shapes, layer, expert_layer }
    }

    fn stage(&self, stage: u32) -> StageMemory {
        let plan = &self.scenario.plan;
        let stages = plan.pipeline_parallel.max(1);
        let parameters = stage_parameters(&self.scenario.model, plan, stage);
        let states = States::new(self.scenario, &self.facts, &parameters);
        let layers = f64::from(parameters.layers);
        let residual = 2.0 * self.shapes.split_tokens * self.shapes.hidden;

        let in_flight = self.micro_batches_in_flight(stage);
        let embedding = if stage == 0 && self.facts.dropout { residual / 2.0 } else { 0.0 };
        let of_experts = f64::from(parameters.expert_layers);
        let predictions =
            if stage == stages - 1 { f64::from(self.scenario.model.prediction_layers) } else { 0.0 };
        let kept =
            (layers - of_experts) * self.layer.kept + (of_experts + predictions) * self.expert_layer.kept;
        let activations = in_flight * (kept + embedding);
        let logits = if stage == stages - 1 { self.loss() } else { 0.0 };

        let runs = |layer: &LayerActivations, any: bool| {
            if any { layer.recomputed + layer.transient } else { 0.0 }
        };
        let running = runs(&self.layer, layers > of_experts)
            .max(runs(&self.expert_layer, of_experts + predictions > 0.0));
        let running = (running - logits).max(0.0);
        // The optimizer runs when activations and logits are gone.
        let update = (states.update - activations - logits - running).max(0.0);
        // A tensor received and one to be sent.
        let messages = if stages > 1 { 2.0 * residual } else { 0.0 };
        let placeholders = if self.facts.placeholder_gradients {
            2.0 * (parameters.per_layer - parameters.per_layer_replicated) * layers.min(1.0)
        } else {
            0.0
        };
        StageMemory {
            weights: Bytes(states.weights),
            gradients: Bytes(states.gradients),
            optimizer: Bytes(states.optimizer),
            activations: Bytes(activations),
            logits: Bytes(logits),
            workspace: LIBRARY_WORKSPACE + Bytes(running + update + messages + placeholders),
        }
    }

    /// Micro-batches whose activations a stage holds at once: p - stage under 1F1B. Interleaved 1F1B warms
    /// up with 2 (p - stage - 1) + (v - 1) p virtual stages and starts one more, which on the first stage is
    /// p (1 + (p - 1) / (p v)) micro-batches (Korthikanti et al. 2022, section 4.2.3).
    fn micro_batches_in_flight(&self, stage: u32) -> f64 {
        let plan = &self.scenario.plan;
        let stages = f64::from(plan.pipeline_parallel.max(1));
        let virtual_stages = f64::from(plan.virtual_stages.max(1));
        let behind = stages - 1.0 - f64::from(stage);
        let started = if virtual_stages > 1.0 && stages > 1.0 {
            2.0 * behind + (virtual_stages - 1.0) * stages + 1.0
        } else {
            (behind + 1.0) * virtual_stages
        };
        (started / virtual_stages).min(f64::from(self.scenario.micro_batches()))
    }

    /// Final norm's input and output, the logits and what the loss makes of them, or, a moment later, their
    /// gradient beside the head's weight gradient.
    fn loss(&self) -> f64 {
        let plan = &self.scenario.plan;
        let hidden = self.shapes.hidden;
        let gathered = plan.sequence_parallel && plan.tensor_parallel > 1;
        let gather = if gathered { 2.0 * self.shapes.tokens * hidden } else { 0.0 };
        let logits = self.shapes.tokens * self.shapes.vocabulary;
        let table =
            if self.facts.placeholder_gradients { 2.0 * self.shapes.vocabulary * hidden } else { 0.0 };
        let backward = 2.0 * logits + table;
        4.0 * self.shapes.split_tokens * hidden + gather + (self.facts.logit_bytes * logits).max(backward)
    }
}
