//! The forecast to hand on: Markdown for a document or a chat, JSON for a program, HTML that shows one view on another page.

use crate::root::PanelProps;
use stepcast::document::Document;
use stepcast::page_state::embed::{View, snippet};
use stepcast::page_state::report::{Report, markdown, scenario_link};
use stepcast_web_kit::clipboard::{Copied, copy, download};
use stepcast_web_kit::{Shared, browser};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The panel.
#[component]
pub(crate) fn ExportPanel(props: &PanelProps) -> Html {
    let texts = use_memo(props.forecast.clone(), |forecast| {
        let link = scenario_link(&forecast.document);
        let report = Report::new(&forecast.scenario, &forecast.prediction, link);
        // A forecast is numbers and texts: there is nothing in it that JSON has no form for.
        let json = serde_json::to_string_pretty(&report).unwrap_or_default();
        [markdown(forecast, &browser::page_address()), json + "\n"]
    });
    let [markdown, json] = &*texts;
    html! {
        <>
            <Text id="markdown" label="Markdown" name="forecast.md" kind="text/markdown" text={markdown.clone()} />
            <Text id="json" label="JSON, as from stepcast predict --json" name="forecast.json" kind="application/json"
                text={json.clone()} />
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
    let view = use_state_eq(|| View::Summary);
    let choose = {
        let view = view.setter();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some(entry) = View::ALL.iter().find(|entry| entry.1 == name) {
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
                        for (entry, name, label) in View::ALL {
                            <option value={name} selected={entry == *view}>{ label }</option>
                        }
                    </select>
                </span>
            </div>
            <Text id="embed" label="HTML for your page" name="forecast.html" kind="text/html" text={html} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct TextProps {
    id: &'static str,
    label: &'static str,
    name: &'static str,
    kind: &'static str,
    text: AttrValue,
}

/// A text to copy or to download.
#[component]
fn Text(props: &TextProps) -> Html {
    let said = use_state(|| "");
    {
        let said = said.setter();
        use_effect_with(props.text.clone(), move |_| said.set(""));
    }
    let copied = {
        let (said, text) = (said.setter(), props.text.clone());
        Callback::from(move |_: MouseEvent| {
            let said = said.clone();
            copy(&text, move |copied| {
                said.set(match copied {
                    Copied::Yes => "Copied.",
                    Copied::No => "Your browser does not let the page copy: select the text.",
                });
            });
        })
    };
    let saved = {
        let (text, name, kind) = (props.text.clone(), props.name, props.kind);
        Callback::from(move |_: MouseEvent| download(name, kind, &text))
    };
    let id = format!("export-{}", props.id);
    html! {
        <div>
            <div class="tools">
                <label for={id.clone()}>{ props.label }</label>
                <span role="status">{ *said }</span>
                <span class="pair">
                    <button type="button" class="quiet" id={format!("copy-{}", props.id)} onclick={copied}>{ "Copy" }</button>
                    <button type="button" class="quiet" onclick={saved}>{ "Download" }</button>
                </span>
            </div>
            <textarea class="text" {id} readonly=true rows="8" value={props.text.clone()} />
        </div>
    }
}
