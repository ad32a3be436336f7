//! The blocks of a space as ranges that are given out one after the other, the most promising first.

use core::ops::Range;

/// Ranges that each worker gets of what is left, more or less: the last ones are small, so that all end together.
const SHARES: usize = 4;
/// Ranges that a space has at most, so that none is too small to be worth a message.
const MOST: usize = 64;

/// What is still to be given out.
#[derive(Debug, Clone)]
pub(super) struct Ranges {
    next: usize,
    blocks: usize,
    workers: usize,
    least: usize,
    /// Those of workers that died.
    put_back: Vec<Range<usize>>,
}

impl Ranges {
    pub(super) fn new(blocks: usize, workers: usize) -> Self {
        let workers = workers.max(1);
        // A single worker waits for nobody, and is sent only what is new to it.
        let least = if workers == 1 { blocks } else { blocks.div_ceil(MOST) };
        Self { next: 0, blocks, workers, least: least.max(1), put_back: Vec::new() }
    }

    pub(super) fn take(&mut self) -> Option<Range<usize>> {
        if let Some(range) = self.put_back.pop() {
            return Some(range);
        }
        let left = self.blocks - self.next;
        // The first one is small: what it finds leaves out much of the others.
        let share = if self.next == 0 { 0 } else { left / (SHARES * self.workers) };
        let count = share.max(self.least).min(left);
        let range = self.next..self.next + count;
        self.next = range.end;
        (count > 0).then_some(range)
    }

    pub(super) fn put_back(&mut self, range: Range<usize>) {
        self.put_back.push(range);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.next == self.blocks && self.put_back.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_given_out_once() {
        for (blocks, workers) in [(0, 1), (1, 8), (7, 3), (351, 2), (4472, 8)] {
            let mut ranges = Ranges::new(blocks, workers);
            let mut next = 0;
            while let Some(range) = ranges.take() {
                assert!(range.start == next && range.end > next, "{range:?}");
                next = range.end;
            }
            assert!(next == blocks && ranges.is_empty());
        }
    }

    #[test]
    fn what_was_put_back_comes_first() {
        let mut ranges = Ranges::new(100, 2);
        let (first, second) = (ranges.take().expect("blocks"), ranges.take().expect("blocks"));
        ranges.put_back(first.clone());
        assert_eq!(ranges.take(), Some(first));
        assert_eq!(ranges.take().map(|range| range.start), Some(second.end));
    }
}
