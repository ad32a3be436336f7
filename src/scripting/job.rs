//! The job that a script asks about: a link, or an object of field keys and values.

use super::near::near;
use super::packed::unpacked;
use crate::calibrate::own::OwnCalibration;
use crate::document::{self, DescribedModel, Document, MODEL_NAME, Opened, VIEW_PREFIX, examples, packed};
use crate::error::FieldError;
use crate::fields::Field;
use crate::fields::parse::shown;
use crate::forecast::Predictor;
use crate::names;
use crate::page_state::your_runs;
use crate::planned::{plan, search};
use crate::scenario::Scenario;
use core::fmt::{Display, Formatter, Result as FormatResult};
use serde::Serialize;
use serde_json::Value;
use std::rc::Rc;

/// Key of an object that names the worked example it starts from.
const PRESET: &str = "preset";

/// What a job that names nothing is told: no job is the default one by accident.
const NAMELESS: &str = "Name a model (m), a machine (g) and a number of GPUs (n).";

/// Keys of which a job names one at least.
const NAMES: [&str; 3] = ["m", "g", "n"];

/// Most keys that are no fields and are listed.
const MOST_PROBLEMS: usize = 20;

/// Most names that a sentence lists.
const MOST_NAMES: usize = 40;

/// Error of a job, at a field or of the whole job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// Key of the field; absent for errors of the whole job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Error and solution, in a sentence.
    pub message: String,
    /// Nearest valid values; may be empty.
    pub suggestions: Vec<String>,
}

impl Problem {
    /// One that no single field is to blame for.
    pub fn new(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into(), suggestions: Vec::new() }
    }

    fn at(field: &str, message: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), ..Self::new(message) }
    }
}

impl From<FieldError> for Problem {
    fn from(error: FieldError) -> Self {
        let FieldError { field, message, suggestions } = error;
        Self { field: Some(field.to_owned()), message, suggestions }
    }
}

impl Display for Problem {
    fn fmt(&self, out: &mut Formatter<'_>) -> FormatResult {
        match &self.field {
            Some(field) => write!(out, "{field}: {}", self.message),
            None => out.write_str(&self.message),
        }
    }
}

/// Fields as given, whether they can be run or not.
#[derive(Debug, Clone)]
pub struct ReadFields {
    /// The fields as typed.
    pub document: Document,
    /// Sentences about what was not understood and does no harm.
    pub notices: Vec<String>,
    /// Keys of the fields of [`RESTS_ON`] that the job does not state.
    pub open: Vec<&'static str>,
}

/// Fields that every forecast rests on, whether the job states them or not.
pub const RESTS_ON: [&str; 8] = ["m", "n", "g", "gb", "seq", "prec", "stack", "tokens"];

impl ReadFields {
    /// A job of pairs of keys and texts.
    fn of(pairs: &[(String, String)]) -> Self {
        let Opened { document, notices } = Document::from_pairs(pairs);
        let open = RESTS_ON.into_iter().filter(|key| pairs.iter().all(|pair| pair.0 != *key)).collect();
        Self { document, notices, open }
    }
}

/// A job that can be run.
#[derive(Debug, Clone)]
pub struct RunnableJob {
    /// The fields as typed.
    pub document: Document,
    /// The values of the fields.
    pub scenario: Scenario,
    /// Sentences about what was not understood and does no harm.
    pub notices: Vec<String>,
    /// What the measured steps of its link say of it; nothing where none concerns it.
    pub own: Option<Rc<OwnCalibration>>,
}

impl RunnableJob {
    /// What forecasts the job: `otherwise`, or the predictor that is adjusted to the measured steps of its link.
    pub fn predictor<'s>(&'s self, otherwise: Predictor<'s>) -> Predictor<'s> {
        self.own.as_deref().map_or(otherwise, OwnCalibration::predictor)
    }
}

/// Whether measured steps of a job's link adjust its forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSteps {
    /// They do.
    Used,
    /// They do not, because the caller has adjusted the predictor.
    Ignored,
}

impl OwnSteps {
    /// What the measured steps of a document say of its job.
    pub fn of(self, document: &Document) -> Option<Rc<OwnCalibration>> {
        let job = document.values().ok().filter(|_| self == Self::Used)?;
        your_runs::calibration(document, &job, None)
    }
}

