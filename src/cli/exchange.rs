//! Other tools' files: `import` and `export`.

use crate::files::{self, MOST_OF_A_TABLE};
use crate::input::InputFlags;
use crate::text::{COLUMNS, CellAlign, duration, significant, table, wrapped};
use crate::{Failure, JobArguments, complain, flags, input, json, print};
use clap::Args;
use std::path::Path;
use stepcast::document::Document;
use stepcast::exchange::{self, File, Framework, Ignored, Import, Importance, Missing, ToolFile};
use stepcast::fields::{FIELDS, Field};
use stepcast::forecast::{Prediction, Predictor};
use stepcast::names;
use stepcast::scenario::Scenario;
use stepcast::scenario::stack::Stack;
use stepcast::scripting::{Exported, Imported, RESTS_ON};

/// Most ignored settings of one reason that are listed in words; JSON lists all.
const MOST_IGNORED: usize = 40;

/// Most reasons for which settings are ignored that are listed in words.
const MOST_REASONS: usize = 20;

/// What is imported.
#[derive(Debug, Args)]
pub(crate) struct ImportSource {
    /// The file, - for standard input, or a model name on the Hugging Face Hub.
    file: String,
    /// File format, if not detected: hf-config, hub, megatron-lm, megatron-bridge, torchtitan,
    /// deepspeed, accelerate, training-arguments, torchtune, axolotl, maxtext, slurm, machine, nccl-tests, training-log,
    /// trace.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    from: Option<ToolFile>,
    /// Another file for the same job, such as the model's config.json; may be repeated.
    #[arg(long, value_name = "FILE")]
    with: Vec<String>,
    /// Set a missing field, or override a field of the file; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    edits: Vec<String>,
    /// Job that provides missing fields: a link or a JSON file.
    #[arg(long, value_name = "SCENARIO")]
    onto: Option<String>,
    /// Use the default job for missing fields.
    #[arg(long)]
    assume_defaults: bool,
    /// Print JSON: fields, assumptions, ignored settings, missing fields, and the link if no field is missing.
    #[arg(long)]
    json: bool,
}

/// What is exported.
#[derive(Debug, Args)]
pub(crate) struct ExportTarget {
    #[command(flatten)]
    job: JobArguments,
    /// Framework: megatron-lm, megatron-bridge, torchtitan, deepspeed or accelerate.
    #[arg(long = "for", value_name = "FRAMEWORK")]
    framework: String,
    /// Print JSON: the exported text, the exported fields, and the fields that the format does not support.
    #[arg(long)]
    json: bool,
}

fn kind(name: &str) -> Result<ToolFile, String> {
    let names = || ToolFile::ALL.map(ToolFile::name).join(", ");
    ToolFile::from_name(name).ok_or_else(|| format!("unknown file format. Use one of {}", names()))
}

/// The framework of a name. Where no file of it is written, the error says which one suits the software that is named, or
/// else the job's.
fn framework(name: &str, job: &Scenario) -> Result<Framework, Failure> {
    Framework::from_name(name).ok_or_else(|| {
        let stack = names::software(name).map_or(job.software.stack, Stack::from_name);
        let label = Field::find("stack").map_or("", |field| field.label_of(stack.name()));
        vec![format!(
            "--for {name}: unsupported framework. Use one of {}. For {label}, use {}.",
            Framework::ALL.map(Framework::name).join(", "),
            Framework::of_stack(stack).name()
        )]
    })
}

/// Reads a file of another tool and says what it was understood as.
pub(crate) fn import(source: &ImportSource) -> Result<String, Failure> {
    let base = source.onto.as_deref().map(input::document_of).transpose()?;
    let mut import = read(source)?;
    if base.is_some() {
        // The scenario has every field.
        import.missing.clear();
    } else if source.assume_defaults {
        import.assume_missing(&Document::default());
    }
    let document = import.onto(&base.unwrap_or_else(|| Document::from_pairs(&[]).document));
    let told =
        if source.json { in_order(&Imported::of(&import, &document))? } else { in_words(&import, &document) };
    if import.missing.is_empty() {
        return Ok(told);
    }
    print(&told);
    let or = ", or use --onto LINK (a job with the missing fields) or --assume-defaults";
    Err(vec![missing(&source.file, &import.missing, |key| format!("--set {key}="), or)])
}

/// Most assumptions that are told of a file that is forecast at once.
const MOST_ASSUMED: usize = 5;

