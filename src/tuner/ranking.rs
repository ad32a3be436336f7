//! What a search tells: its rows as layouts with all that a table shows of them.

use super::search::{COMFORTABLE, Counts, Options, Search};
use super::top::Row;
use crate::forecast::Estimate;
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
    /// Exposed communication (tensor, context, pipeline, data) as a share of the step, 0 to 1.
    pub communication_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1.
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
        Ranking { rows, unfit, front, counts: self.counts() }
    }

    fn candidate(&mut self, row: &Row) -> Option<Candidate> {
        let plan = self.space().at(row.index)?;
        let scenario = Scenario { plan, ..*self.space().job() };
        let estimate = self.estimator().estimate(&plan);
        Some(Candidate { number: row.index, ..Candidate::new(&scenario, &estimate) })
    }
}

impl Ranking {
    /// The rows of two searches over parts of a space as one: no more than each of them keeps. Fronts are not joined.
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
        Self { counts: self.counts.and(other.counts), ..self }
    }

    /// The fastest layout that leaves so much of the memory free; the fastest that fits where none does.
    pub fn first(&self, margin: f64) -> Option<&Candidate> {
        self.rows.iter().find(|row| row.room >= margin).or(self.rows.first())
    }
}

/// Two lists in one order as one, those of the first before equal ones of the second.
fn merged(
    one: Vec<Candidate>,
    two: Vec<Candidate>,
    in_order: fn(&Candidate, &Candidate) -> bool,
) -> Vec<Candidate> {
    let mut all = Vec::with_capacity(one.len() + two.len());
    let (mut one, mut two) = (one.into_iter().peekable(), two.into_iter().peekable());
    loop {
        let first = match (one.peek(), two.peek()) {
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
        let usable = memory::usable(scenario);
        Self {
            plan: scenario.plan,
            number: 0,
            data_parallel: scenario.data_parallel(),
            micro_batches: scenario.micro_batches(),
            step: estimate.step,
            mfu: estimate.mfu,
            tokens_per_s_per_gpu: estimate.tokens_per_s_per_gpu,
            communication_share: share(communication),
            bubble_share: share(parts.bubble),
            peak_memory: estimate.peak_memory,
            room: 1.0 - estimate.peak_memory / usable,
            fits: estimate.fits,
        }
    }

    /// Whether it fits and leaves so much of the memory free.
    pub fn is_comfortable(&self, margin: f64) -> bool {
        self.fits && self.room >= margin
    }
}
