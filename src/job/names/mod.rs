//! Names as people write them: models, machines, GPUs, cloud instances, software, and a whole job in one sentence.
//!
//! A name is known by its words, whatever case and signs stand between them: `llama-3-8b`, `Llama 3 8B` and
//! `meta-llama/Meta-Llama-3-8B` are one model. A size that is written must be the name's own: `qwen3 4b` is never Qwen3 14B.

mod aliases;
mod entries;
mod hub;
mod hub_rows;
mod job;
mod machines;
mod words;

pub use entries::CUSTOM;
pub(crate) use entries::{OWN_MACHINE, OWN_MODEL};
pub use hub::{HUB, HubModel, is_date, stem};
pub use job::{Parts, job, parts};
pub use machines::{Machine, gpu_named, machine};
pub(crate) use words::has;
pub use words::plain;

use crate::error::FieldError;
use crate::order::sorted;
use crate::scenario::cluster::presets::CLUSTERS;
use crate::scenario::model::presets::MODELS;
use crate::scenario::stack::Stack;
use entries::{Thing, entries, meaning, with_all};

/// Most names that an error suggests.
const MOST_SUGGESTIONS: usize = 3;

/// What is looked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A model.
    Model,
    /// A machine, by its name, that of its GPU or of a cloud instance.
    Machine,
    /// A software stack.
    Software,
}

impl NameKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Model, Self::Machine, Self::Software];

    /// Key of the field that holds the name.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Model => "m",
            Self::Machine => "g",
            Self::Software => "stack",
        }
    }

    /// The kind whose names a field holds.
    pub fn of_field(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.field() == key)
    }

    /// What it is called in a sentence.
    const fn noun(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Machine => "machine",
            Self::Software => "software",
        }
    }
}

/// A model by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedModel {
    /// Its name in the table of models, or `custom`.
    pub key: &'static str,
    /// Fields that differ from that row's, as in a link: `vocab=32000;tied=1`. Those of a custom model differ from Llama-3 70B's.
    pub fields: &'static str,
    /// What it is called where it is no row of the table; empty where it is one.
    pub name: &'static str,
}

/// The model that a name means.
pub fn model(name: &str) -> Option<NamedModel> {
    match meaning(NameKind::Model, name)? {
        Thing::Row(key) => Some(NamedModel { key, fields: "", name: "" }),
        Thing::Shape(model) => {
            let (key, fields) = model.fields.strip_prefix("m=")?.split_once(';')?;
            let name = model.name.rsplit('/').next().unwrap_or_default();
            Some(NamedModel { key, fields, name })
        }
        Thing::Gpu(_) | Thing::Instance(_) => None,
    }
}

/// The software that a name means, by its name in the table of stacks.
pub fn software(name: &str) -> Option<&'static str> {
    match meaning(NameKind::Software, name)? {
        Thing::Row(key) => Some(key),
        Thing::Gpu(_) | Thing::Instance(_) | Thing::Shape(_) => None,
    }
}

/// The software that a text names as a whole, and not by a part of a name.
pub fn software_by_whole_name(name: &str) -> Option<&'static str> {
    entries::whole(NameKind::Software, name).and(software(name))
}

/// The names of a kind that are near to a written one, the nearest first; none where nothing is near.
pub fn suggestions(kind: NameKind, name: &str) -> Vec<String> {
    let list = entries(kind);
    let key = |thing: Thing| match thing {
        Thing::Gpu(gpu) => gpu.machine.unwrap_or(gpu.name),
        other => other.name(),
    };
    nearest(name, list.iter().map(|entry| (key(entry.thing), entry.spelled)))
}

/// At most three names of a list that are near to a text, the nearest first. Each may be spelled in several ways.
pub(crate) fn nearest(text: &str, list: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<String> {
    let near: Vec<((usize, usize), &str)> =
        list.filter_map(|(name, spelled)| Some((words::apart(text, spelled)?, name))).collect();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in sorted(&near, |one, other| one.0.cmp(&other.0)) {
        if names.len() < MOST_SUGGESTIONS && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The error of a name that means nothing, or several things.
pub fn unknown(kind: NameKind, name: &str) -> FieldError {
    let near = suggestions(kind, name);
    let message = format!("\u{201c}{}\u{201d} is not a known {}{}", shown(name), kind.noun(), offer(&near));
    FieldError::new(kind.field(), message).suggest(near)
}

/// The end of a sentence, which offers names.
pub(crate) fn offer(names: &[String]) -> String {
    if names.is_empty() { ".".to_owned() } else { format!("; similar: {}.", names.join(", ")) }
}

/// The start of a text, short enough to quote in a sentence.
pub fn shown(text: &str) -> String {
    let mut start: String = text.chars().take(40).collect();
    if start.len() < text.len() {
        start.push('\u{2026}');
    }
    start
}

/// Something that can be picked by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameMatch {
    /// What it is called.
    pub label: String,
    /// Keys of fields and their texts.
    pub values: Vec<(&'static str, String)>,
}

/// What has every word of a query, the best first. A query for machines may begin with a number of GPUs or nodes.
pub fn search(kind: NameKind, query: &str) -> Vec<NameMatch> {
    if kind == NameKind::Machine {
        return machines::search(query);
    }
    with_all(kind, query).into_iter().filter_map(|thing| found(kind, thing)).collect()
}

/// A thing as it is picked: rows of the kind's own table, and instances.
fn found(kind: NameKind, thing: Thing) -> Option<NameMatch> {
    let label = match thing {
        Thing::Row(CUSTOM) if kind == NameKind::Model => OWN_MODEL,
        Thing::Row(CUSTOM) => OWN_MACHINE,
        Thing::Row(name) => match kind {
            NameKind::Model => MODELS.iter().find(|row| row.name == name)?.label,
            NameKind::Machine => CLUSTERS.iter().find(|row| row.name == name)?.label,
            NameKind::Software => Stack::ALL.iter().find(|row| row.1 == name)?.2,
        },
        Thing::Instance(instance) => {
            let label = format!("{} {}", instance.provider, instance.name);
            return Some(NameMatch { label, values: vec![(kind.field(), instance.name.to_owned())] });
        }
        Thing::Gpu(_) | Thing::Shape(_) => return None,
    };
    Some(NameMatch { label: label.to_owned(), values: vec![(kind.field(), thing.name().to_owned())] })
}
