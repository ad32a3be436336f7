//! Other tools' files: `import` and `export`.

use crate::files::{self, MOST_OF_A_TABLE};
use crate::text::{Align, COLUMNS, table, wrapped};
use crate::{Failure, Job, input, json};
use clap::Args;
use std::io::Read as _;
use std::path::Path;
use stepcast::document::Document;
use stepcast::exchange::{self, Framework, Import, Kind};
use stepcast::fields::Field;
use stepcast::scripting::{Exported, Imported};

/// Most ignored settings that are listed in words; JSON lists all.
const MOST_IGNORED: usize = 40;

/// What is imported.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The file, - for the standard input, or a model's name on the Hugging Face Hub.
    file: String,
    /// What kind of file it is, where that is not seen: hf-config, hub, megatron-lm, megatron-bridge, torchtitan,
    /// deepspeed, accelerate, training-arguments, torchtune, axolotl, slurm, machine, training-log, trace.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    from: Option<Kind>,
    /// A scenario that keeps what the file does not say: a share link or a JSON file.
    #[arg(long, value_name = "SCENARIO")]
    onto: Option<String>,
    /// Print JSON: the fields, what was assumed, what was ignored, and the link.
    #[arg(long)]
    json: bool,
}

/// What is exported.
#[derive(Debug, Args)]
pub(crate) struct Target {
    #[command(flatten)]
    job: Job,
    /// The framework: megatron-lm, megatron-bridge, torchtitan, deepspeed or accelerate.
    #[arg(long = "for", value_name = "FRAMEWORK", value_parser = framework)]
    framework: Framework,
    /// Print JSON: the text, the fields that it says, and what it could not say.
    #[arg(long)]
    json: bool,
}

fn kind(name: &str) -> Result<Kind, String> {
    let names = || Kind::ALL.map(Kind::name).join(", ");
    Kind::from_name(name).ok_or_else(|| format!("there is no such kind; use one of {}", names()))
}

fn framework(name: &str) -> Result<Framework, String> {
    let names = || Framework::ALL.map(Framework::name).join(", ");
    Framework::from_name(name).ok_or_else(|| format!("there is no such framework; use one of {}", names()))
}

/// Reads a file of another tool and says what it was understood as.
pub(crate) fn import(source: &Source) -> Result<String, Failure> {
    let text = text(source)?;
    let import = exchange::import(&text, source.from).map_err(|errors| {
        errors.iter().map(|error| format!("{}: {error}", source.file)).collect::<Failure>()
    })?;
    let base = source.onto.as_deref().map(input::document_of).transpose()?.unwrap_or_default();
    let document = import.onto(&base);
    if source.json { in_order(&Imported::of(&import, &document)) } else { Ok(in_words(&import, &document)) }
}

fn text(source: &Source) -> Result<String, Failure> {
    if source.file == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_OF_A_TABLE + 1).read_to_end(&mut bytes);
        read.map_err(|error| vec![format!("The standard input cannot be read: {error}.")])?;
        return String::from_utf8(bytes)
            .map_err(|_| vec!["The standard input is no text in UTF-8.".to_owned()]);
    }
    let path = Path::new(&source.file);
    if !path.exists() && Kind::of(&source.file) == Some(Kind::Hub) {
        return Ok(source.file.clone());
    }
    files::text(path, MOST_OF_A_TABLE)
}

/// An answer with its keys in alphabetical order, which this JSON has had from the start.
fn in_order(answer: &impl serde::Serialize) -> Result<String, Failure> {
    let value = serde_json::to_value(answer);
    json(&value.map_err(|error| vec![format!("The result cannot be written as JSON: {error}.")])?)
}

fn in_words(import: &Import, document: &Document) -> String {
    let mut said = format!("Read as {}.\n", import.kind.label());
    if let Some(measured) = import.measured {
        said +=
            &format!("Measured: {:.4} s a step, the median of {}.\n", measured.step_seconds, measured.steps);
    }
    let rows: Vec<Vec<String>> = import
        .fields
        .iter()
        .map(|(key, text)| {
            let label = Field::find(key).map_or("", |field| field.label);
            let shown = Field::find(key).map_or(text.as_str(), |field| field.label_of(text));
            vec![format!("  {key}"), label.to_owned(), shown.to_owned()]
        })
        .collect();
    said += &format!("\nUnderstood\n{}", table(&rows, &[Align::Left; 3]));
    if !import.assumed.is_empty() {
        said += "\nAssumed\n";
        for assumed in &import.assumed {
            let field = assumed.field.map(|field| format!("{field}: ")).unwrap_or_default();
            said += &wrapped(&format!("{field}{}", assumed.text), 2, COLUMNS);
        }
    }
    said += &ignored(import);
    if let Err(errors) = document.scenario() {
        said += "\nNot possible as it stands\n";
        for error in errors {
            said += &wrapped(&error.to_string(), 2, COLUMNS);
        }
    }
    said + &format!("\n{}\n", document.to_link())
}

fn ignored(import: &Import) -> String {
    if import.ignored.is_empty() {
        return String::new();
    }
    let mut said = "\nIgnored\n".to_owned();
    for ignored in import.ignored.iter().take(MOST_IGNORED) {
        let line = ignored.line.map(|line| format!("line {line}, ")).unwrap_or_default();
        said += &wrapped(&format!("{line}{}: {}", ignored.name, ignored.text), 2, COLUMNS);
    }
    if import.ignored.len() > MOST_IGNORED {
        said += &format!("  and {} more, which --json lists\n", import.ignored.len() - MOST_IGNORED);
    }
    said
}

/// Writes a scenario as flags or configuration of a framework.
pub(crate) fn export(target: &Target) -> Result<String, Failure> {
    let input = input::read(&target.job)?;
    let answer = Exported::of(&input.scenario, target.framework);
    if target.json { in_order(&answer) } else { Ok(answer.text) }
}
