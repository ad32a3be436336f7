//! What stands above the results while the form holds something impossible: whose figures they are, and
//! what is wrong, with a way to each field, which may be folded away or out of sight.

use stepcast::error::FieldError;
use stepcast::fields::Field;
use stepcast::page_state::page::Outcome;
use stepcast::page_state::summary;
use stepcast_web_kit::browser;
use yew::prelude::*;

/// The banner; nothing while the form is right. `form` says whether the form is on the page.
pub(crate) fn problems(outcome: &Outcome, form: bool) -> Html {
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
                    { problem(error, form) }
                }
            </ul>
        </div>
    }
}

fn problem(error: &FieldError, form: bool) -> Html {
    let control = format!("f-{}", error.field);
    let label = Field::find(error.field).map_or(error.field, |field| field.label);
    let show = Callback::from(move |_: MouseEvent| {
        // Folds that hold a problem are open.
        if let Some(control) = browser::element(&control) {
            control.scroll_into_view();
            let _ = control.focus();
        }
    });
    html! {
        <li key={error.field}>
            if form {
                <button type="button" class="problem" onclick={show}>{ label }</button>
            } else {
                { label }
            }
            { ": " }{ &error.message }
        </li>
    }
}
