//! Several files of one job: a launch script and the model's `config.json`, or a script and the JSON that it writes.

use super::formats::shell;
use super::{Assumed, Import, ImportError, Missing, ToolFile, import_alone, import_with, missing};
use crate::fields::{FIELDS, Field, FieldGroup};

/// A file of a job.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its name, for complaints.
    pub name: &'a str,
    /// What it holds.
    pub text: &'a str,
    /// Its kind, where that is known.
    pub kind: Option<ToolFile>,
}

/// Reads the files of one job together. A model's file says the model; of other fields, what a setting says holds before
/// what follows or is assumed, and the first file before the others.
///
/// # Errors
/// Those of [`import_with`], each with the name of its file; no file is given.
pub fn import_files(files: &[File<'_>], given: &[(String, String)]) -> Result<Import, Vec<ImportError>> {
    import_by(import_with, files, given)
}

/// Reads one file of a kind with what is given in addition.
type Reader = fn(&str, Option<ToolFile>, &[(String, String)]) -> Result<Import, Vec<ImportError>>;

fn import_by(
    reader: Reader,
    files: &[File<'_>],
    given: &[(String, String)],
) -> Result<Import, Vec<ImportError>> {
    let first = read_all(reader, files, |_| given.to_vec())?;
    // What one file lacks and another says may settle more of it, as the batch that follows from the number of GPUs.
    let again = read_all(reader, files, |index| {
        let mut given = given.to_vec();
        let Some(own) = first.get(index) else { return given };
        let lacking = |key: &str| own.missing.iter().any(|entry| entry.field == key);
        for other in first.iter().enumerate().filter(|other| other.0 != index).map(|other| other.1) {
            let model = ["m", "layers", "hidden", "heads"].iter().any(|key| lacking(key))
                && ["layers", "hidden", "heads"].iter().all(|key| other.text(key).is_some());
            for (key, text) in &other.fields {
                let of_model = Field::find(key).is_some_and(|field| field.group == FieldGroup::Model);
                let wanted = if of_model { model } else { lacking(key) };
                let wanted = wanted && (!own.leaves_open(key) || is_said(other, key));
                if wanted && !given.iter().any(|entry| entry.0 == *key) {
                    given.push(((*key).to_owned(), text.clone()));
                }
            }
        }
        given
    })?;
    merged(again, given).ok_or_else(|| vec![super::sentence("No file.".to_owned())])
}

fn read_all(
    reader: Reader,
    files: &[File<'_>],
    given: impl Fn(usize) -> Vec<(String, String)>,
) -> Result<Vec<Import>, Vec<ImportError>> {
    let (mut imports, mut errors) = (Vec::new(), Vec::new());
    for (index, file) in files.iter().enumerate() {
        let named = |error: ImportError| {
            let name = error.name.map_or(file.name.to_owned(), |name| format!("{}, {name}", file.name));
            ImportError { name: Some(name), ..error }
        };
        match reader(file.text, file.kind, &given(index)) {
            Ok(import) => imports.push(import),
            Err(found) => errors.extend(found.into_iter().map(named)),
        }
    }
    if errors.is_empty() { Ok(imports) } else { Err(errors) }
}

/// How well a file knows a field that one of its settings says.
const SAID: u32 = 3;

/// How well a file knows a field: the greater, the better. Nothing where it does not have it.
fn knows(import: &Import, field: &Field) -> Option<u32> {
    import.text(field.key)?;
    let of_model = field.group == FieldGroup::Model && is_of_model(import.kind);
    let assumed = import.assumed.iter().any(|assumed| assumed.field == Some(field.key));
    Some(if of_model {
        4
    } else if import.sources.iter().any(|said| said.field == field.key) {
        SAID
    } else if assumed {
        0
    } else {
        // A framework's own configuration knows what a script that starts it leaves open.
        1 + u32::from(matches!(import.kind, ToolFile::Deepspeed | ToolFile::Accelerate))
    })
}

/// Whether files of a kind say a whole model.
fn is_of_model(kind: ToolFile) -> bool {
    matches!(kind, ToolFile::HfConfig | ToolFile::Hub)
}

/// Whether a setting of a file says a field.
fn is_said(import: &Import, key: &str) -> bool {
    Field::find(key).and_then(|field| knows(import, field)).is_some_and(|rank| rank >= SAID)
}

/// A script together with the configurations that it writes; nothing of a text that writes none.
pub(super) fn script_with_documents(
    text: &str,
    kind: Option<ToolFile>,
    given: &[(String, String)],
) -> Option<Result<Import, Vec<ImportError>>> {
    let (script, documents) = shell::taken_apart(text)?;
    let kind = kind.or_else(|| ToolFile::of(&script)).or(Some(ToolFile::Slurm));
    let names: Vec<String> =
        documents.iter().map(|document| format!("the file written by line {}", document.line)).collect();
    let mut files = vec![File { name: "the script", text: &script, kind }];
    for (document, name) in documents.iter().zip(&names) {
        let kind = ToolFile::of(&document.text);
        files.extend(kind.map(|kind| File { name, text: &document.text, kind: Some(kind) }));
    }
    Some(import_by(import_alone, &files, given))
}

/// The files as one import: of the kind of the first.
fn merged(imports: Vec<Import>, given: &[(String, String)]) -> Option<Import> {
    let mut whole = Import::empty(imports.first()?.kind);
    for field in FIELDS {
        let known = imports.iter().filter_map(|import| Some((knows(import, field)?, import)));
        // Of equals the first.
        let best = known.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((rank, best)) = best else { continue };
        // What one file leaves to its framework is nothing against a value that another one takes from elsewhere.
        if rank < SAID && imports.iter().any(|import| import.leaves_open(field.key)) {
            continue;
        }
        whole.take(field.key, best);
        let given = given.iter().any(|entry| entry.0 == field.key);
        if rank == SAID && !given {
            whole.assumed.extend(differing(&imports, best, field));
        }
    }
    let unresolved = missing_of(&imports);
    let kind = imports.iter().map(|import| import.kind).find(|kind| kind.is_of_job()).unwrap_or(whole.kind);
    whole.missing = missing::of(kind, &whole.fields, unresolved, true);
    let asked_for = |key: &str| whole.missing.iter().any(|entry| entry.field == key);
    let mut notes: Vec<Assumed> = Vec::new();
    for import in imports {
        for note in import.assumed {
            let settled = note.field.is_some_and(|key| whole.text(key).is_some() || asked_for(key));
            if !settled && !whole.assumed.contains(&note) && !notes.contains(&note) {
                notes.push(note);
            }
        }
        whole.ignored.extend(import.ignored);
        whole.measured = whole.measured.or(import.measured);
    }
    whole.assumed.extend(notes);
    whole.ignored.sort_by_key(|ignored| (ignored.importance, ignored.line));
    Some(whole)
}

/// What is said where another file's setting says another value of a field.
fn differing(imports: &[Import], best: &Import, field: &Field) -> Option<Assumed> {
    let other = imports
        .iter()
        .find(|other| knows(other, field) == Some(SAID) && other.text(field.key) != best.text(field.key))?;
    let (text, value) = (best.text(field.key)?, other.text(field.key)?);
    Some(Assumed {
        field: Some(field.key),
        text: format!("{text}: the files differ; another file has {value}."),
    })
}

/// What the files miss, each field once: of the model nothing where a file of its own says it.
fn missing_of(imports: &[Import]) -> Vec<Missing> {
    let mut missing: Vec<Missing> = Vec::new();
    let whole = imports.iter().any(|import| is_of_model(import.kind));
    for entry in imports.iter().flat_map(|import| &import.missing) {
        let said = whole && Field::find(entry.field).is_some_and(|field| field.group == FieldGroup::Model);
        // If one of them gives a shape in part, the rest is requested.
        let open = |key: &str| imports.iter().any(|import| import.leaves_open(key));
        let in_part = entry.field == "m" && ["layers", "hidden", "heads"].into_iter().any(open);
        if !said && !in_part && !missing.iter().any(|known| known.field == entry.field) {
            missing.push(entry.clone());
        }
    }
    missing
}

impl Import {
    fn empty(kind: ToolFile) -> Self {
        Self {
            kind,
            fields: Vec::new(),
            sources: Vec::new(),
            assumed: Vec::new(),
            ignored: Vec::new(),
            missing: Vec::new(),
            measured: None,
            name: None,
        }
    }

    /// Whether the file sets a field to something that is not in it.
    fn leaves_open(&self, key: &str) -> bool {
        self.missing.iter().any(|entry| entry.field == key && entry.open)
    }

    /// Takes a field of another import, with what is said of it.
    fn take(&mut self, key: &'static str, from: &Self) {
        self.fields.extend(from.text(key).map(|text| (key, text.to_owned())));
        if key == "m" {
            self.name.clone_from(&from.name);
        }
        self.sources.extend(from.sources.iter().filter(|said| said.field == key).cloned());
        self.assumed.extend(from.assumed.iter().filter(|note| note.field == Some(key)).cloned());
    }
}
