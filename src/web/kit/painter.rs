//! A plotters drawing area in CSS pixels, at any pixel ratio, in the page's colours.
//!
//! Text is always placed by its anchor. Nothing here asks plotters for the size of a text: in the browser
//! it would measure with an element of inline style, which the content security policy forbids.

use crate::browser;
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_canvas::CanvasBackend;
use plotters_svg::SVGBackend;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

const FONT: &str = "system-ui, -apple-system, \"Segoe UI\", Roboto, sans-serif";

/// Size of the text where the style sheet gives none, CSS pixels.
const FONT_PX: f64 = 13.0;

/// Style-sheet token of the charts' background colour.
pub(crate) const PAPER: &str = "--paper";

/// What is drawn on.
enum Area<'a> {
    Canvas(DrawingArea<CanvasBackend, Shift>),
    /// The text of an SVG file.
    Picture(DrawingArea<SVGBackend<'a>, Shift>),
}

/// The size of a picture in CSS pixels. It is drawn on a finer grid, since places on it are whole numbers.
pub(crate) struct PixelGrid {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl PixelGrid {
    /// Units of the grid to a CSS pixel.
    const RATIO: f64 = 8.0;

    /// The grid.
    fn size(&self) -> (u32, u32) {
        ((self.width * Self::RATIO) as u32, (self.height * Self::RATIO) as u32)
    }

    /// How an SVG file of it begins.
    pub(crate) fn head(&self) -> String {
        let (Self { width, height }, (across, down)) = (self, self.size());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {across} {down}\">",
            *width as u32, *height as u32
        )
    }
}

/// Draws on one canvas, or what is on it as a picture.
pub struct Painter<'a> {
    area: Area<'a>,
    context: CanvasRenderingContext2d,
    style: web_sys::CssStyleDeclaration,
    ratio: f64,
    spots: RefCell<Vec<Spot>>,
    /// Where the drawing's upper left corner is, CSS pixels.
    origin: Cell<(f64, f64)>,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Size of the text in CSS pixels: that of the style sheet, so that it grows with the reader's.
    pub font: f64,
}

/// A part of a drawing that answers pointer and keyboard, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Left, top, width and height.
    pub place: [f64; 4],
    /// What it is, with value and share.
    pub label: String,
    /// Key of its explanation, where it has one.
    pub explains: Option<String>,
}

/// Which side of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// The text starts there.
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// Markers at a line's points, so that lines can be distinguished without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A filled square.
    Square,
    /// A filled disc.
    Disc,
    /// A filled triangle.
    Triangle,
    /// The outline of a square.
    Frame,
    /// The outline of a circle.
    Ring,
    /// Two crossing strokes.
    Cross,
}

impl Mark {
    /// Every mark, those that differ most first.
    pub const ALL: [Self; 6] =
        [Self::Disc, Self::Frame, Self::Triangle, Self::Cross, Self::Square, Self::Ring];
}

impl<'a> Painter<'a> {
    /// Sizes the canvas and clears it; the height follows from the font size. `None` when the browser
    /// gives no drawing context.
    pub fn new(
        canvas: &HtmlCanvasElement,
        width: f64,
        height: impl FnOnce(f64) -> f64,
        ratio: f64,
    ) -> Option<Self> {
        let (style, font) = style_of(canvas)?;
        let height = height(font).round();
        canvas.set_width((width * ratio).round().max(1.0) as u32);
        canvas.set_height((height * ratio).round().max(1.0) as u32);
        let _ = canvas.style().set_property("height", &format!("{}px", height as u32));
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let area = Area::Canvas(CanvasBackend::with_canvas_object(canvas.clone())?.into_drawing_area());
        Some(Self::on(area, context, (style, font), ratio, (width, height)))
    }

    fn on(
        area: Area<'a>,
        context: CanvasRenderingContext2d,
        (style, font): (web_sys::CssStyleDeclaration, f64),
        ratio: f64,
        (width, height): (f64, f64),
    ) -> Self {
        let (spots, origin) = (RefCell::default(), Cell::default());
        Self { area, context, style, ratio, spots, origin, width, height, font }
    }

