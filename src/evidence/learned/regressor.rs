//! The candidate regressors of an operator, each fitted a tree at a time.

use super::amounts::Direction;
use super::features::Features;
use super::hybrid::{Hybrid, Range};
use super::operator::{OperatorWorkload, SampledKind};
use super::physics::Physics;
use super::read::Sample;
use crate::forest::{Ensemble, EnsembleTraining, Method, TrainingSettings};
use crate::scenario::cluster::Cluster;
use libm::log;
use serde::{Deserialize, Serialize};

/// A way to learn an operator's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Regressor {
    /// Random forest on the workload's sizes, as in the paper.
    Forest,
    /// Boosted trees on the workload's sizes, as in the paper.
    Boosted,
    /// Only the closed form.
    Physics,
    /// The closed form with a boosted correction.
    Hybrid,
}

/// Every regressor, in the order of tables.
pub const REGRESSORS: [Regressor; 4] =
    [Regressor::Forest, Regressor::Boosted, Regressor::Physics, Regressor::Hybrid];

/// Trees of the hybrid's correction if size does not matter.
pub const FULL: TrainingSettings = TrainingSettings {
    method: Method::Boosting,
    trees: 300,
    depth: 5,
    least_rows: 3,
    rate: 0.06,
    shrink: 1.0,
    bins: 256,
    grain: 0.0,
};

/// Trees of a stored correction: a sixth more error for a hundredth of the bytes.
const COMPACT: TrainingSettings = TrainingSettings {
    method: Method::Boosting,
    trees: 24,
    depth: 3,
    least_rows: 4,
    rate: 0.3,
    shrink: 1.0,
    bins: 48,
    grain: 0.0015,
};

/// Settings of the stored trees for matrix products and attention, whose times depend most on shape.
const COMPACT_COMPUTE: TrainingSettings =
    TrainingSettings { trees: 48, depth: 4, rate: 0.2, bins: 64, ..COMPACT };

/// The stored trees for a kind of operator.
pub fn compact(kind: SampledKind) -> TrainingSettings {
    match kind {
        SampledKind::Product | SampledKind::Attention => COMPACT_COMPUTE,
        SampledKind::Stream | SampledKind::Update | SampledKind::Link => COMPACT,
    }
}

/// Rows of a leaf, at most and as a share of the samples, for collectives: neighbouring sizes differ by noise only.
const LINK_ROWS: usize = 40;
const LINK_SHARE: usize = 12;

/// A fitted regressor.
#[derive(Debug, Clone, PartialEq)]
pub enum FittedModel {
    /// Trees on raw sizes; microseconds.
    Trees(Ensemble),
    /// A closed form.
    Physics(Physics, Direction),
    /// A closed form with a correction.
    Hybrid(Box<Hybrid>),
}

impl FittedModel {
    /// Seconds of one call.
    pub fn time(&self, workload: &OperatorWorkload) -> f64 {
        match self {
            Self::Trees(trees) => {
                let sizes = workload.sizes.map(|size| size as f32);
                trees.predict(sizes.get(..workload.used().len()).unwrap_or_default()) * 1e-6
            }
            Self::Physics(physics, direction) => physics.time(workload, *direction),
            Self::Hybrid(hybrid) => hybrid.time(workload),
        }
    }
}

/// A regressor during training.
#[derive(Debug, Clone)]
pub struct Fit {
    physics: Option<Physics>,
    range: Range,
    direction: Direction,
    /// None for the closed form.
    training: Option<EnsembleTraining>,
}

impl Fit {
    /// Starts to fit a regressor to samples of one operator and pass; `None` without samples.
    pub fn new(
        regressor: Regressor,
        samples: &[Sample],
        direction: Direction,
        cluster: &Cluster,
        seed: u64,
    ) -> Option<Self> {
        Self::with(regressor, samples, direction, cluster, seed, FULL)
    }

