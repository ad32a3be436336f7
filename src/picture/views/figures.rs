//! Headline figures.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT};
use super::super::colours::{BAD, FAINT, INK};
use crate::number;
use crate::page_state::summary as words;
use crate::run_cost::RunCost;
use crate::units::Bytes;

/// Least width of a figure with its label, pixels.
const NARROWEST: f64 = 150.0;

pub(in super::super) fn summary(canvas: &mut Canvas, subject: &Subject<'_>) -> String {
    let prediction = subject.prediction;
    let memory = &prediction.memory;
    let figures = [
        ("One step", number::time(prediction.step).to_string(), INK),
        ("MFU", number::percent(prediction.mfu).to_string(), INK),
        ("Tokens/s per GPU", number::count(prediction.tokens_per_s_per_gpu).to_string(), INK),
        (
            "Peak memory per GPU",
            number::memory(Bytes::from_gib(memory.peak_gib)).to_string(),
            if memory.fits { INK } else { BAD },
        ),
    ];
    let columns = (canvas.width() / NARROWEST).floor().clamp(1.0, figures.len() as f64);
    let pitch = canvas.width() / columns;
    for (index, (label, figure, colour)) in figures.iter().enumerate() {
        let column = index as f64 % columns;
        if index > 0 && column == 0.0 {
            canvas.space(4.4);
        }
        canvas.text(label, column * pitch, 0.0, Anchor::Start, FAINT);
        canvas.bold(figure, column * pitch, 2.0 * FONT, Anchor::Start, *colour, 1.8);
    }
    canvas.space(3.6);
    let run = words::run(subject.scenario, &RunCost::of(subject.scenario, prediction.step));
    for sentence in [words::fit(prediction), run, prediction.bottleneck.sentence.to_string()] {
        canvas.words(&words::capitalised(&sentence));
    }
    canvas.space(0.6);
    let said: Vec<String> = figures.iter().map(|(label, figure, _)| format!("{label}: {figure}")).collect();
    format!("{}.", said.join(", "))
}
