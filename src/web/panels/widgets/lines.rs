//! Lines over two axes: the chart of everything that is a quantity against another.

use stepcast::number;
use stepcast::page_state::scale;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Align, LegendEntry, Mark, Painter, Plot, RGBColor};
use yew::prelude::*;

/// Tokens of the colours of the lines, in their order.
const COLOURS: [&str; 6] =
    ["--c-forward", "--c-tensor", "--c-optimizer", "--c-recompute", "--c-context", "--c-pipeline"];

/// Room above the vertical axis for its name, over the font size.
const TOP: f64 = 2.3;

/// Room for the labels of the vertical axis over the font size, where both axes are of one scale.
const LABELS: f64 = 5.0;

/// Room between the labels of the vertical axis and the plot, which has marks on its edge, CSS pixels.
const GAP: f64 = 14.0;

/// How far from a point it still answers the pointer, CSS pixels.
const REACH: f64 = 6.0;

/// One line.
pub(crate) struct Series {
    pub(crate) label: String,
    /// Points of the line, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
    /// Least and greatest value at each of its points; empty without a spread.
    pub(crate) spread: Vec<(f64, f64)>,
    pub(crate) shape: LineShape,
}

/// How the points of a line are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineShape {
    /// Each to the next.
    Straight,
    /// Level to the next point, then up or down to it.
    Stepped,
    /// Not at all.
    Apart,
    /// Each is the upper left corner of a bar as wide as the way to the next.
    Bars,
}

/// What one axis shows.
pub(crate) struct ChartAxis {
    pub(crate) label: String,
    /// Values with their labels, in ascending order.
    pub(crate) ticks: Vec<(f64, String)>,
    /// Least and greatest value.
    pub(crate) range: (f64, f64),
    /// Equal factors, not equal differences, are as far from each other.
    pub(crate) logarithmic: bool,
}

impl ChartAxis {
    /// Shares from 0 to 100 %.
    pub(crate) fn shares(label: impl Into<String>) -> Self {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0];
        let ticks = ticks.map(|share| (share, format!("{} %", number::fixed(share * 100.0, 0)))).into();
        Self { label: label.into(), ticks, range: (0.0, 1.0), logarithmic: false }
    }

    /// From zero to the greatest value, which must not be negative.
    pub(crate) fn from_zero(label: impl Into<String>, greatest: f64, name: fn(f64, u32) -> String) -> Self {
        let values = scale::ticks(greatest, 4);
        let decimals = scale::decimals(&values);
        let ticks = values.into_iter().map(|tick| (tick, name(tick, decimals))).collect();
        Self { label: label.into(), ticks, range: (0.0, greatest), logarithmic: false }
    }

    /// As wide as what it shows, from one round value to another.
    pub(crate) fn fitted(
        label: impl Into<String>,
        (least, most): (f64, f64),
        name: fn(f64, u32) -> String,
    ) -> Self {
        let values = scale::ticks_around(least, most, 4);
        let decimals = scale::decimals(&values);
        let ends = values.first().copied().zip(values.last().copied());
        let ticks = values.into_iter().map(|tick| (tick, name(tick, decimals))).collect();
        Self { label: label.into(), ticks, range: ends.unwrap_or((least, most)), logarithmic: false }
    }

    /// Powers of a base between two positive values.
    pub(crate) fn powers(
        label: impl Into<String>,
        range: (f64, f64),
        base: f64,
        name: fn(f64) -> String,
    ) -> Self {
        let ticks = scale::powers(range.0, range.1, base).into_iter().map(|tick| (tick, name(tick)));
        Self { label: label.into(), ticks: ticks.collect(), range, logarithmic: true }
    }

    /// A value with what it is, for a reader who points at it.
    fn told(&self, value: f64) -> String {
        let shares = self.ticks.last().is_some_and(|tick| tick.1.ends_with('%'));
        let value = if shares { number::percent(value).to_string() } else { number::significant(value, 3) };
        format!("{} {value}", self.label)
    }

    /// Place of a value along the axis, 0 to 1.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let share = if self.logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) }
    }
}

/// A chart of lines.
pub(crate) struct LineChart {
    pub(crate) series: Vec<Series>,
    pub(crate) x: ChartAxis,
    pub(crate) y: ChartAxis,
    /// A place along the x axis that is pointed out, with a word for it.
    pub(crate) turn: Option<(f64, String)>,
    /// The chart in words.
    pub(crate) summary: String,
    pub(crate) table: Sheet,
}

impl LineChart {
    /// The lines, each with its colour and mark: as many distinguishable ones as there are pairs.
    fn lines(&self) -> impl Iterator<Item = (&Series, &'static str, Mark)> {
        self.series.iter().enumerate().map(|(index, series)| {
            let (round, colour) = (index / COLOURS.len(), index % COLOURS.len());
            (series, COLOURS[colour], Mark::ALL[(index + round) % Mark::ALL.len()])
        })
    }
}

