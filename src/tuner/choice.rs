//! Which of the fastest layouts to take: the simplest of those that are as good as the best.

use super::ranking::{Candidate, Ranking};
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};

/// How much there is to a layout beyond the plain: less is simpler, and of two layouts that are as good the simpler one is
/// the better choice. In this order: a schedule that few frameworks have; sequences split; experts split; what moves to
/// the host; virtual stages; uneven stages; sharded gradients or parameters; recompute.
pub fn complexity(plan: &Plan) -> [u32; 8] {
    let schedule = if plan.schedule == Schedule::OneForwardOneBackward { 0 } else { 1 };
    let recompute = match plan.recompute {
        Recompute::None => 0,
        Recompute::Selective => 1,
        Recompute::Modules(_) => 2,
        Recompute::Full => 3,
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
        plan.virtual_stages,
        split,
        sharding,
        recompute,
    ]
}

/// Whether two layouts of one job come out alike: equal in step and peak to what rounding and an idle switch leave.
pub fn are_alike(one: &Candidate, other: &Candidate) -> bool {
    /// Share of the step.
    const STEP: f64 = 1e-6;
    /// Share of the peak.
    const PEAK: f64 = 1e-3;
    (one.step / other.step - 1.0).abs() <= STEP && (one.peak_memory / other.peak_memory - 1.0).abs() <= PEAK
}

/// A run of neighbouring rows that come out alike, the simplest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// Place of the simplest among the rows.
    pub first: usize,
    /// Places of the others.
    pub others: Vec<usize>,
}

/// Rows in their order, those that come out alike under the simplest of them.
pub fn families(rows: &[Candidate]) -> Vec<Family> {
    let mut families = Vec::new();
    let mut begin = 0;
    for run in rows.chunk_by(are_alike) {
        let mut places: Vec<usize> = (begin..begin + run.len()).collect();
        begin += run.len();
        places.sort_by_key(|place| rows.get(*place).map(|row| complexity(&row.plan)));
        let mut places = places.into_iter();
        if let Some(first) = places.next() {
            families.push(Family { first, others: places.collect() });
        }
    }
    families
}

impl Ranking {
    /// The layout to take: of those that leave `margin` of the memory free, the simplest that is slower than the fastest
    /// of them by no more than `tie`, a share of the step; the fastest of equally simple ones. Where none leaves so much
    /// free, the same of those that fit.
    pub fn recommended(&self, margin: f64, tie: f64) -> Option<&Candidate> {
        let comfortable = self.rows.iter().any(|row| row.is_comfortable(margin));
        let eligible = |row: &&Candidate| !comfortable || row.is_comfortable(margin);
        let best = self.rows.iter().find(eligible)?;
        let tied =
            self.rows.iter().filter(eligible).take_while(|row| row.step.0 <= best.step.0 * (1.0 + tie));
        tied.min_by(|one, other| {
            complexity(&one.plan).cmp(&complexity(&other.plan)).then(one.step.0.total_cmp(&other.step.0))
        })
    }
}
