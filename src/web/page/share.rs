//! Handing the scenario on: the link.

use stepcast::document::Document;
use stepcast_web_kit::clipboard::{Copied, copy};
use stepcast_web_kit::{Shared, browser};
use web_sys::HtmlTextAreaElement;
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
    let said = use_state_eq(|| Said::Nothing);
    let area = use_node_ref();
    {
        let area = area.clone();
        use_effect_with((*said).clone(), move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                let _ = area.focus();
                area.select();
            }
        });
    }
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
    html! {
        <div class="share">
            <button type="button" id="copy-link" class="primary" onclick={copier(format!("{page}{link}"), "Link copied.")}>
                { "Copy link" }
            </button>
            <div role="status" aria-live="polite" class="said">
                if let Said::Done(sentence) = &*said {
                    { *sentence }
                }
            </div>
            if let Said::ByHand(text) = &*said {
                { by_hand(text, &area, said.setter()) }
            }
        </div>
    }
}

/// The text, selected, for browsers that do not let a page copy.
fn by_hand(text: &str, area: &NodeRef, close: UseStateSetter<Said>) -> Html {
    let close = Callback::from(move |_: MouseEvent| close.set(Said::Nothing));
    html! {
        <div class="menu-body by-hand" role="alert">
            <label for="by-hand">{ "Your browser does not let the page copy. Press Ctrl+C (or \u{2318}C):" }</label>
            <textarea id="by-hand" ref={area} readonly=true rows="4" value={text.to_owned()} />
            <button type="button" class="quiet" onclick={close}>{ "Close" }</button>
        </div>
    }
}
