//! Learning in a worker: this module's own WebAssembly, started a second time.
//!
//! In: `["learn", machine, names, texts]` of sample files. Out: `"ready"` once, `[sets, of, share]` now and then, and at the
//! end the bytes of a [`Trained`]. A text other than `"ready"` says what went wrong.

use crate::worker::{self, WordReader, WorkerSlot, WorkerWord};
use js_sys::{Array, Uint8Array};
use stepcast::learned::{Advance, SampleSet, Trainer};
use stepcast::page_state::learning::{GivenFile, Trained};
use stepcast::scenario::cluster::presets::find;
use stepcast_web_kit::browser;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::DedicatedWorkerGlobalScope;
use yew::Callback;

/// Milliseconds between two words on how far it has come.
const BETWEEN_MS: f64 = 50.0;

/// What the worker says.
#[derive(Debug)]
pub(crate) enum TrainingMessage {
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
    let sets: Vec<SampleSet> = files.flat_map(|(name, text)| GivenFile::read(&name, &text).sets).collect();
    match learn(&machine, &sets, scope) {
        Some(trained) => Uint8Array::from(trained.to_bytes().as_slice()).into(),
        None => JsValue::from_str("unknown machine"),
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
    let source = format!("custom samples, measured on {}", preset.label);
    let (profile, outcomes) = trainer.finish("own", &source, preset.name);
    Some(Trained { profile, outcomes })
}

/// Starts a worker on sample files, in place of the one that runs.
pub(crate) fn start(
    worker: &WorkerSlot,
    machine: &str,
    files: &[(String, String)],
    tell: &Callback<TrainingMessage>,
) {
    let request = Array::of4(
        &LEARN.into(),
        &machine.into(),
        &files.iter().map(|file| JsValue::from_str(&file.0)).collect::<Array>(),
        &files.iter().map(|file| JsValue::from_str(&file.1)).collect::<Array>(),
    );
    worker::ask(worker, request, WordReader { word, failed: TrainingMessage::Failed }, tell);
}

fn word(data: &JsValue) -> WorkerWord<TrainingMessage> {
    if let Some(bytes) = data.dyn_ref::<Uint8Array>() {
        let failed = || TrainingMessage::Failed("the worker returned an invalid response".to_owned());
        return WorkerWord::Last(
            Trained::from_bytes(&bytes.to_vec()).map_or_else(failed, TrainingMessage::Done),
        );
    }
    let message = Array::from(data);
    let number = |index| message.get(index).as_f64().unwrap_or(0.0);
    let (sets, of, share) = (number(0) as usize, number(1) as usize, number(2));
    WorkerWord::More(TrainingMessage::Advance(Advance { sets, of, share }))
}
