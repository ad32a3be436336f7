//! One step, assembled: places to stages, stages to the schedule, and the step's end.

use super::end::StepEnd;
use super::passes::{Passes, Totals};
use super::places::{PlaceCosts, PlaceTimes, Priced};
use super::{Breakdown, HiddenCommunication};
use crate::index;
use crate::schedule::{StageTime, SteadyScratch};
use crate::step::{Parallelism, Visits};
use crate::units::Seconds;
use libm::log2;

/// Most stages that are scheduled without allocating.
const FEW_STAGES: usize = 64;

/// Relative rounding difference between sums of pipeline times in different orders.
const ROUNDING: f64 = 1e-12;

/// The step of one scenario, ready to be reported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Time of the step, seconds.
    pub(crate) total: f64,
    pub(crate) breakdown: Breakdown,
    pub(crate) hidden: HiddenCommunication,
    /// FLOPs executed by all GPUs, recompute included.
    pub(crate) executed_flops: f64,
    /// What its end takes.
    pub(super) end: StepEnd,
    /// Stage that sets the pace.
    pub(crate) slowest: u32,
    /// Passes of a micro-batch on that stage, and how often they count in the breakdown.
    pub(crate) rounds: f64,
    /// Overhead of the pipeline and the host.
    pub(crate) overhead: PipelineOverhead,
}

/// Overhead of the pipeline and the host on top of the slowest stage's passes, seconds unless noted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PipelineOverhead {
    /// From the first pass to the last.
    pub(crate) makespan: f64,
    /// Same, with free transfers between stages.
    pub(crate) without_p2p: f64,
    /// The slowest stage's passes.
    pub(crate) busy: f64,
    /// Share by which the whole pipeline exceeds its kernels and messages.
    pub(crate) framework_overhead: f64,
    /// Launch overhead on that stage, before that share.
    pub(crate) launching: f64,
    /// Fixed host time per step.
    pub(crate) fixed: f64,
}

/// Step time, and the terms of its parts.
struct Duration {
    /// Time of the step, seconds.
    total: f64,
    end: StepEnd,
    framework_overhead: f64,
    fixed: f64,
}

/// The slowest stage, and the work of all stages.
struct Stages {
    slowest: u32,
    /// Visits of a micro-batch on the slowest stage.
    visits: Visits,
    /// Communication that overlaps there when a forward and a backward pass run as one, seconds.
    hideable: f64,
    /// Time of a micro-batch on the slowest stage, seconds.
    micro_batch_time: f64,
    /// Time of a micro-batch on the first stage, seconds.
    first: f64,
    /// FLOPs of a micro-batch over all stages.
    flops: f64,
}

/// Pipeline time under the schedule, seconds.
struct Pipelined {
    /// From the first pass to the last.
    makespan: f64,
    /// Idle time of the slowest stage while the pipeline fills and drains.
    bubble: f64,
    /// Exposed transfers between stages.
    transfers: f64,
    /// Overlapped transfers between stages.
    hidden_transfers: f64,
    /// Expert exchanges overlapped by forward-backward pairs.
    paired: f64,
    /// From the first pass to the last without transfers between stages, and the slowest stage's passes.
    compared: [f64; 2],
}

impl Pipelined {
    /// Its parts when passes take `share` times as long; overlap is that of the modelled pipeline.
    fn scaled(&self, share: f64) -> Self {
        Self {
            makespan: self.makespan * share,
            bubble: self.bubble * share,
            transfers: self.transfers * share,
            hidden_transfers: self.hidden_transfers,
            paired: self.paired * share,
            compared: self.compared,
        }
    }
}

