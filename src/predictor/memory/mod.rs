//! What one GPU of each stage has to hold.
//!
//! Model states follow ZeRO (Rajbhandari et al. 2020), activations Korthikanti et al. 2022. The peak is
//! reached when the last layer of a stage starts its backward pass: everything kept for the micro-batches
//! in flight, and either the loss's tensors or the gradients of one layer.

mod activations;
mod facts;
mod fit;
mod host;
mod over_step;
mod peak_errors;
mod sharded;
mod stage;
mod states;

pub(crate) use activations::LayerActivations;
pub(crate) use facts::StackMemory;
pub use fit::{FitVerdict, LIKELY, PeakClass};
pub use host::HostMemory;
pub(crate) use over_step::StageMoments;
pub use over_step::StepMoment;
pub(crate) use stage::{Held, LayersOnStage, MicroBatch, Moment};
pub(crate) use states::{States, WEIGHT};

use crate::constants::Constants;
use crate::scenario::Scenario;
use crate::scenario::model::Layers;
use crate::scenario::plan::stages::{LayoutParameters, stage_kinds, stage_passed_over};
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit};
use crate::schedule::{InFlight, in_flight};
use crate::step::Program;
use crate::units::Bytes;
use serde::Serialize;

/// Device memory of a process outside of PyTorch's allocator: the CUDA context, the libraries' kernels and their workspaces.
/// Measured on an H200, of 69 jobs on one GPU: 0.74 to 0.77 GiB (`examples/measured/memory.csv`, `device_used` less `max_reserved`).
pub const CONTEXT: Bytes = Bytes::from_gib(0.75);

/// What PyTorch's caching allocator reserves of the device over what it has handed out at the peak
/// (`max_memory_reserved` over `max_memory_allocated`). Measured, the median of 67 jobs on one H200; nine of ten lie between 1.02
/// and 1.33 (`examples/measured/memory.csv`).
pub const RESERVED_OVER_ALLOCATED: f64 = 1.09;

/// Buffers of one NCCL communicator: 4 MiB (`NCCL_BUFFSIZE`) for sending and for receiving on each of up to 32
/// channels.
pub const COMMUNICATOR: Bytes = Bytes(2.0 * 32.0 * 4.0 * 1024.0 * 1024.0);

/// GEMM workspaces: 32 MiB each of PyTorch's and Transformer Engine's cuBLAS handles (defaults on Hopper and
/// later).
pub const LIBRARY_WORKSPACE: Bytes = Bytes(64.0 * 1024.0 * 1024.0);

/// Memory of every stage against the GPU's capacity.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryReport {
    /// Peak of the fullest stage as the framework's allocator counts it (PyTorch's
    /// `max_memory_allocated`), GiB.
    pub peak_gib: f64,
    /// What the allocator reserves of the device for it, with what fragments leave (PyTorch's `max_memory_reserved`), GiB: at
    /// most what it can have, where it gives cached blocks back.
    pub reserved_gib: f64,
    /// What the device has in use (`nvidia-smi`): what is reserved, and the [`reserve`], GiB.
    pub device_gib: f64,
    /// Capacity of the GPU, GiB.
    pub capacity_gib: f64,
    /// What a job may take of it, GiB: the capacity less [`reserve`].
    pub usable_gib: f64,
    /// Whether every stage fits as counted.
    pub fits: bool,
    /// What the allocator would reserve of a device without end, GiB.
    #[serde(skip)]
    pub wanted_gib: f64,
    /// Probability that it runs within that memory: the share of public peaks of such software (evidence/peaks.tsv,
    /// [`PeakClass`]) that would, as far off as they were measured from what would be reserved. They are of jobs that ran, so
    /// near the limit it is too high.
    pub fit_probability: f64,
    /// Device memory that the job lacks to be as likely to fit as not, GiB.
    pub lacking_gib: f64,
    /// Number of the fullest stage.
    pub worst_stage: u32,
    /// What takes most of that stage's peak: the label of one of [`StageMemory::parts`].
    pub owner: &'static str,
    /// Host memory that a node needs for what is offloaded.
    pub host: HostMemory,
    /// Footprint per stage.
    pub stages: Vec<StageMemory>,
}

/// Memory of one GPU of one stage, by owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl MemoryReport {
    /// Whether it fits as counted, and is likely to when it is run.
    pub fn is_likely(&self) -> bool {
        self.fits && self.fit_probability >= LIKELY
    }

    /// Whether it fits, as far as that is known.
    pub fn verdict(&self) -> FitVerdict {
        FitVerdict::of(self.fits, self.fit_probability)
    }
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
        self.weights + self.gradients + self.optimizer + self.activations + self.logits + self.workspace
    }
}

