//! What one GPU of each stage has to hold.
//!
//! Model states follow ZeRO (Rajbhandari et al. 2020), activations Korthikanti et al. 2022. The peak is
//! reached when the last layer of a stage starts its backward pass: everything kept for the micro-batches
//! in flight, and either the loss's tensors or the gradients of one layer.

mod activations;
mod facts;
mod states;

pub(crate) use activations::{Activations, LayerActivations};

use crate::constants::Constants;
use crate::scenario::Scenario;
use crate::scenario::plan::stages::{LayoutParameters, stage_expert_layers, stage_layers};
use crate::scenario::plan::{Recompute, Schedule, StageSplit};
use crate::schedule::in_flight;
use crate::step::Program;
use crate::units::Bytes;
use facts::Facts;
use serde::Serialize;
use states::States;

/// Device memory that the CUDA context and what fragmentation leaves unusable take. Assumed; the fullest public
/// run that ran leaves 1.8 GiB of an A100 40 GB.
pub const CONTEXT: Bytes = Bytes::from_gib(0.5);

/// Buffers of one NCCL communicator: 4 MiB (`NCCL_BUFFSIZE`) for sending and for receiving on each of up to 32
/// channels.
pub const COMMUNICATOR: Bytes = Bytes(2.0 * 32.0 * 4.0 * 1024.0 * 1024.0);

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
    /// What a job may take of it, GiB: the capacity less [`reserve`].
    pub usable_gib: f64,
    /// Whether every stage fits.
    pub fits: bool,
    /// Number of the fullest stage.
    pub worst_stage: u32,
    /// What takes most of that stage's peak: the label of one of [`StageMemory::parts`].
    pub owner: &'static str,
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

    /// Label of the largest owner.
    pub fn owner(&self) -> &'static str {
        let parts = self.parts().into_iter();
        parts.fold(("", Bytes::ZERO), |most, part| if part.2 > most.1 { (part.1, part.2) } else { most }).0
    }

    /// Sum of the owners.
    pub fn total(&self) -> Bytes {
        self.parts().iter().map(|part| part.2).sum()
    }
}

/// Memory of one GPU of `stage` at its peak.
pub fn stage_memory(scenario: &Scenario, stage: u32) -> StageMemory {
    of(scenario, |footprint| footprint.stage(stage))
}

/// Memory of every stage, against the GPU's capacity. The scenario is taken to be valid.
pub fn report(scenario: &Scenario) -> MemoryReport {
    of(scenario, |footprint| footprint.report())
}

