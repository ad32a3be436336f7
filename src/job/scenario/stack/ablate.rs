//! Stacks without a row of `data/stacks.tsv`. Used only by `cargo xtask ablate` (feature `ablate`): tables are compiled
//! in, and a build per row would take a day. The shipped program has neither this module nor its state.

use super::profile::{History, Libraries, Month, StackProfile};
use super::stacks::{LIBRARIES, Stack};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Changed behaviour of a stack, or of all libraries, from one month until the next change: texts of keys and values as
/// in the table.
#[derive(Debug, Clone, Default)]
pub struct ProfileChange {
    /// Name of the stack; `library` for libraries.
    pub stack: String,
    /// First month; year 0 for the beginning.
    pub since: Month,
    /// Keys and values. None if nothing differs from what is compiled in.
    pub values: Vec<(String, String)>,
}

/// Name of the libraries' changes.
pub const LIBRARY: &str = "library";

/// Histories that replace those compiled in.
#[derive(Default)]
struct Replaced {
    stacks: BTreeMap<&'static str, &'static History<StackProfile>>,
    libraries: Option<&'static History<Libraries>>,
}

thread_local! {
    static REPLACED: RefCell<Replaced> = RefCell::default();
}

/// The replacement of a stack's history.
pub(super) fn history(stack: Stack) -> Option<&'static History<StackProfile>> {
    REPLACED.with_borrow(|replaced| replaced.stacks.get(stack.name()).copied())
}

/// The replacement of the libraries' history.
pub(super) fn libraries() -> Option<&'static History<Libraries>> {
    REPLACED.with_borrow(|replaced| replaced.libraries)
}

/// Result of `ask` on this thread with changed stacks. Changes of a stack are in month order, and cover all months in
/// which it changes.
///
/// # Errors
/// Unknown stacks, keys or values.
pub fn with<T>(changes: &[ProfileChange], ask: impl FnOnce() -> T) -> Result<T, String> {
    let mut replaced = Replaced::default();
    for of_stack in changes.chunk_by(|a, b| a.stack == b.stack) {
        let name = of_stack.first().map_or("", |change| change.stack.as_str());
        if name == LIBRARY {
            replaced.libraries = Some(changed(of_stack, |month| *LIBRARIES.at(month), Libraries::set)?);
            continue;
        }
        let entry = Stack::ALL.iter().find(|entry| entry.1 == name);
        let stack = entry.ok_or_else(|| format!("there is no stack {name}"))?.0;
        let history = changed(of_stack, |month| *stack.history().at(month), StackProfile::set)?;
        replaced.stacks.insert(stack.name(), history);
    }
    REPLACED.set(replaced);
    let answer = ask();
    REPLACED.take();
    Ok(answer)
}

/// A changed history, which lives as long as the program, like the compiled-in ones.
fn changed<T: Copy>(
    changes: &[ProfileChange],
    compiled: impl Fn(Month) -> T,
    set: impl Fn(&mut T, &str, &str) -> bool,
) -> Result<&'static History<T>, String> {
    let mut entries = Vec::with_capacity(changes.len());
    for change in changes {
        let mut entry = compiled(change.since);
        for (key, value) in &change.values {
            if !set(&mut entry, key, value) {
                return Err(format!("no row of {} says {key} {value}", change.stack));
            }
        }
        entries.push((change.since, entry));
    }
    let Some((_, first)) = entries.first().copied() else {
        return Err("a history without a beginning".to_owned());
    };
    let later = Vec::leak(entries.split_off(1));
    Ok(Box::leak(Box::new(History { first, later })))
}
