//! What the page shows of communication: windows into the matrix, shades, words, files.

use crate::cost::Algorithm;
use crate::number;
use crate::scenario::Scenario;
use crate::step::Parallelism;
use crate::traffic::{AxisOrder, Matrix, MatrixCell};
use crate::units::Bytes;
use core::ops::Range;

/// Key of the view state: the rank whose messages are listed.
pub const RANK: &str = "rank";
/// Key of the view state: convention in which traffic is counted (empty for the paper's, else the name of an algorithm).
pub const CONVENTION: &str = "count";
/// Key of the view state: order of the axes over the machines; empty for the plan's own.
pub const AXES: &str = "axes";
/// Key of the view state: number of a kind in [`Parallelism::ALL`]; empty for all.
pub const KIND: &str = "kind";
/// Key of the view state: blocks of the matrix that were opened, `row.column/row.column`.
pub const ZOOM: &str = "zoom";

/// Most blocks along a side of the matrix.
const MOST: u32 = 64;

/// Powers of ten that the shades tell apart.
const DECADES: f64 = 4.0;

/// The axis order in the view state; the plan's own if it has none.
pub fn order(text: &str, scenario: &Scenario) -> AxisOrder {
    let planned = AxisOrder::from(scenario.plan.mapping);
    if text.is_empty() { planned } else { AxisOrder::parse(text).unwrap_or(planned) }
}

/// How all-reduces run on the wire in a convention.
pub fn algorithm(convention: &str) -> Algorithm {
    Algorithm::from_name(convention).unwrap_or_default()
}

/// The kind that the view state picks; `None` for all.
pub fn kind(text: &str) -> Option<Parallelism> {
    Parallelism::ALL.into_iter().find(|kind| kind_key(*kind) == text)
}

/// A kind's name in links.
pub const fn kind_key(kind: Parallelism) -> &'static str {
    match kind {
        Parallelism::TensorParallel => "tp",
        Parallelism::ContextParallel => "cp",
        Parallelism::ExpertParallel => "ep",
        Parallelism::PipelineParallel => "pp",
        Parallelism::DataParallel => "dp",
        Parallelism::EmbeddingSync => "embedding",
    }
}

/// A square part of the matrix, seen in blocks of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixWindow {
    /// First sending rank.
    pub row: u32,
    /// First receiving rank.
    pub column: u32,
    /// Ranks along a side.
    pub ranks: u32,
    /// Ranks of one block.
    pub block: u32,
    /// Ranks of the whole matrix.
    total: u32,
}

impl MatrixWindow {
    /// The whole matrix.
    pub fn whole(matrix: &Matrix) -> Self {
        let ranks = matrix.ranks();
        Self { row: 0, column: 0, ranks, block: block(ranks, matrix.gpus_per_machine()), total: ranks }
    }

    /// The inside of one block, by its numbers in this window; `None` where there is nothing to open.
    pub fn inside(&self, row: u32, column: u32, matrix: &Matrix) -> Option<Self> {
        let (rows, columns) = (self.rows(), self.columns());
        if self.block <= 1 || row as usize >= rows.len() || column as usize >= columns.len() {
            return None;
        }
        Some(Self {
            row: (rows.start + row) * self.block,
            column: (columns.start + column) * self.block,
            ranks: self.block,
            block: block(self.block, matrix.gpus_per_machine()),
            total: self.total,
        })
    }

    /// Numbers of the sending blocks.
    pub fn rows(&self) -> Range<u32> {
        self.along(self.row)
    }

    /// Numbers of the receiving blocks.
    pub fn columns(&self) -> Range<u32> {
        self.along(self.column)
    }

    fn along(&self, first: u32) -> Range<u32> {
        let end = first.saturating_add(self.ranks).min(self.total);
        first / self.block..end.div_ceil(self.block)
    }

    /// A block in words: `GPU 3`, `machine 2 (GPUs 16 to 23)`, `GPUs 256 to 511`.
    pub fn name(&self, number: u32, matrix: &Matrix) -> String {
        let first = number * self.block;
        let last = (first + self.block).min(self.total).saturating_sub(1);
        let machine = matrix.machine(first);
        let (from, to) = (number::integer(first.into()), number::integer(last.into()));
        if self.block == 1 {
            format!("GPU {from} (node {})", number::integer(machine.into()))
        } else if self.block == matrix.gpus_per_machine() {
            format!("node {} (GPUs {from} to {to})", number::integer(machine.into()))
        } else {
            format!("GPUs {from} to {to}")
        }
    }

    /// The window in words, for the way back.
    pub fn title(&self) -> String {
        let span = |first: u32| {
            let last = first.saturating_add(self.ranks).min(self.total).saturating_sub(1);
            format!("{} to {}", number::integer(first.into()), number::integer(last.into()))
        };
        if self.ranks == self.total {
            return format!("All {} GPUs", number::integer(self.total.into()));
        }
        format!("from {}, to {}", span(self.row), span(self.column))
    }

