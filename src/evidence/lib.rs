//! Measurements against forecasts: times of operators learned from samples, the papers' own models, fits of constants, and
//! validation on measured runs.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod calibrate;
pub mod forest;
pub mod learned;
pub mod papers;
pub mod validate;

use stepcast_job::{
    constants, decimal, document, error, fields, names, number, rules, scenario, schedule, units,
};
use stepcast_predictor::{cost, forecast, memory, step, traffic, tuner};
