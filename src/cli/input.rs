//! The job from the arguments: a link, a file or a preset, and edits on top.

use crate::files::{self, MOST_OF_A_SCENARIO};
use crate::flags::FieldFlags;
use crate::search::search;
use crate::{Failure, Job, LayoutOfJob, complain};
use std::path::Path;
use stepcast::document::examples;
use stepcast::document::{Document, Opened};
use stepcast::error::FieldError;
use stepcast::fields::Field;
use stepcast::forecast::Predictor;
use stepcast::planned::{plan, to_rank};
use stepcast::scenario::Scenario;
use stepcast::scripting::{self, Problem, Read};

/// A job that can be run, and the form it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// The fields as typed.
    pub(crate) document: Document,
    /// The values of the fields.
    pub(crate) scenario: Scenario,
    /// Whether the layout was planned, or is still to be ranked, and not set.
    pub(crate) chosen: bool,
}

/// Reads a job, applies its edits, and plans its layout where that is not set. What was not understood but does no harm goes
/// to the error stream.
pub(crate) fn read(job: &Job) -> Result<Input, Failure> {
    planned(&document(job)?, &job.flags)
}

fn planned(document: &Document, flags: &FieldFlags) -> Result<Input, Failure> {
    let (planned, scenario) =
        plan(&Predictor::SHIPPED, document, search).map_err(|errors| told(errors, flags))?;
    Ok(Input { document: planned.pinned(), scenario, chosen: document.is_planned() })
}

/// What is wrong with fields, at the flags that they were given by.
fn told(errors: Vec<FieldError>, flags: &FieldFlags) -> Failure {
    let sentence = |error: &FieldError| match flags.of(error.field) {
        Some(flag) => format!("--{flag}: {}", error.message),
        None => error.to_string(),
    };
    errors.iter().map(sentence).collect()
}

/// Reads a job whose layouts are asked for: its own need not be possible.
pub(crate) fn read_job(job: &Job) -> Result<Input, Failure> {
    let document = document(job)?;
    let (ranked, scenario) = to_rank(&document).map_err(|errors| told(errors, &job.flags))?;
    if ranked.is_planned() && !document.is_planned() {
        complain(&["The layout given cannot run on this job; those listed can.".to_owned()]);
    }
    Ok(Input { chosen: ranked.is_planned(), document: ranked, scenario })
}

fn document(job: &Job) -> Result<Document, Failure> {
    let Opened { mut document, notices } = match (&job.scenario, &job.preset) {
        (Some(text), _) => open(text)?,
        (None, Some(name)) => preset(name)?,
        (None, None) if job.is_unchanged() => {
            let sentence = "No job. Name one: --model llama3-8b --machine dgx-h100 --gpus 8, words such as \"llama3-8b on 8 \
                            H100\", a link, a JSON file, or --preset NAME (names: stepcast --list-presets).";
            return Err(vec![sentence.to_owned()]);
        }
        (None, None) => Document::from_pairs(&[]),
    };
    complain(&notices);
    for (key, text) in job.flags.values() {
        document.set(key, text);
        document.follow();
    }
    for edit in &job.edits {
        let Some((key, text)) = edit.split_once('=') else {
            return Err(vec![format!("--set {edit} has no value; write --set KEY=VALUE.")]);
        };
        if Field::find(key).is_none() {
            return Err(vec![format!(
                "--set {edit}: there is no field {key}. Run stepcast --list-fields for all fields."
            )]);
        }
        document.set(key, text);
        document.follow();
    }
    if job.layout == LayoutOfJob::Default {
        document.keep_default_layout();
    }
    Ok(document)
}

/// The scenario of a link or file.
pub(crate) fn scenario(text: &str) -> Result<Scenario, Failure> {
    let Opened { document, notices } = open(text)?;
    complain(&notices);
    planned(&document, &FieldFlags::default()).map(|input| input.scenario)
}

/// The fields of a link or file, possible together or not.
pub(crate) fn document_of(text: &str) -> Result<Document, Failure> {
    let Opened { document, notices } = open(text)?;
    complain(&notices);
    Ok(document)
}

fn preset(name: &str) -> Result<Opened, Failure> {
    let Some(example) = examples::find(name) else {
        return Err(vec![format!("There is no preset {name}. Run stepcast --list-presets for all names.")]);
    };
    Document::from_link(example.link).map_err(|error| vec![error.message])
}

/// Ends of the names of files that hold jobs.
const FILES: [&str; 4] = ["json", "txt", "link", "md"];

fn open(text: &str) -> Result<Opened, Failure> {
    let path = Path::new(text);
    // What ends as a file does, or starts as a path, is no job in words.
    let named_file = path.extension().is_some_and(|end| FILES.iter().any(|known| end == *known));
    let link = text.contains('#') || text.contains(';') || text.contains("://");
    if path.is_file() || !link && (named_file || text.starts_with(['.', '/', '~']) || text.trim().is_empty())
    {
        return open_file(path);
    }
    read_text(text).map_err(|problems| problems.iter().map(Problem::to_string).collect())
}

fn open_file(path: &Path) -> Result<Opened, Failure> {
    let name = path.display();
    if let Err(error) = path.metadata() {
        return Err(vec![format!("{name} is neither a share link nor a file that can be read: {error}.")]);
    }
    let text = files::text(path, MOST_OF_A_SCENARIO)?;
    if !text.trim_start().starts_with('{') && !text.contains('#') {
        return Err(vec![format!(
            "{name} has to hold a share link, or one JSON object of field keys and values."
        )]);
    }
    read_text(&text).map_err(|problems| problems.iter().map(|problem| format!("{name}: {problem}")).collect())
}

fn read_text(text: &str) -> Result<Opened, Vec<Problem>> {
    scripting::read(text).map(|Read { document, notices }| Opened { document, notices })
}
