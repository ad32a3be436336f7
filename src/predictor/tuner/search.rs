//! The search: every layout of a space, memory before time, bounds before schedules.
//!
//! A layout that does not fit costs only its memory check. One that fits is timed only if a lower bound of its step
//! does not rule it out. Prices are shared: a layer's time and activations are computed once for all layouts with the
//! same split.

use super::block::BlockScratch;
use super::front::Front;
use super::histogram::Histogram;
use super::margin::Margin;
use super::space::{MicroBatches, Space, SpaceCell};
use super::top::{LayoutRow, Top};
use crate::forecast::{Estimator, Predictor};
use crate::scenario::Scenario;
use crate::scenario::plan::{Recompute, Zero};
use core::cmp::Ordering;
use core::ops::Range;
use std::collections::BinaryHeap;

/// Options of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Number of fitting rows to keep.
    pub top: usize,
    /// Number of rows to keep that do not fit, closest to fitting first.
    pub unfit: usize,
    /// What a comfortable layout leaves free of the memory.
    pub margin: Margin,
    /// Whether bounds rule out layouts that cannot be among the rows; the rows are the same.
    pub bounded: bool,
    /// Whether to also keep the Pareto-optimal layouts in time and memory.
    pub pareto: bool,
}

/// Replays between two checks whether to continue.
const REPLAYS: usize = 256;
/// Blocks before the first replay of deferred layouts; the interval then doubles.
const FIRST_REPLAYS: usize = 32;

/// Comfortable rows to keep in addition, in case the fastest layouts all fill the memory.
pub(super) const COMFORTABLE: usize = 100;

impl Default for Options {
    fn default() -> Self {
        Self { top: 1000, unfit: 100, margin: Margin::default(), bounded: true, pareto: false }
    }
}

/// Numbers of layouts examined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Layouts.
    pub layouts: usize,
    /// Those that fit in memory.
    pub fitting: usize,
    /// Those that fit with the margin.
    pub comfortable: usize,
    /// Layouts with a computed step; the others are proven slower than the last row.
    pub timed: usize,
}

impl Counts {
    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            layouts: self.layouts + other.layouts,
            fitting: self.fitting + other.fitting,
            comfortable: self.comfortable + other.comfortable,
            timed: self.timed + other.timed,
        }
    }
}

/// Intermediate result of a search.
#[derive(Debug, Clone)]
pub(super) struct SearchFindings {
    pub(super) options: Options,
    pub(super) counts: Counts,
    best: Top,
    comfortable: Top,
    pub(super) unfit: Top,
    front: Front,
    histogram: Histogram,
    /// Layouts that need a replay.
    pub(super) pending: BinaryHeap<Pending>,
}

/// A layout that fits and waits for its replay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    /// Lower bound of its step, seconds.
    pub(super) bound: f64,
    pub(super) row: LayoutRow,
    pub(super) comfortable: bool,
    /// Schedule, stages, virtual stages and micro-batches: they determine the dependencies between passes.
    pub(super) pipeline: (u8, u32, u32, u32),
}

/// Reversed order, so that a heap yields the least bound first.
impl Ord for Pending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.row.index.cmp(&self.row.index))
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pending {}

impl SearchFindings {
    /// Whether a layout with at least this step is ruled out; if so, counts it as left out.
    pub(super) fn rules_out(&mut self, least: f64, peak: f64, comfortable: bool) -> bool {
        let ruled_out =
            least > self.threshold(comfortable) && (!self.options.pareto || self.front.beats(least, peak));
        if ruled_out {
            self.histogram.leave_out(least);
        }
        ruled_out
    }

    /// A step above which no row is kept.
    fn threshold(&self, comfortable: bool) -> f64 {
        let least = self.best.threshold();
        if comfortable { least.max(self.comfortable.threshold()) } else { least }
    }

    pub(super) fn offer(&mut self, row: LayoutRow, comfortable: bool) {
        self.histogram.time(row.step);
        self.best.offer(row.step, row);
        if comfortable {
            self.comfortable.offer(row.step, row);
        }
        if self.options.pareto {
            self.front.offer(row);
        }
    }
}

