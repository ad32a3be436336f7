//! The settings that decide a job: their values, and the choices for each.

use super::page::Action;
use super::{picked, summary};
use crate::document::examples::EXAMPLES;
use crate::document::{self, Document};
use crate::fields::{Field, FieldGroup, FieldKind, Value};
use crate::names::{self, NameKind, NameMatch, Parts, plain};
use crate::number;
use crate::scenario::{Scenario, TrainingRun};

/// One of the settings that decide a job, which opens a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobPart {
    /// Key of the field that it shows first.
    pub key: &'static str,
    /// Its label.
    pub name: &'static str,
    /// Where it belongs.
    pub section: JobSection,
    /// Fields that it opens; none where it is picked from a list.
    pub fields: &'static [&'static str],
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
        (Self::Model, "Model", "Shape and attention", "m"),
        (Self::Machine, "Machine", "GPU, node, network", "g"),
        (Self::Workload, "Workload", "Optimizer, kernels, release", "seq"),
    ];
}

/// The settings that decide a job, in the order of the page.
pub const PARTS: [JobPart; 9] = [
    part("m", "Model", JobSection::Model, &[]),
    part("n", "GPUs", JobSection::Machine, &["n"]),
    part("g", "Machine", JobSection::Machine, &[]),
    part("usd", "Price", JobSection::Machine, &["usd"]),
    part("gb", "Batch", JobSection::Workload, &["gb"]),
    part("seq", "Sequence", JobSection::Workload, &["seq"]),
    part("prec", "Precision", JobSection::Workload, &[]),
    part("stack", "Software", JobSection::Workload, &[]),
    part("tokens", "Goal", JobSection::Workload, &["tokens", "days", "budget"]),
];

const fn part(
    key: &'static str,
    name: &'static str,
    section: JobSection,
    fields: &'static [&'static str],
) -> JobPart {
    JobPart { key, name, section, fields }
}

impl JobPart {
    /// Whether it is picked from a list.
    pub fn is_list(&self) -> bool {
        self.fields.is_empty()
    }

