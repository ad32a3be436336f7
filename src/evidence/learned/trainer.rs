//! Incremental training of a profile: every set is cross-validated, then fitted on all samples.

use super::amounts::Direction;
use super::check::{Rejected, check, is_healthy};
use super::evaluate::{Errors, Evaluation, Point, folds};
use super::operator::{SampledKind, SampledOperator};
use super::profile::{LearnedOperator, Profile};
use super::read::{Sample, SampleSet};
use super::regressor::{Fit, FittedModel, Regressor, compact};
use crate::forest::Ensemble;
use crate::scenario::cluster::Cluster;
use serde::{Deserialize, Serialize};

/// Parts of the cross-validation.
const FOLDS: usize = 5;
/// Seed of the parts and the trees.
const SEED: u64 = 42;

/// Outcome of one set of samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingOutcome {
    /// Pooled operator.
    pub operator: SampledOperator,
    /// Pass.
    pub direction: Direction,
    /// For collectives, whether they cross nodes.
    pub across: bool,
    /// Training samples.
    pub rows: usize,
    /// Excluded samples, by file.
    pub rejected: Vec<(String, Rejected)>,
    /// Whether the samples could be trusted; if not, the profile lacks the set.
    pub healthy: bool,
    /// Cross-validated mean |error| of every regressor; ratios.
    pub errors: Errors,
    /// The better of the closed form and the hybrid, which the profile holds.
    pub winner: Regressor,
    /// Measured seconds of every sample, and the winner's forecast without that sample.
    pub points: Vec<Point>,
}

/// Progress of the training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Advance {
    /// Completed sets.
    pub sets: usize,
    /// All sets.
    pub of: usize,
    /// Completed share of the current set, 0 to 1.
    pub share: f64,
}

impl Advance {
    /// Completed share of everything, 0 to 1.
    pub fn done(&self) -> f64 {
        (self.sets as f64 + self.share) / self.of.max(1) as f64
    }
}

/// Samples of one operator and pass, within or across nodes.
#[derive(Debug)]
struct SamplePool {
    operator: SampledOperator,
    direction: Direction,
    across: bool,
    samples: Vec<Sample>,
    rejected: Vec<(String, Rejected)>,
    /// Whether one of its files can be trusted.
    healthy: bool,
}

/// Training in progress.
#[derive(Debug)]
pub struct Trainer {
    cluster: Cluster,
    pools: Vec<SamplePool>,
    at: usize,
    evaluation: Option<Evaluation>,
    outcomes: Vec<TrainingOutcome>,
    learned: Vec<LearnedOperator>,
}

impl Trainer {
    /// Starts to learn from sets of samples taken on a cluster. Sets of the same kernels are pooled; implausible
    /// samples, and untrustworthy files, are excluded.
    pub fn new(sets: &[SampleSet], cluster: &Cluster) -> Self {
        let mut pools: Vec<SamplePool> = Vec::new();
        for set in sets {
            let forward = sets
                .iter()
                .find(|other| other.name == set.name && other.direction == Direction::Forward)
                .filter(|_| set.direction == Direction::Backward);
            let (kept, rejected) = check(set, forward, cluster);
            let healthy = is_healthy(kept.len(), &rejected);
            let Some(first) = set.samples.first().map(|sample| sample.workload.pooled()) else { continue };
            let direction = if first.operator == SampledOperator::Gemm && set.direction == Direction::Whole {
                Direction::Forward
            } else {
                set.direction
            };
            let across = first.operator.kind() == SampledKind::Link && first.sizes[1] > 1.0;
            let key = (first.operator, direction, across);
            let place = pools
                .iter()
                .position(|pool| (pool.operator, pool.direction, pool.across) == key)
                .unwrap_or_else(|| {
                    pools.push(SamplePool {
                        operator: first.operator,
                        direction,
                        across,
                        samples: Vec::new(),
                        rejected: Vec::new(),
                        healthy: false,
                    });
                    pools.len() - 1
                });
            let Some(pool) = pools.get_mut(place) else { continue };
            pool.rejected.extend(rejected.into_iter().map(|row| (set.name.clone(), row)));
            if healthy {
                pool.healthy = true;
                let pooled = |sample: Sample| Sample { workload: sample.workload.pooled(), ..sample };
                pool.samples.extend(kept.into_iter().map(pooled));
            }
        }
        pools.sort_by_key(|pool| (pool.operator, pool.direction, pool.across));
        Self { cluster: *cluster, pools, at: 0, evaluation: None, outcomes: Vec::new(), learned: Vec::new() }
    }

    /// Does a small amount of work: one tree, or a step between trees. `None` once all is learned.
    pub fn step(&mut self) -> Option<Advance> {
        let pool = self.pools.get(self.at)?;
        let correction = compact(pool.operator.kind());
        let evaluation = self.evaluation.get_or_insert_with(|| {
            let samples = if pool.healthy { pool.samples.clone() } else { Vec::new() };
            let splits = folds(&samples, FOLDS, SEED);
            Evaluation::new(samples, pool.direction, &self.cluster, splits, correction, SEED)
        });
        let share = match evaluation.step() {
            Some(progress) => progress.done as f64 / progress.of.max(1) as f64,
            None => {
                let evaluation = self.evaluation.take()?;
                self.conclude(&evaluation);
                self.at += 1;
                0.0
            }
        };
        Some(Advance { sets: self.at, of: self.pools.len(), share })
    }

    /// Fits all samples of the evaluated pool, and records the outcome.
    fn conclude(&mut self, evaluation: &Evaluation) {
        let Some(pool) = self.pools.get_mut(self.at) else { return };
        let errors = evaluation.mean();
        let winner = if errors.hybrid < errors.physics { Regressor::Hybrid } else { Regressor::Physics };
        let points = evaluation.points().get(winner as usize).cloned().unwrap_or_default();
        let fit = Fit::with(
            Regressor::Hybrid,
            evaluation.samples(),
            pool.direction,
            &self.cluster,
            SEED,
            compact(pool.operator.kind()),
        );
        if let Some(FittedModel::Hybrid(mut hybrid)) = fit.map(Fit::finish) {
            if winner == Regressor::Physics {
                hybrid.correction = Ensemble::default();
            }
            self.learned.push(LearnedOperator {
                operator: pool.operator,
                hybrid: *hybrid,
                samples: evaluation.samples().len() as u32,
                error: errors.of(winner) as f32,
            });
        }
        self.outcomes.push(TrainingOutcome {
            operator: pool.operator,
            direction: pool.direction,
            across: pool.across,
            rows: evaluation.samples().len(),
            rejected: std::mem::take(&mut pool.rejected),
            healthy: pool.healthy,
            errors,
            winner,
            points,
        });
    }

    /// Outcome of every set so far.
    pub fn outcomes(&self) -> &[TrainingOutcome] {
        &self.outcomes
    }

    /// Runs to completion.
    pub fn finish(mut self, name: &str, source: &str, machine: &str) -> (Profile, Vec<TrainingOutcome>) {
        while self.step().is_some() {}
        let profile = Profile {
            name: name.to_owned(),
            source: source.to_owned(),
            machine: machine.to_owned(),
            sets: self.learned,
        };
        (profile, self.outcomes)
    }
}
