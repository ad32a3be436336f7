//! Memory of a stage over a step: what its passes, in the order of the schedule, allocate and free.

use super::Predictor;
use crate::error::FieldError;
use crate::memory::{StageMemory, StageMoments, StepMoment};
use crate::scenario::Scenario;
use crate::schedule::{ScheduledPass, SimulatedPass};
use crate::units::Seconds;
use serde::Serialize;

/// What one GPU of a stage holds at a moment of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryPoint {
    /// When, from the start of the step.
    #[serde(rename = "time_s")]
    pub time: Seconds,
    /// What runs.
    pub moment: StepMoment,
    /// Micro-batch whose pass it is, from 0; absent at the end of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<u32>,
    /// Memory by owner.
    pub memory: StageMemory,
}

impl Predictor<'_> {
    /// Memory of one GPU of a stage over a step, by owner: a few points for each of its passes, then the end of the step. Its
    /// highest point is the forecast of the stage's peak; under schedules that split the backward pass, or with few
    /// micro-batches, that is an upper bound of it.
    ///
    /// # Errors
    /// What makes the scenario impossible, a stage that it does not have, or a pipeline too long to replay.
    pub fn memory_over_step(
        &self,
        scenario: &Scenario,
        stage: u32,
    ) -> Result<Vec<MemoryPoint>, Vec<FieldError>> {
        let timeline = self.timeline(scenario)?;
        if stage as usize >= timeline.busy.len() {
            let last = timeline.busy.len().saturating_sub(1);
            let message = format!("The stages are numbered 0 to {last}.");
            return Err(vec![FieldError::new("stage", message).suggest([last.to_string()])]);
        }
        let passes: Vec<&SimulatedPass> =
            timeline.events.iter().filter(|event| event.stage == stage).collect();
        let mut curve = PassesOnStage::new(scenario, stage);
        for (place, pass) in passes.iter().enumerate() {
            curve.run(pass, place + 1 == passes.len());
        }
        let end = passes.last().map_or(Seconds::ZERO, |pass| pass.end);
        Ok(curve.ended(end, self.step_time(scenario).max(end)))
    }
}

/// The passes of a stage, and the points that they make.
struct PassesOnStage {
    moments: StageMoments,
    /// Part of a stage's layers that a chunk has.
    chunk: f64,
    /// The chunk after which the loss is.
    last_chunk: Option<u32>,
    /// Micro-batches kept, and those of which only the inputs of weight gradients are, in whole stages.
    held: (f64, f64),
    points: Vec<MemoryPoint>,
}

impl PassesOnStage {
    fn new(scenario: &Scenario, stage: u32) -> Self {
        let plan = &scenario.plan;
        let has_loss = plan.embedding_and_head(stage).1;
        Self {
            moments: StageMoments::new(scenario, stage),
            chunk: 1.0 / plan.chunks_on(stage).count().max(1) as f64,
            last_chunk: has_loss.then(|| plan.chunks().saturating_sub(1)),
            held: (0.0, 0.0),
            points: Vec::new(),
        }
    }

    fn add(&mut self, time: Seconds, moment: StepMoment, micro_batch: Option<u32>) {
        let memory = self.moments.at(moment, self.held);
        self.points.push(MemoryPoint { time, moment, micro_batch, memory });
    }

    /// A pass of the stage; `last` says that none comes after it.
    fn run(&mut self, pass: &SimulatedPass, last: bool) {
        let SimulatedPass { start, end, chunk, .. } = *pass;
        let of = Some(pass.micro_batch);
        match pass.pass {
            ScheduledPass::Forward => {
                self.add(start, StepMoment::Forward, of);
                self.held.0 += self.chunk;
                self.add(end, StepMoment::Forward, of);
                if self.last_chunk == Some(chunk) {
                    self.add(end, StepMoment::Loss, of);
                }
            }
            ScheduledPass::Backward | ScheduledPass::InputGradient => {
                self.add(start, StepMoment::Backward, of);
                self.held.0 -= self.chunk;
                if pass.pass == ScheduledPass::InputGradient {
                    self.held.1 += self.chunk;
                    self.add(end, StepMoment::Backward, of);
                }
                self.add(end, if last { StepMoment::LastBackward } else { StepMoment::Freed }, of);
            }
            ScheduledPass::WeightGradient => {
                self.add(start, StepMoment::Backward, of);
                self.held.1 -= self.chunk;
                self.add(end, if last { StepMoment::LastBackward } else { StepMoment::Freed }, of);
            }
        }
    }

    /// The points, with the end of the step, from its last pass on.
    fn ended(mut self, passes: Seconds, step: Seconds) -> Vec<MemoryPoint> {
        self.held = (0.0, 0.0);
        self.add(passes, StepMoment::Reduced, None);
        self.add(step, StepMoment::Update, None);
        self.points
    }
}
