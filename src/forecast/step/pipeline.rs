//! Stages and chunks as the schedule sees them, and what travels between them.

use super::{Context, Parts, Passes};
use crate::constants::Constants;
use crate::cost::{Collective, Work};
use crate::error::FieldError;
use crate::scenario::Scenario;
use crate::scenario::plan::stages::{chunk_expert_layers, chunk_layers, stage_expert_layers, stage_layers};
use crate::scenario::plan::{Plan, Schedule, Zero};
use crate::schedule::{self, Pipeline, Scratch, StageTime, Timeline};
use crate::units::Seconds;

/// Replays the pipeline of a scenario.
pub(in crate::forecast) fn timeline(
    scenario: &Scenario,
    constants: &Constants,
) -> Result<Timeline, FieldError> {
    let context = Context::new(scenario, constants);
    let parts = context.parts();
    let plan = &scenario.plan;
    let hop = context.hop();
    let time = |chunk| {
        let time = chunk_passes(scenario, &parts, chunk).stage_time();
        if plan.pipeline_overlap { time } else { sending(plan, time, &[chunk], hop) }
    };
    let chunks: Vec<StageTime> = (0..plan.chunks()).map(time).collect();
    let pipeline = Pipeline {
        schedule: plan.schedule,
        virtual_stages: plan.virtual_stages,
        chunks: &chunks,
        micro_batches: scenario.micro_batches(),
        hop: Seconds(if plan.pipeline_overlap { hop } else { 0.0 }),
    };
    pipeline.simulate(true)
}

impl Context<'_> {
    /// Whether the pipeline is timed by whole stages rather than by chunks: 1F1B, unless its virtual stages hold unequal
    /// numbers of layers. A layer less for the embedding or the head is still as good as equal.
    pub(super) fn by_stages(&self) -> bool {
        let plan = &self.scenario.plan;
        plan.schedule == Schedule::OneForwardOneBackward
            && (plan.virtual_stages <= 1 || dealt_evenly(self.scenario.model.layers, plan))
    }

    /// Time of the pipeline, over the times of whole stages or of chunks.
    pub(super) fn pipeline(&self, times: &[StageTime], hop: f64, scratch: &mut Scratch) -> Seconds {
        let plan = &self.scenario.plan;
        if !plan.pipeline_overlap && hop > 0.0 {
            let chunks_of = |index| -> Vec<u32> {
                if self.by_stages() { plan.chunks_on(index).collect() } else { vec![index] }
            };
            let sending: Vec<StageTime> =
                (0..).zip(times).map(|(index, time)| sending(plan, *time, &chunks_of(index), hop)).collect();
            return self.scheduled(&sending, 0.0, scratch);
        }
        self.scheduled(times, hop, scratch)
    }

    /// Share of a stage's passes that the schedule runs two as one.
    pub(super) fn paired_share(&self, stage: u32) -> f64 {
        let plan = &self.scenario.plan;
        schedule::paired_share(plan.schedule, plan.pipeline_parallel, self.scenario.micro_batches(), stage)
    }

    fn scheduled(&self, times: &[StageTime], hop: f64, scratch: &mut Scratch) -> Seconds {
        let plan = &self.scenario.plan;
        let (micro_batches, hop) = (self.scenario.micro_batches(), Seconds(hop));
        let (schedule, virtual_stages) = (plan.schedule, plan.virtual_stages);
        if self.by_stages() {
            schedule::interleaved(times, micro_batches, virtual_stages, hop)
        } else {
            Pipeline { schedule, virtual_stages, chunks: times, micro_batches, hop }.duration_in(scratch)
        }
    }

    /// One transfer of a micro-batch's residual stream between neighbouring stages.
    pub(super) fn hop(&self) -> f64 {
        let plan = &self.scenario.plan;
        if plan.pipeline_parallel <= 1 {
            return 0.0;
        }
        // Split over the tensor-parallel ranks, except in stacks whose ranks each send the whole tensor.
        let split = plan.sequence_parallel || !self.profile.sends_whole_activations;
        let share = if split { f64::from(plan.tensor_parallel.max(1)) } else { 1.0 };
        let bytes = self.shapes.residual_bytes() / share;
        let work = Work::Collective { kind: Collective::PointToPoint, bytes, group: self.groups.pipeline };
        self.rates.price(&work).time.0
    }

    /// Transfers that one GPU of the busiest kind makes and awaits in a step, both directions.
    pub(super) fn hops(&self) -> f64 {
        let plan = &self.scenario.plan;
        if plan.pipeline_parallel <= 1 {
            return 0.0;
        }
        2.0 * f64::from(self.scenario.micro_batches()) * f64::from(plan.virtual_stages.max(1))
    }

    /// What the two copies of a mirrored pipeline exchange at the end of a step.
    pub(super) fn across(&self, parameters: f64) -> f64 {
        let gradients = self.profile.reduce_bytes * parameters;
        let price = |kind, bytes| self.collective(kind, bytes, self.groups.ends);
        if self.scenario.plan.zero == Zero::None {
            price(Collective::AllReduce, gradients)
        } else {
            price(Collective::ReduceScatter, gradients) + price(Collective::AllGather, 2.0 * parameters)
        }
    }
}

