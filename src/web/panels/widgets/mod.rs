//! What several panels are made of.

pub(crate) mod controls;
pub(crate) mod lines;
pub(crate) mod scatter;
pub(crate) mod take_away;
