//! Stages and chunks as the schedule uses them, and the transfers between them.

use super::places::{PlaceTimes, Priced};
use crate::error::FieldError;
use crate::scenario::model::Layers;
use crate::scenario::plan::stages::{chunk_kinds, chunk_layers};
use crate::scenario::plan::{Plan, Schedule, StageSplit};
use crate::schedule::{self, Pipeline, StageTime, SteadyScratch, Timeline};
use crate::step::Place;
use crate::units::Seconds;
use libm::log2;

impl Priced<'_> {
    /// Replays the pipeline.
    pub(super) fn timeline(&self) -> Result<Timeline, FieldError> {
        let times = self.places().times();
        let plan = &self.program.scenario.plan;
        let hop = self.hop();
        let time = |chunk| {
            let time = times.totals(&self.program.chunk_visits(chunk)).stage_time();
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

    /// Whether the pipeline is timed by whole stages rather than by chunks: 1F1B, unless its virtual stages hold
    /// unequal numbers of layers or of MoE layers. One layer less for the embedding or the head still counts as equal,
    /// and so do leading dense layers in the first chunk.
    pub(super) fn times_stages(&self) -> bool {
        let scenario = self.program.scenario;
        let plan = &scenario.plan;
        plan.schedule == Schedule::OneForwardOneBackward
            && (plan.virtual_stages <= 1 || dealt_evenly(&self.program.layers, plan))
    }

    /// Time of the pipeline, from the times of whole stages or of chunks.
    pub(super) fn pipeline(&self, times: &[StageTime], hop: f64, scratch: &mut SteadyScratch) -> Seconds {
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

    /// An interleaved pipeline that stalls on its transfers: blends `closed`, the closed form with average stalls,
    /// seconds, into the replay of its chunks as the round trip grows from one to two chunks' time.
    pub(super) fn interleaved_makespan(
        &self,
        closed: f64,
        micro_batch_time: f64,
        hop: f64,
        places: &PlaceTimes,
        scratch: &mut SteadyScratch,
    ) -> f64 {
        let scenario = self.program.scenario;
        let Plan { schedule: order, virtual_stages, pipeline_overlap, .. } = scenario.plan;
        if !pipeline_overlap
            || !schedule::stalls_chunks(micro_batch_time, virtual_stages, hop)
            || !self.times_stages()
        {
            return closed;
        }
        let chunk = micro_batch_time / f64::from(virtual_stages);
        let replayed = log2(2.0 * hop / chunk).min(1.0);
        let chunks: Vec<StageTime> = (0..scenario.plan.chunks())
            .map(|chunk| places.totals(&self.program.chunk_visits(chunk)).stage_time())
            .collect();
        let micro_batches = scenario.micro_batches();
        let pipeline =
            Pipeline { schedule: order, virtual_stages, chunks: &chunks, micro_batches, hop: Seconds(hop) };
        closed * (1.0 - replayed) + pipeline.duration_in(scratch).0 * replayed
    }

    /// Share of a stage's passes that the schedule runs in forward-backward pairs.
    pub(super) fn paired_share(&self, stage: u32) -> f64 {
        let plan = &self.program.scenario.plan;
        let micro_batches = self.program.scenario.micro_batches();
        schedule::paired_share(plan.schedule, plan.pipeline_parallel, micro_batches, stage)
    }

    fn scheduled(&self, times: &[StageTime], hop: f64, scratch: &mut SteadyScratch) -> Seconds {
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
    pub(crate) fn hop(&self) -> f64 {
        let mut seconds = 0.0;
        self.program.calls(Place::StageBoundary, &mut |call| seconds = self.rates.price(&call.work).time.0);
        seconds
    }

    /// Transfers that one GPU of the busiest stage sends and receives per step, both directions.
    pub(super) fn p2p_count(&self) -> f64 {
        let scenario = self.program.scenario;
        if scenario.plan.pipeline_parallel <= 1 {
            return 0.0;
        }
        2.0 * f64::from(scenario.micro_batches()) * f64::from(scenario.plan.virtual_stages.max(1))
    }
}

/// Whether all chunks hold equally many layers, except perhaps one less at the ends, and equally many of each kind
/// between the ends.
fn dealt_evenly(layers: &Layers, plan: &Plan) -> bool {
    let (all, last) = (layers.total(), plan.chunks() - 1);
    let most = chunk_layers(all, plan, 1);
    let as_others = |chunk: u32| {
        let held = chunk_layers(all, plan, chunk);
        held == most || (chunk == 0 || chunk == last) && held + 1 == most
    };
    if matches!(plan.stage_split, StageSplit::Given(_)) || !layers.are_alike_from(chunk_layers(all, plan, 0))
    {
        let usual = chunk_kinds(layers, plan, 1);
        let of_kinds = |chunk| chunk == 0 || chunk == last || chunk_kinds(layers, plan, chunk) == usual;
        return (0..=last).all(|chunk| as_others(chunk) && of_kinds(chunk));
    }
    // Between the ends, chunk sizes never grow, so the last but one represents all.
    [0, last.saturating_sub(1), last].into_iter().all(as_others)
}

/// Time of chunks including sends that are not overlapped: a pass's output reaches the next stage before the sending
/// stage continues.
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
