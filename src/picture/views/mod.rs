//! One file per view. Each draws below the heading and returns a description in words.

mod breakdown;
mod figures;
mod matrix;
mod memory;
mod memory_curve;
mod ranking;
mod roofline;
mod scaling;
mod timeline;

pub(super) use breakdown::breakdown;
pub(super) use figures::summary;
pub(super) use matrix::matrix;
pub(super) use memory::memory;
pub(super) use memory_curve::memory_curve;
pub(super) use ranking::ranking;
pub(super) use roofline::roofline;
pub(super) use scaling::scaling;
pub(super) use timeline::timeline;

use super::canvas::{Anchor, Canvas, FONT, measure};
use super::colours::{Colour, INK};

/// Width of a swatch in a legend, pixels.
const SWATCH: f64 = 11.0;

/// Colours with their names, in as many rows as they need.
fn legend(canvas: &mut Canvas, entries: &[(Colour, String)]) {
    let mut x = 0.0;
    for (colour, text) in entries {
        let wide = SWATCH + 6.0 + measure(text) + 16.0;
        if x > 0.0 && x + wide > canvas.width() {
            x = 0.0;
            canvas.space(1.5);
        }
        let fill = canvas.colour(*colour);
        canvas.bar(x, -SWATCH / 2.0, SWATCH, SWATCH, fill);
        canvas.text(text, x + SWATCH + 6.0, 0.0, Anchor::Start, INK);
        x += wide;
    }
    canvas.space(8.0 / FONT);
}
