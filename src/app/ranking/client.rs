//! The page's side of the worker: starts it, asks it, hears it, and starts another when it breaks.

use crate::front::browser;
use js_sys::{Array, Float64Array, Object, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::view::search;
use stepcast::view::wire;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};
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

struct Running {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
    }
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
                let _ = running.worker.post_message(&request);
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
            .ok_or_else(|| JsValue::from_str("the page's script was not found"))?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // The glue's name holds a hash; with it, no cache gives this build another build's worker.
        let glue_url = glue.as_string().unwrap_or_default();
        let build = glue_url.rsplit('/').next().unwrap_or_default();
        let worker = Worker::new_with_options(&format!("./worker.js?{build}"), &options)?;

        let state = Rc::clone(&self.state);
        let report = self.report.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            hear(&state, &report, &event.data());
        });
        let state = Rc::clone(&self.state);
        let report = self.report.clone();
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            // A script that cannot be loaded fires an event without a message.
            let message = Reflect::get(&event, &"message".into()).ok().and_then(|text| text.as_string());
            fail(&state, &report, message.unwrap_or_else(|| "the worker could not be loaded".to_owned()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

        // The compiled module itself goes over, so that it is neither fetched nor compiled again.
        let start = Object::new();
        Reflect::set(&start, &"glue".into(), &glue)?;
        Reflect::set(&start, &"module".into(), &wasm_bindgen::module())?;
        worker.post_message(&start)?;
        Ok(Running { worker, _on_message: on_message, _on_error: on_error })
    }
}

fn hear(state: &Rc<RefCell<State>>, report: &Callback<search::Event>, data: &JsValue) {
    match data.as_string() {
        Some(word) if word == "ready" => {
            let mut state = state.borrow_mut();
            state.ready = true;
            if let (Some(request), Some(running)) = (state.waiting.take(), &state.worker) {
                let _ = running.worker.post_message(&request);
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
    // The closure that runs now belongs to the worker, so the worker is dropped after it returns.
    let broken = state.take();
    gloo::timers::callback::Timeout::new(0, move || drop(broken)).forget();
    report.emit(search::Event::Fail(reason));
}

fn describe(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| String::from(Object::from(error.clone()).to_string()))
}
