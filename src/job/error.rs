//! Errors as values: each names the field it concerns and what would be legal there.

use serde::Serialize;

/// One thing wrong with one field of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldError {
    /// Key of the field in [`crate::fields::FIELDS`], for example `"tp"`.
    pub field: &'static str,
    /// Error and solution, in a sentence.
    pub message: String,
    /// Nearest valid values; may be empty.
    pub suggestions: Vec<String>,
}

impl FieldError {
    /// An error without suggestions.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into(), suggestions: Vec::new() }
    }

    /// An error with the legal values nearest to the one given.
    #[must_use]
    pub fn suggest(mut self, values: impl IntoIterator<Item = String>) -> Self {
        self.suggestions = values.into_iter().collect();
        self
    }
}

impl core::fmt::Display for FieldError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl core::error::Error for FieldError {}
