//! Fitting constants to measurements: the refit, how well the runs determine each constant, and what a few runs of
//! one's own say.

pub mod determined;
pub mod fit;
pub mod own;
pub mod user_runs;
