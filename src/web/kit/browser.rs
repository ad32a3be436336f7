//! The few browser services the page uses, each without a way to panic.

use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Document, HtmlElement, Storage, Window};

/// The window; `None` in a worker.
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The HTML document.
pub fn document() -> Option<Document> {
    window()?.document()
}

/// The element of that id.
pub fn element(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Puts a text into the element of that id, which is nobody else's to fill.
pub fn say(id: &str, text: &str) {
    if let Some(element) = element(id) {
        element.set_text_content(Some(text));
    }
}

/// Storage that outlives the page; `None` where it is switched off.
pub fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

/// The fragment of the page's address, with its `#`.
pub fn fragment() -> String {
    window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The query of the page's address, with its `?`.
pub fn query() -> String {
    window().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// The page's address without query and fragment.
pub fn page_address() -> String {
    let Some(location) = window().map(|window| window.location()) else { return String::new() };
    let origin = location.origin().unwrap_or_default();
    let path = location.pathname().unwrap_or_default();
    if location.protocol().is_ok_and(|protocol| protocol == "file:") {
        return format!("file://{path}");
    }
    origin + &path
}

/// Cores that the machine says it has.
pub fn cores() -> usize {
    window().map_or(1, |window| window.navigator().hardware_concurrency() as usize)
}

/// Milliseconds since the page was opened.
pub fn now_ms() -> f64 {
    let global = js_sys::global();
    let performance = js_sys::Reflect::get(&global, &JsValue::from_str("performance")).ok();
    performance
        .and_then(|value| value.dyn_into::<web_sys::Performance>().ok())
        .map_or(0.0, |performance| performance.now())
}
