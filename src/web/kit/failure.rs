//! What the reader sees should the page ever panic: an apology and a link that reproduces it.

use crate::browser;
use std::panic::{PanicHookInfo, set_hook};

/// Reports panics on the console and on the page.
pub fn install() {
    set_hook(Box::new(report));
}

fn report(info: &PanicHookInfo<'_>) {
    console_error_panic_hook::hook(info);
    let Some(panel) = browser::element("failure") else { return };
    let _ = panel.remove_attribute("hidden");
    if let Some(text) = browser::element("failure-text") {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let address = browser::page_address();
        let fragment = browser::fragment();
        text.set_text_content(Some(&format!("{place}\n{address}{fragment}")));
    }
}
