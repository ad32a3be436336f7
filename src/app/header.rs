//! The bar on top: name, examples, undo, sharing, theme.

use crate::share::Share;
use crate::store::{Shared, use_dispatch};
use crate::theme::{Theme, ThemePicker};
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::view::page::Action;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct HeaderProps {
    pub(crate) document: Shared<Document>,
    pub(crate) can_undo: bool,
    pub(crate) can_redo: bool,
    pub(crate) theme: Theme,
    pub(crate) choose_theme: Callback<Theme>,
}

/// The bar on top of the page.
#[component]
pub(crate) fn Header(props: &HeaderProps) -> Html {
    let dispatch = use_dispatch();
    let sender = |action: Action| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()))
    };
    html! {
        <header class="header">
            <h1 class="name"><a href="./">{ "stepcast" }</a></h1>
            <p class="tagline">{ "Forecast a training step before the cluster is booked" }</p>
            <div class="header-tools">
                <Examples />
                <ThemePicker theme={props.theme} choose={props.choose_theme.clone()} />
                <span class="pair">
                    <button type="button" class="quiet" aria-label="Undo" title="Undo (Ctrl+Z)" disabled={!props.can_undo}
                        onclick={sender(Action::Undo)}>{ "\u{21b6}" }</button>
                    <button type="button" class="quiet" aria-label="Redo" title="Redo (Ctrl+Shift+Z)" disabled={!props.can_redo}
                        onclick={sender(Action::Redo)}>{ "\u{21b7}" }</button>
                </span>
                <button type="button" class="quiet" onclick={sender(Action::Reset)}>{ "Reset" }</button>
                <Share document={props.document.clone()} />
            </div>
        </header>
    }
}

/// Opens an example.
#[component]
fn Examples() -> Html {
    let dispatch = use_dispatch();
    let open = Callback::from(move |event: Event| {
        let select = event.target_unchecked_into::<HtmlSelectElement>();
        let name = select.value();
        select.set_value("");
        if let Some(example) = EXAMPLES.iter().find(|example| example.name == name) {
            dispatch.emit(Action::Begin(example.link));
        }
    });
    html! {
        <label class="examples">
            <span class="visually-hidden">{ "Open an example" }</span>
            <select onchange={open}>
                <option value="" selected=true>{ "Examples" }</option>
                for example in EXAMPLES {
                    <option value={example.name}>{ example.label }</option>
                }
            </select>
        </label>
    }
}
