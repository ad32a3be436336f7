//! What a field is: one row of the table drives the form, the link, the command line and the errors.

mod choices;
mod names;
pub mod parse;
mod table;
mod words;

pub use choices::CUSTOM;
pub use table::FIELDS;

use crate::decimal;
use crate::error::FieldError;
use crate::scenario::Scenario;
use crate::scenario::model::LayerPattern;
use crate::scenario::plan::{Modules, StageLayers};

/// One field of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Key in links, JSON and errors, for example `tp`.
    pub key: &'static str,
    /// Label on the form.
    pub label: &'static str,
    /// Unit after the control; empty when it has none.
    pub unit: &'static str,
    /// Panel it stands in.
    pub group: FieldGroup,
    /// What may be typed.
    pub kind: FieldKind,
    /// What the suffix `k` stands for in this field: 1,024 for sizes, 1,000 for the vocabulary.
    pub kilo: f64,
    /// Reads the field of a scenario.
    pub get: fn(&Scenario) -> Value,
    /// Writes the field of a scenario; a value of another kind is ignored.
    pub set: fn(&mut Scenario, Value),
}

/// The value of one field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(u32),
    /// A number in the field's unit.
    Number(f64),
    /// One of the names of a [`FieldKind::Choice`].
    Choice(&'static str),
    /// On or off.
    Flag(bool),
    /// Layers of every chunk of the pipeline.
    Layers(StageLayers),
    /// Modules of a layer.
    Modules(Modules),
    /// Which layer is of which kind.
    Pattern(LayerPattern),
}

/// Panel of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldGroup {
    /// The network that is trained.
    Model,
    /// The machines.
    Cluster,
    /// Batch, sequence, precision, software.
    Workload,
    /// The layout.
    Plan,
    /// The whole training run.
    Run,
}

impl FieldGroup {
    /// Key of the field that chooses this group's preset.
    pub fn preset_key(self) -> Option<&'static str> {
        match self {
            Self::Model => Some("m"),
            Self::Cluster => Some("g"),
            Self::Workload | Self::Plan | Self::Run => None,
        }
    }
}

/// What may be typed into a field.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// A whole number within bounds.
    Integer {
        /// Least legal value.
        min: u32,
        /// Greatest legal value.
        max: u32,
    },
    /// A number with a unit, within bounds in the field's unit.
    Quantity {
        /// Least legal value.
        min: f64,
        /// Greatest legal value.
        max: f64,
    },
    /// One of a list: value in links and label.
    Choice(&'static [(&'static str, &'static str)]),
    /// On or off (`1` or `0`).
    Flag,
    /// A list of layers per chunk, such as `15,16x2,15`; empty until there is one.
    Layers,
    /// Names of modules of a layer, such as `norms,act`; empty for none.
    Modules,
    /// A pattern of layers, such as `3ra`; empty for none.
    Pattern,
}

impl Field {
    /// The field of that key.
    pub fn find(key: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.key == key)
    }

    /// One or two sentences of help.
    pub fn help(&self) -> &'static str {
        let place = FIELDS.iter().position(|field| field.key == self.key);
        place.and_then(|place| table::HELPS.get(place)).copied().unwrap_or_default()
    }

    /// Reads what was typed.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the text and what would be legal.
    pub fn parse(&self, text: &str) -> Result<Value, FieldError> {
        parse::value(self, text)
    }

    /// Whether a text is a name of the field's list, as it stands there.
    pub(crate) fn has_choice(&self, text: &str) -> bool {
        matches!(self.kind, FieldKind::Choice(list) if list.iter().any(|entry| entry.0 == text))
    }

    /// A value's text in the words of the form: the label of a list's entry, on or off for a switch, and
    /// any other text as it stands.
    pub fn label_of<'a>(&self, text: &'a str) -> &'a str {
        match (self.kind, text.trim()) {
            (FieldKind::Choice(list), name) => {
                list.iter().find(|entry| entry.0.eq_ignore_ascii_case(name)).map_or(text, |entry| entry.1)
            }
            (FieldKind::Flag, "1") => "on",
            (FieldKind::Flag, "0") => "off",
            _ => text,
        }
    }

    /// Whether a value is of the field's kind and within its bounds.
    pub fn holds(&self, value: Value) -> bool {
        match (self.kind, value) {
            (FieldKind::Integer { min, max }, Value::Integer(number)) => (min..=max).contains(&number),
            (FieldKind::Quantity { min, max }, Value::Number(number)) => (min..=max).contains(&number),
            (FieldKind::Choice(_), Value::Choice(_))
            | (FieldKind::Flag, Value::Flag(_))
            | (FieldKind::Layers, Value::Layers(_))
            | (FieldKind::Modules, Value::Modules(_))
            | (FieldKind::Pattern, Value::Pattern(_)) => true,
            _ => false,
        }
    }

    /// Checks a value against the field's kind and bounds.
    ///
    /// # Errors
    /// A sentence that names the bounds.
    pub fn check(&self, value: Value) -> Result<(), FieldError> {
        match value {
            _ if self.holds(value) => Ok(()),
            Value::Integer(number) => Err(parse::out_of_range(self, f64::from(number))),
            Value::Number(number) => Err(parse::out_of_range(self, number)),
            Value::Choice(_) | Value::Flag(_) | Value::Layers(_) | Value::Modules(_) | Value::Pattern(_) => {
                Err(parse::wrong_kind(self))
            }
        }
    }

    /// The plainest text of the field's value in a scenario. Reading it gives the same value again,
    /// to the last bit where the field's unit can express it.
    pub fn canonical(&self, scenario: &Scenario) -> String {
        match (self.get)(scenario) {
            Value::Integer(number) => number.to_string(),
            Value::Choice(name) => name.to_owned(),
            Value::Flag(on) => if on { "1" } else { "0" }.to_owned(),
            Value::Layers(list) => list.to_string(),
            Value::Modules(set) => set.names(),
            Value::Pattern(pattern) => pattern.to_string(),
            Value::Number(number) => self.shortest(scenario, number),
        }
    }

    /// The shortest decimal that sets the scenario's own value.
    fn shortest(&self, scenario: &Scenario, number: f64) -> String {
        let found = decimal::shorter(number)
            .find(|candidate| {
                let mut copy = *scenario;
                (self.set)(&mut copy, Value::Number(*candidate));
                copy == *scenario
            })
            .unwrap_or(number);
        decimal::plain(found)
    }
}
