//! What the page shows only when asked: a second WebAssembly module, loaded when the first of its parts is
//! opened.
//!
//! The page tells it everything with one call, [`draw`], after each change. A part answers with pairs of
//! the link (see [`stepcast::page_state::parts::asked`]). All numbers come from the library.

mod controls;
mod files;
mod lines;
mod panels;
mod profiles;
mod root;
mod scatter;
mod sheet;
mod training;

use js_sys::Function;
use root::{Root, Scene, Slot};
use std::cell::RefCell;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;

fn main() {
    stepcast_web_kit::failure::install();
    // In a worker there is nothing to draw on: it learns.
    if let Ok(scope) = js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        training::serve(&scope);
    }
}

thread_local! {
    static APP: RefCell<Option<yew::AppHandle<Root>>> = const { RefCell::new(None) };
    static SLOTS: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) };
}

/// Draws the parts of a possible scenario, and goes on doing so until the next call.
///
/// `link` holds the scenario and the view state. `colours` changes when the page's colours do. Each of
/// `slots` is an empty element whose attribute `data-part` names a part; a slot that is not named again is
/// left. `tell` takes a key and a text of the link.
#[wasm_bindgen]
pub fn draw(link: &str, colours: u32, slots: Vec<Element>, tell: Function) {
    let slots = SLOTS.with_borrow_mut(|known| {
        *known = slots.into_iter().map(|element| Slot::new(element, known)).collect();
        known.clone()
    });
    let scene = Scene { link: link.into(), colours, slots, tell };
    APP.with_borrow_mut(|app| match app {
        Some(app) => app.update(scene),
        None => *app = root::mount(scene),
    });
}
