//! Filter expressions over the ranked table: `tp=8 pp>=4 mem<70 rc=none,selective dp=8..64 || mfu>50`.
//!
//! Terms are separated by blanks (or `&&`) and must all hold; `||` separates groups of terms of which one must. A term is
//! `column operator value`; the value of `=` and `!=` may be a list (`4,8`) or a range (`8..64`, ends included). `fits`
//! stands alone. `!` before a term says that it must not hold.
//!
//! The filter of one column is written without its name: `>=8`, `8..64`, `!4`, `2 || >=16`.

use super::columns::{ColumnReader, RankingColumn};
use crate::decimal;
use crate::scenario::Scenario;
use crate::tuner::Candidate;

/// A parsed expression. The empty expression keeps every row.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Groups, one of which must hold; none keeps everything.
    groups: Vec<Vec<Term>>,
}

#[derive(Debug, Clone)]
enum Term {
    Fits(bool),
    Within { column: RankingColumn, ranges: Vec<(f64, f64)>, wanted: bool },
}

impl Filter {
    /// Parses an expression.
    ///
    /// # Errors
    /// A sentence that names the term which could not be read and what would be legal there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let begins = |word: &str| word.starts_with(CONTINUE) || word.starts_with("!=");
        Self::of(text, &begins, &|word| term(&word))
    }

    /// Parses the filter of one column, in which its name is left out.
    ///
    /// # Errors
    /// The same sentences.
    pub fn of_column(column: RankingColumn, text: &str) -> Result<Self, String> {
        let key = column.key();
        // An operator begins another term here.
        Self::of(text, &|word| word.starts_with(','), &|word| {
            let (negation, rest) = word.strip_prefix('!').map_or(("", word.as_str()), |rest| ("!", rest));
            let operator = if rest.starts_with(['=', '<', '>', ':']) { "" } else { "=" };
            term(&format!("{negation}{key}{operator}{rest}"))
        })
    }

    /// `joins` says which words go on with the term before.
    fn of(
        text: &str,
        joins: &dyn Fn(&str) -> bool,
        term: &dyn Fn(String) -> Result<Term, String>,
    ) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut groups = Vec::new();
        for part in text.split("||") {
            let mut group = Vec::new();
            for word in join_operators(part, joins) {
                group.push(term(word)?);
            }
            if group.is_empty() {
                return Err("Add a filter on both sides of ||.".to_owned());
            }
            groups.push(group);
        }
        Ok(Self { groups })
    }

    /// What says of a job's layouts whether they stay.
    pub fn keeper(&self, job: &Scenario) -> Keeper {
        let test = |term: &Term| match term {
            Term::Fits(wanted) => Test::Fits(*wanted),
            Term::Within { column, ranges, wanted } => {
                Test::Within(Box::new(column.reader(job)), ranges.clone(), *wanted)
            }
        };
        Keeper { groups: self.groups.iter().map(|group| group.iter().map(test).collect()).collect() }
    }

    /// Whether it keeps every row.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether the expression speaks of layouts that do not fit, so that they must be on the table.
    pub fn wants_infeasible(&self) -> bool {
        self.groups.iter().flatten().any(|term| matches!(term, Term::Fits(false)))
    }
}

/// Says which rows stay.
#[derive(Debug, Clone)]
pub struct Keeper {
    groups: Vec<Vec<Test>>,
}

#[derive(Debug, Clone)]
enum Test {
    Fits(bool),
    Within(Box<ColumnReader>, Vec<(f64, f64)>, bool),
}

impl Keeper {
    /// Whether the row stays.
    pub fn keeps(&mut self, row: &Candidate) -> bool {
        let holds = |test: &mut Test| match test {
            Test::Fits(wanted) => row.fits == *wanted,
            Test::Within(reader, ranges, wanted) => {
                let value = reader.value(row);
                ranges.iter().any(|range| range.0 <= value && value <= range.1) == *wanted
            }
        };
        self.groups.is_empty() || self.groups.iter_mut().any(|group| group.iter_mut().all(holds))
    }
}

