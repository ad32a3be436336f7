//! The stepcast predictor: how long one training step of a large language model takes, where the
//! time goes, and whether it fits, before a cluster is booked.
//!
//! The library is pure: no I/O, clock, randomness, threads or web types, and no panic on any input.
//! The page, its worker and the command line are thin fronts on it.
//!
//! Its code is in crates, each in a folder of its own, which ARCHITECTURE.md lists; this one has them under one name.

pub use stepcast_evidence::{calibrate, forest, learned, papers, validate};
#[cfg(feature = "exchange")]
pub use stepcast_exchange as exchange;
pub use stepcast_job::{
    constants, decimal, document, error, fields, index, names, number, order, rules, scenario, schedule,
    units,
};
pub use stepcast_page_state as page_state;
#[cfg(feature = "picture")]
pub use stepcast_picture as picture;
pub use stepcast_predictor::{
    cost, explain, forecast, memory, planned, run_cost, scaling, step, traffic, tuner,
};
#[cfg(feature = "scripting")]
pub use stepcast_scripting as scripting;
