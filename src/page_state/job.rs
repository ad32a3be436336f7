//! The settings that decide a job: their values, and the choices for each.

use super::page::Action;
use super::sentences::{described, with_settings, without_model};
use super::{picked, summary};
use crate::document::examples::EXAMPLES;
use crate::document::{self, Document};
use crate::fields::{Field, FieldGroup, FieldKind, Value};
use crate::names::{self, NameKind, NameMatch, Parts, plain};
use crate::number;
use crate::scenario::Scenario;

/// One of the settings that decide a job: typed in its place, or picked from a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobPart {
    /// Key of its field.
    pub key: &'static str,
    /// Its label.
    pub name: &'static str,
    /// Where it belongs.
    pub section: JobSection,
}

/// A group of settings of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobSection {
    /// What is trained.
    Model,
    /// On what, and at which price.
    Machine,
    /// How much per step and in total, and by which program.
    Workload,
}

impl JobSection {
    /// Every section with its title, its further options in words, and the first of their fields.
    pub const ALL: [(Self, &'static str, &'static str, &'static str); 3] = [
        (Self::Model, "Model", "Shape and attention", "layers"),
        (Self::Machine, "Machine", "GPU, node, network", "gpu"),
        (Self::Workload, "Workload", "Optimizer, kernels, release", "opt"),
    ];
}

/// The settings that decide a job, in the order of the page.
pub const PARTS: [JobPart; 11] = [
    part("m", "Model", JobSection::Model),
    part("n", "GPUs", JobSection::Machine),
    part("g", "Machine", JobSection::Machine),
    part("usd", "Price", JobSection::Machine),
    part("gb", "Batch", JobSection::Workload),
    part("seq", "Sequence", JobSection::Workload),
    part("prec", "Precision", JobSection::Workload),
    part("stack", "Software", JobSection::Workload),
    part("tokens", "Tokens", JobSection::Workload),
    part("days", "Deadline", JobSection::Workload),
    part("budget", "Budget", JobSection::Workload),
];

const fn part(key: &'static str, name: &'static str, section: JobSection) -> JobPart {
    JobPart { key, name, section }
}

impl JobPart {
    /// Whether it is picked from a list.
    pub fn is_list(&self) -> bool {
        Field::find(self.key).is_some_and(|field| matches!(field.kind, FieldKind::Choice(_)))
    }

    /// What stands in its place where it is typed: a deadline or a budget of 0 is none.
    pub fn typed(&self, document: &Document) -> String {
        let field = Field::find(self.key);
        match field.and_then(|field| field.parse(document.text(self.key)).ok()) {
            Some(Value::Integer(value)) => number::integer(value.into()),
            Some(Value::Number(0.0)) if self.may_be_none() => String::new(),
            _ => document.shown(self.key),
        }
    }

    /// What typing a text in its place does.
    pub fn action(&self, text: String) -> Action {
        let none = text.trim().is_empty() && self.may_be_none();
        Action::Type { key: self.key, text: if none { "0".to_owned() } else { text } }
    }

    fn may_be_none(&self) -> bool {
        ["days", "budget"].contains(&self.key)
    }

    /// Its value in a document; the text as typed where that cannot be read.
    pub fn text(&self, document: &Document) -> String {
        let text = document.text(self.key);
        let value = Field::find(self.key).and_then(|field| field.parse(text).ok());
        match (self.key, value) {
            (_, Some(Value::Integer(value))) => number::integer(value.into()),
            ("m", _) if document.customised(FieldGroup::Model) => {
                format!("{}, edited", document.label("m"))
            }
            ("g", _) if document.customised(FieldGroup::Cluster) => {
                format!("{}, edited", document.label("g"))
            }
            _ => document.label(self.key).to_owned(),
        }
    }

