//! What is read and written: links, names, files, answers and the guide.

mod answers;
mod counted;
mod document;
mod exchange;
mod exchange_command;
mod golden_links;
mod guide;
mod hostile;
mod limits;
mod names;
mod presets;
mod rows;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/scenarios.rs"]
mod scenarios;
