//! A panel's place in a view: its heading, and what the second module draws once it is in sight.

use crate::panels::{Loaded, followed, slot, waiting};
use crate::store::Dispatch;
use stepcast::document::Document;
use stepcast::page_state::page::Action;
use stepcast::page_state::panels::{self, Panel, PanelEntry, ResultsView};
use stepcast::scenario::Scenario;
use stepcast_web_kit::browser;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::measure::use_seen;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct SectionProps {
    pub(crate) entry: PanelRow,
    /// The second module draws it.
    pub(crate) drawn: bool,
    pub(crate) loaded: Loaded,
    /// How many rows it has.
    pub(crate) count: Option<String>,
    /// What is shown until it is drawn. With it, a panel is drawn when it is asked for, and not once it is in sight.
    #[prop_or_default]
    pub(crate) placeholder: Option<Html>,
    /// Tells that it is in sight, or asked for.
    pub(crate) seen: Callback<&'static str>,
}

/// A row of the list of panels, equal to itself alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PanelRow(&'static PanelEntry);

impl PartialEq for PanelRow {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl From<&'static PanelEntry> for PanelRow {
    fn from(entry: &'static PanelEntry) -> Self {
        Self(entry)
    }
}

impl yew::html::IntoPropValue<PanelRow> for &'static PanelEntry {
    fn into_prop_value(self) -> PanelRow {
        self.into()
    }
}

/// The panel.
#[component]
pub(crate) fn PanelSection(props: &SectionProps) -> Html {
    let PanelRow(entry) = props.entry;
    let in_sight = use_seen(entry.id);
    let still = props.placeholder.is_some();
    {
        let seen = props.seen.clone();
        use_effect_with(in_sight && !still, move |now| {
            if *now {
                seen.emit(entry.id);
            }
        });
    }
    let ask = props.seen.reform(move |_: MouseEvent| {
        // The button goes, and the focus stays at the panel.
        let panel = browser::element(entry.id).and_then(|panel| panel.dyn_into::<HtmlElement>().ok());
        if let Some(panel) = panel {
            let _ = panel.focus();
        }
        entry.id
    });
    let title = format!("{}-heading", entry.id);
    html! {
        <section class="panel" id={entry.id} aria-labelledby={title.clone()} tabindex={still.then_some("-1")}>
            <div class="panel-head">
                <h2 id={title}>
                    { entry.title }
                    if let Some(count) = &props.count {
                        { " " }<span class="fold-note">{ count }</span>
                    }
                </h2>
                if still && !props.drawn {
                    <button type="button" class="quiet" onclick={ask}>{ if entry.panel == Panel::Timeline { "Zoom and inspect" } else { "Analyze" } }</button>
                }
            </div>
            if props.drawn {
                if still && !props.loaded.is_ready() {
                    { props.placeholder.clone() }
                } else {
                    { waiting(&props.loaded) }
                }
                <div id={slot(entry.id)} data-panel={entry.id}></div>
            } else if still {
                { props.placeholder.clone() }
            } else {
                <div class="panel-unseen"></div>
            }
        </section>
    }
}

/// The ways to the panels of a view, where it has several.
pub(crate) fn places(
    view: ResultsView,
    job: &Scenario,
    document: &Document,
    job_link: &str,
    dispatch: &Dispatch,
) -> Html {
    let entries: Vec<&'static PanelEntry> =
        view.panels(job).filter(|entry| !entry.panel.is_of_table()).collect();
    if entries.len() < 2 {
        return html! {};
    }
    html! {
        <nav class="places" aria-label="Parts of this view">
            for entry in entries {
                <a key={entry.id} href={panels::shown_at(document, entry).link_of(job_link)}
                    onclick={arrive(dispatch, entry.id)}>{ entry.title }</a>
            }
        </nav>
    }
}

/// Goes to a panel: the link names it from then on.
fn arrive(dispatch: &Dispatch, id: &'static str) -> Callback<MouseEvent> {
    let follow = followed(dispatch, Action::LookAt(id));
    Callback::from(move |event: MouseEvent| {
        follow.emit(event.clone());
        if let Some(panel) = browser::element(id).filter(|_| event.default_prevented()) {
            panel.scroll_into_view();
        }
    })
}
