//! The stepcast predictor: how long one training step of a large language model takes, where the
//! time goes, and whether it fits, before a cluster is booked.
//!
//! The library is pure: no I/O, clock, randomness, threads or web types, and no panic on any input.
//! The page, its worker and the command line are thin fronts on it.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod calibration;
pub mod closed_form;
pub mod cluster;
pub mod cost;
pub mod data_parallel;
pub mod decimal;
pub mod document;
pub mod error;
pub mod forest;
pub mod learned;
pub mod memory;
pub mod model;
pub mod operators;
pub mod plan;
pub mod prediction;
pub mod scaling;
pub mod scenario;
pub mod schedule;
pub mod stack;
pub mod traffic;
pub mod tuner;
pub mod units;
pub mod validation;
pub mod view;
