//! What one GPU of a stage holds: a fixed part, and a part per micro-batch in flight.

use super::activations::{Activations, LayerActivations};
use super::facts::StackMemory;
use super::sharded::Gathered;
use super::states::States;
use super::{LIBRARY_WORKSPACE, RESERVED_OVER_ALLOCATED, StageMemory};
use crate::scenario::Scenario;
use crate::scenario::model::{Layers, OfKinds};
use crate::scenario::plan::stages::stage_passed_over;
use crate::scenario::stack::LossKernel;
use crate::schedule::InFlight;
use crate::step::{HALF, LayerCalls, Program, SINGLE};
use crate::units::Bytes;

/// What one micro-batch keeps on a GPU of any stage, place by place. It depends on how tokens and layers are split and
/// on what is recomputed, not on pipeline degree, schedule or sharding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MicroBatch {
    activations: Activations,
    /// The residual stream sent between stages, bytes.
    residual: f64,
    /// Peak of the loss, bytes.
    loss: f64,
    /// Share of the activations that is offloaded to host memory.
    offloaded: f64,
}

impl MicroBatch {
    /// From the calls of its layers.
    pub(crate) fn new(program: &Program<'_>, calls: &LayerCalls) -> Self {
        let offloaded = f64::from(program.scenario.plan.offload_activations.min(100)) / 100.0;
        Self {
            activations: Activations::new(program, calls),
            residual: 2.0 * program.shapes.split_elements(),
            loss: loss(program),
            offloaded,
        }
    }
}

/// Which layers keep activations on a GPU of a stage, and which ends of the model the stage has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LayersOnStage {
    /// Per kind: layers that recompute runs again, if any, and layers that it skips.
    layers: OfKinds<[f64; 2]>,
    /// Layers of each kind in prediction layers.
    predictions: OfKinds<f64>,
    first: bool,
    last: bool,
    /// Stages send tensors to each other.
    sends: bool,
}

/// Peak of a stage without its model states, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    pub(crate) activations: f64,
    pub(super) logits: f64,
    /// What the running layer needs.
    pub(super) running: f64,
    /// What the layer that runs backward last has kept for it: the largest layer's.
    alone: f64,
    pub(crate) messages: f64,
    pub(crate) placeholders: f64,
    /// What a micro-batch keeps on the stage, and the part that its weight gradients need.
    pub(crate) kept: [f64; 2],
    /// Offloaded activations that pass through the GPU, and the share that is offloaded.
    pub(crate) passing: [f64; 2],
}

impl LayersOnStage {
    /// Of a stage with so many layers of each kind.
    pub(crate) fn new(scenario: &Scenario, of_model: &Layers, held: &OfKinds<u32>, stage: u32) -> Self {
        let plan = &scenario.plan;
        let (first, last) = plan.embedding_and_head(stage);
        let mut layers = OfKinds::<[f64; 2]>::default();
        let passed_over = stage_passed_over(of_model, plan, stage);
        for ((slot, held), passed_over) in layers.iter_mut().zip(held).zip(passed_over) {
            *slot = [f64::from(held.saturating_sub(passed_over)), f64::from(passed_over)];
        }
        let predictions = if last { f64::from(scenario.model.prediction_layers) } else { 0.0 };
        Self {
            layers,
            predictions: of_model.in_prediction().map(|count| f64::from(count) * predictions),
            first,
            last,
            sends: plan.pipeline_parallel.max(1) > 1,
        }
    }

    /// Peak of the stage with this many micro-batches in flight.
    pub(crate) fn moment(&self, micro_batch: &MicroBatch, in_flight: &InFlight) -> Moment {
        let Self { layers, predictions, first, last, sends } = self;
        let MicroBatch { activations, residual, loss, offloaded } = micro_batch;
        let embedding = if *first { activations.embedding } else { 0.0 };
        // Of each micro-batch in flight; of those with deferred weight gradients, only what these need.
        let (mut each, mut running) = ([0.0; 2], 0.0_f64);
        let [mut largest_whole, mut alone] = [0.0; 2];
        let mut add = |count: f64, layer: &LayerActivations| {
            if count <= 0.0 {
                return;
            }
            each[0] += count * layer.kept;
            each[1] += count * layer.for_weights;
            running = running.max(layer.recomputed + layer.transient);
            let whole = layer.kept + layer.recomputed + layer.transient;
            if whole > largest_whole {
                [largest_whole, alone] = [whole, layer.kept];
            }
        };
        // The kinds that it has, as a bit set.
        let mut held = 0;
        let of_kinds = layers.iter().zip(predictions).zip(&activations.layers).take(activations.kinds);
        for (kind, (([run, passed_over], predicted), [layer, other])) in of_kinds.enumerate() {
            add(run + predicted, layer);
            add(*passed_over, other);
            held |= u32::from(run + predicted + passed_over > 0.0) << kind;
        }
        if *first {
            let (tower, in_tower) = &activations.tower;
            add(*in_tower, tower);
        }
        each[0] += embedding;
        let all = in_flight.most(each[0], each[1]);
        let passing = if *offloaded > 0.0 { offloaded * self.passing(activations) } else { 0.0 };
        let logits = if *last { *loss } else { 0.0 };
        let placeholders = 2.0 * activations.weights.elements(held);
        Moment {
            activations: on_gpu(all, [passing, *offloaded]),
            logits,
            running,
            alone,
            // One tensor received and one to send.
            messages: if *sends { 2.0 * residual } else { 0.0 },
            placeholders,
            kept: each,
            passing: [passing, *offloaded],
        }
    }

