//! What has a name, and what a written name means.

use super::hub::{HUB, HubModel, stem};
use super::hub_rows::PRESETS;
use super::words::{Grade, LONGEST, grade, has, is_size, plain, words};
use super::{NameKind, aliases};
use crate::decimal;
use crate::scenario::cluster::instance::{INSTANCES, Instance};
use crate::scenario::cluster::presets::{CLUSTERS, GPUS, GpuPreset};
use crate::scenario::model::presets::{MODELS, find};
use crate::scenario::stack::Stack;
use std::sync::OnceLock;

/// Name of the entry without a preset: a custom model or machine.
pub const CUSTOM: &str = "custom";
/// What it is called among models, and among machines.
pub(crate) const OWN_MODEL: &str = "Custom model";
pub(crate) const OWN_MACHINE: &str = "Custom cluster";

/// Whether shapes of the Hub that are no row of the table of models are known by name. A first visit of the page has no room for them;
/// there they are imported.
const HUB_SHAPES: bool = cfg!(feature = "hub");

/// What a name means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Thing {
    /// A row of the kind's own table, by its name.
    Row(&'static str),
    /// A GPU, which selects the machine that it is usually in.
    Gpu(&'static GpuPreset),
    /// A cloud instance.
    Instance(&'static Instance),
    /// A model of the Hub that the table of models has not.
    Shape(&'static HubModel),
}

impl Thing {
    /// Its own name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Row(name) => name,
            Self::Gpu(gpu) => gpu.name,
            Self::Instance(instance) => instance.name,
            Self::Shape(model) => model.name,
        }
    }
}

impl Thing {
    /// The row of the kind's own table that it is made of; its own name if there is none.
    fn row(self) -> &'static str {
        let made_of = match self {
            Self::Shape(model) => model.fields.strip_prefix("m=").and_then(|fields| fields.split(';').next()),
            _ => None,
        };
        made_of.filter(|row| *row != CUSTOM).unwrap_or(self.name())
    }

    /// Whether a word is in one of its names.
    pub(super) fn has_word(self, kind: NameKind, word: &String) -> bool {
        entries(kind).iter().any(|entry| entry.thing.name() == self.name() && entry.words.contains(word))
    }
}

/// A name and what it means.
#[derive(Debug)]
pub(super) struct NameEntry {
    /// The name as a person writes it.
    pub(super) spelled: &'static str,
    /// What tells it from others.
    words: Vec<String>,
    /// What it means.
    pub(super) thing: Thing,
}

/// Every name of a kind, those of its own table first.
pub(super) fn entries(kind: NameKind) -> &'static [NameEntry] {
    static ENTRIES: [OnceLock<Vec<NameEntry>>; NameKind::ALL.len()] =
        [const { OnceLock::new() }; NameKind::ALL.len()];
    let Some(list) = ENTRIES.get(kind as usize) else { return &[] };
    list.get_or_init(|| {
        let names = match kind {
            NameKind::Model => models(),
            NameKind::Machine => machines(),
            NameKind::Software => software(),
        };
        let entry = |(spelled, thing)| {
            let words = if let Thing::Instance(_) = thing { words(spelled) } else { telling(kind, spelled) };
            NameEntry { spelled, words, thing }
        };
        names.into_iter().map(entry).collect()
    })
}

