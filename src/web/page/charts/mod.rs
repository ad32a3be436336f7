//! Charts of the first screen: drawn with plotters on a canvas, each with its data as a table.

mod breakdown;
mod memory;

pub(crate) use breakdown::BreakdownChart;
pub(crate) use memory::MemoryChart;