    /// Bytes of activations that pass through the GPU where all are offloaded: two layers at a time.
    fn passing(&self, activations: &Activations) -> f64 {
        let count = self.layers.as_flattened().iter().sum::<f64>();
        let passes_over = self.layers.iter().any(|[_, passed_over]| *passed_over > 0.0);
        let kept = |kind: &[LayerActivations; 2]| if passes_over { kind[1].kept } else { kind[0].kept };
        let largest = activations.layers.iter().take(activations.kinds).map(kept).fold(0.0, f64::max);
        largest * count.min(2.0)
    }
}

/// Temporary memory of a stage at its peak, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Fullest {
    pub(crate) weights: f64,
    pub(crate) gradients: f64,
    pub(crate) activations: f64,
    pub(crate) logits: f64,
    pub(crate) running: f64,
    /// What the update needs in excess of memory freed by then.
    pub(crate) update: f64,
    /// Under FSDP, gradients before they are reduced, and inputs of reduce-scatters.
    pub(crate) reduced: f64,
    /// Under FSDP, memory of other streams that this one cannot take: reserved, but not allocated at the peak.
    pub(super) elsewhere: f64,
}

impl Fullest {
    fn total(&self) -> f64 {
        self.weights
            + self.gradients
            + self.activations
            + self.logits
            + self.running
            + self.update
            + self.reduced
    }
}

/// What of the activations of all micro-batches in flight is on the GPU, if a share is offloaded and some of that passes through.
fn on_gpu(all: f64, [passing, offloaded]: [f64; 2]) -> f64 {
    all.min((1.0 - offloaded) * all + passing)
}

impl Moment {
    /// Bytes of activations in host memory with these micro-batches in flight.
    pub(super) fn offloaded(&self, in_flight: &InFlight) -> f64 {
        let [kept, deferred] = self.kept;
        self.passing[1] * in_flight.most(kept, deferred)
    }

    /// Activations of so many micro-batches, and of so many with deferred weight gradients.
    pub(super) fn kept_of(&self, (kept, deferred): (f64, f64)) -> f64 {
        on_gpu(kept.max(0.0) * self.kept[0] + deferred.max(0.0) * self.kept[1], self.passing)
    }

    /// Temporary memory at the peak: that of the loss or of the update. Gradients that `grow` are not yet allocated at
    /// the loss.
    pub(crate) fn fullest(&self, states: &States, grow: bool) -> Fullest {
        if let Some(gathered) = &states.fsdp {
            return self.under_fsdp(states, gathered, grow);
        }
        let Self { activations, logits, .. } = *self;
        let running = (self.running - logits).max(0.0);
        let weights = states.weights;
        let (reduced, elsewhere) = (0.0, 0.0);
        // The optimizer runs after activations, logits and weight casts are freed.
        let at_loss = activations + logits + running + states.copies;
        if !grow {
            let update = (states.update - at_loss).max(0.0);
            let gradients = states.gradients;
            Fullest { weights, gradients, activations, logits, running, update, reduced, elsewhere }
        } else if states.gradients + states.update < at_loss {
            Fullest { weights, gradients: 0.0, activations, logits, running, update: 0.0, reduced, elsewhere }
        } else {
            Fullest {
                weights: weights - states.copies,
                gradients: states.gradients,
                update: states.update,
                ..Fullest::default()
            }
        }
    }

