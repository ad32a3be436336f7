//! The page's side of the worker: starts it, asks it, hears it, and starts another when it breaks.

use js_sys::{Array, Float64Array, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::page_state::search;
use stepcast::page_state::wire;
use stepcast_web_kit::browser;
use stepcast_web_kit::worker::{Running, describe, drop_later};
use wasm_bindgen::JsValue;
use yew::Callback;

/// The worker, if one runs, and what it is to be asked.
pub(crate) struct Client {
    state: Rc<RefCell<State>>,
    report: Callback<search::Event>,
}

#[derive(Default)]
struct State {
    worker: Option<Running>,
    ready: bool,
    /// Request that waits for the worker to be ready.
    waiting: Option<Array>,
}

impl Client {
    /// A client that reports to the page.
    pub(crate) fn new(report: Callback<search::Event>) -> Self {
        Self { state: Rc::default(), report }
    }

    /// Asks for a ranking; it replaces the one before.
    pub(crate) fn ask(&self, epoch: u32, link: &str) {
        let request = Array::of2(&epoch.into(), &link.into());
        let mut state = self.state.borrow_mut();
        if state.worker.is_none() {
            match self.start() {
                Ok(worker) => state.worker = Some(worker),
                Err(error) => {
                    drop(state);
                    self.report.emit(search::Event::Fail(describe(&error)));
                    return;
                }
            }
        }
        match &state.worker {
            Some(running) if state.ready => {
                running.ask(&request);
            }
            _ => state.waiting = Some(request),
        }
    }

    /// Ends the search at once, worker and all; the next request starts another.
    pub(crate) fn stop(&self) {
        *self.state.borrow_mut() = State::default();
    }

    fn start(&self) -> Result<Running, JsValue> {
        let glue = browser::document()
            .and_then(|document| document.query_selector("link[rel=modulepreload]").ok()?)
            .and_then(|link| Reflect::get(&link, &"href".into()).ok())
            .and_then(|address| address.as_string())
            .ok_or_else(|| JsValue::from_str("the page's script was not found"))?;
        let handles = || (Rc::clone(&self.state), self.report.clone());
        let ((heard, told), (failed, complained)) = (handles(), handles());
        Running::start(
            &glue,
            move |data| hear(&heard, &told, &data),
            move |reason| fail(&failed, &complained, reason),
        )
    }
}

fn hear(state: &Rc<RefCell<State>>, report: &Callback<search::Event>, data: &JsValue) {
    match data.as_string() {
        Some(word) if word == "ready" => {
            let mut state = state.borrow_mut();
            state.ready = true;
            if let (Some(request), Some(running)) = (state.waiting.take(), &state.worker) {
                running.ask(&request);
            }
        }
        Some(reason) => fail(state, report, reason),
        None => {
            let message = Array::from(data);
            let number = |index| message.get(index).as_f64().unwrap_or(0.0);
            let numbers = Float64Array::from(message.get(4)).to_vec();
            report.emit(search::Event::Batch {
                epoch: number(0) as u32,
                rows: wire::decode(&numbers).collect(),
                done: number(1) as usize,
                total: number(2) as usize,
                elapsed_ms: number(3),
            });
        }
    }
}

fn fail(state: &Rc<RefCell<State>>, report: &Callback<search::Event>, reason: String) {
    drop_later(state.take());
    report.emit(search::Event::Fail(reason));
}