    /// Starts to fit a regressor with other trees for the hybrid's correction.
    pub fn with(
        regressor: Regressor,
        samples: &[Sample],
        direction: Direction,
        cluster: &Cluster,
        seed: u64,
        correction: TrainingSettings,
    ) -> Option<Self> {
        let kind = samples.first()?.workload.operator.kind();
        let range = Range::of(samples, direction);
        let (physics, training) = match regressor {
            Regressor::Forest => (None, Some(on_sizes(samples, TrainingSettings::FOREST, seed))),
            Regressor::Boosted => (None, Some(on_sizes(samples, TrainingSettings::BOOSTED, seed))),
            Regressor::Physics => (Some(physics(samples, direction, cluster)?), None),
            Regressor::Hybrid => {
                let physics = physics(samples, direction, cluster)?;
                let least_rows = match kind {
                    SampledKind::Link => (samples.len() / LINK_SHARE).clamp(correction.least_rows, LINK_ROWS),
                    _ => correction.least_rows,
                };
                let settings = TrainingSettings { least_rows, ..correction };
                (Some(physics), Some(on_residual(samples, direction, &physics, settings, seed)))
            }
        };
        Some(Self { physics, range, direction, training })
    }

    /// Grows one more tree; `false` once the fit is done.
    pub fn step(&mut self) -> bool {
        self.training.as_mut().is_some_and(EnsembleTraining::step)
    }

    /// The model.
    pub fn finish(self) -> FittedModel {
        let Self { physics, range, direction, training } = self;
        match (physics, training.map(EnsembleTraining::finish)) {
            (Some(physics), Some(correction)) => {
                FittedModel::Hybrid(Box::new(Hybrid { direction, physics, correction, range }))
            }
            (Some(physics), None) => FittedModel::Physics(physics, direction),
            (None, trees) => FittedModel::Trees(trees.unwrap_or_default()),
        }
    }
}

fn physics(samples: &[Sample], direction: Direction, cluster: &Cluster) -> Option<Physics> {
    let rows: Vec<(OperatorWorkload, f64)> =
        samples.iter().map(|sample| (sample.workload, sample.seconds)).collect();
    Physics::fit(&rows, direction, cluster)
}

/// Trees on raw sizes and microseconds.
fn on_sizes(samples: &[Sample], settings: TrainingSettings, seed: u64) -> EnsembleTraining {
    let count = samples.first().map_or(0, |sample| sample.workload.used().len());
    let columns: Vec<Vec<f64>> = (0..count)
        .map(|index| {
            samples.iter().map(|sample| sample.workload.sizes.get(index).copied().unwrap_or(0.0)).collect()
        })
        .collect();
    let targets: Vec<f64> = samples.iter().map(|sample| sample.seconds * 1e6).collect();
    EnsembleTraining::new(&columns, &targets, settings, seed)
}

/// Residuals of collectives are clipped to this many deviations around their median: outliers come from other traffic
/// and allocators, not from the size.
const LINK_DEVIATIONS: f64 = 3.0;

fn pull_in(targets: &mut [f64]) {
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let centre = median(&mut targets.to_vec());
    // The median deviation of normal errors is 0.6745 standard deviations.
    let deviation = median(&mut targets.iter().map(|target| (target - centre).abs()).collect()) / 0.6745;
    let reach = LINK_DEVIATIONS * deviation;
    targets.iter_mut().for_each(|target| *target = target.clamp(centre - reach, centre + reach));
}

/// Trees on features and the log residual of the closed form.
fn on_residual(
    samples: &[Sample],
    direction: Direction,
    physics: &Physics,
    settings: TrainingSettings,
    seed: u64,
) -> EnsembleTraining {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut targets = Vec::with_capacity(samples.len());
    for sample in samples {
        let features = Features::new(&sample.workload, direction, f64::from(physics.sms));
        columns.resize(features.values().len(), Vec::new());
        for (column, value) in columns.iter_mut().zip(features.values()) {
            column.push(f64::from(*value));
        }
        targets.push(log(sample.seconds / physics.time(&sample.workload, direction).max(f64::MIN_POSITIVE)));
    }
    if samples.first().is_some_and(|sample| sample.workload.operator.kind() == SampledKind::Link) {
        pull_in(&mut targets);
    }
    EnsembleTraining::new(&columns, &targets, settings, seed)
}
