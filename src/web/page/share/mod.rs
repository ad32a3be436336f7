//! Handing the scenario on: the link, the embed, files.

mod menu;

use menu::Menu;
use stepcast::document::Document;
use stepcast::page_state::embed::{View, snippet};
use stepcast_web_kit::clipboard::{Copied, copy};
use stepcast_web_kit::{Shared, browser};
use web_sys::{HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ShareProps {
    pub(crate) document: Shared<Document>,
}

/// What was last copied, for the live region.
#[derive(Clone, PartialEq)]
enum Said {
    Nothing,
    Done(&'static str),
    /// The browser would not copy; the reader has to.
    ByHand(String),
}

/// The buttons that copy.
#[component]
pub(crate) fn Share(props: &ShareProps) -> Html {
    let said = use_state(|| Said::Nothing);
    let view = use_state(|| View::Summary);
    let copier = {
        let said = said.clone();
        move |text: String, name: &'static str| {
            let said = said.clone();
            Callback::from(move |_: MouseEvent| {
                let said = said.clone();
                let fallback = text.clone();
                copy(&text, move |copied| {
                    said.set(match copied {
                        Copied::Yes => Said::Done(name),
                        Copied::No => Said::ByHand(fallback.clone()),
                    });
                });
            })
        }
    };
    let link = props.document.to_link();
    let page = browser::page_address();
    let html = snippet(&page, *view, &link);
    let choose = {
        let view = view.setter();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some(entry) = View::ALL.iter().find(|entry| entry.1 == name) {
                view.set(entry.0);
            }
        })
    };
    html! {
        <div class="share">
            <button type="button" id="copy-link" class="primary" onclick={copier(format!("{page}{link}"), "Link copied.")}>
                { "Copy link" }
            </button>
            <Menu title="Embed">
                <label for="embed-view">{ "View" }</label>
                <select id="embed-view" onchange={choose}>
                    for (entry, name, label) in View::ALL {
                        <option value={name} selected={entry == *view}>{ label }</option>
                    }
                </select>
                <label for="embed-html">{ "HTML for your page" }</label>
                <textarea id="embed-html" readonly=true rows="5" value={html.clone()} />
                <button type="button" id="copy-embed" class="primary" onclick={copier(html, "Embed copied.")}>{ "Copy embed" }</button>
            </Menu>
            <div role="status" aria-live="polite" class="said">
                if let Said::Done(sentence) = &*said {
                    { *sentence }
                }
            </div>
            if let Said::ByHand(text) = &*said {
                <ByHand text={text.clone()} close={said.setter()} />
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ByHandProps {
    text: String,
    close: UseStateSetter<Said>,
}

/// The text, selected, for browsers that do not let a page copy.
#[component]
fn ByHand(props: &ByHandProps) -> Html {
    let area = use_node_ref();
    {
        let area = area.clone();
        use_effect_with(props.text.clone(), move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                let _ = area.focus();
                area.select();
            }
        });
    }
    let close = {
        let close = props.close.clone();
        Callback::from(move |_: MouseEvent| close.set(Said::Nothing))
    };
    html! {
        <div class="menu-body by-hand" role="alert">
            <label for="by-hand">{ "Your browser does not let the page copy. Press Ctrl+C (or \u{2318}C):" }</label>
            <textarea id="by-hand" ref={area} readonly=true rows="4" value={props.text.clone()} />
            <button type="button" class="quiet" onclick={close}>{ "Close" }</button>
        </div>
    }
}
