//! One program of a step: its tables, its messages and its forecast say the same.

use std::collections::BTreeMap;

use stepcast::constants::Constants;
use stepcast::cost::{Algorithm, Work};
use stepcast::forecast::Predictor;
use stepcast::scenario::{AdapterTargets, Adapters};
use stepcast::step::{Module, Parallelism, Pass, Place, Program};
use stepcast::traffic::{AxisOrder, DeviceMesh, ParallelAxis, communication_times};

use crate::laws::{Verdict, forecast, sure};
use crate::scenarios::Drawn;

crate::laws::laws!(
    operator_rows_sum_to_the_breakdown,
    messages_sum_to_what_was_priced,
    every_weight_is_multiplied
);

/// Rounding of sums of some hundred rows.
const ROUNDING: f64 = 1e-9;

fn operator_rows_sum_to_the_breakdown(drawn: &Drawn, _: f64) -> Verdict {
    let forecast = forecast(&drawn.scenario);
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for row in &forecast.operators {
        *sums.entry(row.part).or_default() += row.step.0;
    }
    for (part, _, seconds) in forecast.breakdown.parts() {
        // No operator idles, and none runs on the host.
        if !["bubble", "host"].contains(&part) {
            let rows = sums.get(part).copied().unwrap_or_default();
            sure((rows - seconds.0).abs() <= ROUNDING * forecast.step.0, || {
                format!("{part} takes {} s, its rows {rows} s", seconds.0)
            })?;
        }
    }
    Ok(())
}

/// Bytes that a rank of the first, a middle and the last stage sends, by the kind of parallelism: what the tables of
/// messages count is what the forecast priced.
fn messages_sum_to_what_was_priced(drawn: &Drawn, _: f64) -> Verdict {
    let scenario = &drawn.scenario;
    let stages = scenario.plan.pipeline_parallel;
    let order = AxisOrder::from(scenario.plan.mapping);
    let layout = DeviceMesh::new(scenario, order);
    for stage in [0, stages / 2, stages - 1] {
        let rank = layout.moved(layout.ranks() - 1, ParallelAxis::Pipeline, stage);
        let predictor = Predictor::SHIPPED;
        let counted = predictor.traffic(scenario, order, Algorithm::Ring, rank).expect("a possible scenario");
        let priced = communication_times(&predictor, scenario, stage).expect("a possible scenario");
        for kind in Parallelism::ALL {
            // Tokens cross to domains that hold unequal parts of a group here and there: told rank by rank, priced in
            // the mean.
            if kind == Parallelism::ExpertParallel && scenario.plan.expert_parallel > 1 {
                continue;
            }
            let counted = counted.totals.iter().find(|total| total.kind == kind);
            let counted = counted.map_or((0.0, 0), |total| (total.sent.0, total.count));
            let priced = priced.iter().find(|entry| entry.kind == kind).map_or(0.0, |entry| entry.sent.0);
            // A message's size is a whole number of bytes.
            let whole = 0.5 * counted.1 as f64 + 1.0;
            sure((counted.0 - priced).abs() <= 1e-9 * priced + whole, || {
                format!("{kind:?} on stage {stage}: {} bytes are counted and {priced} priced", counted.0)
            })?;
        }
    }
    Ok(())
}

/// The matrices whose gradients a layer's products compute are those that its mixer and its feed-forward part list, or the
/// adapters of these.
fn every_weight_is_multiplied(drawn: &Drawn, _: f64) -> Verdict {
    let mut scenario = drawn.scenario;
    let all = AdapterTargets::AllLinear;
    for adapters in [Adapters::NONE, Adapters { rank: 8, targets: all, ..Adapters::NONE }] {
        scenario.training.adapters = adapters;
        let (model, shares) = (&scenario.model, scenario.plan.layer_shares());
        let program = Program::new(&scenario, &Constants::SHIPPED);
        for (index, kind) in program.layers.kinds().iter().enumerate() {
            let (mut products, mut listed) = (0.0, 0.0);
            program.calls(Place::layer(index), &mut |call| {
                // The gradient of a mask is none of a weight.
                if let (Pass::WeightGradient, Work::Gemm(gemm)) = (call.pass, call.work)
                    && call.module != Module::CombineMask
                {
                    products += call.times * gemm.groups * gemm.m * gemm.n;
                }
            });
            model.layer_weights(*kind, shares, &mut |weights| {
                let adapter = f64::from(adapters.rank) * weights.adapter();
                listed += if adapters.freeze() { adapter } else { weights.matrices() };
            });
            sure((products - listed).abs() <= ROUNDING * listed, || {
                format!("{adapters:?} {kind:?} multiplies {products} weights and lists {listed}")
            })?;
        }
    }
    Ok(())
}
