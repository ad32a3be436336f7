//! Lower bounds of step times, for a search over the layouts of one job: a few operations each, and proven, so that what
//! a search leaves out by them cannot be faster. Each has its source next to what it bounds ([`Priced::duration`]).

use super::end::Reductions;
use super::places::{PlaceTimes, Priced};
use crate::scenario::plan::Schedule;
use crate::schedule::{StageRun, least_duration, stalls_chunks};
use crate::step::{Program, Visits};
use crate::units::Seconds;

/// The stages of a pipeline as a bound sees them: runs of neighbours that hold the same.
#[derive(Debug, Clone)]
pub(crate) struct PipelineOutline {
    schedule: Schedule,
    virtual_stages: u32,
    /// Visits of a micro-batch, and of how many neighbouring stages.
    runs: Vec<(Visits, u32)>,
    /// Whether the closed form of interleaved passes holds.
    evenly: bool,
    /// Micro-batches between the first gradients of a stage and its last, where it has so many.
    interleave_rounds: f64,
}

/// What all layouts of a job share of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepShares {
    /// Length of a pipeline over that of its kernels and messages.
    framework_overhead: f64,
    /// The same where parameters are sharded.
    framework_overhead_sharded: f64,
    /// The least of what a step does once.
    fixed: f64,
    /// Share of the first stage's computing that hides reductions.
    window: f64,
}

/// The least that a pipeline takes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LeastPipeline {
    makespan: f64,
    /// Time of a micro-batch on the first stage.
    first: f64,
    interleave_rounds: f64,
    /// Whether its duration is that of a replay, which takes far longer to work out than this.
    pub(crate) replayed: bool,
}

impl PipelineOutline {
    pub(crate) fn new(priced: &Priced<'_>) -> Self {
        let program = &priced.program;
        let plan = &program.scenario.plan;
        let mut runs: Vec<(Visits, u32)> = Vec::new();
        for stage in 0..plan.pipeline_parallel.max(1) {
            let visits = program.visits(stage);
            match runs.last_mut() {
                Some(run) if run.0 == visits => run.1 += 1,
                _ => runs.push((visits, 1)),
            }
        }
        let (schedule, virtual_stages) = (plan.schedule, plan.virtual_stages);
        let evenly = priced.times_stages() || virtual_stages <= 1 && schedule.row().has_closed_form();
        Self { schedule, virtual_stages, runs, evenly, interleave_rounds: priced.warmup_micro_batches() }
    }

    /// The least time of the pipeline with so many micro-batches, whose places take `places` or longer; transfers between
    /// stages take `hop` seconds. `runs` is memory to work in.
    pub(crate) fn least(
        &self,
        places: &PlaceTimes,
        micro_batches: u32,
        hop: f64,
        runs: &mut Vec<StageRun>,
    ) -> LeastPipeline {
        runs.clear();
        runs.extend(
            self.runs.iter().map(|(visits, stages)| StageRun {
                time: places.totals(visits).stage_time(),
                stages: *stages,
            }),
        );
        let first = runs.first().map_or(0.0, |run| run.time.total().0);
        let makespan = least_duration(
            self.schedule,
            runs,
            micro_batches,
            self.virtual_stages,
            self.evenly,
            Seconds(hop),
        );
        let interleave_rounds = self.interleave_rounds.min(f64::from(micro_batches)).max(1.0);
        let micro_batch_time = runs.iter().map(|run| run.time.total().0).fold(0.0, f64::max);
        let replayed = !self.evenly || stalls_chunks(micro_batch_time, self.virtual_stages, hop);
        LeastPipeline { makespan: makespan.0, first, interleave_rounds, replayed }
    }

    /// Visits of a micro-batch on the first stage.
    pub(crate) fn first(&self) -> Visits {
        self.runs.first().map_or_else(Visits::default, |run| run.0)
    }
}

impl StepShares {
    pub(crate) fn new(priced: &Priced<'_>) -> Self {
        let window = priced.program.constants.overlap_data_window;
        let (framework_overhead, framework_overhead_sharded) =
            (priced.framework_overhead_where(false), priced.framework_overhead_where(true));
        let Program { scenario, profile, constants, .. } = &priced.program;
        let fixed = profile.fixed_where(scenario.may_step_alone(), constants);
        Self { framework_overhead, framework_overhead_sharded, fixed, window }
    }

    /// The least time of a step with such a pipeline, whose gradients are reduced `rounds` times. `sharded` says that its
    /// parameters are, so that its places may take longer than those that the pipeline is told from.
    ///
    /// A reduction hides behind what the first stage computes, or the mean of a micro-batch over the pipeline where that
    /// is less ([`Priced::step_end`]): here behind the former, so that no less of it is hidden; behind anything where
    /// places take longer.
    pub(crate) fn least_step(
        &self,
        pipeline: &LeastPipeline,
        end: &Reductions,
        rounds: f64,
        sharded: bool,
    ) -> f64 {
        let window = self.window * pipeline.first * rounds.max(pipeline.interleave_rounds);
        let end = end.around(if sharded { f64::INFINITY } else { window });
        let framework_overhead =
            if sharded { self.framework_overhead_sharded } else { self.framework_overhead };
        let least = pipeline.makespan * (1.0 + framework_overhead) + end.exposed + end.optimizer + self.fixed;
        // Sums in another order round differently.
        least * (1.0 - ROUNDING)
    }
}

/// What a bound leaves for rounding.
const ROUNDING: f64 = 1e-9;
