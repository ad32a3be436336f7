// Generated from data/peak_errors.tsv by `cargo xtask data`: change the table, not this file.

//! How far measured memory peaks are from their forecasts.

/// Shares of public peaks, and the ln(measured / forecast) that each does not exceed.
#[rustfmt::skip]
#[allow(clippy::approx_constant, reason = "measured numbers")]
pub(super) static PEAK_ERRORS: [(f64, f64); 19] = [
(0.05, -0.153),
(0.10, -0.058),
(0.15, -0.058),
(0.20, -0.052),
(0.25, -0.041),
(0.30, -0.040),
(0.35, 0.007),
(0.40, 0.021),
(0.45, 0.032),
(0.50, 0.093),
(0.55, 0.117),
(0.60, 0.125),
(0.65, 0.171),
(0.70, 0.206),
(0.75, 0.224),
(0.80, 0.264),
(0.85, 0.389),
(0.90, 0.415),
(0.95, 0.527),
];
