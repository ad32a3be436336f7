//! The command line, run as users run it.

// Not every test uses all of it.
#![allow(dead_code)]

use serde_json::Value;
use std::process::{Command, Output};

/// Runs `stepcast`.
pub(crate) fn stepcast(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepcast")).args(arguments).output().expect("runs")
}

/// What it prints when it succeeds.
pub(crate) fn text(arguments: &[&str]) -> String {
    let output = stepcast(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The same, as JSON.
pub(crate) fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(arguments)).expect("JSON")
}

/// The sentences of a refusal.
pub(crate) fn refusal(arguments: &[&str]) -> String {
    let output = stepcast(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// The number at a JSON pointer.
pub(crate) fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number at {pointer}"))
}
