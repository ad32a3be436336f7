//! The choices for a setting of the job: a list to search.

mod list;

use crate::form::Ask;
use list::{PickerSearch, list};
use stepcast::document::{Document, MODEL_NAME};
use stepcast::page_state::job::JobPart;
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
            { list(props, &search) }
            if props.part.key == "m" && props.document.has_custom_model() {
                { name(props) }
            }
            <p class="picker-foot">
                <button type="button" class="quiet" onclick={all}>{ "More options" }</button>
            </p>
        </div>
    }
}

/// What a custom model is called.
fn name(props: &Props) -> Html {
    let ask = props.ask.clone();
    let named = Callback::from(move |event: Event| {
        let text = event.target_unchecked_into::<HtmlInputElement>().value();
        ask.emit(Action::Choose { key: MODEL_NAME, text });
    });
    html! {
        <div class="row">
            <label class="row-name" for="model-name">{ "Name" }</label>
            <span class="entry">
                <input type="text" id="model-name" autocomplete="off" spellcheck="false"
                    value={props.document.label("m").to_owned()} onchange={named} />
            </span>
        </div>
    }
}

/// Puts the focus where names are searched for.
fn focus_first() {
    let first = browser::document()
        .and_then(|document| document.query_selector("#picker-search").ok()?)
        .and_then(|first| first.dyn_into::<HtmlElement>().ok());
    if let Some(first) = first {
        let _ = first.focus();
    }
}
