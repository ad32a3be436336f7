//! What a sentence about a job sets, besides its model: machines and settings.

use super::job::Pick;
use super::page::Action;
use crate::document::{DescribedModel, Document, OWN_MODEL, SentenceSettings};
use crate::fields::{Field, FieldKind};
use crate::names::{self, NameKind, NameMatch};
use crate::number;

/// A sentence that names no model: machines, settings, or both.
pub(super) fn without_model(document: &Document, settings: &SentenceSettings) -> Option<Pick> {
    let mut found = NameMatch { label: String::new(), values: Vec::new() };
    if !settings.rest.is_empty() {
        found = names::search(NameKind::Machine, &settings.rest).into_iter().next()?;
    }
    let NameMatch { label, values } = with_settings(document, found, settings)?;
    let label = label.trim_start_matches([' ', '\u{b7}']).to_owned();
    let action = Action::Set(values);
    (!label.is_empty()).then(|| Pick {
        group: String::new(),
        label,
        detail: String::new(),
        current: false,
        action,
    })
}

/// The entry of a custom model with the shape that its sentence describes, which picking it sets first.
pub(super) fn described(pick: Pick, model: &DescribedModel) -> Pick {
    let Action::Set(values) = pick.action else { return pick };
    let job = [("m", OWN_MODEL.to_owned())].into_iter().chain(values);
    let values = job.chain(model.fields.iter().cloned()).collect();
    let (name, others) = pick
        .label
        .split_once(" \u{b7} ")
        .map_or((pick.label.as_str(), None), |(name, others)| (name, Some(others)));
    let sizes = [Some(format!("{name}: {}", sizes(model))), others.map(str::to_owned)];
    let label = sizes.into_iter().flatten().collect::<Vec<_>>().join(" \u{b7} ");
    Pick {
        label,
        current: false,
        action: Action::Describe { values, assumed: model.assumed.join(" ") },
        ..pick
    }
}

/// The sizes of a described model, in words.
fn sizes(model: &DescribedModel) -> String {
    const SHOWN: [(&str, &str); 6] = [
        ("layers", "layers"),
        ("hidden", "hidden"),
        ("ffn", "FFN"),
        ("heads", "heads"),
        ("kv", "KV heads"),
        ("vocab", "vocabulary"),
    ];
    let of = |(key, name): (&'static str, &str)| {
        let text = &model.fields.iter().rfind(|field| field.0 == key)?.1;
        let text = text.parse().map_or_else(|_| text.clone(), number::integer);
        let counts = ["layers", "heads", "kv"].contains(&key);
        Some(if counts { format!("{text} {name}") } else { format!("{name} {text}") })
    };
    SHOWN.into_iter().filter_map(of).collect::<Vec<_>>().join(", ")
}

/// A match with the settings of its sentence; nothing where its batch in tokens is no number.
pub(super) fn with_settings(
    document: &Document,
    mut found: NameMatch,
    settings: &SentenceSettings,
) -> Option<NameMatch> {
    found.label.extend(settings.fields.iter().filter_map(|(key, text)| said(key, text)));
    found.values.extend(settings.fields.iter().cloned());
    if let Some(tokens) = &settings.batch_tokens {
        let mut job = document.clone();
        found.values.iter().for_each(|(key, text)| job.set(key, text));
        found.label.push_str(&format!(" \u{b7} {tokens} tokens per step"));
        found.values.push(("gb", job.sequences_of(tokens)?));
    }
    if let Some(micro_batches) = &settings.accumulation {
        let mut job = document.clone();
        found.values.iter().for_each(|(key, text)| job.set(key, text));
        found.label.push_str(&format!(" \u{b7} {micro_batches} micro-batches per step"));
        found.values.push(("gb", job.accumulated(micro_batches)?));
    }
    Some(found)
}

/// A setting of a sentence in an entry's label.
fn said(key: &str, text: &str) -> Option<String> {
    let field = Field::find(key)?;
    let said = match (field.kind, key, text) {
        (_, "lora", _) => return None,
        (_, "base", "nf4") => "QLoRA".to_owned(),
        (_, "base", _) => "LoRA".to_owned(),
        (_, "tokens", _) => format!("{text} tokens"),
        (_, "days", _) => format!("{text} days"),
        (FieldKind::Choice(list), ..) => list.iter().find(|(name, _)| *name == text)?.1.to_owned(),
        _ => format!("{} {text}", field.label),
    };
    Some(format!(" \u{b7} {said}"))
}
