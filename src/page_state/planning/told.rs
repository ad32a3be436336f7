//! Answers as texts and numbers, for transfer from a worker.

use serde::{Deserialize, Serialize};

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanningAnswer {
    /// Its summary.
    pub sentences: Vec<String>,
    /// Link of the layout that the sentences describe; empty for none.
    pub link: String,
    /// Tables.
    pub tables: Vec<ToldTable>,
    /// Charts.
    pub charts: Vec<ToldChart>,
}

/// A table of texts; the first cell of a row is its heading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldTable {
    /// Its title.
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
    /// Link of the job of the row; empty for none.
    pub link: String,
    /// Whether it is highlighted.
    pub strong: bool,
}

impl ToldRow {
    /// A plain row.
    pub fn of<const N: usize>(cells: [String; N]) -> Self {
        Self { cells: cells.into(), ..Self::default() }
    }
}

/// A chart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldChart {
    /// Its title.
    pub title: String,
    /// Label of the x axis.
    pub x: String,
    /// Scale of the x axis.
    pub axis: ToldAxis,
    /// Label of the y axis.
    pub y: String,
    /// Its lines, or bars.
    pub series: Vec<ToldSeries>,
    /// A marked place on the x axis, with its label.
    pub mark: Option<(f64, String)>,
}

/// Scale of a chart's x axis, and what is drawn over it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToldAxis {
    /// Linear in the values, like the y axis, with lines.
    #[default]
    Fitted,
    /// Doubling numbers, with lines.
    Doubling,
    /// Seconds on a logarithmic scale, with bars.
    Bars,
}

/// A line of a chart, or bars.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldSeries {
    /// Its name.
    pub label: String,
    /// Points from left to right; of bars the upper left corners, and where the last one ends.
    pub points: Vec<(f64, f64)>,
    /// Least and greatest value at each point; empty where there is none.
    pub spread: Vec<(f64, f64)>,
}
