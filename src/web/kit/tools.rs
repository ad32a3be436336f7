//! The tools of a chart, the same for every one and in the same order: table, zoom, link, PNG, SVG, further files.

use crate::Shared;
use crate::browser;
use crate::clipboard::{Copied, copy};
use crate::legend::LegendEntry;
use crate::painter::Painter;
use crate::picture::Plate;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

/// What draws on a canvas, or anything else that a painter paints on.
pub type Drawing = Shared<dyn Fn(&Painter)>;

#[wasm_bindgen]
extern "C" {
    /// An address as it is copied: one with a long link has it packed (`static/offer.js`, which an embedded page lacks).
    #[wasm_bindgen(js_name = "packedAddress", catch)]
    async fn packed_address(address: &str) -> Result<JsValue, JsValue>;
}

/// What the page keeps in a link about the part of it that is in sight.
const PLACES: [&str; 2] = ["v.view=", "v.open="];

/// Address of the panel that an element is in, with the job.
pub(crate) fn address(at: &Element) -> String {
    let (page, fragment) = (browser::page_address(), browser::fragment());
    let panel = at.closest("[data-panel]").ok().flatten().and_then(|panel| panel.get_attribute("data-panel"));
    let Some(panel) = panel else { return page + &fragment };
    let kept = fragment.split(';').filter(|pair| !PLACES.iter().any(|place| pair.starts_with(place)));
    let pairs: Vec<&str> = kept.filter(|pair| !pair.is_empty()).collect();
    // A page that opens on its own job has no fragment: its link names none either.
    let begin = if pairs.is_empty() { "#2".to_owned() } else { pairs.join(";") };
    format!("{page}{begin};v.open={panel}")
}

#[derive(Properties, PartialEq)]
pub struct ToolsProps {
    /// Name of the files.
    pub name: &'static str,
    pub title: AttrValue,
    pub canvas: NodeRef,
    pub drawing: Drawing,
    #[prop_or_default]
    pub legend: Vec<LegendEntry>,
    /// Whether the table is shown in place of the chart.
    pub as_table: UseStateHandle<bool>,
    /// Buttons that zoom, where the chart can.
    #[prop_or_default]
    pub zoom: Html,
    /// Further files.
    #[prop_or_default]
    pub children: Html,
}

/// The tools.
#[component]
pub fn ChartTools(props: &ToolsProps) -> Html {
    let said = use_state_eq(|| "");
    let table = *props.as_table;
    let toggle = {
        let (setter, next) = (props.as_table.setter(), !table);
        Callback::from(move |_: MouseEvent| setter.set(next))
    };
    let link = {
        let said = said.setter();
        Callback::from(move |event: MouseEvent| {
            let at = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let Some(plain) = at.map(|at| address(&at)) else { return };
            let said = said.clone();
            spawn_local(async move {
                let packed = packed_address(&plain).await.ok().and_then(|packed| packed.as_string());
                copy(&packed.unwrap_or(plain), move |copied| {
                    said.set(match copied {
                        Copied::Yes => "Link copied.",
                        Copied::No => "The browser blocked access to the clipboard.",
                    });
                });
            });
        })
    };
    let save = |vector: bool| {
        let (name, title, legend) = (props.name, props.title.clone(), props.legend.clone());
        let (canvas, drawing) = (props.canvas.clone(), props.drawing.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                Plate { title: &title, canvas: &canvas, drawing: &*drawing, legend: &legend }
                    .save(name, vector);
            }
        })
    };
    let words = [if table { "View as chart" } else { "View as table" }, "Copy link", "PNG", "SVG"];
    html! {
        <div class="chart-tools" role="group" aria-label={format!("{}: tools", props.title)}>
            <button type="button" class="quiet" onclick={toggle}>{ words[0] }</button>
            if !table {
                { props.zoom.clone() }
            }
            <button type="button" class="quiet" onclick={link} title="Copy a link to this chart">{ words[1] }</button>
            if !table {
                <button type="button" class="quiet" onclick={save(false)}>{ words[2] }</button>
                <button type="button" class="quiet" onclick={save(true)}>{ words[3] }</button>
            }
            { props.children.clone() }
            <span role="status">{ *said }</span>
        </div>
    }
}
