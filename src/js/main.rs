//! The predictor as a JavaScript package: texts in, JSON out. `packages/js` wraps it in functions with types.
//!
//! What a call cannot do is thrown as JSON, a list of problems.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use stepcast::forecast::Predictor;
use stepcast::scripting::{JSON_VERSION, LayoutSearch, Problem, answers};
use wasm_bindgen::prelude::*;

/// Only functions of this module are called.
fn main() {}

/// Version of the JSON that goes in and out.
#[wasm_bindgen(js_name = jsonVersion)]
pub fn json_version() -> u32 {
    JSON_VERSION
}

/// The forecast of a job, as JSON.
#[wasm_bindgen]
pub fn predict(job: &str) -> Result<String, JsValue> {
    answers::predict(&Predictor::SHIPPED, job).map_err(thrown)
}

/// The forecast of a job in words and parts, as JSON.
#[wasm_bindgen]
pub fn explain(job: &str) -> Result<String, JsValue> {
    answers::explain(&Predictor::SHIPPED, job).map_err(thrown)
}

/// The messages of a rank of a job, as JSON. `options` is an object with `rank`, `mapping`, `wire` and `matrix`.
#[wasm_bindgen]
pub fn traffic(job: &str, options: &str) -> Result<String, JsValue> {
    answers::traffic(&Predictor::SHIPPED, job, options).map_err(thrown)
}

/// A question to a search, asked between two of its rounds.
type SearchQuestion = Box<dyn FnOnce(&mut LayoutSearch<'_>)>;

/// A ranking that is being made, a little at a time.
#[wasm_bindgen(js_name = Search)]
pub struct SearchHandle {
    /// Answers the question at each poll. It owns the request that the search borrows, and ends with it.
    search: Pin<Box<dyn Future<Output = ()>>>,
    question: Rc<Cell<Option<SearchQuestion>>>,
}

#[wasm_bindgen(js_class = Search)]
impl SearchHandle {
    /// The search of a job's layouts. `options` is an object with the flags of `stepcast rank`.
    #[wasm_bindgen(constructor)]
    pub fn new(job: &str, options: &str) -> Result<Self, JsValue> {
        let request = answers::search(job, options).map_err(thrown)?;
        let question = Rc::new(Cell::new(None::<SearchQuestion>));
        let asked = Rc::clone(&question);
        let search = async move {
            let mut search = request.begin(Predictor::SHIPPED);
            poll_fn(|_| {
                asked.take().into_iter().for_each(|question| question(&mut search));
                Poll::Pending
            })
            .await
        };
        Ok(Self { search: Box::pin(search), question })
    }

    fn ask<T: 'static>(&mut self, question: impl FnOnce(&mut LayoutSearch<'_>) -> T + 'static) -> Option<T> {
        let answer = Rc::new(Cell::new(None));
        let told = Rc::clone(&answer);
        self.question.set(Some(Box::new(move |search| told.set(Some(question(search))))));
        // It never ends, and waits for nothing.
        let _ = self.search.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        answer.take()
    }

    /// Layouts in the space.
    #[wasm_bindgen(getter)]
    pub fn space(&mut self) -> f64 {
        self.ask(|search| search.space() as f64).unwrap_or_default()
    }

    /// Searches a little more; whether anything was left.
    pub fn advance(&mut self) -> bool {
        self.ask(|search| search.advance()).unwrap_or_default()
    }

    /// The rows so far, as JSON.
    pub fn rows(&mut self) -> Result<String, JsValue> {
        self.ask(|search| search.rows()).unwrap_or_else(|| Ok(String::new())).map_err(thrown)
    }

    /// The rows at the end, and which to take, as JSON.
    pub fn ranking(&mut self) -> Result<String, JsValue> {
        self.ask(|search| search.ranking()).unwrap_or_else(|| Ok(String::new())).map_err(thrown)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it ends here")]
fn thrown(problems: Vec<Problem>) -> JsValue {
    JsValue::from_str(&serde_json::to_string(&problems).unwrap_or_default())
}
