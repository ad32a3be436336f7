//! The full report of one scenario: the step's sums, and the tables behind them.

use super::passes::Passes;
use super::places::{PlaceCosts, Priced};
use super::step::Step;
use super::{
    OperatorRow, OperatorShape, Parallelism, Pass, Prediction, Predictor, StageRow, bottleneck, utilisation,
};
use crate::cost::{Bound, LearnedTimes, Provenance, Work};
use crate::index;
use crate::memory;
use crate::order::sorted;
use crate::scenario::Scenario;
use crate::scenario::plan::stages::stage_layers;
use crate::schedule::SteadyScratch;
use crate::step::{Call, Module, Place};
use crate::units::{Bytes, Flops, Seconds};

pub(super) fn report(predictor: &Predictor<'_>, scenario: &Scenario) -> Prediction {
    let priced = predictor.priced(scenario);
    let costs = priced.places();
    let step = priced.step(&costs, &mut SteadyScratch::default());
    let memory = memory::report_of(&priced.program);
    let seconds = step.total;
    let gpus = f64::from(scenario.cluster.gpus);
    let per_gpu = utilisation::tokens_per_s_per_gpu(scenario, seconds);
    Prediction {
        step: Seconds(seconds),
        interval: predictor.interval(scenario, Seconds(seconds)),
        breakdown: step.breakdown,
        hidden: step.hidden,
        operators: Operators { priced: &priced, learned: predictor.learned, costs: &costs, step: &step }
            .rows(),
        stages: stages(&priced, &costs, &memory),
        data_parallel: scenario.data_parallel(),
        micro_batches: scenario.micro_batches(),
        mfu: utilisation::mfu(scenario, seconds),
        hfu: utilisation::of_peak(scenario, step.executed_flops, seconds),
        model_tflops_per_gpu: utilisation::model_flops(scenario) / seconds / gpus / 1e12,
        tokens_per_s: per_gpu * gpus,
        tokens_per_s_per_gpu: per_gpu,
        bottleneck: bottleneck::bottleneck(scenario, &step.breakdown, &memory),
        memory,
    }
}

fn stages(priced: &Priced<'_>, costs: &PlaceCosts, memory: &memory::MemoryReport) -> Vec<StageRow> {
    let scenario = priced.program.scenario;
    let stages = scenario.plan.pipeline_parallel.max(1);
    (0..stages)
        .zip(&memory.stages)
        .map(|(stage, footprint)| {
            let passes = costs.sum(&priced.program.visits(stage));
            StageRow {
                stage,
                layers: stage_layers(scenario.model.layers, &scenario.plan, stage),
                forward: Seconds(passes.forward_time()),
                backward: Seconds(passes.backward_time()),
                peak_memory: footprint.total(),
            }
        })
        .collect()
}

/// Number of rows that most jobs do not exceed.
const FEW_ROWS: usize = 96;

/// The calls of the slowest stage as rows.
struct Operators<'a> {
    priced: &'a Priced<'a>,
    learned: Option<&'a dyn LearnedTimes>,
    costs: &'a PlaceCosts,
    step: &'a Step,
}

