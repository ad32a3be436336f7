//! Names of fields in programs: their labels as identifiers.

use super::Field;

/// Keys of fields whose label makes a name that nobody would type, and their names.
const NAMES: [(&str, &str); 9] = [
    ("g", "machine"),
    ("seq", "sequence"),
    ("zero", "sharding"),
    ("every", "expert_layer_period"),
    ("wfull", "full_attention_period"),
    ("bf16", "peak_bf16_rate"),
    ("oo", "offload_optimizer"),
    ("op", "offload_parameters"),
    ("oa", "offload_activations"),
];

impl Field {
    /// Name in Python: the label in lower case with underscores between its words, `tensor_parallel` for `tp`.
    pub fn name(&self) -> String {
        if let Some((_, name)) = NAMES.iter().find(|entry| entry.0 == self.key) {
            return (*name).to_owned();
        }
        let label = self.label.to_ascii_lowercase();
        let words =
            label.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("_")
    }
}

#[cfg(test)]
mod tests {
    use crate::fields::{FIELDS, Field};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_identifiers_of_one_field_each() {
        let names: BTreeSet<String> = FIELDS.iter().map(Field::name).collect();
        assert_eq!(names.len(), FIELDS.len());
        for field in FIELDS {
            let name = field.name();
            assert!(name.starts_with(|first: char| first.is_ascii_lowercase()), "{name}");
            assert!(Field::find(&name).is_none_or(|other| other.key == field.key), "{name} is another's key");
        }
    }

    #[test]
    fn names_are_words_that_people_use() {
        let name = |key: &str| Field::find(key).map(Field::name);
        for (key, expected) in [
            ("m", "model"),
            ("g", "machine"),
            ("n", "gpus"),
            ("tp", "tensor_parallel"),
            ("pp", "pipeline_parallel"),
            ("mb", "micro_batch"),
            ("gb", "global_batch"),
            ("seq", "sequence"),
        ] {
            assert_eq!(name(key).as_deref(), Some(expected));
        }
        for (key, _) in super::NAMES {
            assert!(name(key).is_some(), "{key}");
        }
    }
}
