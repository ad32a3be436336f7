//! What takes long, in a worker: this module's own WebAssembly, started a second time.
//!
//! In: an array that begins with what is asked for. Out: `"ready"` once, and what each of them answers; any other text says
//! what went wrong.

use crate::learned::profiles::script;
use crate::planning;
use crate::your_samples::training;
use js_sys::Array;
use std::cell::RefCell;
use std::rc::Rc;
use stepcast_web_kit::browser;
use stepcast_web_kit::worker::{Running, describe, drop_later};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Url};
use yew::Callback;

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

/// A place for the worker that runs.
pub(crate) type WorkerSlot = Rc<RefCell<Option<Running>>>;

/// What a worker says.
pub(crate) enum WorkerWord<T> {
    /// It continues.
    More(T),
    /// It has answered.
    Last(T),
}

/// How a worker's words are read.
pub(crate) struct WordReader<T> {
    /// What it says.
    pub(crate) word: fn(&JsValue) -> WorkerWord<T>,
    /// That it broke, for that reason.
    pub(crate) failed: fn(String) -> T,
}

impl<T> Clone for WordReader<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WordReader<T> {}

/// Starts a worker in place of the one that runs, and asks it; it ends with its last word.
pub(crate) fn ask<T: 'static>(
    worker: &WorkerSlot,
    request: Array,
    reading: WordReader<T>,
    tell: &Callback<T>,
) {
    match running(worker, request, reading, tell) {
        Ok(running) => *worker.borrow_mut() = Some(running),
        Err(error) => tell.emit((reading.failed)(describe(&error))),
    }
}

fn running<T: 'static>(
    worker: &WorkerSlot,
    request: Array,
    reading: WordReader<T>,
    tell: &Callback<T>,
) -> Result<Running, JsValue> {
    let base = browser::document().and_then(|document| document.base_uri().ok()?).unwrap_or_default();
    let glue = Url::new_with_base(&script(), &base)?.href();
    let handles = || (Rc::clone(worker), tell.clone());
    let ((heard, told), (failed, complained)) = (handles(), handles());
    Running::start(
        &glue,
        move |data| hear(&heard, &request, &data, reading, &told),
        move |reason| end(&failed, &complained, (reading.failed)(reason)),
    )
}

fn hear<T>(
    worker: &WorkerSlot,
    request: &JsValue,
    data: &JsValue,
    reading: WordReader<T>,
    tell: &Callback<T>,
) {
    match data.as_string() {
        Some(word) if word == "ready" => {
            if let Some(running) = worker.borrow().as_ref() {
                running.ask(request);
            }
        }
        Some(reason) => end(worker, tell, (reading.failed)(reason)),
        None => match (reading.word)(data) {
            WorkerWord::More(more) => tell.emit(more),
            WorkerWord::Last(last) => end(worker, tell, last),
        },
    }
}

/// Says the last word of a worker, and ends it.
fn end<T>(worker: &WorkerSlot, tell: &Callback<T>, last: T) {
    drop_later(worker.take());
    tell.emit(last);
}
