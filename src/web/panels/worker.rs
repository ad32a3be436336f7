//! What takes long, in a worker: this module's own WebAssembly, started a second time.
//!
//! In: an array that begins with what is asked for. Out: `"ready"` once, and what each of them answers.

use crate::planning;
use crate::your_samples::training;
use js_sys::Array;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Answers requests until the page ends the worker.
pub(crate) fn serve(scope: &DedicatedWorkerGlobalScope) {
    let answering = scope.clone();
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let message = Array::from(&event.data());
        let answer = match message.get(0).as_string().unwrap_or_default().as_str() {
            training::LEARN => training::answer(&message, &answering),
            planning::PLAN => planning::answered(&message),
            _ => return,
        };
        let _ = answering.post_message(&answer);
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    let _ = scope.post_message(&JsValue::from_str("ready"));
}
