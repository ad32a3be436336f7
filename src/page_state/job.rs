//! The job as a sentence: its parts, what they say, and what can be picked for each.

use super::page::Action;
use super::summary;
use crate::document::Document;
use crate::document::examples::EXAMPLES;
use crate::fields::{Field, FieldGroup, Value};
use crate::names::{self, NameKind, NameMatch, Parts, plain};
use crate::number;

/// One part of the sentence, which opens a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentencePart {
    /// Key of the field that it shows first.
    pub key: &'static str,
    /// What it is, for people who do not read the sentence around it.
    pub name: &'static str,
    /// Words of the sentence before it.
    pub before: &'static str,
    /// Words of the sentence behind it.
    pub after: &'static str,
    /// Fields that it opens.
    pub fields: &'static [&'static str],
}

/// The sentence, part by part.
pub const PARTS: [SentencePart; 8] = [
    part("m", "Model", "Train", "", &[]),
    part("n", "GPUs", "on", "GPUs of", &["n"]),
    part("g", "Machines", "", "", &[]),
    part("gb", "Batch", "with", "tokens a step", &["gb", "seq"]),
    part("prec", "Precision", "in", "", &[]),
    part("stack", "Software", "run by", "", &[]),
    part("tokens", "Tokens of the run", "for", "tokens", &["tokens"]),
    part("usd", "Price", "at", "a GPU-hour", &["usd"]),
];

const fn part(
    key: &'static str,
    name: &'static str,
    before: &'static str,
    after: &'static str,
    fields: &'static [&'static str],
) -> SentencePart {
    SentencePart { key, name, before, after, fields }
}

impl SentencePart {
    /// Whether it is picked from a list.
    pub fn is_list(&self) -> bool {
        self.fields.is_empty()
    }

    /// What it says of a document; the text as typed where that cannot be read.
    pub fn text(&self, document: &Document) -> String {
        let text = document.text(self.key);
        let value = Field::find(self.key).and_then(|field| field.parse(text).ok());
        match (self.key, value) {
            ("gb", _) => {
                let shown = |key| match Field::find(key).map(|field| field.parse(document.text(key))) {
                    Some(Ok(Value::Integer(number))) => number::integer(number.into()),
                    _ => document.text(key).to_owned(),
                };
                format!("{} \u{d7} {}", shown("gb"), shown("seq"))
            }
            ("usd", Some(Value::Number(price))) => format!("${}", number::fixed(price, 2)),
            (_, Some(Value::Number(value))) => number::short(&number::count(value)),
            (_, Some(Value::Integer(value))) => number::integer(value.into()),
            ("m", _) if document.customised(FieldGroup::Model) => {
                format!("{}, edited", summary::label(document, "m"))
            }
            ("g", _) if document.customised(FieldGroup::Cluster) => {
                format!("{}, edited", summary::label(document, "g"))
            }
            _ => summary::label(document, self.key).to_owned(),
        }
    }
}

/// Something that can be picked for a part of the sentence.
#[derive(Debug, Clone)]
pub struct Pick {
    /// Its heading; empty for the list of the part itself.
    pub group: &'static str,
    /// What it is called.
    pub label: String,
    /// It is what the document has.
    pub current: bool,
    /// What picking it does.
    pub action: Action,
}

/// Heading of the worked examples.
const EXAMPLES_HEADING: &str = "Worked examples";

/// What can be picked for a part and holds every word of a query, the best first. A query for machines may begin with a
/// number of GPUs, which is then set as well; one for models may go on: `llama-2 7b on 8 a100 with fsdp`. A share link is an
/// entry of its own.
pub fn picks(document: &Document, part: &SentencePart, query: &str) -> Vec<Pick> {
    if let Some(pick) = pasted(query) {
        return vec![pick];
    }
    let Some(kind) = NameKind::of_field(part.key) else { return Vec::new() };
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
        Some(found)
    });
    let mut picks: Vec<Pick> = found
        .map(|NameMatch { label, values }| {
            let current = values.iter().all(|(key, value)| document.text(key) == value);
            Pick { group: "", label, current, action: Action::Set(values) }
        })
        .collect();
    if kind == NameKind::Model && further.is_empty() {
        let words: Vec<String> = query.split_whitespace().map(plain).collect();
        let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
        let found = EXAMPLES.iter().filter(|example| has_all(&plain(example.label)));
        picks.extend(found.map(|example| Pick {
            group: EXAMPLES_HEADING,
            label: example.label.to_owned(),
            current: false,
            action: Action::Begin(example.link.to_owned()),
        }));
    }
    picks
}

/// A share link that was put where a name is searched for.
fn pasted(query: &str) -> Option<Pick> {
    let link = query.get(query.find("#1;")?..)?;
    let document = Document::from_link(link).ok()?.document;
    let label = match document.scenario() {
        Ok(scenario) => format!("Open the link: {}", summary::job(&document, &scenario)),
        Err(_) => "Open the link".to_owned(),
    };
    Some(Pick { group: "", label, current: false, action: Action::Begin(link.to_owned()) })
}

/// Numbers of GPUs that are a click away.
pub const COUNTS: [&str; 8] = ["8", "64", "256", "512", "1024", "2048", "4096", "16384"];

#[cfg(test)]
mod tests {
    use super::*;

    fn part_of(key: &str) -> &'static SentencePart {
        PARTS.iter().find(|part| part.key == key).expect("a part")
    }

    fn labels(key: &str, query: &str) -> Vec<String> {
        picks(&Document::default(), part_of(key), query).into_iter().map(|pick| pick.label).collect()
    }

    #[test]
    fn the_sentence_says_the_job() {
        let sentence: Vec<String> = PARTS.iter().map(|part| part.text(&Document::default())).collect();
        let shown = ["Llama-3 70B", "512", "DGX H100 SuperPOD", "1,024 \u{d7} 8,192", "BF16", "NVIDIA NeMo"];
        assert_eq!(sentence[..6], shown);
        assert_eq!(sentence[6], "1\u{a0}T");
        assert!(sentence[7].starts_with('$'), "{sentence:?}");
        let mut document = Document::default();
        document.set("kv", "16");
        document.set("gb", "2k");
        document.set("n", "lots");
        assert_eq!(part_of("m").text(&document), "Llama-3 70B, edited");
        assert_eq!(part_of("gb").text(&document), "2,048 \u{d7} 8,192");
        assert_eq!(part_of("n").text(&document), "lots");
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
    }

    #[test]
    fn a_link_is_opened_wherever_it_is_pasted() {
        let found = labels("stack", "https://example.org/stepcast/#1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=1");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("Open the link: Llama-3 8B on 64 GPUs"), "{found:?}");
    }
}
