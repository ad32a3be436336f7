//! Number formats that a job could be trained in, and its best layout in each.

use super::axes::FreeAxes;
use super::margin::Margin;
use super::study::{StudyPoint, point};
use crate::forecast::Predictor;
use crate::rules::multiplies;
use crate::scenario::stack::StackLimits;
use crate::scenario::{Precision, Scenario};

/// Number formats that a job's GPU and software support: the job's own first, 16 bits once, and the narrower ones.
/// Model quality is not considered.
pub fn precisions(job: &Scenario) -> Vec<Precision> {
    let own = job.workload.precision;
    let wide = if job.cluster.gpu.family.generation().bf16 { Precision::Bf16 } else { Precision::Fp16 };
    let others = Precision::ALL.into_iter().filter(|other| {
        let one_of_16_bits = other.is_16_bits() && (own.is_16_bits() || *other != wide);
        *other != own && !one_of_16_bits
    });
    let limits = StackLimits::of_job(job);
    let offered = |precision: &Precision| limits.multiplies(*precision) && multiplies(&job.with(*precision));
    [own].into_iter().chain(others.filter(offered)).collect()
}

/// The best comfortable layout of a job in each number format that its GPU and software support, fastest first.
pub fn by_precision(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: FreeAxes,
    margin: Margin,
) -> Vec<StudyPoint> {
    let at = |precision| point(predictor, &job.with(precision), free, margin);
    let mut points: Vec<StudyPoint> = precisions(job).into_iter().filter_map(at).collect();
    points.sort_by(|one, other| one.layout.step.0.total_cmp(&other.layout.step.0));
    points
}
