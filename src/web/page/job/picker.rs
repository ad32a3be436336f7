//! What a part of the sentence opens: a list to search, or the fields themselves.

use super::list::{Search, list};
use crate::form::field::FieldRow;
use crate::store::{Dispatch, use_dispatch};
use stepcast::document::Document;
use stepcast::error::FieldError;
use stepcast::fields::Field;
use stepcast::page_state::job::{COUNTS, Part};
use stepcast::page_state::page::Action;
use stepcast_web_kit::measure::set_length;
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, Node};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) part: &'static Part,
    /// Where the button of the part stands: its left edge and its lower one, CSS pixels.
    pub(crate) at: i32,
    pub(crate) under: i32,
    pub(crate) document: Shared<Document>,
    pub(crate) errors: Shared<[FieldError]>,
    /// Closes it, and says whether the part's button takes the focus.
    pub(crate) close: Callback<bool>,
    pub(crate) show_fields: Callback<Option<&'static str>>,
}

/// The part that is open.
#[component]
pub(crate) fn Picker(props: &Props) -> Html {
    let dispatch = use_dispatch();
    let search = use_state_eq(Search::default);
    let place = use_node_ref();
    {
        let (place, at, under) = (place.clone(), props.at, props.under);
        use_effect_with((at, under), move |_| settle(&place, at, under));
    }
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
            // The part's own button closes it by itself.
            let stays =
                next.is_some_and(|next| browser::element("job").is_some_and(|job| job.contains(Some(&next))));
            if !stays {
                close.emit(false);
            }
        })
    };
    let all = {
        let (show_fields, close) = (props.show_fields.clone(), props.close.clone());
        let key = props.part.key;
        Callback::from(move |_: MouseEvent| {
            close.emit(false);
            show_fields.emit(Some(key));
        })
    };
    html! {
        <div class="picker" id="picker" role="dialog" aria-label={props.part.name} tabindex="-1" ref={place}
            onkeydown={keys} onfocusout={left}>
            if props.part.is_list() {
                { list(props, &search, &dispatch) }
            } else {
                { fields(props, &dispatch) }
            }
            <p class="picker-foot">
                <button type="button" class="quiet" onclick={all}>{ "All its fields" }</button>
            </p>
        </div>
    }
}

/// Puts the part in its place, and the focus on the first of its controls, whichever that is.
fn settle(place: &NodeRef, at: i32, under: i32) {
    if let Some(place) = place.cast::<HtmlElement>() {
        set_length(&place, "--at", at);
        set_length(&place, "--under", under);
    }
    let first = browser::document()
        .and_then(|document| document.query_selector("#picker input, #picker button").ok()?)
        .and_then(|first| first.dyn_into::<HtmlElement>().ok());
    if let Some(first) = first {
        let _ = first.focus();
    }
}

/// The part's fields, as on the form.
fn fields(props: &Props, dispatch: &Dispatch) -> Html {
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
        html! { <FieldRow key={field.key} name={field.key} place="p" {text} {echo} {error} /> }
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
                            let (dispatch, close) = (dispatch.clone(), props.close.clone());
                            move |_: MouseEvent| {
                                dispatch.emit(Action::Choose { key: "n", text: text.to_owned() });
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
