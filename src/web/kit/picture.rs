//! Drawings to save, as PNG and as SVG: with title, job, legend and link, on the page's background.

use crate::browser;
use crate::clipboard::{download, save};
use crate::legend::LegendEntry;
use crate::painter::{Align, Mark, PAPER, Painter, PixelGrid};
use crate::tools::address;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlCanvasElement;

/// Free border around everything, CSS pixels.
const MARGIN: f64 = 16.0;

/// Height of a line of text, in sizes of the text.
const LINE: f64 = 1.45;

/// Size of a swatch, CSS pixels.
const SWATCH: f64 = 11.0;

/// Most lines of the address: a longer one is cut, and whole in the metadata of an SVG.
const MOST_LINES: usize = 4;

/// A drawing with what stands around it when it is alone.
pub(crate) struct Plate<'a> {
    pub(crate) title: &'a str,
    pub(crate) canvas: &'a HtmlCanvasElement,
    pub(crate) drawing: &'a dyn Fn(&Painter),
    pub(crate) legend: &'a [LegendEntry],
}

/// The lines of a plate.
struct Lines {
    job: Vec<String>,
    /// Entries of each row of the legend, with their left edges.
    legend: Vec<Vec<(usize, f64)>>,
    address: Vec<String>,
    size: (f64, f64),
    font: f64,
}

impl Lines {
    fn of(plate: &Plate<'_>, painter: &Painter) -> Self {
        let (canvas, font) = (plate.canvas, painter.font);
        let size = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        let job = browser::document().map(|document| document.title()).unwrap_or_default();
        let mut address = broken(&address(canvas), |text| painter.measure(text) <= size.0);
        if address.len() > MOST_LINES {
            address.truncate(MOST_LINES);
            if let Some(last) = address.last_mut() {
                last.pop();
                last.push('\u{2026}');
            }
        }
        let mut legend: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut left = f64::INFINITY;
        for (index, entry) in plate.legend.iter().enumerate() {
            let wide = SWATCH + 6.0 + painter.measure(&entry.words());
            if left + wide > size.0 {
                legend.push(Vec::new());
                left = 0.0;
            }
            if let Some(row) = legend.last_mut() {
                row.push((index, left));
            }
            left += wide + 16.0;
        }
        let job = wrapped(&job, |text| painter.measure(text) <= size.0);
        Self { job, legend, address, size, font }
    }

    /// Heights above and below the drawing.
    fn around(&self) -> (f64, f64) {
        let line = LINE * self.font;
        let above = MARGIN + line * (1.2 + self.job.len() as f64) + 0.5 * self.font;
        let below = line * (self.legend.len() + self.address.len()) as f64 + self.font + MARGIN;
        (above, below)
    }

    fn whole(&self) -> (f64, f64) {
        let (above, below) = self.around();
        (self.size.0 + 2.0 * MARGIN, above + self.size.1 + below)
    }

    fn draw(&self, plate: &Plate<'_>, painter: &mut Painter) {
        let (ink, faint) = (painter.colour("--ink"), painter.colour("--ink-2"));
        let line = LINE * self.font;
        painter.bar(0.0, 0.0, painter.width, painter.height, painter.colour(PAPER));
        let mut y = MARGIN + 0.6 * line;
        painter.bold(plate.title, MARGIN, y, Align::Start, ink);
        for text in &self.job {
            y += line;
            painter.text(text, MARGIN, y, Align::Start, faint);
        }
        let (above, _) = self.around();
        painter.inset((MARGIN, above), self.size, plate.drawing);
        y = above + self.size.1 + 0.5 * self.font;
        for row in &self.legend {
            y += line;
            for (index, left) in row {
                let Some(entry) = plate.legend.get(*index) else { continue };
                let left = MARGIN + left;
                let colour = painter.colour(entry.token);
                match entry.mark {
                    Mark::Square => {
                        painter.bar(left, y - SWATCH / 2.0, left + SWATCH, y + SWATCH / 2.0, colour);
                    }
                    mark => painter.mark(mark, left + SWATCH / 2.0, y, colour),
                }
                painter.text(&entry.words(), left + SWATCH + 6.0, y, Align::Start, ink);
            }
        }
        for text in &self.address {
            y += line;
            painter.text(text, MARGIN, y, Align::Start, faint);
        }
    }
}

/// Lines of words that fit.
fn wrapped(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| fits(&format!("{line} {word}"))) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Lines of letters that fit, for what has no words.
fn broken(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = vec![String::new()];
    for letter in text.chars() {
        if let Some(line) = lines.last_mut() {
            line.push(letter);
            if !fits(line) {
                line.pop();
                lines.push(letter.to_string());
            }
        }
    }
    lines
}

impl Plate<'_> {
    /// Offers it as a file of a name: SVG, or PNG.
    pub(crate) fn save(&self, name: &str, vector: bool) {
        if vector {
            if let Some(picture) = self.svg() {
                download(&format!("{name}.svg"), "image/svg+xml", &picture);
            }
        } else if let Some(picture) = self.png() {
            save(&format!("{name}.png"), &picture);
        }
    }

    fn png(&self) -> Option<String> {
        let new = || browser::document()?.create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok();
        let lines = Lines::of(self, &Painter::of_copy(self.canvas, &new()?, (1.0, 1.0))?);
        let copy = new()?;
        let mut painter = Painter::of_copy(self.canvas, &copy, lines.whole())?;
        lines.draw(self, &mut painter);
        copy.to_data_url().ok()
    }

    /// The text of an SVG file, which says what it shows and of which job.
    fn svg(&self) -> Option<String> {
        let mut drawn = String::new();
        let one = PixelGrid { width: 1.0, height: 1.0 };
        let lines = Lines::of(self, &Painter::of_picture(self.canvas, &one, &mut drawn)?);
        drawn.clear();
        let (width, height) = lines.whole();
        let detail = PixelGrid { width, height };
        let mut painter = Painter::of_picture(self.canvas, &detail, &mut drawn)?;
        lines.draw(self, &mut painter);
        drop(painter);
        let described = self.canvas.get_attribute("aria-describedby").unwrap_or_default();
        let words = browser::element(&described).and_then(|element| element.text_content());
        let tag = |name: &str, text: &str| {
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
            format!("<{name}>{escaped}</{name}>")
        };
        let told = tag("title", self.title)
            + &tag("desc", &words.unwrap_or_default())
            + &tag("metadata", &address(self.canvas));
        let inside = drawn.find('>')? + 1;
        Some(format!("{}{told}{}", detail.head(), &drawn[inside..]))
    }
}