type Names = Vec<(&'static str, Thing)>;

fn rows(
    rows: impl Iterator<Item = (&'static str, &'static str)> + Clone,
    further: impl Iterator<Item = &'static (&'static str, &'static str)>,
) -> Names {
    let names = rows.clone().map(|(name, _)| (name, name));
    let labels = rows.map(|(name, label)| (label, name));
    let all = names.chain(labels).chain(further.copied());
    all.map(|(spelled, name)| (spelled, Thing::Row(name))).collect()
}

fn models() -> Names {
    let presets = MODELS.iter().map(|row| (row.name, row.label));
    let (of_hub, of_table): (Vec<_>, Vec<_>) = aliases::MODELS.iter().partition(|(_, means)| has(means, "/"));
    let mut list = rows(presets.chain([(CUSTOM, OWN_MODEL)]), of_table.into_iter());
    list.extend(PRESETS.iter().map(|(spelled, name)| (*spelled, Thing::Row(name))));
    if HUB_SHAPES {
        let shapes = HUB.iter().filter(|model| has(model.fields, ";"));
        list.extend(shapes.map(|model| (model.name, Thing::Shape(model))));
        let named = |(spelled, means): &(&'static str, &str)| {
            HUB.iter().find(|model| model.name == *means).map(|model| (*spelled, Thing::Shape(model)))
        };
        list.extend(of_hub.into_iter().filter_map(named));
    }
    list
}

fn machines() -> Names {
    let presets = CLUSTERS.iter().map(|row| (row.name, row.label));
    let mut list = rows(presets.chain([(CUSTOM, OWN_MACHINE)]), aliases::MACHINES.iter());
    for gpu in GPUS.iter().filter(|gpu| gpu.machine.is_some()) {
        let names = [gpu.name, gpu.label].into_iter().chain(gpu.also.split('/'));
        list.extend(names.map(|name| (name, Thing::Gpu(gpu))));
    }
    list.extend(INSTANCES.iter().map(|instance| (instance.name, Thing::Instance(instance))));
    list
}

fn software() -> Names {
    rows(Stack::ALL.iter().map(|(_, name, label)| (*name, *label)), aliases::SOFTWARE.iter())
}

/// Parts of a machine's name that makers and lists add and that tell none apart.
const MAKERS: [&str; 22] = [
    "nvidia",
    "amd",
    "geforce",
    "rtx",
    "tesla",
    "instinct",
    "gpu",
    "gpus",
    "card",
    "cards",
    "sxm",
    "sxm2",
    "sxm3",
    "sxm4",
    "sxm5",
    "sxm6",
    "hbm3",
    "hbm3e",
    "server",
    "workstation",
    "platform",
    "generation",
];

/// The words of a kind's name that tell it from others.
pub(super) fn telling(kind: NameKind, name: &str) -> Vec<String> {
    let told = match kind {
        NameKind::Model => words(&stem(name)),
        NameKind::Machine => {
            let small = name.to_ascii_lowercase();
            let parts = small.split(['-', '_', ' ', '(', ')']).filter(|part| !MAKERS.contains(part));
            words(&parts.collect::<Vec<&str>>().join(" "))
        }
        NameKind::Software => words(name),
    };
    if told.is_empty() { words(name) } else { told }
}

/// How well a written name meets one of the list. Instances have names of numbers and GPUs, so nothing of theirs is left out.
fn meets(written: &[String], whole: &[String], entry: &NameEntry) -> Option<Grade> {
    if let Thing::Instance(_) = entry.thing {
        let short = entry.words.split_first().filter(|parts| parts.0 == "standard").map(|parts| parts.1);
        return (whole == entry.words || short == Some(whole)).then_some(Grade::Same);
    }
    grade(written, &entry.words)
}

/// What a written name means: the thing that it meets best. Part of a name is enough where only one thing has it.
pub(super) fn meaning(kind: NameKind, name: &str) -> Option<Thing> {
    met(kind, name).map(|found| found.1)
}

/// What a written name means that is no part of another.
pub(super) fn whole(kind: NameKind, name: &str) -> Option<Thing> {
    met(kind, name).filter(|(grade, _)| *grade < Grade::Part).map(|found| found.1)
}

fn met(kind: NameKind, name: &str) -> Option<(Grade, Thing)> {
    if name.len() > LONGEST {
        return None;
    }
    let (written, whole) = (telling(kind, name), words(name));
    best(kind, &written, &whole).or_else(|| beside_its_size(kind, &written))
}

/// A model whose name has no size, with the size that is its own: `bloom 176b`, `DeepSeek-V3 671B`.
fn beside_its_size(kind: NameKind, written: &[String]) -> Option<(Grade, Thing)> {
    let (sizes, name): (Vec<&String>, Vec<&String>) = written.iter().partition(|word| is_size(word));
    let [size] = sizes[..] else { return None };
    let name: Vec<String> = name.into_iter().cloned().collect();
    let found = best(kind, &name, &name)?;
    let own = match found.1 {
        Thing::Row(key) => find(key)?.model.parameters() as f64,
        Thing::Shape(model) => model.parameters * BILLION,
        Thing::Gpu(_) | Thing::Instance(_) => return None,
    };
    let (number, unit) = size.split_at_checked(size.len().checked_sub(1)?)?;
    let unit = match unit {
        "m" => 1e6,
        "b" => BILLION,
        "t" => 1e12,
        _ => return None,
    };
    let written = decimal::parse(number)? * unit;
    ((written / own - 1.0).abs() <= ROUNDING).then_some(found)
}

const BILLION: f64 = 1e9;

/// How far the size in a model's name is from its parameters at most: Kimi K2 with 1T has 1.03.
const ROUNDING: f64 = 0.05;

/// The thing of a kind that words meet best.
fn best(kind: NameKind, written: &[String], whole: &[String]) -> Option<(Grade, Thing)> {
    let mut best: Option<(Grade, Thing)> = None;
    let mut alone = true;
    for entry in entries(kind) {
        let Some(grade) = meets(written, whole, entry) else { continue };
        match best {
            Some((known, thing)) if known == grade => alone &= thing.row() == entry.thing.row(),
            Some((known, _)) if known < grade => {}
            _ => (best, alone) = (Some((grade, entry.thing)), true),
        }
    }
    best.filter(|(grade, _)| alone || *grade < Grade::Part)
}

/// Entries that have every word of a query in their names, sizes as whole words: best match first, then in list order.
pub(super) fn with_all(kind: NameKind, query: &str) -> Vec<Thing> {
    if query.len() > LONGEST {
        return Vec::new();
    }
    let parts: Vec<String> = query.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    let written = words(query);
    let mut things: Vec<(Thing, String, Vec<&String>)> = Vec::new();
    for entry in entries(kind) {
        let known = things.iter_mut().find(|known| known.0.name() == entry.thing.name());
        if let Some((_, names, words)) = known {
            names.push(' ');
            names.push_str(&plain(entry.spelled));
            words.extend(&entry.words);
        } else {
            things.push((entry.thing, plain(entry.spelled), entry.words.iter().collect()));
        }
    }
    things.retain(|(_, names, words)| {
        parts.iter().all(|part| has(names, part))
            && written.iter().filter(|word| is_size(word)).all(|size| words.contains(&size))
    });
    let mut found: Vec<Thing> = meaning(kind, query).into_iter().collect();
    let first = found.first().map(|thing| thing.name());
    found.extend(things.iter().map(|known| known.0).filter(|thing| Some(thing.name()) != first));
    found
}
