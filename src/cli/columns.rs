//! Tables that are as wide as the terminal.

use crate::text::{CellAlign, table};
use clap::ValueEnum;
use std::io::IsTerminal as _;

/// Spaces between two columns.
const GAP: usize = 2;

/// Columns of a table that are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrintedColumns {
    /// Columns that fit the terminal; all columns if the output is not a terminal.
    Fit,
    /// All columns.
    All,
}

impl PrintedColumns {
    /// Characters that a line may have; nothing where it may have any number.
    fn width(self) -> Option<usize> {
        if self == Self::All || !std::io::stdout().is_terminal() {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
    }

    /// Rows under their head, without as many of the columns that may be left out, the first of those first, as do not fit; and a
    /// line that names them.
    pub(crate) fn table(self, rows: &[Vec<String>], align: &[CellAlign], least_first: &[&str]) -> String {
        fitted(rows, align, least_first, self.width())
    }
}

fn fitted(rows: &[Vec<String>], align: &[CellAlign], least_first: &[&str], width: Option<usize>) -> String {
    let head = rows.first().map_or(&[][..], Vec::as_slice);
    let longest = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(longest).collect();
    let mut is_left_out = vec![false; head.len()];
    let fits = |is_left_out: &[bool]| {
        let kept = widths.iter().zip(is_left_out).filter(|column| !column.1).map(|column| column.0 + GAP);
        width.is_none_or(|most| kept.sum::<usize>() <= most + GAP)
    };
    let mut names = Vec::new();
    for name in least_first {
        if fits(&is_left_out) {
            break;
        }
        let place = head.iter().position(|cell| cell == name);
        if let Some(place) = place.and_then(|place| is_left_out.get_mut(place)) {
            *place = true;
            names.push(*name);
        }
    }
    let kept = |cells: &[String]| -> Vec<String> {
        cells.iter().zip(&is_left_out).filter(|cell| !cell.1).map(|cell| cell.0.clone()).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(|row| kept(row)).collect();
    let align: Vec<CellAlign> =
        align.iter().zip(&is_left_out).filter(|side| !side.1).map(|side| *side.0).collect();
    let mut out = table(&rows, &align);
    if !names.is_empty() {
        out.push_str(&format!("Columns hidden to fit the terminal: {} (--columns all)\n", names.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_columns_are_left_out_until_the_rest_fits() {
        let rows =
            [["step", "tp", "pp"], ["1.00 s", "8", "16"]].map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let align = [CellAlign::Right; 3];
        let at = |width| fitted(&rows, &align, &["pp", "tp"], width);
        assert_eq!(at(Some(14)), at(None));
        assert_eq!(
            at(Some(13)),
            "  step  tp\n1.00 s   8\nColumns hidden to fit the terminal: pp (--columns all)\n"
        );
        assert!(at(Some(1)).starts_with("  step\n1.00 s\n"), "what is needed stays");
    }
}
