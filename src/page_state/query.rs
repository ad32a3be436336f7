//! What the link's view state asks of the ranked table, and how headings and filters change it.

use super::columns::{RankingColumn, columns};
use super::filter::Filter;
use super::ranking::{RankingQuery, ShownRow};
use crate::document::Document;
use crate::planned::Searched;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::{Candidate, are_alike};

/// Key of the view state: columns that sort, with commas between them; `-` before one with the greatest value on top.
pub const SORT: &str = "sort";
/// Key of the view state: filter expression.
pub const FILTER: &str = "filter";
/// Key of the view state: `1` shows layouts that do not fit.
pub const INFEASIBLE: &str = "all";
/// Key of the view state: columns that are shown besides the usual, and, after a `-`, hidden.
pub const COLUMNS: &str = "cols";
/// Key of the view state: numbers of layouts whose variants are rows of their own.
pub const UNFOLDED: &str = "eq";

/// What is wrong with filters: where, and in a sentence. Nowhere is the filter of all columns.
pub type Wrong = Vec<(Option<RankingColumn>, String)>;

/// What the document's view state asks of the ranked table, and what is wrong with its filters.
pub fn query(document: &Document) -> (RankingQuery, Wrong) {
    let text = |key: &str| document.extra(key).unwrap_or_default();
    let margin = Searched::of(document).margin;
    let mut query = RankingQuery { infeasible: text(INFEASIBLE) == "1", margin, ..RankingQuery::default() };
    let sort: Vec<_> = text(SORT)
        .split(',')
        .filter_map(|word| {
            Some((RankingColumn::from_key(word.trim_start_matches('-'))?, word.starts_with('-')))
        })
        .collect();
    if !sort.is_empty() {
        query.sort = sort;
    }
    query.unfolded = text(UNFOLDED).split(',').filter_map(|word| word.parse().ok()).collect();
    let mut wrong = Vec::new();
    let mut take = |place, filter: Result<Filter, String>| match filter {
        Ok(filter) if !filter.is_empty() => query.filters.push(filter),
        Ok(_) => {}
        Err(sentence) => wrong.push((place, sentence)),
    };
    take(None, Filter::parse(text(FILTER)));
    for column in RankingColumn::all() {
        let text = text(column.filter_key());
        if !text.is_empty() {
            take(Some(column), Filter::of_column(column, text));
        }
    }
    (query, wrong)
}

/// The table as a document's view state has it.
#[derive(Debug)]
pub struct Arranged {
    /// What was asked.
    pub query: RankingQuery,
    /// What is wrong with its filters.
    pub wrong: Wrong,
    /// Contents by place.
    pub places: Vec<ShownRow>,
    /// The columns.
    pub columns: Vec<RankingColumn>,
    /// Changes when the order of rows changes.
    pub key: String,
}

impl Arranged {
    /// Arranges the rows of a job.
    pub fn new(rows: &[Candidate], document: &Document, job: &Scenario) -> Self {
        let text = |key: &str| document.extra(key).unwrap_or_default();
        let (query, wrong) = query(document);
        let mut key = [SORT, FILTER, INFEASIBLE].map(text).join(";");
        RankingColumn::all().for_each(|column| key.push_str(text(column.filter_key())));
        let places = query.arrange(rows, job);
        Self { query, wrong, places, columns: columns(rows, job, text(COLUMNS)), key }
    }
}

impl Arranged {
    /// A layout's row in the table: its own, or the row that it is listed under.
    pub fn place_of(&self, rows: &[Candidate], plan: &Plan) -> Option<usize> {
        let own = rows.iter().find(|row| row.plan == *plan)?;
        let shown = |is: &dyn Fn(&Candidate) -> bool| {
            self.places.iter().position(|place| rows.get(place.row).is_some_and(is))
        };
        shown(&|row| row.plan == *plan).or_else(|| shown(&|row| are_alike(row, own, self.query.margin)))
    }
}

/// View state that sorts by a column: its better end on top, or the other end when it is so already. `more` sorts by it
/// after the columns that sort now; otherwise by it alone.
pub fn sorted_by(query: &RankingQuery, column: RankingColumn, more: bool) -> String {
    let place = query.sort.iter().position(|sorted| sorted.0 == column);
    let sorts = place.filter(|place| more || *place == 0);
    let descending = match sorts.and_then(|place| query.sort.get(place)) {
        Some((_, descending)) => !descending,
        None => column.greatest_first(),
    };
    let mut sort = if more { query.sort.clone() } else { Vec::new() };
    match sort.iter_mut().find(|sorted| sorted.0 == column) {
        Some(sorted) => sorted.1 = descending,
        None => sort.push((column, descending)),
    }
    if sort == [RankingQuery::FASTEST] {
        return String::new();
    }
    let word = |(column, descending): &(RankingColumn, bool)| {
        format!("{}{}", if *descending { "-" } else { "" }, column.key())
    };
    sort.iter().map(word).collect::<Vec<_>>().join(",")
}

/// The view state [`UNFOLDED`] once the variants of a layout are shown, or put away.
pub fn unfolded_with(query: &RankingQuery, number: usize) -> String {
    let mut numbers: Vec<usize> = query.unfolded.iter().copied().filter(|other| *other != number).collect();
    if numbers.len() == query.unfolded.len() {
        numbers.push(number);
    }
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> (RankingQuery, Wrong) {
        let mut document = Document::default();
        for (key, text) in pairs {
            document.set_extra(key, text);
        }
        query(&document)
    }

    fn column(key: &str) -> RankingColumn {
        RankingColumn::from_key(key).expect("a column")
    }

    #[test]
    fn headings_sort_by_the_better_end_first_and_then_turn() {
        let mut query = RankingQuery::default();
        assert_eq!(sorted_by(&query, RankingColumn::STEP, false), "-step");
        assert_eq!(sorted_by(&query, column("mfu"), false), "-mfu");
        query.sort = vec![(column("mfu"), true)];
        assert_eq!(sorted_by(&query, column("mfu"), false), "mfu");
        assert_eq!(sorted_by(&query, RankingColumn::STEP, false), "", "the default is left out of the link");
    }

    #[test]
    fn a_second_column_sorts_after_the_first() {
        let (query, wrong) = with(&[(SORT, "pp,-mem,nothing")]);
        assert_eq!(
            (query.sort.as_slice(), wrong.len()),
            ([(column("pp"), false), (RankingColumn::MEMORY, true)].as_slice(), 0)
        );
        assert_eq!(sorted_by(&query, column("tp"), true), "pp,-mem,tp");
        assert_eq!(sorted_by(&query, RankingColumn::MEMORY, true), "pp,mem");
        assert_eq!(sorted_by(&query, RankingColumn::MEMORY, false), "mem", "alone it begins anew");
    }

    #[test]
    fn filters_of_columns_stand_beside_that_of_all() {
        let (query, wrong) = with(&[(FILTER, "tp=8"), ("f.pp", ">=4"), ("f.mem", "much")]);
        assert_eq!(query.filters.len(), 2);
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].0 == Some(RankingColumn::MEMORY) && wrong[0].1.contains("much"), "{wrong:?}");
        assert!(with(&[(FILTER, "nonsense")]).1[0].0.is_none());
    }

    #[test]
    fn variants_are_unfolded_and_folded() {
        let (query, _) = with(&[(UNFOLDED, "7,12,x")]);
        assert_eq!(query.unfolded, [7, 12]);
        assert_eq!(unfolded_with(&query, 12), "7");
        assert_eq!(unfolded_with(&query, 3), "7,12,3");
    }
}