    /// Its value in a document; the text as typed where that cannot be read.
    pub fn text(&self, document: &Document) -> String {
        let text = document.text(self.key);
        let value = Field::find(self.key).and_then(|field| field.parse(text).ok());
        match (self.key, value) {
            ("usd", Some(Value::Number(price))) => format!("${}", number::fixed(price, 2)),
            (_, Some(Value::Number(value))) => number::short(&number::count(value)),
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
            "usd" => "per GPU-hour".to_owned(),
            "gb" => "sequences".to_owned(),
            "seq" => "tokens".to_owned(),
            "tokens" => {
                let TrainingRun { deadline, budget, .. } = job.run;
                let mut goal = "tokens".to_owned();
                if deadline > 0.0 {
                    goal.push_str(&format!(" in {} days", number::significant(deadline, 3)));
                }
                if budget > 0.0 {
                    goal.push_str(&format!(", at most ${}", number::short(&number::count(budget))));
                }
                goal
            }
            "stack" => job.software.year.to_string(),
            _ => String::new(),
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
        Some(Action::Set(self.fields(rank).into()))
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
/// number of GPUs, which is then set as well; one for models may go on: `llama-2 7b on 8 a100 with fsdp for 2T tokens`. A
/// share link is an entry of its own.
pub fn picks(document: &Document, part: &JobPart, query: &str) -> Vec<Pick> {
    if let Some(pick) = pasted(query) {
        return vec![pick];
    }
    let Some(kind) = NameKind::of_field(part.key) else { return Vec::new() };
    let settings = document::settings(query);
    let of_model = kind == NameKind::Model;
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
        if let Some(tokens) = &settings.batch_tokens {
            let mut job = document.clone();
            let values = found.values.iter().chain(&settings.fields);
            values.for_each(|(key, text)| job.set(key, text));
            found.values.push(("gb", job.sequences_of(tokens)?));
        }
        if of_model {
            found.label.extend(settings.fields.iter().filter_map(|(key, text)| said(key, text)));
            found.values.extend(settings.fields.iter().cloned());
        }
        Some(found)
    });
    let whole = query.trim().is_empty();
    let mut picks: Vec<Pick> =
        Pick::grouped(found.map(|found| Pick::of(document, kind, found, whole)).collect());
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
    picks
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

/// Numbers of GPUs that are a click away.
pub const COUNTS: [&str; 8] = ["8", "64", "256", "512", "1024", "2048", "4096", "16384"];

#[cfg(test)]
mod tests {
    use super::*;

    fn part_of(key: &str) -> &'static JobPart {
        PARTS.iter().find(|part| part.key == key).expect("a part")
    }

    fn labels(key: &str, query: &str) -> Vec<String> {
        picks(&Document::default(), part_of(key), query).into_iter().map(|pick| pick.label).collect()
    }

    #[test]
    fn the_line_names_the_job() {
        let shown: Vec<String> = PARTS.iter().map(|part| part.text(&Document::default())).collect();
        let expected =
            ["Llama-3 70B", "512", "DGX H100 SuperPOD", "$3.00", "1,024", "8,192", "BF16", "NVIDIA NeMo"];
        assert_eq!(shown[..8], expected);
        assert_eq!(shown[8], "1\u{a0}T");
        let (what, how) = job_line(&Document::default());
        assert_eq!(what, "Llama-3 70B on 512 GPUs");
        assert_eq!(
            how,
            "DGX H100 SuperPOD \u{b7} 1,024 \u{d7} 8,192 tokens per step \u{b7} BF16 \u{b7} NVIDIA NeMo"
        );
        let job = Document::default().scenario().expect("possible");
        assert_eq!(part_of("n").unit(&job), "64 \u{d7} 8");
        let mut document = Document::default();
        document.set("kv", "16");
        document.set("gb", "2k");
        document.set("n", "lots");
        assert_eq!(part_of("m").text(&document), "Llama-3 70B, edited");
        assert_eq!(part_of("gb").text(&document), "2,048");
        assert_eq!(part_of("n").text(&document), "lots");
    }

    #[test]
    fn each_kind_of_training_is_read_back() {
        for (kind, label) in TrainingKind::ALL {
            for (before, _) in TrainingKind::ALL {
                let mut document = Document::default();
                for kind in [before, kind] {
                    if let Some(Action::Set(values)) = kind.action(&document) {
                        values.iter().for_each(|(key, text)| document.set(key, text));
                    }
                }
                assert_eq!(TrainingKind::of(&document), kind);
                assert!(document.values().is_ok() && kind.action(&document).is_none(), "{label}");
            }
        }
    }

    #[test]
    fn names_are_found_as_people_type_them() {
        assert_eq!(labels("m", "deepseek-v3")[0], "DeepSeek-V3 671B-A37B");
        assert_eq!(labels("m", "gpt-3")[0], "GPT-3 175B");
        assert_eq!(labels("m", "llama-2 7b")[0], "Llama-2 7B");
        assert_eq!(labels("stack", "titan"), ["torchtitan"]);
        assert!(labels("m", "no such model").is_empty());
        assert!(labels("m", "").len() > 40);
        let examples = picks(&Document::default(), part_of("m"), "perlmutter");
        assert!(matches!(&examples[..], [one] if one.group == EXAMPLES_HEADING), "{examples:?}");
    }

    #[test]
    fn the_whole_list_is_in_groups_with_the_figures_of_each_entry() {
        let all = |key: &str| picks(&Document::default(), part_of(key), "");
        let models = all("m");
        let of = |label: &str| models.iter().find(|pick| pick.label == label).expect("a model");
        assert_eq!(
            (of("Llama-3 8B").group.as_str(), of("Llama-3 8B").detail.as_str()),
            ("Llama", "8.03\u{a0}B \u{b7} dense")
        );
        assert_eq!(of("DeepSeek-V3 671B-A37B").group, "DeepSeek");
        assert!(of("DeepSeek-V3 671B-A37B").detail.contains("B active \u{b7} experts"));
        assert!(
            of("Falcon-H1 34B").detail.ends_with("hybrid") && of("BERT large").detail.ends_with("encoder")
        );
        for picks in [models.clone(), all("g")] {
            let mut groups: Vec<&str> = picks.iter().map(|pick| pick.group.as_str()).collect();
            groups.dedup();
            let mut once = groups.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(groups.len(), once.len(), "each heading is there once: {groups:?}");
            assert!(groups.len() > 4 && !groups.contains(&""));
        }
        assert!(
            picks(&Document::default(), part_of("m"), "llama")
                .iter()
                .all(|pick| pick.group.is_empty() || pick.group == EXAMPLES_HEADING)
        );
    }

    #[test]
    fn no_other_size_is_found_than_the_one_that_is_typed() {
        for query in ["llama-3 7b", "qwen3 4b", "gpt-oss 12b"] {
            assert!(labels("m", query).is_empty(), "{query}");
            assert!(!similar(part_of("m"), query).is_empty(), "{query}");
        }
        assert!(labels("g", "a100 60gb").is_empty());
        assert_eq!(labels("g", "64 p5.48xlarge")[0], "64 \u{d7} AWS p5.48xlarge (512 GPUs)");
    }

    #[test]
    fn a_number_before_the_machines_is_their_number() {
        let found = picks(&Document::default(), part_of("g"), "2,048 H800");
        let [Pick { label, action: Action::Set(values), .. }] = &found[..] else { panic!("{found:?}") };
        assert_eq!(label, "2,048 \u{d7} HGX H800");
        assert_eq!(values[..], [("g", "hgx-h800".to_owned()), ("n", "2048".to_owned())]);
        let nodes = picks(&Document::default(), part_of("g"), "24x8 h100");
        assert!(
            matches!(&nodes[0].action, Action::Set(values) if values[1].1 == "192"),
            "nodes of GPUs: {nodes:?}"
        );
        assert_eq!(labels("g", "gb200")[0], "GB200 NVL72");
    }

    #[test]
    fn a_whole_job_is_said_in_one_breath() {
        let found = picks(&Document::default(), part_of("m"), "llama-2 7b on 8 a100 with fsdp");
        let Action::Set(values) = &found[0].action else { panic!("{found:?}") };
        let texts: Vec<(&str, &str)> = values.iter().map(|(key, text)| (*key, text.as_str())).collect();
        assert_eq!(texts[..3], [("m", "llama2-7b"), ("g", "dgx-a100-80g"), ("n", "8")]);
        assert!(texts[3].1.contains("fsdp"), "{texts:?}");
        assert!(labels("m", "llama-2 7b on 8 no such machine").is_empty());
        let found = picks(&Document::default(), part_of("m"), "QLoRA llama-3 8b on 1 4090");
        let Action::Set(values) = &found[0].action else { panic!("{found:?}") };
        assert!(
            found[0].label.ends_with("QLoRA") && values.contains(&("base", "nf4".to_owned())),
            "{found:?}"
        );
    }

    #[test]
    fn a_goal_is_said_with_the_job() {
        for (query, label, goal) in [
            (
                "llama-2 7b on 2T tokens in 14 days",
                "Llama-2 7B \u{b7} 2T tokens \u{b7} 14 days",
                &[("tokens", "2T"), ("days", "14")][..],
            ),
            (
                "deepseek-v3 on 2048 h800 for 14.8 T tokens",
                "DeepSeek-V3 671B-A37B \u{b7} 2,048 \u{d7} HGX H800 \u{b7} 14.8T tokens",
                &[("tokens", "14.8T")],
            ),
        ] {
            let found = picks(&Document::default(), part_of("m"), query);
            let Action::Set(values) = &found[0].action else { panic!("{found:?}") };
            assert_eq!(found[0].label, label);
            assert!(
                goal.iter().all(|(key, text)| values.contains(&(*key, (*text).to_owned()))),
                "{values:?}"
            );
        }
    }

    #[test]
    fn a_link_is_opened_wherever_it_is_pasted() {
        let found = labels("stack", "https://example.org/stepcast/#1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=1");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("Open the link: Llama-3 8B on 64 GPUs"), "{found:?}");
    }
}
