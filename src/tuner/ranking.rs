//! What a search tells: its rows as layouts with all that a table shows of them.

use super::histogram::Histogram;
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
    /// Tokens per second and GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Exposed communication (tensor, context, pipeline, data) as a share of the step, 0 to 1; not a number while it is
    /// not worked out ([`Search::outlined`]).
    pub communication_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1, or not a number, too.
    pub bubble_share: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// Share of the memory that a job may take which it leaves free, below 0 where it does not fit.
    pub room: f64,
    /// Whether it fits in the GPU's memory.
    pub fits: bool,
}

/// The rows of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// Layouts that fit, the fastest first; equal ones by their number. The fastest of all, and of the comfortable ones.
    pub rows: Vec<Candidate>,
    /// Layouts that do not fit, the one that lacks least first.
    pub unfit: Vec<Candidate>,
    /// Layouts that none beats in both time and memory, by growing peak, where they were asked for.
    pub front: Vec<Candidate>,
    /// How many layouts were looked at.
    pub counts: Counts,
    /// How long the steps of all that fit take.
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

    /// A row with all that there is to say of it.
    pub fn candidate(&mut self, row: &LayoutRow) -> Option<Candidate> {
        let plan = self.space().at(row.index)?;
        let scenario = Scenario { plan, ..*self.space().job() };
        let estimate = self.estimator().estimate(&plan);
        let candidate = Candidate { number: row.index, ..Candidate::new(&scenario, &estimate) };
        // The search's own sum, so that a row and its outline are in one place.
        let step = if row.step.is_finite() { Seconds(row.step) } else { candidate.step };
        Some(Candidate { step, ..candidate })
    }

    /// A row with what the search knows of it: all but what its step is spent on, which takes as long as another step.
    pub fn outlined(&self, row: &LayoutRow) -> Option<Candidate> {
        self.space().candidate(row, f64::NAN, f64::NAN)
    }
}

impl Space {
    /// The layout of a row, with the shares of its step that are exposed communication and bubble.
    pub fn candidate(
        &self,
        row: &LayoutRow,
        communication_share: f64,
        bubble_share: f64,
    ) -> Option<Candidate> {
        let scenario = Scenario { plan: self.at(row.index)?, ..*self.job() };
        let outline = Candidate::outline(&scenario, Seconds(row.step), Bytes(row.peak));
        Some(Candidate { number: row.index, communication_share, bubble_share, ..outline })
    }
}

impl Ranking {
    /// The rows of two searches over parts of a space as one: no more than each of them keeps, and a layout that both have
    /// once. Fronts are not joined.
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

    /// A step that as many comfortable layouts as are kept besides the others do not exceed, seconds; infinite while
    /// fewer are known.
    pub fn comfortable_threshold(&self, margin: f64) -> f64 {
        let mut comfortable = self.rows.iter().filter(|row| row.is_comfortable(margin));
        comfortable.nth(COMFORTABLE - 1).map_or(f64::INFINITY, |row| row.step.0)
    }

    /// The fastest layout that leaves so much of the memory free; the fastest that fits where none does.
    pub fn first(&self, margin: f64) -> Option<&Candidate> {
        first(&self.rows, margin)
    }
}

/// The fastest of some rows, the fastest first, that leaves so much of the memory free; the fastest that fits where none
/// does.
pub fn first(rows: &[Candidate], margin: f64) -> Option<&Candidate> {
    let comfortable = rows.iter().find(|row| row.is_comfortable(margin));
    comfortable.or(rows.iter().find(|row| row.fits))
}

/// Two lists in one order as one, those of the first before equal ones of the second. Of a layout that is in both, only the
/// candidate that knows more.
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
    /// A scenario's layout with what is estimated of it.
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
            ..Self::outline(scenario, estimate.step, estimate.peak_memory)
        }
    }

    /// A scenario's layout with its step and peak; what the step is spent on is not worked out.
    fn outline(scenario: &Scenario, step: Seconds, peak_memory: Bytes) -> Self {
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
            room: 1.0 - peak_memory / memory::usable(scenario),
            fits: memory::fits(scenario, peak_memory),
        }
    }

    /// Whether it fits and leaves so much of the memory free.
    pub fn is_comfortable(&self, margin: f64) -> bool {
        self.fits && self.room >= margin
    }
}
