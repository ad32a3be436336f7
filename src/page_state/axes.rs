//! The axes of a job's search, as the page shows them: a click frees one, or keeps it.

use super::columns::RankingColumn;
use super::panels::{PLANNED, view_key};
use crate::document::Document;
use crate::fields::{Field, FieldKind};
use crate::planned::{FREE, Searched};
use crate::scenario::Scenario;
use crate::tuner::AXES;

/// An axis of the search, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// Key of the axis.
    pub key: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// Whether it is varied.
    pub free: bool,
    /// The form's value, which is kept where it is not varied.
    pub value: String,
    /// What a click asks of the page, as [`super::panels::asked`] takes it.
    pub toggle: (String, String),
}

/// The axes that there are for a job; `document` is the page's.
pub fn chips(job: &Scenario, document: &Document) -> Vec<Chip> {
    let (form, searched) = (Document::from_scenario(job), Searched::of(document));
    let applies = AXES.iter().filter(|axis| form.applies(axis.key));
    applies
        .map(|axis| {
            let (free, text) = (searched.free.has(axis.key), form.text(axis.key));
            let toggle = match (searched.planned && axis.searched, free) {
                (true, true) => (axis.key.to_owned(), text.to_owned()),
                (true, false) => (PLANNED.to_owned(), axis.key.to_owned()),
                (false, _) => (view_key(FREE), searched.toggled(axis.key)),
            };
            Chip {
                key: axis.key,
                label: RankingColumn::from_key(axis.key).map_or(axis.key, RankingColumn::label),
                free,
                value: match (Field::find(axis.key).map(|field| field.kind), text) {
                    (Some(FieldKind::Flag), text) => if text == "1" { "on" } else { "off" }.to_owned(),
                    (_, text) => text.to_owned(),
                },
                toggle,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_without_experts_has_no_axes_of_theirs() {
        let job = Document::default().scenario().expect("possible");
        let chips = chips(&job, &Document::default());
        assert!(chips.iter().all(|chip| chip.key != "ep"));
        let tensor = chips.iter().find(|chip| chip.key == "tp").expect("an axis");
        assert_eq!((tensor.label, tensor.free, tensor.value.as_str()), ("TP", true, "8"));
        let mapping = chips.iter().find(|chip| chip.key == "dpo").expect("an axis");
        assert_eq!((mapping.free, mapping.value.as_str()), (false, "on"));
    }
}
