//! The job from the arguments: a link, a file or a preset, and edits on top.

use crate::files::{self, MOST_OF_A_SCENARIO, MOST_OF_A_TABLE};
use crate::flags::{self, FieldFlags};
use crate::search::search;
use crate::text::{COLUMNS, wrapped};
use crate::{Failure, JobArguments, LayoutOfJob, complain, exchange};
use std::path::Path;
use std::rc::Rc;
use stepcast::calibrate::own::OwnCalibration;
use stepcast::document::Document;
use stepcast::document::examples;
use stepcast::error::FieldError;
use stepcast::exchange::ToolFile;
use stepcast::fields::{FIELDS, Field, FieldGroup, FieldKind};
use stepcast::forecast::Predictor;
use stepcast::names;
use stepcast::number;
use stepcast::page_state::measured::has_any;
use stepcast::page_state::your_runs::predictor_of;
use stepcast::planned::{plan, to_rank};
use stepcast::scenario::Scenario;
use stepcast::scripting::{self, OwnSteps, Problem, RESTS_ON, ReadFields};

/// A job that can be run, and the form it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// The fields as typed.
    pub(crate) document: Document,
    /// The values of the fields.
    pub(crate) scenario: Scenario,
    /// Whether the layout was planned, or is still to be ranked, and not set.
    pub(crate) chosen: bool,
    /// What the measured steps of the link say of the job; nothing where none concerns it.
    own: Option<Rc<OwnCalibration>>,
    /// Price and power of a GPU, where flags set them: keys and texts.
    pub(crate) costs: Vec<(String, String)>,
}

/// Keys of fields that follow from the machine outside its own group.
const COSTS: [&str; 2] = ["usd", "watt"];

impl Input {
    /// A document's job, with its measured steps.
    pub(crate) fn of(document: Document, scenario: Scenario, chosen: bool) -> Self {
        let own = OwnSteps::Used.of(&document);
        Self { document, scenario, chosen, own, costs: Vec::new() }
    }

    /// What forecasts the job: adjusted to the measured steps of its link.
    pub(crate) fn predictor(&self) -> Predictor<'_> {
        predictor_of(self.own())
    }

    /// What the measured steps of the link say of the job.
    pub(crate) fn own(&self) -> Option<&OwnCalibration> {
        self.own.as_deref()
    }
}

/// Reads a job, applies its edits, and plans its layout where that is not set. What was not understood but does no harm, and
/// what the job leaves open, goes to the error stream.
pub(crate) fn read(job: &JobArguments) -> Result<Input, Failure> {
    with_costs(planned(&asked(job)?, &job.flags)?, job)
}

/// An input with the costs that flags set, which hold on every machine.
fn with_costs(input: Input, job: &JobArguments) -> Result<Input, Failure> {
    let costs = edits(job)?.into_iter().filter(|edit| COSTS.contains(&edit.0.as_str())).collect();
    Ok(Input { costs, ..input })
}

/// The same with the keys of fields that the job leaves open: the layout's, and those that every forecast rests on.
pub(crate) fn read_with_open(job: &JobArguments) -> Result<(Input, Vec<&'static str>), Failure> {
    let read = asked(job)?;
    let input = planned(&read, &job.flags)?;
    let of_job = |field: &&Field| field.group != FieldGroup::Model && input.document.applies(field.key);
    let is_open = |key: &str| !read.document.is_set(key) || read.open.contains(&key);
    let fields = FIELDS.iter().filter(of_job).filter(|field| field.group != FieldGroup::Run);
    let open = fields.map(|field| field.key).filter(|key| is_open(key)).collect();
    Ok((input, open))
}

/// The same of a job whose text was read from the standard input.
pub(crate) fn read_held(job: &JobArguments, text: &str) -> Result<Input, Failure> {
    let edits = edits(job)?;
    let read = open(Some(STANDARD_INPUT), text, &InputFlags::of(job, &edits))?;
    planned(&finished(job, read), &job.flags)
}

fn planned(ReadFields { document, open, .. }: &ReadFields, flags: &FieldFlags) -> Result<Input, Failure> {
    let own = OwnSteps::Used.of(document);
    let searched = |space: &_, options| search(own.as_deref(), space, options);
    let (planned, scenario) =
        plan(&predictor_of(own.as_deref()), document, searched).map_err(|errors| told(errors, flags))?;
    let (document, chosen) = (planned.pinned(), planned.is_planned());
    say_assumed(&document, open);
    if own.is_none() && has_any(&document) {
        complain(&["The measured steps in the link do not apply to this job and are not used.".to_owned()]);
    }
    Ok(Input { document, scenario, chosen, own, costs: Vec::new() })
}

