//! What several panels are made of.

pub(crate) mod controls;
pub(crate) mod files;
pub(crate) mod lines;
pub(crate) mod scatter;
pub(crate) mod sheet;
