//! The roofline: each kind of kernel of the slowest stage against the limits of the GPU.

use crate::root::PanelProps;
use stepcast::forecast::{Roofline, RooflineKind, RooflinePoint};
use stepcast::page_state::roofline::{
    ACROSS, COLUMNS, MOVEMENT, RooflineDrawing, UP, in_words, labels, name, on_slope, roof_labels, rows, said,
};
use stepcast::units::Seconds;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Align, Chart, LegendEntry, Painter, Plot, Plotted};
use yew::prelude::*;

/// Width below which the labels of the limits are in a corner, CSS pixels.
const NARROW: f64 = 560.0;

/// How much of its colour the inside of a disc has.
const SHADE: f64 = 0.25;

/// Least distance from the middle of a disc that still answers the pointer, CSS pixels.
const REACH: f64 = 7.0;

/// The panel.
#[component]
pub(crate) fn RooflinePanel(props: &PanelProps) -> Html {
    let plot = use_memo(props.forecast.clone(), |forecast| {
        let roofline = forecast.predictor().roofline(&forecast.scenario, &forecast.prediction);
        let drawing = RooflineDrawing::new(&roofline, &forecast.scenario);
        Plotted::from(RooflinePlot { roofline, drawing, step: forecast.prediction.step })
    });
    html! {
        <>
            <p>{ plot.summary() }</p>
            <Chart id="roofline-chart" level="h4" title="Roofline of all kernels in a step" plot={(*plot).clone()} colours={props.colours} />
        </>
    }
}

struct RooflinePlot {
    roofline: Roofline,
    drawing: RooflineDrawing,
    step: Seconds,
}

/// Token of the style sheet that colours a kind of kernel.
fn token(kind: RooflineKind) -> &'static str {
    match kind {
        RooflineKind::Products => "--c-forward",
        RooflineKind::Attention => "--c-expert",
        RooflineKind::Movement | RooflineKind::Other => "--c-host",
    }
}

/// Where the axes are, CSS pixels.
struct Ground {
    left: f64,
    top: f64,
    size: (f64, f64),
}

impl Ground {
    fn of(painter: &Painter, drawing: &RooflineDrawing) -> Self {
        let widest = drawing.up.iter().map(|tick| painter.measure(&tick.1)).fold(0.0, f64::max);
        let (left, top) = (widest + 10.0, 2.2 * painter.font);
        let size = (painter.width - left - 2.0, painter.height - top - 3.4 * painter.font);
        Self { left, top, size }
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.left + x * self.size.0, self.top + (1.0 - y) * self.size.1)
    }
}

impl RooflinePlot {
    fn point(&self, index: usize) -> Option<&RooflinePoint> {
        self.roofline.points.get(index)
    }

    fn draw_axes(&self, painter: &Painter, ground: &Ground) {
        let (font, faint, rule) = (painter.font, painter.colour("--ink-2"), painter.colour("--rule"));
        let ((left, bottom), (right, top)) = (ground.at((0.0, 0.0)), ground.at((1.0, 1.0)));
        let strip = ground.at((self.drawing.strip, 0.0)).0;
        painter.bar(left, top, strip, bottom, painter.colour("--paper-2"));
        for (place, label) in &self.drawing.up {
            let y = ground.at((0.0, *place)).1;
            painter.line(left, y, right, y, rule);
            painter.text(label, left - 8.0, y, Align::End, faint);
        }
        for (place, label) in &self.drawing.across {
            let x = ground.at((*place, 0.0)).0;
            painter.line(x, top, x, bottom, rule);
            let align = if *place > 0.97 { Align::End } else { Align::Middle };
            painter.text(label, x, bottom + 0.9 * font, align, faint);
        }
        painter.text(UP, 0.0, 0.7 * font, Align::Start, faint);
        painter.text(ACROSS, right, bottom + 2.3 * font, Align::End, faint);
        if painter.measure(MOVEMENT) < strip - left {
            let middle = f64::midpoint(left, strip);
            painter.text(MOVEMENT, middle, bottom + 0.9 * font, Align::Middle, faint);
        }
    }

