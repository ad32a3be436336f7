//! Measured runs against forecasts, as a reader looks at them: grouped, filtered, sorted, a page at a time.

use crate::document::Document;
use crate::number;
use crate::units::Seconds;
use crate::validate::{MeasuredRun, RunResult};
use core::cmp::Ordering;

/// Key of the view state: what runs are grouped by.
pub const BY: &str = "runs-by";
/// Key of the view state: the one group that is shown.
pub const ONLY: &str = "runs-only";
/// Key of the view state: words that a run must have.
pub const FIND: &str = "runs-find";
/// Key of the view state: column that sorts, `-` first when the greatest value is on top.
pub const SORT: &str = "runs-sort";
/// Key of the view state: page of the table, from 1.
pub const PAGE: &str = "runs-page";

/// Rows of a page.
pub const ROWS: usize = 50;

/// Width of a bar of the histogram of errors.
const BAR: f64 = 0.025;
/// Error at which the histogram ends; greater ones are counted there.
pub const END: f64 = 0.3;

/// What is known to be off, and why.
pub const KNOWN: [&str; 6] = [
    "Mixture-of-experts models: kernels and expert load balance change between software releases. The forecast for GPT-OSS 120B in MXFP8 is one third too fast for release 26.06.01 and on B300.",
    "GB300 and B300: almost all measured runs come from one source. All B300 runs train mixture-of-experts models.",
    "V100: only four measured runs are available, and their forecasts are too slow.",
    "Small models with TP 4 on A100 (vtrain-single, hidden size 2,048): forecasts are 12 % too slow on average and up to 25 % too slow. TP 2 and TP 8 are not affected. The source measured each model only once.",
    "Layouts on 384 GPUs (bigscience): the forecast ranks these layouts poorly. Measured step times of the same layout differ by up to 40 % for unknown reasons.",
    "Software releases: measured step times of the same layout differ by 5 % (median) and by more than 40 % (maximum) between releases. The forecast uses only the release date.",
];

/// What runs are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsGrouping {
    /// Publication.
    Source,
    /// GPU.
    Gpu,
    /// Software stack.
    Stack,
}

impl RunsGrouping {
    /// Value in the view state, and label.
    pub const NAMES: [(&str, &str); 3] = [("", "Source"), ("gpu", "GPU"), ("stack", "Software")];

    fn named(name: &str) -> Self {
        match name {
            "gpu" => Self::Gpu,
            "stack" => Self::Stack,
            _ => Self::Source,
        }
    }

    /// The group of a run.
    pub fn of(self, run: &MeasuredRun) -> &str {
        match self {
            Self::Source => &run.source,
            Self::Gpu => &run.gpu,
            Self::Stack => &run.stack,
        }
    }
}

/// A column of the table of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsColumn {
    /// Identifier, which begins with the source.
    Id,
    /// Software stack.
    Stack,
    /// GPU.
    Gpu,
    /// GPUs.
    Gpus,
    /// Model.
    Model,
    /// Measured step.
    Measured,
    /// Forecast step.
    Forecast,
    /// Forecast over measured, less 1; sorts by its size.
    Error,
    /// Whether the 90 % interval holds the measured step.
    Interval,
}

