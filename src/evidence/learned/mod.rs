//! Operators with costs learned from measurements (arXiv 2509.22832), which also extrapolate.
//!
//! A sample file ([`read`]) becomes sets of one operator and pass each; implausible samples are excluded with the
//! reason ([`check`]). Each set is fitted by a closed form ([`Physics`]), and boosted trees correct its log residual
//! ([`Hybrid`]). Trees do not extrapolate: outside the sampled range the correction fades out and only the closed form
//! remains.

mod amounts;
mod check;
mod corrections;
mod evaluate;
mod features;
mod hybrid;
mod layers;
mod nccl_tests;
mod operator;
mod physics;
mod profile;
mod read;
mod regressor;
mod solve;
mod step;
pub mod tables;
mod trainer;

pub use crate::cost::Provenance;
pub use amounts::{Amounts, Direction, ProductBatch, layer_parameters};
pub use check::{Rejected, SampleFault, check, is_healthy};
pub use corrections::Corrections;
pub use evaluate::{
    Errors, Evaluation, EvaluationProgress, Point, TrainTestSplit, folds, largest_fifth, random_fifth,
};
pub use features::Features;
pub use hybrid::{Hybrid, Range};
pub use layers::{LayerAssignment, ModelPart};
pub use nccl_tests::{is_nccl_tests, read_nccl_tests};
pub use operator::{
    OPERATORS, OperatorSizes, OperatorWorkload, SAMPLED_VOCABULARY, SampledKind, SampledOperator,
    rank_vocabulary,
};
pub use physics::Physics;
pub use profile::{LearnedOperator, MOST_BYTES, Profile, Time};
pub use read::{RowProblem, Sample, SampleFile, SampleSet, read};
pub use regressor::{FULL, Fit, FittedModel, REGRESSORS, Regressor, compact};
pub use step::{LearnedStage, LearnedStep, OperatorTime, step};
pub use trainer::{Advance, Trainer, TrainingOutcome};
