//! A job as launch flags and configuration of a framework, to copy or to download.

use stepcast::exchange::{Framework, export};
use stepcast::page_state::page::PageForecast;
use stepcast_web_kit::Shared;
use stepcast_web_kit::text::Text;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct FlagsProps {
    /// Sets texts on one page apart.
    pub(crate) id: &'static str,
    pub(crate) forecast: Shared<PageForecast>,
}

/// The framework, initially that of the job's stack, and its file. What the file cannot express is in its comments.
#[component]
pub(crate) fn Flags(props: &FlagsProps) -> Html {
    let chosen = use_state_eq(|| None::<Framework>);
    let scenario = props.forecast.scenario;
    let framework = chosen.unwrap_or_else(|| Framework::of_stack(scenario.software.stack));
    let choose = {
        let chosen = chosen.setter();
        Callback::from(move |event: Event| {
            chosen.set(Framework::from_name(&event.target_unchecked_into::<HtmlSelectElement>().value()));
        })
    };
    let export = export(&scenario, framework);
    let id = format!("{}-framework", props.id);
    html! {
        <>
            <div class="tools">
                <span class="control">
                    <label for={id.clone()}>{ "Framework" }</label>
                    <select {id} onchange={choose}>
                        for entry in Framework::ALL {
                            <option value={entry.name()} selected={entry == framework}>{ entry.label() }</option>
                        }
                    </select>
                </span>
            </div>
            <Text id={props.id} label={framework.label()} name={framework.file_name()} kind="text/plain" text={export.text} />
        </>
    }
}
