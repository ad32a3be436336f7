// Generated from data/widths.tsv by `cargo xtask data`: change the table, not this file.

//! Half-widths of intervals by class of job.

use super::interval::{ClassWidths, WidthClass};

/// Every class.
#[rustfmt::skip]
pub(super) static WIDTHS: [ClassWidths; 24] = [
ClassWidths { class: WidthClass { open: false, band: 0, experts: false, calibrated: false }, publications: 33, runs: 71, below: 0.261, above: 0.634 },
ClassWidths { class: WidthClass { open: false, band: 0, experts: false, calibrated: true }, publications: 5, runs: 7, below: 0.154, above: 0.463 },
ClassWidths { class: WidthClass { open: false, band: 0, experts: true, calibrated: false }, publications: 21, runs: 50, below: 0.258, above: 0.627 },
ClassWidths { class: WidthClass { open: false, band: 0, experts: true, calibrated: true }, publications: 7, runs: 21, below: 0.227, above: 0.798 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: false, calibrated: false }, publications: 70, runs: 216, below: 0.163, above: 0.554 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: false, calibrated: true }, publications: 20, runs: 68, below: 0.118, above: 0.433 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: true, calibrated: false }, publications: 22, runs: 69, below: 0.291, above: 0.367 },
ClassWidths { class: WidthClass { open: false, band: 1, experts: true, calibrated: true }, publications: 8, runs: 29, below: 0.217, above: 0.378 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: false, calibrated: false }, publications: 66, runs: 315, below: 0.143, above: 0.267 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: false, calibrated: true }, publications: 23, runs: 110, below: 0.057, above: 0.221 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: true, calibrated: false }, publications: 2, runs: 4, below: 0.098, above: 0.313 },
ClassWidths { class: WidthClass { open: false, band: 2, experts: true, calibrated: true }, publications: 3, runs: 14, below: 0.127, above: 0.216 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: false, calibrated: false }, publications: 37, runs: 76, below: 0.501, above: 0.603 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: false, calibrated: true }, publications: 3, runs: 4, below: 0.415, above: 0.715 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: true, calibrated: false }, publications: 25, runs: 55, below: 0.331, above: 0.748 },
ClassWidths { class: WidthClass { open: true, band: 0, experts: true, calibrated: true }, publications: 6, runs: 25, below: 0.174, above: 0.739 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: false, calibrated: false }, publications: 127, runs: 305, below: 0.304, above: 0.660 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: false, calibrated: true }, publications: 21, runs: 40, below: 0.300, above: 0.491 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: true, calibrated: false }, publications: 27, runs: 68, below: 0.181, above: 1.315 },
ClassWidths { class: WidthClass { open: true, band: 1, experts: true, calibrated: true }, publications: 10, runs: 28, below: 0.278, above: 0.604 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: false, calibrated: false }, publications: 107, runs: 302, below: 0.195, above: 0.662 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: false, calibrated: true }, publications: 26, runs: 66, below: 0.303, above: 0.717 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: true, calibrated: false }, publications: 2, runs: 3, below: 0.176, above: 0.515 },
ClassWidths { class: WidthClass { open: true, band: 2, experts: true, calibrated: true }, publications: 0, runs: 0, below: 0.195, above: 0.583 },
];
