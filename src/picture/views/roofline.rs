//! The roofline: each kind of kernel of the slowest stage against the limits of the GPU.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{Colour, EMPTY, EXPERT, FAINT, FORWARD, HOST, INK, RULE};
use super::legend;
use crate::forecast::{Roofline, RooflineKind};
use crate::page_state::roofline::{
    ACROSS, MOVEMENT, RooflineDrawing, UP, in_words, labels, name, on_slope, roof_labels,
};

/// Height of the ground, in sizes of the text.
const HEIGHT: f64 = 26.0;

/// Width below which the labels of the limits are in a corner, pixels.
const NARROW: f64 = 560.0;

/// Kinds of kernels with their colours, as on the page.
const KINDS: [(RooflineKind, Colour, &str); 3] = [
    (RooflineKind::Products, FORWARD, "GEMMs"),
    (RooflineKind::Attention, EXPERT, "Attention, scans and indexers"),
    (RooflineKind::Movement, HOST, "Data movement (FLOPs not counted)"),
];

/// Where the axes are, within the margins.
struct Ground {
    left: f64,
    size: (f64, f64),
}

impl Ground {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.left + x * self.size.0, (1.0 - y) * self.size.1)
    }
}

pub(in super::super) fn roofline(canvas: &mut Canvas, subject: &Subject<'_>) -> String {
    let roofline = subject.predictor.roofline(subject.scenario, subject.prediction);
    let drawing = RooflineDrawing::new(&roofline, subject.scenario);
    let left = drawing.up.iter().map(|tick| measure(&tick.1)).fold(0.0, f64::max) + 8.0;
    canvas.text(UP, 0.0, 0.0, Anchor::Start, FAINT);
    canvas.space(1.4);
    let ground = Ground { left, size: (canvas.width() - left, HEIGHT * FONT) };
    draw_axes(canvas, &drawing, &ground);
    let reserved = draw_roofs(canvas, &drawing, &ground);
    draw_discs(canvas, (&roofline, &drawing), &ground, &reserved);
    canvas.space(HEIGHT + 4.2);
    legend(canvas, &KINDS.map(|(_, colour, label)| (colour, label.to_owned())));
    let words = in_words(&roofline, subject.prediction.step);
    canvas.words(&words);
    words
}

fn draw_axes(canvas: &mut Canvas, drawing: &RooflineDrawing, ground: &Ground) {
    let ((left, bottom), (right, top)) = (ground.at((0.0, 0.0)), ground.at((1.0, 1.0)));
    let strip = ground.at((drawing.strip, 0.0)).0;
    let empty = canvas.colour(EMPTY);
    canvas.bar(left, top, strip - left, bottom - top, empty);
    for (place, label) in &drawing.up {
        let y = ground.at((0.0, *place)).1;
        canvas.line((left, y), (right, y), RULE, false);
        canvas.text(label, left - 8.0, y, Anchor::End, FAINT);
    }
    for (place, label) in &drawing.across {
        let x = ground.at((*place, 0.0)).0;
        canvas.line((x, top), (x, bottom), RULE, false);
        let anchor = if *place > 0.95 { Anchor::End } else { Anchor::Middle };
        canvas.text(label, x, bottom + FONT, anchor, FAINT);
    }
    if measure(MOVEMENT) < strip - left {
        canvas.text(MOVEMENT, f64::midpoint(left, strip), bottom + FONT, Anchor::Middle, FAINT);
    }
    canvas.text(ACROSS, right, bottom + 2.4 * FONT, Anchor::End, FAINT);
}

/// Draws the limits with their labels, and returns the places of these.
fn draw_roofs(canvas: &mut Canvas, drawing: &RooflineDrawing, ground: &Ground) -> Vec<[f64; 4]> {
    let roofs: Vec<[(f64, f64); 3]> =
        drawing.roofs.iter().map(|roof| roof.points.map(|point| ground.at(point))).collect();
    let end = ground.at((1.0, 0.0));
    let mut places = roof_labels(&roofs, 1.3 * FONT);
    if canvas.width() < NARROW {
        // Left of the slope is no room: in the lower right corner, in their order.
        let count = places.len() as f64;
        places = (0..places.len()).map(|at| (end.0, end.1 - 1.3 * FONT * (count - at as f64))).collect();
    }
    let mut taken = on_slope(&roofs);
    for ((roof, [first, ridge, last]), (x, y)) in drawing.roofs.iter().zip(&roofs).zip(places) {
        let colour = if roof.modelled { FAINT } else { INK };
        canvas.line(*first, *ridge, colour, roof.modelled);
        canvas.line(*ridge, *last, colour, roof.modelled);
        canvas.text(&roof.label, x, y, Anchor::End, colour);
        taken.push([x - measure(&roof.label), y - 0.6 * FONT, x, y + 0.6 * FONT]);
    }
    taken
}

fn draw_discs(
    canvas: &mut Canvas,
    (roofline, drawing): (&Roofline, &RooflineDrawing),
    ground: &Ground,
    reserved: &[[f64; 4]],
) {
    let circles = drawing.circles(ground.size, |place| ground.at(place));
    let mut names = Vec::with_capacity(circles.len());
    for (disc, circle) in drawing.discs.iter().zip(&circles) {
        let Some(point) = roofline.points.get(disc.index) else { continue };
        let colour = KINDS.iter().find(|kind| kind.0 == point.kind).map_or(HOST, |kind| kind.1);
        canvas.disc(*circle, colour);
        names.push(if disc.is_labelled() { name(roofline, point) } else { String::new() });
    }
    let widths: Vec<f64> = names.iter().map(|name| measure(name)).collect();
    for (name, place) in names.iter().zip(labels(&circles, &widths, FONT, ground.at((1.0, 0.0)), reserved)) {
        if let Some((left, middle)) = place {
            canvas.text(name, left, middle, Anchor::Start, INK);
        }
    }
}
