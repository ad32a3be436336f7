//! What stands above the results while the form holds something impossible: whose figures they are, and
//! what is wrong, with a way to each field, which may be out of sight.

use crate::whole::ShowFields;
use stepcast::error::FieldError;
use stepcast::fields::Field;
use stepcast::page_state::page::PageOutcome;
use stepcast::page_state::summary;
use yew::prelude::*;

/// The banner; nothing while the form is right. `show_fields` opens the form at a field, where the page has one.
pub(crate) fn problems(outcome: &PageOutcome, show_fields: Option<&ShowFields>) -> Html {
    if !outcome.stale() {
        return html! {};
    }
    html! {
        <div class="problems" id="problems">
            if let Some(forecast) = &outcome.forecast {
                <p><strong>{ "Stale. " }{ summary::last_valid(forecast) }</strong></p>
            }
            <ul>
                for error in outcome.errors.iter() {
                    { problem(error, show_fields) }
                }
            </ul>
        </div>
    }
}

fn problem(error: &FieldError, show_fields: Option<&ShowFields>) -> Html {
    let label = Field::find(error.field).map_or(error.field, |field| field.label);
    let key = error.field;
    let show = show_fields.map(|show| show.reform(move |_: MouseEvent| Some(key)));
    html! {
        <li key={error.field}>
            if let Some(show) = show {
                <button type="button" class="problem" onclick={show}>{ label }</button>
            } else {
                { label }
            }
            { ": " }{ &error.message }
        </li>
    }
}
