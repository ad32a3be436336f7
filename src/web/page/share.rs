//! Handing the scenario on: the link.

use std::rc::Rc;
use stepcast::document::Document;
use stepcast_web_kit::browser;
use stepcast_web_kit::clipboard::{Copied, copy, download};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlDialogElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Longest address that is sent as it is; a longer one is saved as a file, too. Characters.
const LONGEST_SENT: usize = 8192;

#[wasm_bindgen]
extern "C" {
    /// An address as it is copied: one with a long link has it packed (`static/offer.js`).
    #[wasm_bindgen(js_name = "packedAddress")]
    async fn packed_address(address: &str) -> JsValue;
}

/// Id of what says that the link was copied.
const SAID: &str = "share-said";

/// The button that copies the link, and what says that it has.
pub(crate) fn share(document: &Rc<Document>) -> Html {
    let document = Rc::clone(document);
    let state = document.to_state();
    let press = Callback::from(move |_: MouseEvent| {
        let plain = browser::page_address() + &document.to_link();
        spawn_local(async move {
            let link = packed_address(&plain).await.as_string().unwrap_or_default();
            let long = link.len() > LONGEST_SENT;
            if long {
                download("stepcast-job.txt", "text/plain", &plain);
            }
            copy(&link.clone(), move |copied| match copied {
                Copied::Yes if long => browser::say(
                    SAID,
                    "Link copied and saved as a file. To open the job, drop the file on the page.",
                ),
                Copied::Yes => browser::say(SAID, "Link copied."),
                Copied::No => by_hand(&link),
            });
        });
    });
    html! {
        <div class="share">
            <button type="button" id="import" class="quiet" data-import="" title="Import a file or text from another tool">{ "Import" }</button>
            <button type="button" id="flags" class="quiet" data-flags={state} title="Export launch flags or a configuration">{ "Flags" }</button>
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
