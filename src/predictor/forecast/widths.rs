// Generated from data/widths.tsv by `cargo xtask data`: change the table, not this file.

//! Half-widths of intervals by class of job.

use super::interval::{ClassWidths, MixerWidths, WidthClass};

/// Utilisation of the hardware (HFU) where the next band of classes begins.
pub const BANDS: [f64; 2] = [0.2, 0.4];

/// Every class.
#[rustfmt::skip]
#[allow(clippy::approx_constant, reason = "measured numbers")]
pub(super) static WIDTHS: [ClassWidths; 24] = [
ClassWidths { class: WidthClass { open: false, band: 0, experts: false, calibrated: false }, publications: 33, runs: 71, below: 0.384, above: 0.847 },
ClassWidths { class: WidthClass { open: false, band: 0, experts: false, calibrated: true }, publications: 5, runs: 7, below: 0.190, above: 0.570 },
ClassWidths { class: WidthClass { open: false, band: 0, experts: true, calibrated: false }, publications: 21, runs: 50, below: 0.304, above: 1.043 },
ClassWidths { class: WidthClass { open: false, band: 0, experts: true, calibrated: true }, publications: 7, runs: 21, below: 0.261, above: 0.920 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: false, calibrated: false }, publications: 70, runs: 216, below: 0.188, above: 0.570 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: false, calibrated: true }, publications: 20, runs: 68, below: 0.152, above: 0.601 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: true, calibrated: false }, publications: 22, runs: 69, below: 0.359, above: 0.514 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: true, calibrated: true }, publications: 8, runs: 29, below: 0.245, above: 0.486 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: false, calibrated: false }, publications: 66, runs: 315, below: 0.165, above: 0.281 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: false, calibrated: true }, publications: 23, runs: 110, below: 0.085, above: 0.271 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: true, calibrated: false }, publications: 2, runs: 4, below: 0.143, above: 0.328 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: true, calibrated: true }, publications: 3, runs: 14, below: 0.183, above: 0.257 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: false, calibrated: false }, publications: 37, runs: 76, below: 0.617, above: 1.441 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: false, calibrated: true }, publications: 3, runs: 4, below: 0.431, above: 0.948 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: true, calibrated: false }, publications: 25, runs: 56, below: 0.360, above: 1.069 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: true, calibrated: true }, publications: 6, runs: 25, below: 0.302, above: 0.880 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: false, calibrated: false }, publications: 127, runs: 305, below: 0.373, above: 0.721 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: false, calibrated: true }, publications: 21, runs: 40, below: 0.346, above: 0.581 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: true, calibrated: false }, publications: 27, runs: 67, below: 0.277, above: 2.352 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: true, calibrated: true }, publications: 10, runs: 28, below: 0.325, above: 1.220 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: false, calibrated: false }, publications: 107, runs: 302, below: 0.225, above: 0.681 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: false, calibrated: true }, publications: 26, runs: 66, below: 0.318, above: 0.754 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: true, calibrated: false }, publications: 2, runs: 3, below: 0.182, above: 0.527 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: true, calibrated: true }, publications: 0, runs: 0, below: 0.204, above: 0.598 },
];

/// Models with recurrent layers, of any class.
#[rustfmt::skip]
pub(super) static RECURRENT: MixerWidths = MixerWidths { publications: 9, runs: 79, below: 0.265, above: 0.416 };
