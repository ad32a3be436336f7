//! Which constants a number rests on: those that move it when they are moved.

use crate::constants::{Constants, REGISTRY};
use crate::order::sorted;
use serde::Serialize;

/// By how much a constant is moved to see what it does, a share.
const MOVED: f64 = 0.01;

/// Least share of a move that a number has to follow to count as resting on a constant: what is below is rounding.
const LEAST: f64 = 1e-6;

/// A constant that a number rests on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConstantUsed {
    /// Its name in the registry.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit; `1` for a ratio.
    pub unit: &'static str,
    /// What its value rests on: published, measured, assumed or fitted.
    pub evidence: &'static str,
    /// Paper, data file or specification.
    pub source: &'static str,
    /// By what share the number grows when the constant is one percent larger, over that percent: 1 for proportional.
    pub effect: f64,
}

/// The constants that a number rests on, those that move it most first. `number` works it out under a calibration.
pub(super) fn used(constants: &Constants, number: &dyn Fn(&Constants) -> f64) -> Vec<ConstantUsed> {
    let before = number(constants);
    let used = REGISTRY.iter().filter_map(|entry| {
        let value = (entry.get)(constants);
        let mut moved = *constants;
        (entry.set)(&mut moved, value * (1.0 + MOVED));
        let effect = (number(&moved) / before - 1.0) / MOVED;
        (effect.is_finite() && effect.abs() >= LEAST).then_some(ConstantUsed {
            name: entry.name,
            value,
            unit: entry.unit,
            evidence: entry.evidence.name(),
            source: entry.source,
            effect,
        })
    });
    let used: Vec<ConstantUsed> = used.collect();
    sorted(&used, |one, other| other.effect.abs().total_cmp(&one.effect.abs()))
}