impl Operators<'_> {
    /// Calls of a micro-batch in place order, forward passes first; then transfers between stages, and the end of the
    /// step.
    fn rows(&self) -> Vec<OperatorRow> {
        let mut rows = Vec::with_capacity(FEW_ROWS);
        let visits = self.priced.program.visits(self.step.slowest);
        for (place, times, costs) in self.costs.visited(&visits) {
            self.of_place(place, times, costs, &mut rows);
        }
        let behind = |row: &OperatorRow| row.pass != Pass::Forward;
        let mut rows = sorted(&rows, |one, other| behind(one).cmp(&behind(other)));
        self.share(&mut rows, Parallelism::ExpertParallel, self.step.breakdown.expert_communication);
        self.transfers(&mut rows);
        self.step_end(&mut rows);
        rows
    }

    /// Calls of a place, each with its exposed time: all of a kernel, and a message's share of the pass's exposed
    /// communication of its kind.
    fn of_place(&self, place: Place, visits: f64, costs: &Passes, rows: &mut Vec<OperatorRow>) {
        let first = rows.len();
        self.priced.program.calls(place, &mut |call| rows.push(self.row(&call, visits)));
        let share = self.priced.selective_share();
        if share > 0.0 && self.priced.program.recomputes(place) {
            let of_place = index::part(rows, first..).iter();
            let again = of_place.filter(|row| row.pass == Pass::Recompute && row.parallelism.is_none());
            let again: f64 = again.map(|row| row.time.0 * row.count / visits.max(f64::MIN_POSITIVE)).sum();
            rows.push(self.selective(self.priced.selective(&costs.forward, again), visits));
        }
        let added = index::part_mut(rows, first..);
        for parallelism in Parallelism::ALL {
            for (pass, cost) in [(0, &costs.forward), (1, &costs.recompute), (2, &costs.backward)] {
                let of_kind =
                    |row: &OperatorRow| row.parallelism == Some(parallelism) && place_of(row.pass) == pass;
                let all: f64 = added.iter().filter(|row| of_kind(row)).map(|row| row.step.0).sum();
                let waits = cost.waits(parallelism) * visits * self.step.rounds;
                for row in added.iter_mut().filter(|row| of_kind(row)) {
                    row.step = Seconds(if all > 0.0 { row.step.0 / all * waits } else { 0.0 });
                }
            }
        }
    }

    fn row(&self, call: &Call, visits: f64) -> OperatorRow {
        let price = self.priced.rates.price(&call.work);
        let count = call.times * visits;
        let rounds = if call.pass == Pass::Step { 1.0 } else { self.step.rounds };
        let parallelism = call.communication.map(|message| message.parallelism);
        OperatorRow {
            name: call.module.name(),
            pass: call.pass,
            parallelism,
            shape: OperatorShape::Of(call.work),
            count,
            flops: price.flops,
            bytes: price.bytes,
            time: price.time,
            part: parallelism.map_or_else(|| part_of_kernel(call.pass), part_of),
            step: price.time * (count * rounds),
            bound: price.bound,
            rests_on: self.learned.map(|learned| rests_on(learned, &call.work)),
        }
    }

    /// The share of a layer that selective recompute of fused stacks repeats, as one row.
    fn selective(&self, seconds: f64, visits: f64) -> OperatorRow {
        OperatorRow {
            name: "selective_recompute",
            pass: Pass::Recompute,
            parallelism: None,
            shape: OperatorShape::Words("share of the layer's forward pass"),
            count: visits,
            flops: Flops::ZERO,
            bytes: Bytes::ZERO,
            time: Seconds(seconds),
            part: part_of_kernel(Pass::Recompute),
            step: Seconds(seconds * visits * self.step.rounds),
            bound: Bound::Memory,
            rests_on: self.learned.map(|_| Provenance::Default),
        }
    }

    /// Transfers between stages.
    fn transfers(&self, rows: &mut Vec<OperatorRow>) {
        let first = rows.len();
        let scenario = self.priced.program.scenario;
        let crossings = self.priced.program.crossings(self.step.slowest);
        let each = crossings.sent() as f64 / f64::from(scenario.micro_batches());
        self.priced.program.calls(Place::StageBoundary, &mut |call| rows.push(self.row(&call, 0.5 * each)));
        let added = index::part_mut(rows, first..);
        self.share(added, Parallelism::PipelineParallel, self.step.breakdown.pipeline_communication);
    }

    /// Reduction, update and gather. Embedding sync is fully exposed.
    fn step_end(&self, rows: &mut Vec<OperatorRow>) {
        let first = rows.len();
        let end = self.step.end;
        self.priced.program.calls(Place::StepEnd, &mut |call| rows.push(self.row(&call, 1.0)));
        if self.priced.program.scenario.plan.offload_optimizer {
            let of_device = |row: &OperatorRow| row.parallelism.is_none();
            let device: f64 =
                rows.iter().skip(first).filter(|row| of_device(row)).map(|row| row.step.0).sum();
            rows.push(self.host_update(end.optimizer - device));
        }
        let added = index::part_mut(rows, first..);
        let synchronised: f64 = added
            .iter()
            .filter(|row| row.parallelism == Some(Parallelism::EmbeddingSync))
            .map(|row| row.step.0)
            .sum();
        self.share(added, Parallelism::DataParallel, Seconds(end.exposed - synchronised));
    }

    fn host_update(&self, seconds: f64) -> OperatorRow {
        OperatorRow {
            name: Module::Optimizer.name(),
            pass: Pass::Step,
            parallelism: None,
            shape: OperatorShape::Words("on the host"),
            count: 1.0,
            flops: Flops::ZERO,
            bytes: Bytes::ZERO,
            time: Seconds(seconds),
            part: part_of_kernel(Pass::Step),
            step: Seconds(seconds),
            bound: Bound::Memory,
            rests_on: self.learned.map(|_| Provenance::Default),
        }
    }

    /// Divides exposed time among the rows of one kind, in proportion to their time.
    fn share(&self, rows: &mut [OperatorRow], parallelism: Parallelism, waits: Seconds) {
        let of_kind = |row: &OperatorRow| row.parallelism == Some(parallelism);
        let all: Seconds = rows.iter().filter(|row| of_kind(row)).map(|row| row.step).sum();
        for row in rows.iter_mut().filter(|row| of_kind(row)) {
            row.step = if all.0 > 0.0 { waits * (row.step / all) } else { Seconds::ZERO };
        }
    }
}

/// Forward, recompute or backward.
fn place_of(pass: Pass) -> u8 {
    match pass {
        Pass::Forward => 0,
        Pass::Recompute => 1,
        Pass::InputGradient | Pass::WeightGradient | Pass::Backward | Pass::Step => 2,
    }
}

/// Part of the breakdown that a kernel belongs to, by its pass.
fn part_of_kernel(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "forward",
        Pass::Recompute => "recompute",
        Pass::InputGradient | Pass::WeightGradient | Pass::Backward => "backward",
        Pass::Step => "optimizer",
    }
}

/// Part of the breakdown that a message belongs to.
fn part_of(parallelism: Parallelism) -> &'static str {
    match parallelism {
        Parallelism::TensorParallel => "tensor_communication",
        Parallelism::ContextParallel => "context_communication",
        Parallelism::ExpertParallel => "expert_communication",
        Parallelism::PipelineParallel => "pipeline_communication",
        Parallelism::DataParallel | Parallelism::EmbeddingSync => "data_communication",
    }
}

/// Basis of an operator's time.
fn rests_on(learned: &dyn LearnedTimes, work: &Work) -> Provenance {
    match (learned.seconds(work), learned.is_measured(work)) {
        (None, _) => Provenance::Default,
        (Some(_), false) => Provenance::Extrapolated,
        (Some(_), true) => Provenance::Measured,
    }
}
