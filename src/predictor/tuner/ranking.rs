//! Results of a search: its rows as layouts with the values that a table shows.

use super::histogram::Histogram;
use super::margin::Margin;
use super::search::{COMFORTABLE, Counts, Options, Search};
use super::space::Space;
use super::top::LayoutRow;
use crate::forecast::{Estimate, mfu, tokens_per_s_per_gpu};
use crate::memory;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};

/// One forecast layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The layout.
    pub plan: Plan,
    /// Number of the layout in its space.
    pub number: usize,
    /// Data-parallel degree.
    pub data_parallel: u32,
    /// Micro-batches per replica.
    pub micro_batches: u32,
    /// Time of one step.
    pub step: Seconds,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second per GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Exposed communication (tensor, context, pipeline, data) as a share of the step, 0 to 1; NaN if not computed
    /// ([`Search::outlined`]).
    pub communication_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1; NaN if not computed.
    pub bubble_share: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// What the allocator would reserve for it of a device without end.
    pub reserved_memory: Bytes,
    /// Probability that it runs within the usable memory, 0 to 1.
    pub fit_probability: f64,
    /// Memory headroom as a share of usable memory; negative if it does not fit.
    pub room: f64,
    /// Whether it fits in the GPU's memory.
    pub fits: bool,
}

/// The rows of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// Layouts that fit, fastest first; equal ones by number. Contains the fastest overall and the fastest comfortable
    /// ones.
    pub rows: Vec<Candidate>,
    /// Layouts that do not fit, closest to fitting first.
    pub unfit: Vec<Candidate>,
    /// Pareto-optimal layouts in time and memory, by growing peak, if requested.
    pub front: Vec<Candidate>,
    /// Numbers of layouts examined.
    pub counts: Counts,
    /// Distribution of the steps of all that fit.
    pub histogram: Histogram,
}

impl Search<'_> {
    /// The rows so far.
    pub fn ranking(&mut self) -> Ranking {
        let (best, mut more, unfit) = (self.best(), self.comfortable(), self.unfit());
        if let Some(last) = best.last() {
            more.retain(|row| (row.step, row.index) > (last.step, last.index));
        }
        let rows = best.iter().chain(&more).filter_map(|row| self.candidate(row)).collect();
        let unfit = unfit.iter().filter_map(|row| self.candidate(row)).collect();
        let front = self.front().iter().filter_map(|row| self.candidate(row)).collect();
        Ranking { rows, unfit, front, counts: self.counts(), histogram: self.histogram().clone() }
    }

    /// A row with all its values.
    pub fn candidate(&mut self, row: &LayoutRow) -> Option<Candidate> {
        let plan = self.space().at(row.index)?;
        let scenario = Scenario { plan, ..*self.space().job() };
        let estimate = self.estimator().estimate(&plan);
        let candidate = Candidate { number: row.index, ..Candidate::new(&scenario, &estimate) };
        // The search's own sum, so that a row and its outline sort equally.
        let step = if row.step.is_finite() { Seconds(row.step) } else { candidate.step };
        Some(Candidate { step, ..candidate })
    }

    /// A row with the values known to the search: all but its breakdown, which costs as much as another step.
    pub fn outlined(&self, row: &LayoutRow) -> Option<Candidate> {
        self.space().candidate(row, f64::NAN, f64::NAN)
    }
}

impl Space {
    /// The layout of a row, with its exposed communication and bubble as shares of the step.
    pub fn candidate(
        &self,
        row: &LayoutRow,
        communication_share: f64,
        bubble_share: f64,
    ) -> Option<Candidate> {
        let scenario = Scenario { plan: self.at(row.index)?, ..*self.job() };
        let outline = Candidate::outline(&scenario, Seconds(row.step), [row.peak, row.reserved].map(Bytes));
        Some(Candidate { number: row.index, communication_share, bubble_share, ..outline })
    }
}

