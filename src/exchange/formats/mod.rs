//! Files as settings: JSON, YAML, TOML and shell scripts.

mod branches;
mod here;
pub(super) mod json;
mod launcher;
pub(super) mod python;
pub(super) mod shell;
pub(super) mod toml;
mod variables;
pub(super) mod yaml;

use super::ImportError;
use super::settings::{DEEPEST, MOST_LISTED, Settings};

/// A value of any format, with lines.
#[derive(Debug, Clone)]
pub(super) enum ParsedValue {
    /// A text, number or truth value as written; nothing for null.
    Plain(Option<String>),
    /// Values in order.
    List(Vec<(ParsedValue, Option<u32>)>),
    /// Names and values in order.
    Table(Vec<(String, ParsedValue, Option<u32>)>),
}

/// Where the lines of a text end.
pub(super) struct LineEnds {
    /// Places of line breaks, in order.
    breaks: Vec<usize>,
}

impl LineEnds {
    /// The lines of a text.
    pub(super) fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(place, _)| place);
        Self { breaks: breaks.collect() }
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, place: usize) -> u32 {
        u32::try_from(self.breaks.partition_point(|end| *end < place)).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// The settings of a tree, in order.
pub(super) fn settings(tree: &ParsedValue) -> Result<Settings, ImportError> {
    let mut settings = Settings::default();
    flatten(&mut settings, "", tree, None, 0)?;
    Ok(settings)
}

fn flatten(
    settings: &mut Settings,
    path: &str,
    node: &ParsedValue,
    line: Option<u32>,
    depth: usize,
) -> Result<(), ImportError> {
    if depth > DEEPEST {
        return Err(too_deep(line));
    }
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match node {
        ParsedValue::Plain(text) => settings.push(path.to_owned(), line, text.clone()),
        ParsedValue::List(entries) => match plain_list(entries) {
            Some(text) => settings.push(path.to_owned(), line, Some(text)),
            None => entries.iter().enumerate().try_for_each(|(index, (entry, line))| {
                flatten(settings, &below(&index.to_string()), entry, *line, depth + 1)
            }),
        },
        ParsedValue::Table(entries) => entries
            .iter()
            .try_for_each(|(name, entry, line)| flatten(settings, &below(name), entry, *line, depth + 1)),
    }
}

/// A list of plain values as one text; nothing where it holds lists or tables.
fn plain_list(entries: &[(ParsedValue, Option<u32>)]) -> Option<String> {
    let texts: Option<Vec<&str>> = entries
        .iter()
        .take(MOST_LISTED)
        .map(|(entry, _)| match entry {
            ParsedValue::Plain(text) => Some(text.as_deref().unwrap_or("null")),
            ParsedValue::List(_) | ParsedValue::Table(_) => None,
        })
        .collect();
    texts.map(|texts| texts.join(","))
}

fn too_deep(line: Option<u32>) -> ImportError {
    ImportError { line, name: None, message: format!("The file is nested more than {DEEPEST} levels deep.") }
}