/// Reads a job from a link, the fragment of one, a sentence (`Llama-3.1 8B on 8 H100`), or a JSON object of field keys and values. The key `preset` of an object
/// names the worked example that its other keys change.
///
/// # Errors
/// What is neither, and what of it cannot be read.
pub fn read(text: &str) -> Result<ReadFields, Vec<Problem>> {
    let text = text.trim();
    if !text.starts_with('{') {
        return if is_sentence(text) { said(text) } else { opened(text) };
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(entries)) => object(entries),
        Ok(_) => Err(vec![Problem::new("A job is one JSON object of field keys and values.")]),
        Err(error) => Err(vec![Problem::new(format!("That is not JSON: {error}."))]),
    }
}

/// Reads a job that can be run. A layout that it does not set is planned; the document that is given back has all of it set.
///
/// # Errors
/// What cannot be read, and what makes the job impossible.
pub fn asked(
    predictor: &Predictor<'_>,
    own_steps: OwnSteps,
    text: &str,
) -> Result<RunnableJob, Vec<Problem>> {
    let ReadFields { document, notices, .. } = read(text)?;
    let own = own_steps.of(&document);
    let predictor = own.as_deref().map_or(*predictor, OwnCalibration::predictor);
    let planned = plan(&predictor, &document, |space, options| search(&predictor, space, options));
    let (document, scenario) =
        planned.map_err(|errors| errors.into_iter().map(Problem::from).collect::<Vec<_>>())?;
    Ok(RunnableJob { document: document.pinned(), scenario, notices, own })
}

/// Whether a text that is no JSON is a job in words: no link, no fragment of one.
fn is_sentence(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
        && !text.contains(['#', ';'])
        && !text.contains("://")
        && (text.parse::<u32>().is_err() || names::machine(text).is_some())
        && packed(text).is_none()
}

fn said(text: &str) -> Result<ReadFields, Vec<Problem>> {
    let settings = document::settings(&with_whole_counts(text));
    let (shape, assumed) = match settings.model {
        Some(DescribedModel { problem: Some((key, message)), .. }) => {
            return Err(vec![Problem::at(key, message)]);
        }
        Some(model) => (model.fields, model.assumed),
        None => Default::default(),
    };
    // A machine's name may have a comma in it, and what follows one may be fields.
    let whole = names::job(&settings.rest);
    let (pairs, clauses) = match settings.rest.split_once(',').filter(|_| whole.is_err()) {
        Some((job, clauses)) => {
            let (job, clauses) = with_parts(job, clauses);
            (names::job(&job), clauses)
        }
        None => (whole, Vec::new()),
    };
    let mut pairs = pairs.map_err(|error| vec![Problem::from(error)])?;
    pairs.extend(shape);
    pairs.extend(settings.fields);
    let mut pairs: Vec<(String, String)> =
        pairs.into_iter().map(|(key, text)| (key.to_owned(), text)).collect();
    for part in clauses {
        let (key, value) = clause(part).ok_or_else(|| vec![not_understood(part)])?;
        pairs.push((key.to_owned(), value.to_owned()));
    }
    if let Some(tokens) = settings.batch_tokens {
        let sequences = ReadFields::of(&pairs).document.sequences_of(&tokens);
        let sequences =
            sequences.ok_or_else(|| vec![not_understood(&format!("batch of {tokens} tokens"))])?;
        pairs.push(("gb".to_owned(), sequences));
    }
    if let Some(micro_batches) = settings.accumulation {
        let sequences = ReadFields::of(&pairs).document.accumulated(&micro_batches);
        let sequences = sequences
            .ok_or_else(|| vec![not_understood(&format!("gradient accumulation {micro_batches}"))])?;
        pairs.push(("gb".to_owned(), sequences));
    }
    let mut read = ReadFields::of(&pairs);
    read.notices.extend(assumed);
    Ok(read)
}

/// A sentence without the comma between a number of nodes and what each has: `2 nodes, 8 H100 each`.
fn with_whole_counts(text: &str) -> String {
    let mut clauses = text.split(", ");
    let mut whole = clauses.next().unwrap_or_default().to_owned();
    for clause in clauses {
        let counts = whole.ends_with("node") || whole.ends_with("nodes");
        let joint = if counts && clause.starts_with(|c: char| c.is_ascii_digit()) { " " } else { ", " };
        whole.push_str(joint);
        whole.push_str(clause);
    }
    whole
}

