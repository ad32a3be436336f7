//! How far a layout is outside the measured runs, field by field.

use super::tried::TRIED;
use crate::fields::{Field, Value};
use crate::scenario::Scenario;
use crate::scenario::cluster::GpuFamily;
use serde::Serialize;

/// Keys of the fields compared with measured runs.
pub const FIELDS_OF_RUNS: [&str; 13] =
    ["n", "tp", "cp", "ep", "etp", "pp", "vpp", "sched", "zero", "mb", "rc", "oo", "oa"];

/// Values of one field in measured runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tried {
    /// Key of the field.
    pub(super) field: &'static str,
    /// The GPU generation of the runs; any if none.
    pub(super) on: Option<GpuFamily>,
    /// Their values.
    pub(super) values: Values,
}

/// Values in measured runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Values {
    /// Whole numbers from the least to the most.
    Range(u32, u32),
    /// Names in links.
    Names(&'static [&'static str]),
}

/// A field whose value is in no measured run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Untried {
    /// Key of the field.
    pub field: &'static str,
    /// The layout's value, and those of measured runs.
    pub sentence: String,
}

/// Fields of a scenario with a value that no public measured run has, on its GPU generation or, if that has few or no
/// runs, on any. Fields are checked one by one: a layout whose fields were all measured may still be new as a whole.
pub fn untried(scenario: &Scenario) -> Vec<Untried> {
    let family = scenario.cluster.gpu.family;
    let own = TRIED.iter().any(|tried| tried.on == Some(family)).then_some(family);
    let rows = TRIED.iter().filter(|tried| tried.on == own);
    rows.filter_map(|tried| {
        let field = Field::find(tried.field)?;
        let value = (field.get)(scenario);
        let sentence = outside(field, value, tried.values, &runs_on(own))?;
        Some(Untried { field: field.key, sentence })
    })
    .collect()
}

/// What is compared with, in words.
fn runs_on(family: Option<GpuFamily>) -> String {
    let label = GpuFamily::ALL.iter().find(|entry| Some(entry.0) == family).map(|entry| entry.2);
    label.map_or_else(|| "measured runs".to_owned(), |label| format!("measured runs on {label}"))
}

/// The sentence about a value outside the measured ones.
fn outside(field: &Field, value: Value, tried: Values, runs: &str) -> Option<String> {
    let label = field.label;
    match (value, tried) {
        (Value::Integer(number), Values::Range(least, most)) if !(least..=most).contains(&number) => {
            let have = if least == most {
                format!("have {most}")
            } else if number > most {
                format!("have at most {most}")
            } else {
                format!("have at least {least}")
            };
            Some(format!("{label} {number}: {runs} {have}."))
        }
        (_, Values::Names(names)) => {
            let name = name(value)?;
            let known: Vec<&str> = names.iter().map(|name| field.label_of(name)).collect();
            let own = field.label_of(name);
            (!names.contains(&name)).then(|| format!("{label}, {own}: {runs} have {}.", known.join(", ")))
        }
        _ => None,
    }
}

/// The name of a choice or a switch in links.
fn name(value: Value) -> Option<&'static str> {
    match value {
        Value::Choice(name) => Some(name),
        Value::Flag(on) => Some(if on { "1" } else { "0" }),
        Value::Integer(_) | Value::Number(_) | Value::Layers(_) | Value::Modules(_) | Value::Pattern(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FIELDS_OF_RUNS, TRIED, Values, untried};
    use crate::document::Document;
    use crate::fields::{Field, FieldKind};

    #[test]
    fn every_field_is_in_the_table_and_of_its_kind() {
        for tried in TRIED {
            assert!(FIELDS_OF_RUNS.contains(&tried.field), "{}", tried.field);
            let field = Field::find(tried.field).expect("a field");
            let numbers = matches!(field.kind, FieldKind::Integer { .. });
            assert_eq!(numbers, matches!(tried.values, Values::Range(..)), "{}", tried.field);
        }
        for key in FIELDS_OF_RUNS {
            assert!(TRIED.iter().any(|tried| tried.field == key && tried.on.is_none()), "{key}");
        }
    }

    #[test]
    fn what_nobody_measured_is_said() {
        let mut document = Document::default();
        let mut said = |edits: &[(&str, &str)]| {
            edits.iter().for_each(|(key, text)| document.set(key, text));
            untried(&document.scenario().expect("possible"))
                .into_iter()
                .map(|found| found.field)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            said(&[("m", "llama3-70b"), ("n", "512"), ("tp", "8"), ("pp", "4"), ("vpp", "1")]),
            [""; 0]
        );
        assert_eq!(said(&[("n", "16384")]), ["n"]);
        assert_eq!(said(&[("n", "512"), ("sched", "zb-h1")]), ["sched"]);
    }
}
