//! What several panels are made of.

pub(crate) mod compare;
pub(crate) mod controls;
pub(crate) mod layers;
pub(crate) mod lines;
pub(crate) mod scatter;
pub(crate) mod take_away;
