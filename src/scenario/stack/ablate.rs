//! Stacks as if a row of `data/stacks.tsv` were not there. Only `cargo xtask ablate` asks for that (feature `ablate`): tables are
//! compiled in, and a build for each of their rows would take a day. What ships has neither this module nor its state.

use super::profile::{History, Libraries, Month, StackProfile};
use super::stacks::{LIBRARIES, Stack};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What a stack, or all libraries, would do otherwise from one month on until the next: texts of keys and values as in the table.
#[derive(Debug, Clone, Default)]
pub struct ProfileChange {
    /// Name of the stack; `library` for what libraries do.
    pub stack: String,
    /// First month; year 0 for from the beginning.
    pub since: Month,
    /// Keys and values. None where nothing differs from what is compiled in.
    pub values: Vec<(String, String)>,
}

/// Name under which changes of libraries stand.
pub const LIBRARY: &str = "library";

/// Histories that stand for those compiled in.
#[derive(Default)]
struct Replaced {
    stacks: BTreeMap<&'static str, &'static History<StackProfile>>,
    libraries: Option<&'static History<Libraries>>,
}

thread_local! {
    static REPLACED: RefCell<Replaced> = RefCell::default();
}

/// The history that stands for a stack's.
pub(super) fn history(stack: Stack) -> Option<&'static History<StackProfile>> {
    REPLACED.with_borrow(|replaced| replaced.stacks.get(stack.name()).copied())
}

/// The history that stands for that of libraries.
pub(super) fn libraries() -> Option<&'static History<Libraries>> {
    REPLACED.with_borrow(|replaced| replaced.libraries)
}

/// What `ask` answers on this thread while stacks do otherwise. Changes of a stack stand in the order of their months, and cover all
/// months in which it changes.
///
/// # Errors
/// A stack, or a key and a value, that no row has.
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

/// A history after changes, which lives as long as the program: it is asked for as what is compiled in is.
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