/// Memory of one GPU of `stage` at its peak.
pub fn stage_memory(scenario: &Scenario, stage: u32) -> StageMemory {
    of(scenario, |footprint| footprint.stage(stage).memory)
}

/// Memory of every stage against the GPU's capacity. Assumes a valid scenario.
pub fn report(scenario: &Scenario) -> MemoryReport {
    of(scenario, |footprint| footprint.report())
}

/// Same, for a program.
pub(crate) fn report_of(program: &Program<'_>) -> MemoryReport {
    Footprint::new(program, &MicroBatch::new(program, &program.layer_calls())).report()
}

/// A scenario's program. Its memory does not depend on the calibration, so any will do.
fn program(scenario: &Scenario) -> Program<'_> {
    Program::new(scenario, &Constants::SHIPPED)
}

/// Computes `make` from a scenario's footprint.
fn of<R>(scenario: &Scenario, make: impl FnOnce(&Footprint<'_>) -> R) -> R {
    let program = program(scenario);
    make(&Footprint::new(&program, &MicroBatch::new(&program, &program.layer_calls())))
}

/// Peak of the fullest stage, and which that is.
pub fn peak(scenario: &Scenario) -> (Bytes, u32) {
    of(scenario, |footprint| {
        footprint.peak().map_or((Bytes::ZERO, 0), |(held, stage)| (held.allocated(), stage))
    })
}

/// What is allocated of the fullest stage, and reserved for that, of a program with known activations.
pub(crate) fn peak_of(program: &Program<'_>, micro_batch: &MicroBatch) -> [Bytes; 2] {
    let fullest = Footprint::new(program, micro_batch).peak();
    fullest.map_or([Bytes::ZERO; 2], |(held, _)| [held.allocated(), held.reserved()])
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

/// Memory of a GPU that a job may use: all but the [`reserve`].
pub fn usable(scenario: &Scenario) -> Bytes {
    Bytes((scenario.cluster.gpu.memory.0 - reserve(scenario).0).max(0.0))
}

/// Whether a peak leaves the device its [`reserve`].
pub fn fits(scenario: &Scenario, peak: Bytes) -> bool {
    peak <= usable(scenario)
}

/// Probability that a job whose allocator would reserve this much of a device without end runs within the usable memory.
pub(crate) fn fit_probability(scenario: &Scenario, reserved: Bytes) -> f64 {
    PeakClass::of(&scenario.software).share_within(libm::log(usable(scenario).0 / reserved.0))
}

/// The most that the allocator may want to reserve of a job that is likely to fit ([`LIKELY`]).
pub(crate) fn likely_limit(scenario: &Scenario) -> Bytes {
    usable(scenario) * PeakClass::of(&scenario.software).most_reserved(LIKELY)
}

/// Memory that a GPU lacks for a job whose allocator would reserve this much to be likely to fit.
fn lacking(scenario: &Scenario, reserved: Bytes) -> Bytes {
    let needed = reserved.0 / PeakClass::of(&scenario.software).most_reserved(LIKELY);
    Bytes((needed - usable(scenario).0).max(0.0))
}

/// The recompute mode with the least work that makes the scenario fit; full recompute if none does.
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

/// Terms of a stage's memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StageTerms {
    pub(crate) states: States,
    pub(crate) moment: Moment,
    /// Gradients are not yet allocated at the loss.
    pub(crate) grow: bool,
    pub(crate) in_flight: InFlight,
}

impl StageTerms {
    fn held(&self) -> Held {
        self.moment.with_states(&self.states, self.grow)
    }
}

/// Terms of a stage's memory. Assumes a valid scenario.
pub(crate) fn terms(scenario: &Scenario, stage: u32) -> StageTerms {
    of(scenario, |footprint| footprint.terms(stage))
}

/// The fuller of two stages; the first of equal ones.
fn fuller(one: Option<(Held, u32)>, other: (Held, u32)) -> Option<(Held, u32)> {
    one.filter(|one| one.0.allocated() >= other.0.allocated()).or(Some(other))
}

/// What all stages' footprints share.
struct Footprint<'a> {
    scenario: &'a Scenario,
    facts: StackMemory,
    of_model: &'a Layers,
    parameters: LayoutParameters,
    micro_batch: MicroBatch,
}

