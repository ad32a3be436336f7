//! Communication, known before the run: messages and the matrix. Each part is built only
//! while it is open, so that the first screen and every keystroke stay as fast as without it.

mod controls;
mod heatmap;
mod matrix;
mod messages;
mod sheet;

use crate::store::{Dispatch, Shared, use_dispatch};
use crate::theme::Colours;
use matrix::MatrixView;
use stepcast::document::Document;
use stepcast::error::FieldError;
use stepcast::view::page::Forecast;
use yew::prelude::*;

/// What every part is made from.
#[derive(Properties, Clone, PartialEq)]
pub(crate) struct PartProps {
    /// Holds the view state.
    pub(crate) document: Shared<Document>,
    pub(crate) forecast: Shared<Forecast>,
    pub(crate) colours: Colours,
}

impl PartProps {
    /// A value of the view state; empty for the default.
    fn state(&self, key: &str) -> &str {
        self.document.extra(key).unwrap_or_default()
    }
}

/// The group of parts.
pub(crate) fn communication(
    document: &Shared<Document>,
    forecast: &Shared<Forecast>,
    colours: Colours,
) -> Html {
    let view = PartProps { document: document.clone(), forecast: forecast.clone(), colours };
    let part = |id, title, body: fn(&PartProps, &Dispatch) -> Html| html! { <Part {id} {title} body={Body(body)} view={view.clone()} /> };
    html! {
        <section class="panel communication" id="communication" aria-labelledby="communication-title">
            <h2 id="communication-title">{ "Communication" }</h2>
            { part("messages", "Messages of one rank", messages::messages) }
            { part("matrix", "Communication matrix", |view, _| html! { <MatrixView ..view.clone() /> }) }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct Props {
    id: &'static str,
    title: &'static str,
    body: Body,
    view: PartProps,
}

/// How the inside of a part is made.
struct Body(fn(&PartProps, &Dispatch) -> Html);

// Each part has one body for as long as it lives.
impl PartialEq for Body {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A part that is built while it is looked at.
#[component]
fn Part(props: &Props) -> Html {
    let dispatch = use_dispatch();
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.setter();
        Callback::from(move |event: Event| {
            let details = event.target_unchecked_into::<web_sys::Element>();
            // Folds inside bubble their own events up to here.
            if details.class_list().contains("part") {
                open.set(details.has_attribute("open"));
            }
        })
    };
    html! {
        <details class="fold-panel part" id={props.id} ontoggle={toggle}>
            <summary><h3>{ props.title }</h3></summary>
            if *open {
                <div class="part-body">{ (props.body.0)(&props.view, &dispatch) }</div>
            }
        </details>
    }
}

/// What stands in the way, as sentences.
fn problems(errors: &[FieldError]) -> Html {
    html! {
        for error in errors {
            <p class="error">{ &error.message }</p>
        }
    }
}
