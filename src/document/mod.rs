//! What the user typed, field by field, and its share link.
//!
//! A [`Document`] keeps every field's text as typed. [`Document::scenario`] parses and checks it;
//! [`Document::to_link`] writes the fields that differ from the defaults.

mod fields;

pub use fields::{FIELDS, Field, Group, Kind};
