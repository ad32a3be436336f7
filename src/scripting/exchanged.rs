//! Other tools' files, as scripts get them.

use super::{Problem, ReadFields, read};
use crate::document::Document;
use crate::error::FieldError;
use crate::exchange::{
    Assumed, Export, Framework, Ignored, Import, LeftOut, MeasuredSteps, Missing, ToolFile, export, import,
};
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked about a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AboutFile {
    /// Kind of the file; detected where there is none.
    pub kind: Option<String>,
    /// A job that has the fields that the file does not set: a link or an object.
    pub onto: Option<String>,
}

/// Job read from a file of another tool.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imported {
    /// File format.
    pub kind: ToolFile,
    /// Keys of fields and the values that the file sets.
    pub fields: BTreeMap<&'static str, String>,
    /// Assumed values that are missing in the file.
    pub assumed: Vec<Assumed>,
    /// Settings without a field.
    pub ignored: Vec<Ignored>,
    /// Required fields without a value in the file or a default of the framework.
    pub missing: Vec<Missing>,
    /// Measured steps in the file.
    pub measured: Option<MeasuredSteps>,
    /// Link that opens the job, from its `#` on; nothing while something is missing.
    pub link: Option<String>,
    /// Errors of the job; empty if the job is valid or incomplete.
    pub errors: Vec<FieldError>,
}

impl Imported {
    /// An imported file, whose job `document` says.
    pub fn of(import: &Import, document: &Document) -> Self {
        let whole = import.missing.is_empty();
        Self {
            kind: import.kind,
            fields: import.fields.iter().cloned().collect(),
            assumed: import.assumed.clone(),
            ignored: import.ignored.clone(),
            missing: import.missing.clone(),
            measured: import.measured,
            link: whole.then(|| document.to_link()),
            errors: if whole { problems(document) } else { Vec::new() },
        }
    }
}

/// What makes a job impossible; a layout that is still to be planned is no problem.
fn problems(document: &Document) -> Vec<FieldError> {
    let read = if document.is_planned() { document.values() } else { document.scenario() };
    read.err().unwrap_or_default()
}

impl AboutFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Why the file cannot be read, an unsupported kind, or what of the job below it cannot be read.
    pub fn of(&self, text: &str) -> Result<Imported, Vec<Problem>> {
        let kind = match self.kind.as_deref() {
            None => None,
            Some(name) => Some(ToolFile::from_name(name).ok_or_else(|| {
                let names = ToolFile::ALL.map(ToolFile::name).join(", ");
                vec![Problem::new(format!("{name} is not supported. Use one of {names}."))]
            })?),
        };
        let mut import = import(text, kind).map_err(|errors| {
            errors.iter().map(|error| Problem::new(error.to_string())).collect::<Vec<_>>()
        })?;
        let base = match self.onto.as_deref() {
            None => Document::from_pairs(&[]).document,
            Some(job) => {
                import.missing.clear();
                let ReadFields { document, .. } = read(job)?;
                document
            }
        };
        Ok(Imported::of(&import, &import.onto(&base)))
    }
}

/// Job as a file of a framework.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exported {
    /// Name of the framework.
    #[serde(rename = "for")]
    pub framework: &'static str,
    /// The file.
    pub text: String,
    /// Keys of fields that the file sets.
    pub fields: Vec<&'static str>,
    /// Fields that the file cannot set.
    pub not_expressed: Vec<LeftOut>,
}

impl Exported {
    /// A scenario as a framework's file.
    pub fn of(scenario: &Scenario, framework: Framework) -> Self {
        let Export { text, said, left_out } = export(scenario, framework);
        Self { framework: framework.name(), text, fields: said, not_expressed: left_out }
    }
}
