//! The frame of every chart: heading, canvas with a text alternative, and the table behind a switch.

use crate::browser;
use crate::hooks::{use_effect_with, use_flag};
use crate::legend::{LegendEntry, legend};
use crate::painter::{Painter, Spot};
use crate::tools::{ChartTools, Drawing};
use crate::{ColourRevision, Shared};
use gloo::events::EventListener;
use std::rc::Rc;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlCanvasElement, HtmlElement, KeyboardEvent, ResizeObserver};
use yew::prelude::*;

/// Something that can be drawn, and described in words and as a table.
pub trait Plot {
    /// The plot in words.
    fn summary(&self) -> String;
    /// Height in CSS pixels, for a width and a font size.
    fn height(&self, width: f64, font: f64) -> f64;
    /// Draws the plot.
    fn draw(&self, painter: &Painter);
    /// The data of the plot as a table, built only when it is looked at.
    fn table(&self) -> Html;
    /// What its colours mean, where it does not say so itself.
    fn legend(&self) -> Vec<LegendEntry> {
        Vec::new()
    }
    /// Sentences above the legend.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A plot; equal only to itself.
pub type Plotted = Shared<dyn Plot>;

impl<P: Plot + 'static> From<P> for Plotted {
    fn from(plot: P) -> Self {
        Self(Rc::new(plot))
    }
}

#[derive(Properties, PartialEq)]
pub struct ChartProps {
    /// Prefix of the ids.
    pub id: &'static str,
    pub title: AttrValue,
    /// Drawn again when it is another one.
    pub plot: Plotted,
    pub colours: ColourRevision,
    /// Tag of the heading.
    #[prop_or("h2")]
    pub level: &'static str,
}

/// Width of a canvas before its frame is measured, unless the page has less room, CSS pixels.
const WIDEST: f64 = 560.0;

/// Size of its text then, CSS pixels.
const FONT: f64 = 13.0;

/// A chart in its frame.
#[component]
pub fn Chart(props: &ChartProps) -> Html {
    let as_table = use_flag(false);
    let canvas = use_node_ref();
    let frame = use_node_ref();
    let size = use_size(&frame);
    let spots = use_painting(props, &canvas, size, *as_table);
    // What the canvas is made with, near what it is drawn with, so that nothing below jumps.
    let first = use_memo((), |()| {
        let room = browser::window().and_then(|window| window.inner_width().ok()?.as_f64());
        let width = room.unwrap_or(WIDEST).min(WIDEST);
        (width.round().to_string(), props.plot.height(width, FONT).round().to_string())
    });
    let drawing: Drawing = {
        let plot = props.plot.clone();
        Shared(Rc::new(move |painter: &Painter| plot.draw(painter)))
    };
    let entries = props.plot.legend();
    let (title_id, summary_id) = (format!("{}-title", props.id), format!("{}-summary", props.id));
    html! {
        <section class="panel chart" id={props.id} aria-labelledby={title_id.clone()}>
            <div class="panel-head">
                <@{props.level} id={title_id}>{ &props.title }</@>
                <ChartTools name={props.id} title={props.title.clone()} canvas={canvas.clone()} {drawing}
                    legend={entries.clone()} as_table={as_table.clone()} />
            </div>
            <div class="canvas-frame" ref={frame} hidden={*as_table}>
                <div class="canvas-drawn">
                    <canvas ref={canvas} width={first.0.clone()} height={first.1.clone()} role="img" aria-label={props.title.clone()} aria-describedby={summary_id.clone()}></canvas>
                    { answering(&spots, &props.title) }
                </div>
                { legend(&props.plot.notes(), &entries) }
            </div>
            <p class="visually-hidden" id={summary_id}>{ props.plot.summary() }</p>
            if *as_table {
                <div class="table-frame" tabindex="0" role="group" aria-label={format!("{}, as a table", props.title)}>
                    { props.plot.table() }
                </div>
            }
        </section>
    }
}

/// Draws the plot whenever it, its size or its colours change; what of it answers pointer and keyboard.
#[hook]
fn use_painting(
    props: &ChartProps,
    canvas: &NodeRef,
    size: (f64, f64),
    as_table: bool,
) -> UseStateHandle<Vec<Spot>> {
    let spots = use_state_eq(Vec::<Spot>::new);
    let (canvas, setter) = (canvas.clone(), spots.setter());
    let deps = (props.plot.clone(), size, props.colours, as_table);
    use_effect_with(deps, move |(plot, (width, ratio), _, as_table)| {
        if !as_table {
            paint(
                &canvas,
                (*width, *ratio),
                |font| plot.height(*width, font),
                |painter| {
                    plot.draw(painter);
                    setter.set(painter.spots());
                },
            );
        }
    });
    spots
}

/// What lies over a drawing and answers pointer and keyboard: one stop of the keyboard, arrows from there.
fn answering(spots: &[Spot], title: &str) -> Html {
    if spots.is_empty() {
        return html! {};
    }
    let walk = Callback::from(|event: KeyboardEvent| {
        let Some(at) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => at.next_element_sibling(),
            "ArrowLeft" | "ArrowUp" => at.previous_element_sibling(),
            _ => return,
        };
        event.prevent_default();
        if let Some(next) = next {
            // An SVG element takes the focus as an HTML element does.
            let _ = next.unchecked_into::<HtmlElement>().focus();
        }
    });
    html! {
        <svg class="spots" role="group" aria-label={format!("{title}: use the arrow keys to move between parts")} onkeydown={walk}>
            for (index, spot) in spots.iter().enumerate() {
                { answer(index, spot) }
            }
        </svg>
    }
}

fn answer(index: usize, spot: &Spot) -> Html {
    let [x, y, width, height] = spot.place.map(|length| length.round().to_string());
    let stop = if index == 0 { "0" } else { "-1" };
    html! {
        <rect key={index} {x} {y} {width} {height} role="img" aria-label={spot.label.clone()} tabindex={stop}
            data-explain={spot.explains.clone()} data-says={spot.label.clone()} />
    }
}

/// Draws on a canvas of a width in CSS pixels and a pixel ratio, unless it is out of sight. The height follows from
/// the font size, all in CSS pixels.
pub fn paint(
    canvas: &NodeRef,
    (width, ratio): (f64, f64),
    height: impl FnOnce(f64) -> f64,
    draw: impl FnOnce(&Painter),
) {
    let Some(canvas) = canvas.cast::<HtmlCanvasElement>().filter(|_| width > 0.0) else { return };
    if let Some(painter) = Painter::new(&canvas, width, height, ratio) {
        draw(&painter);
    }
}

/// Width of an element in CSS pixels and the device's pixel ratio, followed as they change.
#[hook]
pub fn use_size(frame: &NodeRef) -> (f64, f64) {
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
pub(crate) struct Observer {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut()>,
}

impl Observer {
    pub(crate) fn new(element: &HtmlElement, callback: impl FnMut() + 'static) -> Option<Self> {
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
