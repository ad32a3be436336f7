//! Answers as texts and numbers, as a worker hands them on.

use serde::{Deserialize, Serialize};

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// What it comes to.
    pub sentences: Vec<String>,
    /// Link of the layout that the sentences are of; empty for none.
    pub link: String,
    /// Tables.
    pub tables: Vec<ToldTable>,
    /// Charts.
    pub charts: Vec<ToldChart>,
}

/// A table of texts; the first cell of a row is its heading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldTable {
    /// What it shows.
    pub caption: String,
    /// Headings of the columns.
    pub head: Vec<String>,
    /// Rows.
    pub rows: Vec<ToldRow>,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldRow {
    /// Cells.
    pub cells: Vec<String>,
    /// Link of the job that it is of; empty for none.
    pub link: String,
    /// Whether it stands out.
    pub strong: bool,
}

impl ToldRow {
    /// A plain row.
    pub fn of<const N: usize>(cells: [String; N]) -> Self {
        Self { cells: cells.into(), ..Self::default() }
    }
}

/// A chart of lines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldChart {
    /// What it shows.
    pub title: String,
    /// Label of the x axis.
    pub x: String,
    /// Whether equal factors are as far apart along it.
    pub logarithmic: bool,
    /// Lines: labels, and points from left to right.
    pub series: Vec<(String, Vec<(f64, f64)>)>,
}
