//! The predictor as a JavaScript package: texts in, JSON out. `packages/js` wraps it in functions with types.
//!
//! What a call cannot do is thrown as JSON, a list of problems.

use serde::{Deserialize, Serialize};
use std::fmt::Display;
use stepcast::cost::Algorithm;
use stepcast::error::FieldError;
use stepcast::forecast::Predictor;
use stepcast::page_state::report::Report;
use stepcast::planned::to_rank;
use stepcast::scenario::Scenario;
use stepcast::scripting::{self, Asked, Explanation, JSON_VERSION, Layouts, Problem, Read};
use stepcast::traffic::Order;
use stepcast::tuner::{MEMORY_MARGIN, Options, Ranking};
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
    let Asked { document, scenario, .. } = scripting::asked(&Predictor::SHIPPED, job).map_err(thrown)?;
    let prediction = Predictor::SHIPPED.predict(&scenario).map_err(refused)?;
    written(&Report::new(&scenario, &prediction, document.to_link()))
}

/// The forecast of a job in words and parts, as JSON.
#[wasm_bindgen]
pub fn explain(job: &str) -> Result<String, JsValue> {
    let Asked { document, scenario, .. } = scripting::asked(&Predictor::SHIPPED, job).map_err(thrown)?;
    let prediction = Predictor::SHIPPED.predict(&scenario).map_err(refused)?;
    written(&Explanation::of(&document, &scenario, &prediction))
}

/// What is asked about messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AboutMessages {
    rank: u32,
    mapping: Option<String>,
    wire: Option<String>,
    matrix: bool,
}

/// The messages of a rank of a job, as JSON. `options` is an object with `rank`, `mapping`, `wire` and `matrix`.
#[wasm_bindgen]
pub fn traffic(job: &str, options: &str) -> Result<String, JsValue> {
    let Asked { document, scenario, .. } = scripting::asked(&Predictor::SHIPPED, job).map_err(thrown)?;
    let about: AboutMessages = understood(options)?;
    let order = match &about.mapping {
        Some(name) => Order::parse(name).map_err(|error| refused(vec![error]))?,
        None => Order::from(scenario.plan.mapping),
    };
    let algorithm = match about.wire.as_deref() {
        None | Some("ring") => Algorithm::Ring,
        Some("tree") => Algorithm::Tree,
        Some(other) => return Err(complaint(&format!("There is no wire {other}; use ring or tree."))),
    };
    let (predictor, rank) = (Predictor::SHIPPED, about.rank);
    let answer = scripting::messages(&predictor, &document, &scenario, order, algorithm, rank, about.matrix);
    written(&answer.map_err(refused)?)
}

/// What is asked of a ranking.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct AboutLayouts {
    top: usize,
    unfit: usize,
    fix: Vec<String>,
    free: Vec<String>,
    any_software: bool,
    margin: f64,
    exhaustive: bool,
}

impl Default for AboutLayouts {
    fn default() -> Self {
        let margin = 100.0 * MEMORY_MARGIN;
        Self { top: 20, unfit: 0, fix: vec![], free: vec![], any_software: false, margin, exhaustive: false }
    }
}

/// A ranking that is being made, a little at a time.
#[wasm_bindgen]
pub struct Search {
    document: stepcast::document::Document,
    job: Scenario,
    search: stepcast::tuner::Search<'static>,
    options: Options,
    top: usize,
}

#[wasm_bindgen]
impl Search {
    /// The search of a job's layouts. `options` is an object with the flags of `stepcast rank`.
    #[wasm_bindgen(constructor)]
    pub fn new(job: &str, options: &str) -> Result<Self, JsValue> {
        let Read { document, .. } = scripting::read(job).map_err(thrown)?;
        let about: AboutLayouts = understood(options)?;
        if !(0.0..100.0).contains(&about.margin) {
            return Err(complaint("margin is a percentage from 0 to less than 100."));
        }
        let (document, job) = to_rank(&document).map_err(refused)?;
        let margin = about.margin / 100.0;
        let searched = scripting::searched(&document, &about.fix, &about.free, about.any_software, margin);
        let searched = searched.map_err(|unknown| complaint(&unknown))?;
        let options = Options {
            top: about.top.max(Options::default().top),
            unfit: about.unfit,
            margin,
            bounded: !about.exhaustive,
            pareto: false,
        };
        let search = Predictor::SHIPPED.search(searched.space(&job), options);
        Ok(Self { document, job, search, options, top: about.top })
    }

    /// Layouts in the space.
    #[wasm_bindgen(getter)]
    pub fn space(&self) -> f64 {
        self.search.space().len() as f64
    }

    /// Searches a little more; whether anything was left.
    pub fn advance(&mut self) -> bool {
        self.search.advance()
    }

    /// The rows so far, as JSON.
    pub fn rows(&mut self) -> Result<String, JsValue> {
        let best = self.search.best();
        let rows = best.iter().take(self.top).filter_map(|row| self.search.candidate(row)).collect();
        let ranking = Ranking { rows, counts: self.search.counts(), ..Ranking::default() };
        written(&Layouts::of(&self.document, &self.job, &ranking, None, self.top, self.options.margin))
    }

    /// The rows at the end, and which to take, as JSON.
    pub fn ranking(&mut self) -> Result<String, JsValue> {
        let ranking = self.search.ranking();
        let recommended = Predictor::SHIPPED.recommended(&self.job, &ranking.rows, self.options.margin);
        written(&Layouts::of(&self.document, &self.job, &ranking, recommended, self.top, self.options.margin))
    }
}

fn written(value: &impl Serialize) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| complaint(&error))
}

fn understood<T: for<'de> Deserialize<'de>>(options: &str) -> Result<T, JsValue> {
    serde_json::from_str(options).map_err(|error| complaint(&format!("The options cannot be read: {error}.")))
}

fn refused(errors: Vec<FieldError>) -> JsValue {
    thrown(errors.into_iter().map(Problem::from).collect())
}

fn complaint(sentence: &(impl Display + ?Sized)) -> JsValue {
    thrown(vec![Problem::new(sentence.to_string())])
}

#[allow(clippy::needless_pass_by_value, reason = "it ends here")]
fn thrown(problems: Vec<Problem>) -> JsValue {
    JsValue::from_str(&serde_json::to_string(&problems).unwrap_or_default())
}