    /// Its unit, or a figure that follows from it: parameters of a model, nodes of so many GPUs.
    pub fn unit(&self, job: &Scenario) -> String {
        match self.key {
            "m" => number::short(&number::count(job.model.parameters() as f64)),
            "n" => {
                let nodes = job.cluster.gpus.checked_div(job.cluster.gpus_per_node).unwrap_or(0);
                let whole = nodes > 1 && job.cluster.gpus.is_multiple_of(job.cluster.gpus_per_node);
                let product =
                    || format!("{} \u{d7} {}", number::integer(nodes.into()), job.cluster.gpus_per_node);
                if whole { product() } else { String::new() }
            }
            "usd" => "$/GPU-hour".to_owned(),
            "stack" => job.software.year.to_string(),
            "prec" => String::new(),
            key => Field::find(key).map_or("", |field| field.unit).to_owned(),
        }
    }
}

/// The job in a line: model and GPUs, and what else decides the step.
pub fn job_line(document: &Document) -> (String, String) {
    let text = |key: &str| {
        PARTS.iter().find(|part| part.key == key).map_or_else(String::new, |part| part.text(document))
    };
    let kind = match TrainingKind::of(document) {
        TrainingKind::Full => "",
        TrainingKind::Lora => "LoRA \u{b7} ",
        TrainingKind::QLora => "QLoRA \u{b7} ",
    };
    (
        format!("{} on {} {}", text("m"), text("n"), if text("n") == "1" { "GPU" } else { "GPUs" }),
        format!(
            "{kind}{} \u{b7} {} \u{d7} {} tokens per step \u{b7} {} \u{b7} {}",
            text("g"),
            text("gb"),
            text("seq"),
            text("prec"),
            text("stack"),
        ),
    )
}

/// Tokens of a run of pre-training, and of one with adapters: some 50,000 examples of 2,048, as Alpaca has (52,002 examples,
/// <https://github.com/tatsu-lab/stanford_alpaca>).
const TOKENS: &str = "1T";
const ADAPTER_TOKENS: &str = "100M";

/// Which parameters a job trains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingKind {
    /// All of them.
    Full,
    /// Adapters beside frozen weights of 16 or 8 bits.
    Lora,
    /// Adapters beside frozen weights of 4 bits.
    QLora,
}

impl TrainingKind {
    /// Every kind with its label.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Full, "Full"), (Self::Lora, "LoRA"), (Self::QLora, "QLoRA")];

    /// The kind that a document has.
    pub fn of(document: &Document) -> Self {
        match (document.text("lora"), document.text("base")) {
            ("0" | "", _) => Self::Full,
            (_, "nf4") => Self::QLora,
            _ => Self::Lora,
        }
    }

    /// What makes a document one of the kind; nothing where it is. A rank that is set stays.
    pub fn action(self, document: &Document) -> Option<Action> {
        let now = Self::of(document);
        if now == self {
            return None;
        }
        let rank = if now == Self::Full { document::ADAPTER_RANK } else { document.text("lora") };
        let mut fields = Vec::from(self.fields(rank));
        // The length of a run that nobody chose goes with the kind of training.
        let lengths = if self == Self::Full { [ADAPTER_TOKENS, TOKENS] } else { [TOKENS, ADAPTER_TOKENS] };
        let tokens = Field::find("tokens")?;
        if tokens.parse(document.text(tokens.key)) == tokens.parse(lengths[0]) {
            fields.push((tokens.key, lengths[1].to_owned()));
        }
        Some(Action::Set(fields))
    }

    /// Fields that make a job one of the kind, with adapters of a rank.
    fn fields(self, rank: &str) -> [(&'static str, String); 2] {
        match self {
            Self::Full => document::adapter_fields("0", "16"),
            Self::Lora => document::adapter_fields(rank, "16"),
            Self::QLora => document::adapter_fields(rank, "nf4"),
        }
    }
}

/// A choice for a setting.
#[derive(Debug, Clone)]
pub struct Pick {
    /// Its heading; empty where the best match comes first.
    pub group: String,
    /// What it is called.
    pub label: String,
    /// Its figures; empty where it has none.
    pub detail: String,
    /// It is what the document has.
    pub current: bool,
    /// What picking it does.
    pub action: Action,
}

/// Heading of the worked examples.
const EXAMPLES_HEADING: &str = "Worked examples";

/// Heading of the entry without a preset.
const CUSTOM_HEADING: &str = "Custom";

impl Pick {
    /// The entry of a match of a part's list, in its group where the `whole` list is shown.
    fn of(document: &Document, kind: NameKind, NameMatch { label, values }: NameMatch, whole: bool) -> Self {
        let current = values.iter().all(|(key, value)| document.text(key) == value);
        let name = values.first().map_or("", |value| value.1.as_str());
        let shown = match kind {
            NameKind::Model => picked::model(name),
            NameKind::Machine => picked::machine(name),
            NameKind::Software => Some(Default::default()),
        };
        let (group, detail) = shown.unwrap_or_else(|| (CUSTOM_HEADING.to_owned(), String::new()));
        let group = if whole { group } else { String::new() };
        Self { group, label, detail, current, action: Action::Set(values) }
    }

    /// The entry under the heading of models of a size.
    fn of_size(self, size: &str) -> Self {
        Self { group: format!("Published models of {size}"), ..self }
    }

