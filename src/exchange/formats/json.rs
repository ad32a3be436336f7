//! JSON, with the line of every setting.

use super::super::ImportError;
use super::super::settings::Settings;
use super::{LineEnds, ParsedValue, settings};
use serde_json::Value;
use std::collections::HashMap;

/// The table of a `config.json` with the storage format of the weights. It is one setting, whatever it contains.
const QUANTIZATION: &str = "quantization_config";

/// Reads a JSON object.
///
/// # Errors
/// The text is not JSON, or its top is not an object; with the line.
pub(crate) fn read(text: &str) -> Result<Settings, ImportError> {
    let value: Value = serde_json::from_str(&without_python_words(text)).map_err(|error| ImportError {
        line: u32::try_from(error.line()).ok(),
        name: None,
        message: format!("This is not JSON: {}.", reason(&error)),
    })?;
    if !value.is_object() {
        let message = "The file must contain one JSON object.".to_owned();
        return Err(ImportError { line: None, name: None, message });
    }
    settings(&node(&value, &Names::of(text), 0))
}

/// The text with null for the numbers that Python writes and JSON does not have: `NaN`, `Infinity` and `-Infinity`.
/// Lines stay where they are.
fn without_python_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quoted = false;
    while let Some(letter) = rest.chars().next() {
        let word =
            ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| !quoted && rest.starts_with(word));
        let taken = word.map_or(letter.len_utf8(), str::len);
        out.push_str(if word.is_some() { "null" } else { rest.get(..taken).unwrap_or_default() });
        rest = rest.get(taken..).unwrap_or_default();
        match letter {
            '"' => quoted = !quoted,
            // An escaped character does not end a string.
            '\\' if quoted => {
                let next = rest.chars().next().map_or(0, char::len_utf8);
                out.push_str(rest.get(..next).unwrap_or_default());
                rest = rest.get(next..).unwrap_or_default();
            }
            _ => {}
        }
    }
    out
}

/// The parser's message without the position, which is reported separately.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// The tree of a value whose table begins at a place of the text.
fn node(value: &Value, names: &Names, from: usize) -> ParsedValue {
    match value {
        Value::Null => ParsedValue::Plain(None),
        Value::Bool(on) => ParsedValue::Plain(Some(on.to_string())),
        Value::Number(number) => ParsedValue::Plain(Some(number.to_string())),
        Value::String(text) => ParsedValue::Plain(Some(text.clone())),
        Value::Array(entries) => {
            let line = names.line(from);
            ParsedValue::List(entries.iter().map(|entry| (node(entry, names, from), Some(line))).collect())
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|entry| (names.place(entry.0, from), entry)).collect();
            // The parser sorts names; the file's order reads better.
            entries.sort_by_key(|entry| entry.0);
            let entry = |(place, (name, value)): (usize, (&String, &Value))| {
                // It may list every module of a model, and says nothing of training.
                let value = if name == QUANTIZATION { &Value::Bool(true) } else { value };
                (name.clone(), node(value, names, place), Some(names.line(place)))
            };
            ParsedValue::Table(entries.into_iter().map(entry).collect())
        }
    }
}

/// Positions of names in a text: the parser keeps none.
struct Names<'a> {
    /// Names as written, each with its places in order.
    places: HashMap<&'a str, Vec<usize>>,
    lines: LineEnds,
}

impl<'a> Names<'a> {
    fn of(text: &'a str) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut at = 0;
        while let Some(begin) = text.get(at..).and_then(|rest| rest.find('"')).map(|place| at + place + 1) {
            let end = begin + length(text.get(begin..).unwrap_or_default());
            at = end + 1;
            if text.get(at..).is_some_and(|rest| rest.trim_start().starts_with(':'))
                && let Some(name) = text.get(begin..end)
            {
                places.entry(name).or_default().push(begin);
            }
        }
        Self { places, lines: LineEnds::of(text) }
    }

    /// The first place of a name from another place on; that place where the name is written another way.
    fn place(&self, name: &str, from: usize) -> usize {
        let places = self.places.get(name).map(Vec::as_slice).unwrap_or_default();
        places.get(places.partition_point(|place| *place < from)).copied().unwrap_or(from)
    }

    /// The line of a place, from 1.
    fn line(&self, place: usize) -> u32 {
        self.lines.line(place)
    }
}

/// Bytes of a quoted text up to its closing quote.
fn length(text: &str) -> usize {
    let mut escaped = false;
    text.bytes()
        .position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        })
        .unwrap_or(text.len())
}