impl Ranking {
    /// Merges the rows of two searches over parts of a space: at most as many as each keeps, without duplicates. Fronts
    /// are not merged.
    #[must_use]
    pub fn and(mut self, other: Self, options: &Options) -> Self {
        self.rows =
            merged(self.rows, other.rows, |one, two| (one.step.0, one.number) <= (two.step.0, two.number));
        let (mut place, mut comfortable) = (0, 0);
        self.rows.retain(|row| {
            let counts = row.is_comfortable(options.margin);
            let kept = place < options.top || counts && comfortable < COMFORTABLE;
            place += 1;
            comfortable += usize::from(counts);
            kept
        });
        self.unfit =
            merged(self.unfit, other.unfit, |one, two| (-one.room, one.number) <= (-two.room, two.number));
        self.unfit.truncate(options.unfit);
        let histogram = self.histogram.and(&other.histogram);
        Self { counts: self.counts.and(other.counts), histogram, ..self }
    }

    /// A step that the kept comfortable layouts do not exceed, seconds; infinite while there are fewer of them.
    pub fn comfortable_threshold(&self, margin: Margin) -> f64 {
        let mut comfortable = self.rows.iter().filter(|row| row.is_comfortable(margin));
        comfortable.nth(COMFORTABLE - 1).map_or(f64::INFINITY, |row| row.step.0)
    }

    /// The fastest layout that leaves this margin of the memory free; else the fastest that fits.
    pub fn first(&self, margin: Margin) -> Option<&Candidate> {
        first(&self.rows, margin)
    }
}

/// The fastest row that leaves this margin of the memory free; else the fastest that fits. Expects rows in order, fastest
/// first.
pub fn first(rows: &[Candidate], margin: Margin) -> Option<&Candidate> {
    let comfortable = rows.iter().find(|row| row.is_comfortable(margin));
    comfortable.or(rows.iter().find(|row| row.fits))
}

/// Merges two ordered lists; at equal order, the first list's come first. Of a layout in both, only the more complete
/// candidate is kept.
fn merged(
    one: Vec<Candidate>,
    two: Vec<Candidate>,
    in_order: fn(&Candidate, &Candidate) -> bool,
) -> Vec<Candidate> {
    let mut all = Vec::with_capacity(one.len() + two.len());
    let (mut one, mut two) = (one.into_iter().peekable(), two.into_iter().peekable());
    loop {
        let first = match (one.peek(), two.peek()) {
            (Some(a), Some(b)) if a.number == b.number => {
                let known = !a.bubble_share.is_nan();
                let both = (one.next(), two.next());
                all.extend(if known { both.0 } else { both.1 });
                continue;
            }
            (Some(a), Some(b)) => in_order(a, b),
            (None, None) => return all,
            (first, _) => first.is_some(),
        };
        all.extend(if first { one.next() } else { two.next() });
    }
}

impl Candidate {
    /// A scenario's layout with its estimate.
    pub fn new(scenario: &Scenario, estimate: &Estimate) -> Self {
        let parts = estimate.breakdown;
        let communication = parts.tensor_communication
            + parts.context_communication
            + parts.expert_communication
            + parts.pipeline_communication
            + parts.data_communication;
        let share = |part: Seconds| if estimate.step.0 > 0.0 { part / estimate.step } else { 0.0 };
        Self {
            communication_share: share(communication),
            bubble_share: share(parts.bubble),
            ..Self::outline(scenario, estimate.step, [estimate.peak_memory, estimate.reserved_memory])
        }
    }

    /// A scenario's layout with its step, and what is allocated and reserved at its peak, without a breakdown.
    fn outline(scenario: &Scenario, step: Seconds, [peak_memory, reserved_memory]: [Bytes; 2]) -> Self {
        Self {
            plan: scenario.plan,
            number: 0,
            data_parallel: scenario.data_parallel(),
            micro_batches: scenario.micro_batches(),
            step,
            mfu: mfu(scenario, step.0),
            tokens_per_s_per_gpu: tokens_per_s_per_gpu(scenario, step.0),
            communication_share: f64::NAN,
            bubble_share: f64::NAN,
            peak_memory,
            reserved_memory,
            fit_probability: memory::fit_probability(scenario, reserved_memory),
            room: 1.0 - peak_memory / memory::usable(scenario),
            fits: memory::fits(scenario, peak_memory),
        }
    }

    /// Headroom below the usable memory, which depends on the layout's groups; negative if it does not fit.
    pub fn free(&self) -> Bytes {
        // peak = usable (1 - room)
        Bytes(self.peak_memory.0 * self.room / (1.0 - self.room))
    }

    /// Whether it fits and leaves this margin of the memory free.
    pub fn is_comfortable(&self, margin: Margin) -> bool {
        self.fits && margin.is_left(self.room, self.fit_probability)
    }
}
