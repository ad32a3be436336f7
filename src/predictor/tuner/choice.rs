//! Which of the fastest layouts to recommend: the simplest that is as good as the best.

use super::margin::Margin;
use super::ranking::Candidate;
use crate::forecast::Predictor;
use crate::order::sorted;
use crate::scenario::Scenario;
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};

/// Complexity of a layout: of two layouts that are equally good, the simpler one is preferred. In order: uncommon
/// schedules; split sequences, into any number of parts; split experts; offloading; uneven stages; virtual stages;
/// sharded gradients or parameters; recompute.
pub fn complexity(plan: &Plan) -> [u32; 8] {
    let schedule = if plan.schedule == Schedule::OneForwardOneBackward { 0 } else { 1 };
    let recompute = match plan.recompute {
        Recompute::None => 0,
        Recompute::Selective => 1,
        Recompute::Modules(_) => 2,
        Recompute::Full => 3,
        Recompute::Every(_) => 4,
    };
    let sharding = match plan.zero {
        Zero::None | Zero::Optimizer => 0,
        Zero::Parameters => 1,
        Zero::Gradients => 2,
        Zero::Hybrid => 3,
    };
    let split = match plan.stage_split {
        StageSplit::Even => 0,
        StageSplit::CountEnds => 1,
        StageSplit::Given(_) => 2,
    };
    [
        schedule,
        u32::from(plan.context_parallel > 1),
        plan.expert_tensor_parallel,
        plan.offload_activations
            + 100 * u32::from(plan.offload_optimizer)
            + 200 * u32::from(plan.offload_parameters),
        split,
        plan.virtual_stages,
        sharding,
        recompute,
    ]
}

/// How much slower a simpler layout may be and still be preferred, as a share of the step. A preference, not a
/// measurement: what a practitioner gives up for fewer virtual stages or one kind of parallelism less.
pub const CONVENIENCE: f64 = 0.02;

/// Relative rounding difference of two equal steps.
const SAME: f64 = 1e-6;

/// Whether two layouts of one job are variants of one layout: they differ only in virtual stages, the split of layers
/// and the sharding of states other than parameters; their steps differ by at most [`CONVENIENCE`]; and both leave
/// `margin` of the memory free, or both fit without it, or neither fits.
pub fn are_alike(one: &Candidate, other: &Candidate, margin: Margin) -> bool {
    let plain = |plan: &Plan| {
        let zero = if plan.zero.shards_parameters() { plan.zero } else { Zero::Optimizer };
        let virtual_stages = if plan.schedule.row().interleaves() { 1 } else { plan.virtual_stages };
        Plan { virtual_stages, stage_split: StageSplit::Even, zero, ..*plan }
    };
    let [slower, faster] = if one.step < other.step { [other, one] } else { [one, other] };
    slower.step.0 <= faster.step.0 * (1.0 + CONVENIENCE)
        && one.fits == other.fits
        && one.is_comfortable(margin) == other.is_comfortable(margin)
        && plain(&one.plan) == plain(&other.plan)
}

/// A layout with its variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutFamily {
    /// Place of the representative: the first, or the simplest that takes as long.
    pub first: usize,
    /// Places of the others, in their order.
    pub others: Vec<usize>,
}

/// Groups rows into layouts with variants, in row order. `margin` is the share of memory to leave free.
pub fn families<'r>(rows: impl IntoIterator<Item = &'r Candidate>, margin: Margin) -> Vec<LayoutFamily> {
    let rows: Vec<&Candidate> = rows.into_iter().collect();
    let mut known = Known::new(rows.len());
    let mut families: Vec<LayoutFamily> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let outline = outline(&row.plan);
        let first = |family: usize| rows.get(families.get(family)?.first);
        let is_of = |family: usize| first(family).is_some_and(|one| are_alike(one, row, margin));
        match known.find(outline, is_of).and_then(|family| families.get_mut(family)) {
            Some(family) => family.others.push(place),
            None => {
                known.add(outline);
                families.push(LayoutFamily { first: place, others: Vec::new() });
            }
        }
    }
    for family in families.iter_mut().filter(|family| !family.others.is_empty()) {
        family.lead_with_the_simplest(&rows);
    }
    families
}

impl LayoutFamily {
    /// Puts the simplest of those that take as long as the first before the others; of layouts that do not fit none that
    /// lacks more.
    fn lead_with_the_simplest(&mut self, rows: &[&Candidate]) {
        let Some(first) = rows.get(self.first) else { return };
        let as_good = |row: &&Candidate| {
            (row.step.0 - first.step.0).abs() <= SAME * first.step.0 && (row.fits || row.room >= first.room)
        };
        let as_long = |place: &&mut usize| rows.get(**place).is_some_and(as_good);
        let simplicity = |place: usize| rows.get(place).map(|row| complexity(&row.plan));
        let simplest = self.others.iter_mut().filter(as_long).min_by_key(|place| simplicity(**place));
        if let Some(other) = simplest.filter(|place| simplicity(**place) < simplicity(self.first)) {
            core::mem::swap(other, &mut self.first);
            self.others = sorted(&self.others, Ord::cmp);
        }
    }
}

