//! An import that is being made.

use super::harmless;
use super::missing::{self, Missing};
use super::settings::{Number, Setting, Settings, quoted};
use super::{Assumed, Ignored, Import, ImportError, Importance, MeasuredSteps, Said, ToolFile, of_field};
use crate::document::Document;
use crate::fields::{CUSTOM, FIELDS, Field, FieldGroup};
use crate::names::NameKind;
use crate::scenario::Scenario;
use crate::scenario::model::{Model, presets};

/// Fields, notes and complaints so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    fields: Vec<(&'static str, String)>,
    /// Keys given with the file, which override it.
    given: Vec<&'static str>,
    /// Fields whose settings have a value that is not in the file.
    unresolved: Vec<Missing>,
    /// Whether the global batch follows once the number of GPUs is known.
    pub(super) batch_follows: bool,
    /// Whether another file has what this one leaves out.
    pub(super) is_part: bool,
    /// Where fields were read, for complaints.
    sources: Vec<(&'static str, Setting)>,
    assumed: Vec<Assumed>,
    ignored: Vec<Ignored>,
    errors: Vec<ImportError>,
    pub(super) measured: Option<MeasuredSteps>,
    /// What the model is called, where it is no row of the table.
    pub(super) name: Option<String>,
}

/// What is said of parameters that another tool keeps on an SSD.
pub(super) const PARAMETERS_ON_SSD: &str = "NVMe offload of parameters is treated as CPU offload.";

impl Draft {
    /// A draft that begins with fields that are given with the file.
    pub(super) fn with(given: &[(String, String)]) -> Self {
        let mut draft = Self::default();
        for (key, text) in given {
            let Some(field) = Field::find(key) else {
                let message = "Unknown field.".to_owned();
                draft.error(ImportError { line: None, name: Some(key.clone()), message });
                continue;
            };
            draft.give(field, text);
        }
        draft
    }

    /// Takes a field that is given with the file. A name means there what it means in a form: a row of the table, and the
    /// fields in which a model or machine differs from its row.
    fn give(&mut self, field: &'static Field, text: &str) {
        if NameKind::of_field(field.key).is_none() {
            self.put(field.key, text);
            self.given.push(field.key);
            return;
        }
        let mut form = Document::default();
        let gpus = form.text("n").to_owned();
        form.set(field.key, text);
        let own = form.text(field.key) == CUSTOM && text != CUSTOM;
        self.put(field.key, form.text(field.key));
        let others = FIELDS.iter().filter(|other| other.key != field.key);
        let differs = |other: &&Field| match other.key {
            "n" => form.text("n") != gpus,
            "usd" | "watt" => field.group == FieldGroup::Cluster && form.edited(other.key),
            key => other.group == field.group && form.applies(key) && (own || form.edited(key)),
        };
        for other in others.filter(differs) {
            self.put(other.key, form.text(other.key));
        }
        self.given.push(field.key);
    }

    /// Whether what a file says of a field is of no account, as it or the whole model is given with the file.
    fn is_given(&self, field: &Field) -> bool {
        let has = |key: &str| self.given.contains(&key);
        has(field.key) || field.group == FieldGroup::Model && has("m")
    }

    /// Types a text into a field, as a setting says.
    pub(super) fn set(&mut self, key: &'static str, text: impl ToString, source: &Setting) {
        self.source(key, source);
        self.put(key, text.to_string());
    }

    /// Whether FSDP keeps parameters, gradients and optimizer in the host's memory: all of them or none.
    pub(super) fn put_on_host(&mut self, offload: bool) {
        self.put("oo", u8::from(offload));
        self.put("op", u8::from(offload));
    }

    /// Types a text into a field that no one setting says alone.
    pub(super) fn put(&mut self, key: &'static str, text: impl ToString) {
        let Some(field) = Field::find(key).filter(|field| !self.is_given(field)) else { return };
        let text = text.to_string();
        if let Err(error) = field.parse(&text) {
            let source = self.sources.iter().find(|source| source.0 == key).map(|source| &source.1);
            let (line, name) = source.map_or((None, key), |source| (source.line, source.path.as_str()));
            let error = of_field(&error, line, name);
            self.errors.push(error);
            return;
        }
        self.fields.retain(|entry| entry.0 != key);
        if key == "rc" && text == "full" {
            // Of every layer, until a reader says otherwise.
            self.put("rcn", 1);
        }
        self.fields.push((field.key, text));
    }