/// A job with the machine and software that are clauses of their own, and the other clauses: `llama3-8b, 64 H100, torchtitan`.
fn with_parts<'a>(job: &str, clauses: &'a str) -> (String, Vec<&'a str>) {
    let mut job = job.to_owned();
    let mut others = Vec::new();
    for part in clauses.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let sentence = names::parts(&job);
        if sentence.machine.is_none() && names::machine(part).is_some() {
            job = format!("{job} on {part}");
        } else if sentence.software.is_none() && names::software_by_whole_name(part).is_some() {
            job = format!("{job} with {part}");
        } else {
            others.push(part);
        }
    }
    (job, others)
}

/// Field and value of a part of a sentence: `global batch 512`, `tp=4`, `bf16`.
fn clause(text: &str) -> Option<(&'static str, &str)> {
    let named = |name: &str| {
        let name = name.trim().trim_end_matches(" of");
        Field::find(name).or_else(|| near(name))
    };
    if let Some((name, value)) = text.split_once('=').or_else(|| text.rsplit_once(' ')) {
        return Some((named(name)?.key, value.trim()));
    }
    let precision = Field::find("prec")?;
    precision.parse(text).is_ok().then_some((precision.key, text))
}

/// A part of a sentence that is no field.
fn not_understood(part: &str) -> Problem {
    let part = shown(part);
    Problem::new(format!(
        "\u{201c}{part}\u{201d} is not understood. Write a field and a value, such as \u{201c}global batch 512\u{201d}."
    ))
}

fn opened(link: &str) -> Result<ReadFields, Vec<Problem>> {
    // The page opens on the default job without a link; who asks for a forecast has to say of what.
    let fragment = link.split_once('#').map_or(link, |parts| parts.1);
    if fragment.is_empty() || fragment == link && link.contains("://") {
        return Err(vec![Problem::new(NAMELESS)]);
    }
    let link = unpacked(link);
    let fragment = link.split_once('#').map_or(&*link, |parts| parts.1).trim();
    // A link of the first version that names nothing means the default job.
    let unnamed = || NAMES.iter().all(|key| !fragment.contains(&format!(";{key}=")));
    if fragment.split(';').next() == Some("2") && unnamed() {
        return Err(vec![Problem::new(NAMELESS)]);
    }
    match Document::from_link(&link) {
        Ok(Opened { document, notices }) => {
            // A link leaves out what is as usual, but for what can follow from the rest, and so states it.
            let stated = |key: &str| fragment.contains(&format!(";{key}=")) || !NAMES.contains(&key);
            let first = fragment.split(';').next() == Some("1");
            let open = RESTS_ON.into_iter().filter(|key| !document.is_set(key) || !first && !stated(key));
            Ok(ReadFields { open: open.collect(), document, notices })
        }
        Err(error) => Err(vec![Problem { field: error.field, ..Problem::new(error.message) }]),
    }
}

/// A key that is no field, with the field that its writer may have meant.
fn unknown(key: &str) -> Problem {
    match near(key) {
        Some(field) => {
            let message = format!("unknown field {}. Use {}.", shown(key), field.key);
            Problem { suggestions: vec![field.key.to_owned()], ..Problem::at(key, message) }
        }
        None => Problem::at(key, format!("unknown field {}.", shown(key))),
    }
}