/// An incremental search over a space or a part of it.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    space: Space,
    /// Cell and variant of every block, the most promising first.
    blocks: Vec<(u32, u32)>,
    next: usize,
    end: usize,
    /// The block before which deferred layouts are replayed, and the number of blocks between replays.
    replays_at: usize,
    between: usize,
    found: SearchFindings,
    work: BlockScratch<'a>,
    estimator: Estimator<'a>,
}

impl<'a> Predictor<'a> {
    /// A search over a space.
    pub fn search(&self, space: Space, options: Options) -> Search<'a> {
        let found = SearchFindings {
            options,
            counts: Counts::default(),
            best: Top::new(options.top),
            comfortable: Top::new(COMFORTABLE),
            unfit: Top::new(options.unfit),
            front: Front::default(),
            histogram: Histogram::default(),
            pending: BinaryHeap::new(),
        };
        let mut estimator = self.estimator(space.job());
        let blocks = promising(&mut estimator, &space);
        let work = BlockScratch::new(*self, space.job());
        Search {
            end: blocks.len(),
            blocks,
            next: 0,
            replays_at: FIRST_REPLAYS,
            between: FIRST_REPLAYS,
            found,
            work,
            estimator,
            space,
        }
    }
}

impl<'a> Search<'a> {
    pub(super) fn estimator(&mut self) -> &mut Estimator<'a> {
        &mut self.estimator
    }

    /// The space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Number of blocks in the space.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Continues with these blocks. `threshold` is a step, seconds, that the kept number of layouts is known not to
    /// exceed; infinite if unknown.
    pub fn take_on(&mut self, blocks: Range<usize>, threshold: f64) {
        self.end = blocks.end.min(self.blocks.len());
        self.next = blocks.start.min(self.end);
        (self.replays_at, self.between) = (self.next + FIRST_REPLAYS, FIRST_REPLAYS);
        self.found.best.tell(threshold);
    }

    /// Announces that the kept number of layouts is known to take at most `threshold`, seconds, and the kept number of
    /// comfortable ones at most `comfortable`.
    pub fn know(&mut self, threshold: f64, comfortable: f64) {
        self.found.best.tell(threshold);
        self.found.comfortable.tell(comfortable);
    }

    /// Searches the next block, or replays some deferred layouts; returns whether anything was left.
    pub fn advance(&mut self) -> bool {
        let block = self.blocks.get(self.next..self.end).and_then(|left| left.first().copied());
        let Some((cell, variant)) = block else { return self.replay() };
        if self.next >= self.replays_at {
            // Rarely, and only the most promising: their times rule out more of the other blocks.
            self.replays_at = self.next + 2 * self.between;
            self.between *= 2;
            self.replay();
            return true;
        }
        self.next += 1;
        self.work.block(&self.space, cell, variant, &mut self.found);
        true
    }

    /// Replays some deferred layouts, those of one pipeline after the other.
    fn replay(&mut self) -> bool {
        let mut batch: Vec<Pending> = (0..REPLAYS).map_while(|_| self.found.pending.pop()).collect();
        // The least bound of the remaining layouts.
        let all_ruled_out =
            |next: &Pending| !self.found.options.pareto && next.bound > self.found.threshold(true);
        if batch.first().is_none_or(all_ruled_out) {
            let left = batch.into_iter().chain(self.found.pending.drain());
            left.for_each(|pending| self.found.histogram.leave_out(pending.bound));
            return false;
        }
        while let Some(pipeline) = batch.first().map(|first| first.pipeline) {
            let (alike, others) =
                batch.into_iter().partition(|pending: &Pending| pending.pipeline == pipeline);
            batch = others;
            self.replay_all(alike);
        }
        true
    }

    fn replay_all(&mut self, alike: Vec<Pending>) {
        for Pending { bound, row, comfortable, .. } in alike {
            if self.found.rules_out(bound, row.peak, comfortable) {
                continue;
            }
            if let Some(plan) = self.space.at(row.index) {
                self.found.counts.timed += 1;
                let step = self.work.step(&Scenario { plan, ..*self.space.job() });
                self.found.offer(LayoutRow { step, ..row }, comfortable);
            }
        }
    }

    /// Searches the rest.
    pub fn finish(&mut self) {
        while self.advance() {}
    }

    /// Numbers of layouts examined.
    pub fn counts(&self) -> Counts {
        self.found.counts
    }

    /// Distribution of the steps of all layouts that fit.
    pub fn histogram(&self) -> &Histogram {
        &self.found.histogram
    }

    /// The fastest layouts that fit, the fastest first.
    pub fn best(&self) -> Vec<LayoutRow> {
        self.found.best.sorted()
    }

    /// The fastest layouts that fit with the margin.
    pub fn comfortable(&self) -> Vec<LayoutRow> {
        self.found.comfortable.sorted()
    }

    /// Pareto-optimal layouts in time and memory, by growing peak; empty unless requested.
    pub fn front(&self) -> Vec<LayoutRow> {
        self.found.front.rows().to_vec()
    }

    /// Layouts that do not fit, closest to fitting first.
    pub fn unfit(&self) -> Vec<LayoutRow> {
        self.found.unfit.sorted()
    }
}

