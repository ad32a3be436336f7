//! Why one layout is faster than another, and what would change the answer.

use super::axes::FreeAxes;
use super::margin::Margin;
use super::ranking::Candidate;
use super::search::Options;
use super::space::Space;
use crate::error::FieldError;
use crate::fields::{Field, FieldKind, Value};
use crate::forecast::{Prediction, Predictor};
use crate::scenario::Scenario;
use crate::units::{Bytes, Seconds};
use serde::Serialize;

/// One part of the step in two layouts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StepPart {
    /// Key of the part, as in [`crate::forecast::Breakdown::parts`].
    pub key: &'static str,
    /// Display name of the part.
    pub label: &'static str,
    /// In the one layout.
    #[serde(rename = "one_s")]
    pub one: Seconds,
    /// In the other.
    #[serde(rename = "other_s")]
    pub other: Seconds,
}

impl StepPart {
    /// What the other takes longer, seconds.
    pub fn difference(&self) -> f64 {
        self.other.0 - self.one.0
    }
}

/// Two layouts, part by part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayoutComparison {
    /// Steps of the two.
    #[serde(rename = "steps_s")]
    pub steps: [Seconds; 2],
    /// Peak memory of the two, GiB.
    pub peak_gib: [f64; 2],
    /// Every part in which they differ, the greatest difference first; the differences sum to that of the steps.
    pub terms: Vec<StepPart>,
    /// Fields of the layout in which they differ, and their values.
    pub fields: Vec<(&'static str, String, String)>,
}

impl LayoutComparison {
    /// How many times as long the other takes.
    pub fn ratio(&self) -> f64 {
        self.steps[1] / self.steps[0]
    }
}

/// Share of a step below which a difference is of rounding.
const NOTHING: f64 = 1e-12;

/// Compares two jobs part by part.
///
/// # Errors
/// What makes either impossible.
pub fn compare(
    predictor: &Predictor<'_>,
    one: &Scenario,
    other: &Scenario,
) -> Result<LayoutComparison, Vec<FieldError>> {
    let both: [Prediction; 2] = [predictor.predict(one)?, predictor.predict(other)?];
    let [first, second] = &both;
    let parts = first.breakdown.parts().into_iter().zip(second.breakdown.parts());
    let mut terms: Vec<StepPart> = parts
        .map(|((key, label, one), (_, _, other))| StepPart { key, label, one, other })
        .filter(|term| term.difference().abs() > NOTHING * first.step.0)
        .collect();
    terms.sort_by(|a, b| b.difference().abs().total_cmp(&a.difference().abs()));
    let differs = |field: &&Field| (field.get)(one) != (field.get)(other);
    let fields = crate::fields::FIELDS.iter().filter(differs);
    Ok(LayoutComparison {
        steps: [first.step, second.step],
        peak_gib: [first.memory.peak_gib, second.memory.peak_gib],
        terms,
        fields: fields.map(|field| (field.key, field.canonical(one), field.canonical(other))).collect(),
    })
}

/// Share by which the fronts vary quantities of the machine.
pub const VARIED: f64 = 0.2;

/// Memory that the fronts add to every GPU, GiB.
pub const MORE_MEMORY: [f64; 3] = [4.0, 16.0, 64.0];

/// What the answer is if one quantity of the machine is another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Influence {
    /// Key of the field.
    pub key: &'static str,
    /// Name of the field for people.
    pub label: &'static str,
    /// With less and with more of it: the step of the layout that wins now, and who wins then.
    pub changed: [Changed; 2],
}

/// The answer with less or more of one quantity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Changed {
    /// Step of the layout that wins now.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// Step of the layout that wins then.
    #[serde(rename = "best_s")]
    pub best: Seconds,
    /// The layout that wins then, as a place among the rows.
    pub winner: usize,
}

impl Influence {
    /// How far apart the steps of the present winner are, as a share of the lesser.
    pub fn swing(&self) -> f64 {
        let [less, more] = self.changed.map(|changed| changed.step.0);
        (less - more).abs() / less.min(more).max(f64::MIN_POSITIVE)
    }
}

/// Quantities of a machine that an answer may hang on.
const QUANTITIES: [&str; 8] = ["bf16", "fp8", "fp4", "hbm", "link", "nic", "nics", "host"];

/// What `share` less and more of each quantity of the machine does to the step of the first of some layouts, and which of
/// them is then the fastest: the widest swing first.
pub fn influences(
    predictor: &Predictor<'_>,
    job: &Scenario,
    rows: &[Candidate],
    share: f64,
) -> Vec<Influence> {
    let of = |key: &'static str| {
        let field = Field::find(key)?;
        let changed = |factor: f64| {
            let job = scaled(job, field, factor)?;
            let mut estimator = predictor.estimator(&job);
            let steps = rows.iter().map(|row| estimator.estimate(&row.plan).step);
            let mut found: Option<Changed> = None;
            for (place, step) in steps.enumerate() {
                let known = found.unwrap_or(Changed { step, best: step, winner: place });
                found = Some(if step < known.best {
                    Changed { best: step, winner: place, ..known }
                } else {
                    known
                });
            }
            found
        };
        let changed = [changed(1.0 - share)?, changed(1.0 + share)?];
        Some(Influence { key: field.key, label: field.label, changed })
    };
    let mut all: Vec<Influence> = QUANTITIES.into_iter().filter_map(of).collect();
    all.retain(|influence| influence.swing() > 0.0);
    all.sort_by(|a, b| b.swing().total_cmp(&a.swing()));
    all
}

/// The job with more or less of something of its machine; nothing where that cannot be.
fn scaled(job: &Scenario, field: &Field, factor: f64) -> Option<Scenario> {
    let value = match ((field.get)(job), field.kind) {
        (Value::Number(number), FieldKind::Quantity { .. }) if number > 0.0 => Value::Number(number * factor),
        (Value::Integer(number), FieldKind::Integer { .. }) => {
            // A NIC more or less.
            let changed = if factor < 1.0 { number.checked_sub(1)? } else { number.checked_add(1)? };
            Value::Integer(changed)
        }
        _ => return None,
    };
    let mut changed = *job;
    (field.set)(&mut changed, value);
    (field.holds(value) && changed.validate().is_ok()).then_some(changed)
}

/// What more memory would be worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MemoryWorth {
    /// More memory of every GPU, GiB.
    pub gib: f64,
    /// Step of the fastest layout that then fits with the margin.
    #[serde(rename = "step_s")]
    pub step: Seconds,
}

/// The step of the fastest comfortable layout with so much more memory, for each of some amounts in GiB; nothing where no
/// layout fits.
pub fn worth_of_memory(
    predictor: &Predictor<'_>,
    job: &Scenario,
    free: FreeAxes,
    margin: Margin,
    amounts: &[f64],
) -> Vec<MemoryWorth> {
    let with = |gib: f64| {
        let mut job = *job;
        job.cluster.gpu.memory = Bytes(job.cluster.gpu.memory.0 + Bytes::from_gib(gib).0);
        let options = Options { top: 1, unfit: 0, margin, ..Options::default() };
        let mut search = predictor.search(Space::new(&job, free), options);
        search.finish();
        let first = search.comfortable().first().or(search.best().first()).map(|row| row.step)?;
        Some(MemoryWorth { gib, step: Seconds(first) })
    };
    amounts.iter().filter_map(|gib| with(*gib)).collect()
}