impl<'a> Footprint<'a> {
    fn new(program: &'a Program<'_>, micro_batch: &MicroBatch) -> Self {
        let scenario = program.scenario;
        let of_model = &program.layers;
        let parameters = LayoutParameters::new(&scenario.model, of_model, scenario.plan.layer_shares());
        Self { scenario, of_model, facts: StackMemory::new(scenario), parameters, micro_batch: *micro_batch }
    }

    fn report(&self) -> MemoryReport {
        let scenario = self.scenario;
        let terms: Vec<StageTerms> =
            (0..scenario.plan.pipeline_parallel.max(1)).map(|stage| self.terms(stage)).collect();
        let (mut stages, mut fullest): (Vec<StageMemory>, Option<(Held, u32)>) = (Vec::new(), None);
        for (held, stage) in terms.iter().map(StageTerms::held).zip(0..) {
            stages.push(held.memory);
            fullest = fuller(fullest, (held, stage));
        }
        let worst_stage = fullest.map_or(0, |(_, stage)| stage);
        let [peak, wanted] =
            fullest.map_or([Bytes::ZERO; 2], |(held, _)| [held.allocated(), held.reserved()]);
        let reserved = Bytes(wanted.0.min(usable(scenario).0.max(peak.0)));
        MemoryReport {
            peak_gib: peak.gib(),
            reserved_gib: reserved.gib(),
            device_gib: (reserved + reserve(scenario)).gib(),
            capacity_gib: scenario.cluster.gpu.memory.gib(),
            usable_gib: usable(scenario).gib(),
            fits: fits(scenario, peak),
            wanted_gib: wanted.gib(),
            fit_probability: fit_probability(scenario, wanted),
            lacking_gib: lacking(scenario, wanted).gib(),
            worst_stage,
            host: HostMemory::new(scenario, &terms),
            owner: stages.get(worst_stage as usize).map_or("", StageMemory::owner),
            stages,
        }
    }

    /// The first of the fullest stages.
    fn peak(&self) -> Option<(Held, u32)> {
        let mut most = None;
        deciding_stages(self.of_model, &self.scenario.plan, &mut |stage| {
            most = fuller(most, (self.stage(stage), stage));
        });
        most
    }

    fn stage(&self, stage: u32) -> Held {
        self.terms(stage).held()
    }

    fn terms(&self, stage: u32) -> StageTerms {
        let plan = &self.scenario.plan;
        let of_model = self.of_model;
        let parameters = self.parameters.on_stage(of_model, plan, stage);
        let micro_batches = self.scenario.micro_batches();
        let states = States::new(self.scenario, &self.facts, of_model, &parameters).in_buckets(micro_batches);
        let layers = LayersOnStage::new(self.scenario, of_model, &parameters.layers, stage);
        let in_flight =
            in_flight(plan.schedule, plan.pipeline_parallel, plan.virtual_stages, micro_batches, stage);
        let moment = layers.moment(&self.micro_batch, &in_flight);
        let grow = self.facts.gradients_grow(self.scenario, plan.zero);
        StageTerms { states, moment, grow, in_flight }
    }
}

/// Number of stages with different layers that a stage is compared with: the latest.
const FEW_HOLDINGS: usize = 8;

/// The stages that can have the largest footprint, in order.
///
/// Under 1F1B no stage keeps more micro-batches than the one before it, so a middle stage with as many layers as an
/// earlier middle stage needs no more memory. With an even split, only the first, second and last stage matter.
pub(crate) fn deciding_stages(layers: &Layers, plan: &Plan, decides: &mut dyn FnMut(u32)) {
    let last = plan.pipeline_parallel.max(1) - 1;
    if plan.schedule != Schedule::OneForwardOneBackward {
        return (0..=last).for_each(decides);
    }
    if layers.kinds().len() <= 1 && !matches!(plan.stage_split, StageSplit::Given(_)) {
        (0..=last.min(1)).for_each(&mut *decides);
        if last > 1 {
            decides(last);
        }
        return;
    }
    let (mut known, mut next) = ([None; FEW_HOLDINGS], 0);
    for stage in 0..=last {
        let held = Some((stage_kinds(layers, plan, stage), stage_passed_over(layers, plan, stage)));
        let is_new = !known.contains(&held);
        if stage <= 1 || stage == last || is_new {
            decides(stage);
        }
        if stage > 0 && is_new {
            known[next % FEW_HOLDINGS] = held;
            next += 1;
        }
    }
}
