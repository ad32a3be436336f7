//! The forecast to hand on: Markdown for a document or a chat, JSON for a program.

use crate::root::PanelProps;
use stepcast::page_state::report::{Report, markdown, scenario_link};
use stepcast_web_kit::browser;
use stepcast_web_kit::clipboard::{Copied, copy, download};
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
                    <button type="button" class="quiet" onclick={copied}>{ "Copy" }</button>
                    <button type="button" class="quiet" onclick={saved}>{ "Download" }</button>
                </span>
            </div>
            <textarea class="text" {id} readonly=true rows="8" value={props.text.clone()} />
        </div>
    }
}
