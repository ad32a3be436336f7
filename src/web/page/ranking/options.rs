//! What is searched and shown, in rows above the table.

use crate::store::Dispatch;
use stepcast::document::Document;
use stepcast::fields::Field;
use stepcast::number;
use stepcast::page_state::page::Action;
use stepcast::page_state::query::{FILTER, INFEASIBLE};
use stepcast::page_state::searched::{FREE, Searched, chips};
use stepcast::scenario::Scenario;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// A change of the view state.
pub(crate) fn show(key: &str, text: impl Into<String>) -> Action {
    Action::Show { key: key.to_owned(), text: text.into() }
}

/// The axes of the search: a click frees one, or keeps it at the form's value.
pub(crate) fn axes(job: &Scenario, searched: &Searched, dispatch: &Dispatch) -> Html {
    html! {
        <div class="axes" role="group" aria-label="What the search varies">
            for chip in chips(job, searched) {
                {
                    {
                        let (dispatch, next) = (dispatch.clone(), searched.toggled(chip.key));
                        let toggle = Callback::from(move |_: MouseEvent| dispatch.emit(show(FREE, next.clone())));
                        let help = Field::find(chip.key).map(|field| field.help);
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
pub(crate) fn infeasible_switch(on: bool, infeasible: usize, dispatch: &Dispatch) -> Html {
    let dispatch = dispatch.clone();
    let change = Callback::from(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        dispatch.emit(show(INFEASIBLE, if on { "1" } else { "" }));
    });
    html! {
        <label class="switch">
            <input type="checkbox" id="show-infeasible" checked={on} onchange={change} />
            { format!("Show {} that nearly fit", number::integer(infeasible as u64)) }
        </label>
    }
}

/// The filter expression.
pub(crate) fn filter_field(document: &Document, wrong: Option<&str>, dispatch: &Dispatch) -> Html {
    let text = document.extra(FILTER).unwrap_or_default().to_owned();
    let input = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: InputEvent| {
            dispatch.emit(show(FILTER, event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };
    let dispatch = dispatch.clone();
    let clear = Callback::from(move |_: MouseEvent| dispatch.emit(show(FILTER, "")));
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