/// Whether every chunk holds as many layers as the others, the ends perhaps one less.
fn dealt_evenly(layers: u32, plan: &Plan) -> bool {
    let last = plan.chunks() - 1;
    let most = chunk_layers(layers, plan, 1);
    (0..=last).all(|chunk| {
        let held = chunk_layers(layers, plan, chunk);
        held == most || (chunk == 0 || chunk == last) && held + 1 == most
    })
}

/// The time of some chunks with the sends that their stage waits for where these are not overlapped: a pass's
/// output is with the next stage when the stage that made it goes on.
fn sending(plan: &Plan, time: StageTime, chunks: &[u32], hop: f64) -> StageTime {
    let count = plan.chunks();
    let travels = |from: u32, to: u32| to < count && plan.stage_of(from) != plan.stage_of(to);
    let onward = chunks.iter().filter(|chunk| travels(**chunk, **chunk + 1)).count() as f64;
    let back = chunks.iter().filter(|chunk| travels(**chunk, chunk.wrapping_sub(1))).count() as f64;
    StageTime {
        forward: time.forward + Seconds(onward * hop),
        backward: time.backward + Seconds(back * hop),
        ..time
    }
}

/// Passes of one stage and micro-batch: of all its chunks, or the mean of the two directions of a mirrored
/// pipeline.
pub(in crate::forecast) fn stage_passes(scenario: &Scenario, parts: &Parts, stage: u32) -> Passes {
    let plan = &scenario.plan;
    let layers = stage_layers(scenario.model.layers, plan, stage);
    let of_experts = stage_expert_layers(&scenario.model, plan, stage);
    parts.of(layers, of_experts, plan.ends(stage), plan.share_of_micro_batches())
}

/// Passes of one chunk of the model and micro-batch.
pub(super) fn chunk_passes(scenario: &Scenario, parts: &Parts, chunk: u32) -> Passes {
    let plan = &scenario.plan;
    let layers = chunk_layers(scenario.model.layers, plan, chunk);
    let of_experts = chunk_expert_layers(&scenario.model, plan, chunk);
    parts.of(layers, of_experts, (chunk == 0, chunk + 1 == plan.chunks()), 1.0)
}

impl Parts {
    fn of(&self, layers: u32, of_experts: u32, (first, last): (bool, bool), share: f64) -> Passes {
        let mut passes = Passes::default();
        let of_experts = of_experts.min(layers);
        passes.add(&self.layer, f64::from(layers - of_experts) * share);
        passes.add(&self.expert_layer, f64::from(of_experts) * share);
        if first {
            passes.add(&self.first_end, share);
        }
        if last {
            passes.add(&self.last_end, share);
        }
        passes
    }
}