/// Cell and variant of every block, most promising first, so that bounds rule out much of the rest.
fn promising(estimator: &mut Estimator<'_>, space: &Space) -> Vec<(u32, u32)> {
    let mut cells = Top::new(usize::MAX);
    for (index, cell) in space.cells.iter().enumerate() {
        cells
            .offer(promise(estimator, space, cell), LayoutRow { index, step: 0.0, peak: 0.0, reserved: 0.0 });
    }
    let variants = |at: usize| space.cells.get(at).map_or(0, |cell| cell.variants.len() as u32);
    let blocks = |cell: LayoutRow| (0..variants(cell.index)).map(move |variant| (cell.index as u32, variant));
    cells.sorted().into_iter().flat_map(blocks).collect()
}

/// The least step of some layouts of a cell, seconds; those that do not fit count as far slower. If none fits with a
/// sharded optimizer, sharded parameters and larger micro-batches are tried.
fn promise(estimator: &mut Estimator<'_>, space: &Space, cell: &SpaceCell) -> f64 {
    let sizes = &cell.micro_batches;
    let least = least_of(estimator, space, cell, (Zero::Optimizer, [sizes.first(), sizes.get(2)]));
    if least < UNFIT || !space.levels.contains(&Zero::Parameters) {
        return least;
    }
    let larger = [sizes.get(sizes.len() / 2), sizes.last()];
    least.min(least_of(estimator, space, cell, (Zero::Parameters, larger)))
}

/// Penalty factor of a layout that does not fit.
const UNFIT: f64 = 1e6;

/// The least step of a cell's layouts with these micro-batch sizes, its first pipeline, and this level of sharding if
/// allowed.
fn least_of(
    estimator: &mut Estimator<'_>,
    space: &Space,
    cell: &SpaceCell,
    (level, sizes): (Zero, [Option<&MicroBatches>; 2]),
) -> f64 {
    let level = space.levels.iter().find(|other| **other == level).or(space.levels.first());
    let variants = [cell.variants.last(), cell.variants.get(cell.variants.len() / 2)];
    let rare = |mode: &&Recompute| matches!(mode, Recompute::Modules(_) | Recompute::Every(_));
    let modes = space.recomputes.iter().filter(|mode| !rare(mode));
    let mut least = f64::INFINITY;
    for (variant, size) in
        variants.into_iter().flatten().flat_map(|one| sizes.into_iter().flatten().map(move |two| (one, two)))
    {
        let Some(pipelining) = size.pipelines.first().and_then(|place| cell.pipelines.get(*place as usize))
        else {
            continue;
        };
        for mode in modes.clone() {
            let mut plan = *variant;
            pipelining.write(&mut plan);
            plan.micro_batch = size.sequences;
            plan.recompute = *mode;
            if let Some(level) =
                level.filter(|level| space.allowed(pipelining).any(|entry| entry.1 == *level))
            {
                plan.zero = *level;
            }
            let estimate = estimator.estimate(&plan);
            least = least.min(if estimate.fits { estimate.step.0 } else { UNFIT * estimate.step.0 });
        }
    }
    least
}
