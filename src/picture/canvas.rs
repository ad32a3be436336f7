//! An SVG that grows downwards, with texts by their anchors, and the size of a text estimated.

use super::colours::{Colour, FAINT, INK, PAPER, RULE, Theme};
use core::fmt::Write as _;

/// Size of the text, pixels.
pub(super) const FONT: f64 = 13.0;

/// Free border around everything, pixels.
const MARGIN: f64 = 16.0;

/// Height of a line of text, in sizes of the text.
const LINE: f64 = 1.45;

/// What the page's charts are written in.
const FAMILY: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/// Which side of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing, and how far down it is drawn. Positions are within the margins; `y` counts from [`Canvas::at`].
#[derive(Debug, Clone)]
pub(super) struct Canvas {
    theme: Theme,
    full: f64,
    /// Where the next part begins, pixels.
    at: f64,
    body: String,
}

impl Canvas {
    pub(super) fn new(theme: Theme, width: f64) -> Self {
        Self { theme, full: width, at: MARGIN, body: String::new() }
    }

    /// Width within the margins.
    pub(super) fn width(&self) -> f64 {
        self.full - 2.0 * MARGIN
    }

    /// Moves down by this many text sizes.
    pub(super) fn space(&mut self, lines: f64) {
        self.at += lines * FONT;
    }

    /// What the picture shows, and of which job.
    pub(super) fn heading(&mut self, heading: &str, job: &str) {
        self.space(1.0);
        self.write(heading, 0.0, 0.0, Anchor::Start, INK, 1.15, true);
        self.space(0.4);
        for line in wrapped(job, self.width()) {
            self.space(LINE);
            self.text(&line, 0.0, 0.0, Anchor::Start, FAINT);
        }
        self.space(2.0);
    }

    /// Words, broken into lines.
    pub(super) fn words(&mut self, text: &str) {
        for line in wrapped(text, self.width()) {
            self.space(LINE);
            self.text(&line, 0.0, 0.0, Anchor::Start, INK);
        }
    }

    pub(super) fn colour(&self, colour: Colour) -> &'static str {
        colour.of(self.theme)
    }

    /// A colour between two, by a share of the second.
    pub(super) fn between(&self, from: Colour, to: Colour, share: f64) -> String {
        let channel = |colour: &str, at: usize| {
            colour.get(at..at + 2).and_then(|text| u8::from_str_radix(text, 16).ok()).map_or(0.0, f64::from)
        };
        let (from, to) = (self.colour(from), self.colour(to));
        let mut text = String::from("#");
        for at in [1, 3, 5] {
            let mixed = channel(from, at) + (channel(to, at) - channel(from, at)) * share.clamp(0.0, 1.0);
            let _ = write!(text, "{:02x}", mixed.round() as u8);
        }
        text
    }

    /// A filled rectangle.
    pub(super) fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        if width > 0.0 && height > 0.0 {
            let (x, y) = (short(x + MARGIN), short(y + self.at));
            let (width, height) = (short(width), short(height));
            let _ = writeln!(
                self.body,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
            );
        }
    }

    /// A disc by its middle and radius, its inside a third of the colour.
    pub(super) fn disc(&mut self, (x, y, radius): (f64, f64, f64), colour: Colour) {
        let (x, y, radius) = (short(x + MARGIN), short(y + self.at), short(radius));
        let fill = self.colour(colour);
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" fill-opacity=\"0.35\" stroke=\"{fill}\" stroke-width=\"1.5\"/>"
        );
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: Colour, dashes: bool) {
        let dashes = if dashes { " stroke-dasharray=\"5 4\"" } else { "" };
        let stroke = self.colour(colour);
        let [x1, x2] = [from.0, to.0].map(|x| short(x + MARGIN));
        let [y1, y2] = [from.1, to.1].map(|y| short(y + self.at));
        let _ = writeln!(
            self.body,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{stroke}\"{dashes}/>"
        );
    }

    pub(super) fn curve(&mut self, points: &[(f64, f64)], colour: Colour) {
        let texts: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", short(x + MARGIN), short(y + self.at))).collect();
        let stroke = self.colour(colour);
        let _ = writeln!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\"/>",
            texts.join(" ")
        );
    }

    /// A text whose middle line is at `y`.
    pub(super) fn text(&mut self, text: &str, x: f64, y: f64, anchor: Anchor, colour: Colour) {
        self.write(text, x, y, anchor, colour, 1.0, false);
    }

    /// A text in bold, `size` times as large.
    pub(super) fn bold(&mut self, text: &str, x: f64, y: f64, anchor: Anchor, colour: Colour, size: f64) {
        self.write(text, x, y, anchor, colour, size, true);
    }

    /// A faint small text, at the place that is reached.
    pub(super) fn small(&mut self, text: &str, x: f64, anchor: Anchor) {
        let text = fitting(text, self.width() / 0.85);
        self.write(&text, x, 0.0, anchor, FAINT, 0.85, false);
    }

    #[allow(clippy::too_many_arguments, reason = "the others call it with most of them settled")]
    fn write(&mut self, text: &str, x: f64, y: f64, anchor: Anchor, colour: Colour, size: f64, bold: bool) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if bold { " font-weight=\"600\"" } else { "" };
        let font = if size == 1.0 { String::new() } else { format!(" font-size=\"{}\"", short(size * FONT)) };
        // The baseline is a third of the letter size below the middle.
        let (x, y) = (short(x + MARGIN), short(y + self.at + size * FONT * 0.35));
        let (fill, text) = (self.colour(colour), escaped(text));
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\"{anchor}{weight}{font}>{text}</text>"
        );
    }

    /// The picture, with its title, description and the link of its job.
    pub(super) fn finish(mut self, title: &str, words: &str, link: &str) -> String {
        self.space(0.6);
        let (width, height) = (short(self.full), short(self.at + MARGIN));
        let (paper, rule) = (self.colour(PAPER), self.colour(RULE));
        let (title, words, link) = (escaped(title), escaped(words), escaped(link));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-labelledby=\"title desc\" font-family=\"{FAMILY}\" font-size=\"{FONT}\">\n\
             <title id=\"title\">{title}</title>\n<desc id=\"desc\">{words}</desc>\n\
             <metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\
             <rdf:Description rdf:about=\"\"><dc:creator>stepcast</dc:creator><dc:source>{link}</dc:source></rdf:Description>\
             </rdf:RDF></metadata>\n\
             <rect x=\"0\" y=\"0\" width=\"{width}\" height=\"{height}\" fill=\"{paper}\" stroke=\"{rule}\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// How much wider than a common sans serif the widest fonts that pictures are shown in are.
const WIDE: f64 = 1.07;

/// About how wide a text is, pixels: each letter counts as wide as those of its kind are.
pub(super) fn measure(text: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.28,
        ' ' | '\u{a0}' | 't' | 'f' | 'r' | '(' | ')' | '/' | '-' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.88,
        'A'..='Z' => 0.68,
        _ => 0.57,
    };
    WIDE * FONT * text.chars().map(width).sum::<f64>()
}

/// The part of a text that fits the width, with an ellipsis if something is left out.
pub(super) fn fitting(text: &str, width: f64) -> String {
    if measure(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        if measure(&kept) + measure("m…") > width {
            break;
        }
        kept.push(letter);
    }
    kept + "…"
}

/// Lines of a text that fit the width.
pub(super) fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if measure(line) + measure(" ") + measure(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fitting(word, width)),
        }
    }
    lines
}

/// A number with at most two decimals; what is none is 0.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

/// A text as XML takes it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}
