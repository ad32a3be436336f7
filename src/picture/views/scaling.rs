//! The same job on more and more GPUs: what of the ideal is left.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{ACCENT, BUBBLE, Colour, DATA, FAINT, RULE, TENSOR};
use super::legend;
use crate::error::FieldError;
use crate::number;
use crate::scaling::{Mode, ScalingPoint, doublings, scaling as scaled};

/// Height of the curves, in sizes of the text.
const HEIGHT: f64 = 16.0;

/// A curve: its colour, its name, and its share at a point.
type Curve = (Colour, &'static str, fn(&ScalingPoint) -> f64);

const CURVES: [Curve; 4] = [
    (ACCENT, "Efficiency", |point| point.efficiency),
    (TENSOR, "Communication share", |point| point.communication_share),
    (DATA, "Data-parallel share", |point| point.data_share),
    (BUBBLE, "Bubble share", |point| point.bubble_share),
];

pub(in super::super) fn scaling(
    canvas: &mut Canvas,
    subject: &Subject<'_>,
) -> Result<String, Vec<FieldError>> {
    let job = subject.scenario;
    let curve = scaled(&subject.predictor, job, Mode::Strong, &doublings(job))?;
    let points = &curve.points;
    let most = points.iter().map(|point| point.efficiency).fold(1.0, f64::max);
    let left = measure("100.0 %") + 8.0;
    let bottom = HEIGHT * FONT;
    let (wide, last) = (canvas.width() - left, points.len().saturating_sub(1).max(1) as f64);
    let y = |share: f64| bottom * (1.0 - (share / most).clamp(0.0, 1.0));
    for quarter in 0..=4_u32 {
        let share = f64::from(quarter) / 4.0;
        canvas.line((left, y(share)), (canvas.width(), y(share)), RULE, false);
        canvas.text(&number::percent(share).to_string(), left - 8.0, y(share), Anchor::End, FAINT);
    }
    let x = |index: usize| left + wide * index as f64 / last;
    let room = wide / last;
    let mut every = 1;
    while room * (every as f64) < measure("000,000") && every < points.len() {
        every *= 2;
    }
    for (index, point) in points.iter().enumerate().step_by(every) {
        let anchor = match index {
            0 => Anchor::Start,
            index if index + 1 == points.len() => Anchor::End,
            _ => Anchor::Middle,
        };
        canvas.text(&number::integer(point.gpus.into()), x(index), bottom + FONT, anchor, FAINT);
    }
    for (colour, _, share) in CURVES {
        let line: Vec<(f64, f64)> =
            points.iter().enumerate().map(|(index, point)| (x(index), y(share(point)))).collect();
        canvas.curve(&line, colour);
    }
    canvas.space(HEIGHT + 2.8);
    legend(canvas, &CURVES.map(|(colour, name, _)| (colour, name.to_owned())));
    let words = match curve.turn.and_then(|turn| points.get(turn)) {
        Some(point) => format!(
            "Fixed global batch (strong scaling). Beyond {} GPUs, marginal scaling efficiency is below 50 %.",
            number::integer(point.gpus.into())
        ),
        None => {
            "Fixed global batch (strong scaling). Marginal scaling efficiency stays above 50 %.".to_owned()
        }
    };
    canvas.words(&words);
    Ok(words)
}
