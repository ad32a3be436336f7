//! Where the step's time goes: one bar a part, each starting where the one before ended.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{FAINT, INK, RULE, of_part};
use crate::number;
use crate::page_state::{scale, summary};

/// Below this width, labels are above their bars, pixels.
const NARROW: f64 = 460.0;

pub(in super::super) fn breakdown(canvas: &mut Canvas, subject: &Subject<'_>) -> String {
    let prediction = subject.prediction;
    let step = prediction.step.0;
    let parts: Vec<_> = prediction.breakdown.parts().into_iter().filter(|part| part.2.0 > 0.0).collect();
    let narrow = canvas.width() < NARROW;
    let widest = parts.iter().map(|part| measure(part.1)).fold(0.0, f64::max);
    let shares = measure("00.0 %");
    let figures = measure("000 ms") + shares + 26.0;
    let left = if narrow { 0.0 } else { widest + 12.0 };
    let right = if narrow { canvas.width() } else { canvas.width() - figures };
    let row = if narrow { 2.9 * FONT } else { 1.9 * FONT };
    let bottom = parts.len() as f64 * row;
    let x = |seconds: f64| left + (right - left) * (seconds / step).clamp(0.0, 1.0);
    let ticks = scale::ticks(step, if narrow { 3 } else { 5 });
    let decimals = scale::decimals(&ticks);
    for tick in &ticks {
        canvas.line((x(*tick), 0.0), (x(*tick), bottom), RULE, false);
        let anchor = if narrow && *tick == 0.0 { Anchor::Start } else { Anchor::Middle };
        canvas.text(&format!("{} s", number::fixed(*tick, decimals)), x(*tick), bottom + FONT, anchor, FAINT);
    }
    let mut start = 0.0;
    for (index, (key, label, time)) in parts.iter().enumerate() {
        let top = index as f64 * row;
        let (text, bar, high) = if narrow {
            (top + 0.8 * FONT, top + 2.0 * FONT, 0.75 * FONT)
        } else {
            (top + row / 2.0, top + row / 2.0, 0.62 * row)
        };
        canvas.text(label, 0.0, text, Anchor::Start, INK);
        canvas.text(
            &number::percent(*time / prediction.step).to_string(),
            canvas.width(),
            text,
            Anchor::End,
            FAINT,
        );
        canvas.text(&number::time(*time).to_string(), canvas.width() - shares - 12.0, text, Anchor::End, INK);
        let fill = canvas.colour(of_part(key));
        canvas.bar(x(start), bar - high / 2.0, x(start + time.0) - x(start), high, fill);
        start += time.0;
        if index + 1 < parts.len() && !narrow {
            // The thread that leads to where the next part starts.
            canvas.line((x(start), bar + high / 2.0), (x(start), bar + row - high / 2.0), FAINT, false);
        }
    }
    canvas.space(parts.len() as f64 * row / FONT + 2.0);
    summary::breakdown(prediction)
}
