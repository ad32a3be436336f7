//! How well measured steps determine the constants that were fitted to them.
//!
//! Near the fit's optimum the penalised loss is `sum w (ln(forecast / measured) / 5 %)^2 + sum (ln(c / prior) /
//! spread)^2`, twice a negative log probability. So the constants' logarithms have the covariance
//! `(J' W J + diag(1 / spread^2))^-1`, with J the slopes of the log forecasts. It starts as the priors' and shrinks
//! run by run (Sherman and Morrison's formula); no matrix is inverted.

use super::fit::{FreeConstant, LOG_ERROR, Observation};
use crate::constants::{Constant, Constants};
use crate::forecast::Predictor;

/// What the runs say about one constant when all others of the fit may move along.
#[derive(Debug, Clone, Copy)]
pub struct Determined {
    /// The constant.
    pub constant: &'static Constant,
    /// Standard deviation that is left, in natural-log units: as far as it may move, the others following, before
    /// the penalised loss rises by one.
    pub error: f64,
    /// Share of the prior's variance that the runs remove, 0 to 1.
    pub evidence: f64,
}

/// Step of the numeric derivative, in natural-log units.
const NUDGE: f64 = 0.01;

/// How well runs determine constants that were fitted to them, at the fit's optimum `at`.
pub fn determined(observations: &[Observation], at: &Constants, free: &[FreeConstant]) -> Vec<Determined> {
    let slopes = slopes(observations, at, free);
    let mut covariance: Vec<Vec<f64>> = (0..free.len())
        .map(|own| {
            let prior = |(index, entry): (usize, &FreeConstant)| {
                if index == own { entry.spread.powi(2) } else { 0.0 }
            };
            free.iter().enumerate().map(prior).collect()
        })
        .collect();
    for (observation, slope) in observations.iter().zip(&slopes) {
        let off =
            (Predictor::new(at).step_time(&observation.scenario).0 / observation.measured_s).ln() / LOG_ERROR;
        // Far-off runs count linearly, as in the loss.
        let trust = observation.weight / LOG_ERROR.powi(2) / (1.0 + off * off).sqrt();
        if trust.is_finite() {
            learn(&mut covariance, slope, trust);
        }
    }
    free.iter()
        .zip(&covariance)
        .enumerate()
        .map(|(index, (entry, row))| {
            let variance = row.get(index).copied().unwrap_or_default().max(0.0);
            let evidence = (1.0 - variance / entry.spread.powi(2)).clamp(0.0, 1.0);
            Determined { constant: entry.constant, error: variance.sqrt(), evidence }
        })
        .collect()
}

/// Slopes of every run's log forecast by the logarithm of every constant.
fn slopes(observations: &[Observation], at: &Constants, free: &[FreeConstant]) -> Vec<Vec<f64>> {
    let mut slopes = vec![Vec::with_capacity(free.len()); observations.len()];
    for entry in free {
        let moved = |shift: f64| {
            let mut constants = *at;
            (entry.constant.set)(&mut constants, (entry.constant.get)(at) * shift.exp());
            constants
        };
        let (below, above) = (moved(-NUDGE), moved(NUDGE));
        for (row, observation) in slopes.iter_mut().zip(observations) {
            let total = |constants| Predictor::new(constants).step_time(&observation.scenario).0;
            row.push((total(&above) / total(&below)).ln() / (2.0 * NUDGE));
        }
    }
    slopes
}

/// `C - C s s' C / (1 / trust + s' C s)`: the covariance once a quantity with slopes `s` is known with a variance of
/// `1 / trust`.
fn learn(covariance: &mut [Vec<f64>], slope: &[f64], trust: f64) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let gain: Vec<f64> = covariance.iter().map(|row| dot(row, slope)).collect();
    let scale = trust / (1.0 + trust * dot(&gain, slope));
    for (row, own) in covariance.iter_mut().zip(&gain) {
        for (cell, other) in row.iter_mut().zip(&gain) {
            *cell -= scale * own * other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::learn;

    #[test]
    fn what_is_known_twice_over_and_what_is_known_together() {
        // A prior of variance 4 and a measurement of variance 4 leave 2; the other variable stays.
        let mut covariance = vec![vec![4.0, 0.0], vec![0.0, 1.0]];
        learn(&mut covariance, &[1.0, 0.0], 0.25);
        assert!((covariance[0][0] - 2.0).abs() < 1e-12 && (covariance[1][1] - 1.0).abs() < 1e-12);
        // Their sum, known exactly, leaves their difference open and ties one to the other.
        learn(&mut covariance, &[1.0, 1.0], 1e12);
        let expected = 2.0 / 3.0;
        assert!((covariance[0][0] - expected).abs() < 1e-9 && (covariance[0][1] + expected).abs() < 1e-9);
    }
}
