//! The registry of constants: what every value rests on, and how well the runs determine those fitted to them.

use crate::command;
use std::collections::BTreeSet;

use stepcast::calibrate::determined::determined;
use stepcast::calibrate::fit::fitted_to_runs;
use stepcast::constants::records;
use stepcast::constants::{Constants, REGISTRY};
use stepcast::validate::{MeasuredRun, observations, published};

/// Share of its prior's variance that the runs have to remove before a constant counts as fitted.
const LEAST_EVIDENCE: f64 = 0.2;

#[test]
fn every_constant_states_its_unit_and_source() {
    let names: BTreeSet<&str> = REGISTRY.iter().map(|constant| constant.name).collect();
    assert_eq!(names.len(), REGISTRY.len());
    for constant in REGISTRY {
        assert!(constant.value.is_finite(), "{}", constant.name);
        assert!(!constant.unit.is_empty() && constant.source.len() > 5, "{}", constant.name);
    }
}

/// `cargo xtask ablate` takes minutes, so what its table names is looked for here.
#[test]
fn every_neutral_value_is_of_a_constant() {
    let names: BTreeSet<&str> = REGISTRY.iter().map(|constant| constant.name).collect();
    let table = include_str!("../../data/neutral.tsv");
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let (name, neutral) = line.split_once('\t').expect("a constant and its neutral value");
        let is_value = neutral.parse::<f64>().is_ok() || names.contains(neutral);
        assert!(names.contains(name) && is_value, "{line}");
    }
}

/// Prints how many constants of each kind there are, and what the fitted ones rest on.
#[test]
fn every_fitted_constant_has_evidence() {
    let mut kinds: Vec<&str> = REGISTRY.iter().map(|constant| constant.evidence.name()).collect();
    kinds.sort_unstable();
    for kind in kinds.chunk_by(|a, b| a == b) {
        println!("{}: {} of {} constants", kind[0], kind.len(), REGISTRY.len());
    }
    for constant in Constants::fitted() {
        let name = constant.name;
        let record = constant.record().unwrap_or_else(|| {
            panic!(
                "{name} is fitted but not in data/determined.tsv: run `stepcast calibrate DATA --determined`"
            )
        });
        let (least, most) = record.refits;
        println!(
            "{name} = {} {}: standard error {:.1} %, {:.0} % of the prior's variance removed, {least} to {most} \
             without one source",
            constant.value,
            constant.unit,
            100.0 * record.error,
            100.0 * record.evidence
        );
        assert!(record.evidence >= LEAST_EVIDENCE, "{name}: the runs do not determine it");
        assert!(least * 0.98 <= constant.value && constant.value <= most * 1.02, "{name}: an old record");
    }
    let fitted: BTreeSet<&str> = Constants::fitted().map(|constant| constant.name).collect();
    assert_eq!(fitted, records().map(|(name, _)| name).collect(), "records of the fitted constants");
}

/// The record is of the runs that the page carries.
#[test]
fn the_record_is_what_the_runs_say() {
    let carried = published::read(include_str!("../../static/runs.tsv")).expect("as written");
    let runs: Vec<MeasuredRun> = carried.runs.into_iter().map(|(run, _)| run).collect();
    let observations = observations(&runs, |_| true);
    for found in determined(&observations, &Constants::SHIPPED, &fitted_to_runs()) {
        let name = found.constant.name;
        let record = found.constant.record().expect("every fitted constant");
        let ratio = found.error / record.error;
        assert!((0.8..1.25).contains(&ratio), "{name}: error {} is not {}", found.error, record.error);
        assert!((found.evidence - record.evidence).abs() < 0.1, "{name}: {found:?}");
    }
}

#[test]
fn the_command_lists_every_constant_with_its_value() {
    let list = command::text(&["--list-constants"]);
    let list = list.split_whitespace().collect::<Vec<_>>().join(" ");
    for constant in REGISTRY {
        assert!(list.contains(&format!("{}: {} ", constant.name, constant.value)), "{}", constant.name);
    }
}
