//! What is searched and shown, in rows above the table.

use super::say;
use crate::root::Show;
use stepcast::document::Document;
use stepcast::fields::Field;
use stepcast::number;
use stepcast::page_state::axes::chips;
use stepcast::page_state::query::{FILTER, INFEASIBLE};
use stepcast::scenario::Scenario;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The axes of the search: a click frees one, or keeps it at the form's value.
pub(crate) fn axes(job: &Scenario, document: &Document, ask: &Callback<(String, String)>) -> Html {
    html! {
        <div class="axes" role="group" aria-label="Searched fields">
            for chip in chips(job, document) {
                {
                    {
                        let (ask, next) = (ask.clone(), chip.toggle);
                        let toggle = Callback::from(move |_: MouseEvent| ask.emit(next.clone()));
                        let help = Field::find(chip.key).map(|field| field.help());
                        let value = if chip.free { "any" } else { &chip.value };
                        html! {
                            <button key={chip.key} type="button" class="chip" aria-pressed={chip.free.to_string()} title={help}
                                data-axis={chip.key} onclick={toggle}>{ format!("{}: {value}", chip.label) }</button>
                        }
                    }
                }
            }
        </div>
    }
}

/// The switch that shows layouts that do not fit.
pub(crate) fn infeasible_switch(on: bool, infeasible: usize, show: &Show) -> Html {
    let show = show.clone();
    let change = Callback::from(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        say(&show, INFEASIBLE, if on { "1" } else { "" });
    });
    html! {
        <label class="switch">
            <input type="checkbox" id="show-infeasible" checked={on} onchange={change} />
            { format!("Show {} layouts that almost fit", number::integer(infeasible as u64)) }
        </label>
    }
}

/// The filter expression.
pub(crate) fn filter_field(document: &Document, wrong: Option<&str>, show: &Show) -> Html {
    let text = document.extra(FILTER).unwrap_or_default().to_owned();
    let input = {
        let show = show.clone();
        Callback::from(move |event: InputEvent| {
            say(&show, FILTER, event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let show = show.clone();
    let clear = Callback::from(move |_: MouseEvent| say(&show, FILTER, ""));
    let emptiable = !text.is_empty();
    html! {
        <div class="filter">
            <label for="filter">{ "Filter" }</label>
            <input type="text" id="filter" value={text} oninput={input} autocomplete="off" spellcheck="false"
                placeholder="tp=8 pp>=4 mem<70 || rc=none,selective" aria-invalid={wrong.map(|_| "true")}
                aria-describedby={wrong.map(|_| "filter-error")} />
            if emptiable {
                <button type="button" class="quiet" onclick={clear}>{ "Clear" }</button>
            }
            if let Some(sentence) = wrong {
                <p class="error" id="filter-error">{ sentence }</p>
            }
        </div>
    }
}
