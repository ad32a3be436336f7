//! The stepcast predictor: how long one training step of a large language model takes, where the
//! time goes, and whether it fits, before a cluster is booked.
//!
//! The library is pure: no I/O, clock, randomness, threads or web types, and no panic on any input.
//! The page, its worker and the command line are thin fronts on it.
//!
//! The rooms stand in an order, which ARCHITECTURE.md gives: each may use those above it in that table, none below
//! (`cargo xtask tidy` checks it).

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod calibrate;
pub mod constants;
pub mod cost;
pub mod decimal;
pub mod document;
pub mod error;
#[cfg(feature = "exchange")]
pub mod exchange;
pub mod explain;
pub mod fields;
pub mod forecast;
pub mod forest;
pub mod index;
pub mod learned;
pub mod memory;
pub mod names;
pub mod number;
pub mod order;
pub mod page_state;
pub mod papers;
#[cfg(feature = "picture")]
pub mod picture;
pub mod planned;
pub mod rules;
pub mod run_cost;
pub mod scaling;
pub mod scenario;
pub mod schedule;
#[cfg(feature = "scripting")]
pub mod scripting;
pub mod step;
pub mod traffic;
pub mod tuner;
pub mod units;
pub mod validate;
