//! Forecasts against measurements and publications, and what the constants rest on.

mod apnet24;
mod authors_tool;
mod blanks;
mod comparison;
mod constants;
mod counted;
mod counted_memory;
mod data_parallel;
mod intervals;
mod kernels;
mod learned;
mod learned_step;
mod looks;
mod memory;
mod mixer_modules;
mod mixers;
mod own_runs;
mod profiles;
mod published;
mod tool_defects;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/data.rs"]
mod data;
#[path = "../support/forecast.rs"]
mod forecast;
#[path = "../support/paper.rs"]
mod paper;