/// Breakdown and overlap of the step: `rounds` passes of the slowest stage, the pipeline, the step's end, and the host.
fn parts(
    on_stage: &Passes,
    rounds: f64,
    pipeline: &Pipelined,
    end: &StepEnd,
    host: f64,
) -> (Breakdown, HiddenCommunication) {
    let [tensor, context, experts, data] = [
        Parallelism::TensorParallel,
        Parallelism::ContextParallel,
        Parallelism::ExpertParallel,
        Parallelism::DataParallel,
    ]
    .map(|parallelism| on_stage.communication(parallelism))
    .map(|(exposed, hidden)| (rounds * exposed, rounds * hidden));
    let breakdown = Breakdown {
        forward: Seconds(rounds * on_stage.forward.kernels),
        backward: Seconds(rounds * on_stage.backward.kernels),
        recompute: Seconds(rounds * on_stage.recompute.kernels),
        tensor_communication: Seconds(tensor.0),
        context_communication: Seconds(context.0),
        expert_communication: Seconds(experts.0 - pipeline.paired),
        pipeline_communication: Seconds(pipeline.transfers),
        data_communication: Seconds(end.exposed + data.0),
        bubble: Seconds(pipeline.bubble),
        optimizer: Seconds(end.optimizer),
        host: Seconds(rounds * on_stage.host() + host),
    };
    let hidden = HiddenCommunication {
        tensor: Seconds(tensor.1),
        context: Seconds(context.1),
        expert: Seconds(experts.1 + pipeline.paired),
        pipeline: Seconds(pipeline.hidden_transfers),
        data: Seconds(end.hidden + data.1),
    };
    (breakdown, hidden)
}

