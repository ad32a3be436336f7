//! Every pass of the pipeline, a lane for each stage.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{BACKWARD, Colour, EMPTY, FAINT, FORWARD, PAPER, RECOMPUTE, RULE};
use super::legend;
use crate::error::FieldError;
use crate::number;
use crate::page_state::scale;
use crate::page_state::timeline::{LaneDetail, MOST_PASSES, PASSES, Replayed, Span, kind};

/// Colours of [`PASSES`], in their order, as on the page.
const COLOURS: [Colour; PASSES.len()] = [FORWARD, BACKWARD, BACKWARD, RECOMPUTE];

/// Most lanes that are drawn, evenly over the stages.
const MOST: u32 = 32;

/// Height of a lane, in sizes of the text.
const LANE: f64 = 1.6;

/// Width of a column where passes are too many to be drawn one by one, pixels.
const COLUMN: f64 = 2.0;

pub(in super::super) fn timeline(
    canvas: &mut Canvas,
    subject: &Subject<'_>,
) -> Result<String, Vec<FieldError>> {
    let replayed = Replayed::new(&subject.predictor, subject.scenario, subject.prediction.step, MOST_PASSES)?;
    let end = replayed.end().0.max(f64::MIN_POSITIVE);
    let stages = replayed.stages();
    let every = stages.div_ceil(MOST).max(1);
    let left = measure("Stage 000") + 8.0;
    let wide = canvas.width() - left;
    let x = |seconds: f64| left + wide * (seconds / end).clamp(0.0, 1.0);
    let high = LANE * FONT;
    let drawn: Vec<u32> = (0..stages).step_by(every as usize).collect();
    let bottom = drawn.len() as f64 * high;
    let empty = canvas.colour(EMPTY);
    let paper = canvas.colour(PAPER);
    for (index, stage) in drawn.iter().enumerate() {
        let top = index as f64 * high;
        canvas.text(&format!("Stage {stage}"), 0.0, top + high / 2.0, Anchor::Start, FAINT);
        canvas.bar(left, top + 1.0, wide, high - 2.0, empty);
        match replayed.sight(*stage, Span::WHOLE, (wide / COLUMN) as usize) {
            LaneDetail::Passes(events) => {
                for event in events {
                    let colour = COLOURS.get(kind(event.pass)).copied().unwrap_or(FORWARD);
                    let fill = canvas.colour(colour);
                    let (from, to) = (x(event.start.0), x(event.end.0));
                    canvas.bar(from, top + 1.0, to - from, high - 2.0, fill);
                    canvas.bar(to - 0.7, top + 1.0, 0.7, high - 2.0, paper);
                }
            }
            LaneDetail::Columns(columns) => {
                let size = wide / columns.len().max(1) as f64;
                for (place, shares) in columns.iter().enumerate() {
                    let mut below = top + high - 1.0;
                    for (share, colour) in shares.iter().zip(COLOURS) {
                        let tall = share * (high - 2.0);
                        let fill = canvas.colour(colour);
                        below -= tall;
                        canvas.bar(left + place as f64 * size, below, size, tall, fill);
                    }
                }
            }
        }
    }
    let ticks = scale::ticks(end, 5);
    let decimals = scale::decimals(&ticks);
    for tick in &ticks {
        canvas.line((x(*tick), bottom), (x(*tick), bottom + 4.0), RULE, false);
        let anchor = if x(*tick) > canvas.width() - measure("000 s") { Anchor::End } else { Anchor::Middle };
        canvas.text(&format!("{} s", number::fixed(*tick, decimals)), x(*tick), bottom + FONT, anchor, FAINT);
    }
    canvas.space(drawn.len() as f64 * LANE + 2.8);
    let seen: Vec<(Colour, String)> = PASSES
        .iter()
        .zip(COLOURS)
        .filter(|(pass, _)| replayed.timeline.events.iter().any(|event| event.pass == pass.0))
        .map(|(pass, colour)| (colour, pass.1.to_owned()))
        .collect();
    legend(canvas, &seen);
    Ok(replayed.summary())
}
