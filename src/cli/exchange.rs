//! Other tools' files: `import` and `export`.

use crate::files::{self, MOST_OF_A_TABLE};
use crate::text::{Align, COLUMNS, table, wrapped};
use crate::{Failure, Job, input, json, print};
use clap::Args;
use std::io::Read as _;
use std::path::Path;
use stepcast::document::Document;
use stepcast::exchange::{self, File, Framework, Ignored, Import, Importance, Kind, Missing};
use stepcast::fields::Field;
use stepcast::scripting::{Exported, Imported};

/// Most ignored settings of one reason that are listed in words; JSON lists all.
const MOST_IGNORED: usize = 40;

/// Most reasons for which settings are ignored that are listed in words.
const MOST_REASONS: usize = 20;

/// What is imported.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The file, - for the standard input, or a model's name on the Hugging Face Hub.
    file: String,
    /// What kind of file it is, where that is not seen: hf-config, hub, megatron-lm, megatron-bridge, torchtitan,
    /// deepspeed, accelerate, training-arguments, torchtune, axolotl, maxtext, slurm, machine, nccl-tests, training-log,
    /// trace.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    from: Option<Kind>,
    /// Another file of the same job, such as the model's config.json; may be given several times.
    #[arg(long, value_name = "FILE")]
    with: Vec<String>,
    /// A field that the file does not say, or says otherwise; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    edits: Vec<String>,
    /// A scenario that keeps what the file does not say: a share link or a JSON file.
    #[arg(long, value_name = "SCENARIO")]
    onto: Option<String>,
    /// Take what is missing from the default job, and say so.
    #[arg(long)]
    assume_defaults: bool,
    /// Print JSON: the fields, what was assumed, ignored and is missing, and the link where nothing is.
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
    Err(vec![missing(&source.file, &import.missing)])
}

fn read(source: &Source) -> Result<Import, Failure> {
    let mut given = Vec::new();
    for edit in &source.edits {
        let Some((key, text)) = edit.split_once('=') else {
            return Err(vec![format!("--set {edit} has no value; write --set KEY=VALUE.")]);
        };
        given.push((key.to_owned(), text.to_owned()));
    }
    let first = text(&source.file)?;
    let read = if source.with.is_empty() {
        exchange::import_with(&first, source.from, &given)
    } else {
        let others: Result<Vec<String>, Failure> = source.with.iter().map(|file| text(file)).collect();
        let others = others?;
        let mut files = vec![File { name: &source.file, text: &first, kind: source.from }];
        let named = source.with.iter().zip(&others);
        files.extend(named.map(|(name, text)| File { name, text, kind: None }));
        exchange::import_files(&files, &given)
    };
    read.map_err(|errors| {
        let named = |error: &exchange::ImportError| match source.with.is_empty() {
            true => format!("{}: {error}", source.file),
            false => error.to_string(),
        };
        errors.iter().map(named).collect::<Failure>()
    })
}

/// The sentence that says what to add.
fn missing(file: &str, missing: &[Missing]) -> String {
    let list: Vec<&str> = missing.iter().map(|entry| entry.text.as_str()).collect();
    let example = |entry: &Missing| match entry.field {
        "m" => "--with config.json (or --set m=llama3-8b)".to_owned(),
        "n" => "--set n=64".to_owned(),
        "g" => "--set g=dgx-h100".to_owned(),
        key => format!("--set {key}={}", Document::default().text(key)),
    };
    let add: Vec<String> = missing.iter().map(example).collect();
    format!(
        "{file}: {}. Add {}; or --onto LINK, a job that has the rest; or --assume-defaults.",
        list.join("; "),
        add.join(" ")
    )
}

fn text(file: &str) -> Result<String, Failure> {
    if file == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_OF_A_TABLE + 1).read_to_end(&mut bytes);
        read.map_err(|error| vec![format!("The standard input cannot be read: {error}.")])?;
        return String::from_utf8(bytes)
            .map_err(|_| vec!["The standard input is no text in UTF-8.".to_owned()]);
    }
    let path = Path::new(file);
    if !path.exists() && Kind::of(file) == Some(Kind::Hub) {
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
    if !import.missing.is_empty() {
        return said;
    }
    if let Err(errors) = document.scenario() {
        said += "\nNot possible as it stands\n";
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
            said += &format!("  and for {} more reasons, which --json lists\n", reasons.len() - MOST_REASONS);
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
        listed += &format!(" and {more} more, which --json lists");
    }
    wrapped(&format!("{listed}: {reason}"), 2, COLUMNS)
}

/// Writes a scenario as flags or configuration of a framework.
pub(crate) fn export(target: &Target) -> Result<String, Failure> {
    let input = input::read(&target.job)?;
    let answer = Exported::of(&input.scenario, target.framework);
    if target.json { in_order(&answer) } else { Ok(answer.text) }
}
