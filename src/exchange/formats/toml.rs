//! TOML, with the line of every setting.

use super::super::ImportError;
use super::super::settings::{DEEPEST, Settings};
use super::{Node, settings, too_deep};
use core::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a TOML file.
///
/// # Errors
/// The text is not TOML, with the line.
pub(in crate::exchange) fn read(text: &str) -> Result<Settings, ImportError> {
    let table = DeTable::parse(text).map_err(|error| ImportError {
        line: error.span().and_then(|span| line(text, &span)),
        name: None,
        message: format!("This is not TOML: {}.", error.message().trim_end_matches('.').replace('\n', ", ")),
    })?;
    settings(&tree(text, table.get_ref(), 0)?)
}

/// Line where a span begins.
fn line(text: &str, span: &Range<usize>) -> Option<u32> {
    let before = text.as_bytes().get(..span.start.min(text.len()))?;
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count()).ok()?.checked_add(1)
}

fn tree(text: &str, table: &DeTable, depth: usize) -> Result<Node, ImportError> {
    let entries: Result<Vec<_>, ImportError> = table
        .iter()
        .map(|(name, value)| {
            let at = line(text, &name.span());
            Ok((name.get_ref().clone().into_owned(), node(text, value, depth + 1)?, at))
        })
        .collect();
    let mut entries = entries?;
    // Tables are kept sorted by name; the file's order reads better.
    entries.sort_by_key(|entry| entry.2);
    Ok(Node::Table(entries))
}

fn node(text: &str, value: &Spanned<DeValue>, depth: usize) -> Result<Node, ImportError> {
    let at = line(text, &value.span());
    if depth > DEEPEST {
        return Err(too_deep(at));
    }
    Ok(match value.get_ref() {
        DeValue::String(text) => Node::Plain(Some(text.clone().into_owned())),
        DeValue::Integer(number) => Node::Plain(Some(number.to_string())),
        DeValue::Float(number) => Node::Plain(Some(number.to_string())),
        DeValue::Boolean(on) => Node::Plain(Some(on.to_string())),
        DeValue::Datetime(date) => Node::Plain(Some(date.to_string())),
        DeValue::Array(entries) => {
            let entries: Result<Vec<_>, ImportError> =
                entries.iter().map(|entry| Ok((node(text, entry, depth + 1)?, at))).collect();
            Node::List(entries?)
        }
        DeValue::Table(table) => tree(text, table, depth + 1)?,
    })
}
