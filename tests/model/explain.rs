//! What explanations say, against what is known of the numbers from elsewhere.

use stepcast::constants::Constants;
use stepcast::cost::Provenance;
use stepcast::document::Document;
use stepcast::explain::{Explainer, NumberExplanation};
use stepcast::forecast::{Prediction, Predictor};
use stepcast::scenario::Scenario;

const LLAMA: &str = "#1;m=llama3-70b;g=dgx-h100;n=512";

fn scenario(link: &str) -> Scenario {
    Document::from_link(link).expect("a link").document.scenario().expect("possible")
}

fn explained(link: &str, key: &str) -> Vec<NumberExplanation> {
    let scenario = scenario(link);
    let prediction = Predictor::SHIPPED.predict(&scenario).expect("possible");
    Explainer::new(Predictor::SHIPPED, &scenario, &prediction).explain(key)
}

fn predicted(constants: &Constants, scenario: &Scenario) -> Prediction {
    Predictor::new(constants).predict(scenario).expect("possible")
}

/// `tokens * FLOPs a token / (peak * GPUs * step)`, by hand for Llama-3 70B: 989.4 TFLOP/s on 512 H100.
#[test]
fn utilisation_names_its_factors() {
    let explanation = explained(LLAMA, "mfu").remove(0);
    let formula = explanation.term.formula.expect("a formula");
    assert_eq!(
        formula.words(),
        "tokens per step \u{d7} model FLOPs per token / \
         (peak per GPU in this precision \u{d7} GPUs \u{d7} step)"
    );
    assert!(formula.values().contains("989\u{a0}TFLOP/s \u{d7} 512"), "{}", formula.values());
}

/// The constants of an operator's time are those that its registry entry is about, with their evidence.
#[test]
fn a_products_constants_are_those_of_products() {
    let rows = explained(LLAMA, "qkv_projection");
    assert_eq!(rows.len(), 3, "forward and both gradients");
    let names: Vec<&str> = rows[0].constants.iter().map(|constant| constant.name).collect();
    assert!(names.contains(&"gemm_efficiency_hopper") && names.contains(&"sustained_hopper"), "{names:?}");
    assert!(names.iter().all(|name| !name.contains("network") && !name.contains("ampere")), "{names:?}");
    let fitted = rows[0].constants.iter().find(|constant| constant.name == "sustained_hopper").expect("used");
    assert_eq!(fitted.evidence, "fitted");
    assert!(fitted.effect < 0.0, "a higher rate makes it shorter");
}

/// The effect of a constant is what a forecast with a larger one shows.
#[test]
fn effects_are_those_of_a_forecast() {
    let scenario = scenario(LLAMA);
    let before = predicted(&Constants::SHIPPED, &scenario).step.0;
    let explanation = explained(LLAMA, "step").remove(0);
    let most = explanation.constants.first().expect("some");
    let entry = stepcast::constants::REGISTRY.iter().find(|entry| entry.name == most.name).expect("known");
    let mut moved = Constants::SHIPPED;
    (entry.set)(&mut moved, most.value * 1.01);
    let effect = (predicted(&moved, &scenario).step.0 / before - 1.0) / 0.01;
    assert!((effect / most.effect - 1.0).abs() < 1e-6, "{} is {}, not {effect}", most.name, most.effect);
    let effects: Vec<f64> = explanation.constants.iter().map(|constant| constant.effect.abs()).collect();
    assert!(effects.is_sorted_by(|one, other| one >= other), "{effects:?}");
}

/// What makes a step longer makes the machines less used, by the same share.
#[test]
fn effects_on_utilisation_are_the_other_way_round() {
    let of = |key: &str| {
        let constants = explained(LLAMA, key).remove(0).constants;
        constants.iter().find(|constant| constant.name == "framework_factor_fused").map(|found| found.effect)
    };
    let [step, mfu, days] = ["step", "mfu", "run_time"].map(|key| of(key).expect("it moves the step"));
    assert!(step > 0.5 && mfu < -0.5 && (days - step).abs() < 1e-9, "{step}, {mfu}, {days}");
}

/// Nothing that a learned time replaces is explained by physics.
#[test]
fn a_learned_time_is_given() {
    #[derive(Debug)]
    struct Learned;
    impl stepcast::cost::LearnedTimes for Learned {
        fn seconds(&self, _: &stepcast::cost::Work) -> Option<f64> {
            Some(1e-3)
        }
        fn is_measured(&self, _: &stepcast::cost::Work) -> bool {
            true
        }
    }
    let scenario = scenario(LLAMA);
    let predictor = Predictor::SHIPPED.with_learned(&Learned);
    let prediction = predictor.predict(&scenario).expect("possible");
    let explanation = Explainer::new(predictor, &scenario, &prediction).explain("operator.1").remove(0);
    assert_eq!(explanation.term.formula, None);
    assert_eq!(explanation.rests_on, Some(Provenance::Measured));
    assert!(explanation.constants.is_empty(), "{:?}", explanation.constants);
}

/// Memory's owners say how many parameters they hold: 16-bit weights of a whole stage, states of its shard.
#[test]
fn memory_counts_parameters() {
    let weights = explained(LLAMA, "memory.weights").remove(0);
    let words = weights.term.formula.expect("a formula").words();
    assert_eq!(words, "bytes per weight \u{d7} parameters per GPU");
    assert!(weights.constants.is_empty());
    let states = explained(LLAMA, "memory.optimizer").remove(0);
    let held = states.term.explained().get(1).map(|term| term.name.clone());
    assert_eq!(held.as_deref(), Some("parameters per GPU"), "sharded, so that it says of how many");
}

/// Casts of weights that autocast makes are gone when the optimizer runs: nothing is said of how many there were.
#[test]
fn what_is_gone_at_the_peak_follows_from_nothing() {
    let update = "#2;m=llama3-8b;g=dgx-h200;n=1;gb=1;mb=1;seq=2048;stack=eager;tp=1;pp=1;zero=0;rc=full;wts=32;optk=foreach";
    let weights = explained(update, "memory.weights").remove(0);
    assert_eq!((weights.term.value, weights.term.formula), (0.0, None));
}

#[test]
fn what_there_is_not_has_no_explanation() {
    for key in ["", "nothing", "memory.nothing", "operator.9999", "operator."] {
        assert!(explained(LLAMA, key).is_empty(), "{key}");
    }
}
