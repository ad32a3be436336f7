//! Learning in a worker: this module's own WebAssembly, started a second time.
//!
//! In: `[machine, names, texts]` of sample files. Out: `"ready"` once, `[sets, of, share]` now and then, and at the
//! end the bytes of a [`Trained`]. A text other than `"ready"` says what went wrong.

use crate::front::browser;
use crate::profiles::script;
use js_sys::{Array, Object, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::cluster::presets::find;
use stepcast::learned::{Advance, SampleSet, Trainer};
use stepcast::view::learning::{Given, Trained};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent, Url, Worker, WorkerOptions, WorkerType};
use yew::Callback;

/// Milliseconds between two words on how far it has come.
const BETWEEN_MS: f64 = 50.0;

/// What the worker says.
#[derive(Debug)]
pub(crate) enum Heard {
    Advance(Advance),
    Done(Trained),
    Failed(String),
}

/// The worker's side: learns what it is sent, once.
pub(crate) fn serve(scope: &DedicatedWorkerGlobalScope) {
    let answering = scope.clone();
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let message = Array::from(&event.data());
        let machine = message.get(0).as_string().unwrap_or_default();
        let texts = |index| -> Vec<String> {
            Array::from(&message.get(index)).iter().map(|text| text.as_string().unwrap_or_default()).collect()
        };
        let files = texts(1).into_iter().zip(texts(2));
        let sets: Vec<SampleSet> = files.flat_map(|(name, text)| Given::read(&name, &text).sets).collect();
        let answer = match learn(&machine, &sets, &answering) {
            Some(trained) => Uint8Array::from(trained.to_bytes().as_slice()).into(),
            None => JsValue::from_str("there is no such machine"),
        };
        let _ = answering.post_message(&answer);
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    let _ = scope.post_message(&JsValue::from_str("ready"));
}

fn learn(machine: &str, sets: &[SampleSet], scope: &DedicatedWorkerGlobalScope) -> Option<Trained> {
    let preset = find(machine)?;
    let mut trainer = Trainer::new(sets, &preset.cluster);
    let mut said = browser::now_ms();
    while let Some(advance) = trainer.step() {
        let now = browser::now_ms();
        if now - said > BETWEEN_MS {
            said = now;
            let Advance { sets, of, share } = advance;
            let _ =
                scope.post_message(&Array::of3(&(sets as f64).into(), &(of as f64).into(), &share.into()));
        }
    }
    let source = format!("own samples, taken on {}", preset.label);
    let (profile, outcomes) = trainer.finish("own", &source, preset.name);
    Some(Trained { profile, outcomes })
}

/// A worker that learns; dropping it ends it at once.
pub(crate) struct Running {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// A place for the worker that runs.
pub(crate) type Slot = Rc<RefCell<Option<Running>>>;

/// Starts a worker on sample files, in place of the one that runs.
pub(crate) fn start(slot: &Slot, machine: &str, files: &[(String, String)], tell: Callback<Heard>) {
    match running(slot, machine, files, tell.clone()) {
        Ok(running) => *slot.borrow_mut() = Some(running),
        Err(error) => {
            let reason = error.as_string().unwrap_or_else(|| String::from(Object::from(error).to_string()));
            tell.emit(Heard::Failed(reason));
        }
    }
}

fn running(
    slot: &Slot,
    machine: &str,
    files: &[(String, String)],
    tell: Callback<Heard>,
) -> Result<Running, JsValue> {
    let script = script();
    let base = browser::document().and_then(|document| document.base_uri().ok()?).unwrap_or_default();
    let glue = Url::new_with_base(&script, &base)?.href();
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&format!("./worker.js?{script}"), &options)?;

    let request = Array::of3(
        &machine.into(),
        &files.iter().map(|file| JsValue::from_str(&file.0)).collect::<Array>(),
        &files.iter().map(|file| JsValue::from_str(&file.1)).collect::<Array>(),
    );
    let on_message = {
        let (worker, tell, slot) = (worker.clone(), tell.clone(), Rc::clone(slot));
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            match data.as_string() {
                Some(word) if word == "ready" => {
                    let _ = worker.post_message(&request);
                }
                Some(reason) => end(&slot, &tell, Heard::Failed(reason)),
                None => match data.dyn_ref::<Uint8Array>() {
                    Some(bytes) => {
                        let failed = || Heard::Failed("the worker's answer cannot be read".to_owned());
                        let heard = Trained::from_bytes(&bytes.to_vec()).map_or_else(failed, Heard::Done);
                        end(&slot, &tell, heard);
                    }
                    None => {
                        let message = Array::from(&data);
                        let number = |index| message.get(index).as_f64().unwrap_or(0.0);
                        let (sets, of, share) = (number(0) as usize, number(1) as usize, number(2));
                        tell.emit(Heard::Advance(Advance { sets, of, share }));
                    }
                },
            }
        })
    };
    let on_error = {
        let slot = Rc::clone(slot);
        Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            let message = Reflect::get(&event, &"message".into()).ok().and_then(|text| text.as_string());
            let reason = message.unwrap_or_else(|| "the worker could not be loaded".to_owned());
            end(&slot, &tell, Heard::Failed(reason));
        })
    };
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

    // The compiled module itself goes over, so that it is neither fetched nor compiled again.
    let start = Object::new();
    Reflect::set(&start, &"glue".into(), &glue.into())?;
    Reflect::set(&start, &"module".into(), &wasm_bindgen::module())?;
    worker.post_message(&start)?;
    Ok(Running { worker, _on_message: on_message, _on_error: on_error })
}

/// Says the last word of a worker, and ends it.
fn end(slot: &Slot, tell: &Callback<Heard>, heard: Heard) {
    // The closure that runs now belongs to the worker, so the worker is dropped after it returns.
    let over = slot.take();
    gloo::timers::callback::Timeout::new(0, move || drop(over)).forget();
    tell.emit(heard);
}
