//! Copying and downloading, with what older and locked-down browsers have.

use crate::browser;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Clipboard, HtmlElement, HtmlTextAreaElement};

/// Whether a text is on the clipboard now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// The text is there.
    Yes,
    /// The browser does not let the page copy.
    No,
}

/// Copies a text and tells how it went.
pub fn copy(text: &str, tell: impl FnOnce(Copied) + 'static) {
    let text = text.to_owned();
    spawn_local(async move {
        let written = match clipboard() {
            Some(clipboard) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
            None => false,
        };
        tell(if written || copy_by_command(&text).is_some() { Copied::Yes } else { Copied::No });
    });
}

/// The clipboard, which pages without a secure context lack.
fn clipboard() -> Option<Clipboard> {
    let navigator = browser::window()?.navigator();
    js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard")).ok()?.dyn_into().ok()
}

/// The way before there was a Clipboard API.
fn copy_by_command(text: &str) -> Option<()> {
    let document = browser::document()?;
    let body = document.body()?;
    let focused = document.active_element();
    let area: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    area.set_value(text);
    area.set_class_name("visually-hidden");
    body.append_child(&area).ok()?;
    area.select();
    let command = js_sys::Reflect::get(&document, &JsValue::from_str("execCommand")).ok()?;
    let copied = command
        .dyn_into::<js_sys::Function>()
        .and_then(|command| command.call1(&document, &JsValue::from_str("copy")))
        .is_ok_and(|done| done.is_truthy());
    area.remove();
    if let Some(focused) = focused.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = focused.focus();
    }
    copied.then_some(())
}

/// Offers a text as a file.
pub fn download(name: &str, kind: &str, text: &str) {
    let encoded = String::from(js_sys::encode_uri_component(text));
    save(name, &format!("data:{kind};charset=utf-8,{encoded}"));
}

/// Offers what a `data:` address holds as a file.
pub fn save(name: &str, address: &str) {
    let Some(document) = browser::document() else { return };
    let Ok(anchor) = document.create_element("a") else { return };
    let _ = anchor.set_attribute("href", address);
    let _ = anchor.set_attribute("download", name);
    if let Ok(anchor) = anchor.dyn_into::<HtmlElement>() {
        anchor.click();
    }
}