    /// All traffic between two blocks crosses from one machine to another.
    pub fn crosses(&self, row: u32, column: u32, matrix: &Matrix) -> bool {
        if self.block > matrix.gpus_per_machine() {
            return row != column;
        }
        matrix.machine(row * self.block) != matrix.machine(column * self.block)
    }

    /// What a block sends another, in a sentence.
    pub fn sentence(&self, row: u32, column: u32, cells: &[MatrixCell], matrix: &Matrix) -> String {
        let (from, to) = (self.name(row, matrix), self.name(column, matrix));
        let Some(bytes) = value(cells, row, column) else {
            return format!("No traffic from {from} to {to}.");
        };
        let way = if self.block == 1 {
            matrix.tier(row, column).label()
        } else if self.crosses(row, column, matrix) {
            "between nodes"
        } else if self.block > matrix.gpus_per_machine() {
            "within and between nodes"
        } else {
            "within a node"
        };
        let exact = number::integer(bytes.round() as u64);
        let size = number::traffic(Bytes(bytes));
        format!("{from} sends {size} ({exact} B) to {to}, {way}.")
    }
}

/// Ranks per block, so that each side has at most [`MOST`] blocks.
fn block(ranks: u32, per_machine: u32) -> u32 {
    if ranks <= MOST {
        return 1;
    }
    if ranks <= per_machine {
        return (1..=ranks).find(|size| ranks.is_multiple_of(*size) && ranks / size <= MOST).unwrap_or(1);
    }
    let mut size = per_machine.max(1);
    while ranks.div_ceil(size) > MOST {
        size = size.saturating_mul(2);
    }
    size
}

/// The windows that lead to where the view state is, the whole matrix first. What does not exist in this
/// matrix ends the way.
pub fn windows(text: &str, matrix: &Matrix) -> Vec<MatrixWindow> {
    let mut last = MatrixWindow::whole(matrix);
    let mut all = vec![last];
    for step in text.split('/') {
        let numbers =
            step.split_once('.').and_then(|(row, column)| Some((row.parse().ok()?, column.parse().ok()?)));
        let Some(next) = numbers.and_then(|(row, column)| last.inside(row, column, matrix)) else { break };
        last = next;
        all.push(next);
    }
    all
}

/// The way with one more block opened.
pub fn deeper(text: &str, depth: usize, row: u32, column: u32) -> String {
    let kept = shallower(text, depth);
    let step = format!("{row}.{column}");
    if kept.is_empty() { step } else { format!("{kept}/{step}") }
}

