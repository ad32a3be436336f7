//! Stages and chunks as the schedule sees them, and what travels between them.

use super::places::Priced;
use crate::error::FieldError;
use crate::scenario::plan::stages::chunk_layers;
use crate::scenario::plan::{Plan, Schedule};
use crate::schedule::{self, Pipeline, Scratch, StageTime, Timeline};
use crate::step::Place;
use crate::units::Seconds;

impl Priced<'_> {
    /// Replays the pipeline.
    pub(super) fn timeline(&self) -> Result<Timeline, FieldError> {
        let costs = self.places();
        let plan = &self.program.scenario.plan;
        let hop = self.hop();
        let time = |chunk| {
            let time = costs.totals(&self.program.chunk_visits(chunk)).stage_time();
            if plan.pipeline_overlap { time } else { sending(plan, time, &[chunk], hop) }
        };
        let chunks: Vec<StageTime> = (0..plan.chunks()).map(time).collect();
        let pipeline = Pipeline {
            schedule: plan.schedule,
            virtual_stages: plan.virtual_stages,
            chunks: &chunks,
            micro_batches: self.program.scenario.micro_batches(),
            hop: Seconds(if plan.pipeline_overlap { hop } else { 0.0 }),
        };
        pipeline.simulate(true)
    }

    /// Whether the pipeline is timed by whole stages rather than by chunks: 1F1B, unless its virtual stages hold unequal
    /// numbers of layers. A layer less for the embedding or the head is still as good as equal.
    pub(super) fn times_stages(&self) -> bool {
        let scenario = self.program.scenario;
        let plan = &scenario.plan;
        plan.schedule == Schedule::OneForwardOneBackward
            && (plan.virtual_stages <= 1 || dealt_evenly(scenario.model.layers, plan))
    }

    /// Time of the pipeline, over the times of whole stages or of chunks.
    pub(super) fn pipeline(&self, times: &[StageTime], hop: f64, scratch: &mut Scratch) -> Seconds {
        let plan = &self.program.scenario.plan;
        if !plan.pipeline_overlap && hop > 0.0 {
            let chunks_of = |index| -> Vec<u32> {
                if self.times_stages() { plan.chunks_on(index).collect() } else { vec![index] }
            };
            let sending: Vec<StageTime> =
                (0..).zip(times).map(|(index, time)| sending(plan, *time, &chunks_of(index), hop)).collect();
            return self.scheduled(&sending, 0.0, scratch);
        }
        self.scheduled(times, hop, scratch)
    }

    /// Share of a stage's passes that the schedule runs two as one.
    pub(super) fn paired_share(&self, stage: u32) -> f64 {
        let plan = &self.program.scenario.plan;
        let micro_batches = self.program.scenario.micro_batches();
        schedule::paired_share(plan.schedule, plan.pipeline_parallel, micro_batches, stage)
    }

    fn scheduled(&self, times: &[StageTime], hop: f64, scratch: &mut Scratch) -> Seconds {
        let plan = &self.program.scenario.plan;
        let (micro_batches, hop) = (self.program.scenario.micro_batches(), Seconds(hop));
        let (schedule, virtual_stages) = (plan.schedule, plan.virtual_stages);
        if self.times_stages() {
            schedule::interleaved(times, micro_batches, virtual_stages, hop)
        } else {
            Pipeline { schedule, virtual_stages, chunks: times, micro_batches, hop }.duration_in(scratch)
        }
    }

    /// Seconds of one transfer between neighbouring stages; 0 without a pipeline.
    pub(super) fn hop(&self) -> f64 {
        let mut seconds = 0.0;
        self.program.calls(Place::StageBoundary, &mut |call| seconds = self.rates.price(&call.work).time.0);
        seconds
    }

    /// Transfers that one GPU of the busiest kind makes and awaits in a step, both directions.
    pub(super) fn hops(&self) -> f64 {
        let scenario = self.program.scenario;
        if scenario.plan.pipeline_parallel <= 1 {
            return 0.0;
        }
        2.0 * f64::from(scenario.micro_batches()) * f64::from(scenario.plan.virtual_stages.max(1))
    }
}

/// Whether every chunk holds as many layers as the others, the ends perhaps one less.
fn dealt_evenly(layers: u32, plan: &Plan) -> bool {
    let last = plan.chunks() - 1;
    let most = chunk_layers(layers, plan, 1);
    (0..=last).all(|chunk| {
        let layers_of_chunk = chunk_layers(layers, plan, chunk);
        layers_of_chunk == most || (chunk == 0 || chunk == last) && layers_of_chunk + 1 == most
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
