//! What the GPUs of each stage hold, against what they can hold.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{BAD, FAINT, INK, RULE, of_owner};
use super::legend;
use crate::number;
use crate::page_state::{scale, summary};

/// Height of the bars, in sizes of the text.
const HEIGHT: f64 = 14.0;

/// Greatest width of a bar, pixels.
const WIDEST: f64 = 56.0;

pub(in super::super) fn memory(canvas: &mut Canvas, subject: &Subject<'_>) -> String {
    let report = &subject.prediction.memory;
    let highest = report.peak_gib.max(report.capacity_gib).max(f64::MIN_POSITIVE);
    let (top, bottom) = (1.6 * FONT, HEIGHT * FONT);
    let y = |gib: f64| bottom - (bottom - top) * (gib / highest).clamp(0.0, 1.0);
    let ticks = scale::ticks(highest, 4);
    let decimals = scale::decimals(&ticks);
    let labels: Vec<String> = ticks.iter().map(|tick| number::fixed(*tick, decimals)).collect();
    let left = labels.iter().map(|label| measure(label)).fold(measure("GiB"), f64::max) + 8.0;
    canvas.text("GiB", left - 8.0, 0.0, Anchor::End, FAINT);
    for (tick, label) in ticks.iter().zip(&labels) {
        canvas.line((left, y(*tick)), (canvas.width(), y(*tick)), RULE, false);
        canvas.text(label, left - 8.0, y(*tick), Anchor::End, FAINT);
    }
    let pitch = (canvas.width() - left) / report.stages.len().max(1) as f64;
    let wide = (pitch * 0.72).min(WIDEST);
    // Every stage is labelled while the labels have room, otherwise every second, fourth, ...
    let mut every = 1;
    while pitch * (every as f64) < measure("000") + 4.0 && every < report.stages.len() {
        every *= 2;
    }
    for (index, stage) in report.stages.iter().enumerate() {
        let middle = left + pitch * (index as f64 + 0.5);
        let mut below = 0.0;
        for (key, _, size) in stage.parts() {
            let above = below + size.gib();
            let fill = canvas.colour(of_owner(key));
            canvas.bar(middle - wide / 2.0, y(above), wide, y(below) - y(above), fill);
            below = above;
        }
        if index % every == 0 {
            canvas.text(&index.to_string(), middle, bottom + 0.9 * FONT, Anchor::Middle, FAINT);
        }
    }
    let colour = if report.fits { INK } else { BAD };
    let limit = y(report.usable_gib);
    canvas.line((left, limit), (canvas.width(), limit), colour, true);
    let under = if report.fits { limit } else { y(report.peak_gib) };
    canvas.bold(&summary::usable(report), canvas.width(), under - 0.8 * FONT, Anchor::End, colour, 1.0);
    canvas.space(HEIGHT + 2.8);
    if let Some(worst) = report.stages.get(report.worst_stage as usize) {
        let owners = worst.parts().into_iter().filter(|part| part.2.0 > 0.0);
        let entries: Vec<_> = owners
            .map(|(key, label, size)| (of_owner(key), format!("{label} {}", number::memory(size))))
            .collect();
        canvas.text(&format!("Stage {} (highest peak):", report.worst_stage), 0.0, 0.0, Anchor::Start, FAINT);
        canvas.space(1.6);
        legend(canvas, &entries);
    }
    summary::memory(subject.prediction)
}