    /// Remembers where a field is read, for complaints.
    pub(super) fn source(&mut self, key: &'static str, source: &Setting) {
        self.sources.retain(|entry| entry.0 != key);
        self.sources.push((key, source.clone()));
    }

    /// Types a whole number into a field.
    pub(super) fn number(&mut self, key: &'static str, number: &Number) {
        self.set(key, number.value, &number.setting);
    }

    /// Types what a framework does where the file says nothing, and says so.
    pub(super) fn assume(&mut self, key: &'static str, text: impl ToString, why: &str) {
        if Field::find(key).is_some_and(|field| self.is_given(field)) {
            return;
        }
        let text = text.to_string();
        let told = Field::find(key).map_or(text.as_str(), |field| field.label_of(&text)).to_owned();
        self.put(key, &text);
        self.assumed.push(Assumed { field: Some(key), text: format!("{told}: {why}.") });
    }

    /// Forgets all fields but those that a setting says, and `others`.
    pub(super) fn keep_said(&mut self, others: &[&str]) {
        let of_model = |key: &str| Field::find(key).is_some_and(|field| field.group == FieldGroup::Model);
        let said: Vec<&str> = self.sources.iter().map(|source| source.0).collect();
        let kept = |key: &str| of_model(key) || said.contains(&key) || others.contains(&key);
        let given = |key: &str| self.given.contains(&key);
        self.fields.retain(|entry| kept(entry.0) || given(entry.0));
        self.assumed.retain(|note| note.field.is_none_or(kept));
        self.batch_follows = false;
    }

    /// Says what was taken for something that the file leaves open.
    pub(super) fn note(&mut self, field: Option<&'static str>, text: impl Into<String>) {
        self.assumed.push(Assumed { field, text: text.into() });
    }

    /// What is said so far, to return to by [`Draft::unsay`].
    pub(super) fn notes(&self) -> usize {
        self.assumed.len()
    }

    /// Takes back what was said since.
    pub(super) fn unsay(&mut self, notes: usize) {
        self.assumed.truncate(notes);
    }

    /// Says that a field's setting has a value that is not in the file, such as a variable.
    pub(super) fn unresolved(&mut self, key: &'static str, setting: &Setting) {
        let text = format!("{}: the file does not define {}", setting.path, quoted(setting.value()));
        self.lacks(key, text);
    }

    /// Says why a field does not follow from the file, without a full stop.
    pub(super) fn lacks(&mut self, key: &'static str, text: String) {
        let given = self.given.contains(&key);
        self.fields.retain(|entry| entry.0 != key || given);
        if !self.unresolved.iter().any(|entry| entry.field == key && entry.text == text) {
            self.unresolved.push(Missing { field: key, text, open: true });
        }
    }

    /// Whether a field is missing for the value of a setting.
    fn is_asked_for(&self, setting: &Setting) -> bool {
        self.unresolved.iter().any(|entry| {
            entry.text.strip_prefix(setting.path.as_str()).is_some_and(|rest| rest.starts_with(':'))
        })
    }

    /// Says that the global batch follows once the number of GPUs is known, which the file does not say.
    pub(super) fn await_gpus(&mut self, text: impl Into<String>) {
        self.batch_follows = true;
        self.note(Some("gb"), text);
    }

    /// Says why a setting that was understood is left out.
    pub(super) fn ignore(&mut self, setting: &Setting, text: impl Into<String>) {
        self.leave_out(setting, Importance::Matters, text.into());
    }

    fn leave_out(&mut self, setting: &Setting, importance: Importance, text: String) {
        let ignored = Ignored { name: setting.path.clone(), line: setting.line, importance, text };
        if !self.ignored.contains(&ignored) {
            self.ignored.push(ignored);
        }
    }