/// Says which fields a job leaves open, what was taken for them, and by which flags they are set.
fn say_assumed(document: &Document, open: &[&str]) {
    let shown = |key: &&str| {
        let key = *key;
        let (field, text) = (Field::find(key)?, document.text(key));
        let said = match (field.kind, field.unit) {
            (FieldKind::Choice(_), _) => field.label_of(text).to_owned(),
            (_, "") => format!("{text} {}", field.label),
            _ if key == flags::GPUS => format!("{text} {}", field.unit),
            _ if key == "tokens" => format!("{} training tokens", number::count(text.parse().ok()?)),
            (_, unit) => format!("{} {text} {unit}", field.label.to_lowercase()),
        };
        Some(format!("{said} ({})", flags::hint(key)))
    };
    let parts: Vec<String> = open.iter().filter_map(shown).collect();
    if !parts.is_empty() {
        complain(&[wrapped(&format!("Assumed: {}.", parts.join(", ")), 0, COLUMNS).trim_end().to_owned()]);
    }
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
pub(crate) fn read_job(job: &JobArguments) -> Result<Input, Failure> {
    let ReadFields { document, open, .. } = asked(job)?;
    let (ranked, scenario) = to_rank(&document).map_err(|errors| told(errors, &job.flags))?;
    say_assumed(&ranked, &open);
    if ranked.is_planned() && !document.is_planned() {
        complain(&["The current layout is invalid for this job. The listed layouts are valid.".to_owned()]);
    }
    let chosen = ranked.is_planned();
    with_costs(Input::of(ranked, scenario, chosen), job)
}

/// What a job from the standard input is called.
pub(crate) const STANDARD_INPUT: &str = "Standard input";

/// What the command line gives in addition to a text that holds a job.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InputFlags<'a> {
    /// Further files of the job, where it is another tool's.
    pub(crate) with: &'a [String],
    /// Keys and texts of fields that are set, whatever the text says.
    pub(crate) edits: &'a [(String, String)],
    /// Number of GPUs where another tool's file states none.
    pub(crate) place: Option<&'a str>,
}

impl<'a> InputFlags<'a> {
    fn of(job: &'a JobArguments, edits: &'a [(String, String)]) -> Self {
        Self { with: &job.with, edits, place: job.place.as_deref() }
    }
}

/// The job that the arguments name, with their edits.
fn asked(job: &JobArguments) -> Result<ReadFields, Failure> {
    let edits = edits(job)?;
    let read = match (&job.scenario, &job.preset) {
        (Some(text), _) => held(text, &InputFlags::of(job, &edits))?,
        (None, _) if !job.with.is_empty() => {
            return Err(vec!["--with requires a job that is a file of another tool.".to_owned()]);
        }
        (None, Some(name)) => edited(preset(name)?, &edits),
        (None, None) if job.is_unchanged() => {
            let sentence = "No job. Use --model llama3-8b --machine dgx-h100 --gpus 8, words such as \"llama3-8b on 8 H100\", a link, a JSON file, a launch script or configuration of another tool, or --preset NAME (names: stepcast --list-presets).";
            return Err(vec![sentence.to_owned()]);
        }
        (None, None) => edited(nothing(), &edits),
    };
    Ok(finished(job, read))
}

fn finished(job: &JobArguments, mut read: ReadFields) -> ReadFields {
    complain(&read.notices);
    if job.layout == LayoutOfJob::Default {
        read.document.keep_default_layout();
    }
    read
}

/// Keys of fields and their texts, of flags and `--set`, in order.
fn edits(job: &JobArguments) -> Result<Vec<(String, String)>, Failure> {
    let mut edits: Vec<(String, String)> =
        job.flags.values().iter().map(|(key, text)| ((*key).to_owned(), text.clone())).collect();
    for edit in &job.edits {
        let Some((key, text)) = edit.split_once('=') else {
            return Err(vec![format!("--set {edit} has no value. Write --set KEY=VALUE.")]);
        };
        if Field::find(key).is_none() {
            return Err(vec![format!(
                "--set {edit}: unknown field {key}. Run stepcast --list-fields for all fields."
            )]);
        }
        edits.push((key.to_owned(), text.to_owned()));
    }
    Ok(edits)
}

fn edited(mut read: ReadFields, edits: &[(String, String)]) -> ReadFields {
    for (key, text) in edits {
        read.document.set(key, text);
        read.document.follow();
        state(&mut read.open, key, text);
    }
    read
}

