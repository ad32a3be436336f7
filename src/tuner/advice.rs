//! The effect of single changes: each one is forecast.

use super::axes::{AXES, FreeAxes};
use super::choice::CONVENIENCE;
use super::rule_of_thumb::rule_of_thumb;
use crate::fields::Field;
use crate::forecast::Predictor;
use crate::memory::{fits, peak, usable};
use crate::rules::plan_is_legal;
use crate::scenario::plan::Plan;
use crate::scenario::stack::StackLimits;
use crate::scenario::{Precision, Scenario};
use crate::units::{Bytes, Seconds};

/// A job with one field changed, and its forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Key of the field.
    pub key: &'static str,
    /// Its other value, as it is typed.
    pub value: String,
    /// Step with it.
    pub step: Seconds,
    /// Memory headroom below the usable memory; negative if it does not fit.
    pub room: Bytes,
}

impl FieldChange {
    fn of(predictor: &Predictor<'_>, changed: &Scenario, key: &'static str) -> Option<Self> {
        let value = Field::find(key)?.canonical(changed);
        Some(Self { key, value, step: predictor.step_time(changed), room: room(changed) })
    }
}

fn room(job: &Scenario) -> Bytes {
    Bytes(usable(job).0 - peak(job).0.0)
}

/// The single change that helps a job most. For a job that fits: the fastest layout change that still fits, or FP8
/// matrix products, if either is faster by more than [`CONVENIENCE`]. For a job that does not fit: the fastest change
/// that makes it fit, or the one that saves the most memory. Nothing if no change helps.
pub fn advice(predictor: &Predictor<'_>, job: &Scenario) -> Option<FieldChange> {
    let now = predictor.step_time(job);
    let fitting = fits(job, peak(job).0);
    let mut changes = layouts(predictor, job);
    if fitting && let Some(change) = narrower(job).and_then(|job| FieldChange::of(predictor, &job, "prec")) {
        changes.push(change);
    }
    let fast = changes.iter().filter(|change| change.room.0 >= 0.0);
    let fastest = fast.min_by(|one, other| one.step.0.total_cmp(&other.step.0));
    if fitting {
        return fastest.filter(|change| change.step.0 * (1.0 + CONVENIENCE) < now.0).cloned();
    }
    let roomiest = changes.iter().max_by(|one, other| one.room.0.total_cmp(&other.room.0));
    fastest.or(roomiest.filter(|change| change.room.0 > room(job).0)).cloned()
}

/// Every value of every searched axis that is legal with the layout's other values, and that the stack runs.
fn layouts(predictor: &Predictor<'_>, job: &Scenario) -> Vec<FieldChange> {
    let limits = StackLimits::of_job(job);
    let mut changes = Vec::new();
    for axis in AXES.iter().filter(|axis| FreeAxes::default().has(axis.key)) {
        (axis.vary)(job, &job.plan, &mut |plan: Plan| {
            // Sequence parallelism follows from tensor parallelism.
            let alone = plan.tensor_parallel == 1;
            let plan = Plan { sequence_parallel: plan.sequence_parallel && !alone, ..plan };
            let changed = Scenario { plan, ..*job };
            if plan != job.plan && limits.allows(&plan) && plan_is_legal(&changed) {
                changes.extend(FieldChange::of(predictor, &changed, axis.key));
            }
        });
    }
    changes
}

/// The job with FP8 matrix products, where the machine has them and the job does not.
fn narrower(job: &Scenario) -> Option<Scenario> {
    let mut changed = *job;
    changed.workload.precision = Precision::Fp8;
    let wide = matches!(job.workload.precision, Precision::Bf16 | Precision::Fp16);
    (wide && changed.validate().is_ok()).then_some(changed)
}

/// Most doublings of the GPUs, or halvings of the sequence, to make a job fit.
const MOST_DOUBLINGS: u32 = 7;

/// The smallest changes with which some layout of a job fits: more GPUs, a shorter sequence, or optimizer offload.
/// Layouts come from the rule of thumb.
pub fn ways_to_fit(predictor: &Predictor<'_>, job: &Scenario) -> Vec<FieldChange> {
    let planned = |changed: Scenario| {
        let plan = rule_of_thumb(&changed)?;
        Some(Scenario { plan, ..changed })
    };
    let doublings = || (1..=MOST_DOUBLINGS).map(|times| 1_u32 << times);
    let gpus = doublings().find_map(|times| {
        let mut changed = *job;
        let (gpus, node) = (job.cluster.gpus.checked_mul(times)?, job.cluster.gpus_per_node.max(1));
        // Above one node, GPUs come in whole nodes.
        changed.cluster.gpus = if gpus > node { gpus.checked_next_multiple_of(node)? } else { gpus };
        planned(changed)
    });
    let sequence = doublings().find_map(|times| {
        let mut changed = *job;
        changed.workload.sequence = job.workload.sequence / times;
        planned(changed).filter(|changed| changed.workload.sequence > 0)
    });
    let host = (!job.plan.offload_optimizer)
        .then(|| planned(Scenario { plan: Plan { offload_optimizer: true, ..job.plan }, ..*job }))
        .flatten();
    let found = [("n", gpus), ("seq", sequence), ("oo", host)];
    found.into_iter().filter_map(|(key, changed)| FieldChange::of(predictor, &changed?, key)).collect()
}
