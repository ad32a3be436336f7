//! Pareto-optimal layouts in time and memory.

use super::top::LayoutRow;

/// Pareto-optimal rows, by growing peak and falling step.
#[derive(Debug, Clone, Default)]
pub(super) struct Front(Vec<LayoutRow>);

impl Front {
    /// Whether a layout of at least this step and exactly this peak is dominated or equalled.
    pub(super) fn beats(&self, least: f64, peak: f64) -> bool {
        let smaller = self.0.partition_point(|row| row.peak <= peak);
        smaller.checked_sub(1).and_then(|place| self.0.get(place)).is_some_and(|row| row.step < least)
    }

    /// Adds a row if no other dominates it; of equal rows, keeps the lowest number.
    pub(super) fn offer(&mut self, row: LayoutRow) {
        let beats = |one: &LayoutRow, other: &LayoutRow| {
            let equal = one.step == other.step && one.peak == other.peak;
            if equal { one.index <= other.index } else { one.step <= other.step && one.peak <= other.peak }
        };
        if self.0.iter().any(|other| beats(other, &row)) {
            return;
        }
        self.0.retain(|other| !beats(&row, other));
        let place = self.0.partition_point(|other| other.peak < row.peak);
        self.0.insert(place, row);
    }

    pub(super) fn rows(&self) -> &[LayoutRow] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_beaten_go() {
        let row = |index, step, peak| LayoutRow { index, step, peak, reserved: peak };
        let mut front = Front::default();
        for row in [row(0, 3.0, 3.0), row(1, 2.0, 4.0), row(2, 2.5, 2.0), row(3, 5.0, 1.0), row(4, 2.0, 4.0)]
        {
            front.offer(row);
        }
        let kept: Vec<usize> = front.rows().iter().map(|row| row.index).collect();
        assert_eq!(kept, [3, 2, 1]);
        assert!(front.beats(3.0, 2.0) && front.beats(2.6, 3.9) && !front.beats(2.4, 3.9));
        assert!(!front.beats(9.0, 0.5), "nothing is smaller");
        assert!(!front.beats(2.5, 2.0), "an equal one is offered, and the lesser number kept");
    }
}
