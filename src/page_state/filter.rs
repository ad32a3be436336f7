//! Filter expressions over the ranked table: `tp=8 pp>=4 mem<70 rc=none,selective dp=8..64`.
//!
//! Terms are separated by blanks and must all hold. A term is `column operator value`; the value of
//! `=` and `!=` may be a list (`4,8`) or a range (`8..64`, ends included). `fits` and `!fits` stand alone.

use super::columns::Column;
use crate::decimal;
use crate::tuner::Candidate;

/// A parsed expression. The empty expression keeps every row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Fits(bool),
    Within { column: Column, ranges: Vec<(f64, f64)>, wanted: bool },
}

impl Filter {
    /// Parses an expression.
    ///
    /// # Errors
    /// A sentence that names the term which could not be read and what would be legal there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for word in join_operators(text) {
            terms.push(term(&word)?);
        }
        Ok(Self { terms })
    }

    /// Whether the row stays.
    pub fn keeps(&self, row: &Candidate) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Fits(wanted) => row.fits == *wanted,
            Term::Within { column, ranges, wanted } => {
                let value = column.value(row);
                ranges.iter().any(|range| range.0 <= value && value <= range.1) == *wanted
            }
        })
    }

    /// Whether the expression speaks of layouts that do not fit, so that they must be on the table.
    pub fn wants_infeasible(&self) -> bool {
        self.terms.contains(&Term::Fits(false))
    }
}

/// Splits at blanks, but not at those next to an operator or comma: `tp >= 8` is one term.
fn join_operators(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split([' ', '\t', '\u{a0}', '\n', '&', ';']).filter(|word| !word.is_empty()) {
        let continues = |c: char| "=<>,:".contains(c);
        let joined = words.last().is_some_and(|last| last.ends_with(continues))
            || word.starts_with(continues)
            || word.starts_with("!=");
        match words.last_mut() {
            Some(last) if joined => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn term(word: &str) -> Result<Term, String> {
    match word.to_ascii_lowercase().as_str() {
        "fits" => return Ok(Term::Fits(true)),
        "!fits" => return Ok(Term::Fits(false)),
        _ => {}
    }
    let operator_at = word.find(['=', '<', '>', ':', '!']);
    let Some((name, rest)) = operator_at.and_then(|at| word.split_at_checked(at)) else {
        return Err(unreadable(word));
    };
    let Some(column) = Column::from_key(name) else {
        return Err(format!("There is no column \u{201c}{name}\u{201d}. Columns: {}.", names()));
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
fn range(column: Column, text: &str) -> Option<(f64, f64)> {
    if let Some((low, high)) = text.split_once("..") {
        let low = if low.is_empty() { f64::NEG_INFINITY } else { number(column, low)? };
        let high = if high.is_empty() { f64::INFINITY } else { number(column, high)? };
        return Some((low, high));
    }
    let value = number(column, text)?;
    Some((value, value))
}

fn number(column: Column, text: &str) -> Option<f64> {
    let word = column.words().iter().find(|word| word.0.eq_ignore_ascii_case(text));
    if let Some(word) = word {
        return Some(word.1);
    }
    let text = text.trim_end_matches(['%', 's']);
    decimal::parse(text).filter(|value| value.is_finite())
}

fn unreadable(word: &str) -> String {
    format!(
        "\u{201c}{word}\u{201d} is not a filter. Write a column, an operator and a value, such as tp=8 or mem<70."
    )
}

fn bad_value(column: Column, value: &str) -> String {
    let key = column.key();
    let legal = match column.words() {
        [] => "a number, a list such as 4,8 or a range such as 8..64".to_owned(),
        words => words.iter().map(|word| word.0).collect::<Vec<_>>().join(", "),
    };
    format!("\u{201c}{value}\u{201d} is not a value of {key}; use {legal}.")
}

fn names() -> String {
    let mut names: Vec<_> = Column::ALL.iter().map(|column| column.key()).collect();
    names.push("fits");
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::ranking::tests::candidate;
    use super::*;

    fn keeps(text: &str, tensor: u32, step: f64, fits: bool) -> bool {
        let filter = Filter::parse(text).expect("a legal expression");
        filter.keeps(&candidate(tensor, step, fits))
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
    fn errors_say_what_is_legal() {
        for (text, part) in [
            ("width=8", "There is no column \u{201c}width\u{201d}"),
            ("tp=eight", "\u{201c}eight\u{201d} is not a value of tp"),
            ("rc=most", "none, selective, full"),
            ("hello", "is not a filter"),
            ("tp=", "is not a value"),
            ("tp=1e999", "is not a value"),
            ("tp!8", "is not a filter"),
            (">=8", "There is no column"),
        ] {
            let message = Filter::parse(text).expect_err("an illegal expression");
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
