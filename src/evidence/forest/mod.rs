//! Regression trees: random forests and gradient boosting, trained a tree at a time and kept in a flat form.
//!
//! Trees are grown from histograms of binned features ([`Bins`]): one tree per [`EnsembleTraining::step`], so that a
//! caller can show progress, stop, or share a thread. Sums run in a fixed order and nothing but additions,
//! multiplications and divisions touches them, so that a seed gives the same trees on every platform.

mod bins;
mod ensemble;
mod grow;
mod packed;
mod random;
mod training;

pub use bins::Bins;
pub use ensemble::{Ensemble, TreeNode};
pub use random::Random;
pub use training::{EnsembleTraining, Method, TrainingSettings};
