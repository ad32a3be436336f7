//! What the page shows and remembers, without the page: pure, tested natively.
//!
//! The Yew components in the `app` binary turn these values into HTML and events into these actions.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod accuracy;
pub mod axes;
pub mod certainty;
pub mod choices;
pub mod citations;
pub mod columns;
pub mod communication;
pub mod embed;
pub mod experts;
pub mod explained;
pub mod filter;
pub mod found;
pub mod help;
pub mod imported;
pub mod job;
pub mod jobs;
pub mod learning;
pub mod links;
pub mod machine;
pub mod measured;
pub mod memory_curve;
pub mod opening;
pub mod page;
pub mod panels;
mod picked;
pub mod planning;
pub mod platforms;
pub mod pool;
pub mod query;
pub mod ranking;
pub mod report;
pub mod roofline;
pub mod saved;
pub mod scale;
pub mod search;
mod sentences;
pub mod similar_runs;
pub mod summary;
pub mod tables;
pub mod timeline;
pub mod wire;
pub mod your_runs;

use stepcast_evidence::{calibrate, learned, validate};
use stepcast_job::{
    constants, decimal, document, error, fields, names, number, order, scenario, schedule, units,
};
use stepcast_predictor::{cost, explain, forecast, memory, planned, run_cost, scaling, step, traffic, tuner};
