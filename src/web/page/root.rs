//! The page put together.

use crate::embed::embedded;
use crate::link::use_link;
use crate::store::{Dispatch, Store};
use crate::theme::use_theme;
use crate::whole::{use_around, whole};
use gloo::events::{EventListener, EventListenerOptions};
use std::rc::Rc;
use stepcast::page_state::embed::requested;
use stepcast::page_state::opening::read;
use stepcast::page_state::page::{Action, Page};
use stepcast::page_state::summary;
use stepcast_web_kit::browser;
use stepcast_web_kit::hooks::use_effect_with;
use wasm_bindgen::JsCast as _;
use yew::prelude::*;

/// Puts the page in the place of the text that stood there while it loaded.
pub(crate) fn mount() {
    if let Some(place) = browser::element("app") {
        yew::Renderer::<App>::with_root(place.into()).render();
    }
}

/// The whole page, or the one view in its address.
#[component]
pub(crate) fn App() -> Html {
    let store = use_reducer(|| {
        let fragment = browser::fragment();
        Store(Rc::new(if fragment.is_empty() { Page::new() } else { Page::opened(read(&fragment)) }))
    });
    let dispatch = {
        let dispatcher = store.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let (theme, choose_theme, colours) = use_theme();
    let page = &store.0;
    use_link(page, &dispatch);
    use_shortcuts(&dispatch);
    use_title(page);
    let view = requested(&browser::query());
    let around = use_around(page, &dispatch, view.is_none(), colours);
    match view {
        Some(view) => embedded(view, page, &dispatch, colours),
        None => html! {
            <>
                <a class="skip" href="#results" onclick={skip}>{ "Skip to the forecast" }</a>
                { whole(page, &around, &dispatch, (theme, &choose_theme)) }
            </>
        },
    }
}

/// Moves to the results without touching the fragment, which holds the scenario.
fn skip(event: MouseEvent) {
    event.prevent_default();
    if let Some(results) = browser::element("results") {
        let _ = results.focus();
    }
}

/// Names the tab after the forecast, once there is one without problems.
#[hook]
fn use_title(page: &Page) {
    let forecast = page.outcome.forecast.as_ref().filter(|_| !page.outcome.stale());
    let title =
        forecast.map_or_else(|| "stepcast".to_owned(), |forecast| summary::title(&page.document, forecast));
    use_effect_with(title, |title| {
        if let Some(document) = browser::document() {
            document.set_title(title);
        }
    });
}

/// Ctrl+Z and Ctrl+Shift+Z (or Ctrl+Y), with Command on a Mac.
#[hook]
fn use_shortcuts(dispatch: &Dispatch) {
    let dispatch = dispatch.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = browser::window().map(|window| {
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
                if !(event.ctrl_key() || event.meta_key()) || event.alt_key() {
                    return;
                }
                let action = match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
                    ("z", false) => Action::Undo,
                    ("z", true) | ("y", false) => Action::Redo,
                    _ => return,
                };
                event.prevent_default();
                dispatch.emit(action);
            })
        });
        move || drop(listener)
    });
}
