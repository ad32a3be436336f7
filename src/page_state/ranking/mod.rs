//! The ranked table: which rows it shows, in which order, and what it says of each.

use super::columns::{ColumnReader, RankingColumn};
use super::filter::Filter;
use super::tables::Table;
use crate::forecast::Predictor;
use crate::memory::MemoryReport;
use crate::number;
use crate::order::places;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::{Candidate, Margin, families, first};
use crate::units::Seconds;
use core::cmp::Ordering;

/// What the reader asked of the table.
#[derive(Debug)]
pub struct RankingQuery {
    /// Columns that sort, the first before the others, and whether each has its greatest value on top.
    pub sort: Vec<(RankingColumn, bool)>,
    /// Rows to keep: those that all filters keep.
    pub filters: Vec<Filter>,
    /// Keep layouts that do not fit in memory.
    pub infeasible: bool,
    /// Numbers of layouts whose variants are rows of their own.
    pub unfolded: Vec<usize>,
    /// Share of memory to leave free.
    pub margin: Margin,
}

impl Default for RankingQuery {
    fn default() -> Self {
        Self {
            sort: vec![Self::FASTEST],
            filters: Vec::new(),
            infeasible: false,
            unfolded: Vec::new(),
            margin: Margin::default(),
        }
    }
}

/// A row of the table as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownRow {
    /// Index of its candidate.
    pub row: usize,
    /// Its number in the table, from 1; those that are folded under another count.
    pub rank: usize,
    /// Variants listed under the layout.
    pub alike: usize,
    /// It is a variant of the row above that has some.
    pub beneath: bool,
}

impl RankingQuery {
    /// The default order: fastest first.
    pub const FASTEST: (RankingColumn, bool) = (RankingColumn::STEP, false);

    /// The rows to show, in order; those that do not fit come last. Variants of a layout stand under the first of them
    /// ([`families`]).
    pub fn arrange(&self, rows: &[Candidate], job: &Scenario) -> Vec<ShownRow> {
        let infeasible = self.infeasible || self.filters.iter().any(Filter::wants_infeasible);
        let mut keepers: Vec<_> = self.filters.iter().map(|filter| filter.keeper(job)).collect();
        let mut kept: Vec<usize> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| (row.fits || infeasible) && keepers.iter_mut().all(|keeper| keeper.keeps(row)))
            .map(|entry| entry.0)
            .collect();
        // As they come they are the fastest first, and those that do not fit by what they lack.
        if self.sort != [Self::FASTEST] {
            kept = self.sort(rows, job, &kept);
        }
        self.fold(rows, &kept)
    }

    fn sort(&self, rows: &[Candidate], job: &Scenario, kept: &[usize]) -> Vec<usize> {
        let mut readers: Vec<ColumnReader> = self.sort.iter().map(|(column, _)| column.reader(job)).collect();
        let width = readers.len() + 1;
        let mut keys: Vec<f64> = Vec::with_capacity(kept.len() * width);
        for row in kept.iter().filter_map(|row| rows.get(*row)) {
            // Those that do not fit come last.
            keys.push(f64::from(u8::from(!row.fits)));
            for (reader, (_, descending)) in readers.iter_mut().zip(&self.sort) {
                let value = reader.value(row);
                keys.push(if *descending { -value } else { value });
            }
        }
        let of = |place: usize| keys.get(place * width..(place + 1) * width).unwrap_or_default();
        let order = places(kept.len(), &|one, two| {
            let pairs = of(one).iter().zip(of(two));
            pairs.map(|(one, two)| compare(*one, *two)).fold(Ordering::Equal, Ordering::then)
        });
        order.into_iter().filter_map(|place| kept.get(place).copied()).collect()
    }

    /// Puts variants of a layout under the first of them.
    fn fold(&self, rows: &[Candidate], kept: &[usize]) -> Vec<ShownRow> {
        let mut places = Vec::with_capacity(kept.len());
        for family in families(kept.iter().filter_map(|row| rows.get(*row)), self.margin) {
            let row = |place: usize| kept.get(place).copied().unwrap_or_default();
            let head = row(family.first);
            // The representative has the place of the first of them.
            let least = family.others.first().map_or(family.first, |other| family.first.min(*other));
            places.push(ShownRow { row: head, rank: least + 1, alike: family.others.len(), beneath: false });
            if rows.get(head).is_some_and(|row| self.unfolded.contains(&row.number)) {
                places.extend(family.others.iter().map(|other| {
                    let rank = if *other == least { family.first } else { *other } + 1;
                    ShownRow { row: row(*other), rank, alike: 0, beneath: true }
                }));
            }
        }
        places
    }
}

/// What the memory of a layout says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It leaves the requested margin free.
    Comfortable,
    /// It fits, and leaves less.
    Tight,
    /// It does not fit.
    Unfit,
}

