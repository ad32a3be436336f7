//! What a GPU of the fullest stage holds over a step.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{BAD, FAINT, INK, RULE, of_owner};
use super::legend;
use crate::error::FieldError;
use crate::number;
use crate::page_state::memory_curve::MemoryCurve;
use crate::page_state::{scale, summary};
use crate::units::Bytes;

/// Height of the curve, in sizes of the text.
const HEIGHT: f64 = 14.0;

/// Width of a column, pixels.
const COLUMN: f64 = 2.0;

pub(in super::super) fn memory_curve(
    canvas: &mut Canvas,
    subject: &Subject<'_>,
) -> Result<String, Vec<FieldError>> {
    let report = &subject.prediction.memory;
    let curve = MemoryCurve::new(&subject.predictor, subject.scenario, report.worst_stage)?;
    let highest = report.peak_gib.max(report.usable_gib).max(f64::MIN_POSITIVE);
    let (top, bottom) = (1.6 * FONT, HEIGHT * FONT);
    let y = |gib: f64| bottom - (bottom - top) * (gib / highest).clamp(0.0, 1.0);
    let ticks = scale::ticks(highest, 4);
    let decimals = scale::decimals(&ticks);
    let left = measure("0,000") + 8.0;
    canvas.text("GiB", left - 8.0, 0.0, Anchor::End, FAINT);
    for tick in &ticks {
        canvas.line((left, y(*tick)), (canvas.width(), y(*tick)), RULE, false);
        canvas.text(&number::fixed(*tick, decimals), left - 8.0, y(*tick), Anchor::End, FAINT);
    }
    let wide = canvas.width() - left;
    let columns = curve.columns((wide / COLUMN) as usize);
    for (place, memory) in columns.iter().enumerate() {
        let mut below = 0.0;
        for (key, _, size) in memory.parts().into_iter().filter(|part| part.2.0 > 0.0) {
            let above = below + size.gib();
            let fill = canvas.colour(of_owner(key));
            canvas.bar(left + place as f64 * COLUMN, y(above), COLUMN, y(below) - y(above), fill);
            below = above;
        }
    }
    let colour = if report.fits { INK } else { BAD };
    canvas.line((left, y(report.usable_gib)), (canvas.width(), y(report.usable_gib)), colour, true);
    let end = curve.end.0.max(f64::MIN_POSITIVE);
    let times = scale::ticks(end, 5);
    let decimals = scale::decimals(&times);
    for time in &times {
        let x = left + wide * (time / end).clamp(0.0, 1.0);
        let anchor = if x > canvas.width() - measure("000 s") { Anchor::End } else { Anchor::Middle };
        canvas.text(&format!("{} s", number::fixed(*time, decimals)), x, bottom + FONT, anchor, FAINT);
    }
    canvas.space(HEIGHT + 2.8);
    let seen = |key: &str| {
        columns.iter().any(|memory| memory.parts().iter().any(|part| part.0 == key && part.2.0 > 0.0))
    };
    let labels = report.stages.first().map(|stage| stage.parts()).into_iter().flatten();
    let entries: Vec<_> = labels
        .filter(|(key, ..)| seen(key))
        .map(|(key, label, _)| (of_owner(key), label.to_owned()))
        .collect();
    legend(canvas, &entries);
    Ok(format!(
        "Stage {}: peak memory per GPU {} of {}.",
        curve.stage,
        number::memory(Bytes::from_gib(report.peak_gib)),
        summary::usable(report)
    ))
}
