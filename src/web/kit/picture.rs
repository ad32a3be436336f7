//! Drawings to save: a canvas as PNG, and the same as SVG, both on the page's background.

use crate::browser;
use crate::clipboard::{download, save};
use crate::painter::{PAPER, Painter, PixelGrid};
use std::rc::Rc;
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

/// What draws on a canvas, or anything else that a painter paints on.
pub type Drawing = Rc<dyn Fn(&Painter)>;

/// Buttons that offer a drawing as files of a name.
pub fn pictures(name: &'static str, canvas: &NodeRef, drawing: &Drawing) -> Html {
    let png = {
        let canvas = canvas.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(picture) = canvas.cast().and_then(|canvas| to_png(&canvas)) {
                save(&format!("{name}.png"), &picture);
            }
        })
    };
    let svg = {
        let (canvas, drawing) = (canvas.clone(), Rc::clone(drawing));
        Callback::from(move |_: MouseEvent| {
            if let Some(picture) = canvas.cast().and_then(|canvas| to_svg(&canvas, &drawing)) {
                download(&format!("{name}.svg"), "image/svg+xml", &picture);
            }
        })
    };
    html! {
        <>
            <button type="button" class="quiet" onclick={png}>{ "PNG" }</button>
            <button type="button" class="quiet" onclick={svg}>{ "SVG" }</button>
        </>
    }
}

/// What is on a canvas, as an address that holds it.
fn to_png(canvas: &HtmlCanvasElement) -> Option<String> {
    let copy: HtmlCanvasElement = browser::document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    copy.set_width(canvas.width());
    copy.set_height(canvas.height());
    let context: CanvasRenderingContext2d = copy.get_context("2d").ok()??.dyn_into().ok()?;
    let style = browser::window()?.get_computed_style(canvas).ok()??;
    context.set_fill_style_str(&style.get_property_value(PAPER).unwrap_or_default());
    context.fill_rect(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height()));
    context.draw_image_with_html_canvas_element(canvas, 0.0, 0.0).ok()?;
    copy.to_data_url().ok()
}

/// The drawing of a canvas as the text of an SVG file, which says what it shows and of which job.
fn to_svg(canvas: &HtmlCanvasElement, drawing: &Drawing) -> Option<String> {
    let mut drawn = String::new();
    let detail = PixelGrid::of(canvas);
    let painter = Painter::of_picture(canvas, &detail, &mut drawn)?;
    painter.bar(0.0, 0.0, detail.width, detail.height, painter.colour(PAPER));
    drawing(&painter);
    drop(painter);
    let said = |name: &str| canvas.get_attribute(name).unwrap_or_default();
    let words = browser::element(&said("aria-describedby")).and_then(|element| element.text_content());
    let address = browser::window()?.location().href().ok()?;
    let tag = |name: &str, text: &str| {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        format!("<{name}>{escaped}</{name}>")
    };
    let told = tag("title", &said("aria-label"))
        + &tag("desc", &words.unwrap_or_default())
        + &tag("metadata", &address);
    let inside = drawn.find('>')? + 1;
    Some(format!("{}{told}{}", detail.head(), &drawn[inside..]))
}
