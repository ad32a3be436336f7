//! What a GPU of a stage holds at the moments of a step, of which the peak is the fullest.

use super::stage::{Fullest, Moment};
use super::states::States;
use super::{StageMemory, StageTerms, terms};
use crate::scenario::Scenario;
use serde::Serialize;

/// A moment of a step on one stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum StepMoment {
    /// A forward pass begins or ends.
    Forward,
    /// The loss of a micro-batch.
    Loss,
    /// A backward pass begins, in the last layer.
    Backward,
    /// The last backward pass of the step is in the first layer.
    LastBackward,
    /// A backward pass has ended.
    Freed,
    /// Under FSDP, the last gradients are reduced.
    Reduced,
    /// The optimizer runs.
    Update,
}

/// Micro-batches whose activations a stage keeps, and those of which it keeps only what deferred weight gradients need.
pub(crate) type MicroBatchesHeld = (f64, f64);

/// Memory of the moments of one stage.
pub(crate) struct StageMoments(StageTerms);

impl StageMoments {
    /// Those of a stage. Assumes a valid scenario.
    pub(crate) fn new(scenario: &Scenario, stage: u32) -> Self {
        Self(terms(scenario, stage))
    }

    /// What the stage holds at a moment with so many micro-batches in flight.
    pub(crate) fn at(&self, when: StepMoment, held: MicroBatchesHeld) -> StageMemory {
        let StageTerms { states, moment, grow, .. } = &self.0;
        let temporary = moment.at(states, *grow, when, held);
        moment.stage(states, &temporary)
    }
}

impl Moment {
    /// What is held at a moment in addition to the optimizer's states.
    fn at(&self, states: &States, grow: bool, when: StepMoment, held: MicroBatchesHeld) -> Fullest {
        let before = if grow { 0.0 } else { states.gradients };
        let kept = Fullest {
            weights: states.weights,
            gradients: before,
            activations: self.kept_of(held),
            ..Fullest::default()
        };
        let done = Fullest { gradients: states.gradients, ..kept };
        let after = Fullest { activations: 0.0, weights: states.weights - states.copies, ..done };
        let gathered = states.fsdp.unwrap_or_default();
        let weights = states.weights + gathered.backward;
        let running = self.running.max(gathered.layer);
        let backward = Fullest { weights, running, reduced: gathered.reduced, ..kept };
        match when {
            StepMoment::Forward => Fullest { weights, ..kept },
            StepMoment::Loss => {
                Fullest { weights: states.weights + gathered.at_loss, logits: self.logits, ..kept }
            }
            StepMoment::Backward => backward,
            // Without FSDP, gradients that grow replace the activations that are freed.
            StepMoment::LastBackward if states.fsdp.is_none() => after,
            StepMoment::LastBackward => self.last_backward(states, &gathered, grow, backward),
            StepMoment::Freed => kept,
            StepMoment::Reduced => Fullest { reduced: gathered.at_end, ..after },
            StepMoment::Update => Fullest { update: states.update, ..after },
        }
    }
}
