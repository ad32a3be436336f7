//! The worker's side of the ranking: forecasts layouts in slices, so that it hears when to stop.
//!
//! In: `[epoch, link]`, where an empty link stops the search. Out: `"ready"` once, then per slice
//! `[epoch, done, total, milliseconds, candidates]` (see [`stepcast::page_state::wire`]).

use gloo::timers::callback::Timeout;
use js_sys::{Array, Float64Array};
use std::cell::RefCell;
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::page_state::wire;
use stepcast::tuner::{Free, Options, Search, Space};
use stepcast_web_kit::browser;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Length of one slice, milliseconds: how late the worker may hear of a new request.
const SLICE_MS: f64 = 25.0;

struct Job {
    epoch: f64,
    search: Search<'static>,
    started_ms: f64,
}

thread_local! {
    static JOB: RefCell<Option<Job>> = const { RefCell::new(None) };
}

/// Answers requests until the page ends the worker.
pub(crate) fn serve(scope: &DedicatedWorkerGlobalScope) {
    let answering = scope.clone();
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let message = Array::from(&event.data());
        let (Some(epoch), Some(link)) = (message.get(0).as_f64(), message.get(1).as_string()) else { return };
        let search = search_of(&link);
        let waiting = JOB.with_borrow_mut(|job| {
            let started_ms = browser::now_ms();
            job.replace(Job { epoch, search: search?, started_ms }).is_none().then_some(())
        });
        // A job that was replaced has its next slice booked already.
        if waiting.is_some() {
            slice(&answering);
        }
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    let _ = scope.post_message(&JsValue::from_str("ready"));
}

/// The search a link asks for; the page asks only with links of possible scenarios.
fn search_of(link: &str) -> Option<Search<'static>> {
    if link.is_empty() {
        return None;
    }
    let scenario = Document::from_link(link).ok()?.document.scenario().ok()?;
    let space = Space::new(&scenario, Free::default());
    Some(Predictor::SHIPPED.search(space, Options::default()))
}

fn slice(scope: &DedicatedWorkerGlobalScope) {
    let message = JOB.with_borrow_mut(|slot| {
        let job = slot.as_mut()?;
        let begun = browser::now_ms();
        let mut more = true;
        while more && browser::now_ms() - begun < SLICE_MS {
            more = job.search.advance();
        }
        let ranking = job.search.ranking();
        let mut numbers = Vec::new();
        ranking.rows.iter().chain(&ranking.unfit).for_each(|row| wire::encode(row, &mut numbers));
        let message = Array::of5(
            &job.epoch.into(),
            &(ranking.counts.layouts as f64).into(),
            &(job.search.space().len() as f64).into(),
            &(browser::now_ms() - job.started_ms).into(),
            &Float64Array::from(numbers.as_slice()),
        );
        if !more {
            *slot = None;
        }
        Some(message)
    });
    if let Some(message) = message {
        let _ = scope.post_message(&message);
        let scope = scope.clone();
        Timeout::new(0, move || slice(&scope)).forget();
    }
}