/// The path, cut to this number of opened blocks.
pub fn shallower(text: &str, depth: usize) -> String {
    text.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// Bytes of the cell of two blocks, of cells ordered by row and column.
pub fn value(cells: &[MatrixCell], row: u32, column: u32) -> Option<f64> {
    let index = cells.binary_search_by_key(&(row, column), |cell| (cell.row, cell.column)).ok()?;
    cells.get(index).map(|cell| cell.bytes.0)
}

/// Depth of a shade, 0 to 1, on a logarithmic scale down from the greatest value.
pub fn shade(bytes: f64, greatest: f64) -> f64 {
    if bytes <= 0.0 || greatest <= 0.0 {
        return 0.0;
    }
    0.15 + 0.85 * (1.0 + (bytes / greatest).log10() / DECADES).clamp(0.0, 1.0)
}

/// The whole matrix in words.
pub fn summary(matrix: &Matrix) -> String {
    let total = matrix.total();
    let gpus = number::integer(matrix.ranks().into());
    if total.0 <= 0.0 {
        return format!("No traffic between {gpus} GPUs.");
    }
    let words = |entries: &[(&'static str, Bytes)]| -> String {
        let shares = entries.iter().filter(|entry| entry.1.0 > 0.0);
        let shares = shares.map(|(label, bytes)| format!("{} {label}", number::percent(*bytes / total)));
        shares.collect::<Vec<_>>().join("; ")
    };
    format!(
        "Traffic between {gpus} GPUs per step: {}. By link: {}. By type: {}.",
        number::traffic(total),
        words(&matrix.by_tier().map(|(tier, bytes)| (tier.label(), bytes))),
        words(&matrix.by_kind().map(|(kind, bytes)| (kind.label(), bytes))).to_lowercase(),
    )
}

/// The cell with most bytes, in words.
pub fn busiest(cells: &[MatrixCell], window: &MatrixWindow, matrix: &Matrix) -> Option<String> {
    let most = cells.iter().max_by(|one, other| one.bytes.0.total_cmp(&other.bytes.0))?;
    let (from, to) = (window.name(most.row, matrix), window.name(most.column, matrix));
    Some(format!("Largest cell: {} from {from} to {to}.", number::traffic(most.bytes)))
}

/// The cells of a window as a file.
pub fn to_csv(cells: &[MatrixCell], window: &MatrixWindow, matrix: &Matrix) -> String {
    let mut out =
        String::from("from_first_gpu,from_last_gpu,to_first_gpu,to_last_gpu,bytes,between_machines\n");
    let last = |first: u32| (first + window.block).min(window.total).saturating_sub(1);
    for cell in cells {
        let (from, to) = (cell.row * window.block, cell.column * window.block);
        let crosses = window.crosses(cell.row, cell.column, matrix);
        let bytes = cell.bytes.0.round() as u64;
        out.push_str(&format!("{from},{},{to},{},{bytes},{crosses}\n", last(from), last(to)));
    }
    out
}

/// Ranks in words, the middle left out of a long list.
pub fn ranks(list: &[u32]) -> String {
    let words = |part: &[u32]| part.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match list {
        [first, second, .., last] if list.len() > 6 => format!("{first}, {second}, \u{2026} {last}"),
        _ => words(list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn matrix(link: &str) -> Matrix {
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        Matrix::new(&crate::forecast::Predictor::SHIPPED, &scenario, order("", &scenario), Algorithm::Ring)
            .expect("a matrix")
    }

    const LARGE: &str =
        "#1;m=llama3-405b;g=dgx-h100;n=16384;gb=2048;stack=fused;year=2024;pp=16;vpp=8;zero=2;split=ends";

    #[test]
    fn a_link_names_kinds() {
        for known in Parallelism::ALL {
            assert_eq!(kind(kind_key(known)), Some(known));
        }
        assert_eq!((kind(""), kind("3")), (None, None));
    }

    #[test]
    fn a_large_matrix_is_opened_block_by_block_down_to_gpus() {
        let matrix = matrix(LARGE);
        let way = windows("3.4/0.1/7.7/9.9", &matrix);
        let blocks: Vec<u32> = way.iter().map(|window| window.block).collect();
        assert_eq!(blocks, [256, 8, 1]);
        assert!(way.iter().all(|window| window.rows().len() <= 64 && window.columns().len() <= 64));
        let last = way.last().expect("windows");
        assert_eq!((last.row, last.column, last.ranks), (768, 1024 + 8, 8));
    }

    #[test]
    fn what_the_blocks_show_is_what_the_matrix_holds() {
        let matrix = matrix("#1;m=llama3-70b;g=dgx-h100;n=512");
        let sum = |window: &MatrixWindow| -> f64 {
            matrix
                .cells(window.rows(), window.columns(), window.block, None)
                .iter()
                .map(|cell| cell.bytes.0)
                .sum()
        };
        let whole = MatrixWindow::whole(&matrix);
        let cells = matrix.cells(whole.rows(), whole.columns(), whole.block, None);
        assert!((sum(&whole) / matrix.total().0 - 1.0).abs() < 1e-9);
        let cell = cells.first().expect("traffic");
        let inside = whole.inside(cell.row, cell.column, &matrix).expect("a block");
        assert!((sum(&inside) / cell.bytes.0 - 1.0).abs() < 1e-9);
        assert_eq!(to_csv(&cells, &whole, &matrix).lines().count(), cells.len() + 1);
    }

    #[test]
    fn the_matrix_is_said_in_words() {
        let matrix = matrix("#1;m=llama3-70b;g=dgx-h100;n=512");
        let text = summary(&matrix);
        assert!(text.starts_with("Traffic between 512 GPUs per step: "), "{text}");
        assert!(text.contains("within a node") && text.contains("tensor parallel"), "{text}");
        let whole = MatrixWindow::whole(&matrix);
        let cells = matrix.cells(whole.rows(), whole.columns(), whole.block, None);
        let most = busiest(&cells, &whole, &matrix).expect("traffic");
        assert!(most.contains("from node") && !most.contains("0 B"), "{most}");
        assert_eq!(busiest(&[], &whole, &matrix), None);
    }

    #[test]
    fn the_way_is_walked_and_cut() {
        assert_eq!(deeper("", 0, 3, 4), "3.4");
        assert_eq!(deeper("3.4/1.1", 1, 2, 0), "3.4/2.0");
        assert_eq!(shallower("3.4/2.0", 0), "");
        assert_eq!(windows("nonsense", &matrix(LARGE)).len(), 1);
        assert_eq!(windows("999.0", &matrix(LARGE)).len(), 1);
    }

    #[test]
    fn shades_fall_with_the_bytes() {
        assert_eq!(shade(0.0, 1.0), 0.0);
        assert!(shade(1e-9, 1.0) >= 0.15);
        assert!(shade(0.1, 1.0) < shade(1.0, 1.0));
        assert_eq!(shade(1.0, 1.0), 1.0);
    }

    #[test]
    fn long_lists_of_ranks_are_cut() {
        assert_eq!(ranks(&[0, 1]), "0, 1");
        assert_eq!(ranks(&[0, 8, 16, 24, 32, 40, 48]), "0, 8, \u{2026} 48");
    }
}
