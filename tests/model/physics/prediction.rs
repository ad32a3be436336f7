//! Multi-token prediction (DeepSeek-V3, arXiv 2412.19437, section 2.2): every further layer projects two streams to
//! one, passes a layer like the others, and then the head again. All of it is the last stage's.

use crate::physics::sharding::plain;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Gemm, Rates, Work};
use stepcast::forecast::{Pass, Prediction};
use stepcast::memory::stage_memory;
use stepcast::scenario::Scenario;

const H: f64 = 4096.0;
const F: f64 = 11_008.0;
const T: f64 = 4096.0;
const V: f64 = 32_000.0;

/// Llama-2 7B with so many prediction layers, on four stages, compiled, nothing overlapped.
fn job(predictions: u32, edits: &[(&str, &str)]) -> Scenario {
    let mtp = predictions.to_string();
    let base = [
        ("m", "llama2-7b"),
        ("mtp", mtp.as_str()),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "16"),
        ("seq", "4096"),
        ("stack", "compiled"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "4"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

/// A host that costs nothing.
fn constants() -> Constants {
    Constants { host_layer_fused: 0.0, ..plain() }
}

/// Seconds of a pass's operators, once each.
fn once(found: &Prediction, forward: bool, of_head: bool) -> f64 {
    let head = ["final_norm", "lm_head", "cross_entropy"];
    let rows = found.operators.iter().filter(|row| (row.pass == Pass::Forward) == forward);
    let rows = rows.filter(|row| row.pass != Pass::Step && row.name != "stage_transfer");
    rows.filter(|row| head.contains(&row.name) == of_head && row.name != "embedding")
        .map(|row| row.time.0)
        .sum()
}

/// Seconds of the last stage grow, and those of the others do not.
#[test]
fn the_last_stage_runs_layer_head_and_projection_again() {
    let without = forecast_under(&job(0, &[]), &constants());
    assert!(without.operators.iter().any(|row| row.name == "lm_head"), "the last stage is the slowest");
    let rates_of = job(0, &[]);
    let constants = constants();
    let rates = Rates::new(&rates_of, &constants);
    let gemm = |m, n, k, accumulates| {
        let work =
            Work::Gemm(Gemm { m, n, k, low_precision: true, accumulates, groups: 1.0, unaligned: false });
        rates.price(&work).time.0
    };
    let stream = |bytes| rates.price(&Work::Stream { bytes, kernels: 2.0 }).time.0;
    let projection = [
        gemm(T, H, 2.0 * H, false) + stream(8.0 * T * H),
        gemm(T, 2.0 * H, H, false) + gemm(H, 2.0 * H, T, true) + stream(16.0 * T * H),
    ];
    for predictions in [1_u32, 2] {
        let with = forecast_under(&job(predictions, &[]), &constants);
        for (before, after) in without.stages.iter().zip(&with.stages).take(3) {
            assert_eq!((before.forward, before.backward), (after.forward, after.backward));
        }
        let (before, after) = (&without.stages[3], &with.stages[3]);
        let grown = [after.forward.0 - before.forward.0, after.backward.0 - before.backward.0];
        for ((grown, forward), projection) in grown.into_iter().zip([true, false]).zip(projection) {
            let each = once(&without, forward, false) + once(&without, forward, true) + projection;
            assert!((grown / (f64::from(predictions) * each) - 1.0).abs() < 1e-6, "{grown} {each}");
        }
    }
}

/// Parameters: a layer, the projection of 2 h to h, and three norms each. Activations: a layer more in flight.
#[test]
fn the_last_stage_holds_layer_and_projection() {
    let layer = 4.0 * H * H + 3.0 * H * F + 2.0 * H;
    let kept = T * (16.0 * H + 4.0 * 32.0 + 6.0 * F);
    for predictions in [1_u32, 3] {
        let d = f64::from(predictions);
        for (tensor, t) in [("1", 1.0), ("2", 2.0)] {
            let edits = [("tp", tensor), ("n", "16")];
            let (without, with) = (job(0, &edits), job(predictions, &edits));
            for stage in 0..3 {
                assert_eq!(stage_memory(&without, stage), stage_memory(&with, stage));
            }
            let (before, after) = (stage_memory(&without, 3), stage_memory(&with, 3));
            let more = d * ((layer - 2.0 * H) / t + 2.0 * H + 2.0 * H * H / t + 3.0 * H);
            assert_close(after.weights.0 - before.weights.0, 2.0 * more);
            assert_close(after.gradients.0 - before.gradients.0, 2.0 * more);
            let replicas = 4.0 / t;
            assert_close(after.optimizer.0 - before.optimizer.0, 12.0 * more / replicas);
            if t == 1.0 {
                assert_close(after.activations.0 - before.activations.0, d * kept);
            }
        }
    }
    // The head is the model's own: one table, whatever is predicted.
    let weights = stage_memory(&job(0, &[]), 3).weights.0;
    assert_close(weights, 2.0 * (8.0 * layer + V * H + H));
}
