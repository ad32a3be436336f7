//! What the page and its parts, two WebAssembly modules, both use of the browser.

pub(crate) mod browser;
mod chart;
pub(crate) mod clipboard;
pub(crate) mod failure;
mod painter;
mod shared;
pub(crate) mod worker;

pub(crate) use chart::{Chart, Plot, Plotted, use_size};
pub(crate) use painter::{Align, Mark, Painter};
pub(crate) use shared::Shared;

/// Counts the changes of colours, so that what is drawn on a canvas is drawn again.
pub(crate) type Colours = u32;
