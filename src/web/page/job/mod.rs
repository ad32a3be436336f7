//! The job as a sentence, on top of everything: each part opens what it stands for.

mod list;
mod picker;

use crate::store::Dispatch;
use crate::summary::mini;
use picker::Picker;
use stepcast::fields::Field;
use stepcast::page_state::job::{PARTS, Part};
use stepcast::page_state::page::{AUTO, Action, Page};
use stepcast::page_state::planned::{self, all_pinned};
use stepcast::page_state::searched::FREE;
use stepcast::page_state::summary;
use stepcast_web_kit::measure::use_height;
use stepcast_web_kit::{Shared, browser};
use yew::prelude::*;

/// The job on the form, and what stands around it.
pub(crate) struct Props<'a> {
    pub(crate) page: &'a Page,
    /// The drawer with all fields is open.
    pub(crate) all_fields: bool,
    /// Opens the drawer at a field, or closes it.
    pub(crate) show_fields: &'a Callback<Option<&'static str>>,
    /// The figures are shown here, too.
    pub(crate) figures: bool,
    /// What is open of the sentence.
    pub(crate) bar: &'a Bar,
}

/// The bar that the sentence stands in: its place on the page, and the part that is open.
pub(crate) struct Bar {
    node: NodeRef,
    opened: UseStateHandle<Option<Opened>>,
}

/// The bar, with all parts closed at first.
#[hook]
pub(crate) fn use_bar() -> Bar {
    let bar = Bar { node: use_node_ref(), opened: use_state_eq(|| None::<Opened>) };
    use_height(&bar.node, "--bar");
    bar
}

/// The part that is open, and where its button ends: from the left edge and from the top of the bar, CSS pixels.
type Opened = (&'static Part, i32, i32);

/// The sentence, the layout in words, and the part that is open.
pub(crate) fn job(props: &Props<'_>, dispatch: &Dispatch) -> Html {
    let Props { page, all_fields, .. } = *props;
    let opened = &props.bar.opened;
    let close = {
        let (opened, key) = (opened.setter(), opened.map(|opened| opened.0.key));
        Callback::from(move |refocus: bool| {
            opened.set(None);
            let button = key.filter(|_| refocus).and_then(|key| browser::element(&button_id(key)));
            if let Some(button) = button {
                let _ = button.focus();
            }
        })
    };
    let toggle = props.show_fields.reform(move |_: MouseEvent| (!all_fields).then_some(""));
    html! {
        <section class="job" id="job" aria-label="The job" ref={props.bar.node.clone()}>
            <p class="sentence">
                for part in &PARTS {
                    { words(part, page, opened) }
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
            if let Some((part, at, under)) = **opened {
                <Picker key={part.key} {part} {at} {under} document={Shared::from(&page.document)}
                    errors={Shared::from(&page.outcome.errors)} {close} show_fields={props.show_fields.clone()} />
            }
        </section>
    }
}

fn button_id(key: &str) -> String {
    format!("part-{key}")
}

/// One part with the words around it.
fn words(part: &'static Part, page: &Page, opened: &UseStateHandle<Option<Opened>>) -> Html {
    let open = opened.is_some_and(|opened| opened.0 == part);
    let wrong =
        page.outcome.errors.iter().any(|error| error.field == part.key || part.fields.contains(&error.field));
    let toggle = {
        let opened = opened.setter();
        Callback::from(move |_: MouseEvent| {
            let button = browser::element(&button_id(part.key));
            let at = button.map_or((0, 0), |button| {
                (button.offset_left(), button.offset_top() + button.offset_height())
            });
            opened.set((!open).then_some((part, at.0, at.1)));
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
    let auto = planned::is_auto(&page.document);
    let show = |key: &str, text: String| {
        let (dispatch, action) = (dispatch.clone(), Action::Show { key: key.to_owned(), text });
        Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()))
    };
    let layout = page.outcome.forecast.as_ref().map(|forecast| summary::plan_words(&forecast.scenario));
    let pinned = if auto { all_pinned(&page.document) } else { Vec::new() };
    html! {
        <p class="plan" id="plan">
            <strong>{ if auto { "Planned for you: " } else { "Your layout: " } }</strong>
            { layout }
            for key in pinned {
                { " " }
                <button type="button" class="pinned" {key} onclick={show(FREE, planned::toggled(&page.document, key))}
                    title="You set it. A click leaves it to the page again.">
                    { format!("{} pinned", Field::find(key).map_or(key, |field| field.label)) }
                    <span aria-hidden="true">{ " \u{d7}" }</span>
                </button>
            }
            if !auto {
                { " " }
                <button type="button" class="suggestion" id="plan-for-me" onclick={show(AUTO, "1".to_owned())}>
                    { "Plan it for me" }
                </button>
            }
        </p>
    }
}
