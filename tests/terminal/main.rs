//! The command line, run as users run it.

mod cli;
mod cli_help;
mod cli_validate;
mod jobs;
mod learned_cli;
mod picture;

#[path = "../support/command.rs"]
mod command;
