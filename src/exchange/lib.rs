//! Other tools' files: what they say of a job as fields, and a scenario as their flags and configuration.
//!
//! A reader takes a file apart into settings, turns those it knows into fields, and says of every other one
//! that it was ignored, and of every field that the file leaves to its framework what was assumed.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod draft;
mod formats;
mod harmless;
mod hub;
mod kind;
mod megatron;
mod missing;
mod parts;
mod read;
mod settings;
mod together;
mod write;

pub use hub::shape as hub_shape;
pub use kind::ToolFile;
pub use missing::Missing;
pub use together::{File, import_files};
pub use write::{Export, Framework, LeftOut, export};

use crate::document::Document;
use crate::error::FieldError;
use crate::fields::Field;
use serde::Serialize;
use stepcast_job::{decimal, document, error, fields, names, number, order, scenario};

/// Longest file that is read, bytes. Traces are longest.
pub const LONGEST: usize = 64 << 20;

/// What a file says of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// What kind of file it is.
    pub kind: ToolFile,
    /// Keys of fields and the texts that the file types into them, in form order.
    pub fields: Vec<(&'static str, String)>,
    /// Which settings said fields; nothing of a field that follows from several, or is assumed.
    pub sources: Vec<Said>,
    /// What the file leaves open, and what was taken for it.
    pub assumed: Vec<Assumed>,
    /// Settings that no field says, those that matter first.
    pub ignored: Vec<Ignored>,
    /// What the job needs and neither the file nor its framework's defaults say.
    pub missing: Vec<Missing>,
    /// Measured steps in the file.
    pub measured: Option<MeasuredSteps>,
    /// What the file calls a model that is no row of the table.
    pub name: Option<String>,
}

/// The setting that said a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// Key of the field.
    pub field: &'static str,
    /// Name of the setting, as a path from the top of the file.
    pub name: String,
    /// Line number, from 1.
    pub line: Option<u32>,
}

/// Value that is missing in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Assumed {
    /// Field of the value, if any.
    pub field: Option<&'static str>,
    /// Assumed value and reason.
    pub text: String,
}

impl Assumed {
    /// Heading of the note: most are assumptions, and some name what is not modelled.
    pub fn heading(&self) -> &'static str {
        if UNSUPPORTED.iter().any(|begin| self.text.starts_with(begin)) { "" } else { "Assumed: " }
    }
}

/// How notes begin that name what is not modelled.
const UNSUPPORTED: [&str; 2] = ["Not supported: ", "Not counted: "];

/// Setting without a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ignored {
    /// Name of the setting, as a path from the top of the file.
    pub name: String,
    /// Line number, from 1.
    pub line: Option<u32>,
    /// Relevance for the forecast.
    pub importance: Importance,
    /// Reason.
    pub text: String,
}

/// Relevance of an ignored setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Importance {
    /// It was understood, and changes the time or the memory of a step.
    Matters,
    /// Nothing is known of it here.
    Unknown,
    /// It is known to change neither.
    Harmless,
}

impl Importance {
    /// What a list of such settings is headed by.
    pub fn label(self) -> &'static str {
        match self {
            Self::Matters => "Changes the forecast",
            Self::Unknown => "Unknown",
            Self::Harmless => "Does not change the forecast",
        }
    }
}

/// Measured steps of a log or a trace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Measured"))]
pub struct MeasuredSteps {
    /// Median duration of the steps behind the first ones \[s\].
    pub step_seconds: f64,
    /// Number of steps in the median.
    pub steps: u32,
}

/// Why a file cannot be read: the place and a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportError {
    /// Line of the file, from 1, where there is one.
    pub line: Option<u32>,
    /// Name of the setting, where it is one.
    pub name: Option<String>,
    /// A whole sentence.
    pub message: String,
}

impl core::fmt::Display for ImportError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match (self.line, &self.name) {
            (Some(line), Some(name)) => write!(f, "Line {line}, {name}: {}", self.message),
            (Some(line), None) => write!(f, "Line {line}: {}", self.message),
            (None, Some(name)) => write!(f, "{name}: {}", self.message),
            (None, None) => f.write_str(&self.message),
        }
    }
}

impl core::error::Error for ImportError {}

impl Import {
    /// A document with the fields of this file, and all others as they are in another.
    pub fn onto(&self, document: &Document) -> Document {
        let mut document = document.clone();
        for (key, text) in &self.fields {
            document.set(key, text);
        }
        document.follow();
        document.name_custom_model(self.name.as_deref().unwrap_or_default());
        document
    }

    /// Text of a field; nothing where the file does not say it.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.0 == key).map(|field| field.1.as_str())
    }
}

/// Reads another tool's file; of the kind that is given, or else of the one that it looks like.
///
/// # Errors
/// The file is of no known kind or cannot be read: sentences with line and name.
pub fn import(text: &str, kind: Option<ToolFile>) -> Result<Import, Vec<ImportError>> {
    import_with(text, kind, &[])
}

/// The same, with fields that are given with the file: keys and texts, which hold whatever the file says, and from which
/// more may follow, as the global batch does from the number of GPUs.
///
/// # Errors
/// Those of [`import`]; a given field does not exist, or its text cannot be read.
pub fn import_with(
    text: &str,
    kind: Option<ToolFile>,
    given: &[(String, String)],
) -> Result<Import, Vec<ImportError>> {
    if text.len() > LONGEST {
        return Err(vec![sentence(format!("The file is larger than {} MiB.", LONGEST >> 20))]);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    together::script_with_documents(text, kind, given).unwrap_or_else(|| import_alone(text, kind, given))
}

/// Reads a single file: files that it writes are not included.
fn import_alone(
    text: &str,
    kind: Option<ToolFile>,
    given: &[(String, String)],
) -> Result<Import, Vec<ImportError>> {
    match kind.or_else(|| ToolFile::of(text)) {
        Some(kind) => read::read(text, kind, given),
        None => Err(vec![sentence(format!(
            "Unknown file format. Set it with --from: {}.",
            ToolFile::ALL.map(ToolFile::name).join(", ")
        ))]),
    }
}

fn sentence(message: String) -> ImportError {
    ImportError { line: None, name: None, message }
}

/// A field's complaint about a setting's value.
fn of_field(error: &FieldError, line: Option<u32>, name: &str) -> ImportError {
    let label = Field::find(error.field).map_or("", |field| field.label);
    let message = if label.is_empty() {
        error.message.clone()
    } else {
        format!("{} ({}).", error.message.trim_end_matches('.'), error.field)
    };
    ImportError { line, name: Some(name.to_owned()), message }
}
