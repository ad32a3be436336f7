//! Stages and chunks as the schedule sees them, and what travels between them.

use super::places::Priced;
use crate::error::FieldError;
use crate::scenario::plan::{Plan, Schedule};
use crate::schedule::{self, Pipeline, StageTime, Timeline};
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

    /// Time of the pipeline: over the times of whole stages for 1F1B, of chunks for every other schedule.
    pub(super) fn pipeline(&self, times: &[StageTime], hop: f64) -> Seconds {
        let plan = &self.program.scenario.plan;
        if !plan.pipeline_overlap && hop > 0.0 {
            let chunks_of = |index| -> Vec<u32> {
                if plan.schedule == Schedule::OneForwardOneBackward {
                    plan.chunks_on(index).collect()
                } else {
                    vec![index]
                }
            };
            let sending: Vec<StageTime> =
                (0..).zip(times).map(|(index, time)| sending(plan, *time, &chunks_of(index), hop)).collect();
            return self.scheduled(&sending, 0.0);
        }
        self.scheduled(times, hop)
    }

    /// Share of a stage's passes that the schedule runs two as one.
    pub(super) fn paired_share(&self, stage: u32) -> f64 {
        let plan = &self.program.scenario.plan;
        let micro_batches = self.program.scenario.micro_batches();
        schedule::paired_share(plan.schedule, plan.pipeline_parallel, micro_batches, stage)
    }

    fn scheduled(&self, times: &[StageTime], hop: f64) -> Seconds {
        let plan = &self.program.scenario.plan;
        let (micro_batches, hop) = (self.program.scenario.micro_batches(), Seconds(hop));
        let (schedule, virtual_stages) = (plan.schedule, plan.virtual_stages);
        if schedule == Schedule::OneForwardOneBackward {
            schedule::interleaved(times, micro_batches, virtual_stages, hop)
        } else {
            Pipeline { schedule, virtual_stages, chunks: times, micro_batches, hop }.duration()
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
