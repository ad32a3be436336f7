//! Charts: drawn with plotters on a canvas, each with its data as a table.

mod breakdown;
mod chart;
mod memory;
mod painter;

pub(crate) use breakdown::breakdown_chart;
pub(crate) use chart::use_size;
pub(crate) use memory::memory_chart;
pub(crate) use painter::{Align, Painter};
