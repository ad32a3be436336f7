//! The job from the arguments: a link, a file or a preset, and edits on top.

use crate::files::{self, MOST_OF_A_SCENARIO};
use crate::{Failure, Job, complain, sentences};
use std::path::Path;
use stepcast::document::examples::{self, EXAMPLES};
use stepcast::document::{Document, Opened};
use stepcast::fields::Field;
use stepcast::scenario::Scenario;
use stepcast::scripting::{self, Problem, Read};
use stepcast::tuner::in_some_layout;

/// A job that can be run, and the form it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// The fields as typed.
    pub(crate) document: Document,
    /// The values of the fields.
    pub(crate) scenario: Scenario,
}

/// Reads a job and applies its edits. What was not understood but does no harm goes to the error stream.
pub(crate) fn read(job: &Job) -> Result<Input, Failure> {
    let document = document(job)?;
    let scenario = document.scenario().map_err(sentences)?;
    Ok(Input { document, scenario })
}

/// Reads a job whose layouts are asked for: its own need not be possible.
pub(crate) fn read_job(job: &Job) -> Result<Input, Failure> {
    let document = document(job)?;
    let errors = match document.scenario() {
        Ok(scenario) => return Ok(Input { document, scenario }),
        Err(errors) => errors,
    };
    let job = document.values().ok().and_then(|job| in_some_layout(&job));
    let scenario = job.ok_or_else(|| sentences(errors))?;
    complain(&["The layout given cannot run on this job; those listed can.".to_owned()]);
    Ok(Input { document: Document::from_scenario(&scenario), scenario })
}

fn document(job: &Job) -> Result<Document, Failure> {
    let Opened { mut document, notices } = match (&job.scenario, &job.preset) {
        (Some(text), _) => open(text)?,
        (None, Some(name)) => preset(name)?,
        (None, None) if job.edits.is_empty() => {
            return Err(vec!["Give a scenario: a share link, a JSON file, words such as \"llama3-8b on 8 H100\", or --preset NAME.".to_owned()]);
        }
        (None, None) => Opened { document: Document::default(), notices: Vec::new() },
    };
    complain(&notices);
    for edit in &job.edits {
        let Some((key, text)) = edit.split_once('=') else {
            return Err(vec![format!("--set {edit} has no value; write --set KEY=VALUE.")]);
        };
        if Field::find(key).is_none() {
            return Err(vec![format!("--set {edit}: there is no field {key}; see --list-fields.")]);
        }
        document.set(key, text);
    }
    Ok(document)
}

/// The scenario of a link or file.
pub(crate) fn scenario(text: &str) -> Result<Scenario, Failure> {
    let Opened { document, notices } = open(text)?;
    complain(&notices);
    document.scenario().map_err(sentences)
}

/// The fields of a link or file, possible together or not.
pub(crate) fn document_of(text: &str) -> Result<Document, Failure> {
    let Opened { document, notices } = open(text)?;
    complain(&notices);
    Ok(document)
}

fn preset(name: &str) -> Result<Opened, Failure> {
    let Some(example) = examples::find(name) else {
        let names: Vec<&str> = EXAMPLES.iter().map(|example| example.name).collect();
        return Err(vec![format!("There is no preset {name}; use one of {}.", names.join(", "))]);
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
