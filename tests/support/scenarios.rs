//! Random scenarios over the whole table of fields.
//!
//! Fields drawn independently are nearly never possible together. So a scenario starts as a worked example or a
//! measured run; a few fields are then typed anew, one after the other, and after each the rules' own suggestions are
//! followed until everything is possible again. A change that cannot be mended is left out. What is drawn is a list of
//! choices, so that a failing case shrinks to the few changes that matter.

use std::sync::OnceLock;

use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::fields::{FIELDS, Field, FieldGroup, FieldKind};
use stepcast::scenario::Scenario;
use stepcast::scenario::model::StateRule;
use stepcast::scenario::plan::Schedule;
use stepcast::validate::published;

/// Fields that are typed anew in one scenario, at most.
const MOST_CHANGES: usize = 10;

/// Suggestions that are followed to mend one change, at most.
const MOST_REPAIRS: usize = 16;

/// What a whole number or a quantity is at most multiplied or divided by, when it stays near what it was.
const NEAR: f64 = 4.0;

/// Patterns of layers that are typed.
const PATTERNS: [&str; 20] = [
    "",
    "r",
    "3ra",
    "2wa",
    "M*-",
    "MEM*E",
    "wr2a",
    "5ra-E",
    "p",
    "2pr",
    "s",
    "s3t",
    "wsc",
    "rn",
    "5Mz2M",
    "za",
    "a:2048,2-:4096,*~2,",
    "2al:1024,",
    "aw~0,a:4096~0,",
    "*x",
];

/// A possible scenario, and the document that says it.
#[derive(Clone)]
pub(crate) struct Drawn {
    pub(crate) document: Document,
    pub(crate) scenario: Scenario,
}

impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.document.to_link())
    }
}

/// One field typed anew.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Index into [`FIELDS`].
    field: usize,
    manner: Manner,
    /// Where in the field's range or list, 0 to 1.
    place: f64,
}

/// How a number is drawn.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// Near what it was.
    Near,
    /// Near what it was, and for whole numbers a power of two.
    Power,
    /// Anywhere within the field's bounds, every order of magnitude as likely as another.
    Anywhere,
}

/// Possible scenarios over all fields.
pub(crate) fn scenarios() -> impl Strategy<Value = Drawn> {
    let manner = prop_oneof![Just(Manner::Near), Just(Manner::Power), Just(Manner::Anywhere)];
    // Every other change is one of the layout, where most of what can go wrong lies.
    let layout = FIELDS.iter().position(|field| field.group == FieldGroup::Plan).unwrap_or(0);
    let last = FIELDS.iter().rposition(|field| field.group == FieldGroup::Plan).unwrap_or(0);
    let field = prop_oneof![0..FIELDS.len(), layout..=last];
    let change =
        (field, manner, 0.0..1.0f64).prop_map(|(field, manner, place)| Change { field, manner, place });
    let changes = prop::collection::vec(change, 0..=MOST_CHANGES);
    // Examples first: of the runs, most have no pipeline.
    let seed = prop_oneof![0..EXAMPLES.len(), 0..seeds().len()];
    (seed, changes).prop_map(|(seed, changes)| drawn(&seeds()[seed], &changes))
}

/// Worked examples, then measured runs as the page carries them.
fn seeds() -> &'static [Document] {
    static SEEDS: OnceLock<Vec<Document>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let examples = EXAMPLES.iter().map(|example| example.link.to_owned());
        let runs = published::read(include_str!("../../static/runs.tsv")).expect("as written").runs;
        let possible = runs.into_iter().filter(|(run, _)| run.scenario.is_ok()).map(|(_, link)| link);
        examples.chain(possible).map(|link| Document::from_link(&link).expect("a link").document).collect()
    })
}

fn drawn(seed: &Document, changes: &[Change]) -> Drawn {
    let mut document = seed.clone();
    let mut scenario = document.scenario().expect("a possible seed");
    for change in changes {
        if let Some(next) = changed(&document, *change) {
            (document, scenario) = next;
        }
    }
    Drawn { document, scenario }
}

/// A document with one field typed anew, mended; nothing where that cannot be.
fn changed(document: &Document, change: Change) -> Option<(Document, Scenario)> {
    let field = &FIELDS[change.field];
    let mut next = document.clone();
    for (key, text) in brought_along(&next, field.key, change.place) {
        next.set(key, text);
    }
    let text = text(&next, field, change);
    next.set(field.key, &text);
    for _ in 0..MOST_REPAIRS {
        let errors = match next.scenario() {
            Ok(scenario) => return Some((next, scenario)),
            Err(errors) => errors,
        };
        let error = errors.iter().find(|error| !error.suggestions.is_empty())?;
        let suggestion: &String = pick(&error.suggestions, change.place);
        next.set(error.field, suggestion);
    }
    None
}

