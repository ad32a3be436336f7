//! The share link: `#1;m=llama3-70b;g=dgx-h100;n=512;tp=4`.
//!
//! The first part is the version of the format, then come `key=text` pairs in the order of
//! [`FIELDS`]. Model, cluster and number of GPUs are always written; every other field only where
//! its text differs from the preset's or the default's. Keys that are not fields follow, sorted.

use super::{Document, VIEW_PREFIX, default_scenario, in_preset};
use crate::fields::{FIELDS, Field, FieldGroup, parse};

/// Version of the link format that this crate writes, and the newest it reads.
pub const LINK_VERSION: u32 = 1;

/// Longest link that is read, in bytes.
const LONGEST: usize = 16_384;

/// Fields that every link states.
const ALWAYS: [&str; 3] = ["m", "g", "n"];

/// A link that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// What it says.
    pub document: Document,
    /// Sentences to show: what was not understood and kept.
    pub notices: Vec<String>,
}

/// A link that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkError {
    /// Key of the field that is damaged, where one can be named.
    pub field: Option<String>,
    /// A whole sentence: what is wrong with the link.
    pub message: String,
}

impl core::fmt::Display for LinkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for LinkError {}

impl Document {
    /// The link's fragment, with its `#`.
    pub fn to_link(&self) -> String {
        let default = default_scenario();
        let model = self.preset_scenario(FieldGroup::Model);
        let cluster = self.preset_scenario(FieldGroup::Cluster);
        let mut link = format!("#{LINK_VERSION}");
        for (field, text) in FIELDS.iter().zip(&self.texts) {
            let base = match field.group {
                _ if !in_preset(field) => Some(&default),
                FieldGroup::Model => model.as_ref(),
                _ => cluster.as_ref(),
            };
            let unchanged = base.is_some_and(|base| *text == field.canonical(base));
            if !unchanged || ALWAYS.contains(&field.key) {
                push(&mut link, field.key, text);
            }
        }
        for (key, text) in &self.others {
            push(&mut link, key, text);
        }
        link
    }

    /// Reads a link, its fragment with or without the `#`, or an empty text (the defaults).
    ///
    /// Keys that are not known are kept, written back and reported. Values that are out of range
    /// are kept as typed and reported by [`Document::scenario`].
    ///
    /// # Errors
    /// A link of a newer version, or one that is damaged; the message names the version or the field.
    pub fn from_link(link: &str) -> Result<Opened, LinkError> {
        let link = link.trim();
        let fragment = link.split_once('#').map_or(link, |parts| parts.1);
        if fragment.len() > LONGEST {
            return Err(error(
                None,
                format!("This link is damaged: it is longer than {LONGEST} characters."),
            ));
        }
        let mut parts = fragment.split(';');
        let version = parts.next().unwrap_or("");
        if fragment.is_empty() || (version.contains("://") && fragment == link) {
            return Ok(Opened { document: Self::default(), notices: Vec::new() });
        }
        check_version(version)?;
        let pairs = parts.filter(|part| !part.is_empty()).map(pair).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::from_pairs(&pairs))
    }

    /// The default document with keys set to texts: presets first, then the rest in their order.
    /// Keys that are not known are kept and reported.
    pub fn from_pairs(pairs: &[(String, String)]) -> Opened {
        let mut document = Self::default();
        let mut notices = Vec::new();
        for (index, (key, text)) in pairs.iter().enumerate() {
            if pairs.iter().skip(index + 1).any(|later| later.0 == *key) {
                notices.push(format!(
                    "\u{201c}{}\u{201d} is set more than once; the last value counts.",
                    parse::shown(key)
                ));
            }
            if Field::find(key).is_none() && !key.starts_with(VIEW_PREFIX) {
                notices.push(format!(
                    "\u{201c}{}\u{201d} is no field of this version; it stays in the link and has no effect.",
                    parse::shown(key)
                ));
            }
            if [FieldGroup::Model, FieldGroup::Cluster].iter().any(|group| group.preset_key() == Some(key)) {
                document.set(key, text);
            }
        }
        for (key, text) in pairs {
            if !["m", "g"].contains(&key.as_str()) {
                document.set(key, text);
            }
        }
        Opened { document, notices }
    }
}

fn check_version(version: &str) -> Result<(), LinkError> {
    match version.parse::<u32>() {
        Ok(LINK_VERSION) => Ok(()),
        Ok(newer) if newer > LINK_VERSION => Err(error(
            None,
            format!(
                "This link has format {newer} and was made by a newer version; this one reads format {LINK_VERSION}. Open it with the newest version."
            ),
        )),
        _ => Err(error(
            None,
            format!(
                "This link is damaged: it should start with its format, {LINK_VERSION}, but starts with \u{201c}{}\u{201d}.",
                parse::shown(version)
            ),
        )),
    }
}

fn pair(part: &str) -> Result<(String, String), LinkError> {
    let Some((key, text)) = part.split_once('=') else {
        return Err(error(
            None,
            format!("This link is damaged: \u{201c}{}\u{201d} has no value.", parse::shown(part)),
        ));
    };
    let damaged = || {
        error(
            Some(key.to_owned()),
            format!(
                "This link is damaged: the value of \u{201c}{}\u{201d} cannot be read.",
                parse::shown(key)
            ),
        )
    };
    let name = decode(key).filter(|name| !name.is_empty()).ok_or_else(damaged)?;
    Ok((name, decode(text).ok_or_else(damaged)?))
}

fn error(field: Option<String>, message: String) -> LinkError {
    LinkError { field, message }
}

fn push(link: &mut String, key: &str, text: &str) {
    link.push(';');
    encode(link, key);
    link.push('=');
    encode(link, text);
}

/// Percent-encodes all but the characters that stand in a fragment, an address bar and running
/// text without being changed.
fn encode(link: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b':'
            | b'/'
            | b','
            | b'+' => {
                link.push(char::from(byte));
            }
            _ => link.push_str(&format!("%{byte:02X}")),
        }
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
