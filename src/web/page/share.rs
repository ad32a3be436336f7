//! Handing the scenario on: the link.

use std::rc::Rc;
use stepcast::document::Document;
use stepcast_web_kit::browser;
use stepcast_web_kit::clipboard::{Copied, copy};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlDialogElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Id of what says that the link was copied.
const SAID: &str = "share-said";

/// The button that copies the link, and what says that it has.
pub(crate) fn share(document: &Rc<Document>) -> Html {
    let document = Rc::clone(document);
    let press = Callback::from(move |_: MouseEvent| {
        let link = browser::page_address() + &document.to_link();
        copy(&link.clone(), move |copied| match copied {
            Copied::Yes => browser::say(SAID, "Link copied."),
            Copied::No => by_hand(&link),
        });
    });
    html! {
        <div class="share">
            <button type="button" id="copy-link" class="primary" onclick={press}>{ "Copy link" }</button>
            <div role="status" aria-live="polite" class="said" id={SAID}></div>
        </div>
    }
}

/// Shows the link, selected, in the document's own dialog, for browsers that do not let a page copy.
fn by_hand(link: &str) {
    let dialog =
        browser::element("by-hand-dialog").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    let area = browser::element("by-hand").and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok());
    if let (Some(dialog), Some(area)) = (dialog, area) {
        area.set_value(link);
        let _ = dialog.show_modal();
        area.select();
    }
}