impl Room {
    /// The class of a layout when this margin is to be left free.
    pub fn of(row: &Candidate, margin: Margin) -> Self {
        Self::when(row.fits, margin.is_left(row.room, row.fit_probability))
    }

    /// The class of a forecast layout.
    pub fn of_report(report: &MemoryReport, margin: Margin) -> Self {
        let room = 1.0 - report.peak_gib / report.usable_gib;
        Self::when(report.fits, margin.is_left(room, report.fit_probability))
    }

    fn when(fits: bool, leaves_margin: bool) -> Self {
        match (fits, leaves_margin) {
            (false, _) => Self::Unfit,
            (true, true) => Self::Comfortable,
            (true, false) => Self::Tight,
        }
    }
}

/// Rank of one layout among the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Place from 1 by step time; `None` when the layout is not among the rows.
    pub place: Option<usize>,
    /// The fastest layout that leaves the requested share of memory free; else the fastest that fits.
    pub best: Candidate,
    /// How much longer the layout takes than that one, as a share of that one's step; negative when it is faster.
    pub slower: f64,
}

/// Rank of a layout with this step time; `None` while no row fits.
pub fn standing(rows: &[Candidate], plan: &Plan, step_s: f64, margin: Margin) -> Option<Standing> {
    let fitting = || rows.iter().filter(|row| row.fits);
    let best = first(rows, margin)?;
    let current = fitting().find(|row| row.plan == *plan);
    Some(Standing {
        place: current.map(|row| 1 + fitting().filter(|other| other.step < row.step).count()),
        best: *best,
        slower: step_s / best.step.0 - 1.0,
    })
}

/// Where the layout on the form stands, in a sentence. `room` is that of the layout, `margin` the share of memory that is
/// to be left free.
pub fn verdict(standing: &Standing, step: Seconds, room: Room, margin: Margin) -> String {
    /// Difference that is not worth a word.
    const NOTHING: f64 = 0.0005;
    let reference = if standing.best.is_comfortable(margin) {
        format!("the fastest layout with {}", margin.words())
    } else {
        "the fastest layout that fits".to_owned()
    };
    let mut text = format!("Your layout takes {}: ", number::time(step));
    match standing.slower {
        slower if slower > NOTHING => {
            text.push_str(&format!("{} slower than {reference}", number::percent(slower)));
        }
        slower if slower < -NOTHING => {
            text.push_str(&format!("{} faster than {reference}", number::percent(-slower)));
        }
        _ if standing.place.is_some() => text.push_str(&format!("this is {reference}")),
        _ => text.push_str(&format!("as fast as {reference}")),
    }
    match (room, standing.place) {
        (Room::Unfit, _) => text.push_str(", but it does not fit in memory"),
        (Room::Tight, _) => text.push_str(", but it has less headroom"),
        (Room::Comfortable, Some(place)) if standing.slower > NOTHING => {
            text.push_str(&format!(", rank {}", number::integer(place as u64)));
        }
        (Room::Comfortable, None) => text.push_str(", not listed below"),
        (Room::Comfortable, Some(_)) => {}
    }
    text.push('.');
    text
}

/// The rows as a table to hand on, with the columns' keys as names and their values in the columns' units, and the ends of
/// the 90 % interval. `scenario` is the job whose layouts they are.
pub fn to_table(
    predictor: &Predictor<'_>,
    rows: &[Candidate],
    places: &[ShownRow],
    scenario: &Scenario,
) -> Table {
    let mut readers: Vec<ColumnReader> = RankingColumn::all().map(|column| column.reader(scenario)).collect();
    let mut head: Vec<String> = RankingColumn::all().map(name).collect();
    head.extend(["low_s", "high_s", "fits"].map(str::to_owned));
    let cells = |row: &Candidate| {
        let mut cells: Vec<String> = readers
            .iter_mut()
            .map(|reader| reader.text(row).replace([',', '\u{2026}'], "").replace('\u{2212}', "-"))
            .collect();
        let (low, high) = predictor.interval_ends(&Scenario { plan: row.plan, ..*scenario }, row.step);
        cells.extend([low, high].map(|end| number::significant(end.0, 4).replace(',', "")));
        cells.push(u8::from(row.fits).to_string());
        cells
    };
    let rows = places.iter().filter_map(|place| rows.get(place.row)).map(cells).collect();
    Table { caption: String::new(), head, rows }
}

/// Name of a column in a file: its key and unit.
fn name(column: RankingColumn) -> String {
    match column.unit() {
        "" | "/GPU" => column.key().to_owned(),
        "%" => format!("{}_percent", column.key()),
        unit => format!("{}_{}", column.key(), unit.to_ascii_lowercase()),
    }
}

/// By size; what is not known comes last.
fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
pub(super) mod tests;
