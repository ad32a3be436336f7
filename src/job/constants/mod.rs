//! Every constant of the predictor, in one place: name, value, unit, where it comes from, and
//! whether it was published, measured on kernels, assumed, or fitted to whole runs.
//!
//! They are written in `data/constants.tsv`, of which `cargo xtask data` makes `table.rs`. Nothing else in the core
//! holds a tunable number. [`REGISTRY`] lists them; the refit
//! (`stepcast calibrate`) moves only those of [`Evidence::Fitted`], and [`Constant::record`] says how well the runs
//! determine each.

mod determined;
mod record;
mod registry;
mod table;

pub use record::{FitRecord, records};
pub use table::{Constants, DESCRIPTIONS, REGISTRY};

/// One entry of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Constant {
    /// Field of [`Constants`].
    pub name: &'static str,
    /// Shipped value.
    pub value: f64,
    /// Unit; `1` for a ratio.
    pub unit: &'static str,
    /// What the value rests on.
    pub evidence: Evidence,
    /// The benchmarks that `stepcast calibrate` refits it to.
    pub benchmark: Option<Benchmark>,
    /// Paper, data file or specification.
    pub source: &'static str,
    /// Reads it.
    pub get: fn(&Constants) -> f64,
    /// Replaces it.
    pub set: fn(&mut Constants, f64),
}

/// Benchmarks of kernels and collectives, by what they time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Benchmark {
    /// 16-bit matrix products.
    Products,
    /// FP8 and FP4 matrix products with their casts.
    LowPrecision,
    /// The attention core.
    Attention,
    /// Collectives within a node.
    Collectives,
}

/// What a constant's value rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// Stated by a vendor, a paper or a framework's source.
    Published,
    /// Fitted to microbenchmarks of kernels or collectives.
    Measured,
    /// Judgement: the data cannot determine it.
    Assumed,
    /// Fitted to measured training steps, with this prior.
    Fitted {
        /// Centre of the prior.
        prior: f64,
        /// Standard deviation of the prior in natural-log units.
        spread: f64,
    },
}

impl Evidence {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Measured => "measured",
            Self::Assumed => "assumed",
            Self::Fitted { .. } => "fitted",
        }
    }
}
