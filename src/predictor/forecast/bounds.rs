//! Lower bounds of step times, for a search over the layouts of one job: a few operations each, and proven, so a layout
//! that they rule out cannot be faster. Each bound's source is next to the quantity it bounds ([`Priced::duration`]).

use super::end::Reductions;
use super::places::{PlaceTimes, Priced};
use crate::scenario::plan::Schedule;
use crate::schedule::{StageRun, least_duration, stalls_chunks};
use crate::step::{Program, Visits};
use crate::units::Seconds;

/// A pipeline's stages as a bound needs them: runs of equal neighbouring stages.
#[derive(Debug, Clone)]
pub(crate) struct PipelineOutline {
    schedule: Schedule,
    virtual_stages: u32,
    runs: Vec<OutlineRun>,
    /// Whether the closed form of interleaved passes holds.
    evenly: bool,
    /// Micro-batches between the first gradients of a stage and its last, if it has that many.
    interleave_rounds: f64,
}

/// Neighbouring stages with equal visits.
#[derive(Debug, Clone)]
struct OutlineRun {
    /// Visits of a micro-batch.
    visits: Visits,
    stages: u32,
    /// The first run with such visits.
    alike: usize,
}

/// What the steps of all layouts of a job share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepShares {
    /// Pipeline time relative to its kernels and messages.
    framework_overhead: f64,
    /// Same, with sharded parameters.
    framework_overhead_sharded: f64,
    /// Lower bound of the step's fixed time.
    fixed: f64,
    /// Share of the first stage's compute that overlaps with reductions.
    window: f64,
}

/// Lower bound of a pipeline's time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LeastPipeline {
    makespan: f64,
    /// Time of a micro-batch on the first stage.
    first: f64,
    interleave_rounds: f64,
    /// Whether its duration needs a replay, which is far slower than this bound.
    pub(crate) replayed: bool,
}

impl PipelineOutline {
    pub(crate) fn new(priced: &Priced<'_>) -> Self {
        let program = &priced.program;
        let plan = &program.scenario.plan;
        let mut runs: Vec<OutlineRun> = Vec::new();
        for stage in 0..plan.pipeline_parallel.max(1) {
            let visits = program.visits(stage);
            match runs.last_mut() {
                Some(run) if run.visits == visits => run.stages += 1,
                _ => {
                    let alike = runs.iter().position(|run| run.visits == visits).unwrap_or(runs.len());
                    runs.push(OutlineRun { visits, stages: 1, alike });
                }
            }
        }
        let (schedule, virtual_stages) = (plan.schedule, plan.virtual_stages);
        let evenly = priced.times_stages() || virtual_stages <= 1 && schedule.row().has_closed_form();
        Self { schedule, virtual_stages, runs, evenly, interleave_rounds: priced.warmup_micro_batches() }
    }

    /// Lower bound of the pipeline with this many micro-batches, whose places take at least `places`; transfers between
    /// stages take `hop` seconds. `runs` is scratch memory.
    pub(crate) fn least(
        &self,
        places: &PlaceTimes,
        micro_batches: u32,
        hop: f64,
        runs: &mut Vec<StageRun>,
    ) -> LeastPipeline {
        runs.clear();
        for OutlineRun { visits, stages, alike } in &self.runs {
            let known = runs.get(*alike).map(|run| run.time);
            let time = known.unwrap_or_else(|| places.totals(visits).stage_time());
            runs.push(StageRun { time, stages: *stages });
        }
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
        self.runs.first().map_or_else(Visits::default, |run| run.visits)
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

    /// Lower bound of a step with such a pipeline, whose gradients are reduced `rounds` times. With `sharded`
    /// parameters, places may take longer than those of the pipeline's bound.
    ///
    /// A reduction overlaps with the first stage's compute, or with the mean of a micro-batch over the pipeline if that
    /// is less ([`Priced::step_end`]). The bound uses the former, so it overlaps no less; with anything, if places may
    /// take longer.
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

/// Tolerance of a bound for rounding.
const ROUNDING: f64 = 1e-9;