impl RunsColumn {
    /// Every column in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Id,
        Self::Stack,
        Self::Gpu,
        Self::Gpus,
        Self::Model,
        Self::Measured,
        Self::Forecast,
        Self::Error,
        Self::Interval,
    ];

    /// Name in links.
    pub fn key(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Stack => "stack",
            Self::Gpu => "gpu",
            Self::Gpus => "n",
            Self::Model => "model",
            Self::Measured => "measured",
            Self::Forecast => "forecast",
            Self::Error => "error",
            Self::Interval => "interval",
        }
    }

    /// Heading.
    pub fn label(self) -> &'static str {
        match self {
            Self::Id => "Run",
            Self::Stack => "Software",
            Self::Gpu => "GPU",
            Self::Gpus => "GPUs",
            Self::Model => "Model",
            Self::Measured => "Measured",
            Self::Forecast => "Forecast",
            Self::Error => "Error",
            Self::Interval => "90 % range",
        }
    }

    /// Whether it holds words, which start at the left.
    pub fn words(self) -> bool {
        matches!(self, Self::Id | Self::Stack | Self::Gpu | Self::Model)
    }

    /// What the cell prints.
    pub fn text(self, run: &MeasuredRun, row: &RunResult) -> String {
        let time =
            |value: Option<f64>| value.map_or_else(dash, |value| number::time(Seconds(value)).to_string());
        match self {
            Self::Id => run.id.clone(),
            Self::Stack => run.stack.clone(),
            Self::Gpu => run.gpu.clone(),
            Self::Gpus => number::integer(gpus(run).into()),
            Self::Model => run.model.clone(),
            Self::Measured => time(Some(row.measured_s)),
            Self::Forecast => time(row.predicted_s),
            Self::Error => error(row).map_or_else(dash, signed),
            Self::Interval if row.dropped => "not counted".to_owned(),
            Self::Interval => match holds(row) {
                None => dash(),
                Some(true) => "inside".to_owned(),
                Some(false) => "outside".to_owned(),
            },
        }
    }

    fn compare(self, a: (&MeasuredRun, &RunResult), b: (&MeasuredRun, &RunResult)) -> Ordering {
        let by =
            |value: &dyn Fn(&MeasuredRun, &RunResult) -> f64| value(a.0, a.1).total_cmp(&value(b.0, b.1));
        let absent = f64::NEG_INFINITY;
        match self {
            Self::Id => a.0.id.cmp(&b.0.id),
            Self::Stack => a.0.stack.cmp(&b.0.stack),
            Self::Gpu => a.0.gpu.cmp(&b.0.gpu),
            Self::Model => a.0.model.cmp(&b.0.model),
            Self::Gpus => gpus(a.0).cmp(&gpus(b.0)),
            Self::Measured => by(&|_, row| row.measured_s),
            Self::Forecast => by(&|_, row| row.predicted_s.unwrap_or(absent)),
            Self::Error => by(&|_, row| error(row).map_or(absent, f64::abs)),
            Self::Interval => by(&|_, row| holds(row).map_or(absent, |holds| f64::from(u8::from(holds)))),
        }
    }
}

fn dash() -> String {
    "\u{2014}".to_owned()
}

fn gpus(run: &MeasuredRun) -> u32 {
    run.scenario.as_ref().map_or(0, |scenario| scenario.cluster.gpus)
}

/// Forecast over measured, less 1.
pub fn error(row: &RunResult) -> Option<f64> {
    row.predicted_s.map(|predicted| predicted / row.measured_s - 1.0)
}

/// Whether the 90 % interval holds the measured step.
pub fn holds(row: &RunResult) -> Option<bool> {
    let (low, high) = row.low_s.zip(row.high_s)?;
    Some((low..=high).contains(&row.measured_s))
}

/// A difference in percent, with its sign.
pub fn signed(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", number::percent(share))
}

/// What the reader asked of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunsQuery {
    /// What they are grouped by.
    pub key: RunsGrouping,
    /// The one group that is shown; empty for all.
    pub only: String,
    /// Words that a run must have, in lower case.
    pub find: String,
    /// Column that sorts.
    pub sort: RunsColumn,
    /// Greatest value on top.
    pub descending: bool,
    /// Page of the table, from 0.
    pub page: usize,
}

impl RunsQuery {
    /// What the view state asks; the worst forecasts come first by default.
    pub fn of(document: &Document) -> Self {
        let text = |key| document.extra(key).unwrap_or_default();
        let sort = match text(SORT) {
            "" => "-error",
            given => given,
        };
        let name = sort.trim_start_matches('-');
        Self {
            key: RunsGrouping::named(text(BY)),
            only: text(ONLY).to_owned(),
            find: text(FIND).trim().to_lowercase(),
            sort: RunsColumn::ALL
                .into_iter()
                .find(|column| column.key() == name)
                .unwrap_or(RunsColumn::Error),
            descending: sort.starts_with('-'),
            page: text(PAGE).parse::<usize>().unwrap_or(1).saturating_sub(1),
        }
    }

    /// Whether a run is shown.
    pub fn keeps(&self, run: &MeasuredRun) -> bool {
        let words =
            || [&run.id, &run.source, &run.stack, &run.gpu, &run.model].map(|text| text.to_lowercase());
        (self.only.is_empty() || self.key.of(run) == self.only)
            && (self.find.is_empty()
                || self.find.split_whitespace().all(|word| words().iter().any(|text| text.contains(word))))
    }

    /// Indices of the runs to show, in order.
    pub fn arrange(&self, runs: &[MeasuredRun], rows: &[RunResult]) -> Vec<usize> {
        let mut kept: Vec<(usize, (&MeasuredRun, &RunResult))> =
            runs.iter().zip(rows).enumerate().filter(|(_, (run, _))| self.keeps(run)).collect();
        kept.sort_by(|a, b| {
            let order = self.sort.compare(a.1, b.1);
            if self.descending { order.reverse() } else { order }
        });
        kept.into_iter().map(|(index, _)| index).collect()
    }

