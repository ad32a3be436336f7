//! Learned times take the place of prices, and every row says what it rests on.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{LearnedTimes, Provenance, Work};
use stepcast::forecast::{Pass, Predictor};

/// Knows products: a quarter of a second each, measured where they have 4,096 rows.
#[derive(Debug)]
struct Quarters;

impl LearnedTimes for Quarters {
    fn seconds(&self, work: &Work) -> Option<f64> {
        matches!(work, Work::Gemm(_)).then_some(0.25)
    }

    fn is_measured(&self, work: &Work) -> bool {
        matches!(work, Work::Gemm(gemm) if gemm.m == 4096.0)
    }
}

#[test]
fn learned_products_replace_priced_ones() {
    let job = scenario(&[
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "8"),
        ("seq", "4096"),
        ("stack", "compiled"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", "0"),
    ]);
    let constants = Constants { host_layer_fused: 0.0, framework_factor_fsdp: 1.0, ..Constants::SHIPPED };
    let (priced, learned) = (Predictor::new(&constants), Predictor::new(&constants).with_learned(&Quarters));
    let (before, after) = [priced, learned].map(|predictor| predictor.predict(&job).expect("legal")).into();
    let products = |found: &stepcast::forecast::Prediction| -> f64 {
        let rows = found.operators.iter().filter(|row| row.pass == Pass::Forward && row.flops.0 > 0.0);
        rows.filter(|row| row.name != "attention_core").map(|row| row.count * row.time.0).sum()
    };
    // Four products a layer, and the head.
    assert_close(products(&after), 0.25 * (4.0 * 32.0 + 1.0));
    assert_close(
        after.breakdown.forward.0 - before.breakdown.forward.0,
        products(&after) - products(&before),
    );
    assert_close(learned.estimate(&job).step.0, after.step.0);
    assert_close(learned.estimator(&job).estimate(&job.plan).step.0, after.step.0);
    assert!(before.operators.iter().all(|row| row.rests_on.is_none()));
    for row in &after.operators {
        let expected = match (row.name, row.pass) {
            ("attention_core", _) => Provenance::Default,
            (_, Pass::Forward | Pass::InputGradient) if row.flops.0 > 0.0 => Provenance::Measured,
            // Rows of a weight gradient are outputs of the layer: 4,096 where it hands the stream on.
            ("attention_output" | "mlp_down", Pass::WeightGradient) => Provenance::Measured,
            (_, Pass::WeightGradient) => Provenance::Extrapolated,
            _ => Provenance::Default,
        };
        assert_eq!(row.rests_on, Some(expected), "{} {:?}", row.name, row.pass);
    }
}
