//! Features as small integers: trees are grown on the numbers of bins, not on values.

/// Most bins of one feature.
const MOST: usize = 1 << 16;

/// A table of features, one column each, with every value replaced by the number of its bin.
#[derive(Debug, Clone)]
pub struct Bins {
    pub(super) columns: Vec<FeatureColumn>,
    pub(super) rows: usize,
}

/// One feature.
#[derive(Debug, Clone)]
pub(super) struct FeatureColumn {
    /// Bin of every row.
    pub(super) of_row: Vec<u16>,
    /// Smallest and largest value of every bin.
    range: Vec<(f64, f64)>,
}

impl Bins {
    /// Bins of `columns[feature][row]`: one for every distinct value where there are at most `most` of them,
    /// else `most` with about as many rows each. Columns shorter than the longest are taken to end in zeros.
    pub fn new(columns: &[Vec<f64>], most: usize) -> Self {
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let most = most.clamp(2, MOST);
        Self { columns: columns.iter().map(|values| FeatureColumn::new(values, rows, most)).collect(), rows }
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl FeatureColumn {
    fn new(values: &[f64], rows: usize, most: usize) -> Self {
        let at = |row: usize| values.get(row).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by(|a, b| at(*a).total_cmp(&at(*b)));
        let distinct = order.windows(2).filter(|pair| at(pair[0]) < at(pair[1])).count() + 1;
        // A bin is closed once it holds its share of the rows, but never between equal values.
        let share = if distinct <= most { 1 } else { rows.div_ceil(most) };
        let mut column = Self { of_row: vec![0; rows], range: Vec::new() };
        let mut held = 0;
        for row in order {
            let value = at(row);
            match column.range.last_mut() {
                Some(range) if held < share || value <= range.1 => range.1 = range.1.max(value),
                _ => {
                    column.range.push((value, value));
                    held = 0;
                }
            }
            held += 1;
            if let Some(slot) = column.of_row.get_mut(row) {
                *slot = (column.range.len() - 1) as u16;
            }
        }
        column
    }

    /// Bin of a row.
    pub(super) fn bin(&self, row: u32) -> usize {
        self.of_row.get(row as usize).copied().map_or(0, usize::from)
    }

    /// Bins of the column.
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// A threshold with all values of bin `left` below it and none of bin `right`.
    pub(super) fn between(&self, left: usize, right: usize) -> f32 {
        match (self.range.get(left), self.range.get(right)) {
            (Some(left), Some(right)) => roundest(left.1, right.0),
            _ => f32::INFINITY,
        }
    }
}

/// The number with the fewest digits (in binary) in the middle half between two values: it is kept in fewer bytes,
/// and says no more than the samples do.
fn roundest(below: f64, above: f64) -> f32 {
    let middle = 0.5 * (below + above);
    let reach = 0.25 * (above - below);
    let exact = middle as f32;
    (1..24)
        .map(|bits| {
            f32::from_bits(exact.to_bits().wrapping_add(1 << (23 - bits)) & (u32::MAX << (24 - bits)))
        })
        .find(|rounded| (f64::from(*rounded) - middle).abs() <= reach)
        .unwrap_or(exact)
}

#[cfg(test)]
mod tests {
    use super::{Bins, roundest};

    #[test]
    fn few_distinct_values_have_a_bin_each() {
        let bins = Bins::new(&[vec![3.0, 1.0, 2.0, 1.0, 3.0]], 256);
        assert_eq!(bins.columns[0].of_row, [2, 0, 1, 0, 2]);
        assert_eq!(bins.columns[0].between(0, 1), 1.5);
    }

    #[test]
    fn thresholds_are_round_numbers_near_the_middle() {
        assert_eq!(roundest(1.0, 2.0), 1.5);
        assert_eq!(roundest(1023.0, 1025.0), 1024.0);
        assert_eq!(roundest(-3.0, -2.0), -2.5);
        let threshold = f64::from(roundest(10.07, 10.09));
        assert!(threshold > 10.07 && threshold < 10.09);
    }

    #[test]
    fn many_distinct_values_share_bins_of_equal_size() {
        let bins = Bins::new(&[(0..1000).map(f64::from).collect()], 10);
        assert_eq!(bins.columns[0].len(), 10);
        assert_eq!(bins.columns[0].of_row[99], 0);
        assert_eq!(bins.columns[0].of_row[100], 1);
    }

    #[test]
    fn equal_values_are_never_parted() {
        let mut values = vec![5.0; 90];
        values.extend((0..10).map(f64::from));
        let bins = Bins::new(&[values], 4);
        let first = bins.columns[0].of_row[0];
        assert!(bins.columns[0].of_row[..90].iter().all(|bin| *bin == first));
    }
}
