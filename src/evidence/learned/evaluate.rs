//! Accuracy of regressors on unseen samples.

use super::amounts::{Amounts, Direction};
use super::read::Sample;
use super::regressor::{Fit, REGRESSORS, Regressor};
use crate::forest::{Random, TrainingSettings};
use crate::scenario::cluster::Cluster;
use serde::{Deserialize, Serialize};

/// Training and test rows, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainTestSplit {
    /// Training rows.
    pub learn: Vec<usize>,
    /// Test rows.
    pub test: Vec<usize>,
}

/// Every fifth sample of a shuffled set is tested.
pub fn random_fifth(samples: &[Sample], seed: u64) -> TrainTestSplit {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    Random::new(seed).shuffle(&mut order);
    let test = order.split_off(samples.len() - samples.len() / 5);
    TrainTestSplit { learn: order, test }
}

/// Every sample is tested once, in one of `parts` folds.
pub fn folds(samples: &[Sample], parts: usize, seed: u64) -> Vec<TrainTestSplit> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    Random::new(seed).shuffle(&mut order);
    let parts = parts.max(2);
    (0..parts)
        .map(|part| {
            let (mut test, mut learn) = (Vec::new(), Vec::new());
            for (place, row) in order.iter().enumerate() {
                if place % parts == part { test.push(*row) } else { learn.push(*row) }
            }
            TrainTestSplit { learn, test }
        })
        .collect()
}

/// The fifth with the most work (FLOPs, else bytes) is tested.
pub fn largest_fifth(samples: &[Sample], direction: Direction) -> TrainTestSplit {
    let mut order: Vec<(f64, usize)> = (0..)
        .zip(samples)
        .map(|(index, sample)| (Amounts::new(&sample.workload, direction).work(), index))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut order: Vec<usize> = order.into_iter().map(|row| row.1).collect();
    let test = order.split_off(samples.len() - samples.len() / 5);
    TrainTestSplit { learn: order, test }
}

/// Mean |forecast / measured - 1| of every regressor. Ratios, not percent; NaN if none was tested.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Random forest.
    pub forest: f64,
    /// Boosted trees.
    pub boosted: f64,
    /// Closed form.
    pub physics: f64,
    /// Closed form with a boosted correction.
    pub hybrid: f64,
}

impl Errors {
    /// No regressor tested.
    pub const NONE: Self = Self { forest: f64::NAN, boosted: f64::NAN, physics: f64::NAN, hybrid: f64::NAN };

    /// Error of one regressor.
    pub fn of(&self, regressor: Regressor) -> f64 {
        match regressor {
            Regressor::Forest => self.forest,
            Regressor::Boosted => self.boosted,
            Regressor::Physics => self.physics,
            Regressor::Hybrid => self.hybrid,
        }
    }

    /// Mutable error of a regressor.
    pub fn of_mut(&mut self, regressor: Regressor) -> &mut f64 {
        match regressor {
            Regressor::Forest => &mut self.forest,
            Regressor::Boosted => &mut self.boosted,
            Regressor::Physics => &mut self.physics,
            Regressor::Hybrid => &mut self.hybrid,
        }
    }

    /// Mean of several errors, by regressor.
    pub fn mean<'a>(all: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let mut mean = Self::NONE;
        for regressor in REGRESSORS {
            let (sum, count) =
                all.clone().fold((0.0, 0.0), |(sum, count), one| (sum + one.of(regressor), count + 1.0));
            *mean.of_mut(regressor) = sum / count;
        }
        mean
    }
}

/// Progress of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EvaluationProgress {
    /// Regressors fitted and tested.
    pub done: usize,
    /// Their total number.
    pub of: usize,
}

/// Forecast and measured seconds of one tested sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Index of the sample.
    pub sample: usize,
    /// Measured seconds.
    pub measured_s: f64,
    /// Forecast seconds.
    pub predicted_s: f64,
}

/// An evaluation in progress: every regressor on every split, a tree at a time.
#[derive(Debug)]
pub struct Evaluation {
    samples: Vec<Sample>,
    direction: Direction,
    cluster: Cluster,
    splits: Vec<TrainTestSplit>,
    correction: TrainingSettings,
    seed: u64,
    /// Completed fits.
    done: usize,
    current: Option<Fit>,
    errors: Vec<Errors>,
    points: Vec<Vec<Point>>,
}

impl Evaluation {
    /// Starts an evaluation. `correction`: the hybrid's trees.
    pub fn new(
        samples: Vec<Sample>,
        direction: Direction,
        cluster: &Cluster,
        splits: Vec<TrainTestSplit>,
        correction: TrainingSettings,
        seed: u64,
    ) -> Self {
        Self {
            errors: vec![Errors::NONE; splits.len()],
            points: vec![Vec::new(); REGRESSORS.len()],
            samples,
            direction,
            cluster: *cluster,
            splits,
            correction,
            seed,
            done: 0,
            current: None,
        }
    }

    /// Does a small amount of work: starts a fit, grows one tree, or tests a fit. `None` once all is done.
    pub fn step(&mut self) -> Option<EvaluationProgress> {
        let regressor = *REGRESSORS.get(self.done % REGRESSORS.len())?;
        let split = self.splits.get(self.done / REGRESSORS.len())?;
        let mut fit = match self.current.take() {
            Some(fit) => fit,
            None => {
                let learn: Vec<Sample> =
                    split.learn.iter().filter_map(|row| self.samples.get(*row).copied()).collect();
                match Fit::with(regressor, &learn, self.direction, &self.cluster, self.seed, self.correction)
                {
                    Some(fit) => fit,
                    None => {
                        self.done += 1;
                        return Some(self.progress());
                    }
                }
            }
        };
        if fit.step() {
            self.current = Some(fit);
        } else {
            self.test(fit, regressor);
            self.done += 1;
        }
        Some(self.progress())
    }

    fn progress(&self) -> EvaluationProgress {
        EvaluationProgress { done: self.done, of: self.splits.len() * REGRESSORS.len() }
    }

    fn test(&mut self, fit: Fit, regressor: Regressor) {
        let model = fit.finish();
        let Some(split) = self.splits.get(self.done / REGRESSORS.len()) else { return };
        let tested: Vec<Point> = split
            .test
            .iter()
            .filter_map(|row| self.samples.get(*row).map(|sample| (*row, sample)))
            .map(|(row, sample)| Point {
                sample: row,
                measured_s: sample.seconds,
                predicted_s: model.time(&sample.workload),
            })
            .collect();
        let sum: f64 = tested.iter().map(|point| (point.predicted_s / point.measured_s - 1.0).abs()).sum();
        if let Some(errors) = self.errors.get_mut(self.done / REGRESSORS.len()) {
            *errors.of_mut(regressor) = sum / tested.len() as f64;
        }
        if let Some(points) = self.points.get_mut(self.done % REGRESSORS.len()) {
            points.extend(tested);
        }
    }

    /// Runs to completion: errors of every split.
    pub fn finish(mut self) -> Vec<Errors> {
        while self.step().is_some() {}
        self.errors
    }

    /// Mean errors over all splits.
    pub fn mean(&self) -> Errors {
        Errors::mean(self.errors.iter())
    }

    /// The samples for training and test.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Every forecast of a test so far, per regressor in the order of [`REGRESSORS`].
    pub fn points(&self) -> &[Vec<Point>] {
        &self.points
    }
}
