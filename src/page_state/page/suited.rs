//! What a choice changes besides: fields that follow from it, and those that it makes impossible.

use crate::document::{Document, FOLLOWING};
use crate::fields::{FIELDS, Field, FieldGroup};
use crate::scenario::plan::Plan;

/// Fields that were changed, with a sentence each.
pub(super) type Changes = Vec<(&'static str, String)>;

/// What follows from a choice in the fields that nobody has set. A model brings its sequence and batch, a sequence its
/// batch, a machine its software, and adapters all three, and the sentences say so, compared with the document `before`;
/// with anything else they stay what they are, and are set from then on: a number of GPUs changes no batch.
pub(super) fn following(document: &mut Document, keys: &[&'static str], before: &Document) -> Changes {
    /// The choices that bring a field, with what they are called.
    const ADAPTERS: (&str, &str) = ("lora", "kind of training");
    const STACK: &[(&str, &str)] = &[("g", "machine"), ADAPTERS];
    const SEQUENCE: &[(&str, &str)] = &[("m", "model"), ADAPTERS];
    const BATCH: &[(&str, &str)] = &[("m", "model"), ADAPTERS, ("seq", "sequence length")];
    let mut sentences = Vec::new();
    for key in FOLLOWING {
        let Some(usual) =
            document.usual(key).filter(|usual| !document.is_set(key) && usual != document.text(key))
        else {
            continue;
        };
        let causes = match key {
            "stack" => STACK,
            "seq" => SEQUENCE,
            _ => BATCH,
        };
        if let Some((_, cause)) = causes.iter().find(|cause| keys.contains(&cause.0)) {
            if let Some(field) = Field::find(key).filter(|_| before.text(key) != usual) {
                let (before, now) = (field.label_of(before.text(key)), field.label_of(&usual));
                let label = field.label;
                sentences.push((
                    key,
                    format!("{label} changed from {before} to {now}, the default for this {cause}."),
                ));
            }
            document.set(key, &usual);
            document.release(key);
        } else {
            let kept = document.text(key).to_owned();
            document.set(key, &kept);
        }
    }
    sentences
}

/// The same where the layout is the page's, which suits itself to the job: nothing else is changed to suit the layout that
/// the job before had.
pub(super) fn suited_whatever_layout(mut document: Document) -> (Document, Changes) {
    let mut plain = document.clone();
    plain.load_plan(&Plan::PLAIN);
    plain.set_as(&document);
    let (legal, sentences) = suited(plain, true);
    for field in FIELDS.iter().filter(|field| field.group != FieldGroup::Plan) {
        if document.text(field.key) != legal.text(field.key) {
            document.set(field.key, legal.text(field.key));
        }
    }
    (document, sentences)
}

/// Changes the other fields where a newly chosen preset makes them impossible, each to the legal value
/// nearest to it, and says so; of the layout only where that is the reader's. A document that no such changes make possible
/// stays as it is.
pub(super) fn suited(document: Document, auto: bool) -> (Document, Changes) {
    /// Rounds of changes: one field's new value may make another's impossible.
    const ROUNDS: usize = 6;
    let mut legal = document.clone();
    let mut changes = Changes::new();
    for _ in 0..ROUNDS {
        let Err(errors) = legal.scenario() else {
            let of_plan = |key| Field::find(key).is_some_and(|field| field.group == FieldGroup::Plan);
            changes.retain(|change| !(auto && of_plan(change.0)));
            return (legal, changes);
        };
        for error in &errors {
            let Some(value) = error.suggestions.first() else { return (document, Vec::new()) };
            legal.set(error.field, value);
            let label = Field::find(error.field).map_or(error.field, |field| field.label);
            changes.retain(|change| change.0 != error.field);
            // What to set is set.
            let problem = error.message.split(" Set ").next().unwrap_or_default();
            changes.push((error.field, format!("{label} is now {value}. {problem}")));
        }
    }
    (document, Vec::new())
}
