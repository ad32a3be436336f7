//! The best few of many, in an order that does not depend on which came first.

use core::cmp::Ordering;
use std::collections::BinaryHeap;

/// A layout of a [`super::Space`], and what ranks it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutRow {
    /// Number of the layout.
    pub index: usize,
    /// Time of one step, seconds; the least that it can be, of one that does not fit.
    pub step: f64,
    /// Peak memory of the fullest stage, bytes.
    pub peak: f64,
    /// What the allocator would reserve for it of a device without end, bytes.
    pub reserved: f64,
}

/// A row by what it is sorted by, then by its number.
#[derive(Debug, Clone, Copy)]
struct Ranked(f64, LayoutRow);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.index.cmp(&other.1.index))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// Keeps the rows of the least values.
#[derive(Debug, Clone)]
pub(super) struct Top {
    most: usize,
    heap: BinaryHeap<Ranked>,
    /// What a row must not exceed, as another search has told.
    told: f64,
}

impl Top {
    pub(super) fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new(), told: f64::INFINITY }
    }

    /// A value above which no row is kept.
    pub(super) fn threshold(&self) -> f64 {
        let own =
            self.heap.peek().filter(|_| self.heap.len() >= self.most).map_or(f64::INFINITY, |row| row.0);
        if self.most == 0 { f64::NEG_INFINITY } else { own.min(self.told) }
    }

    /// Says that as many rows of no more than this are known elsewhere.
    pub(super) fn tell(&mut self, threshold: f64) {
        self.told = self.told.min(threshold);
    }

    /// Keeps a row, if its value is among the least so far.
    pub(super) fn offer(&mut self, value: f64, row: LayoutRow) {
        if value > self.threshold() {
            return;
        }
        self.heap.push(Ranked(value, row));
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }

    /// The rows kept, the least first.
    pub(super) fn sorted(&self) -> Vec<LayoutRow> {
        self.heap.clone().into_sorted_vec().into_iter().map(|ranked| ranked.1).collect()
    }
}
