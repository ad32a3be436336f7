//! Fitting the [`Evidence::Fitted`] constants to measured steps.
//!
//! The loss is a robust sum of squared log errors plus each constant's prior; it is lowered one
//! constant at a time, which needs no derivatives and cannot leave the priors far behind where the
//! data say nothing.

use super::{Constants, Evidence};
use crate::prediction::step;
use crate::scenario::Scenario;

/// A measured step.
#[derive(Debug, Clone, Copy)]
pub struct Observation {
    /// The job.
    pub scenario: Scenario,
    /// Seconds per step.
    pub measured_s: f64,
    /// Weight of its squared error.
    pub weight: f64,
}

/// Log error that a single good forecast has: errors beyond a few of it count linearly.
const LOG_ERROR: f64 = 0.05;
/// First step of a constant, as a share of its prior's spread.
const FIRST_STEP: f64 = 0.5;

/// The constants that explain the observations best without leaving their priors for nothing.
/// `sweeps` passes over all fitted constants; 12 converge.
pub fn fit(observations: &[Observation], sweeps: usize) -> Constants {
    let mut best = Constants::SHIPPED;
    for entry in Constants::fitted() {
        if let Evidence::Fitted { prior, .. } = entry.evidence {
            (entry.set)(&mut best, prior);
        }
    }
    let mut lowest = loss(observations, &best);
    let mut scale = FIRST_STEP;
    for _ in 0..sweeps {
        for entry in Constants::fitted() {
            let Evidence::Fitted { spread, .. } = entry.evidence else { continue };
            let centre = (entry.get)(&best);
            let reach = spread * scale;
            let mut probe = |log_shift: f64| {
                let mut moved = best;
                (entry.set)(&mut moved, centre * log_shift.exp());
                (loss(observations, &moved), moved)
            };
            let (below, above) = (probe(-reach), probe(reach));
            // Vertex of the parabola through the three losses, within twice the reach.
            let curvature = below.0 + above.0 - 2.0 * lowest;
            let vertex = if curvature > 0.0 { 0.5 * reach * (below.0 - above.0) / curvature } else { 0.0 };
            let vertex = probe(vertex.clamp(-2.0 * reach, 2.0 * reach));
            for (value, moved) in [below, above, vertex] {
                if value < lowest {
                    (lowest, best) = (value, moved);
                }
            }
        }
        scale *= 0.8;
    }
    best
}

/// `sum w s^2 (2 sqrt(1 + (e/s)^2) - 2) / s^2 + sum ((ln c - ln prior) / spread)^2`, e the log error.
fn loss(observations: &[Observation], constants: &Constants) -> f64 {
    let data: f64 = observations
        .iter()
        .map(|row| {
            let error = (step(&row.scenario, constants).total / row.measured_s).ln() / LOG_ERROR;
            row.weight * 2.0 * ((1.0 + error * error).sqrt() - 1.0)
        })
        .sum();
    let priors: f64 = Constants::fitted()
        .map(|entry| match entry.evidence {
            Evidence::Fitted { prior, spread } => (((entry.get)(constants) / prior).ln() / spread).powi(2),
            _ => 0.0,
        })
        .sum();
    data + priors
}
