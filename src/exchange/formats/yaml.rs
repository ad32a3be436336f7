//! YAML, with the line of every setting. Read event by event, so that no nesting and no alias takes long.

use super::super::ImportError;
use super::super::settings::{DEEPEST, MOST_SETTINGS, Settings};
use super::{ParsedValue, settings, too_deep};
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::HashMap;

/// Reads the first document of a YAML file.
///
/// # Errors
/// The text is not YAML, with the line; its top is not a table; it is nested too deep, or has too many aliases.
pub(crate) fn read(text: &str) -> Result<Settings, ImportError> {
    let tree = document(text)?;
    match tree {
        ParsedValue::Table(_) => settings(&tree),
        ParsedValue::Plain(_) | ParsedValue::List(_) => Err(ImportError {
            line: None,
            name: None,
            message: "The file must contain names and values.".to_owned(),
        }),
    }
}

/// A table or list that is being read.
struct Open {
    /// Its entries so far; the names are empty in a list.
    entries: Vec<(String, ParsedValue, Option<u32>)>,
    is_table: bool,
    /// The name that waits for its value, and its line.
    name: Option<(String, Option<u32>)>,
    anchor: usize,
    line: Option<u32>,
}

/// What was read so far.
#[derive(Default)]
struct Builder {
    stack: Vec<Open>,
    root: Option<ParsedValue>,
    /// Anchored values, and how large each is.
    anchors: HashMap<usize, (ParsedValue, Size)>,
    all: Size,
}

/// How large a value is, with everything below it.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    values: usize,
    bytes: usize,
}

/// Most bytes of all values, those that aliases repeat counted each time.
const MOST_BYTES: usize = 16 << 20;

/// Columns that a line of closing brackets is moved by.
const FAR: &str = "                                                                ";

/// The text with lines of closing brackets alone moved to the right. A list may be closed at its name's column for other
/// parsers, and people write it so; this one wants it farther in, as the standard does. Lines stay where they are.
fn with_brackets_inside(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let closing = line.trim();
        if !closing.is_empty() && closing.chars().all(|letter| "]},".contains(letter)) {
            out.push_str(FAR);
        }
        out.push_str(line);
    }
    out
}

fn document(text: &str) -> Result<ParsedValue, ImportError> {
    let mut builder = Builder::default();
    let text = with_brackets_inside(text);
    for event in Parser::new_from_str(&text) {
        let (event, span) = event.map_err(|error| ImportError {
            line: u32::try_from(error.marker().line()).ok(),
            name: None,
            message: format!("This is not YAML: {}.", error.info().trim_end_matches('.')),
        })?;
        let line = u32::try_from(span.start.line()).ok();
        match event {
            Event::DocumentEnd => break,
            Event::Scalar(value, style, anchor, _) => {
                let null = matches!(style, ScalarStyle::Plain)
                    && ["", "~", "null", "Null", "NULL"].contains(&value.as_ref());
                builder.add(ParsedValue::Plain((!null).then(|| value.into_owned())), anchor, line)?;
            }
            Event::SequenceStart(anchor, _) => builder.open(false, anchor, line)?,
            Event::MappingStart(anchor, _) => builder.open(true, anchor, line)?,
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
            Event::Alias(anchor) => builder.alias(anchor, line)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.root.unwrap_or(ParsedValue::Plain(None)))
}

impl Builder {
    fn open(&mut self, is_table: bool, anchor: usize, line: Option<u32>) -> Result<(), ImportError> {
        if self.stack.len() >= DEEPEST {
            return Err(too_deep(line));
        }
        self.stack.push(Open { entries: Vec::new(), is_table, name: None, anchor, line });
        Ok(())
    }

    fn close(&mut self) -> Result<(), ImportError> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        let node = if open.is_table {
            ParsedValue::Table(open.entries)
        } else {
            ParsedValue::List(open.entries.into_iter().map(|(_, node, line)| (node, line)).collect())
        };
        self.add(node, open.anchor, open.line)
    }

    fn alias(&mut self, anchor: usize, line: Option<u32>) -> Result<(), ImportError> {
        // Nothing is repeated before it is known that there is room for it.
        let size = self.anchors.get(&anchor).map_or(Size { values: 1, bytes: 0 }, |known| known.1);
        self.count(size, line)?;
        let node = self.anchors.get(&anchor).map_or(ParsedValue::Plain(None), |known| known.0.clone());
        self.place(node, line);
        Ok(())
    }

    /// Adds a finished value to what is open.
    fn add(&mut self, node: ParsedValue, anchor: usize, line: Option<u32>) -> Result<(), ImportError> {
        let bytes = if let ParsedValue::Plain(Some(text)) = &node { text.len() } else { 0 };
        self.count(Size { values: 1, bytes }, line)?;
        if anchor > 0 {
            let size = size(&node);
            self.count(Size { values: 0, bytes: size.bytes }, line)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        self.place(node, line);
        Ok(())
    }

    fn count(&mut self, more: Size, line: Option<u32>) -> Result<(), ImportError> {
        self.all = self.all.and(more);
        let message = if self.all.values > MOST_SETTINGS {
            format!("The file contains more than {MOST_SETTINGS} values.")
        } else if self.all.bytes > MOST_BYTES {
            format!("The values of the file, including repeated aliases, exceed {} MiB.", MOST_BYTES >> 20)
        } else {
            return Ok(());
        };
        Err(ImportError { line, name: None, message })
    }

    fn place(&mut self, node: ParsedValue, line: Option<u32>) {
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return;
        };
        if !open.is_table {
            open.entries.push((String::new(), node, line));
        } else if let Some((name, line)) = open.name.take() {
            open.take(name, node, line);
        } else {
            let name =
                if let ParsedValue::Plain(text) = node { text.unwrap_or_default() } else { "?".to_owned() };
            open.name = Some((name, line));
        }
    }
}

impl Size {
    fn and(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

impl Open {
    /// Adds a named value; a merge key (`<<`) adds the entries of its table.
    fn take(&mut self, name: String, node: ParsedValue, line: Option<u32>) {
        match node {
            ParsedValue::Table(entries) if name == "<<" => self.entries.splice(0..0, entries).for_each(drop),
            node => self.entries.push((name, node, line)),
        }
    }
}

/// How large a tree is.
fn size(node: &ParsedValue) -> Size {
    let inner =
        |nodes: &mut dyn Iterator<Item = &ParsedValue>| nodes.map(size).fold(Size::default(), Size::and);
    let below = match node {
        ParsedValue::Plain(text) => Size { values: 0, bytes: text.as_ref().map_or(0, String::len) },
        ParsedValue::List(entries) => inner(&mut entries.iter().map(|entry| &entry.0)),
        ParsedValue::Table(entries) => inner(&mut entries.iter().map(|entry| &entry.1)),
    };
    below.and(Size { values: 1, bytes: 0 })
}
