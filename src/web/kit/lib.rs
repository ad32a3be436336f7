//! What the page and its parts, three WebAssembly modules, use of the browser.

#![cfg(target_family = "wasm")]

pub mod browser;
mod chart;
pub mod clipboard;
pub mod failure;
pub mod files;
pub mod hooks;
mod legend;
pub mod measure;
mod painter;
mod picture;
mod shared;
pub mod sheet;
pub mod text;
mod tools;
pub mod worker;

pub use chart::{Chart, Plot, Plotted, paint, use_size};
pub use legend::{LegendEntry, legend};
pub use painter::{Align, Mark, Painter, Spot};
pub use plotters::style::RGBColor;
pub use shared::Shared;
pub use tools::{ChartTools, Drawing};

/// Allocates the memory of each module.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Counts the changes of colours, so that what is drawn on a canvas is drawn again.
pub type ColourRevision = u32;
