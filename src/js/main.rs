//! The predictor as a JavaScript package: texts in, JSON out. `packages/js` wraps it in functions with types.
//!
//! What a call cannot do is thrown as JSON, a list of problems.

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

/// A ranking that is being made, a little at a time.
#[wasm_bindgen(js_name = Search)]
pub struct SearchHandle(LayoutSearch<'static>);

#[wasm_bindgen(js_class = Search)]
impl SearchHandle {
    /// The search of a job's layouts. `options` is an object with the flags of `stepcast rank`.
    #[wasm_bindgen(constructor)]
    pub fn new(job: &str, options: &str) -> Result<Self, JsValue> {
        // It lives as long as the module: the search borrows it, and JavaScript says when that ends.
        let request = Box::leak(Box::new(answers::search(job, options).map_err(thrown)?));
        Ok(Self(request.begin(Predictor::SHIPPED)))
    }

    /// Layouts in the space.
    #[wasm_bindgen(getter)]
    pub fn space(&self) -> f64 {
        self.0.space() as f64
    }

    /// Searches a little more; whether anything was left.
    pub fn advance(&mut self) -> bool {
        self.0.advance()
    }

    /// The rows so far, as JSON.
    pub fn rows(&mut self) -> Result<String, JsValue> {
        self.0.rows().map_err(thrown)
    }

    /// The rows at the end, and which to take, as JSON.
    pub fn ranking(&mut self) -> Result<String, JsValue> {
        self.0.ranking().map_err(thrown)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it ends here")]
fn thrown(problems: Vec<Problem>) -> JsValue {
    JsValue::from_str(&serde_json::to_string(&problems).unwrap_or_default())
}