    /// View state that sorts by a column; by it already, the other way round.
    pub fn sorted_by(&self, column: RunsColumn) -> String {
        let greatest_first = !column.words() && column != RunsColumn::Interval;
        let descending = if self.sort == column { !self.descending } else { greatest_first };
        match (column, descending) {
            (RunsColumn::Error, true) => String::new(),
            (_, true) => format!("-{}", column.key()),
            (_, false) => column.key().to_owned(),
        }
    }
}

/// Runs by their error: left edge of each bar, and runs in it. Those beyond the ends are counted at them.
pub fn histogram(errors: impl Iterator<Item = f64>) -> Vec<(f64, u32)> {
    let bars = (2.0 * END / BAR).round() as usize;
    let mut counts = vec![0_u32; bars];
    for error in errors.filter(|error| !error.is_nan()) {
        let place = ((error.clamp(-END, END) + END) / BAR) as usize;
        if let Some(count) = counts.get_mut(place.min(bars - 1)) {
            *count += 1;
        }
    }
    counts.into_iter().enumerate().map(|(place, count)| (place as f64 * BAR - END, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str, gpu: &str, measured_s: f64, predicted_s: f64) -> (MeasuredRun, RunResult) {
        let run = MeasuredRun {
            id: id.to_owned(),
            source: "one".to_owned(),
            look: String::new(),
            stack: "nemo".to_owned(),
            gpu: gpu.to_owned(),
            model: "Llama3 8B".to_owned(),
            family: "llama".to_owned(),
            job: String::new(),
            measured_s,
            first: None,
            assumed: Vec::new(),
            dropped: false,
            doubted: false,
            scenario: Document::default().scenario().map_err(|_| String::new()),
        };
        let row = RunResult {
            id: id.to_owned(),
            source: "one".to_owned(),
            measured_s,
            predicted_s: Some(predicted_s),
            low_s: Some(predicted_s * 0.9),
            high_s: Some(predicted_s * 1.1),
            skipped: None,
            assumed: Vec::new(),
            dropped: false,
        };
        (run, row)
    }

    #[test]
    fn the_worst_come_first_until_asked_otherwise() {
        let (runs, rows): (Vec<_>, Vec<_>) =
            [run("a", "h100", 1.0, 1.05), run("b", "a100", 2.0, 1.0), run("c", "h100", 3.0, 3.3)]
                .into_iter()
                .unzip();
        let mut document = Document::default();
        assert_eq!(RunsQuery::of(&document).arrange(&runs, &rows), [1, 2, 0]);
        document.set_extra(SORT, "measured");
        let query = RunsQuery::of(&document);
        assert_eq!(query.arrange(&runs, &rows), [0, 1, 2]);
        assert_eq!(query.sorted_by(RunsColumn::Measured), "-measured");
        assert_eq!(query.sorted_by(RunsColumn::Error), "");
        document.set_extra(BY, "gpu");
        document.set_extra(ONLY, "h100");
        assert_eq!(RunsQuery::of(&document).arrange(&runs, &rows), [0, 2]);
        document.set_extra(FIND, "LLAMA3 c");
        assert_eq!(RunsQuery::of(&document).arrange(&runs, &rows), [2], "every word, in any column");
    }

    #[test]
    fn cells_say_how_far_off_and_whether_the_interval_holds() {
        let (run, row) = run("b", "a100", 2.0, 1.0);
        assert_eq!(RunsColumn::Error.text(&run, &row), "\u{2212}50.0\u{a0}%");
        assert_eq!(RunsColumn::Interval.text(&run, &row), "outside");
        assert_eq!(RunsColumn::Gpus.text(&run, &row), "512");
        assert_eq!(signed(0.02), "+2.0\u{a0}%");
    }

    #[test]
    fn every_error_has_a_bar() {
        let bars = histogram([-5.0, -0.001, 0.001, 0.299, 0.3, 9.0, f64::NAN].into_iter());
        assert_eq!(bars.len(), 24);
        assert_eq!(bars.iter().map(|bar| bar.1).sum::<u32>(), 6);
        assert_eq!((bars[0].1, bars[11].1, bars[12].1, bars[23].1), (1, 1, 1, 3));
    }
}
