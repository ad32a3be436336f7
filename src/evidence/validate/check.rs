//! Validity of a row: nothing is forecast, compared or fitted that the form would refuse.
//!
//! A row is checked against the bounds of every field and then against every rule, like input to the form. A row that
//! fails is skipped with the error. Public sources state three things of real jobs that the form refuses:
//!
//! - *virtual stages of unequal shares*: frameworks take any list of layers, and the row is read as the most even one;
//! - *virtual stages without a pipeline*: recipes name them, frameworks have no use for them, and the row is read as
//!   without;
//! - *experts assigned to more ranks than a stage has*: see `as_checked`, the only rule that a row may break.

use crate::error::FieldError;
use crate::fields::{Field, FieldKind};
use crate::scenario::Scenario;
use std::ops::RangeInclusive;

/// Seconds of a measured step. Values outside are in another unit: a single launch takes ten microseconds, and a
/// million seconds are eleven days.
pub const STEP_SECONDS: RangeInclusive<f64> = 1e-5..=1e6;

/// Checks measured seconds of a step.
///
/// # Errors
/// A sentence without its full stop, for values outside [`STEP_SECONDS`].
pub fn seconds(measured_s: f64) -> Result<(), String> {
    if STEP_SECONDS.contains(&measured_s) {
        return Ok(());
    }
    let (least, most) = (STEP_SECONDS.start(), STEP_SECONDS.end());
    Err(format!("the measured time is not a number of seconds from {least} to {most}"))
}

/// Checks a measured peak against the bounds of a GPU's memory, GiB.
pub(super) fn peak(measured_gib: f64) -> Result<(), String> {
    let memory = Field::find("mem").map(|field| field.kind);
    match memory {
        Some(FieldKind::Quantity { min, max }) if !(min..=max).contains(&measured_gib) => {
            Err(format!("peak_gib is not a number of GiB from {min} to {max}"))
        }
        _ => Ok(()),
    }
}

/// Checks that every value is within its field's bounds, before anything is computed.
pub(super) fn bounds(scenario: &Scenario) -> Result<(), String> {
    scenario.within_bounds().map_err(first)
}

/// Checks that the job could have run.
pub(super) fn job(scenario: &Scenario) -> Result<(), String> {
    as_checked(scenario).validate().map_err(first)
}

/// The scenario as it is checked: expert-parallel ranks that are more than a pipeline stage has, but can be taken from
/// the whole job's GPUs, as those of a stage. Two rows of NVIDIA's summaries state 64 ranks beside stages of 32 GPUs
/// (DeepSeek-V3 on 256, releases 25.09 and 25.11); one of the degrees must be another run's, nobody can tell which, and
/// the rows are forecast as stated.
fn as_checked(scenario: &Scenario) -> Scenario {
    let mut checked = *scenario;
    let plan = &mut checked.plan;
    let stage = scenario.cluster.gpus / plan.pipeline_parallel.max(1);
    let expert_ranks = plan.expert_parallel.saturating_mul(plan.expert_tensor_parallel);
    if expert_ranks > stage && scenario.cluster.gpus.is_multiple_of(expert_ranks) {
        plan.expert_parallel = (stage / plan.expert_tensor_parallel.max(1)).max(1);
    }
    checked
}

fn first(errors: Vec<FieldError>) -> String {
    let sentence = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
    sentence.trim_end_matches('.').to_owned()
}