/// What a term goes on after, and with.
const CONTINUE: [char; 5] = ['=', '<', '>', ',', ':'];

/// Splits at blanks, but not at those next to an operator or comma: `tp >= 8` is one term.
fn join_operators(text: &str, joins: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split([' ', '\t', '\u{a0}', '\n', '&', ';']).filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(last) if last.ends_with(CONTINUE) || joins(word) => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn term(word: &str) -> Result<Term, String> {
    if let Some(rest) = word.strip_prefix('!') {
        return Ok(match term(rest)? {
            Term::Fits(wanted) => Term::Fits(!wanted),
            Term::Within { column, ranges, wanted } => Term::Within { column, ranges, wanted: !wanted },
        });
    }
    if word.eq_ignore_ascii_case("fits") {
        return Ok(Term::Fits(true));
    }
    let operator_at = word.find(['=', '<', '>', ':', '!']);
    let Some((name, rest)) = operator_at.and_then(|at| word.split_at_checked(at)) else {
        return Err(unreadable(word));
    };
    let Some(column) = RankingColumn::from_key(name) else {
        return Err(format!("Unknown column \u{201c}{name}\u{201d}. Columns: {}.", names()));
    };
    let operators = ["!=", "<=", ">=", "==", "=", "<", ">", ":"];
    let Some((operator, value)) =
        operators.iter().find_map(|operator| Some((*operator, rest.strip_prefix(operator)?)))
    else {
        return Err(unreadable(word));
    };
    let ranges = match operator {
        "<" | ">" | "<=" | ">=" => {
            let bound = number(column, value).ok_or_else(|| bad_value(column, value))?;
            vec![match operator {
                "<" => (f64::NEG_INFINITY, bound.next_down()),
                "<=" => (f64::NEG_INFINITY, bound),
                ">" => (bound.next_up(), f64::INFINITY),
                _ => (bound, f64::INFINITY),
            }]
        }
        _ => {
            let ranges: Option<Vec<_>> = value.split(',').map(|part| range(column, part)).collect();
            ranges.ok_or_else(|| bad_value(column, value))?
        }
    };
    Ok(Term::Within { column, ranges, wanted: operator != "!=" })
}

/// `8..64`, `8..`, `..64` or one value; a value with decimals matches what prints as it.
fn range(column: RankingColumn, text: &str) -> Option<(f64, f64)> {
    if let Some((low, high)) = text.split_once("..") {
        let low = if low.is_empty() { f64::NEG_INFINITY } else { number(column, low)? };
        let high = if high.is_empty() { f64::INFINITY } else { number(column, high)? };
        return Some((low, high));
    }
    let value = number(column, text)?;
    Some((value, value))
}

fn number(column: RankingColumn, text: &str) -> Option<f64> {
    if let Some(value) = column.word(text) {
        return Some(value);
    }
    let text = text.trim_end_matches(['%', 's']);
    decimal::parse(text).filter(|value| value.is_finite())
}

fn unreadable(word: &str) -> String {
    format!(
        "\u{201c}{word}\u{201d} is not a filter. Write a column, an operator and a value, such as tp=8 or mem<70."
    )
}

fn bad_value(column: RankingColumn, value: &str) -> String {
    let key = column.key();
    let mut legal = column.words().map(|word| word.0).collect::<Vec<_>>().join(", ");
    if legal.is_empty() {
        legal.push_str("a number, a list such as 4,8 or a range such as 8..64");
    }
    format!("\u{201c}{value}\u{201d} is not valid for {key}. Use {legal}.")
}

fn names() -> String {
    let mut names: Vec<_> = RankingColumn::all().map(RankingColumn::key).collect();
    names.push("fits");
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::ranking::tests::candidate;
    use super::*;
    use crate::document::Document;

    fn keeps(text: &str, tensor: u32, step: f64, fits: bool) -> bool {
        let filter = Filter::parse(text).expect("a legal expression");
        filter.keeper(&job()).keeps(&candidate(tensor, step, fits))
    }

    fn job() -> Scenario {
        Document::default().scenario().expect("possible")
    }

    #[test]
    fn operators_lists_and_ranges() {
        assert!(keeps("", 8, 1.0, false));
        assert!(keeps("tp=8", 8, 1.0, true) && !keeps("tp=8", 4, 1.0, true));
        assert!(keeps("tp != 8", 4, 1.0, true) && !keeps("tp!=8", 8, 1.0, true));
        assert!(keeps("TP >= 4 step<2", 4, 1.9, true) && !keeps("tp>=4 step<2", 4, 2.0, true));
        assert!(keeps("tp=2,8", 8, 1.0, true) && !keeps("tp=2, 8", 4, 1.0, true));
        assert!(keeps("tp=2..8", 4, 1.0, true) && !keeps("tp=2..8", 16, 1.0, true));
        assert!(keeps("tp=..8", 1, 1.0, true) && keeps("tp:8..", 64, 1.0, true));
        assert!(keeps("rc=full,none", 1, 1.0, true) && !keeps("rc=full", 1, 1.0, true));
        assert!(
            keeps("fits", 1, 1.0, true) && keeps("!fits", 1, 1.0, false) && !keeps("!fits", 1, 1.0, true)
        );
    }

    #[test]
    fn one_of_several_groups_must_hold_and_a_term_may_be_turned_around() {
        assert!(keeps("tp=8 step<2 || tp=2", 2, 9.0, true) && !keeps("tp=8 step<2||tp=2", 8, 9.0, true));
        assert!(keeps("!tp=8", 4, 1.0, true) && !keeps("!tp=8", 8, 1.0, true));
        assert!(keeps("tp>=4 && step<2", 8, 1.0, true) && keeps("sched=1f1b split=even", 8, 1.0, true));
        assert!(Filter::parse("!fits || tp=8").expect("legal").wants_infeasible());
        for text in ["|| tp=8", "tp=8 ||", "tp=8 || || tp=4"] {
            assert!(Filter::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_column_has_a_filter_without_its_name() {
        let column = RankingColumn::from_key("tp").expect("a column");
        let keeps = |text: &str, tensor| {
            let filter = Filter::of_column(column, text).expect("legal");
            filter.keeper(&job()).keeps(&candidate(tensor, 1.0, true))
        };
        for (text, kept) in [
            ("", [true, true, true]),
            ("8", [false, false, true]),
            (">=4", [false, true, true]),
            ("!4", [true, false, true]),
            ("!= 4", [true, false, true]),
            ("2..4", [true, true, false]),
            (">= 2 <8", [true, true, false]),
            ("2 || >4", [true, false, true]),
            ("2,8", [true, false, true]),
        ] {
            assert_eq!([2, 4, 8].map(|tensor| keeps(text, tensor)), kept, "{text}");
        }
        assert!(Filter::of_column(column, "many").expect_err("no number").contains("is not valid for tp"));
        assert!(Filter::of_column(column, ">=").is_err());
    }

    #[test]
    fn errors_say_what_is_legal() {
        for (text, part) in [
            ("width=8", "Unknown column \u{201c}width\u{201d}"),
            ("tp=eight", "\u{201c}eight\u{201d} is not valid for tp"),
            ("rc=most", "none, selective, full"),
            ("sched=best", "1f1b"),
            ("hello", "is not a filter"),
            ("tp=", "is not valid"),
            ("tp=1e999", "is not valid"),
            ("tp!8", "is not a filter"),
            (">=8", "Unknown column"),
        ] {
            let message = Filter::parse(text).expect_err("an illegal expression");
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
