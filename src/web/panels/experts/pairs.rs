//! The matrix of one group's expert traffic, each cell with its spread.

use stepcast::number;
use stepcast::traffic::experts::ExpertTraffic;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Align, Painter, Plot};
use yew::prelude::*;

/// Most ranks that are drawn, and listed, along a side.
const MOST: u32 = 64;

/// Widest drawing over the font size.
const WIDEST: f64 = 42.0;

/// Who sends how much to whom.
pub(super) struct Pairs(pub(super) ExpertTraffic);

impl Pairs {
    fn side(&self) -> u32 {
        self.0.ranks().min(MOST)
    }

    fn cells(&self) -> impl Iterator<Item = (u32, u32)> {
        let side = self.side();
        (0..side).flat_map(move |from| (0..side).map(move |to| (from, to))).filter(|(from, to)| from != to)
    }
}

impl Plot for Pairs {
    fn summary(&self) -> String {
        let band = |from, to| self.0.between(from, to);
        let most = self
            .cells()
            .max_by(|one, other| band(one.0, one.1).mean.0.total_cmp(&band(other.0, other.1).mean.0));
        most.map_or_else(
            || "A single rank has no traffic.".to_owned(),
            |(from, to)| {
                let (low, high) = band(from, to).ninety_percent();
                format!(
                    "The largest message is from rank {from} to rank {to}: {} (90 % range {} to {}).",
                    number::traffic(band(from, to).mean),
                    number::traffic(low),
                    number::traffic(high),
                )
            },
        )
    }

    fn height(&self, width: f64, font: f64) -> f64 {
        width.min(WIDEST * font) + 1.5 * font
    }

    fn draw(&self, painter: &Painter) {
        let font = painter.font;
        let (ink, faint) = (painter.colour("--ink"), painter.colour("--ink-2"));
        let (empty, full) = (painter.colour("--paper-2"), painter.colour("--accent"));
        let left = painter.measure("000") + 10.0;
        let top = 2.6 * font;
        let side = f64::from(self.side().max(1));
        let cell = (painter.width.min(WIDEST * font) - left - 1.0).min(painter.height - top - 1.0) / side;
        painter.bar(left, top, left + cell * side, top + cell * side, empty);
        let greatest =
            self.cells().map(|(from, to)| self.0.between(from, to).ninety_percent().1.0).fold(0.0, f64::max);
        let shade = |bytes: f64| {
            let share = if greatest > 0.0 { (bytes / greatest).clamp(0.0, 1.0) } else { 0.0 };
            Painter::between(empty, full, 0.1 + 0.9 * share)
        };
        for (from, to) in self.cells() {
            let band = self.0.between(from, to);
            let (low, high) = band.ninety_percent();
            let (x, y) = (left + cell * f64::from(to), top + cell * f64::from(from));
            painter.bar(x, y, x + cell, y + cell, shade(band.mean.0));
            if cell >= 4.4 * font {
                let colour = Painter::legible(shade(band.mean.0));
                let half = if band.mean.0 > 0.0 { (high.0 - low.0) / 2.0 / band.mean.0 } else { 0.0 };
                let (middle, centre) = (x + cell / 2.0, y + cell / 2.0);
                let size = number::traffic(band.mean).to_string();
                painter.text(&size, middle, centre - 0.65 * font, Align::Middle, colour);
                let spread = format!("\u{b1} {}", number::percent(half));
                painter.text(&spread, middle, centre + 0.65 * font, Align::Middle, colour);
            }
        }
        painter.text("To rank", left + cell * side, 0.7 * font, Align::End, faint);
        painter.text("From", 0.0, 0.7 * font, Align::Start, faint);
        let every = ((painter.measure("000") / cell).ceil() as usize).max(1);
        for rank in (0..self.side()).step_by(every) {
            let middle = cell * (f64::from(rank) + 0.5);
            painter.text(&rank.to_string(), left + middle, 1.9 * font, Align::Middle, ink);
            painter.text(&rank.to_string(), left - 6.0, top + middle, Align::End, ink);
        }
        if self.0.heaviest < self.side() {
            let at = top + cell * f64::from(self.0.heaviest);
            painter.outline(left, at, left + cell * side, at + cell, 2.0, painter.colour("--bad"));
        }
    }

    fn table(&self) -> Html {
        let rows = self.cells().take(1000).map(|(from, to)| {
            let band = self.0.between(from, to);
            let (low, high) = band.ninety_percent();
            let ranks = [from, to].map(|rank| rank.to_string());
            let sizes = [band.mean, low, high].map(|bytes| number::traffic(bytes).to_string());
            ("", ranks.into_iter().chain(sizes).collect())
        });
        Sheet {
            id: "pairs-table",
            caption: "Traffic between ranks in one step, with 90 % ranges".to_owned(),
            head: vec!["From", "To", "Expected", "From (90 %)", "To (90 %)"],
            words: &[],
            rows: rows.collect(),
        }
        .table()
    }
}
