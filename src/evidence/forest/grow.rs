//! One tree, grown from histograms.

use super::Bins;
use super::ensemble::TreeNode;

/// How far a tree may grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeLimits {
    /// Splits from the root to a leaf, at most.
    pub(super) depth: u32,
    /// Rows of a leaf, at least.
    pub(super) least_rows: usize,
    /// Added to a leaf's rows when its mean is taken (XGBoost's lambda).
    pub(super) shrink: f64,
    /// Leaves are whole numbers of this, -127 to 127 of them; zero for leaves as they are.
    pub(super) unit: f64,
}

impl TreeLimits {
    fn leaf(&self, sum: f64, rows: usize) -> f64 {
        let value = sum / (rows as f64 + self.shrink).max(f64::MIN_POSITIVE);
        if self.unit > 0.0 { (value / self.unit).round().clamp(-127.0, 127.0) } else { value }
    }
}

/// Share of a node's spread that a split must explain: below it, sums differ by rounding only.
const LEAST_GAIN: f64 = 1e-9;

/// Sum and number of the targets in one bin.
#[derive(Debug, Clone, Copy, Default)]
struct BinSum {
    sum: f64,
    rows: f64,
}

impl BinSum {
    fn score(self, shrink: f64) -> f64 {
        self.sum * self.sum / (self.rows + shrink)
    }
}

/// A node still to be placed: its rows, and the bins that its rows can be in.
struct Task {
    start: usize,
    end: usize,
    depth: u32,
    ranges: Vec<(u16, u16)>,
    /// Node whose right child this is.
    parent: Option<usize>,
}

/// The best split of a node.
struct Split {
    gain: f64,
    feature: usize,
    /// Last bin of the left child.
    left: usize,
    /// First bin of the right child that holds rows.
    right: usize,
}

/// Memory that trees are grown in, kept between them.
#[derive(Debug, Clone, Default)]
pub(super) struct GrowScratch {
    cells: Vec<BinSum>,
}

/// Grows a tree over `rows` (indices, may repeat) towards `targets` and appends its nodes to `nodes`. `leaf` is
/// told the rows and the value of every leaf.
pub(super) fn grow(
    bins: &Bins,
    targets: &[f64],
    rows: &mut [u32],
    limits: &TreeLimits,
    scratch: &mut GrowScratch,
    nodes: &mut Vec<TreeNode>,
    mut leaf: impl FnMut(&[u32], f64),
) {
    let ranges = bins.columns.iter().map(|column| (0, column.len().saturating_sub(1) as u16)).collect();
    let mut tasks = vec![Task { start: 0, end: rows.len(), depth: 0, ranges, parent: None }];
    while let Some(mut task) = tasks.pop() {
        let here = nodes.len();
        if let Some(parent) = task.parent.and_then(|parent| Some((parent, nodes.get_mut(parent)?))) {
            parent.1.place_right(here - parent.0);
        }
        let Some(members) = rows.get_mut(task.start..task.end) else { continue };
        let split = if task.depth < limits.depth && members.len() >= 2 * limits.least_rows {
            best_split(bins, targets, members, &mut task.ranges, limits, &mut scratch.cells)
        } else {
            None
        };
        let Some((split, column)) =
            split.and_then(|split| bins.columns.get(split.feature).map(|c| (split, c)))
        else {
            let sum: f64 = members.iter().map(|row| target(targets, *row)).sum();
            let value = limits.leaf(sum, members.len());
            nodes.push(TreeNode::leaf(value));
            leaf(members, value);
            continue;
        };
        nodes.push(TreeNode::inner(split.feature as u8, column.between(split.left, split.right)));
        let middle = task.start + partition(members, |row| column.bin(row) <= split.left);
        let depth = task.depth + 1;
        let mut ranges = task.ranges.clone();
        if let Some(range) = ranges.get_mut(split.feature) {
            range.0 = split.right as u16;
        }
        tasks.push(Task { start: middle, end: task.end, depth, ranges, parent: Some(here) });
        if let Some(range) = task.ranges.get_mut(split.feature) {
            range.1 = split.left as u16;
        }
        tasks.push(Task { start: task.start, end: middle, depth, ranges: task.ranges, parent: None });
    }
}

fn target(targets: &[f64], row: u32) -> f64 {
    targets.get(row as usize).copied().unwrap_or(0.0)
}

/// The split that explains the most, and in passing the bins that hold rows at all.
fn best_split(
    bins: &Bins,
    targets: &[f64],
    members: &[u32],
    ranges: &mut [(u16, u16)],
    limits: &TreeLimits,
    cells: &mut Vec<BinSum>,
) -> Option<Split> {
    let mut total = BinSum { sum: 0.0, rows: members.len() as f64 };
    let mut squares = 0.0;
    for row in members {
        let value = target(targets, *row);
        total.sum += value;
        squares += value * value;
    }
    let least_rows = limits.least_rows.max(1) as f64;
    let whole = total.score(limits.shrink);
    let mut best: Option<Split> = None;
    let mut most = LEAST_GAIN * squares;
    for (feature, (column, range)) in bins.columns.iter().zip(ranges).enumerate() {
        let first = usize::from(range.0);
        let width = usize::from(range.1).saturating_sub(first) + 1;
        if width < 2 {
            continue;
        }
        cells.clear();
        cells.resize(width, BinSum::default());
        for row in members {
            if let Some(cell) = cells.get_mut(column.bin(*row).wrapping_sub(first)) {
                cell.sum += target(targets, *row);
                cell.rows += 1.0;
            }
        }
        let mut left = BinSum::default();
        let mut held = None;
        for (bin, cell) in cells.iter().enumerate().filter(|cell| cell.1.rows > 0.0) {
            if let Some(before) = held {
                let right = BinSum { sum: total.sum - left.sum, rows: total.rows - left.rows };
                if left.rows >= least_rows && right.rows >= least_rows {
                    let gain = left.score(limits.shrink) + right.score(limits.shrink) - whole;
                    if gain > most {
                        most = gain;
                        best = Some(Split { gain, feature, left: first + before, right: first + bin });
                    }
                }
            } else {
                range.0 = (first + bin) as u16;
            }
            left.sum += cell.sum;
            left.rows += cell.rows;
            held = Some(bin);
        }
        if let Some(last) = held {
            range.1 = (first + last) as u16;
        }
    }
    best.filter(|split| split.gain.is_finite())
}

/// Moves the rows that `keep` to the front and returns how many they are.
fn partition(rows: &mut [u32], keep: impl Fn(u32) -> bool) -> usize {
    let mut kept = 0;
    for at in 0..rows.len() {
        if rows.get(at).is_some_and(|row| keep(*row)) {
            rows.swap(kept, at);
            kept += 1;
        }
    }
    kept
}
