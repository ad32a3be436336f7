//! How large a job may be made until no layout of it fits.

use super::axes::FreeAxes;
use super::study::{StudyPoint, point};
use crate::fields::FIELDS;
use crate::forecast::Predictor;
use crate::scenario::Scenario;

/// What may be made as large as fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Tokens of a sequence; the tokens of a step stay as near as whole sequences allow.
    Context,
    /// Layers of the model.
    Layers,
    /// Sequences that a replica takes at once; the batch of a step stays.
    MicroBatch,
}

/// A job as large as was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Largest {
    /// The job, in its fastest layout.
    pub point: StudyPoint,
    /// Twice as much is more than a field may hold, so that memory may have room for more.
    pub is_bound: bool,
}

/// The largest extent, in powers of two times the job's own or down from it, at which some layout fits comfortably, with
/// the fastest layout there; nothing where not even the least does.
pub fn largest(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: FreeAxes,
    margin: f64,
    extent: Extent,
) -> Option<Largest> {
    /// Doublings, and halvings, that are tried: more than any field has room for.
    const STEPS: i32 = 31;
    let free = if extent == Extent::MicroBatch { free.with("mb", false) } else { free };
    let sized = |power: i32| -> Option<Scenario> {
        let mut tried = *job;
        let scaled = |value: u32| {
            if power >= 0 { value.checked_mul(1 << power) } else { Some(value >> -power) }
                .filter(|it| *it > 0)
        };
        match extent {
            Extent::Context => {
                tried.workload.sequence = scaled(job.workload.sequence)?;
                let workload = &job.workload;
                let tokens = f64::from(workload.sequence) * f64::from(workload.global_batch)
                    / f64::from(tried.workload.sequence);
                tried.workload.global_batch = (tokens as u32).max(1);
            }
            Extent::Layers => tried.model.layers = scaled(job.model.layers)?,
            Extent::MicroBatch => tried.plan.micro_batch = scaled(job.plan.micro_batch)?,
        }
        // Beyond what a field may hold nothing is searched.
        FIELDS.iter().all(|field| field.holds((field.get)(&tried))).then_some(tried)
    };
    let at = |power: i32| {
        let point = point(predictor, &sized(power)?, free, margin)?;
        point.layout.is_comfortable(margin).then_some((power, point))
    };
    let (power, point) = match at(0) {
        Some(found) => (1..=STEPS).map_while(at).last().unwrap_or(found),
        None => (1..=STEPS).find_map(|power| at(-power))?,
    };
    Some(Largest { point, is_bound: sized(power + 1).is_none() })
}
