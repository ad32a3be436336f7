//! Who sends how much to whom.

use super::super::Subject;
use super::super::canvas::{Anchor, Canvas, FONT, measure};
use super::super::colours::{ACCENT, EMPTY, FAINT};
use crate::cost::Algorithm;
use crate::error::FieldError;
use crate::number;
use crate::page_state::communication::{shade, summary};
use crate::traffic::{AxisOrder, Matrix};

/// Most rows and columns that are drawn.
const MOST: u32 = 64;

/// Greatest width of the square, pixels.
const WIDEST: f64 = 560.0;

pub(in super::super) fn matrix(
    canvas: &mut Canvas,
    subject: &Subject<'_>,
) -> Result<String, Vec<FieldError>> {
    let order = AxisOrder::from(subject.scenario.plan.mapping);
    let matrix = Matrix::new(&subject.predictor, subject.scenario, order, Algorithm::Ring)?;
    let mut block = if matrix.ranks() <= MOST { 1 } else { matrix.gpus_per_machine().max(1) };
    while matrix.ranks().div_ceil(block) > MOST {
        block *= 2;
    }
    let count = matrix.ranks().div_ceil(block);
    let cells = matrix.cells(0..count, 0..count, block, None);
    let greatest = cells.iter().map(|cell| cell.bytes.0).fold(0.0, f64::max);
    let left = measure("000") + 8.0;
    let size = (canvas.width() - left).min(WIDEST) / f64::from(count);
    let side = size * f64::from(count);
    canvas.space(1.0);
    let empty = canvas.colour(EMPTY);
    canvas.bar(left, 0.0, side, side, empty);
    for cell in &cells {
        let fill = canvas.between(EMPTY, ACCENT, shade(cell.bytes.0, greatest));
        canvas.bar(left + size * f64::from(cell.column), size * f64::from(cell.row), size, size, &fill);
    }
    let mut every = 1;
    while size * f64::from(every) < measure("000") + 4.0 && every < count {
        every *= 2;
    }
    for index in (0..count).step_by(every as usize) {
        let middle = size * (f64::from(index) + 0.5);
        canvas.text(&index.to_string(), left + middle, -0.8 * FONT, Anchor::Middle, FAINT);
        canvas.text(&index.to_string(), left - 8.0, middle, Anchor::End, FAINT);
    }
    canvas.space(side / FONT + 0.4);
    let what = match block {
        1 => "GPU".to_owned(),
        block if block == matrix.gpus_per_machine() => "node".to_owned(),
        block => format!("block of {block} GPUs"),
    };
    canvas.words(&format!(
        "Bytes per step sent from each {what} (row) to every other {what} (column). Darkest cell: {}.",
        number::traffic(crate::units::Bytes(greatest))
    ));
    Ok(summary(&matrix))
}
