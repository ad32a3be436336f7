//! The full report of one scenario: the step's sums, and the tables behind them.

use super::step::{Step, stage_passes, step_with};
use super::{OperatorRow, Pass, Prediction, StageRow, bottleneck, interval, utilisation};
use crate::constants::Constants;
use crate::cost::Provenance;
use crate::cost::{Learned, Rates, Work};
use crate::memory;
use crate::scenario::Scenario;
use crate::scenario::plan::stages::{stage_expert_layers, stage_layers};
use crate::step::{Groups, Operator, Shapes, Traffic, embedding, expert_layer, head, layer};
use crate::units::Seconds;

pub(super) fn report(
    scenario: &Scenario,
    constants: &Constants,
    learned: Option<&dyn Learned>,
) -> Prediction {
    let step = step_with(scenario, constants, learned);
    let memory = memory::report(scenario);
    let seconds = step.total;
    let gpus = f64::from(scenario.cluster.gpus);
    let per_gpu = utilisation::tokens_per_s_per_gpu(scenario, seconds);
    Prediction {
        step: Seconds(seconds),
        interval: interval(scenario, Seconds(seconds)),
        breakdown: step.breakdown,
        hidden: step.hidden,
        operators: operators(scenario, constants, learned, step.slowest),
        stages: stages(scenario, &step, &memory),
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

fn stages(scenario: &Scenario, step: &Step, memory: &memory::MemoryReport) -> Vec<StageRow> {
    let plan = &scenario.plan;
    let stages = plan.pipeline_parallel.max(1);
    (0..stages)
        .zip(&memory.stages)
        .map(|(stage, footprint)| {
            let passes = stage_passes(scenario, &step.parts, stage);
            StageRow {
                stage,
                layers: stage_layers(scenario.model.layers, plan, stage),
                forward: Seconds(passes.forward_time()),
                backward: Seconds(passes.backward_time()),
                peak_memory: footprint.total(),
            }
        })
        .collect()
}

/// Operators of the slowest stage: those of a layer times its layers, then those of the ends it holds.
fn operators(
    scenario: &Scenario,
    constants: &Constants,
    learned: Option<&dyn Learned>,
    stage: u32,
) -> Vec<OperatorRow> {
    let plan = &scenario.plan;
    let rates = Rates::new(scenario, constants).with(learned);
    let shapes = Shapes::new(scenario);
    let groups = Groups::new(scenario);
    let tensor = groups.tensor;
    let share = plan.share_of_micro_batches();
    let (first, last) = plan.ends(stage);
    let layers = stage_layers(scenario.model.layers, plan, stage);
    let mut rows = Vec::new();
    let mut keep = |count: f64, operator: Operator| {
        let price = rates.price(&operator.work);
        rows.push(OperatorRow {
            name: operator.name,
            pass: operator.pass,
            shape: shape(&operator.work),
            count,
            flops: price.flops,
            bytes: price.bytes,
            time: price.time,
            bound: price.bound,
            rests_on: learned.map(|learned| rests_on(learned, &operator.work)),
        });
    };
    if first {
        embedding(scenario, &shapes, &tensor, &mut |operator| keep(share, operator));
    }
    let traffic = Traffic::new(scenario, constants);
    let of_experts = stage_expert_layers(&scenario.model, plan, stage).min(layers);
    if layers > of_experts {
        let times = f64::from(layers - of_experts) * share;
        layer(scenario, &shapes, &traffic, &tensor, &mut |operator| keep(times, operator));
    }
    if of_experts > 0 {
        let times = f64::from(of_experts) * share;
        expert_layer(scenario, &shapes, &traffic, &groups.of_experts(), &mut |operator| {
            keep(times, operator)
        });
    }
    if last {
        head(scenario, &shapes, constants, &tensor, &mut |operator| keep(share, operator));
    }
    rows.sort_by_key(|row| row.pass != Pass::Forward);
    rows
}

/// What an operator's time rests on.
fn rests_on(learned: &dyn Learned, work: &Work) -> Provenance {
    match (learned.seconds(work), learned.is_measured(work)) {
        (None, _) => Provenance::Default,
        (Some(_), false) => Provenance::Extrapolated,
        (Some(_), true) => Provenance::Measured,
    }
}

/// Shape as people write it.
fn shape(work: &Work) -> String {
    match work {
        Work::Gemm(gemm) if gemm.groups > 1.0 => {
            format!("{} of {:.0} x {} x {}", gemm.groups, gemm.m, gemm.n, gemm.k)
        }
        Work::Gemm(gemm) => format!("{} x {} x {}", gemm.m, gemm.n, gemm.k),
        Work::Attention(core) => {
            format!("{} tokens, {} heads of {}, {} keys", core.tokens, core.heads, core.head_dim, core.keys)
        }
        Work::Stream { bytes, .. } | Work::Scatter { bytes, .. } => format!("{:.1} MiB", bytes / MIB),
        Work::Collective { bytes, group, .. } | Work::Exchange { bytes, group, .. } => {
            format!("{:.1} MiB over {} GPUs", bytes / MIB, group.size)
        }
    }
}

const MIB: f64 = 1_048_576.0;
