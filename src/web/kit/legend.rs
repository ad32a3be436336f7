//! What the colours of a chart mean.

use std::borrow::Cow;
use yew::prelude::*;

/// One colour of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendEntry {
    /// Token of the style sheet.
    pub token: &'static str,
    /// What has the colour.
    pub label: Cow<'static, str>,
    /// A number of it; empty for none.
    pub value: String,
}

impl LegendEntry {
    /// A colour and what has it.
    pub fn new(token: &'static str, label: impl Into<Cow<'static, str>>) -> Self {
        Self { token, label: label.into(), value: String::new() }
    }

    /// With a number.
    #[must_use]
    pub fn with(self, value: String) -> Self {
        Self { value, ..self }
    }

    pub(crate) fn words(&self) -> String {
        if self.value.is_empty() { self.label.to_string() } else { format!("{} {}", self.label, self.value) }
    }
}

/// Sentences, and the colours with what they mean; nothing without either.
pub fn legend(notes: &[String], entries: &[LegendEntry]) -> Html {
    if notes.is_empty() && entries.is_empty() {
        return html! {};
    }
    html! {
        <div class="legend">
            for note in notes {
                <p key={note.clone()}>{ note }</p>
            }
            <ul>
                for entry in entries {
                    <li key={entry.label.to_string()}>
                        <svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" fill={format!("var({})", entry.token)} /></svg>
                        <span class="legend-name">{ &*entry.label }</span>
                        if !entry.value.is_empty() {
                            <span class="legend-size">{ &entry.value }</span>
                        }
                    </li>
                }
            </ul>
        </div>
    }
}
