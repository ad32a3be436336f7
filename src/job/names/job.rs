//! A job in one sentence: `Llama-3.1 8B on 8 H100`.

use super::machines::{machine, uncounted};
use super::words::LONGEST;
use super::{NameKind, model, shown, software, software_by_whole_name, unknown};
use crate::error::FieldError;

/// A sentence in its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// The model, and what else precedes "on".
    pub model: &'a str,
    /// What follows "on".
    pub machine: Option<&'a str>,
    /// What follows "with".
    pub software: Option<&'a str>,
}

/// The parts of a sentence: a model, "on" a number of machines, "with" software, the last two in either order.
pub fn parts(text: &str) -> Parts<'_> {
    let after_with = |text| split(text, " with ").or_else(|| split(text, " using "));
    let (model, on) = split(text, " on ").map_or((text, None), |(model, on)| (model, Some(on)));
    let (model, before) = after_with(model).map_or((model, None), |(model, with)| (model, Some(with)));
    let behind = on.and_then(after_with).or_else(|| before_software(on?).filter(|_| before.is_none()));
    let machine = behind.map_or(on, |(machine, _)| Some(machine));
    let software = before.or(behind.map(|(_, software)| software));
    Parts { model: model.trim(), machine: machine.map(str::trim), software: software.map(str::trim) }
}

/// Most words of a software's name.
const SOFTWARE_WORDS: usize = 3;

/// A text that ends with the whole name of a software, and that name: `128 A100 InternEvo`.
fn before_software(text: &str) -> Option<(&str, &str)> {
    let blanks = text.rmatch_indices(' ').take(SOFTWARE_WORDS);
    let ends = blanks.filter_map(|(place, _)| text.split_at_checked(place));
    ends.filter(|(_, end)| software_by_whole_name(end).is_some()).last()
}

/// Splits at a word, ignoring case.
fn split<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let mut windows = text.as_bytes().windows(word.len());
    let place = windows.position(|part| part.eq_ignore_ascii_case(word.as_bytes()))?;
    Some((text.get(..place)?, text.get(place + word.len()..)?))
}

/// Reads a job from one sentence: its model, its machine, their number, and software where one is named. Returns keys of
/// fields and their texts.
///
/// # Errors
/// The field whose part is missing or not understood, and names near to it.
pub fn job(text: &str) -> Result<Vec<(&'static str, String)>, FieldError> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(FieldError::new("m", format!("{} is too long for a job in words.", shown(text))));
    }
    let sentence = parts(text);
    let (named, machines, software_named) = match sentence.machine {
        Some(machines) => (sentence.model, machines, sentence.software),
        None => {
            let apart = before_software(sentence.model).filter(|_| sentence.software.is_none());
            match apart.and_then(|(job, software)| Some((divided(job).ok()?, software))) {
                Some(((named, machines), software)) => (named, machines, Some(software)),
                None => {
                    let (named, machines) = divided(sentence.model)?;
                    (named, machines, sentence.software)
                }
            }
        }
    };
    if model(named).is_none() {
        return Err(unknown(NameKind::Model, named));
    }
    let (found, name) =
        machine(machines).zip(uncounted(machines)).ok_or_else(|| unknown_machine(machines))?;
    let Some(gpus) = found.gpus.or(found.instance) else {
        let message = format!("Add a number of GPUs, for example \u{201c}{named} on 8 {name}\u{201d}.");
        return Err(FieldError::new("n", message));
    };
    let mut values = vec![("m", named.to_owned()), ("g", name.to_owned()), ("n", gpus.to_string())];
    if let Some(name) = software_named {
        let stack = software(name).ok_or_else(|| unknown(NameKind::Software, name))?;
        values.push(("stack", stack.to_owned()));
    }
    Ok(values)
}

/// The error of a text that is no machine: what follows one in it is what is not understood.
fn unknown_machine(text: &str) -> FieldError {
    let mut starts = text.rmatch_indices(' ').filter_map(|(place, _)| text.split_at_checked(place));
    match starts
        .find(|(start, _)| machine(start).is_some_and(|found| found.gpus.or(found.instance).is_some()))
    {
        Some((_, rest)) => {
            let message = format!("\u{201c}{}\u{201d} is not understood.", shown(rest.trim()));
            FieldError::new(NameKind::Machine.field(), message)
        }
        None => unknown(NameKind::Machine, text),
    }
}

/// A model and machines side by side, in either order.
fn divided(text: &str) -> Result<(&str, &str), FieldError> {
    let blanks = text.match_indices(' ').filter_map(|(place, _)| text.split_at_checked(place));
    let pairs: Vec<(&str, &str)> = blanks.map(|(one, other)| (one.trim(), other.trim())).collect();
    let known = |pair: &(&str, &str)| model(pair.0).is_some() && machine(pair.1).is_some();
    let turned = pairs.iter().map(|pair| (pair.1, pair.0));
    if let Some(pair) = pairs.iter().copied().chain(turned).find(known) {
        return Ok(pair);
    }
    let shown = shown(text);
    if model(text).is_some() {
        let message =
            format!("Name a machine and a number of GPUs, for example \u{201c}{shown} on 8 H100\u{201d}.");
        return Err(FieldError::new("g", message));
    }
    if let Some(found) = machine(text) {
        let number = if found.gpus.or(found.instance).is_some() { "" } else { "8 " };
        let message = format!("Name a model, for example \u{201c}llama3-8b on {number}{shown}\u{201d}.");
        return Err(FieldError::new("m", message));
    }
    // Where one part is understood, the other is wrong.
    let models = pairs.iter().rev().find(|pair| model(pair.0).is_some());
    let machines = pairs.iter().find(|pair| machine(pair.1).is_some());
    Err(match (models, machines) {
        (Some((_, rest)), _) => unknown_machine(rest),
        (None, Some((rest, _))) => unknown(NameKind::Model, rest),
        (None, None) => unknown(NameKind::Model, text),
    })
}
