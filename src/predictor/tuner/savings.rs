//! What people do when a job does not fit: changes of it that save memory, each forecast.

use super::advice::{FieldChange, layouts};
use crate::fields::Field;
use crate::forecast::Predictor;
use crate::memory::report;
use crate::order::sorted;
use crate::rules::stack_limit;
use crate::scenario::Scenario;
use crate::scenario::plan::{Recompute, Zero};
use crate::scenario::stack::LossKernel;

/// A change of some fields that saves memory.
pub(super) struct Saving {
    /// Keys of the fields, and their values as they are typed.
    fields: &'static [(&'static str, &'static str)],
    /// Whether training gives other results with it.
    pub(super) changes_results: bool,
    /// Whether the change is less than what the job has, and its program can do it.
    applies: fn(&Scenario) -> bool,
}

/// Rank of adapters that are suggested: the default of Hugging Face's `peft` is 8, that of Unsloth and Axolotl's examples 16; memory
/// hardly depends on it.
const ADAPTERS: &str = "16";

/// Savings in the layout that a job has: what is kept and sharded.
const OF_LAYOUT: [Saving; 5] = [
    Saving {
        fields: &[("rc", "selective")],
        changes_results: false,
        applies: |job| job.plan.recompute == Recompute::None,
    },
    Saving {
        fields: &[("rc", "full"), ("rcn", "1")],
        changes_results: false,
        applies: |job| job.plan.recompute != Recompute::Full,
    },
    Saving { fields: &[("zero", "1")], changes_results: false, applies: |job| job.plan.zero == Zero::None },
    Saving {
        fields: &[("zero", "2")],
        changes_results: false,
        applies: |job| matches!(job.plan.zero, Zero::None | Zero::Optimizer),
    },
    Saving {
        fields: &[("zero", "3")],
        changes_results: false,
        applies: |job| job.plan.zero != Zero::Parameters,
    },
];

/// Savings in any layout: kernels, optimizer states, and what is trained.
pub(super) const OF_JOB: [Saving; 5] = [
    Saving {
        fields: &[("loss", "linear")],
        changes_results: false,
        applies: |job| takes_modules(job) && job.software.loss() != LossKernel::Linear,
    },
    Saving { fields: &[("oo", "1")], changes_results: false, applies: |job| !job.plan.offload_optimizer },
    Saving {
        fields: &[("ost", "8")],
        changes_results: true,
        applies: |job| takes_modules(job) && job.training.update()[0].kept > 0.0,
    },
    Saving {
        fields: &[("lora", ADAPTERS)],
        changes_results: true,
        applies: |job| !job.training.adapters.freeze(),
    },
    Saving { fields: &[("lora", ADAPTERS), ("base", "nf4")], changes_results: true, applies: |_| true },
];

/// Whether a program takes losses and optimizers of other libraries (Liger, bitsandbytes, torchao): one of PyTorch's own modules,
/// whose vocabulary is not split.
fn takes_modules(job: &Scenario) -> bool {
    job.software.profile().makes_gradients && job.plan.tensor_parallel <= 1
}

impl Saving {
    /// A job with the change; nothing where that is no change, or not possible.
    pub(super) fn of(&self, job: &Scenario) -> Option<Scenario> {
        let fields = || self.fields.iter().map(|(key, text)| (*key, (*text).to_owned()));
        // An adapter keeps the rank that it has.
        let kept = |key: &str| key == "lora" && job.training.adapters.freeze();
        (self.applies)(job).then_some(())?;
        with(job, fields().filter(|(key, _)| !kept(key))).filter(|changed| changed != job)
    }

    /// Keys of the fields in which a job with the change differs.
    pub(super) fn keys(&self, job: &Scenario, changed: &Scenario) -> Vec<&'static str> {
        let differs = |field: &&Field| field.canonical(job) != field.canonical(changed);
        let fields = self.fields.iter().filter_map(|(key, _)| Field::find(key));
        fields.filter(differs).map(|field| field.key).collect()
    }
}

