//! Prints links of random scenarios, possible ones as the tests draw them: `cargo run --example scenarios 1000`.

#[path = "../../tests/support/scenarios.rs"]
mod scenarios;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

/// Links that are printed unless told otherwise.
const USUAL: usize = 1000;

fn main() {
    let wanted = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(USUAL);
    let mut runner = TestRunner::deterministic();
    let strategy = scenarios::scenarios();
    for _ in 0..wanted {
        let drawn = strategy.new_tree(&mut runner).expect("a scenario").current();
        assert_eq!(drawn.document.scenario().as_ref(), Ok(&drawn.scenario));
        println!("{}", drawn.document.to_link());
    }
}
