//! The effect of single changes: each one is forecast.

use super::axes::{AXES, FreeAxes};
use super::choice::CONVENIENCE;
use super::rule_of_thumb::rule_of_thumb;
use super::savings::{OF_JOB, is_allowed};
use crate::fields::Field;
use crate::forecast::Predictor;
use crate::memory::{LIKELY, report};
use crate::rules::plan_is_legal;
use crate::scenario::plan::Plan;
use crate::scenario::stack::StackLimits;
use crate::scenario::{Precision, Scenario};
use crate::units::{Bytes, Seconds};

/// A job with some fields changed, and its forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Keys of the fields, and their other values as they are typed.
    pub fields: Vec<(&'static str, String)>,
    /// Whether training gives other results with it: less is trained, or in less precision.
    pub changes_results: bool,
    /// Time of one step with it.
    pub step: Seconds,
    /// Peak memory of the fullest stage with it.
    pub peak: Bytes,
    /// Memory headroom below the usable memory; negative if the job does not fit.
    pub room: Bytes,
    /// Whether the job then fits as counted.
    pub fits: bool,
    /// Probability that the job then runs within the usable memory.
    pub fit_probability: f64,
}

impl FieldChange {
    /// The change of a job to another one in these fields.
    pub(super) fn of(predictor: &Predictor<'_>, changed: &Scenario, keys: &[&'static str]) -> Option<Self> {
        let typed = |key: &&'static str| Some((*key, Field::find(key)?.canonical(changed)));
        let memory = report(changed);
        Some(Self {
            fields: keys.iter().map(typed).collect::<Option<_>>()?,
            changes_results: false,
            step: predictor.step_time(changed),
            peak: Bytes::from_gib(memory.peak_gib),
            room: Bytes::from_gib(memory.usable_gib - memory.peak_gib),
            fits: memory.fits && memory.host.holds(),
            fit_probability: memory.fit_probability,
        })
    }

    /// Whether the job then is likely to fit.
    pub fn is_enough(&self) -> bool {
        self.fits && self.fit_probability >= LIKELY
    }
}

/// The single change that makes a job that fits faster: the fastest layout that is as likely to fit, or FP8 matrix products, if
/// either is faster by more than [`CONVENIENCE`]. Nothing if no change is.
pub fn advice(predictor: &Predictor<'_>, job: &Scenario) -> Option<FieldChange> {
    let now = predictor.step_time(job);
    let least = report(job).fit_probability.min(LIKELY);
    let mut changes = layouts(predictor, job, |_| true);
    let narrower = narrower(job).and_then(|job| FieldChange::of(predictor, &job, &["prec"]));
    changes.extend(narrower);
    let fast = changes.into_iter().filter(|change| change.fits && change.fit_probability >= least);
    let fastest = fast.min_by(|one, other| one.step.0.total_cmp(&other.step.0));
    fastest.filter(|change| change.step.0 * (1.0 + CONVENIENCE) < now.0)
}

/// Every value of every searched axis of these that is legal with the layout's other values, and that the stack runs.
pub(super) fn layouts(
    predictor: &Predictor<'_>,
    job: &Scenario,
    of_axis: impl Fn(&str) -> bool,
) -> Vec<FieldChange> {
    let limits = StackLimits::of_job(job);
    let mut changes = Vec::new();
    for axis in AXES.iter().filter(|axis| FreeAxes::default().has(axis.key) && of_axis(axis.key)) {
        (axis.vary)(job, &job.plan, &mut |plan: Plan| {
            // Sequence parallelism follows from tensor parallelism.
            let alone = plan.tensor_parallel == 1;
            let plan = Plan { sequence_parallel: plan.sequence_parallel && !alone, ..plan };
            let changed = Scenario { plan, ..*job };
            if plan != job.plan && limits.allows(&plan) && plan_is_legal(&changed) {
                changes.extend(FieldChange::of(predictor, &changed, &[axis.key]));
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

/// The smallest changes with which some layout of a job fits: more GPUs, a shorter sequence, or what saves memory in any layout
/// (`OF_JOB`). Layouts come from the rule of thumb.
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
    let of_size = [("n", gpus), ("seq", sequence)];
    let of_size =
        of_size.into_iter().filter_map(|(key, changed)| FieldChange::of(predictor, &changed?, &[key]));
    let of_job = OF_JOB.iter().filter_map(|saving| {
        let changed = planned(saving.of(job)?).filter(|changed| is_allowed(job, changed))?;
        let change = FieldChange::of(predictor, &changed, &saving.keys(job, &changed))?;
        Some(FieldChange { changes_results: saving.changes_results, ..change })
    });
    of_size.chain(of_job).collect()
}
