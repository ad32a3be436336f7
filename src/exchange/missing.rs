//! What a job needs and its files do not say.

use super::{Assumed, Import, ToolFile};
use crate::document::Document;
use crate::fields::{CUSTOM, Field, FieldGroup};
use serde::Serialize;

/// Required field without a value in the file or a default of the framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Missing {
    /// Key of the field; `m` stands for the whole model.
    pub field: &'static str,
    /// Why, without a full stop.
    pub text: String,
    /// Whether the file sets it to something that is not in the file, and does not leave it to its framework.
    #[serde(skip)]
    pub(super) open: bool,
}

/// Fields that every job needs, and what they are called in a sentence.
const OF_ALL: [(&str, &str); 3] = [("m", "model"), ("n", "number of GPUs"), ("g", "machine")];

/// Fields that a layout needs.
const OF_LAYOUTS: [(&str, &str); 3] =
    [("seq", "sequence length"), ("mb", "micro-batch"), ("gb", "global batch")];

/// What is missing of a job of a kind of file, given its fields and those whose values were not resolved.
pub(super) fn of(
    kind: ToolFile,
    fields: &[(&'static str, String)],
    unresolved: Vec<Missing>,
    batch_follows: bool,
) -> Vec<Missing> {
    let has = |key: &str| fields.iter().any(|field| field.0 == key);
    let named = fields.iter().any(|field| field.0 == "m" && field.1 != CUSTOM);
    let of_model = |key: &str| Field::find(key).is_some_and(|field| field.group == FieldGroup::Model);
    let known = |key: &str| has(key) || key == "m" && has("layers") || named && of_model(key);
    let mut missing: Vec<Missing> = unresolved.into_iter().filter(|entry| !known(entry.field)).collect();
    let laid_out = has("tp") && kind.is_of_job();
    for (field, name) in OF_ALL.iter().chain(OF_LAYOUTS.iter().filter(|_| laid_out)) {
        let follows = *field == "gb" && batch_follows && !has("n");
        // If a shape is read in part, the rest is requested.
        let part = |entry: &Missing| entry.field == *field || *field == "m" && of_model(entry.field);
        let listed = missing.iter().any(part);
        if !known(field) && !listed && !follows {
            missing.push(Missing { field, text: format!("the {name} is not in the file"), open: false });
        }
    }
    missing
}

impl Import {
    /// Takes every field that is missing from another document, and says so.
    pub fn assume_missing(&mut self, from: &Document) {
        for Missing { field, text, .. } in core::mem::take(&mut self.missing) {
            let value = from.text(field);
            let told = Field::find(field).map_or(value, |field| field.label_of(value)).to_owned();
            self.assumed.push(Assumed {
                field: Some(field),
                text: format!("{told}: {text}; value of the default job."),
            });
        }
    }
}