    /// Draws the limits with their labels, and returns the places of these.
    fn draw_roofs(&self, painter: &Painter, ground: &Ground) -> Vec<[f64; 4]> {
        let (ink, faint) = (painter.colour("--ink"), painter.colour("--ink-2"));
        let roofs: Vec<[(f64, f64); 3]> =
            self.drawing.roofs.iter().map(|roof| roof.points.map(|point| ground.at(point))).collect();
        let (font, end) = (painter.font, ground.at((1.0, 0.0)));
        let mut places = roof_labels(&roofs, 1.3 * font);
        if painter.width < NARROW {
            // Left of the slope is no room: in the lower right corner, in their order.
            let count = places.len() as f64;
            places = (0..places.len()).map(|at| (end.0, end.1 - 1.3 * font * (count - at as f64))).collect();
        }
        let mut taken = on_slope(&roofs);
        for ((roof, [first, ridge, last]), (x, y)) in self.drawing.roofs.iter().zip(&roofs).zip(places) {
            let colour = if roof.modelled { faint } else { ink };
            for (from, to) in [(first, ridge), (ridge, last)] {
                if roof.modelled {
                    painter.dashed(*from, *to, colour);
                } else {
                    painter.stroke(from.0, from.1, to.0, to.1, colour);
                }
            }
            painter.text(&roof.label, x, y, Align::End, colour);
            taken.push([x - painter.measure(&roof.label), y - 0.6 * font, x, y + 0.6 * font]);
        }
        taken
    }

    fn draw_discs(&self, painter: &Painter, ground: &Ground, reserved: &[[f64; 4]]) {
        let discs = self.drawing.circles(ground.size, |place| ground.at(place));
        let names: Vec<String> = self
            .drawing
            .discs
            .iter()
            .map(|disc| self.point(disc.index).filter(|_| disc.is_labelled()))
            .map(|point| point.map_or_else(String::new, |point| name(&self.roofline, point)))
            .collect();
        for (disc, (x, y, radius)) in self.drawing.discs.iter().zip(&discs) {
            let Some(point) = self.point(disc.index) else { continue };
            painter.disc(*x, *y, *radius, painter.colour(token(point.kind)), SHADE);
            let half = radius.max(REACH);
            let words = said(&self.roofline, point, self.step);
            painter.spot([x - half, y - half, x + half, y + half], words, None);
        }
        let widths: Vec<f64> =
            names.iter().map(|name| if name.is_empty() { 0.0 } else { painter.measure(name) }).collect();
        let end = ground.at((1.0, 0.0));
        let (ink, paper, half) = (painter.colour("--ink"), painter.colour("--paper"), 0.6 * painter.font);
        for (name, place) in names.iter().zip(labels(&discs, &widths, painter.font, end, reserved)) {
            if let Some((left, middle)) = place {
                painter.bar(left, middle - half, left + painter.measure(name), middle + half, paper);
                painter.text(name, left, middle, Align::Start, ink);
            }
        }
    }
}

impl Plot for RooflinePlot {
    fn summary(&self) -> String {
        in_words(&self.roofline, self.step)
    }

    fn height(&self, width: f64, font: f64) -> f64 {
        (width * 0.62).clamp(24.0 * font, 38.0 * font)
    }

    fn draw(&self, painter: &Painter) {
        let ground = Ground::of(painter, &self.drawing);
        self.draw_axes(painter, &ground);
        let labels = self.draw_roofs(painter, &ground);
        self.draw_discs(painter, &ground, &labels);
    }

    fn table(&self) -> Html {
        Sheet {
            id: "roofline-table",
            caption: "Kernels of the slowest stage and their roofline limits, by time per step".to_owned(),
            head: COLUMNS.to_vec(),
            words: &[0],
            rows: rows(&self.roofline, self.step).into_iter().map(|cells| ("", cells)).collect(),
        }
        .table()
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let kinds = [
            (RooflineKind::Products, "GEMMs"),
            (RooflineKind::Attention, "Attention, scans and indexers"),
            (RooflineKind::Movement, "Data movement (FLOPs not counted)"),
        ];
        let drawn = |kind: RooflineKind| {
            self.drawing
                .discs
                .iter()
                .any(|disc| self.point(disc.index).is_some_and(|point| point.kind == kind))
        };
        let entries = kinds.into_iter().filter(|entry| drawn(entry.0));
        entries.map(|(kind, label)| LegendEntry::new(token(kind), label)).collect()
    }

    fn notes(&self) -> Vec<String> {
        const AREA: &str = "The area of a disc is the kernel's share of the compute time; its centre marks the value. Solid lines are data sheet limits. The dashed line is the rate assumed for sustained training.";
        vec![AREA.to_owned()]
    }
}
