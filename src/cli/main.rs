//! The predictor from a terminal.

fn main() {}
