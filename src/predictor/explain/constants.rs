//! Which constants a number depends on: those that change it when they are changed.

use crate::constants::{Constants, DESCRIPTIONS, REGISTRY};
use crate::order::sorted;
use serde::Serialize;

/// Relative change of a constant to measure its effect.
const MOVED: f64 = 0.01;

/// Least relative effect for a number to depend on a constant: smaller effects are rounding.
const LEAST: f64 = 1e-6;

/// A constant that a number depends on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConstantUsed {
    /// Its name in the registry.
    pub name: &'static str,
    /// What it is, in words.
    #[serde(skip)]
    pub meaning: &'static str,
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

/// The constants that a number depends on, largest effect first. `number` computes it under a calibration.
pub(super) fn used(constants: &Constants, number: &dyn Fn(&Constants) -> f64) -> Vec<ConstantUsed> {
    let before = number(constants);
    let used = REGISTRY.iter().zip(DESCRIPTIONS).filter_map(|(entry, meaning)| {
        let value = (entry.get)(constants);
        let mut moved = *constants;
        (entry.set)(&mut moved, value * (1.0 + MOVED));
        let effect = (number(&moved) / before - 1.0) / MOVED;
        (effect.is_finite() && effect.abs() >= LEAST).then_some(ConstantUsed {
            name: entry.name,
            meaning: meaning.trim().trim_end_matches('.'),
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