    /// Entries by group, the groups in the order of their first entries.
    fn grouped(picks: Vec<Self>) -> Vec<Self> {
        let mut groups: Vec<(String, Vec<Self>)> = Vec::new();
        for pick in picks {
            match groups.iter_mut().find(|group| group.0 == pick.group) {
                Some(group) => group.1.push(pick),
                None => groups.push((pick.group.clone(), vec![pick])),
            }
        }
        groups.into_iter().flat_map(|group| group.1).collect()
    }
}

/// What can be picked for a part and holds every word of a query, the best first. A query for machines may begin with a
/// number of GPUs, which is then set as well; one for models may go on: `llama-2 7b on 8 a100 with fsdp for 2T tokens`, or name none: `8 H100, seq 8192`. A
/// share link is an entry of its own.
pub fn picks(document: &Document, part: &JobPart, query: &str) -> Vec<Pick> {
    if let Some(pick) = pasted(query) {
        return vec![pick];
    }
    let Some(kind) = NameKind::of_field(part.key) else { return choices(document, part, query) };
    let settings = document::settings(query);
    let of_model = kind == NameKind::Model;
    let model = settings.model.as_ref().filter(|_| of_model);
    if model.is_some_and(|model| model.problem.is_some()) {
        return Vec::new();
    }
    let query = if of_model { settings.rest.as_str() } else { query };
    let sentence = match kind {
        NameKind::Model => names::parts(query),
        NameKind::Machine | NameKind::Software => Parts { model: query, machine: None, software: None },
    };
    let others = [(NameKind::Machine, sentence.machine), (NameKind::Software, sentence.software)];
    // After "on" and "with": the first of each that has all its words.
    let further: Vec<Option<NameMatch>> = others
        .into_iter()
        .filter_map(|(kind, query)| Some(names::search(kind, query?).into_iter().next()))
        .collect();
    let found = names::search(kind, sentence.model).into_iter().filter_map(|mut found| {
        for other in &further {
            let other = other.as_ref()?;
            found.label.push_str(" \u{b7} ");
            found.label.push_str(&other.label);
            found.values.extend(other.values.iter().cloned());
        }
        if of_model {
            found = with_settings(document, found, &settings)?;
        }
        Some(found)
    });
    let whole = query.trim().is_empty();
    let mut picks: Vec<Pick> =
        Pick::grouped(found.map(|found| Pick::of(document, kind, found, whole)).collect());
    if let Some(size) = settings.size.as_ref().filter(|_| of_model) {
        return picks.into_iter().map(|pick| pick.of_size(size)).collect();
    }
    if let Some(model) = model {
        return picks.into_iter().take(1).map(|pick| described(pick, model)).collect();
    }
    if of_model && further.is_empty() && settings.fields.is_empty() {
        let words: Vec<String> = query.split_whitespace().map(plain).collect();
        let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
        let found = EXAMPLES.iter().filter(|example| has_all(&plain(example.label)));
        picks.extend(found.map(|example| Pick {
            group: EXAMPLES_HEADING.to_owned(),
            detail: String::new(),
            label: example.label.to_owned(),
            current: false,
            action: Action::Begin(example.link.to_owned()),
        }));
    }
    if of_model && (picks.is_empty() || query.is_empty()) {
        picks.splice(..0, without_model(document, &settings));
    }
    picks
}

/// The choices of a field that hold every word of a query.
fn choices(document: &Document, part: &JobPart, query: &str) -> Vec<Pick> {
    let Some(FieldKind::Choice(list)) = Field::find(part.key).map(|field| field.kind) else {
        return Vec::new();
    };
    let has_all = |label: &str| query.split_whitespace().all(|word| plain(label).contains(&plain(word)));
    let found = list.iter().filter(|(name, label)| has_all(name) || has_all(label));
    found
        .map(|(name, label)| Pick {
            group: String::new(),
            detail: String::new(),
            label: (*label).to_owned(),
            current: document.text(part.key) == *name,
            action: Action::Choose { key: part.key, text: (*name).to_owned() },
        })
        .collect()
}

/// What a description of a model must add before it can be picked, in a sentence; of a size alone, that its shape can be added.
pub fn lacking(part: &JobPart, query: &str) -> Option<String> {
    if part.key != NameKind::Model.field() {
        return None;
    }
    let settings = document::settings(query);
    let problem = settings.model.and_then(|model| model.problem).map(|problem| problem.1);
    let of_size = |size: &String| names::search(NameKind::Model, size).is_empty();
    problem.or_else(|| settings.size.filter(of_size).map(|size| document::add_shape(&size)))
}

/// Names near to a query that finds nothing.
pub fn similar(part: &JobPart, query: &str) -> Vec<String> {
    NameKind::of_field(part.key).map_or_else(Vec::new, |kind| names::suggestions(kind, query))
}

/// A share link that was put where a name is searched for.
fn pasted(query: &str) -> Option<Pick> {
    let link = ["#1;", "#2;"].into_iter().find_map(|start| query.get(query.find(start)?..))?;
    let document = Document::from_link(link).ok()?.document;
    let label = match document.scenario() {
        Ok(scenario) => format!("Open the link: {}", summary::job(&document, &scenario)),
        Err(_) => "Open the link".to_owned(),
    };
    let action = Action::Begin(link.to_owned());
    Some(Pick { group: String::new(), label, detail: String::new(), current: false, action })
}

#[cfg(test)]
mod tests;