/// Where the lines are drawn, in CSS pixels.
struct Ground<'a, 'p> {
    lines: &'a LineChart,
    painter: &'a Painter<'p>,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl<'a, 'p> Ground<'a, 'p> {
    fn of(lines: &'a LineChart, painter: &'a Painter<'p>) -> Self {
        let font = painter.font;
        let widest = lines.y.ticks.iter().map(|tick| painter.measure(&tick.1)).fold(0.0, f64::max);
        let (left, right) = (widest + GAP + 2.0, painter.width - 1.5 * font);
        let (top, bottom) = (TOP * font, painter.height - 3.2 * font);
        Self { lines, painter, left, right, top, bottom }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.lines.x.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.lines.y.place(value)
    }

    /// Points out a place along the x axis.
    fn point_out(&self, value: f64, word: &str) {
        let (painter, x, ink) = (self.painter, self.x(value), self.painter.colour("--ink"));
        painter.bar(x - 0.75, self.top, x + 0.75, self.bottom, ink);
        let beyond = x + 6.0 + painter.measure(word) > self.right;
        let (at, align) = if beyond { (-6.0, Align::End) } else { (6.0, Align::Start) };
        // Bars start at the axis; a label above them is not hidden.
        let bars = self.lines.series.iter().any(|series| series.shape == LineShape::Bars);
        let level = if bars { self.top + 0.5 * painter.font } else { self.bottom - painter.font };
        painter.text(word, x + at, level, align, ink);
    }
}

impl LineChart {
    fn draw_axes(&self, ground: &Ground<'_, '_>) {
        let Ground { painter, left, right, top, bottom, .. } = *ground;
        let (font, faint, rule) = (painter.font, painter.colour("--ink-2"), painter.colour("--rule"));
        for (value, label) in &self.y.ticks {
            let y = ground.y(*value);
            painter.line(left, y, right, y, rule);
            painter.text(label, left - GAP, y, Align::End, faint);
        }
        painter.text(&self.y.label, 0.0, top - 1.4 * font, Align::Start, faint);
        // A label is left out where the one before it leaves no room.
        let mut free = f64::NEG_INFINITY;
        for (value, label) in &self.x.ticks {
            let x = ground.x(*value);
            let half = painter.measure(label) / 2.0;
            let middle = x.min(painter.width - half).max(half);
            painter.line(x, bottom, x, bottom + 4.0, faint);
            if middle - half > free {
                painter.text(label, middle, bottom + font, Align::Middle, faint);
                free = middle + half + 6.0;
            }
        }
        painter.text(&self.x.label, right, bottom + 2.4 * font, Align::End, faint);
    }
}

impl Series {
    fn draw(&self, ground: &Ground<'_, '_>, colour: RGBColor, mark: Mark) {
        let painter = ground.painter;
        for pair in self.points.windows(2).filter(|_| self.shape != LineShape::Apart) {
            if let [one, other] = pair {
                let (x0, x1, y0, y1) =
                    (ground.x(one.0), ground.x(other.0), ground.y(one.1), ground.y(other.1));
                if self.shape == LineShape::Bars {
                    painter.bar(x0 + 0.5, y0, x1 - 0.5, ground.bottom, colour);
                    continue;
                }
                let middle = if self.shape == LineShape::Stepped { y0 } else { y1 };
                painter.stroke(x0, y0, x1, middle, colour);
                painter.stroke(x1, middle, x1, y1, colour);
            }
        }
        for (at, value) in self.points.iter().filter(|_| self.shape != LineShape::Bars) {
            let (x, y) = (ground.x(*at), ground.y(*value));
            painter.mark(mark, x, y, colour);
            let LineChart { x: across, y: up, .. } = ground.lines;
            let words = format!("{}: {}, {}", self.label, across.told(*at), up.told(*value));
            painter.spot([x - REACH, y - REACH, x + REACH, y + REACH], words, None);
        }
    }

    fn draw_spread(&self, ground: &Ground<'_, '_>, colour: RGBColor) {
        for (index, (at, (low, high))) in self.points.iter().zip(&self.spread).enumerate() {
            let x = ground.x(at.0);
            // As wide as half the way to the neighbours.
            let half = |other: Option<&(f64, f64)>| other.map(|other| (ground.x(other.0) - x).abs() / 2.0);
            let before = half(index.checked_sub(1).and_then(|index| self.points.get(index)));
            let after = half(self.points.get(index + 1));
            let (before, after) = (before.or(after).unwrap_or(6.0), after.or(before).unwrap_or(6.0));
            let edges = ((x - before).max(ground.left), (x + after).min(ground.right));
            ground.painter.bar(edges.0, ground.y(*high), edges.1, ground.y(*low), colour);
        }
    }
}

impl Plot for LineChart {
    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn height(&self, width: f64, font: f64) -> f64 {
        // Two axes of one quantity are of one scale: a line at 45 degrees is where they agree.
        let same = self.x.range == self.y.range;
        let plot = if same { (width - LABELS * font).clamp(13.0 * font, 40.0 * font) } else { 13.0 * font };
        TOP * font + plot + 4.0 * font
    }

    fn draw(&self, painter: &Painter) {
        let ground = Ground::of(self, painter);
        self.draw_axes(&ground);
        // Under all lines, so that none hides another's.
        for (series, token, _) in self.lines() {
            let paler = Painter::between(painter.colour("--paper"), painter.colour(token), 0.3);
            series.draw_spread(&ground, paler);
        }
        for (series, token, mark) in self.lines() {
            series.draw(&ground, painter.colour(token), mark);
        }
        if let Some((value, word)) = &self.turn {
            ground.point_out(*value, word);
        }
    }

    fn table(&self) -> Html {
        self.table.table()
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(series, token, mark): (&Series, _, _)| {
            // Bars have no marks.
            let mark = if series.shape == LineShape::Bars { Mark::Square } else { mark };
            LegendEntry::new(token, series.label.clone()).marked(mark)
        };
        // A single line is what the heading says.
        self.lines().filter(|_| self.series.len() > 1).map(entry).collect()
    }
}
