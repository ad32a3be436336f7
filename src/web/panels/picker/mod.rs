//! The choices for a setting of the job: a list to search, or the fields themselves.

mod list;

use crate::form::Ask;
use crate::form::field::FieldRow;
use list::{PickerSearch, list};
use stepcast::document::Document;
use stepcast::error::FieldError;
use stepcast::fields::Field;
use stepcast::page_state::job::{COUNTS, JobPart};
use stepcast::page_state::page::Action;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, HtmlInputElement, Node};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) part: &'static JobPart,
    pub(crate) document: Shared<Document>,
    pub(crate) errors: Shared<[FieldError]>,
    pub(crate) ask: Ask,
    /// Closes it, and says whether the part's button takes the focus.
    pub(crate) close: Callback<bool>,
    /// Opens the form at a field, by its key.
    pub(crate) show_field: Callback<&'static str>,
}

/// The part that is open. The page determines its position.
#[component]
pub(crate) fn Picker(props: &Props) -> Html {
    let search = use_state_eq(PickerSearch::default);
    use_effect_with((), |()| focus_first());
    let keys = {
        let close = props.close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                close.emit(true);
            }
        })
    };
    let left = {
        let close = props.close.clone();
        Callback::from(move |event: FocusEvent| {
            let next = event.related_target().and_then(|next| next.dyn_into::<Node>().ok());
            // The button of a setting closes it.
            let stays = next
                .and_then(|next| next.dyn_into::<Element>().ok())
                .is_some_and(|next| matches!(next.closest("#picker, .part"), Ok(Some(_))));
            if !stays {
                close.emit(false);
            }
        })
    };
    let all = {
        let (show_field, close) = (props.show_field.clone(), props.close.clone());
        let key = props.part.key;
        Callback::from(move |_: MouseEvent| {
            close.emit(false);
            show_field.emit(key);
        })
    };
    html! {
        <div class="picker" id="picker" role="dialog" aria-label={props.part.name} tabindex="-1"
            onkeydown={keys} onfocusout={left}>
            if props.part.is_list() {
                { list(props, &search) }
            } else {
                { fields(props) }
            }
            <p class="picker-foot">
                <button type="button" class="quiet" onclick={all}>{ "More options" }</button>
            </p>
        </div>
    }
}

/// Puts the focus on the first of the controls, whichever that is, with its text selected: what is typed replaces it.
fn focus_first() {
    let first = browser::document()
        .and_then(|document| document.query_selector("#picker input, #picker button").ok()?)
        .and_then(|first| first.dyn_into::<HtmlElement>().ok());
    if let Some(first) = first {
        let _ = first.focus();
        if let Some(input) = first.dyn_ref::<HtmlInputElement>() {
            input.select();
        }
    }
}

/// The part's fields, as on the form.
fn fields(props: &Props) -> Html {
    let document = &props.document;
    let submit = {
        let close = props.close.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            close.emit(true);
        })
    };
    let rows = props.part.fields.iter().filter_map(|key| Field::find(key)).map(|field| {
        let error = props.errors.iter().find(|error| error.field == field.key).cloned();
        let echo = document.echo(field.key).filter(|_| error.is_none()).map(AttrValue::from);
        let text = AttrValue::from(document.text(field.key).to_owned());
        html! { <FieldRow key={field.key} ask={props.ask.clone()} name={field.key} place="p" {text} {echo} {error} /> }
    });
    html! {
        <form onsubmit={submit}>
            for row in rows {
                { row }
            }
            if props.part.key == "n" {
                <p class="counts">
                    for text in COUNTS {
                        <button type="button" class="quiet" key={text} onclick={
                            let (ask, close) = (props.ask.clone(), props.close.clone());
                            move |_: MouseEvent| {
                                ask.emit(Action::Choose { key: "n", text: text.to_owned() });
                                close.emit(true);
                            }
                        }>{ text }</button>
                    }
                </p>
            }
            // Enter in a form of several fields needs one to press.
            <button type="submit" class="visually-hidden" tabindex="-1">{ "Done" }</button>
        </form>
    }
}
