//! Physics times a learned correction, with the limits of both.

use super::amounts::{Amounts, Direction};
use super::features::Features;
use super::operator::OperatorWorkload;
use super::physics::Physics;
use super::read::Sample;
use crate::cost::Provenance;
use crate::forest::Ensemble;
use libm::{exp, log2};
use serde::{Deserialize, Serialize};

/// Octaves outside the sampled range over which the correction fades out.
const FADE: f64 = 2.0;
/// Largest correction, as a log: larger effects are not due to shape.
const MOST_LOG: f64 = 1.5;

/// Bounding box of the samples: smallest and largest of every size, and of the work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Of every size.
    pub sizes: [(f32, f32); 4],
    /// Of FLOPs, or of bytes if there are none.
    pub work: (f32, f32),
}

impl Range {
    /// Range of samples of one pass.
    pub fn of(samples: &[Sample], direction: Direction) -> Self {
        let mut range = Self { sizes: [(f32::INFINITY, 0.0); 4], work: (f32::INFINITY, 0.0) };
        let widen = |range: &mut (f32, f32), value: f64| {
            *range = (range.0.min(value as f32), range.1.max(value as f32));
        };
        for sample in samples {
            for (range, size) in range.sizes.iter_mut().zip(sample.workload.sizes) {
                widen(range, size);
            }
            widen(&mut range.work, Amounts::new(&sample.workload, direction).work());
        }
        range
    }

    /// Whether its ends are finite.
    pub(super) fn is_sound(&self) -> bool {
        self.sizes.iter().chain([&self.work]).all(|(least, most)| least.is_finite() && most.is_finite())
    }

    /// How far outside a workload is, in octaves of its farthest size; zero inside.
    pub(super) fn distance(&self, workload: &OperatorWorkload) -> f64 {
        let sizes = self.sizes.iter().zip(workload.used());
        sizes.map(|(range, size)| outside(*range, *size)).fold(0.0, f64::max)
    }

    /// Whether a workload is inside.
    pub fn holds(&self, workload: &OperatorWorkload, direction: Direction) -> bool {
        self.distance(workload) <= 0.0 && outside(self.work, Amounts::new(workload, direction).work()) <= 0.0
    }
}

/// Tolerance at the range's ends, for rounding.
const ROUNDING: f64 = 1e-6;

fn outside(range: (f32, f32), value: f64) -> f64 {
    let (least, most) = (f64::from(range.0), f64::from(range.1));
    if value < least * (1.0 - ROUNDING) {
        log2(least / value.max(f64::MIN_POSITIVE))
    } else if value > most * (1.0 + ROUNDING) {
        log2(value / most.max(f64::MIN_POSITIVE))
    } else {
        0.0
    }
}

/// A closed form, and trees that correct its logarithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hybrid {
    /// The fitted pass.
    pub direction: Direction,
    /// The closed form.
    pub physics: Physics,
    /// Natural logarithm of measured over closed form.
    pub correction: Ensemble,
    /// Range of the samples.
    pub range: Range,
}

impl Hybrid {
    /// Seconds of one call.
    pub fn time(&self, workload: &OperatorWorkload) -> f64 {
        self.time_at(workload, self.range.distance(workload))
    }

    /// Seconds of one call at a given distance outside the sampled range.
    pub(super) fn time_at(&self, workload: &OperatorWorkload, distance: f64) -> f64 {
        self.physics.time(workload, self.direction) * self.factor(workload, distance)
    }

    /// Correction factor: 1 if unknown.
    fn factor(&self, workload: &OperatorWorkload, distance: f64) -> f64 {
        let weight = 1.0 - distance / FADE;
        if weight <= 0.0 || self.correction.trees() == 0 {
            return 1.0;
        }
        let features = Features::new(workload, self.direction, f64::from(self.physics.sms));
        exp(weight * self.correction.predict(features.values()).clamp(-MOST_LOG, MOST_LOG))
    }

    /// Basis of the time.
    pub fn provenance(&self, workload: &OperatorWorkload) -> Provenance {
        if self.range.holds(workload, self.direction) {
            Provenance::Measured
        } else {
            Provenance::Extrapolated
        }
    }
}
