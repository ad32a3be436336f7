//! What a text finds among all fields: those that have its words, or what a sentence changes.

use super::job::{PARTS, Pick, lacking, picks};
use crate::document::Document;
use crate::fields::{FIELDS, Field};
use crate::names::plain;

/// What a text finds.
#[derive(Debug, Clone, Default)]
pub struct FoundFields {
    /// Fields that have an effect on the job.
    pub fields: Vec<&'static Field>,
    /// No field has all the words: these have most of them.
    pub in_part: bool,
    /// The text as a change of the job, where no field has all its words.
    pub change: Option<Pick>,
    /// What the text must add to be a change, in a sentence.
    pub lacking: Option<String>,
}

impl FoundFields {
    /// What a text finds in a document's form: `offload`, `num_attention_heads`, `8 H100, seq 8192`.
    pub fn of(document: &Document, text: &str) -> Self {
        let words: Vec<String> = text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
        let known: Vec<(&'static Field, String)> = FIELDS
            .iter()
            .filter(|field| document.applies(field.key))
            .map(|field| (field, plain(&field.in_words())))
            .collect();
        let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
        let fields: Vec<_> = known.iter().filter(|field| has_all(&field.1)).map(|field| field.0).collect();
        if !fields.is_empty() {
            return Self { fields, in_part: false, ..Self::default() };
        }
        // A number is a value, and no field's word.
        let named = words.iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
        let named: Vec<&str> = named.map(String::as_str).collect();
        let graded = known.iter().map(|(field, text)| (*field, grade(field, text, &named)));
        let graded: Vec<_> = graded.filter(|field| field.1 > 0).collect();
        let best = graded.iter().map(|field| field.1).max();
        let fields = graded.into_iter().filter(|field| Some(field.1) == best).map(|field| field.0).collect();
        let model = PARTS.first();
        let change = model.and_then(|model| picks(document, model, text).into_iter().next());
        let lacking = model.and_then(|model| lacking(model, text));
        Self { fields, in_part: true, change, lacking }
    }
}

/// How many of the words a field has, in its label or as its key twice as much.
fn grade(field: &Field, text: &str, words: &[&str]) -> usize {
    let label = plain(field.label);
    let of = |word: &&str| {
        usize::from(text.contains(*word)) + usize::from(label.contains(*word) || field.key == *word)
    };
    words.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::super::page::Action;
    use super::*;

    fn found(text: &str) -> FoundFields {
        FoundFields::of(&Document::default(), text)
    }

    fn keys(found: &FoundFields) -> Vec<&'static str> {
        found.fields.iter().map(|field| field.key).collect()
    }

    #[test]
    fn a_field_is_found_by_all_the_words() {
        let exact = found("attention heads");
        assert!(!exact.in_part && exact.change.is_none() && keys(&exact).contains(&"heads"));
        for (text, key) in [
            ("num_attention_heads", "heads"),
            ("num_key_value_heads", "kv"),
            ("--tensor-model-parallel-size", "tp"),
            ("intermediate_size", "ffn"),
            ("max_seq_len", "seq"),
        ] {
            let found = found(text);
            assert!(!found.in_part && keys(&found).contains(&key), "{text}: {:?}", keys(&found));
        }
    }

    #[test]
    fn a_sentence_is_a_change_and_names_its_fields() {
        let sentence = found("8 H100, seq 8192");
        assert!(sentence.in_part && keys(&sentence).starts_with(&["seq"]), "{:?}", keys(&sentence));
        let Some(Pick { label, action: Action::Set(values), .. }) = &sentence.change else {
            panic!("{sentence:?}")
        };
        let texts: Vec<(&str, &str)> = values.iter().map(|(key, text)| (*key, text.as_str())).collect();
        assert_eq!(texts, [("g", "dgx-h100"), ("n", "8"), ("seq", "8192")]);
        assert!(label.contains("H100") && label.contains("8192"), "{label}");
        let label = |text: &str| found(text).change.map(|pick| pick.label);
        assert_eq!(
            label("batch size 512, TP 4").as_deref(),
            Some("Global batch 512 \u{b7} Tensor parallel (TP) 4")
        );
        assert!(
            label("#2;m=llama3-8b;g=dgx-h100;n=64").is_some_and(|label| label.starts_with("Open the link"))
        );
        assert!(label("llama-3 8b on 8 h100 with lora").is_some_and(|label| label.starts_with("Llama-3 8B")));
    }

    /// A size with a machine is a published model of that size, said as such, or a sentence about what to add.
    #[test]
    fn a_size_alone_suggests_a_published_shape() {
        for text in ["13B, 24 nodes of 8 H100", "13b model on 192 h100", "a 13B on 192 H100, batch 768"] {
            let found = found(text);
            let pick = found.change.unwrap_or_else(|| panic!("{text}"));
            assert_eq!((pick.group.as_str(), found.lacking), ("Published models of 13B", None), "{text}");
            assert!(
                pick.label.contains("13B") && pick.label.contains("192 \u{d7} "),
                "{text}: {}",
                pick.label
            );
        }
        let none = found("17.3B, 24 nodes of 8 H100");
        assert!(none.change.is_none(), "{none:?}");
        assert!(none.lacking.is_some_and(|said| said.contains("17.3B. Add the layers, hidden size")));
        let shape =
            found("13B model with 40 layers, hidden 5120, 40 heads, vocab 50257 on 24 nodes of 8 H100");
        let label = shape.change.expect("a custom model").label;
        assert!(
            label.contains("40 layers, hidden 5,120,")
                && label.contains("vocabulary 50,257 \u{b7} 192 \u{d7} "),
            "{label}"
        );
    }

    #[test]
    fn nonsense_finds_nothing() {
        for text in ["xyzzy", "8 xyzzy"] {
            let found = found(text);
            assert!(found.in_part && found.fields.is_empty() && found.change.is_none(), "{text}: {found:?}");
        }
    }
}
