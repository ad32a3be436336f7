//! What is left out: rows of stacks one by one, and constants.

use super::runs::Names;
use std::collections::{BTreeMap, BTreeSet};
use stepcast::constants::{Constants, Evidence, REGISTRY};
use stepcast::scenario::stack::ablate::ProfileChange;

/// One row, or one constant.
pub(crate) struct Case {
    /// Which table it stands in.
    pub(crate) table: &'static str,
    /// Name of the constant, or stack, month, key and value of the row.
    pub(crate) name: String,
    /// Key of the row; empty for a constant.
    pub(crate) key: String,
    /// What stands for it.
    pub(crate) instead: String,
    /// Where it comes from.
    pub(crate) source: String,
    /// Whether whoever chose the value saw the runs that constants were fitted to.
    fitted: bool,
    pub(crate) without: Without,
}

/// What is otherwise without it.
pub(crate) enum Without {
    /// Stacks from month to month.
    Row(Vec<ProfileChange>),
    /// The constants.
    Constant(Box<Constants>),
}

/// The table of stacks and that of constants, as the document calls them.
pub(crate) const STACKS: &str = "data/stacks.tsv";
pub(crate) const CONSTANTS: &str = "data/constants.tsv";

/// The file of runs that constants are fitted to: they are of no look.
const FITTED: &str = "runs.csv";

/// Studies behind constants that were chosen with that file in view.
const STUDY: &str = "the calibration study";

impl Case {
    /// Whether it is a fitted constant that has its neutral value today.
    pub(crate) fn is_neutral(&self) -> bool {
        self.fitted
            && matches!(&self.without, Without::Constant(constants) if **constants == Constants::SHIPPED)
    }

    /// Names that it was chosen on: those of the looks and the file that its source cites, those that it cites by name, and all of the fitted runs
    /// where it is fitted or a judgement with them in view.
    pub(crate) fn chosen<'a>(&self, names: &'a Names) -> BTreeSet<&'a str> {
        let words: BTreeSet<&str> =
            self.source.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).collect();
        let words: BTreeSet<&str> = words.iter().map(|word| word.trim_end_matches('.')).collect();
        let cites = |look: &str| match look {
            "" => self.fitted || self.source.contains(STUDY) || words.contains(FITTED),
            look => self.source.contains(&format!("look {look}")),
        };
        let of_looks = names.of_looks.iter().filter(|(look, _)| cites(look)).flat_map(|(_, names)| names);
        let by_name = names.errors.keys().filter(|name| words.contains(name.as_str()));
        of_looks.chain(by_name).map(String::as_str).collect()
    }
}

/// A file.
pub(crate) fn text(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))
}

/// Rows of stacks that something stands for, and names of those that nothing does.
pub(crate) fn rows(text: &str) -> Result<(Vec<Case>, Vec<Case>), String> {
    let (mut cases, mut kept): (Vec<Case>, Vec<Case>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let wrong = || format!("cannot read {line:?}");
        match cells.as_slice() {
            [mark @ ("row" | "kept"), stack, since, key, value, source] => {
                let month = if since.is_empty() { String::new() } else { format!(" {since}") };
                let case = Case {
                    table: STACKS,
                    name: format!("{stack}{month} {key} {value}"),
                    key: (*key).to_owned(),
                    instead: String::new(),
                    source: (*source).to_owned(),
                    fitted: false,
                    without: Without::Row(Vec::new()),
                };
                if *mark == "row" { cases.push(case) } else { kept.push(case) }
            }
            ["at", stack, month] => {
                let (year, month) = month.split_once('-').ok_or_else(wrong)?;
                let since = (year.parse().map_err(|_| wrong())?, month.parse().map_err(|_| wrong())?);
                let change = ProfileChange { stack: (*stack).to_owned(), since, values: Vec::new() };
                changes(&mut cases).ok_or_else(wrong)?.push(change);
            }
            ["set", key, value] => {
                let last = cases.last_mut().ok_or_else(wrong)?;
                if !last.instead.split(", ").any(|said| said == *value) {
                    let comma = if last.instead.is_empty() { "" } else { ", " };
                    last.instead += &format!("{comma}{value}");
                }
                let change = changes(&mut cases).and_then(|changes| changes.last_mut()).ok_or_else(wrong)?;
                change.values.push(((*key).to_owned(), (*value).to_owned()));
            }
            _ => return Err(wrong()),
        }
    }
    Ok((cases, kept))
}

fn changes(cases: &mut [Case]) -> Option<&mut Vec<ProfileChange>> {
    match &mut cases.last_mut()?.without {
        Without::Row(changes) => Some(changes),
        Without::Constant(_) => None,
    }
}

/// Constants that have a neutral value: a number, or another constant's; and those that have none.
pub(crate) fn constants(text: &str) -> Result<(Vec<Case>, Vec<Case>), String> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut neutral: BTreeMap<&str, &str> = lines.filter_map(|line| line.split_once('\t')).collect();
    let find = |name: &str| REGISTRY.iter().find(|entry| entry.name == name);
    let (mut cases, mut kept) = (Vec::new(), Vec::new());
    for entry in REGISTRY {
        let mut case = Case {
            table: CONSTANTS,
            name: entry.name.to_owned(),
            key: String::new(),
            instead: String::new(),
            source: entry.source.to_owned(),
            fitted: matches!(entry.evidence, Evidence::Fitted { .. } | Evidence::Assumed),
            without: Without::Constant(Box::new(Constants::SHIPPED)),
        };
        let Some(other) = neutral.remove(entry.name) else {
            kept.push(case);
            continue;
        };
        let value = match (other.parse::<f64>(), find(other)) {
            (Ok(value), _) => value,
            (_, Some(other)) => (other.get)(&Constants::SHIPPED),
            _ => return Err(format!("{}: {other:?} is neither a number nor a constant", entry.name)),
        };
        let mut constants = Constants::SHIPPED;
        (entry.set)(&mut constants, value);
        (case.instead, case.without) = (other.to_owned(), Without::Constant(Box::new(constants)));
        cases.push(case);
    }
    match neutral.keys().next() {
        Some(unknown) => Err(format!("there is no constant {unknown}")),
        None => Ok((cases, kept)),
    }
}
