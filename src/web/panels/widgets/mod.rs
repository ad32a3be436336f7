//! What several panels are made of.

pub(crate) mod controls;
pub(crate) mod layers;
pub(crate) mod lines;
pub(crate) mod scatter;
pub(crate) mod side_by_side;
pub(crate) mod take_away;
