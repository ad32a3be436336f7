//! The job: the settings that decide it, in groups, each of which opens its choices.

use crate::panels::{Loaded, slot, waiting};
use crate::store::Dispatch;
use crate::whole::ShowFields;
use stepcast::fields::Field;
use stepcast::page_state::job::{JobPart, JobSection, PARTS, TrainingKind};
use stepcast::page_state::page::{Action, Page};
use stepcast::page_state::panels::{FORM, PICKER};
use stepcast::page_state::summary;
use stepcast::scenario::Scenario;
use stepcast_web_kit::browser;
use stepcast_web_kit::measure::set_length;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// The job on the form, and its surroundings.
pub(crate) struct Props<'a> {
    pub(crate) page: &'a Page,
    /// All fields are shown in place of those that decide.
    pub(crate) all_fields: bool,
    /// They were shown before: what was done in them stays.
    pub(crate) filled: bool,
    /// A layout is still searched for.
    pub(crate) searching: bool,
    /// Shows all fields, beginning at one, or those that decide again.
    pub(crate) show_fields: &'a ShowFields,
    /// It is over the forecast.
    pub(crate) covers: bool,
    /// Closes the pane where it has no place of its own.
    pub(crate) done: &'a Callback<bool>,
    /// The choices that are open.
    pub(crate) bar: &'a JobBar,
    /// The second module, which draws what is open.
    pub(crate) loaded: &'a Loaded,
}

/// The pane: its place on the page, and the setting whose choices are open.
pub(crate) struct JobBar {
    node: NodeRef,
    opened: UseStateHandle<Option<&'static JobPart>>,
    /// Closes what is open, and says whether its part takes the focus. Always the same.
    pub(crate) close: Callback<bool>,
}

impl JobBar {
    /// Key of the part that is open.
    pub(crate) fn open(&self) -> Option<&'static str> {
        self.opened.map(|part| part.key)
    }
}

/// The pane, with all parts closed at first.
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
    JobBar { node: use_node_ref(), opened, close }
}

/// The settings that decide, the layout, and the open choices; or all fields.
pub(crate) fn job(props: &Props<'_>, dispatch: &Dispatch) -> Html {
    let Props { all_fields, filled, .. } = *props;
    let values = props.page.document.values().ok();
    let toggle = props.show_fields.reform(move |_: MouseEvent| (!all_fields).then_some(""));
    let done = props.done.reform(|_: MouseEvent| false);
    // The choices of a setting close by themselves.
    let closes = props.covers && props.bar.opened.is_none();
    let keys = {
        let done = props.done.clone();
        Callback::from(move |event: KeyboardEvent| {
            if closes && event.key() == "Escape" {
                done.emit(false);
            }
        })
    };
    html! {
        <aside class="job" id="job" aria-label="Job" ref={props.bar.node.clone()} onkeydown={keys}>
            <div class="job-head">
                <button type="button" class="quiet" id="all-fields" aria-expanded={all_fields.to_string()}
                    aria-controls="form" onclick={toggle}>
                    { "Search all settings" }
                </button>
                <button type="button" class="primary" id="job-done" onclick={done}>{ "Done" }</button>
            </div>
            <div class="form" id="form" hidden={!all_fields}>
                if filled {
                    { waiting(props.loaded) }
                    <div id={slot(FORM)} data-panel={FORM}></div>
                }
            </div>
            <div class="job-sections" hidden={all_fields}>
                for section in JobSection::ALL {
                    { section_html(section, values.as_ref(), props, dispatch) }
                }
            </div>
            { layout(props, dispatch) }
            if let Some(part) = *props.bar.opened {
                if !props.loaded.is_ready() {
                    <div class="picker">{ waiting(props.loaded) }</div>
                }
                <div key={part.key} id={slot(part.key)} data-panel={PICKER} data-part={part.key}></div>
            }
        </aside>
    }
}