/// What else is typed where a field has a say under one choice only, or where the rules would rather take a schedule
/// back than give it the pipeline, the sharding and the micro-batches that it needs.
fn brought_along(document: &Document, key: &str, place: f64) -> Vec<(&'static str, &'static str)> {
    // A third of the part of the range that chooses one schedule.
    let zero = ["0", "1", "2"][(place * 3.0 * Schedule::ALL.len() as f64) as usize % 3];
    match key {
        "rcm" => vec![("rc", "modules")],
        "rcn" => vec![("rc", "full")],
        "cpx" if document.text("cp") == "1" => vec![("cp", "2")],
        "stages" => vec![("split", "given")],
        "ctx" => vec![("pos", "learned")],
        "lay" => {
            let has = |letters: &str| pick(&PATTERNS, place).contains(|letter| letters.contains(letter));
            let rule = StateRule::ALL[1 + (place * 71.0) as usize % (StateRule::ALL.len() - 1)].1;
            vec![
                ("mix", if has("rMp") { rule } else { "none" }),
                ("sel", if has("stn") { "1024" } else { "0" }),
                ("cmp", if has("cn") { "128" } else { "0" }),
                ("window", "1024"),
                ("blk", if has("z") { "1" } else { "0" }),
                ("enc", if has("x") { "2" } else { "0" }),
                ("enct", "512"),
                ("enca", "4"),
                ("encpf", "256"),
            ]
        }
        "sel" | "selt" | "idxh" | "idxd" => vec![("lay", "s"), ("sel", "1024"), ("idxd", "64")],
        "cmp" => vec![("lay", "2c"), ("cmp", "128")],
        // All layers use the blocks, or some.
        "blk" | "blke" | "blkr" | "blka" => {
            let every = place < 0.5;
            vec![
                ("lay", if every { "" } else { "3az" }),
                ("window", "0"),
                ("moe", "0"),
                ("mix", "none"),
                ("sel", "0"),
                ("cmp", "0"),
                ("kvrank", "0"),
                ("pp", "1"),
                ("vpp", "1"),
                ("sched", "1f1b"),
                ("blk", if every { "4" } else { "2" }),
                ("blkr", "64"),
            ]
        }
        "muon" => vec![("opt", "muon")],
        "ple" | "plev" => vec![("pp", "1"), ("vpp", "1"), ("sched", "1f1b"), ("ple", "64")],
        key if key.starts_with("enc") => vec![
            ("enc", "4"),
            ("ench", "768"),
            ("encf", "1024"),
            ("enca", "8"),
            ("enct", "256"),
            ("encm", "4"),
            ("encw", "588"),
            ("encpf", if place < 0.5 { "0" } else { "512" }),
        ],
        "mix" | "mixh" | "mixk" | "mixs" | "mixd" | "conv" => vec![("lay", "3ra")],
        "sched" if document.text("pp") == "1" => vec![("pp", "4"), ("zero", zero), ("mb", "1")],
        "sched" => vec![("zero", zero), ("mb", "1")],
        _ => Vec::new(),
    }
}

/// What is typed into a field.
fn text(document: &Document, field: &Field, Change { manner, place, .. }: Change) -> String {
    let old: Option<f64> = document.text(field.key).parse().ok();
    match field.kind {
        FieldKind::Integer { min, max } => {
            let number = number(old, f64::from(min), f64::from(max), manner, place).round() as u32;
            let power = matches!(manner, Manner::Power) && number > 0;
            let number = if power { 1 << number.ilog2() } else { number };
            number.clamp(min, max).to_string()
        }
        FieldKind::Quantity { min, max } => number(old, min, max, manner, place).to_string(),
        FieldKind::Choice(list) => pick(list, place).0.to_owned(),
        FieldKind::Flag => if place < 0.5 { "0" } else { "1" }.to_owned(),
        FieldKind::Modules => {
            let names = ["core", "norms", "act", "mlp"];
            let set = 1 + (place * 15.0) as usize;
            let chosen: Vec<&str> = names
                .into_iter()
                .enumerate()
                .filter(|(bit, _)| set & (1 << bit) != 0)
                .map(|(_, name)| name)
                .collect();
            chosen.join(",")
        }
        FieldKind::Layers => uneven(document, place),
        FieldKind::Pattern => (*pick(&PATTERNS, place)).to_owned(),
    }
}

fn number(old: Option<f64>, min: f64, max: f64, manner: Manner, place: f64) -> f64 {
    let between = |low: f64, high: f64| (low.ln() + place * (high.ln() - low.ln())).exp();
    match (manner, old) {
        (Manner::Near | Manner::Power, Some(old)) if old > 0.0 => {
            between(old / NEAR, old * NEAR).clamp(min, max)
        }
        // A range from zero has no least order of magnitude: zero at its start, and then a thousandth or one.
        _ if min <= 0.0 && place < 0.1 => min,
        _ => between(if min > 0.0 { min } else { max.min(1.0) * 1e-3 }, max),
    }
}

/// A list of layers for the pipeline there is, some taken from the first chunk and given to the last.
fn uneven(document: &Document, place: f64) -> String {
    let read = |key: &str| document.text(key).parse::<u32>().unwrap_or(1).max(1);
    let (layers, chunks) = (read("layers"), read("pp") * read("vpp"));
    let share = layers / chunks;
    let moved = (place * f64::from(share)) as u32;
    match chunks {
        1 => layers.to_string(),
        2 => format!("{},{}", share - moved, layers - share + moved),
        _ => format!("{},{share}x{},{}", share - moved, chunks - 2, layers - share * (chunks - 1) + moved),
    }
}

fn pick<T>(list: &[T], place: f64) -> &T {
    &list[((place * list.len() as f64) as usize).min(list.len() - 1)]
}
