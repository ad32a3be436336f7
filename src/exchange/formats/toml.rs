//! TOML, with the line of every setting.

use super::super::ImportError;
use super::super::settings::{DEEPEST, Settings};
use super::{LineEnds, ParsedValue, settings, too_deep};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a TOML file.
///
/// # Errors
/// The text is not TOML, with the line.
pub(crate) fn read(text: &str) -> Result<Settings, ImportError> {
    let lines = LineEnds::of(text);
    let table = DeTable::parse(text).map_err(|error| ImportError {
        line: error.span().map(|span| lines.line(span.start)),
        name: None,
        message: format!("This is not TOML: {}.", error.message().trim_end_matches('.').replace('\n', ", ")),
    })?;
    settings(&tree(&lines, table.get_ref(), 0)?)
}

fn tree(lines: &LineEnds, table: &DeTable, depth: usize) -> Result<ParsedValue, ImportError> {
    let entries: Result<Vec<_>, ImportError> = table
        .iter()
        .map(|(name, value)| {
            let at = Some(lines.line(name.span().start));
            Ok((name.get_ref().clone().into_owned(), node(lines, value, depth + 1)?, at))
        })
        .collect();
    let mut entries = entries?;
    // Tables are kept sorted by name; the file's order reads better.
    entries.sort_by_key(|entry| entry.2);
    Ok(ParsedValue::Table(entries))
}

fn node(lines: &LineEnds, value: &Spanned<DeValue>, depth: usize) -> Result<ParsedValue, ImportError> {
    let at = Some(lines.line(value.span().start));
    if depth > DEEPEST {
        return Err(too_deep(at));
    }
    Ok(match value.get_ref() {
        DeValue::String(text) => ParsedValue::Plain(Some(text.clone().into_owned())),
        DeValue::Integer(number) => ParsedValue::Plain(Some(number.to_string())),
        DeValue::Float(number) => ParsedValue::Plain(Some(number.to_string())),
        DeValue::Boolean(on) => ParsedValue::Plain(Some(on.to_string())),
        DeValue::Datetime(date) => ParsedValue::Plain(Some(date.to_string())),
        DeValue::Array(entries) => {
            let entries: Result<Vec<_>, ImportError> =
                entries.iter().map(|entry| Ok((node(lines, entry, depth + 1)?, at))).collect();
            ParsedValue::List(entries?)
        }
        DeValue::Table(table) => tree(lines, table, depth + 1)?,
    })
}