    /// A complaint that ends the import, after all of them are found.
    pub(super) fn error(&mut self, error: ImportError) {
        self.errors.push(error);
    }

    /// What a field has so far.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|entry| entry.0 == key).map(|entry| entry.1.as_str())
    }

    /// The whole number that a field has so far.
    pub(super) fn whole(&self, key: &str) -> Option<u32> {
        self.text(key)?.parse().ok()
    }

    /// The whole number that a field has so far, and 1 without one.
    pub(super) fn degree(&self, key: &str) -> u32 {
        self.whole(key).unwrap_or(1).max(1)
    }

    /// The whole number of a field that is given with the file.
    pub(super) fn given(&self, key: &str) -> Option<u32> {
        self.whole(key).filter(|_| self.given.contains(&key))
    }

    /// Types a whole shape into the model's fields, with its preset's name where it is one's.
    pub(super) fn model(&mut self, model: &Model) {
        self.fields_of(model, |_| true);
    }

    /// Types what is known of a shape into the model's fields: what settings say, and `others`.
    pub(super) fn part_of_model(&mut self, model: &Model, others: &[&str]) {
        let said: Vec<&str> = self.sources.iter().map(|source| source.0).collect();
        self.fields_of(model, |key| said.contains(&key) || others.contains(&key));
    }

    fn fields_of(&mut self, model: &Model, wanted: impl Fn(&str) -> bool) {
        let Ok(scenario) = Document::default().values() else { return };
        let scenario = Scenario { model: *model, ..scenario };
        let document = Document::from_scenario(&scenario);
        // A value that the file lacks is left open.
        let of_model = |key: &&str| Field::find(key).is_some_and(|field| field.group == FieldGroup::Model);
        let open: Vec<&str> = self.unresolved.iter().map(|entry| entry.field).filter(of_model).collect();
        let wanted = |field: &&Field| !open.contains(&field.key) && wanted(field.key);
        let of_model = FIELDS.iter().filter(|field| field.group == FieldGroup::Model);
        for field in of_model.filter(wanted) {
            if field.key == "m" {
                let name = presets::name_of(model).filter(|_| open.is_empty());
                self.put("m", name.unwrap_or(CUSTOM));
            } else if document.applies(field.key) {
                self.put(field.key, field.canonical(&scenario));
            }
        }
    }

    /// The import: fields in form order; settings that nobody asked for are listed, with the reason that `why` knows.
    pub(super) fn finish(
        mut self,
        kind: ToolFile,
        settings: &Settings,
        why: impl Fn(&Setting) -> Option<String>,
    ) -> Result<Import, Vec<ImportError>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        for setting in settings.unused() {
            let (importance, text) = if harmless::names_configuration(&setting.path, setting.value()) {
                (Importance::Matters, "This file contains job settings. Import it too (--with).".to_owned())
            } else if let Some(text) = why(setting) {
                (Importance::Harmless, text)
            } else if !setting.is_unresolved() {
                (Importance::Unknown, "Not supported.".to_owned())
            } else if self.is_asked_for(setting) {
                continue;
            } else {
                let text = format!("The file does not define {}.", quoted(setting.value()));
                (Importance::Matters, text)
            };
            self.leave_out(setting, importance, text);
        }
        self.assumed.retain(|note| !self.unresolved.iter().any(|entry| note.field == Some(entry.field)));
        let missing = missing::of(kind, &self.fields, self.unresolved, self.batch_follows);
        let place = |key: &str| FIELDS.iter().position(|field| field.key == key);
        self.fields.sort_by_key(|entry| place(entry.0));
        self.ignored.sort_by_key(|entry| (entry.importance, entry.line));
        let Self { fields, sources, assumed, ignored, measured, name, .. } = self;
        let said = |(field, setting): (&'static str, Setting)| Said {
            field,
            name: setting.path,
            line: setting.line,
        };
        let sources = sources.into_iter().map(said).collect();
        Ok(Import { kind, fields, sources, assumed, ignored, missing, measured, name })
    }
}
