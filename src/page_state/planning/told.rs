//! Answers as texts and numbers, as a worker hands them on.

use serde::{Deserialize, Serialize};

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanningAnswer {
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

/// A chart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldChart {
    /// What it shows.
    pub title: String,
    /// Label of the x axis.
    pub x: String,
    /// What the x axis is like.
    pub axis: ToldAxis,
    /// Label of the y axis.
    pub y: String,
    /// Its lines, or bars.
    pub series: Vec<ToldSeries>,
    /// A place along the x axis that is pointed out, with a word for it.
    pub mark: Option<(f64, String)>,
}

/// What the x axis of a chart is like, and what stands over it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToldAxis {
    /// As wide as its points, as the y axis is, with lines over it.
    #[default]
    Fitted,
    /// Numbers, twice as many at each point, with lines over them.
    Doubling,
    /// Seconds, of which equal factors are as far apart, with bars over them.
    Bars,
}

/// A line of a chart, or bars.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToldSeries {
    /// What it is of.
    pub label: String,
    /// Points from left to right; of bars the upper left corners, and where the last one ends.
    pub points: Vec<(f64, f64)>,
    /// Least and greatest value at each point; empty where there is none.
    pub spread: Vec<(f64, f64)>,
}