/// Takes a field that is stated from those that are open; `8xH100` states the number of GPUs, too.
fn state(open: &mut Vec<&'static str>, key: &str, text: &str) {
    let counted = key == "g" && names::machine(text).is_some_and(|machine| machine.gpus.is_some());
    open.retain(|other| *other != key && !(counted && *other == flags::GPUS));
}

/// A job that states nothing.
fn nothing() -> ReadFields {
    ReadFields { document: Document::from_pairs(&[]).document, notices: Vec::new(), open: RESTS_ON.to_vec() }
}

/// The scenario of a link or file.
pub(crate) fn scenario(text: &str) -> Result<Scenario, Failure> {
    let read = held(text, &InputFlags::default())?;
    complain(&read.notices);
    planned(&read, &FieldFlags::default()).map(|input| input.scenario)
}

/// The fields of a link or file, possible together or not.
pub(crate) fn document_of(text: &str) -> Result<Document, Failure> {
    let ReadFields { document, notices, .. } = held(text, &InputFlags::default())?;
    complain(&notices);
    Ok(document)
}

fn preset(name: &str) -> Result<ReadFields, Failure> {
    let Some(example) = examples::find(name) else {
        return Err(vec![format!("Unknown preset {name}. Run stepcast --list-presets for all names.")]);
    };
    scripting::read(example.link).map_err(|problems| problems.iter().map(Problem::to_string).collect())
}

/// Ends of the names of files that hold jobs.
const FILES: [&str; 11] =
    ["json", "txt", "link", "md", "sh", "toml", "yaml", "yml", "slurm", "sbatch", "log"];

/// The job that an argument names: a file, `-` for the standard input, or the text itself.
fn held(text: &str, given: &InputFlags<'_>) -> Result<ReadFields, Failure> {
    let path = Path::new(text);
    // What ends as a file does, or starts as a path, is no job in words.
    let named_file = path.extension().is_some_and(|end| FILES.iter().any(|known| end == *known));
    let link = text.contains('#') || text.contains(';') || text.contains("://");
    if text == "-" {
        return open(Some(STANDARD_INPUT), &files::standard_input()?, given);
    }
    if !path.is_file() && (link || !(named_file || text.starts_with(['.', '/', '~']))) {
        return open(None, text, given);
    }
    if let Err(error) = path.metadata() {
        return Err(vec![format!("{text} is neither a job nor a readable file: {error}.")]);
    }
    open(Some(text), &files::text(path, MOST_OF_A_TABLE)?, given)
}

/// The job of a text, with its edits: what a file of a name holds, or an argument.
fn open(name: Option<&str>, text: &str, given: &InputFlags<'_>) -> Result<ReadFields, Failure> {
    let at = |sentence: String| name.map_or(sentence.clone(), |name| format!("{name}: {sentence}"));
    if text.trim().is_empty() {
        return Err(vec![format!("{} is empty.", name.unwrap_or("The job"))]);
    }
    if let Some(name) = name.filter(|_| of_other_tool(text)) {
        let import = exchange::job(name, text, given)?;
        let mut read = ReadFields { document: import.onto(&nothing().document), ..nothing() };
        import.fields.iter().for_each(|(key, text)| state(&mut read.open, key, text));
        read.open.retain(|key| *key != "m");
        return Ok(read);
    }
    if !given.with.is_empty() {
        return Err(vec![at("--with requires a job that is a file of another tool.".to_owned())]);
    }
    if name.is_some() && text.len() as u64 > MOST_OF_A_SCENARIO {
        let most = MOST_OF_A_SCENARIO >> 20;
        return Err(vec![at(format!("The job is larger than {most} MiB."))]);
    }
    if name.is_some() && !may_be_job(text.trim()) {
        let sentence = "This is neither a job (a link, one JSON object of fields, or words) nor a known file format. To set the format, use stepcast import --from KIND.";
        return Err(vec![at(sentence.to_owned())]);
    }
    match scripting::read(text) {
        Ok(read) => Ok(edited(read, given.edits)),
        Err(problems) => Err(problems.iter().map(|problem| at(problem.to_string())).collect()),
    }
}

/// Whether a text that was read from a file begins as a job does: as an object, or as a link or a sentence of one line.
fn may_be_job(text: &str) -> bool {
    let line = text.starts_with('#') || text.starts_with(char::is_alphanumeric);
    text.starts_with('{') || line && text.lines().count() == 1
}

/// Whether a text that was read from a file is another tool's, and no job.
pub(crate) fn of_other_tool(text: &str) -> bool {
    let text = text.trim();
    let link = text.contains('#') && !text.contains(char::is_whitespace);
    !link && ToolFile::of(text).is_some_and(|kind| kind != ToolFile::Hub)
}