/// What is made of a scenario's footprint. What its program holds depends on no calibration, so that any will do.
fn of<R>(scenario: &Scenario, make: impl FnOnce(&Footprint<'_>) -> R) -> R {
    let program = Program::new(scenario, &Constants::SHIPPED);
    make(&Footprint::new(&program, &Activations::new(&program)))
}

/// Peak of the fullest stage, and which that is, without allocating.
///
/// Under 1F1B no stage keeps more micro-batches than the one before, so that a middle stage that holds as many layers as
/// its neighbour before holds no more than that. Where equal layers are dealt evenly, first, second and last decide.
pub fn peak(scenario: &Scenario) -> (Bytes, u32) {
    of(scenario, |footprint| footprint.peak())
}

/// The same of a program whose activations are known.
pub(crate) fn peak_of(program: &Program<'_>, activations: &Activations) -> (Bytes, u32) {
    Footprint::new(program, activations).peak()
}

/// Device memory that the framework's allocator cannot hand out: [`CONTEXT`], and a [`COMMUNICATOR`] for every
/// kind of group that a GPU communicates in (tensor, context, pipeline, data, experts).
pub fn reserve(scenario: &Scenario) -> Bytes {
    let plan = &scenario.plan;
    let degrees = [
        plan.tensor_parallel,
        plan.context_parallel,
        plan.pipeline_parallel,
        scenario.data_parallel(),
        plan.expert_parallel,
    ];
    let groups = degrees.iter().filter(|degree| **degree > 1).count();
    CONTEXT + COMMUNICATOR * groups as f64
}

/// What a job may take of a GPU's memory: all but the [`reserve`].
pub fn usable(scenario: &Scenario) -> Bytes {
    Bytes((scenario.cluster.gpu.memory.0 - reserve(scenario).0).max(0.0))
}

/// Whether a peak leaves the device its [`reserve`].
pub fn fits(scenario: &Scenario, peak: Bytes) -> bool {
    peak <= usable(scenario)
}

/// The recompute mode of least work with which the scenario fits; full recompute if none does.
pub fn least_recompute_that_fits(scenario: &Scenario) -> Recompute {
    let selective = scenario.software.profile().selective_recompute;
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
    program: &'a Program<'a>,
    scenario: &'a Scenario,
    facts: Facts,
    parameters: LayoutParameters,
    activations: Activations,
}

impl<'a> Footprint<'a> {
    fn new(program: &'a Program<'a>, activations: &Activations) -> Self {
        let scenario = program.scenario;
        let parameters = LayoutParameters::new(&scenario.model, &scenario.plan);
        Self { program, scenario, facts: Facts::new(scenario), parameters, activations: *activations }
    }

    fn report(&self) -> MemoryReport {
        let scenario = self.scenario;
        let stages: Vec<StageMemory> =
            (0..scenario.plan.pipeline_parallel.max(1)).map(|stage| self.stage(stage)).collect();
        let (peak, worst_stage) =
            fullest(stages.iter().zip(0..).map(|(memory, stage)| (memory.total(), stage)));
        MemoryReport {
            peak_gib: peak.gib(),
            capacity_gib: scenario.cluster.gpu.memory.gib(),
            usable_gib: usable(scenario).gib(),
            fits: fits(scenario, peak),
            worst_stage,
            owner: stages.get(worst_stage as usize).map_or("", StageMemory::owner),
            stages,
        }
    }

    fn peak(&self) -> (Bytes, u32) {
        let (model, plan) = (&self.scenario.model, &self.scenario.plan);
        let last = plan.pipeline_parallel.max(1) - 1;
        let of = |stage| (self.stage(stage).total(), stage);
        if plan.schedule != Schedule::OneForwardOneBackward {
            return fullest((0..=last).map(of));
        }
        let experts = &model.experts;
        let alike = experts.count == 0 || (experts.leading_dense == 0 && experts.every <= 1);
        if alike && !matches!(plan.stage_split, StageSplit::Given(_)) {
            return fullest([0, 1.min(last), last].into_iter().map(of));
        }
        let mut before = None;
        let decides = |stage: &u32| {
            let held = (stage_layers(model.layers, plan, *stage), stage_expert_layers(model, plan, *stage));
            let decides = *stage <= 1 || *stage == last || before != Some(held);
            before = Some(held);
            decides
        };
        fullest((0..=last).filter(decides).map(of))
    }

    fn stage(&self, stage: u32) -> StageMemory {
        let plan = &self.scenario.plan;
        let stages = plan.pipeline_parallel.max(1);
        let parameters = self.parameters.on_stage(&self.scenario.model, plan, stage);
        let states = States::new(self.scenario, &self.facts, &parameters);
        let layers = f64::from(parameters.layers);
        let residual = 2.0 * self.program.shapes.split_elements();

        let (first, last) = plan.embedding_and_head(stage);
        let Activations { layer, expert_layer, embedding, weights } = &self.activations;
        let embedding = if first { *embedding } else { 0.0 };
        let of_experts = f64::from(parameters.expert_layers);
        let predictions = if last { f64::from(self.scenario.model.prediction_layers) } else { 0.0 };
        let both = |part: fn(&LayerActivations) -> f64| {
            (layers - of_experts) * part(layer) + (of_experts + predictions) * part(expert_layer)
        };
        let held =
            self.in_flight(stage, both(|layer| layer.kept) + embedding, both(|layer| layer.for_weights));
        // What waits in the host's memory passes through the GPU's two layers at a time.
        let share = f64::from(plan.offload_activations.min(100)) / 100.0;
        let passing = share * layer.kept.max(expert_layer.kept) * layers.min(2.0);
        let activations = held.min((1.0 - share) * held + passing);
        let logits = if last { self.loss() } else { 0.0 };

        let runs = |layer: &LayerActivations, any: bool| {
            if any { layer.recomputed + layer.transient } else { 0.0 }
        };
        let running =
            runs(layer, layers > of_experts).max(runs(expert_layer, of_experts + predictions > 0.0));
        let running = (running - logits).max(0.0);
        // The optimizer runs when activations and logits are gone.
        let update = if plan.offload_optimizer { 0.0 } else { states.update };
        let update = (update - activations - logits - running).max(0.0);
        // A tensor received and one to be sent.
        let messages = if stages > 1 { 2.0 * residual } else { 0.0 };
        let placeholders = 2.0
            * match (layers > of_experts, of_experts + predictions > 0.0) {
                (true, true) => weights.both,
                (true, false) => weights.dense,
                (false, true) => weights.of_experts,
                (false, false) => 0.0,
            };
        StageMemory {
            weights: Bytes(states.weights),
            gradients: Bytes(states.gradients),
            optimizer: Bytes(if plan.offload_optimizer { 0.0 } else { states.optimizer }),
            activations: Bytes(activations),
            logits: Bytes(logits),
            workspace: LIBRARY_WORKSPACE + Bytes(running + update + messages + placeholders),
        }
    }

    /// Most activations that a stage holds at once: those of the micro-batches in flight, and of those whose
    /// weight gradients the schedule puts off, what these still need.
    fn in_flight(&self, stage: u32, kept: f64, for_weights: f64) -> f64 {
        let plan = &self.scenario.plan;
        let micro_batches = self.scenario.micro_batches();
        in_flight(plan.schedule, plan.pipeline_parallel, plan.virtual_stages, micro_batches, stage)
            .most(kept, for_weights)
    }

    /// Final norm's input and output, the logits and what the loss makes of them, or, a moment later, their
    /// gradient beside the head's weight gradient.
    fn loss(&self) -> f64 {
        let plan = &self.scenario.plan;
        let shapes = &self.program.shapes;
        let hidden = shapes.hidden;
        let gathered = plan.sequence_parallel && plan.tensor_parallel > 1;
        let gather = if gathered { 2.0 * shapes.tokens * hidden } else { 0.0 };
        let logits = shapes.tokens * shapes.vocabulary;
        let table = if self.facts.placeholder_gradients { 2.0 * shapes.vocabulary * hidden } else { 0.0 };
        let backward = 2.0 * logits + table;
        4.0 * shapes.split_elements() + gather + (self.facts.logit_bytes * logits).max(backward)
    }
}
