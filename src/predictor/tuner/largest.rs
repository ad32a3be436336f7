//! Largest job that fits.

use super::axes::FreeAxes;
use super::margin::Margin;
use super::study::{StudyPoint, point};
use crate::fields::FIELDS;
use crate::forecast::Predictor;
use crate::scenario::Scenario;

/// What is increased until no layout fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Tokens of a sequence; the tokens per step stay as close as whole sequences allow.
    Context,
    /// Layers of the model.
    Layers,
    /// Sequences per micro-batch; the global batch is unchanged.
    MicroBatch,
}

/// The largest job found.
#[derive(Debug, Clone, PartialEq)]
pub struct Largest {
    /// The job, in its fastest layout.
    pub point: StudyPoint,
    /// Whether the next doubling exceeds the field's bound, so memory may have room for more.
    pub is_bound: bool,
}

/// The largest extent, in powers of two times the job's own, at which some layout fits comfortably, and the fastest
/// layout there; nothing if not even the least fits.
pub fn largest(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: FreeAxes,
    margin: Margin,
    extent: Extent,
) -> Option<Largest> {
    /// Most doublings and halvings: more than any field allows.
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
        // Values beyond the field's bounds are not searched.
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