/// Another tool's file as the job of a command that forecasts it: what was assumed and left out goes to the error stream.
///
/// # Errors
/// The file cannot be read, or something of the job is missing: what to add.
pub(crate) fn job(name: &str, text: &str, supplied: &InputFlags<'_>) -> Result<Import, Failure> {
    let mut import = files_read((name, text, None), supplied.with, supplied.edits)?;
    let lacks_gpus = import.missing.iter().any(|entry| entry.field == flags::GPUS);
    if let Some(gpus) = supplied.place.filter(|_| lacks_gpus) {
        let given = [supplied.edits, &[(flags::GPUS.to_owned(), gpus.to_owned())]].concat();
        import = files_read((name, text, None), supplied.with, &given)?;
    }
    if !import.missing.is_empty() {
        let how =
            |key: &str| flags::name_of(key).map_or(format!("--set {key}="), |flag| format!("--{flag} "));
        return Err(vec![missing(name, &import.missing, how, "")]);
    }
    let mut told = vec![format!("{name}: detected as {}.", import.kind.label())];
    let label = |key: &'static str| Field::find(key).map_or(key, |field| field.label);
    let field = |assumed: &exchange::Assumed| assumed.field.map(|key| format!("{}: ", label(key)));
    // What every forecast rests on comes first.
    let (first, then): (Vec<_>, Vec<_>) =
        import.assumed.iter().partition(|assumed| assumed.field.is_some_and(|key| RESTS_ON.contains(&key)));
    let assumed = first.into_iter().chain(then).take(MOST_ASSUMED);
    told.extend(assumed.map(|assumed| {
        format!("  {}{}{}", assumed.heading(), field(assumed).unwrap_or_default(), assumed.text)
    }));
    let matters = import.ignored.iter().filter(|ignored| ignored.importance == Importance::Matters);
    let matters: Vec<&str> = matters.map(|ignored| ignored.name.as_str()).collect();
    if !matters.is_empty() {
        told.push(format!("  Ignored settings that affect the forecast: {}", matters.join(", ")));
    }
    let file = if name == input::STANDARD_INPUT { "-" } else { name };
    told.push(format!("  All imported, assumed and ignored settings: stepcast import {file}"));
    complain(&told);
    Ok(import)
}

fn read(source: &ImportSource) -> Result<Import, Failure> {
    let mut given = Vec::new();
    for edit in &source.edits {
        let Some((key, text)) = edit.split_once('=') else {
            return Err(vec![format!("--set {edit} has no value. Write --set KEY=VALUE.")]);
        };
        given.push((key.to_owned(), text.to_owned()));
    }
    files_read((&source.file, &text(&source.file)?, source.from), &source.with, &given)
}

/// Reads a file of a name, and of a kind where that is known, with others of its job.
fn files_read(
    (name, first, kind): (&str, &str, Option<ToolFile>),
    with: &[String],
    given: &[(String, String)],
) -> Result<Import, Failure> {
    let read = if with.is_empty() {
        exchange::import_with(first, kind, given)
    } else {
        let others: Result<Vec<String>, Failure> = with.iter().map(|file| text(file)).collect();
        let others = others?;
        let mut files = vec![File { name, text: first, kind }];
        let named = with.iter().zip(&others);
        files.extend(named.map(|(name, text)| File { name, text, kind: None }));
        exchange::import_files(&files, given)
    };
    read.map_err(|errors| {
        let named = |error: &exchange::ImportError| match with.is_empty() {
            true => format!("{name}: {error}"),
            false => error.to_string(),
        };
        errors.iter().map(named).collect::<Failure>()
    })
}

/// The sentence that says what to add, how a field is set, and what else would do.
fn missing(file: &str, missing: &[Missing], how: impl Fn(&str) -> String, or: &str) -> String {
    let list: Vec<&str> = missing.iter().map(|entry| entry.text.as_str()).collect();
    let example = |entry: &Missing| match entry.field {
        "m" => format!("--with config.json (or {}llama3-8b)", how("m")),
        "n" => format!("{}64", how("n")),
        "g" => format!("{}dgx-h100", how("g")),
        key => format!("{}{}", how(key), Document::default().text(key)),
    };
    let add: Vec<String> = missing.iter().map(example).collect();
    format!("{file}: {}. Add {}{or}.", list.join("; "), add.join(" "))
}

fn text(file: &str) -> Result<String, Failure> {
    if file == "-" {
        return files::standard_input();
    }
    let path = Path::new(file);
    if !path.exists() && ToolFile::of(file) == Some(ToolFile::Hub) {
        return Ok(file.to_owned());
    }
    files::text(path, MOST_OF_A_TABLE)
}