    /// The largest of a step's moments under FSDP: the loss, the backward pass of the last layer and of the first, the last
    /// reduce-scatter, and the update. Gradients are shards; those that `grow` exist from the reduce-scatter of their layer on.
    fn under_fsdp(&self, states: &States, gathered: &Gathered, grow: bool) -> Fullest {
        let Self { activations, logits, .. } = *self;
        let running = self.running.max(gathered.layer);
        let held = states.weights;
        let before = if grow { 0.0 } else { states.gradients };
        let backward = Fullest {
            weights: held + gathered.backward,
            gradients: before,
            activations,
            running,
            reduced: gathered.reduced,
            ..Fullest::default()
        };
        let after = Fullest { weights: held, gradients: states.gradients, ..Fullest::default() };
        let moments = [
            Fullest {
                weights: held + gathered.at_loss,
                gradients: before,
                activations,
                logits,
                ..Fullest::default()
            },
            backward,
            self.last_backward(states, gathered, grow, backward),
            Fullest { reduced: gathered.at_end, ..after },
            Fullest { update: states.update, ..after },
        ];
        let most = moments.into_iter().fold(Fullest::default(), |most, moment| {
            if moment.total() > most.total() { moment } else { most }
        });
        let elsewhere = gathered.buffers + states.gradients - most.gradients;
        Fullest { elsewhere, ..most }
    }

    /// The backward pass of the first layer of a step's last micro-batch: of a moment earlier in that pass, only what this
    /// layer has kept is left.
    pub(super) fn last_backward(
        &self,
        states: &States,
        gathered: &Gathered,
        grow: bool,
        earlier: Fullest,
    ) -> Fullest {
        let gradients = gathered.before_last(states.gradients, grow);
        Fullest { gradients, activations: self.alone.min(earlier.activations), ..earlier }
    }

    /// The stage's memory: temporary memory at the peak, plus its model states.
    pub(crate) fn with_states(&self, states: &States, grow: bool) -> Held {
        let fullest = self.fullest(states, grow);
        Held { memory: self.stage(states, &fullest), elsewhere: Bytes(fullest.elsewhere) }
    }

    /// The stage's memory at a moment.
    pub(super) fn stage(&self, states: &States, at: &Fullest) -> StageMemory {
        let Self { messages, placeholders, .. } = *self;
        let Fullest { weights, gradients, activations, logits, running, update, reduced, .. } = *at;
        StageMemory {
            weights: Bytes(weights),
            gradients: Bytes(gradients),
            optimizer: Bytes(states.optimizer),
            activations: Bytes(activations),
            logits: Bytes(logits),
            workspace: LIBRARY_WORKSPACE + Bytes(running + update + reduced + messages + placeholders),
        }
    }
}

/// What a stage holds at its peak.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub(crate) memory: StageMemory,
    /// Memory of other streams, which counts as reserved only.
    elsewhere: Bytes,
}

impl Held {
    /// What the allocator hands out.
    pub(crate) fn allocated(&self) -> Bytes {
        self.memory.total()
    }

    /// What the allocator reserves of a device without end for it: [`RESERVED_OVER_ALLOCATED`], and what other streams hold of
    /// memory that this one cannot take (PyTorch, CUDA streams: blocks are reused by the stream that made them).
    pub(crate) fn reserved(&self) -> Bytes {
        self.allocated() * RESERVED_OVER_ALLOCATED + self.elsewhere
    }
}

/// Parts of the tokens whose head and loss run one after the other in torchtitan, which adds gradients of the head's input up in
/// 32 bits (`ChunkedLossWrapper` and `GradAccumulator` of torchtitan/components/loss.py).
const LOSS_CHUNKS: f64 = 8.0;

/// Final norm's input and output, the logits and the loss's temporaries; or, a moment later, the logits' gradient and
/// the head's weight gradient.
fn loss(program: &Program<'_>) -> f64 {
    let (plan, shapes) = (&program.scenario.plan, &program.shapes);
    let facts = StackMemory::new(program.scenario);
    let hidden = shapes.hidden;
    let gathered = plan.sequence_parallel && plan.tensor_parallel > 1;
    let gather = if gathered { 2.0 * shapes.tokens * hidden } else { 0.0 };
    let words = program.words();
    let logits = shapes.tokens * words;
    if program.scenario.software.loss() == LossKernel::Linear {
        // The logits of one part, with the gradients of the head's input and weights: as many parts as the vocabulary is
        // times the width (Liger, `fused_linear_cross_entropy`), or a program's own.
        let own = program.profile.loss_with_head && !program.scenario.software.runs_liger_loss();
        let (parts, input) =
            if own { (LOSS_CHUNKS, SINGLE) } else { ((words / hidden).ceil().max(1.0), HALF) };
        let frozen = program.scenario.training.adapters.freeze();
        let weights = if frozen { 0.0 } else { 2.0 * shapes.vocabulary * hidden };
        let gradients = input * shapes.tokens * hidden + weights;
        return 4.0 * shapes.split_elements() + gather + facts.logit_bytes * logits / parts + gradients;
    }
    let table = if facts.placeholder_gradients { 2.0 * shapes.vocabulary * hidden } else { 0.0 };
    let backward = 2.0 * logits + table;
    4.0 * shapes.split_elements() + gather + (facts.logit_bytes * logits).max(backward)
}
