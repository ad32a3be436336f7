//! A training job as its user states it: the scenario, its fields, names, links and rules, and the quantities and constants
//! that they are made of.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod constants;
pub mod decimal;
pub mod document;
pub mod error;
pub mod fields;
pub mod index;
pub mod names;
pub mod number;
pub mod order;
pub mod rules;
pub mod scenario;
pub mod schedule;
pub mod units;
