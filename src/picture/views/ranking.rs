//! The fastest layouts, and the rank of the job's own.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, fitting, measure};
use super::super::colours::{ACCENT, EMPTY, FAINT, INK};
use crate::number;
use crate::page_state::summary;
use crate::tuner::{Candidate, FreeAxes, Options, Space};

/// Layouts that are listed.
const ROWS: usize = 10;

/// Layouts of the ranking that the list is taken from.
const LOOKED_AT: usize = 200;

pub(in super::super) fn ranking(canvas: &mut Canvas, subject: &Subject<'_>) -> String {
    let space = Space::new(subject.scenario, FreeAxes::default());
    let mut search =
        subject.predictor.search(space, Options { top: LOOKED_AT, unfit: 0, ..Options::default() });
    search.finish();
    let best = search.best();
    let mut rows: Vec<Candidate> = Vec::with_capacity(ROWS);
    // The fastest layout represents all with the same degrees.
    for row in best.iter().filter_map(|row| search.candidate(row)) {
        if rows.len() < ROWS && rows.iter().all(|other| row_text(other) != row_text(&row)) {
            rows.push(row);
        }
    }
    let own = subject.prediction.step.0;
    let greatest = rows.iter().map(|row| row.step.0).fold(own, f64::max).max(f64::MIN_POSITIVE);
    let figures = measure("00.00 ms") + measure("00.0 %") + 24.0;
    for row in &rows {
        let chosen = row.plan == subject.scenario.plan;
        line(canvas, &row_text(row), row.step.0 / greatest, figures, chosen);
        canvas.text(
            &number::time(row.step).to_string(),
            canvas.width() - measure("00.0 %") - 12.0,
            0.0,
            Anchor::End,
            INK,
        );
        canvas.text(&number::percent(row.mfu).to_string(), canvas.width(), 0.0, Anchor::End, FAINT);
        canvas.space(2.0);
    }
    let looked = number::integer(search.counts().layouts as u64);
    let fitting = number::integer(search.counts().fitting as u64);
    let words = format!(
        "{fitting} of {looked} layouts fit. Current layout: {}.",
        number::time(subject.prediction.step)
    );
    canvas.words(&words);
    match rows.first() {
        Some(first) => {
            format!("{words} Fastest: {}, {}.", row_text(first), number::time(first.step))
        }
        None => words,
    }
}

fn row_text(row: &Candidate) -> String {
    format!("{}, micro-batch {}", summary::layout(&row.plan, row.data_parallel), row.plan.micro_batch)
}

/// A layout on a bar as long as its step; the job's own is highlighted.
fn line(canvas: &mut Canvas, text: &str, share: f64, figures: f64, chosen: bool) {
    let wide = canvas.width() - figures;
    let fill = if chosen { canvas.between(EMPTY, ACCENT, 0.35) } else { canvas.between(EMPTY, ACCENT, 0.12) };
    canvas.bar(0.0, -0.8 * FONT, wide * share, 1.6 * FONT, &fill);
    canvas.text(&fitting(text, wide - 12.0), 6.0, 0.0, Anchor::Start, INK);
}
