//! What the page shows only when asked: a second WebAssembly module, loaded when the first of its panels is
//! opened.
//!
//! The page tells it everything with one call, [`draw`], after each change. A panel answers with pairs of
//! the link (see [`stepcast::page_state::panels::asked`]). All numbers come from the library.

mod root;
mod widgets;

mod accuracy;
mod closed_form;
mod columns;
mod data_parallel;
mod experts;
mod explain;
mod export;
mod form;
mod jobs;
mod learned;
mod links;
mod machine;
mod matrix;
mod memory;
mod memory_curve;
mod messages;
mod operator;
mod operators;
mod picker;
mod planning;
mod platforms;
mod ranking;
mod roofline;
mod saved;
mod scaling;
mod sizes;
mod stages;
mod sure;
mod timeline;
mod waterfall;
mod worker;
mod your_runs;
mod your_samples;

use js_sys::{Float64Array, Function};
use root::{PanelProps, Root, Scene, Slot};
use std::cell::RefCell;
use stepcast::page_state::panels::Panel;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;
use yew::prelude::*;

/// The inside of a panel. A new one is a file here, its row in [`stepcast::page_state::panels`], and its line
/// below, which the compiler then asks for.
fn content(panel: Panel, props: &PanelProps) -> Html {
    match panel {
        Panel::Columns => columns::columns(props),
        Panel::Messages => messages::messages(props),
        Panel::Sizes => html! { <sizes::SizesPanel ..props.clone() /> },
        Panel::Machine => html! { <machine::MachinePanel ..props.clone() /> },
        Panel::Matrix => html! { <matrix::MatrixPanel ..props.clone() /> },
        Panel::Links => html! { <links::LinksPanel ..props.clone() /> },
        Panel::Experts => html! { <experts::ExpertsPanel ..props.clone() /> },
        Panel::ClosedForm => html! { <closed_form::ClosedFormPanel ..props.clone() /> },
        Panel::Platforms => html! { <platforms::PlatformsPanel ..props.clone() /> },
        Panel::Scaling => html! { <scaling::ScalingPanel ..props.clone() /> },
        Panel::DataParallel => html! { <data_parallel::DataParallelPanel ..props.clone() /> },
        Panel::Planning => html! { <planning::PlanningPanel ..props.clone() /> },
        Panel::Roofline => html! { <roofline::RooflinePanel ..props.clone() /> },
        Panel::Waterfall => html! { <waterfall::WaterfallPanel ..props.clone() /> },
        Panel::Memory => html! { <memory::MemoryPanel ..props.clone() /> },
        Panel::MemoryCurve => html! { <memory_curve::MemoryCurvePanel ..props.clone() /> },
        Panel::Jobs => html! { <jobs::JobsPanel ..props.clone() /> },
        Panel::Saved => html! { <saved::SavedPanel ..props.clone() /> },
        Panel::Operators => operators::operators(&props.forecast.prediction),
        Panel::Operator => html! { <operator::OperatorPanel ..props.clone() /> },
        Panel::Stages => stages::stages(&props.forecast.prediction),
        Panel::Timeline => html! { <timeline::TimelinePanel ..props.clone() /> },
        Panel::Sure => html! { <sure::SurePanel ..props.clone() /> },
        Panel::Accuracy => html! { <accuracy::AccuracyPanel ..props.clone() /> },
        Panel::Learned => html! { <learned::LearnedPanel ..props.clone() /> },
        Panel::YourSamples => html! { <your_samples::YourSamplesPanel ..props.clone() /> },
        Panel::YourRuns => html! { <your_runs::YourRunsPanel ..props.clone() /> },
        Panel::Export => html! { <export::ExportPanel ..props.clone() /> },
    }
}

fn main() {
    stepcast_web_kit::failure::install();
    // In a worker there is nothing to draw on: it learns, or searches.
    if let Ok(scope) = js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        worker::serve(&scope);
    }
}

thread_local! {
    static TOLD: RefCell<ranking::RankingInput> = RefCell::default();
    static SCENE: RefCell<Option<Scene>> = const { RefCell::new(None) };
    static APP: RefCell<Option<yew::AppHandle<Root>>> = const { RefCell::new(None) };
    static SLOTS: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) };
}

/// Draws the panels of a possible scenario, and keeps them updated until the next call.
///
/// `link` holds the scenario and the view state, `typed` what is on the form, possible or not. `colours` changes when the page's colours do. Each of
/// `places` is an empty element whose attribute `data-panel` names a panel; a panel that is not named again is
/// closed. `tell` takes a key and a text of the link.
#[wasm_bindgen]
pub fn draw(link: &str, typed: &str, colours: u32, places: Vec<Element>, tell: Function) {
    let slots = SLOTS.with_borrow_mut(|known| {
        Slot::open(known, &places);
        known.clone()
    });
    let told = TOLD.with_borrow(Clone::clone);
    show(Scene { link: link.into(), typed: typed.into(), colours, slots, tell, told });
}

/// Takes what the search has found, for the ranked table.
///
/// `job` is the link of the job that is ranked, where the layout on the form cannot run on it, and else empty. `link` is
/// that of the search, and `rows` are the layouts it has found, as [`stepcast::page_state::wire`] writes them; without any
/// they are as before. `awaited` says that the first are still to come, `stale` that they are those of the search before.
#[wasm_bindgen]
pub fn rank(job: &str, link: &str, rows: Option<Float64Array>, awaited: bool, stale: bool) {
    let told = TOLD.with_borrow_mut(|told| {
        *told = told.next(job, link, rows, awaited, stale);
        told.clone()
    });
    // Before the first call of `draw` there is nothing to draw on.
    if let Some(scene) = SCENE.with_borrow(Clone::clone) {
        show(Scene { told, ..scene });
    }
}

fn show(scene: Scene) {
    SCENE.set(Some(scene.clone()));
    APP.with_borrow_mut(|app| match app {
        Some(app) => app.update(scene),
        None => *app = root::mount(scene),
    });
}
