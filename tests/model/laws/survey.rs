//! Every law on many scenarios, without stopping at the first that breaks one.

use std::time::Instant;

use crate::laws::{Law, runner, tried};
use proptest::strategy::{Strategy, ValueTree};

/// Violations of one law that are printed.
const SHOWN: usize = 8;

#[test]
#[ignore = "prints what breaks the laws; their own tests fail on it"]
fn survey() {
    let mut runner = runner(4000);
    let strategy = tried();
    let laws: Vec<(&str, Law)> = [
        crate::laws::parts::LAWS,
        crate::laws::program::LAWS,
        crate::laws::agreement::LAWS,
        crate::laws::machines::LAWS,
        crate::laws::work::LAWS,
        crate::laws::layouts::LAWS,
        crate::laws::explained::LAWS,
    ]
    .concat();
    let chosen = std::env::var("STEPCAST_LAW").unwrap_or_default();
    let laws: Vec<(&str, Law)> = laws.into_iter().filter(|law| law.0.contains(&chosen)).collect();
    let mut found: Vec<Vec<(String, String)>> = vec![Vec::new(); laws.len()];
    let mut took = vec![0.0; laws.len()];
    let total = runner.config().cases;
    for _ in 0..total {
        let (drawn, factor) = strategy.new_tree(&mut runner).expect("a scenario").current();
        for (index, (_, law)) in laws.iter().enumerate() {
            let begin = Instant::now();
            if let Err(problem) = law(&drawn, factor) {
                found[index].push((drawn.document.to_link(), problem));
            }
            took[index] += begin.elapsed().as_secs_f64();
        }
    }
    for ((name, _), (mut broken, took)) in laws.iter().zip(found.into_iter().zip(took)) {
        broken.sort_by_key(|entry| entry.0.len());
        println!(
            "{name}: {} of {total} break it, {:.2} ms each",
            broken.len(),
            1e3 * took / f64::from(total)
        );
        for (link, problem) in broken.iter().take(SHOWN) {
            println!("    {problem}\n        {link}");
        }
    }
}
