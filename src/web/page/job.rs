//! The job as a sentence, on top of everything: each part opens its choices.

use crate::panels::{Loaded, slot, waiting};
use crate::store::Dispatch;
use crate::summary::mini;
use stepcast::fields::Field;
use stepcast::page_state::job::{PARTS, SentencePart};
use stepcast::page_state::page::{Action, Page};
use stepcast::page_state::panels::PICKER;
use stepcast::page_state::summary;
use stepcast_web_kit::browser;
use stepcast_web_kit::measure::{set_length, use_height};
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The job on the form, and its surroundings.
pub(crate) struct Props<'a> {
    pub(crate) page: &'a Page,
    /// The drawer with all fields is open.
    pub(crate) all_fields: bool,
    /// Opens the drawer at a field, or closes it.
    pub(crate) show_fields: &'a Callback<Option<&'static str>>,
    /// The figures are shown here, too.
    pub(crate) figures: bool,
    /// What is open of the sentence.
    pub(crate) bar: &'a JobBar,
    /// The second module, which draws what is open.
    pub(crate) loaded: &'a Loaded,
}

/// The bar with the sentence: its place on the page, and the open part.
pub(crate) struct JobBar {
    node: NodeRef,
    opened: UseStateHandle<Option<&'static SentencePart>>,
    /// Closes what is open, and says whether its part takes the focus. Always the same.
    pub(crate) close: Callback<bool>,
}

impl JobBar {
    /// Key of the part that is open.
    pub(crate) fn open(&self) -> Option<&'static str> {
        self.opened.map(|part| part.key)
    }
}

/// The bar, with all parts closed at first.
#[hook]
pub(crate) fn use_bar() -> JobBar {
    let opened = use_state_eq(|| None);
    let close = {
        let opened = opened.setter();
        use_callback((), move |refocus: bool, ()| {
            let part = || browser::document()?.query_selector(".part[aria-expanded=true]").ok()?;
            let part = part().and_then(|part| part.dyn_into::<HtmlElement>().ok());
            opened.set(None);
            if let Some(part) = part.filter(|_| refocus) {
                let _ = part.focus();
            }
        })
    };
    let node = use_node_ref();
    use_height(&node, "--bar");
    JobBar { node, opened, close }
}

/// The sentence, the layout in words, and the open part.
pub(crate) fn job(props: &Props<'_>, dispatch: &Dispatch) -> Html {
    let Props { page, all_fields, .. } = *props;
    let toggle = props.show_fields.reform(move |_: MouseEvent| (!all_fields).then_some(""));
    html! {
        <section class="job" id="job" aria-label="The job" ref={props.bar.node.clone()}>
            <p class="sentence">
                for part in &PARTS {
                    { words(part, page, props.bar) }
                }
            </p>
            <div class="plan-line">
                <button type="button" class="quiet" id="all-fields" aria-expanded={all_fields.to_string()}
                    aria-controls="form" onclick={toggle}>{ "All fields" }</button>
                { plan(page, dispatch) }
                if let Some(forecast) = &page.outcome.forecast {
                    { mini(forecast, page.outcome.stale(), props.figures) }
                }
            </div>
            if let Some(part) = *props.bar.opened {
                if !props.loaded.is_ready() {
                    <div class="picker">{ waiting(props.loaded) }</div>
                }
                <div key={part.key} id={slot(part.key)} data-panel={PICKER} data-part={part.key}></div>
            }
        </section>
    }
}

fn button_id(key: &str) -> String {
    format!("part-{key}")
}

/// One part with the words around it.
fn words(part: &'static SentencePart, page: &Page, bar: &JobBar) -> Html {
    let open = bar.opened.is_some_and(|opened| opened == part);
    let wrong =
        page.outcome.errors.iter().any(|error| error.field == part.key || part.fields.contains(&error.field));
    let toggle = {
        let (opened, node) = (bar.opened.setter(), bar.node.clone());
        Callback::from(move |_: MouseEvent| {
            // An opened part is shown under its button.
            if let (Some(bar), Some(button)) = (node.cast(), browser::element(&button_id(part.key))) {
                set_length(&bar, "--at", button.offset_left());
                set_length(&bar, "--under", button.offset_top() + button.offset_height());
            }
            opened.set((!open).then_some(part));
        })
    };
    let text = part.text(&page.document);
    html! {
        <span class="words" key={part.key}>
            if !part.before.is_empty() {
                { part.before }{ " " }
            }
            <button type="button" class={classes!("part", wrong.then_some("part-wrong"))} id={button_id(part.key)}
                aria-label={format!("{}: {text}", part.name)} aria-haspopup="dialog" aria-expanded={open.to_string()}
                onclick={toggle}>{ text }</button>
            if !part.after.is_empty() {
                { " " }{ part.after }
            }
        </span>
    }
}

/// The layout in words, whose choice it is, and what of it is pinned.
fn plan(page: &Page, dispatch: &Dispatch) -> Html {
    let auto = page.document.is_planned();
    let leave = |key: Option<&'static str>| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::Leave(key)))
    };
    let layout = page.outcome.forecast.as_ref().map(|forecast| summary::plan_words(&forecast.scenario));
    let pinned: Vec<&'static str> = page.document.set_in_layout().filter(|_| auto).collect();
    html! {
        <p class="plan" id="plan">
            <span class="plan-words">
                <strong>{ if auto { "Recommended layout: " } else { "Your layout: " } }</strong>
                { layout }
            </span>
            for key in pinned {
                { " " }
                <button type="button" class="pinned" {key} onclick={leave(Some(key))}
                    title="You set it. A click leaves it to the page again.">
                    { format!("{} pinned", Field::find(key).map_or(key, |field| field.label)) }
                    <span aria-hidden="true">{ " \u{d7}" }</span>
                </button>
            }
            if !auto {
                { " " }
                <button type="button" class="suggestion" id="plan-for-me" onclick={leave(None)}>
                    { "Choose layout automatically" }
                </button>
            }
        </p>
    }
}
