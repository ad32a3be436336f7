//! Stacks without a row of their table each, and what sets a field by the texts of a row: for `cargo xtask ablate`.

use super::{ALWAYS, Facts, LIBRARIES, LIBRARY, PROFILE, Sheet, Value, known, literal};
use crate::project::Result;

/// Kind of a stack that has no row.
const MOST: &str = "any";

/// Keys that name a stack, and those of what runs are measured: no forecast of a step hangs on them.
const NAMES: [&str; 3] = ["label", "doc", "runs"];

/// For every row that something can be without, a line with its cells, and behind it lines of stacks, months, and keys with values:
/// what those stacks would do from that month on. A row whose stack has nothing to fall back on is a line of its own.
pub(in crate::data) fn without(sheet: &Sheet) -> Result<String> {
    let facts = Facts::read(sheet, known)?;
    let mut out = String::new();
    for (at, fact) in facts.0.iter().enumerate() {
        if NAMES.contains(&fact.key) || (fact.key, fact.value) == ("kind", MOST) {
            continue;
        }
        let changed = changes(&facts, &left(&facts, at))?;
        let mark = if changed.is_some() { "row" } else { "kept" };
        let [stack, since] = [fact.row.cell("stack")?, fact.row.cell("since")?];
        out += &[mark, stack, since, fact.key, fact.value, fact.row.cell("source")?].join("\t");
        out.push('\n');
        out += &changed.unwrap_or_default();
    }
    Ok(out)
}

/// All rows but one; a stack without a kind is what most are.
fn left<'a>(facts: &Facts<'a>, at: usize) -> Facts<'a> {
    let mut left = facts.0.clone();
    match left.get_mut(at) {
        Some(fact) if fact.key == "kind" && fact.since == ALWAYS => fact.value = MOST,
        _ => {
            left.remove(at);
        }
    }
    Facts(left)
}

/// What stacks do otherwise, month by month; nothing where a key has no value any more.
fn changes(facts: &Facts<'_>, left: &Facts<'_>) -> Result<Option<String>> {
    let listed = facts.0.iter().filter(|fact| fact.key == "label").map(|fact| (fact.stack, &PROFILE[..]));
    let mut out = String::new();
    for (stack, keys) in listed.chain([(LIBRARY, &LIBRARIES[..])]) {
        let (mut lines, mut differs) = (String::new(), false);
        let mut months = [facts.months(stack), left.months(stack), vec![ALWAYS]].concat();
        months.sort_unstable();
        months.dedup();
        for month in months {
            lines += &format!("at\t{stack}\t{}-{:02}\n", month.0, month.1);
            for (key, _) in keys {
                let Ok(other) = left.held(stack, key, month) else { return Ok(None) };
                let value = facts.held(stack, key, month)?.value;
                if other.value != value {
                    lines += &format!("set\t{key}\t{}\n", other.value);
                    differs = true;
                }
            }
        }
        if differs {
            out += &lines;
        }
    }
    Ok(Some(out))
}

/// What sets a field by a key and its value, for all that the table has.
pub(in crate::data) fn values(sheet: &Sheet) -> Result<String> {
    let facts = Facts::read(sheet, known)?;
    Ok(format!(
        "//! What the rows say of stacks and libraries, by their texts.\n\n\
         use super::profile::{{Attention, Dispatcher, Launch, Libraries, Selective, StackProfile}};\n\
         use crate::scenario::MeasuredRuns;\n\n{}\n{}",
        setter("StackProfile", &facts, &PROFILE)?,
        setter("Libraries", &facts, &LIBRARIES)?
    ))
}

fn setter(name: &str, facts: &Facts<'_>, keys: &[(&'static str, Value)]) -> Result<String> {
    let mut arms = Vec::new();
    for (key, value) in keys {
        for fact in facts.0.iter().filter(|fact| fact.key == *key) {
            let arm = format!("({key:?}, {:?}) => self.{key} = {},\n", fact.value, literal(*value, fact)?);
            if !arms.contains(&arm) {
                arms.push(arm);
            }
        }
    }
    let arms = arms.concat();
    Ok(format!(
        "impl {name} {{\n/// Replaces what a key says; whether a row says that.\n#[rustfmt::skip]\n\
         pub(super) fn set(&mut self, key: &str, value: &str) -> bool {{\nmatch (key, value) {{\n{arms}_ => return false,\n}}\ntrue\n}}\n}}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Facts, Sheet, known, left, without};

    const TABLE: &str = "stack\tsince\tkey\tvalue\tsource\n\
        any\t\tembedding_sync\tyes\ta\n\
        old\t\tkind\tany\ta\n\
        old\t\tembedding_sync\tno\tb\n\
        old\t2024-07\tembedding_sync\tyes\tc\n";

    #[test]
    fn without_a_row_what_is_inherited_holds() {
        let sheet = Sheet::read("t", TABLE).expect("a table");
        let facts = Facts::read(&sheet, known).expect("facts");
        let held = |at: usize, month| {
            left(&facts, at).held("old", "embedding_sync", month).map(|fact| fact.value).ok()
        };
        assert_eq!(
            (held(2, (0, 0)), held(3, (2025, 1)), held(0, (0, 0))),
            (Some("yes"), Some("no"), Some("no"))
        );
    }

    #[test]
    fn a_row_with_nothing_behind_it_is_kept() {
        let sheet = Sheet::read("t", "stack\tsince\tkey\tvalue\tsource\nany\t\tembedding_sync\tyes\ta\nold\t\tkind\tany\ta\nold\t\tlabel\tOld\ta\n").expect("a table");
        let lines = without(&sheet).expect("lines");
        assert!(lines.starts_with("kept\tany\t\tembedding_sync\tyes\ta\n"), "{lines}");
    }
}
