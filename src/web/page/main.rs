//! The page and its worker: one binary, two entries.
//!
//! In a window it mounts the page; in a worker it serves rankings. All numbers come from the
//! library; the app holds no formulas. What is not on the first screen is drawn by another binary, `src/web/panels`.

mod announce;
mod compare;
mod embed;
mod explain;
mod header;
mod icons;
mod job;
mod link;
mod notice;
mod overview;
mod panels;
mod problems;
mod ranking;
mod root;
mod section;
mod share;
mod short_list;
mod single;
mod store;
mod summary;
mod theme;
mod whole;
mod worker;

use wasm_bindgen::JsCast as _;

fn main() {
    stepcast_web_kit::failure::install();
    match js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        Ok(scope) => worker::serve(&scope),
        Err(_) => root::mount(),
    }
}
