//! What the colours of a chart mean.

use crate::painter::Mark;
use std::borrow::Cow;
use yew::prelude::*;

/// One colour of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendEntry {
    /// Token of the style sheet.
    pub token: &'static str,
    /// The shape that it is drawn in.
    pub mark: Mark,
    /// What has the colour.
    pub label: Cow<'static, str>,
    /// A number of it; empty for none.
    pub value: String,
}

impl LegendEntry {
    /// A colour and what has it.
    pub fn new(token: &'static str, label: impl Into<Cow<'static, str>>) -> Self {
        Self { token, mark: Mark::Square, label: label.into(), value: String::new() }
    }

    /// Drawn in another shape than a square.
    #[must_use]
    pub fn marked(self, mark: Mark) -> Self {
        Self { mark, ..self }
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

/// A mark in its colour.
fn swatch(entry: &LegendEntry) -> Html {
    let (d, filled) = match entry.mark {
        Mark::Square => ("M0 0H10V10H0Z", true),
        Mark::Disc => ("M5 0A5 5 0 0 1 5 10A5 5 0 0 1 5 0Z", true),
        Mark::Triangle => ("M5 0L10 10H0Z", true),
        Mark::Frame => ("M1 1H9V9H1Z", false),
        Mark::Ring => ("M5 1A4 4 0 0 1 5 9A4 4 0 0 1 5 1Z", false),
        Mark::Cross => ("M1 1L9 9M9 1L1 9", false),
    };
    let colour = format!("var({})", entry.token);
    let fill = if filled { colour.clone() } else { "none".to_owned() };
    html! {
        <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
            <path {d} {fill} stroke={(!filled).then_some(colour)} stroke-width="2" />
        </svg>
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
                for (place, entry) in entries.iter().enumerate() {
                    <li key={place}>
                        { swatch(entry) }
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
