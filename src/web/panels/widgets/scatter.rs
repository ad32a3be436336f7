//! Measured against forecast: a point per measurement over two logarithmic axes, and the line where both agree.

use crate::widgets::lines::ChartAxis;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Align, Mark, Painter, Plot};
use yew::prelude::*;

/// A chart of points.
pub(crate) struct Scatter {
    /// What was measured and what was forecast, both positive.
    pub(crate) points: Vec<(f64, f64)>,
    /// Axes of the same range.
    pub(crate) x: ChartAxis,
    pub(crate) y: ChartAxis,
    /// The chart in words.
    pub(crate) summary: String,
    pub(crate) table: Sheet,
}

impl Plot for Scatter {
    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn height(&self, width: f64, font: f64) -> f64 {
        (width * 0.75).clamp(18.0 * font, 30.0 * font)
    }

    fn draw(&self, painter: &Painter) {
        let font = painter.font;
        let (faint, rule) = (painter.colour("--ink-2"), painter.colour("--rule"));
        let widest = self.y.ticks.iter().map(|tick| painter.measure(&tick.1)).fold(0.0, f64::max);
        let (left, right) = (widest + 10.0, painter.width - font);
        let (top, bottom) = (2.3 * font, painter.height - 3.2 * font);
        let x = |value: f64| left + (right - left) * self.x.place(value);
        let y = |value: f64| bottom - (bottom - top) * self.y.place(value);
        for (value, label) in &self.y.ticks {
            painter.line(left, y(*value), right, y(*value), rule);
            painter.text(label, left - 8.0, y(*value), Align::End, faint);
        }
        painter.text(&self.y.label, 0.0, 0.9 * font, Align::Start, faint);
        for (value, label) in &self.x.ticks {
            let half = painter.measure(label) / 2.0;
            let middle = x(*value).min(painter.width - half).max(half);
            painter.line(x(*value), top, x(*value), bottom, rule);
            painter.text(label, middle, bottom + font, Align::Middle, faint);
        }
        painter.text(&self.x.label, right, bottom + 2.4 * font, Align::End, faint);
        let (low, high) = self.x.range;
        painter.line(x(low), y(low), x(high), y(high), painter.colour("--ink"));
        let colour = painter.colour("--c-forward");
        for (measured, forecast) in &self.points {
            painter.mark(Mark::Ring, x(*measured), y(*forecast), colour);
        }
    }

    fn table(&self) -> Html {
        self.table.table()
    }
}