/// An answer with its keys in alphabetical order, which this JSON has had from the start.
fn in_order(answer: &impl serde::Serialize) -> Result<String, Failure> {
    let value = serde_json::to_value(answer);
    json(&value.map_err(|error| vec![format!("The result cannot be written as JSON: {error}.")])?)
}

fn in_words(import: &Import, document: &Document) -> String {
    let mut said = format!("Detected: {}.\n", import.kind.label());
    if let Some(measured) = import.measured {
        said += &format!(
            "Measured: {:.4} s per step, the median of {} steps.\n",
            measured.step_seconds, measured.steps
        );
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
    said += &format!("\nImported\n{}", table(&rows, &[CellAlign::Left; 3]));
    if !import.assumed.is_empty() {
        said += "\nAssumed or not supported\n";
        for assumed in &import.assumed {
            let field = assumed.field.map(|field| format!("{field}: ")).unwrap_or_default();
            said += &wrapped(&format!("{field}{}", assumed.text), 2, COLUMNS);
        }
    }
    said += &ignored(import);
    if !import.missing.is_empty() {
        return said;
    }
    if let Err(errors) = document.scenario() {
        said += "\nInvalid\n";
        for error in errors {
            said += &wrapped(&error.to_string(), 2, COLUMNS);
        }
    }
    said + &format!("\n{}\n", document.to_link())
}

/// Ignored settings by reason, those that matter first.
fn ignored(import: &Import) -> String {
    let mut said = String::new();
    for importance in [Importance::Matters, Importance::Unknown, Importance::Harmless] {
        let entries: Vec<&Ignored> =
            import.ignored.iter().filter(|entry| entry.importance == importance).collect();
        if entries.is_empty() {
            continue;
        }
        said += &format!("\nIgnored: {}\n", importance.label().to_lowercase());
        let mut reasons: Vec<&str> = Vec::new();
        for entry in &entries {
            if !reasons.contains(&entry.text.as_str()) {
                reasons.push(&entry.text);
            }
        }
        for reason in reasons.iter().take(MOST_REASONS) {
            said += &of_reason(&entries, reason);
        }
        if reasons.len() > MOST_REASONS {
            said += &format!("  {} more reasons (see --json)\n", reasons.len() - MOST_REASONS);
        }
    }
    said
}

/// The settings of one reason, in one paragraph.
fn of_reason(entries: &[&Ignored], reason: &str) -> String {
    let names = || entries.iter().filter(|entry| entry.text == reason);
    let name = |entry: &&Ignored| match entry.line {
        Some(line) => format!("{} (line {line})", entry.name),
        None => entry.name.clone(),
    };
    let mut listed = names().take(MOST_IGNORED).map(name).collect::<Vec<_>>().join(", ");
    let more = names().count().saturating_sub(MOST_IGNORED);
    if more > 0 {
        listed += &format!(" and {more} more (see --json)");
    }
    wrapped(&format!("{listed}: {reason}"), 2, COLUMNS)
}

/// Writes a scenario as flags or configuration of a framework.
pub(crate) fn export(target: &ExportTarget) -> Result<String, Failure> {
    let input = input::read(&target.job)?;
    let answer = Exported::of(&input.scenario, framework(&target.framework, &input.scenario)?);
    complain(&lost(&input.scenario, &answer.text));
    if target.json { in_order(&answer) } else { Ok(answer.text) }
}

/// What an exported file is read back as where that is another job, and what this changes.
fn lost(job: &Scenario, text: &str) -> Vec<String> {
    let Ok(import) = exchange::import(text, None) else { return Vec::new() };
    let own = Document::from_scenario(job);
    let back = import.onto(&own);
    let changed: Vec<String> = FIELDS
        .iter()
        .filter(|field| own.applies(field.key) && own.text(field.key) != back.text(field.key))
        .map(|field| {
            let [is, was] = [&back, &own].map(|document| field.label_of(document.text(field.key)));
            format!("{} {is} (was {was})", field.label)
        })
        .collect();
    if changed.is_empty() {
        return Vec::new();
    }
    let forecast = |job: &Scenario| Predictor::SHIPPED.predict(job).ok();
    let figures = forecast(job).zip(back.scenario().ok().as_ref().and_then(forecast)).map(|(was, is)| {
        let figures = |forecast: &Prediction| {
            format!("{} and {} GiB", duration(forecast.step), significant(forecast.memory.peak_gib))
        };
        format!(" Forecast of the file: {} (was {}).", figures(&is), figures(&was))
    });
    let sentence = format!(
        "The format does not support all fields of the job. Importing the file gives: {}.{}",
        changed.join(", "),
        figures.unwrap_or_default()
    );
    vec![wrapped(&sentence, 0, COLUMNS).trim_end().to_owned()]
}
