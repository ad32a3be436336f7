//! Values in measured runs, field by field: the table that detects layouts outside their range.

use super::MeasuredRun;
use crate::fields::{Field, Value};
use crate::forecast::FIELDS_OF_RUNS;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::{MeasuredRuns, Scenario};
use std::collections::BTreeSet;

/// Head of the table.
const HEAD: &str = "\
# What the measured runs behind the constants have tried, field by field: written by `cargo xtask readme`.
# A row holds for one generation of GPUs with many runs, or for all runs together (any). Whole numbers have the least and
# the most, choices the names that occur.
generation\tfield\tleast\tmost\tnames
";

/// The table of values in measured runs, tab-separated: per GPU generation with many runs, and over all.
pub fn tried(runs: &[MeasuredRun]) -> String {
    let counted: Vec<&Scenario> =
        runs.iter().filter(|run| !run.dropped).filter_map(|run| run.scenario.as_ref().ok()).collect();
    let mut table = HEAD.to_owned();
    let many = |family: &GpuFamily| family.generation().runs == MeasuredRuns::Many;
    let families = GpuFamily::ALL.iter().map(|entry| entry.0).filter(many);
    for family in core::iter::once(None).chain(families.map(Some)) {
        let on: Vec<&Scenario> = counted
            .iter()
            .copied()
            .filter(|scenario| family.is_none_or(|family| scenario.cluster.gpu.family == family))
            .collect();
        let name = family.map_or("any", GpuFamily::name);
        for field in FIELDS_OF_RUNS.iter().filter_map(|key| Field::find(key)) {
            if let Some(values) = values(field, &on) {
                table.push_str(&format!("{name}\t{}\t{values}\n", field.key));
            }
        }
    }
    table
}

/// Least, most and names of a field's values; nothing without runs.
fn values(field: &Field, runs: &[&Scenario]) -> Option<String> {
    let mut numbers = BTreeSet::new();
    let mut names = BTreeSet::new();
    for value in runs.iter().map(|scenario| (field.get)(scenario)) {
        match value {
            Value::Integer(number) => {
                numbers.insert(number);
            }
            Value::Choice(name) => {
                names.insert(name);
            }
            Value::Flag(on) => {
                names.insert(if on { "1" } else { "0" });
            }
            Value::Number(_) | Value::Layers(_) | Value::Modules(_) | Value::Pattern(_) => {}
        }
    }
    match (numbers.first(), numbers.last()) {
        (Some(least), Some(most)) => Some(format!("{least}\t{most}\t")),
        _ if names.is_empty() => None,
        _ => Some(format!("\t\t{}", names.into_iter().collect::<Vec<_>>().join(" "))),
    }
}
