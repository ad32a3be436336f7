//! Laws that every forecast obeys, over random jobs, machines and layouts.
//!
//! Each law is a function that says what breaks it in one scenario, and a test that tries it on a thousand of them, the
//! same ones in every run. `STEPCAST_CASES=100000` tries it on as many as that, and `STEPCAST_SEED=7` on others.
//! `cargo test --test model laws::survey -- --ignored --nocapture` goes on after a violation: it prints how many scenarios
//! break each law, and the shortest links of them.

mod agreement;
mod coverage;
mod explained;
mod layouts;
mod machines;
mod parts;
mod prices;
mod program;
mod survey;
mod work;

use crate::scenarios::{Drawn, scenarios};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use stepcast::forecast::Prediction;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Schedule;

/// Scenarios that each law is tried on, unless the environment says otherwise.
const CASES: u32 = 1000;

/// Rounding that a sum of some thousand times may differ by.
const ROUNDING: f64 = 1e-9;

/// What breaks a law, in a sentence.
type Verdict = Result<(), String>;

/// A law of one scenario; the number, 1 to 4, is by how much something is made larger.
type Law = fn(&Drawn, f64) -> Verdict;

/// Declares laws: a test for each, and the list of all.
macro_rules! laws {
    ($($name:ident),+ $(,)?) => {
        /// Every law of this file.
        pub(crate) static LAWS: &[(&str, $crate::laws::Law)] = &[$((stringify!($name), $name)),+];

        mod tests {
            $(#[test]
            fn $name() {
                $crate::laws::hold(super::$name);
            })+
        }
    };
}
pub(crate) use laws;

/// A number that the environment may set.
fn setting(name: &str, unless: u32) -> u32 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(unless)
}

/// Draws cases: as many as the environment says, from the seed that it says.
fn runner(unless: u32) -> TestRunner {
    let cases = setting("STEPCAST_CASES", unless);
    let mut config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    // Drawn values that a strategy rejects are counted over all cases.
    config.max_local_rejects = config.max_local_rejects.max(cases.saturating_mul(64));
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&setting("STEPCAST_SEED", 0).to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// A scenario, and by how much something is made larger.
fn tried() -> impl Strategy<Value = (Drawn, f64)> {
    (scenarios(), 1.0..4.0f64)
}

/// Tries a law; fails with the simplest scenario that breaks it.
fn hold(law: Law) {
    let verdict = |(drawn, factor): (Drawn, f64)| law(&drawn, factor).map_err(TestCaseError::fail);
    if let Err(error) = runner(CASES).run(&tried(), verdict) {
        panic!("{error}");
    }
}

fn forecast(scenario: &Scenario) -> Prediction {
    Predictor::SHIPPED.predict(scenario).expect("a possible scenario")
}

/// Share of a step that a law about time leaves besides rounding: nothing for 1F1B and GPipe. Schedules that run weight
/// gradients apart are replayed for a while and extended at the pace they reach, and a first stage that is not on their
/// critical path hides more of its reduction behind what it computes more. Where stages end apart, a step is the longest
/// span from a stage's own first pass to its last, and a slower first stage begins the others' later. An interleaved
/// pipeline that its transfers stall goes over from a closed form to its replay, back again where passes get longer.
fn slack(scenario: &Scenario) -> f64 {
    match scenario.plan.schedule {
        Schedule::OneForwardOneBackward if scenario.plan.virtual_stages > 1 => 1e-3,
        Schedule::OneForwardOneBackward | Schedule::AllForwardAllBackward => ROUNDING,
        _ => 1e-3,
    }
}

/// Two steps of a job, of which the second must not be longer.
fn no_slower(scenario: &Scenario, what: &str, before: f64, after: f64) -> Verdict {
    sure(after <= before * (1.0 + slack(scenario)), || {
        format!("{what}: {before} s become {after} s, {:+.3} %", 100.0 * (after / before - 1.0))
    })
}

fn sure(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise()) }
}
