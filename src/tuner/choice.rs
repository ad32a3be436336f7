//! Which of the fastest layouts to take: the simplest of those that are as good as the best.

use super::ranking::{Candidate, Ranking};
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};
use std::collections::BTreeMap;

/// How much there is to a layout beyond the plain: less is simpler, and of two layouts that are as good the simpler one is
/// the better choice. In this order: a schedule that few frameworks have; sequences split; experts split; what moves to
/// the host; uneven stages; virtual stages; sharded gradients or parameters; recompute.
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
        plan.context_parallel,
        plan.expert_tensor_parallel,
        plan.offload_activations + 100 * u32::from(plan.offload_optimizer),
        split,
        plan.virtual_stages,
        sharding,
        recompute,
    ]
}

/// What a simpler layout may be slower by and still be preferred, a share of the step. A preference, not a measurement:
/// what a practitioner gives up for a layout with fewer virtual stages or without another way of splitting.
pub const CONVENIENCE: f64 = 0.02;

/// Whether two layouts of one job are one layout in variants: they differ in nothing but virtual stages, the split of the
/// layers and which states are sharded short of parameters, and come out no further apart than [`CONVENIENCE`].
pub fn are_alike(one: &Candidate, other: &Candidate) -> bool {
    let plain = |plan: &Plan| {
        let zero = if plan.zero.shards_parameters() { plan.zero } else { Zero::Optimizer };
        let virtual_stages = if plan.schedule.row().interleaves() { 1 } else { plan.virtual_stages };
        Plan { virtual_stages, stage_split: StageSplit::Even, zero, ..*plan }
    };
    (one.step / other.step).ln().abs() <= CONVENIENCE.ln_1p() && plain(&one.plan) == plain(&other.plan)
}

/// A layout in its variants, the simplest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// Place of the simplest among the rows.
    pub first: usize,
    /// Places of the others.
    pub others: Vec<usize>,
}

/// Rows in their order, variants of one layout under the simplest of those that are as good as the fastest of them.
pub fn families(rows: &[Candidate]) -> Vec<Family> {
    let mut families: Vec<Vec<usize>> = Vec::new();
    let mut known: BTreeMap<[u64; 4], Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let alike = known.entry(outline(&row.plan)).or_default();
        let fastest = |family: &usize| families.get(*family).and_then(|places| rows.get(*places.first()?));
        let found =
            alike.iter().copied().find(|family| fastest(family).is_some_and(|one| are_alike(one, row)));
        if let Some(family) = found.and_then(|family| families.get_mut(family)) {
            family.push(place);
        } else {
            alike.push(families.len());
            families.push(vec![place]);
        }
    }
    let simplest_first = |mut places: Vec<usize>| {
        places.sort_by_key(|place| rows.get(*place).map(|row| complexity(&row.plan)));
        let mut places = places.into_iter();
        Some(Family { first: places.next()?, others: places.collect() })
    };
    families.into_iter().filter_map(simplest_first).collect()
}

/// Degrees and micro-batch, by which layouts that may be alike are found.
fn outline(plan: &Plan) -> [u64; 4] {
    let pair = |one: u32, other: u32| u64::from(one) << 32 | u64::from(other);
    [
        pair(plan.tensor_parallel, plan.context_parallel),
        pair(plan.pipeline_parallel, plan.micro_batch),
        pair(plan.expert_parallel, plan.expert_tensor_parallel),
        pair(plan.schedule as u32, u32::from(plan.sequence_parallel)),
    ]
}

/// The layout to take of some rows, the fastest first: of those that leave `margin` of the memory free; where none does, of
/// those that fit. A schedule that few frameworks have must win by more than `tie`, a share of the step; and of the layouts
/// that are slower than the fastest left by no more than [`CONVENIENCE`], it is the simplest.
pub fn recommended(rows: &[Candidate], margin: f64, tie: f64) -> Option<&Candidate> {
    let comfortable = rows.iter().any(|row| row.is_comfortable(margin));
    let eligible = |row: &&Candidate| row.fits && (!comfortable || row.is_comfortable(margin));
    let usual = |row: &&Candidate| row.plan.schedule == Schedule::OneForwardOneBackward;
    let best = rows.iter().find(eligible)?;
    let plain = rows.iter().filter(eligible).find(usual);
    let best = plain.filter(|plain| plain.step.0 <= best.step.0 * (1.0 + tie)).unwrap_or(best);
    let slowest = best.step.0 * (1.0 + CONVENIENCE);
    let near = rows.iter().filter(eligible).filter(|row| row.step.0 <= slowest);
    near.min_by(|one, other| {
        complexity(&one.plan).cmp(&complexity(&other.plan)).then(one.step.0.total_cmp(&other.step.0))
    })
}

impl Ranking {
    /// The layout to take: see [`recommended`].
    pub fn recommended(&self, margin: f64, tie: f64) -> Option<&Candidate> {
        recommended(&self.rows, margin, tie)
    }
}
