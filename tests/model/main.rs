//! The model of a training step: laws, worked examples and equations by hand, and the search over layouts.
//!
//! One program for all of its files, because every program links the whole library.

mod bounds;
mod estimator;
mod experts;
mod explain;
mod groups;
mod laws;
mod memory;
mod physics;
mod plan;
mod planned;
mod program;
mod recipes;
mod rule_of_thumb;
mod run_cost;
mod schedule;
mod schedule_laws;
mod schedules;
mod search;
mod sharding;
mod stack_limits;
mod tradeoffs;
mod traffic;
mod tuner_examples;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/data.rs"]
mod data;
#[path = "../support/scenarios.rs"]
mod scenarios;
#[path = "../support/forecast.rs"]
mod support;
