//! The field that an unknown key probably means.

use crate::fields::{FIELDS, Field};
use strsim::jaro_winkler;

/// Least similarity of a text to a field's label, name or key, 0 to 1.
const LIKE: f64 = 0.8;

/// The field whose label, name or key is most similar to a text, or none.
pub fn near(name: &str) -> Option<&'static Field> {
    // A text longer than any label is similar to none, and slow to compare.
    let name = Some(plain(name)).filter(|name| name.len() <= LONGEST)?;
    let name = if name == "cluster" { "machine".to_owned() } else { name };
    let of_label = |field: &Field| jaro_winkler(&name, &plain(field.label));
    let of_name = |field: &Field| jaro_winkler(&name, &plain(&field.name()));
    let of_key = |field: &Field| jaro_winkler(&name, field.key);
    let like = |field: &Field| of_label(field).max(of_name(field)).max(of_key(field));
    let likely = FIELDS.iter().map(|field| (field, like(field))).filter(|(_, like)| *like >= LIKE);
    // The first of equals is what the list is walked to from its end.
    likely.rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(field, _)| field)
}

/// Longest name that is compared, bytes.
const LONGEST: usize = 64;

/// Letters and digits alone, small ones.
fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn names_of_other_tools_are_near_their_fields() {
        let names = [
            ("model", "m"),
            ("cluster", "g"),
            ("gpus", "n"),
            ("gpu", "n"),
            ("sequence_length", "seq"),
            ("seq_len", "seq"),
            ("global_batch_size", "gb"),
            ("micro_batch", "mb"),
            ("tensorParallel", "tp"),
            ("pipeline_parallel_size", "pp"),
            ("TP", "tp"),
        ];
        for (name, key) in names {
            assert_eq!(near(name).map(|field| field.key), Some(key), "{name}");
        }
        for name in ["", "zzz", &"model".repeat(100_000)] {
            assert!(near(name).is_none());
        }
    }
}
