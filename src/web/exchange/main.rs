//! Files and texts of other tools, read and written: a third WebAssembly module, loaded when the reader drops, pastes or
//! picks one anywhere on the page, or asks for launch flags.
//!
//! It knows nothing of the other two. It reads the page's link from the address and writes another one there, which the
//! page follows.

mod dialog;
mod flags;
mod import;

use wasm_bindgen::prelude::wasm_bindgen;

fn main() {
    stepcast_web_kit::failure::install();
}

/// Takes what the reader offers, or asks for, anywhere on the page: a text or a file to import, or the launch flags of a job.
///
/// `what` is `import` or `flags`. `text` is that of the file, nothing where it is too long to be read, or the link of the
/// job.
#[wasm_bindgen]
pub fn offer(what: &str, name: &str, text: Option<String>) {
    dialog::take(what, name, text);
}
