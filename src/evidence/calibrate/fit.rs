//! Fitting constants to measurements: those of [`Evidence::Fitted`] to whole steps, those of
//! [`Evidence::Measured`] to kernels and collectives.
//!
//! The loss is a robust sum of squared log errors plus each constant's prior; it is lowered one
//! constant at a time, which needs no derivatives and cannot leave the priors far behind where the
//! data say nothing.

use crate::constants::{Constant, Constants, Evidence};
use crate::forecast::Predictor;
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
pub(super) const LOG_ERROR: f64 = 0.05;
/// Passes over all constants: with the steps' shrinking, enough to settle.
const SWEEPS: usize = 14;
/// Shrinking of the steps from one pass to the next.
const SHRINK: f64 = 0.8;
/// First step of a constant, as a share of its prior's spread.
const FIRST_STEP: f64 = 0.5;

/// A constant that may move, and how far it is expected to from where it starts.
#[derive(Debug, Clone, Copy)]
pub struct FreeConstant {
    /// The constant.
    pub constant: &'static Constant,
    /// Centre of its prior.
    pub prior: f64,
    /// Standard deviation of its prior in natural-log units.
    pub spread: f64,
}

/// The constants of [`Evidence::Fitted`] with their priors.
pub fn fitted_to_runs() -> Vec<FreeConstant> {
    Constants::fitted()
        .filter_map(|constant| match constant.evidence {
            Evidence::Fitted { prior, spread } => Some(FreeConstant { constant, prior, spread }),
            _ => None,
        })
        .collect()
}

/// The constants that explain measured steps best without leaving their priors for nothing; those that are not free
/// stay as in `base`.
pub fn fit(base: &Constants, observations: &[Observation], free: &[FreeConstant]) -> Constants {
    minimise(base, free, |constants| {
        observations
            .iter()
            .map(|row| {
                let ratio = Predictor::new(constants).step_time(&row.scenario).0 / row.measured_s;
                row.weight * robust(ratio)
            })
            .sum()
    })
}

/// Twice the pseudo-Huber loss of a forecast-to-measured ratio, in units of 5 % squared.
pub fn robust(ratio: f64) -> f64 {
    let error = ratio.ln() / LOG_ERROR;
    2.0 * ((1.0 + error * error).sqrt() - 1.0)
}

/// Lowers `loss` plus `sum ((ln c - ln prior) / spread)^2` over the free constants, one at a time, from
/// their priors.
pub fn minimise(start: &Constants, free: &[FreeConstant], loss: impl Fn(&Constants) -> f64) -> Constants {
    let penalised = |constants: &Constants| {
        let off = |f: &FreeConstant| (((f.constant.get)(constants) / f.prior).ln() / f.spread).powi(2);
        loss(constants) + free.iter().map(off).sum::<f64>()
    };
    let mut best = *start;
    for entry in free {
        (entry.constant.set)(&mut best, entry.prior);
    }
    let mut lowest = penalised(&best);
    let mut scale = FIRST_STEP;
    for _ in 0..SWEEPS {
        for entry in free {
            let centre = (entry.constant.get)(&best);
            let reach = entry.spread * scale;
            let probe = |log_shift: f64| {
                let mut moved = best;
                (entry.constant.set)(&mut moved, centre * log_shift.exp());
                (penalised(&moved), moved)
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
        scale *= SHRINK;
    }
    best
}
