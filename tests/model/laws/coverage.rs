//! That random scenarios reach all there is: every field typed anew, every entry of every list chosen.

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::runner;
use crate::scenarios::scenarios;
use proptest::strategy::{Strategy, ValueTree};
use stepcast::fields::{FIELDS, FieldKind};
use stepcast::scenario::Scenario;
use stepcast::scenario::model::{Layers, Mixer};
use stepcast::scenario::plan::Zero;

/// Scenarios that are drawn.
const DRAWS: usize = 30_000;

/// Scenarios of which each entry of a list is chosen in, at least.
const LEAST: usize = 1;

/// Different numbers that each field takes, at least.
const LEAST_NUMBERS: usize = 8;

#[test]
fn every_choice_occurs() {
    let mut runner = runner(1);
    let strategy = scenarios();
    let mut seen: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    let mut split: BTreeMap<(Mixer, &str), usize> = BTreeMap::new();
    for _ in 0..DRAWS {
        let drawn = strategy.new_tree(&mut runner).expect("a scenario").current();
        for field in FIELDS {
            // A preset's name stands as typed; of an edited preset the scenario knows none.
            let preset = field.group.preset_key() == Some(field.key);
            let typed = drawn.document.text(field.key).to_owned();
            let text = if preset { typed } else { field.canonical(&drawn.scenario) };
            *seen.entry(field.key).or_default().entry(text).or_default() += 1;
        }
        for mixer in Layers::new(&drawn.scenario.model).kinds().iter().map(|kind| kind.mixer) {
            for way in ways(&drawn.scenario) {
                *split.entry((mixer, way)).or_default() += 1;
            }
        }
        let plan = &drawn.scenario.plan;
        pairs.insert((plan.schedule.label(), format!("{:?}", plan.zero)));
    }
    for field in FIELDS {
        let counts = &seen[field.key];
        match field.kind {
            FieldKind::Choice(list) => {
                for (name, _) in list {
                    let count = counts.get(*name).copied().unwrap_or(0);
                    assert!(count >= LEAST, "{} = {name}: {count}", field.key);
                }
            }
            FieldKind::Flag => assert_eq!(counts.len(), 2, "{}", field.key),
            _ => assert!(counts.len() >= LEAST_NUMBERS, "{}: {counts:?}", field.key),
        }
    }
    // Seven schedules; ZeRO-0 to 2 under each, and sharded parameters under those that keep the backward pass whole.
    assert_eq!(pairs.len(), 7 * 3 + 2 * 2, "{pairs:?}");
    let all = Mixer::ALL.into_iter().flat_map(|mixer| WAYS.map(|way| (mixer, way)));
    let missing: Vec<_> = all.filter(|pair| !split.contains_key(pair)).collect();
    assert_eq!(missing, REFUSED, "a pattern with the letter is missing in tests/support/scenarios.rs");
}

/// What the rules refuse: an encoder's output reaches one stage, and all of its tokens every rank.
const REFUSED: [(Mixer, &str); 2] = [(Mixer::Crossed, "CP"), (Mixer::Crossed, "PP")];

/// Ways of splitting a job.
const WAYS: [&str; 7] = ["TP", "SP", "CP", "PP", "EP", "ZeRO-1 or 2", "ZeRO-3"];

/// How a scenario is split.
fn ways(scenario: &Scenario) -> Vec<&'static str> {
    let plan = &scenario.plan;
    let used = [
        plan.tensor_parallel > 1,
        plan.sequence_parallel,
        plan.context_parallel > 1,
        plan.pipeline_parallel > 1,
        plan.expert_parallel > 1,
        matches!(plan.zero, Zero::Optimizer | Zero::Gradients),
        plan.zero.shards_parameters(),
    ];
    WAYS.into_iter().zip(used).filter(|(_, used)| *used).map(|(way, _)| way).collect()
}
