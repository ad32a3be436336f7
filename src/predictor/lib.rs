//! Time and memory of a job's training step: costs of kernels and collectives, the program of a step, forecasts of it, and the
//! search for a layout.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod cost;
pub mod explain;
pub mod forecast;
pub mod memory;
pub mod planned;
pub mod run_cost;
pub mod scaling;
pub mod step;
pub mod traffic;
pub mod tuner;

use stepcast_job::{
    constants, decimal, document, error, fields, index, number, order, rules, scenario, schedule, units,
};