/// A job with other values of some fields.
fn with(job: &Scenario, fields: impl IntoIterator<Item = (&'static str, String)>) -> Option<Scenario> {
    let mut changed = *job;
    for (key, text) in fields {
        let field = Field::find(key)?;
        (field.set)(&mut changed, field.parse(&text).ok()?);
    }
    Some(changed)
}

/// Whether a changed job can be run, and its software lacks nothing that it does not lack already.
pub(super) fn is_allowed(job: &Scenario, changed: &Scenario) -> bool {
    let lack = |job: &Scenario| stack_limit(job).map(|error| error.field);
    changed.validate().is_ok() && lack(changed).is_none_or(|field| lack(job) == Some(field))
}

/// Changes that save memory in a job's layout, each forecast: first those that make it likely to fit, and of these those that
/// do not change what training gives, the fastest first; then the others, the least memory first. Where no change alone is
/// enough, as many as are, one after the other, are one more.
pub fn memory_savings(predictor: &Predictor<'_>, job: &Scenario) -> Vec<FieldChange> {
    let peak = report(job).wanted_gib;
    let saves = |changed: &Scenario| is_allowed(job, changed) && report(changed).wanted_gib < peak;
    let mut changes: Vec<FieldChange> = Vec::new();
    for saving in OF_JOB.iter().chain(&OF_LAYOUT) {
        let changed = saving.of(job).filter(saves);
        let change =
            changed.and_then(|changed| FieldChange::of(predictor, &changed, &saving.keys(job, &changed)));
        changes
            .extend(change.map(|change| FieldChange { changes_results: saving.changes_results, ..change }));
    }
    changes.extend(smaller_micro_batch(predictor, job));
    let degrees = layouts(predictor, job, |key| !["rc", "rcn", "zero", "mb"].contains(&key));
    let enough = degrees.into_iter().filter(FieldChange::is_enough);
    changes.extend(enough.min_by(|one, other| one.step.0.total_cmp(&other.step.0)));
    if !changes.iter().any(|change| change.is_enough() && !change.changes_results) {
        changes.extend(together(predictor, job));
    }
    sorted(&changes, |one, other| {
        let kind = |change: &FieldChange| (!change.is_enough(), change.is_enough() && change.changes_results);
        let less = if one.is_enough() {
            one.step.0.total_cmp(&other.step.0)
        } else {
            one.peak.0.total_cmp(&other.peak.0)
        };
        kind(one).cmp(&kind(other)).then(less)
    })
}

/// The largest smaller micro-batch with which a job is likely to fit, in halves; the smallest if none is.
fn smaller_micro_batch(predictor: &Predictor<'_>, job: &Scenario) -> Option<FieldChange> {
    let halves = (1..u32::BITS).map(|times| job.plan.micro_batch >> times).take_while(|size| *size > 0);
    let mut last = None;
    for size in halves {
        let mut changed = *job;
        changed.plan.micro_batch = size;
        let change =
            is_allowed(job, &changed).then(|| FieldChange::of(predictor, &changed, &["mb"])).flatten();
        last = change.or(last);
        if last.as_ref().is_some_and(FieldChange::is_enough) {
            break;
        }
    }
    last
}

/// Savings that do not change what training gives, one after the other until the job is likely to fit; nothing if it never is.
fn together(predictor: &Predictor<'_>, job: &Scenario) -> Option<FieldChange> {
    let mut changed = *job;
    let mut keys: Vec<&'static str> = Vec::new();
    let first = OF_JOB.iter().take(1).chain(&OF_LAYOUT);
    for saving in first.chain(OF_JOB.iter().skip(1)).filter(|saving| !saving.changes_results) {
        let before = report(&changed);
        if before.is_likely() {
            break;
        }
        let less =
            |next: &Scenario| is_allowed(&changed, next) && report(next).wanted_gib < before.wanted_gib;
        if let Some(next) = saving.of(&changed).filter(less) {
            keys.extend(saving.keys(&changed, &next));
            changed = next;
        }
    }
    if let Some(change) = smaller_micro_batch(predictor, &changed).filter(|_| !report(&changed).is_likely()) {
        changed = with(&changed, change.fields)?;
        keys.push("mb");
    }
    let mut keys = sorted(&keys, Ord::cmp);
    keys.dedup();
    FieldChange::of(predictor, &changed, &keys).filter(|change| keys.len() > 1 && change.is_enough())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn savings(link: &str) -> (Scenario, Vec<FieldChange>) {
        let job = Document::from_link(link).expect("a link").document.scenario().expect("possible");
        (job, memory_savings(&Predictor::SHIPPED, &job))
    }

    fn first(link: &str) -> Vec<(&'static str, String)> {
        savings(link).1.into_iter().next().map_or(Vec::new(), |change| change.fields)
    }

    const EIGHT_BILLION: &str = "#2;m=llama3-8b;g=dgx-h100;n=8;seq=8192;gb=64;tp=1;pp=1";

    /// Every change has the effect that it states, what is enough comes first, and nothing that the job has is suggested.
    #[test]
    fn changes_do_what_they_state() {
        for link in [
            format!("{EIGHT_BILLION};stack=torchtitan;zero=3;mb=4;rc=none"),
            format!("{EIGHT_BILLION};stack=eager;zero=0;mb=1;rc=none"),
            format!("{EIGHT_BILLION};stack=nemo;zero=1;mb=8;rc=none"),
            "#2;m=llama3-70b;g=rtxa6000;n=2;seq=4096;gb=16;stack=eager;tp=1;pp=1;zero=3;mb=1;rc=none"
                .to_owned(),
        ] {
            let (job, changes) = savings(&link);
            let before = report(&job);
            assert!(!before.is_likely() && !changes.is_empty(), "{link}");
            for change in &changes {
                let changed = with(&job, change.fields.clone()).expect("fields");
                let after = report(&changed);
                assert!(changed != job && changed.validate().is_ok(), "{change:?}");
                assert_eq!((after.fits, after.fit_probability), (change.fits, change.fit_probability));
                assert!(after.wanted_gib < before.wanted_gib && after.peak_gib == change.peak.gib());
            }
            assert!(changes.iter().map(FieldChange::is_enough).is_sorted_by(|one, other| one >= other));
        }
    }

    /// Full recomputation is what NVIDIA's and torchtitan's guides turn to for long sequences, QLoRA what fits a 70B model on two
    /// cards of 48 GB (Answer.AI, FSDP and QLoRA, March 2024).
    #[test]
    fn what_is_known_to_fit_is_found() {
        let (_, changes) = savings(
            "#2;m=llama3-70b;g=rtxa6000;n=2;seq=2048;gb=16;stack=eager;tp=1;pp=1;zero=3;mb=1;rc=full;attn=fa2;loss=linear",
        );
        let enough: Vec<_> = changes.iter().filter(|change| change.is_enough()).collect();
        assert!(
            enough.iter().any(|change| change.fields.iter().any(|(key, _)| *key == "base")),
            "{changes:?}"
        );
        assert!(
            first(&format!("{EIGHT_BILLION};stack=megatron-lm;year=2025;zero=0;mb=1;rc=full"))
                .contains(&("zero", "1".to_owned()))
        );
    }
}
