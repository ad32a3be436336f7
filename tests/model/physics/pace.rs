//! What sets the pace between passes: weight gradients that run apart, reductions behind chunks of layers, and the share
//! of a layer that selective recompute repeats.

use crate::physics::sharding::plain;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::forecast::{Pass, Prediction};
use stepcast::scenario::Scenario;
use stepcast::schedule::{Pipeline, StageTime};
use stepcast::units::Seconds;

fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "32"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "4"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

/// Nothing but kernels and messages takes time.
fn quiet() -> Constants {
    Constants { host_layer_fused: 0.0, step_fixed_fused: 0.0, framework_factor_fused: 1.0, ..plain() }
}

/// Seconds of the pipeline: the step without its end.
fn pipeline(found: &Prediction) -> f64 {
    found.step.0 - found.breakdown.optimizer.0 - found.breakdown.data_communication.0
}

/// Schedules that put weight gradients off get those of the products, eight layers a stage and the head on the last.
#[test]
fn weight_gradients_that_run_apart_are_those_of_the_products() {
    for schedule in ["zb-h1", "zb-h2"] {
        let job = job(&[("sched", schedule), ("dpo", "0")]);
        let found = forecast_under(&job, &quiet());
        let weights = |of_head: bool| -> f64 {
            let rows = found.operators.iter().filter(|row| row.pass == Pass::WeightGradient);
            rows.filter(|row| (row.name == "lm_head") == of_head).map(|row| row.count * row.time.0).sum()
        };
        assert!(weights(true) > 0.0, "the last stage is the slowest");
        let times: Vec<StageTime> = found
            .stages
            .iter()
            .map(|row| {
                let weight = weights(false) + if row.stage == 3 { weights(true) } else { 0.0 };
                StageTime::new(row.forward, row.backward).with_weight_gradient(Seconds(weight))
            })
            .collect();
        let hop = found.operators.iter().find(|row| row.name == "stage_transfer").expect("a transfer").time;
        let replayed = Pipeline {
            schedule: job.plan.schedule,
            virtual_stages: 1,
            chunks: &times,
            micro_batches: job.micro_batches(),
            hop,
        };
        assert_close(pipeline(&found), replayed.duration().0);
    }
}

/// Gradients of the first chunk are whole while the micro-batches of the others still run: p (1 - 1/v) of them, one at
/// the least, offer the room that reductions hide in: the time that the first stage computes for, its bubble left out.
#[test]
fn reductions_hide_behind_the_turns_of_a_pipeline() {
    let constants = Constants { overlap_data: 1.0, overlap_data_window: 1e-3, ..quiet() };
    for (stages, chunks, turns) in [
        ("1", "1", 1.0),
        ("4", "1", 1.0),
        ("4", "2", 2.0),
        ("4", "4", 3.0),
        ("2", "2", 1.0),
        ("2", "8", 1.75),
    ] {
        let job = job(&[("pp", stages), ("vpp", chunks), ("dpo", "1")]);
        let found = forecast_under(&job, &constants);
        let first = found.stages[0].forward.0 + found.stages[0].backward.0;
        assert!(stages == "1" || first < 0.99 * pipeline(&found) / f64::from(job.micro_batches()));
        assert_close(found.hidden.data.0, 1e-3 * first * turns);
    }
}

/// Fused stacks repeat a share of a layer's forward pass, kernels and the messages between them, and no other passes.
#[test]
fn selective_recompute_repeats_a_share() {
    let constants = Constants { recompute_selective_share: 0.25, ..quiet() };
    for edits in [&[][..], &[("tp", "2"), ("tpo", "0")]] {
        let job = job(&[&[("rc", "selective"), ("pp", "1"), ("gb", "8")], edits].concat());
        let found = forecast_under(&job, &constants);
        let ends = ["embedding", "embedding_reduce", "final_norm", "lm_head", "cross_entropy"];
        let loss = ["loss_maximum", "loss_target", "loss_sum", "lm_head_input_gather"];
        let rows = found.operators.iter().filter(|row| row.pass == Pass::Forward);
        let rows = rows.filter(|row| !ends.contains(&row.name) && !loss.contains(&row.name));
        let layers: f64 = rows.map(|row| row.count * row.time.0).sum();
        let m = f64::from(job.micro_batches());
        assert_close(found.breakdown.recompute.0, m * 0.25 * layers);
        let row = found.operators.iter().find(|row| row.name == "selective_recompute").expect("a row");
        assert_close(row.step.0, found.breakdown.recompute.0);
        assert_eq!((row.count, row.pass), (32.0, Pass::Recompute));
    }
}