fn object(entries: serde_json::Map<String, Value>) -> Result<ReadFields, Vec<Problem>> {
    let (mut pairs, mut problems, mut base) = (Vec::new(), Vec::new(), None);
    let is_named = [PRESET, "m", "g", "n"].iter().any(|key| entries.contains_key(*key));
    for (key, value) in entries {
        let is_field = Field::find(&key).is_some() || key == MODEL_NAME || key.starts_with(VIEW_PREFIX);
        if key != PRESET && !is_field {
            if problems.len() < MOST_PROBLEMS {
                problems.push(unknown(&key));
            }
            continue;
        }
        match value {
            Value::String(name) if key == PRESET => base = Some(name),
            Value::String(text) => pairs.push((key, text)),
            Value::Number(number) => pairs.push((key, number.to_string())),
            Value::Bool(on) => pairs.push((key, if on { "1" } else { "0" }.to_owned())),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                problems.push(Problem::at(&key, "a field value must be a text, a number, true or false."));
            }
        }
    }
    if !is_named {
        problems.push(Problem::new(NAMELESS));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let Some(name) = base else {
        return Ok(ReadFields::of(&pairs));
    };
    let Some(example) = examples::find(&name) else {
        let names: Vec<&str> =
            examples::EXAMPLES.iter().map(|example| example.name).take(MOST_NAMES).collect();
        let message = format!("unknown preset {name}. Use one of {}.", names.join(", "));
        return Err(vec![Problem::at(PRESET, message)]);
    };
    let mut read = opened(example.link)?;
    // What fills in other fields goes first, as in a link.
    pairs.sort_by_key(|pair| !["m", "g"].contains(&pair.0.as_str()));
    for (key, text) in &pairs {
        read.document.set(key, text);
        read.open.retain(|open| open != key);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "#2;m=llama3-8b;g=dgx-h100;n=16;gb=64;tp=2;pp=2";

    #[test]
    fn a_link_and_an_object_say_the_same() {
        let link = asked(&Predictor::SHIPPED, OwnSteps::Used, LINK).expect("legal");
        let object =
            r#"{"tp": 2, "pp": "2", "gb": 64, "n": "2x8", "sp": true, "g": "dgx-h100", "m": "llama3-8b"}"#;
        assert_eq!(
            asked(&Predictor::SHIPPED, OwnSteps::Used, object).expect("legal").scenario,
            link.scenario
        );
    }

    #[test]
    fn an_object_changes_the_example_it_names_whatever_the_order_of_its_keys() {
        let job =
            read(r#"{"n": 1024, "preset": "llama3-70b-512xh100", "m": "llama3-8b"}"#).expect("readable");
        assert_eq!(job.document.text("n"), "1024");
        assert_eq!(
            job.document.text("layers"),
            Document::from_link("#1;m=llama3-8b").expect("a link").document.text("layers")
        );
    }

    #[test]
    fn a_shape_in_words_is_a_custom_model() {
        let job = read("13B model with 40 layers, hidden 5120, ffn 13824, 40 heads, vocab 50257 on 24 nodes of 8 H100, sequence 4096, batch 768").expect("a job");
        let text = |key: &str| job.document.text(key).to_owned();
        assert_eq!(
            ["m", "layers", "kv", "n", "g", "seq", "gb"].map(text),
            ["custom", "40", "40", "192", "dgx-h100", "4096", "768"]
        );
        assert_eq!(job.document.label("m"), "Custom 13B");
        assert!(job.notices.len() == 1 && job.notices[0].contains("SwiGLU"), "{:?}", job.notices);
        let short = read("13B model with 40 layers on 8 H100").expect_err("a refusal").remove(0);
        assert!(
            short.field.as_deref() == Some("m") && short.message.starts_with("Add the hidden size"),
            "{short}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_said_at_its_field() {
        let problem = |text: &str| read(text).expect_err("a refusal").remove(0);
        assert_eq!(problem(r#"{"tp": [1]}"#).field.as_deref(), Some("tp"));
        assert_eq!(problem(r#"{"preset": "nothing"}"#).field.as_deref(), Some("preset"));
        assert_eq!(problem(r#"{"tp": "#).field, None);
        assert_eq!(problem("#3;x=1").field, None);
        let gpus = problem(r#"{"m": "llama3-8b", "gpus": 64}"#);
        assert_eq!((gpus.field.as_deref(), &*gpus.message), (Some("gpus"), "unknown field gpus. Use n."));
        assert!(problem(r#"{"zzz": 1, "preset": "llama3-70b-512xh100"}"#).message.ends_with("field zzz."));
        for nothing in ["", " ", "#", "https://example.org/", "https://example.org/#", "{}", r#"{"tp": 2}"#] {
            assert!(problem(nothing).message.starts_with("Name a model (m)"), "{nothing}");
        }
        let impossible =
            asked(&Predictor::SHIPPED, OwnSteps::Used, "#1;m=llama3-8b;tp=3").expect_err("a refusal");
        assert!(impossible.iter().any(|problem| problem.field.as_deref() == Some("tp")), "{impossible:?}");
    }
}