fn section_html(
    (section, title, more, first): (JobSection, &'static str, &'static str, &'static str),
    values: Option<&Scenario>,
    props: &Props<'_>,
    dispatch: &Dispatch,
) -> Html {
    let show = props.show_fields.reform(move |_: MouseEvent| Some(first));
    html! {
        <section key={title} class="job-section" aria-label={title}>
            <h2>{ title }</h2>
            for part in PARTS.iter().filter(|part| part.section == section) {
                if part.is_list() {
                    { row(part, values, props.page, props.bar) }
                } else {
                    { entry(part, values, props.page, dispatch) }
                }
            }
            if section == JobSection::Model {
                { training(props.page, dispatch) }
            }
            <button type="button" class="more" onclick={show}>{ more }</button>
        </section>
    }
}

fn button_id(key: &str) -> String {
    format!("part-{key}")
}

/// A setting: its label, and its value, which opens the choices.
fn row(part: &'static JobPart, values: Option<&Scenario>, page: &Page, bar: &JobBar) -> Html {
    let open = bar.opened.is_some_and(|opened| opened == part);
    let wrong = is_wrong(part, page);
    let toggle = {
        let (opened, node) = (bar.opened.setter(), bar.node.clone());
        Callback::from(move |_: MouseEvent| {
            // What opens is shown under its button.
            if let (Some(pane), Some(button)) =
                (node.cast::<HtmlElement>(), browser::element(&button_id(part.key)))
            {
                set_length(&pane, "--under", button.get_bounding_client_rect().bottom().round() as i32);
            }
            opened.set((!open).then_some(part));
        })
    };
    let text = part.text(&page.document);
    let unit = values.map(|job| part.unit(job)).unwrap_or_default();
    html! {
        <div class="row" key={part.key}>
            <span class="row-name">{ part.name }</span>
            <button type="button" class={classes!("part", wrong.then_some("part-wrong"))} id={button_id(part.key)}
                aria-label={format!("{}: {text} {unit}", part.name).trim_end().to_owned()} aria-haspopup="dialog" aria-expanded={open.to_string()}
                onclick={toggle}><span class="part-value">{ text }</span>{ " " }<span class="part-unit">{ unit }</span></button>
        </div>
    }
}

fn is_wrong(part: &JobPart, page: &Page) -> bool {
    page.outcome.errors.iter().any(|error| error.field == part.key)
}

/// A setting that is typed in its place.
fn entry(part: &'static JobPart, values: Option<&Scenario>, page: &Page, dispatch: &Dispatch) -> Html {
    html! {
        <div class="row" key={part.key}>
            <label class="row-name" for={entry_id(part)}>{ part.name }</label>
            <span class="entry">
                <Entry {part} text={part.typed(&page.document)} wrong={is_wrong(part, page)} dispatch={dispatch.clone()} />
                <span class="part-unit">{ values.map(|job| part.unit(job)) }</span>
            </span>
        </div>
    }
}

fn entry_id(part: &JobPart) -> String {
    format!("set-{}", part.key)
}

#[derive(Properties, PartialEq)]
struct JobEntryProps {
    part: &'static JobPart,
    /// What the job has.
    text: String,
    wrong: bool,
    dispatch: Dispatch,
}

/// The field of a setting. What stands there is selected first, so that what is typed replaces it; a page that is drawn again
/// meanwhile leaves what is being typed.
#[component]
fn Entry(props: &JobEntryProps) -> Html {
    let typing = use_state_eq(|| None::<String>);
    let typed = |event: &Event| event.target_unchecked_into::<HtmlInputElement>().value();
    let input = {
        let typing = typing.setter();
        Callback::from(move |event: InputEvent| typing.set(Some(typed(&event))))
    };
    let change = {
        let (part, dispatch, typing) = (props.part, props.dispatch.clone(), typing.setter());
        Callback::from(move |event: Event| {
            dispatch.emit(part.action(typed(&event)));
            typing.set(None);
        })
    };
    let leave = {
        let typing = typing.setter();
        Callback::from(move |_: FocusEvent| typing.set(None))
    };
    let focus = |event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().select();
    html! {
        <input type="text" id={entry_id(props.part)} size="6" autocomplete="off" spellcheck="false" enterkeyhint="done"
            placeholder="none" value={(*typing).clone().unwrap_or_else(|| props.text.clone())}
            aria-invalid={props.wrong.then_some("true")}
            oninput={input} onchange={change} onfocus={focus} onblur={leave} />
    }
}

/// All weights or adapters: a choice that brings its software, batch and sequence.
fn training(page: &Page, dispatch: &Dispatch) -> Html {
    let current = TrainingKind::of(&page.document);
    html! {
        <div class="row">
            <span class="row-name" id="training-name">{ "Training" }</span>
            <div class="segments" role="group" aria-labelledby="training-name">
                for (kind, label) in TrainingKind::ALL {
                    <button type="button" key={label} aria-pressed={(kind == current).to_string()} onclick={
                        let (dispatch, action) = (dispatch.clone(), kind.action(&page.document));
                        move |_: MouseEvent| {
                            if let Some(action) = action.clone() {
                                dispatch.emit(action);
                            }
                        }
                    }>{ label }</button>
                }
            </div>
        </div>
    }
}

/// The layout in words, whose choice it is, and what of it is pinned.
fn layout(props: &Props<'_>, dispatch: &Dispatch) -> Html {
    let page = props.page;
    let auto = page.document.is_planned();
    let leave = |key: Option<&'static str>| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::Leave(key)))
    };
    let forecast = page.outcome.forecast.as_ref();
    let words = forecast.map(|forecast| summary::plan_words(&forecast.scenario));
    let pinned: Vec<&'static str> = page.document.set_in_layout().filter(|_| auto).collect();
    let heading = match (auto, forecast.is_none_or(|forecast| forecast.prediction.memory.fits)) {
        (true, true) if props.searching => "Best layout so far",
        (true, true) if pinned.is_empty() => "Recommended layout",
        (true, true) => "Recommended layout with pinned settings",
        (true, false) => "Layout closest to fitting",
        (false, _) => "Your layout",
    };
    let show = props.show_fields.reform(|_: MouseEvent| Some("tp"));
    html! {
        <section class="job-section" id="plan" aria-label="Layout">
            <h2>{ heading }</h2>
            <p class="plan-words">{ words }</p>
            <p class="plan-acts">
                if pinned.len() > 1 {
                    <button type="button" class="more" onclick={leave(None)}>{ "Unpin all" }</button>
                }
                for key in pinned {
                    <button type="button" class="pinned" {key} onclick={leave(Some(key))}
                        title="Pinned by you. Click to unpin.">
                        { format!("{} pinned", Field::find(key).map_or(key, |field| field.label)) }
                        <span aria-hidden="true">{ " \u{d7}" }</span>
                    </button>
                }
                if !auto {
                    <button type="button" class="suggestion" id="plan-for-me" onclick={leave(None)}>
                        { "Choose layout automatically" }
                    </button>
                }
                <button type="button" class="more" hidden={props.all_fields} onclick={show}>{ "Edit layout" }</button>
            </p>
        </section>
    }
}
