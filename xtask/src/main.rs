//! Automation. Run `cargo xtask`.
fn main() {}
