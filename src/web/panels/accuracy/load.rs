//! The measured runs: fetched once the panel is open, and forecast here, so that they are never out of date.

use js_sys::Promise;
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::forecast::Predictor;
use stepcast::validate::published::Published;
use stepcast::validate::{MeasuredRun, PeakReport, ValidationReport, validate, validate_memory};
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::Response;
use yew::AttrValue;

/// Longest that the page is kept waiting while lines are read, milliseconds.
const SLICE_MS: f64 = 12.0;

/// Runs and what is forecast of them.
pub(super) struct AccuracyData {
    pub(super) runs: Vec<MeasuredRun>,
    /// Link of each run's job.
    pub(super) links: Vec<AttrValue>,
    pub(super) report: ValidationReport,
    pub(super) peaks: PeakReport,
}

/// Fetches and forecasts all runs; the error says why that failed.
pub(super) async fn load(attempt: u32) -> Result<Shared<AccuracyData>, String> {
    let text = fetch(attempt).await.map_err(|error| String::from(js_sys::Object::from(error).to_string()))?;
    let mut published = Published::default();
    let mut since = browser::now_ms();
    for line in text.lines() {
        published.push(line).map_err(|error| error.message)?;
        if browser::now_ms() - since > SLICE_MS {
            breathe().await;
            since = browser::now_ms();
        }
    }
    let Published { runs, peaks, .. } = published.whole().map_err(|error| error.message)?;
    let (runs, links): (Vec<MeasuredRun>, Vec<AttrValue>) =
        runs.into_iter().map(|(run, link)| (run, AttrValue::from(link))).unzip();
    let peaks: Vec<_> = peaks.into_iter().map(|(peak, _)| peak).collect();
    let (report, peaks) = (validate(&Predictor::SHIPPED, &runs), validate_memory(&peaks));
    Ok(Shared(Rc::new(AccuracyData { runs, links, report, peaks })))
}

/// Lets the browser draw and answer before going on.
async fn breathe() {
    let soon = Promise::new(&mut |resolve, _| {
        if let Some(window) = browser::window() {
            let _ = window.set_timeout_with_callback(&resolve);
        }
    });
    // It does not fail.
    let _ = JsFuture::from(soon).await;
}

thread_local! {
    /// The file of the runs as it is fetched, so that the panels that read it fetch it once.
    static FILE: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// The file of the runs, fetched once; again after it could not be.
pub(crate) async fn fetch(attempt: u32) -> Result<String, JsValue> {
    let begin = || future_to_promise(async move { fetched(attempt).await.map(JsValue::from) });
    let file = FILE.with_borrow_mut(|file| file.get_or_insert_with(begin).clone());
    let text = JsFuture::from(file).await;
    if text.is_err() {
        FILE.set(None);
    }
    Ok(text?.as_string().unwrap_or_default())
}

async fn fetched(attempt: u32) -> Result<String, JsValue> {
    let window = browser::window().ok_or(JsValue::NULL)?;
    let meta = browser::document().and_then(|document| document.query_selector("meta[name=runs]").ok()?);
    let name = meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default();
    let address = if attempt == 0 { format!("./{name}") } else { format!("./{name}?{attempt}") };
    let response: Response = JsFuture::from(window.fetch_with_str(&address)).await?.dyn_into()?;
    if !response.ok() {
        return Err(js_sys::Error::new(&format!("status {}", response.status())).into());
    }
    Ok(JsFuture::from(response.text()?).await?.as_string().unwrap_or_default())
}