impl Priced<'_> {
    /// Forecasts the step from the times of its places. Never panics; the result is meaningful only for a valid
    /// scenario. `scratch` is memory for pipeline durations.
    pub(crate) fn step(&self, costs: &PlaceCosts, scratch: &mut SteadyScratch) -> Step {
        let scenario = self.program.scenario;
        let plan = &scenario.plan;
        let places = costs.times();
        let mut few = [StageTime::default(); FEW_STAGES];
        let mut many = Vec::new();
        let times = self.times(&mut few, &mut many);
        let stages = self.stages(&places, times);
        let makespan = self.makespan(&stages, &places, times, scratch);
        let pipeline = self.pipelined(&stages, makespan, times, scratch);
        let Duration { total, end, framework_overhead, fixed } = self.whole(&stages, makespan);
        let share = pipeline_share(framework_overhead);
        let micro_batches = f64::from(scenario.micro_batches());
        let host = framework_overhead.max(0.0) * pipeline.makespan + fixed;
        let passes = costs.sum(&stages.visits);
        let (breakdown, hidden) = parts(&passes, micro_batches * share, &pipeline.scaled(share), &end, host);
        let replicas = f64::from(scenario.data_parallel())
            * f64::from(plan.tensor_parallel.max(1))
            * f64::from(plan.context_parallel.max(1));
        Step {
            total,
            breakdown,
            hidden,
            executed_flops: stages.flops * micro_batches * replicas,
            end,
            slowest: stages.slowest,
            rounds: micro_batches * share,
            overhead: PipelineOverhead {
                makespan: pipeline.makespan,
                without_p2p: pipeline.compared[0],
                busy: pipeline.compared[1],
                framework_overhead,
                launching: micro_batches * passes.host(),
                fixed,
            },
        }
    }

    /// Step time only, seconds: equal to [`Priced::step`], without the second replay that separates exposed transfers.
    pub(crate) fn duration(&self, places: &PlaceTimes, scratch: &mut SteadyScratch) -> f64 {
        let mut few = [StageTime::default(); FEW_STAGES];
        let mut many = Vec::new();
        let times = self.times(&mut few, &mut many);
        let stages = self.stages(places, times);
        self.whole(&stages, self.makespan(&stages, places, times, scratch)).total
    }

    /// The step from its pipeline.
    fn whole(&self, stages: &Stages, makespan: f64) -> Duration {
        let framework_overhead = self.framework_overhead();
        let micro_batches = f64::from(self.program.scenario.micro_batches());
        let end = self.step_end(stages.first.min(makespan / micro_batches.max(1.0)));
        let fixed = self.fixed();
        let total = makespan * (1.0 + framework_overhead) + end.exposed + end.optimizer + fixed;
        Duration { total, end, framework_overhead, fixed }
    }

    /// Time of a step outside its micro-batches, reductions and update, seconds.
    pub(super) fn fixed(&self) -> f64 {
        let scenario = self.program.scenario;
        self.program.profile.fixed_where(scenario.steps_alone(), self.program.constants)
    }

    /// Seconds from the first pass to the last.
    fn makespan(
        &self,
        stages: &Stages,
        places: &PlaceTimes,
        times: &[StageTime],
        scratch: &mut SteadyScratch,
    ) -> f64 {
        let hop = self.hop();
        self.interleaved_makespan(
            self.pipeline(times, hop, scratch).0,
            stages.micro_batch_time,
            hop,
            places,
            scratch,
        )
    }

    /// The pipeline's idle time and transfers.
    fn pipelined(
        &self,
        stages: &Stages,
        makespan: f64,
        times: &[StageTime],
        scratch: &mut SteadyScratch,
    ) -> Pipelined {
        let micro_batches = f64::from(self.program.scenario.micro_batches());
        let hop = self.hop();
        let without_p2p =
            if hop > 0.0 { self.pipeline(times, 0.0, scratch).0.min(makespan) } else { makespan };
        // Forward-backward pairs overlap their expert exchanges.
        let paired = micro_batches * self.paired_share(stages.slowest) * stages.hideable;
        let busy = micro_batches * stages.micro_batch_time - paired;
        // A rounding difference between two equal sums is not time.
        let left = |time: f64| if time > ROUNDING * makespan { time } else { 0.0 };
        let bubble = left(without_p2p - busy);
        let transfers = left(makespan - busy - bubble);
        let hidden_transfers = (self.p2p_count() * hop - transfers).max(0.0);
        let compared = [without_p2p, busy];
        Pipelined { makespan, bubble, transfers, hidden_transfers, paired, compared }
    }

    /// Buffer for the schedule's times: of whole stages for 1F1B, of chunks otherwise.
    fn times<'t>(
        &self,
        few: &'t mut [StageTime; FEW_STAGES],
        many: &'t mut Vec<StageTime>,
    ) -> &'t mut [StageTime] {
        let plan = &self.program.scenario.plan;
        let timed = if self.times_stages() { plan.pipeline_parallel.max(1) } else { plan.chunks() };
        if timed as usize <= FEW_STAGES {
            index::part_mut(few, ..timed as usize)
        } else {
            many.resize(timed as usize, StageTime::default());
            many.as_mut_slice()
        }
    }

    /// Sums the places of every stage, and fills in the schedule's times.
    fn stages(&self, places: &PlaceTimes, times: &mut [StageTime]) -> Stages {
        let whole_stages = self.times_stages();
        let mut found = Stages {
            slowest: 0,
            visits: Visits::default(),
            hideable: 0.0,
            micro_batch_time: f64::NEG_INFINITY,
            first: 0.0,
            flops: 0.0,
        };
        // Most stages hold as much as the preceding stage.
        let (mut visited, mut totals) = (Visits::default(), Totals::default());
        for stage in 0..self.program.scenario.plan.pipeline_parallel.max(1) {
            let visits = self.program.visits(stage);
            if visits != visited {
                (visited, totals) = (visits, places.totals(&visits));
            }
            if whole_stages && let Some(slot) = times.get_mut(stage as usize) {
                *slot = totals.stage_time();
            }
            found.flops += totals.flops;
            if stage == 0 {
                found.first = totals.time();
            }
            if totals.time() > found.micro_batch_time {
                let (micro_batch_time, hideable) = (totals.time(), totals.hideable());
                found = Stages { slowest: stage, visits, hideable, micro_batch_time, ..found };
            }
        }
        if !whole_stages {
            let (mut visited, mut time) = (Visits::default(), StageTime::default());
            for (chunk, slot) in (0..).zip(times.iter_mut()) {
                let visits = self.program.chunk_visits(chunk);
                if visits != visited {
                    (visited, time) = (visits, places.totals(&visits).stage_time());
                }
                *slot = time;
            }
        }
        found
    }

    /// Share by which the whole pipeline exceeds its kernels and messages: unmodelled work of the stack, and
    /// stragglers. Below 0 for stacks faster than the modelled kernels.
    pub(super) fn framework_overhead(&self) -> f64 {
        self.framework_overhead_where(self.program.scenario.plan.zero.wraps_modules())
    }

    /// Same, with or without sharded gradients or parameters.
    pub(super) fn framework_overhead_where(&self, sharded: bool) -> f64 {
        let (c, profile) = (self.program.constants, self.program.profile);
        let gpus = f64::from(self.program.scenario.cluster.gpus);
        let straggling = 1.0 + (profile.straggler)(c) * log2((gpus / 8.0).max(1.0));
        let sharded = if sharded { (profile.sharded_factor)(c) } else { 1.0 };
        (profile.framework_factor)(c) * sharded * straggling - 1.0
    }
}

/// Time of a pass relative to its kernels and messages. Unmodelled work between kernels is host time; a stack faster
/// than the modelled kernels is faster for all of them.
pub(crate) fn pipeline_share(framework_overhead: f64) -> f64 {
    1.0 + framework_overhead.min(0.0)
}