    /// Draws in the style of a canvas into the text of an SVG file, which ends when the painter is dropped.
    pub(crate) fn of_picture(
        canvas: &HtmlCanvasElement,
        detail: &PixelGrid,
        file: &'a mut String,
    ) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let area = Area::Picture(SVGBackend::with_string(file, detail.size()).into_drawing_area());
        let size = (detail.width, detail.height);
        Some(Self::on(area, context, style_of(canvas)?, PixelGrid::RATIO, size))
    }

    /// Draws in the style of a canvas on another one of a size in CSS pixels, at the pixel ratio of the first.
    pub(crate) fn of_copy(
        canvas: &HtmlCanvasElement,
        copy: &HtmlCanvasElement,
        (width, height): (f64, f64),
    ) -> Option<Self> {
        let ratio = f64::from(canvas.width()) / f64::from(canvas.client_width().max(1));
        copy.set_width((width * ratio).round().max(1.0) as u32);
        copy.set_height((height * ratio).round().max(1.0) as u32);
        let context = copy.get_context("2d").ok()??.dyn_into().ok()?;
        let area = Area::Canvas(CanvasBackend::with_canvas_object(copy.clone())?.into_drawing_area());
        Some(Self::on(area, context, style_of(canvas)?, ratio, (width, height)))
    }

    /// Draws something of a size at a place of its own, in CSS pixels.
    pub(crate) fn inset(&mut self, origin: (f64, f64), size: (f64, f64), draw: &dyn Fn(&Painter)) {
        let whole = (self.width, self.height);
        (self.width, self.height) = size;
        self.origin.set(origin);
        draw(self);
        self.origin.set((0.0, 0.0));
        (self.width, self.height) = whole;
    }

    /// Draws an element. What cannot be drawn is left out.
    fn put<E>(&self, element: &E)
    where
        for<'b> &'b E: PointCollection<'b, (i32, i32)>,
        E: Drawable<CanvasBackend> + Drawable<SVGBackend<'a>>,
    {
        let _ = match &self.area {
            Area::Canvas(area) => area.draw(element).is_ok(),
            Area::Picture(area) => area.draw(element).is_ok(),
        };
    }

    /// The colour of a token of the style sheet, written `#rrggbb` there, or `#rgb` once that is minified.
    pub fn colour(&self, token: &str) -> RGBColor {
        let text = self.style.get_property_value(token).unwrap_or_default();
        let digits = text.trim().trim_start_matches('#');
        let number = u32::from_str_radix(digits, 16).unwrap_or(0x80_80_80);
        if digits.len() == 3 {
            let [red, green, blue] = [8, 4, 0].map(|bits| 0x11 * (number >> bits & 0xf) as u8);
            return RGBColor(red, green, blue);
        }
        let [_, red, green, blue] = number.to_be_bytes();
        RGBColor(red, green, blue)
    }

    /// A colour between two others: 0 is the first, 1 the second.
    pub fn between(first: RGBColor, second: RGBColor, share: f64) -> RGBColor {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        RGBColor(mix(first.0, second.0), mix(first.1, second.1), mix(first.2, second.2))
    }

    /// Black or white, whichever reads better on a ground: one of them has a contrast of 4.5 on any.
    pub fn legible(ground: RGBColor) -> RGBColor {
        // Linear light of an sRGB value: a polynomial within 0.001 of the standard's curve.
        let light = |value: u8| {
            let value = f64::from(value) / 255.0;
            value * (0.012_522_878 + value * (0.682_171_111 + value * 0.305_306_011))
        };
        let luminance = 0.2126 * light(ground.0) + 0.7152 * light(ground.1) + 0.0722 * light(ground.2);
        // Contrasts with white and with black (WCAG 2.2): 1.05 / (luminance + 0.05), and (luminance + 0.05) / 0.05.
        let is_dark = (luminance + 0.05).powi(2) < 1.05 * 0.05;
        if is_dark { RGBColor(255, 255, 255) } else { RGBColor(0, 0, 0) }
    }

    /// Lets a rectangle answer pointer and keyboard with a label, and with the explanation of a key.
    pub fn spot(&self, [x0, y0, x1, y1]: [f64; 4], label: String, explains: Option<String>) {
        let place = [x0, y0, (x1 - x0).max(1.0), (y1 - y0).max(1.0)];
        self.spots.borrow_mut().push(Spot { place, label, explains });
    }

    /// What answers, in the order of drawing.
    pub fn spots(&self) -> Vec<Spot> {
        self.spots.take()
    }

    /// The outline of a rectangle, inside it.
    pub fn outline(&self, x0: f64, y0: f64, x1: f64, y1: f64, width: f64, colour: RGBColor) {
        self.bar(x0, y0, x1, y0 + width, colour);
        self.bar(x0, y1 - width, x1, y1, colour);
        self.bar(x0, y0, x0 + width, y1, colour);
        self.bar(x1 - width, y0, x1, y1, colour);
    }

    /// A filled rectangle. One that is thinner than a third of a pixel is drawn that thin.
    pub fn bar(&self, x0: f64, y0: f64, x1: f64, y1: f64, colour: RGBColor) {
        let corners = [self.at(x0, y0), self.at(x1.max(x0 + 0.34), y1.max(y0 + 0.34))];
        self.put(&Rectangle::new(corners, colour.filled()));
    }

    /// A thin straight line.
    pub fn line(&self, x0: f64, y0: f64, x1: f64, y1: f64, colour: RGBColor) {
        let style = colour.stroke_width(self.ratio.round().max(1.0) as u32);
        self.put(&PathElement::new(vec![self.at(x0, y0), self.at(x1, y1)], style));
    }

    /// A highlighted straight line.
    pub fn stroke(&self, x0: f64, y0: f64, x1: f64, y1: f64, colour: RGBColor) {
        let style = colour.stroke_width((2.0 * self.ratio).round().max(1.0) as u32);
        self.put(&PathElement::new(vec![self.at(x0, y0), self.at(x1, y1)], style));
    }

    /// A mark of a line at one of its points.
    pub fn mark(&self, mark: Mark, x: f64, y: f64, colour: RGBColor) {
        let (size, at) = ((3.5 * self.ratio).round() as i32, self.at(x, y));
        let stroke = colour.stroke_width((1.5 * self.ratio).round().max(1.0) as u32);
        let corners = [(at.0 - size, at.1 - size), (at.0 + size, at.1 + size)];
        match mark {
            Mark::Square => self.put(&Rectangle::new(corners, colour.filled())),
            Mark::Frame => self.put(&Rectangle::new(corners, stroke)),
            Mark::Disc => self.put(&Circle::new(at, size, colour.filled())),
            Mark::Ring => self.put(&Circle::new(at, size, stroke)),
            Mark::Triangle => self.put(&TriangleMarker::new(at, size + 1, colour.filled())),
            Mark::Cross => self.put(&Cross::new(at, size, stroke)),
        }
    }

    /// A disc with an outline; `shade` is how much of the colour its inside has, 0 to 1.
    pub fn disc(&self, x: f64, y: f64, radius: f64, colour: RGBColor, shade: f64) {
        let (at, size) = (self.at(x, y), (radius * self.ratio).round().max(1.0) as i32);
        self.put(&Circle::new(at, size, colour.mix(shade).filled()));
        self.put(&Circle::new(at, size, colour.stroke_width((1.5 * self.ratio).round().max(1.0) as u32)));
    }

    /// A dashed straight line, rising or falling.
    pub fn dashed(&self, (x0, y0): (f64, f64), (x1, y1): (f64, f64), colour: RGBColor) {
        const DASH: f64 = 5.0;
        const PERIOD: f64 = 9.0;
        let length = (x1 - x0).hypot(y1 - y0).max(f64::MIN_POSITIVE);
        let point = |at: f64| (x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length);
        let mut from = 0.0;
        while from < length {
            let (start, end) = (point(from), point((from + DASH).min(length)));
            self.line(start.0, start.1, end.0, end.1, colour);
            from += PERIOD;
        }
    }

    /// A horizontal line of dashes.
    pub fn dashes(&self, x0: f64, x1: f64, y: f64, colour: RGBColor) {
        let mut x = x0;
        while x < x1 {
            self.bar(x, y - 0.75, (x + 5.0).min(x1), y + 0.75, colour);
            x += 9.0;
        }
    }

    /// A text, vertically centred at its position.
    pub fn text(&self, text: &str, x: f64, y: f64, align: Align, colour: RGBColor) {
        self.write(text, x, y, align, colour, FontStyle::Normal);
    }

    /// A bold text, vertically centred at its position.
    pub fn bold(&self, text: &str, x: f64, y: f64, align: Align, colour: RGBColor) {
        self.write(text, x, y, align, colour, FontStyle::Bold);
    }

    fn write(&self, text: &str, x: f64, y: f64, align: Align, colour: RGBColor, style: FontStyle) {
        let anchor = match align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        };
        let font = FontDesc::new(FontFamily::Name(FONT), self.font * self.ratio, style);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(anchor, VPos::Center));
        self.put(&Text::new(text.to_owned(), self.at(x, y), style));
    }

    /// Width of a text in CSS pixels.
    pub fn measure(&self, text: &str) -> f64 {
        self.context.set_font(&format!("{}px {FONT}", self.font));
        self.context.measure_text(text).map_or(0.0, |metrics| metrics.width())
    }

    fn at(&self, x: f64, y: f64) -> (i32, i32) {
        let (left, top) = self.origin.get();
        (((x + left) * self.ratio).round() as i32, ((y + top) * self.ratio).round() as i32)
    }
}

/// The computed style of a canvas, and the size of its text in CSS pixels.
fn style_of(canvas: &HtmlCanvasElement) -> Option<(web_sys::CssStyleDeclaration, f64)> {
    let style = browser::window()?.get_computed_style(canvas).ok()??;
    let font = style.get_property_value("font-size").unwrap_or_default();
    let font = Some(js_sys::Number::parse_float(&font)).filter(|size| size.is_finite()).unwrap_or(FONT_PX);
    Some((style, font))
}
