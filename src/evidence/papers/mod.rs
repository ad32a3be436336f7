//! The papers' own models, kept as their authors have them and compared with the detailed forecast.

pub mod closed_form;
pub mod data_parallel;
