//! Export of the forecast: Markdown for a document or a chat, JSON for a program, HTML that shows one view on another
//! page.

use crate::root::PanelProps;
use stepcast::document::Document;
use stepcast::page_state::citations::bibtex;
use stepcast::page_state::embed::{EmbedView, snippet};
use stepcast::page_state::report::{Report, markdown, scenario_link};
use stepcast_web_kit::text::Text;
use stepcast_web_kit::{Shared, browser};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The panel.
#[component]
pub(crate) fn ExportPanel(props: &PanelProps) -> Html {
    let texts = use_memo(props.forecast.clone(), |forecast| {
        let link = scenario_link(&forecast.document);
        let report = Report::new(&forecast.predictor(), &forecast.scenario, &forecast.prediction, link);
        // A forecast is numbers and texts: there is nothing in it that JSON has no form for.
        let json = serde_json::to_string_pretty(&report).unwrap_or_default();
        let page = browser::page_address();
        [markdown(forecast, &page), json + "\n", bibtex(forecast, &page)]
    });
    let [markdown, json, bibtex] = &*texts;
    html! {
        <>
            <Text id="markdown" label="Markdown" name="forecast.md" kind="text/markdown" text={markdown.clone()} />
            <Text id="json" label="JSON (same as stepcast predict --json)" name="forecast.json" kind="application/json"
                text={json.clone()} />
            <Text id="bibtex" label="BibTeX entries of the sources" name="forecast.bib" kind="application/x-bibtex" text={bibtex.clone()} />
            <p>
                <button type="button" class="quiet" data-flags={props.document.to_state()}>{ "Launch flags and configuration" }</button>
            </p>
            <Embed document={props.document.clone()} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct EmbedProps {
    document: Shared<Document>,
}

/// HTML that shows one view on somebody else's page.
#[component]
fn Embed(props: &EmbedProps) -> Html {
    let view = use_state_eq(|| EmbedView::Summary);
    let choose = {
        let view = view.setter();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some(entry) = EmbedView::ALL.iter().find(|entry| entry.1 == name) {
                view.set(entry.0);
            }
        })
    };
    let html = snippet(&browser::page_address(), *view, &props.document.to_link());
    html! {
        <>
            <div class="tools">
                <span class="control">
                    <label for="embed-view">{ "View to embed" }</label>
                    <select id="embed-view" onchange={choose}>
                        for (entry, name, label, _) in EmbedView::ALL {
                            <option value={name} selected={entry == *view}>{ label }</option>
                        }
                    </select>
                </span>
            </div>
            <Text id="embed" label="HTML for your page" name="forecast.html" kind="text/html" text={html} />
        </>
    }
}