/// Index of families by common properties, so that a row is not compared with all others.
struct Known {
    /// The last family of each bucket, counted from 1; 0 where there is none.
    buckets: Vec<u32>,
    /// Common properties of each family, and the previous family in its bucket.
    families: Vec<(u64, u32)>,
}

impl Known {
    fn new(rows: usize) -> Self {
        Self { buckets: vec![0; (2 * rows).next_power_of_two()], families: Vec::new() }
    }

    fn bucket(&mut self, outline: u64) -> Option<&mut u32> {
        let place = (outline >> 32) as usize & (self.buckets.len() - 1);
        self.buckets.get_mut(place)
    }

    /// The last family with that outline for which `is_of` holds: with rows in step order, the nearest.
    fn find(&mut self, outline: u64, is_of: impl Fn(usize) -> bool) -> Option<usize> {
        let mut next = self.bucket(outline).map_or(0, |last| *last);
        while let Some(family) = (next as usize).checked_sub(1) {
            let (other, before) = *self.families.get(family)?;
            if other == outline && is_of(family) {
                return Some(family);
            }
            next = before;
        }
        None
    }

    /// Adds the next family.
    fn add(&mut self, outline: u64) {
        let number = self.families.len() as u32 + 1;
        let before = self.bucket(outline).map_or(0, |last| core::mem::replace(last, number));
        self.families.push((outline, before));
    }
}

/// A hash of what variants of a layout have in common.
fn outline(plan: &Plan) -> u64 {
    /// 2^64 over the golden ratio, whose products spread numbers over all bits (Knuth, TAOCP 3, section 6.4).
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let [.., recompute] = complexity(plan);
    let parts = [
        plan.tensor_parallel,
        plan.context_parallel,
        plan.pipeline_parallel,
        plan.micro_batch,
        plan.expert_parallel,
        plan.expert_tensor_parallel,
        plan.schedule as u32,
        8 * recompute + 2 * u32::from(plan.zero.shards_parameters()) + u32::from(plan.sequence_parallel),
    ];
    parts.into_iter().fold(0, |all: u64, part| (all.rotate_left(5) ^ u64::from(part)).wrapping_mul(SPREAD))
}

impl Predictor<'_> {
    /// Whether a layout is within model error of another that is forecast faster: half of the measured ratios of such
    /// pairs differ as much from their forecast.
    pub fn are_tied(&self, job: &Scenario, fastest: &Candidate, other: &Candidate) -> bool {
        let winner = Scenario { plan: fastest.plan, ..*job };
        let ratio = other.step / fastest.step;
        other.fits && self.lead_interval(&winner, &other.plan, ratio).half_low <= 1.0
    }

    /// The recommended layout of a job's rows, fastest first: among rows that leave `margin` of the memory free, or
    /// else rows that fit. An uncommon schedule must win by more than model error. Of the rest, the simplest within
    /// [`CONVENIENCE`] of the fastest. No layout among the rows is as fast, as small and as simple, and better in one
    /// of these.
    pub fn recommended<'r>(
        &self,
        job: &Scenario,
        rows: &'r [Candidate],
        margin: Margin,
    ) -> Option<&'r Candidate> {
        let comfortable = rows.iter().any(|row| row.is_comfortable(margin));
        let eligible = |row: &&Candidate| row.fits && (!comfortable || row.is_comfortable(margin));
        let usual = |row: &&Candidate| row.plan.schedule == Schedule::OneForwardOneBackward;
        let best = rows.iter().find(eligible)?;
        let plain = rows.iter().filter(eligible).find(usual);
        let best = plain.filter(|plain| self.are_tied(job, best, plain)).unwrap_or(best);
        simplest_near(best, rows.iter().filter(eligible))
    }
}

/// The simplest of a job's layouts within [`CONVENIENCE`] of a given one; of equally simple ones the fastest, then the
/// smallest.
pub(super) fn simplest_near<'r>(
    best: &Candidate,
    rows: impl Iterator<Item = &'r Candidate>,
) -> Option<&'r Candidate> {
    let slowest = best.step.0 * (1.0 + CONVENIENCE);
    rows.filter(|row| row.step.0 <= slowest).min_by(|one, other| {
        let faster = || one.step.0.total_cmp(&other.step.0);
        let smaller = || one.peak_memory.0.total_cmp(&other.peak_memory.0);
        complexity(&one.plan).cmp(&complexity(&other.plan)).then_with(faster).then_with(smaller)
    })
}
