//! The frame of every chart: heading, canvas with a text alternative, and the table behind a switch.

use super::painter::Painter;
use crate::browser;
use crate::store::Shared;
use crate::theme::Colours;
use gloo::events::EventListener;
use stepcast::prediction::Prediction;
use stepcast::view::page::Forecast;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlCanvasElement, HtmlElement, ResizeObserver};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ChartProps {
    /// Prefix of the ids.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// The chart in words.
    pub(crate) summary: AttrValue,
    pub(crate) forecast: Shared<Forecast>,
    pub(crate) colours: Colours,
    /// Height in CSS pixels for a width.
    pub(crate) height: Height,
    pub(crate) draw: Drawing,
    pub(crate) table: Table,
    /// What stands under the canvas.
    #[prop_or_default]
    pub(crate) children: Html,
}

/// Height in CSS pixels of the chart of a forecast, for its width and its font size.
#[derive(Clone, Copy)]
pub(crate) struct Height(pub(crate) fn(&Forecast, f64, f64) -> f64);

/// How a chart is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Drawing(pub(crate) fn(&Painter, &Forecast));

/// The same data as a table, built only when it is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Table(pub(crate) fn(&Prediction) -> Html);

// Each chart has one height, one drawing and one table for as long as it lives.
impl PartialEq for Height {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PartialEq for Table {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PartialEq for Drawing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A chart in its frame.
#[component]
pub(crate) fn Chart(props: &ChartProps) -> Html {
    let as_table = use_state(|| false);
    let canvas = use_node_ref();
    let frame = use_node_ref();
    let (width, ratio) = use_size(&frame);
    {
        let canvas = canvas.clone();
        let (height, draw) = (props.height, props.draw);
        let deps = (props.forecast.clone(), width, ratio, props.colours, *as_table);
        use_effect_with(deps, move |(forecast, width, ratio, _, as_table)| {
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>().filter(|_| !as_table && *width > 0.0)
            else {
                return;
            };
            let height = |font| (height.0)(forecast, *width, font);
            if let Some(painter) = Painter::new(&canvas, *width, height, *ratio) {
                (draw.0)(&painter, forecast);
            }
        });
    }
    let toggle = {
        let setter = as_table.setter();
        let next = !*as_table;
        Callback::from(move |_: MouseEvent| setter.set(next))
    };
    let (title_id, summary_id) = (format!("{}-title", props.id), format!("{}-summary", props.id));
    html! {
        <section class="panel chart" id={props.id} aria-labelledby={title_id.clone()}>
            <div class="panel-head">
                <h2 id={title_id}>{ props.title }</h2>
                <button type="button" class="quiet" onclick={toggle}>
                    { if *as_table { "View as chart" } else { "View as table" } }
                </button>
            </div>
            <div class="canvas-frame" ref={frame} hidden={*as_table}>
                <canvas ref={canvas} role="img" aria-label={props.title} aria-describedby={summary_id.clone()}></canvas>
                { props.children.clone() }
            </div>
            <p class="visually-hidden" id={summary_id}>{ &props.summary }</p>
            if *as_table {
                <div class="table-frame" tabindex="0" role="group" aria-label={format!("{}, as a table", props.title)}>
                    { (props.table.0)(&props.forecast.prediction) }
                </div>
            }
        </section>
    }
}

/// Width of an element in CSS pixels and the device's pixel ratio, followed as they change.
#[hook]
pub(crate) fn use_size(frame: &NodeRef) -> (f64, f64) {
    let size = use_state_eq(|| (0.0, 1.0));
    {
        let setter = size.setter();
        let frame = frame.clone();
        use_effect_with((), move |()| {
            let element = frame.cast::<HtmlElement>();
            let measure = {
                let element = element.clone();
                move || {
                    // A hidden frame keeps the size it had.
                    let Some(element) = element.as_ref().filter(|element| element.client_width() > 0) else {
                        return;
                    };
                    let ratio = browser::window().map_or(1.0, |window| window.device_pixel_ratio());
                    setter.set((f64::from(element.client_width()), ratio.clamp(0.5, 4.0)));
                }
            };
            measure();
            let on_resize = measure.clone();
            let listener =
                browser::window().map(|window| EventListener::new(&window, "resize", move |_| on_resize()));
            let observer = element.and_then(|element| Observer::new(&element, measure));
            move || drop((listener, observer))
        });
    }
    *size
}

/// Calls back whenever an element changes its size, until dropped.
struct Observer {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut()>,
}

impl Observer {
    fn new(element: &HtmlElement, callback: impl FnMut() + 'static) -> Option<Self> {
        let callback = Closure::<dyn FnMut()>::new(callback);
        let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Self { observer, _callback: callback })
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
