//! Learning in a worker: this module's own WebAssembly, started a second time.
//!
//! In: `["learn", machine, names, texts]` of sample files. Out: `"ready"` once, `[sets, of, share]` now and then, and at the
//! end the bytes of a [`Trained`]. A text other than `"ready"` says what went wrong.

use crate::learned::profiles::script;
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::learned::{Advance, SampleSet, Trainer};
use stepcast::page_state::learning::{Given, Trained};
use stepcast::scenario::cluster::presets::find;
use stepcast_web_kit::browser;
use stepcast_web_kit::worker::{Running, describe, drop_later};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Url};
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

/// What a request begins with.
pub(crate) const LEARN: &str = "learn";

/// The worker's side: learns what it is sent.
pub(crate) fn answer(message: &Array, scope: &DedicatedWorkerGlobalScope) -> JsValue {
    let machine = message.get(1).as_string().unwrap_or_default();
    let texts = |index| -> Vec<String> {
        Array::from(&message.get(index)).iter().map(|text| text.as_string().unwrap_or_default()).collect()
    };
    let files = texts(2).into_iter().zip(texts(3));
    let sets: Vec<SampleSet> = files.flat_map(|(name, text)| Given::read(&name, &text).sets).collect();
    match learn(&machine, &sets, scope) {
        Some(trained) => Uint8Array::from(trained.to_bytes().as_slice()).into(),
        None => JsValue::from_str("there is no such machine"),
    }
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

/// A place for the worker that runs.
pub(crate) type Worker = Rc<RefCell<Option<Running>>>;

/// Starts a worker on sample files, in place of the one that runs.
pub(crate) fn start(worker: &Worker, machine: &str, files: &[(String, String)], tell: Callback<Heard>) {
    match running(worker, machine, files, &tell) {
        Ok(running) => *worker.borrow_mut() = Some(running),
        Err(error) => {
            tell.emit(Heard::Failed(describe(&error)));
        }
    }
}

fn running(
    worker: &Worker,
    machine: &str,
    files: &[(String, String)],
    tell: &Callback<Heard>,
) -> Result<Running, JsValue> {
    let base = browser::document().and_then(|document| document.base_uri().ok()?).unwrap_or_default();
    let glue = Url::new_with_base(&script(), &base)?.href();
    let request = Array::of4(
        &LEARN.into(),
        &machine.into(),
        &files.iter().map(|file| JsValue::from_str(&file.0)).collect::<Array>(),
        &files.iter().map(|file| JsValue::from_str(&file.1)).collect::<Array>(),
    );
    let handles = || (Rc::clone(worker), tell.clone());
    let ((heard, told), (failed, complained)) = (handles(), handles());
    Running::start(
        &glue,
        move |data| hear(&heard, &told, &request, &data),
        move |reason| end(&failed, &complained, Heard::Failed(reason)),
    )
}

fn hear(worker: &Worker, tell: &Callback<Heard>, request: &JsValue, data: &JsValue) {
    match data.as_string() {
        Some(word) if word == "ready" => {
            if let Some(running) = worker.borrow().as_ref() {
                running.ask(request);
            }
        }
        Some(reason) => end(worker, tell, Heard::Failed(reason)),
        None => match data.dyn_ref::<Uint8Array>() {
            Some(bytes) => {
                let failed = || Heard::Failed("the worker's answer cannot be read".to_owned());
                end(worker, tell, Trained::from_bytes(&bytes.to_vec()).map_or_else(failed, Heard::Done));
            }
            None => {
                let message = Array::from(data);
                let number = |index| message.get(index).as_f64().unwrap_or(0.0);
                let (sets, of, share) = (number(0) as usize, number(1) as usize, number(2));
                tell.emit(Heard::Advance(Advance { sets, of, share }));
            }
        },
    }
}

/// Says the last word of a worker, and ends it.
fn end(worker: &Worker, tell: &Callback<Heard>, heard: Heard) {
    drop_later(worker.take());
    tell.emit(heard);
}
