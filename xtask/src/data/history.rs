//! Tables that say one thing in a row: of what, since when, a key and its value. A stack's own rows replace those of its kind.

use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Kind of what is no stack, and name under which the rows of all such are found.
pub(super) const LIBRARY: &str = "library";

/// Year and month.
pub(super) type Month = (u16, u8);

/// Before all releases.
pub(super) const ALWAYS: Month = (0, 0);

/// One row.
#[derive(Clone, Copy)]
pub(super) struct Fact<'a> {
    pub(super) stack: &'a str,
    pub(super) since: Month,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    pub(super) row: &'a Row,
}

/// All rows.
pub(super) struct Facts<'a>(pub(super) Vec<Fact<'a>>);

impl<'a> Facts<'a> {
    /// The rows of a table, whose keys are `known`: of libraries or not.
    pub(super) fn read(sheet: &'a Sheet, known: impl Fn(bool, &str) -> bool) -> Result<Self> {
        let mut facts: Vec<Fact<'a>> = sheet.rows.iter().map(fact).collect::<Result<_>>()?;
        let libraries: Vec<&str> = facts
            .iter()
            .filter(|fact| (fact.key, fact.value) == ("kind", LIBRARY))
            .map(|fact| fact.stack)
            .collect();
        for (at, fact) in facts.iter().enumerate() {
            let above = facts.get(..at).unwrap_or_default();
            let same = |other: &Fact<'_>| {
                (other.stack, other.since, other.key) == (fact.stack, fact.since, fact.key)
            };
            if above.iter().any(same) {
                return Err(fact.row.wrong("key", &format!("{} stands twice in a month", fact.key)));
            }
            let listed = fact.value == LIBRARY || above.iter().any(|other| other.stack == fact.value);
            if fact.key == "kind" && !listed {
                return Err(fact.row.wrong("value", &format!("no rows of {} above", fact.value)));
            }
            if fact.key != "kind" && !known(libraries.contains(&fact.stack), fact.key) {
                return Err(fact.row.wrong("key", &format!("there is no {}", fact.key)));
            }
        }
        facts.retain(|fact| fact.value != LIBRARY);
        for fact in facts.iter_mut().filter(|fact| libraries.contains(&fact.stack)) {
            fact.stack = LIBRARY;
        }
        Ok(Self(facts))
    }

    /// Names of stacks and kinds, in their order.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for fact in &self.0 {
            if fact.stack != LIBRARY && !names.contains(&fact.stack) {
                names.push(fact.stack);
            }
        }
        names
    }

    /// The last row of a stack's own, of those from a month to another.
    pub(super) fn own(&self, stack: &str, key: &str, from: Month, to: Month) -> Option<&Fact<'a>> {
        let mine =
            |fact: &&Fact<'_>| fact.stack == stack && fact.key == key && (from..=to).contains(&fact.since);
        self.0.iter().filter(mine).max_by_key(|fact| fact.since)
    }

    /// What a stack is in a month; nothing for the one that all others are.
    pub(super) fn kind(&self, stack: &str, at: Month) -> Option<&Fact<'a>> {
        self.own(stack, "kind", ALWAYS, at)
    }

    /// The row that holds in a month: the stack's, of those since it is of its kind, else the kind's.
    pub(super) fn held(&self, stack: &str, key: &str, at: Month) -> Result<&Fact<'a>> {
        let kind = self.kind(stack, at);
        let since = kind.map_or(ALWAYS, |kind| kind.since);
        match (self.own(stack, key, since, at), kind) {
            (Some(own), _) => Ok(own),
            (None, Some(kind)) => self.held(kind.value, key, at),
            (None, None) => Err(format!("{stack} has no row of {key}")),
        }
    }

    /// Months in which something may change, in order.
    pub(super) fn months(&self, stack: &str) -> Vec<Month> {
        let own = self.0.iter().filter(|fact| fact.stack == stack);
        let mut months: Vec<Month> = own
            .flat_map(|fact| {
                let inherited = if fact.key == "kind" { self.months(fact.value) } else { Vec::new() };
                inherited.into_iter().chain([fact.since])
            })
            .filter(|month| *month != ALWAYS)
            .collect();
        months.sort_unstable();
        months.dedup();
        months
    }
}

fn fact(row: &Row) -> Result<Fact<'_>> {
    row.filled("source")?;
    let month = |text: &str| {
        let (year, month) = text.split_once('-')?;
        let digits = year.len() == 4 && month.len() == 2;
        let parsed = (year.parse::<u16>().ok()?, month.parse::<u8>().ok()?);
        (digits && (1..=12).contains(&parsed.1)).then_some(parsed)
    };
    let since = match row.cell("since")? {
        "" => ALWAYS,
        text => {
            month(text).ok_or_else(|| row.wrong("since", &format!("{text:?} is no month such as 2025-05")))?
        }
    };
    let (stack, key) = (row.filled("stack")?, row.filled("key")?);
    Ok(Fact { stack, since, key, value: row.filled("value")?, row })
}
