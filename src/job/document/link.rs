//! The share link: `#2;m=llama3-70b;g=dgx-h100;n=512;tp=4`.
//!
//! The first part is the version of the format, then come `key=text` pairs in the order of
//! [`FIELDS`]. Model, cluster and number of GPUs are always written. A field that can follow from others ([`Document::can_follow`])
//! is written where it is set, and planned where it is absent. Every other field is written where its text differs from the
//! preset's or the default's; a price and a power, from those of the machine's GPUs. Keys that are not fields follow, sorted.
//!
//! In version 1 every absent field has the default job's value, the layout too, unless `v.auto=1` leaves the layout to a
//! search.

use super::naming::MODEL_NAME;
use super::stated::{self, UnsetFields};
use super::{Document, VIEW_PREFIX, default_scenario, follows_machine, in_preset, index_of};
use crate::fields::{CUSTOM, FIELDS, Field, FieldGroup, parse};
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::scenario::usual::usual_precision;

/// Version of the link format that this crate writes, and the newest it reads.
pub const LINK_VERSION: u32 = 2;

/// The version whose absent fields have the default job's values.
const FIRST: u32 = 1;

/// Key of the number format.
const PRECISION: &str = "prec";

/// What begins the key of a field that is not set in [`Document::to_state`].
const PLANNED_PREFIX: char = '~';

/// Version and pairs of a link whose pairs are compressed (`2.` and raw DEFLATE in base64 for addresses); nothing of other
/// links. The page, the command line and the package unpack it before it is read here.
pub fn packed(fragment: &str) -> Option<(&str, &str)> {
    let (version, pairs) = fragment.split_once('.')?;
    let known = version.parse::<u32>().is_ok_and(|version| (FIRST..=LINK_VERSION).contains(&version));
    known.then_some((version, pairs))
}

/// Longest link that is read, in bytes. The page copies long ones compressed, and saves those that stay long as a file.
pub const LONGEST: usize = 65_536;

/// Most keys that are no fields and are kept: the page's view has some thirty.
const MOST_OTHERS: usize = 256;

/// Most notices that are listed one by one.
const MOST_NOTICES: usize = 20;

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
    /// What could be read of it; the defaults elsewhere.
    pub read: Box<Document>,
}

impl core::fmt::Display for LinkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for LinkError {}

impl Document {
    /// The link's fragment, with its `#`: what is set. A layout that is not is planned by whoever opens the link.
    pub fn to_link(&self) -> String {
        self.link_of(&self.job_link())
    }

    /// What the link begins with: the job, without the keys that are no fields. Documents of one job that show different
    /// views begin alike.
    pub fn job_link(&self) -> String {
        self.written(false)
    }

    /// The link, of which the part of the job is written already ([`Document::job_link`]).
    pub fn link_of(&self, job: &str) -> String {
        let mut link = job.to_owned();
        for (key, text) in &self.others {
            push(&mut link, key, text);
        }
        link
    }

    /// The link with what the fields that are not set have now, so that one part of a program that draws another's document
    /// need not plan it again.
    pub fn to_state(&self) -> String {
        self.link_of(&self.written(true))
    }

    fn written(&self, with_planned: bool) -> String {
        let machine = self.machine_scenario();
        let default = Self::unnamed_on(&machine);
        let model = self.preset_scenario(FieldGroup::Model);
        let cluster = self.preset_scenario(FieldGroup::Cluster);
        let mut link = format!("#{LINK_VERSION}");
        for (field, text) in FIELDS.iter().zip(&self.texts) {
            let base = match field.group {
                _ if follows_machine(field) => Some(&machine),
                _ if !in_preset(field) => Some(&default),
                // A link begins with the default job, so a custom model names what differs from its model.
                FieldGroup::Model => model.as_ref().or(Some(&default)),
                _ => cluster.as_ref(),
            };
            let unchanged = base.is_some_and(|base| *text == field.canonical(base));
            let required =
                ALWAYS.contains(&field.key) || stated::names_itself(field.key) && self.applies(field.key);
            if !self.is_set(field.key) {
                if with_planned && !stated::OF_KIND.contains(&field.key) {
                    push(&mut link, &format!("{PLANNED_PREFIX}{}", field.key), text);
                }
            } else if !unchanged || required || stated::OF_KIND.contains(&field.key) {
                push(&mut link, field.key, text);
            }
        }
        link
    }

    /// Reads a link, its fragment with or without the `#`, or an empty text (the defaults).
    ///
    /// Keys that are not known are kept, written back and reported. Values that are out of range
    /// are kept as typed and reported by [`Document::scenario`].
    ///
    /// # Errors
    /// A link of a newer version, or one that is damaged; the message names the version or the field, and what can be
    /// read all the same is handed on with it.
    pub fn from_link(link: &str) -> Result<Opened, LinkError> {
        let link = link.trim();
        let fragment = link.split_once('#').map_or(link, |parts| parts.1);
        if fragment.len() > LONGEST {
            let message = format!("This link is damaged: it is longer than {LONGEST} characters.");
            return Err(LinkError { field: None, message, read: Box::default() });
        }
        let mut parts = fragment.split(';');
        let version = parts.next().unwrap_or("");
        if fragment.is_empty() || (parse::has(version, "://") && fragment == link) {
            return Ok(Opened { document: Self::default(), notices: Vec::new() });
        }
        let first = version == FIRST.to_string();
        let mut wrong = check_version(version).err().map(|message| (None, message));
        let mut pairs = Vec::new();
        for part in parts.filter(|part| !part.is_empty()) {
            match pair(part) {
                Ok(pair) => pairs.push(pair),
                Err(damage) => wrong = wrong.or(Some(damage)),
            }
        }
        let opened = if first { Self::from_first(&pairs) } else { Self::from_pairs(&pairs) };
        match wrong {
            Some((field, message)) => Err(LinkError { field, message, read: Box::new(opened.document) }),
            None => Ok(opened),
        }
    }

    /// A job with fields set to texts: presets first, then the rest in their order. What is not among them is planned, or has
    /// the default. Keys that are not known are kept and reported, as many as a link has room for.
    pub fn from_pairs(pairs: &[(String, String)]) -> Opened {
        let mut document = Self::from_scenario(&Self::default().unnamed());
        document.open = UnsetFields::ALL;
        let (planned, pairs): (Vec<_>, Vec<_>) =
            pairs.iter().partition(|pair| pair.0.strip_prefix(PLANNED_PREFIX).is_some_and(Self::can_follow));
        let notices = document.set_all(&pairs);
        if pairs.iter().all(|pair| pair.0 != PRECISION) {
            let precision = Field::find(PRECISION).map(|field| field.canonical(&document.unnamed()));
            precision.iter().for_each(|text| document.set(PRECISION, text));
        }
        document.follow();
        for (key, text) in planned {
            let key = key.trim_start_matches(PLANNED_PREFIX);
            if !document.is_set(key) {
                document.write(key, text);
            }
        }
        if !document.is_planned() {
            document.open = document.open.with_layout(false);
        }
        Opened { document, notices }
    }

    /// What fields have that a link does not name.
    fn unnamed(&self) -> Scenario {
        Self::unnamed_on(&self.machine_scenario())
    }

    /// The default job's in an undivided layout, in the number format that people use on a machine.
    fn unnamed_on(machine: &Scenario) -> Scenario {
        let mut scenario = default_scenario();
        let tensor_overlap = scenario.plan.tensor_overlap;
        scenario.plan = Plan { tensor_overlap, ..Plan::PLAIN };
        scenario.workload.precision = usual_precision(&machine.cluster);
        scenario
    }

    /// The same of a link of the first version.
    fn from_first(pairs: &[(String, String)]) -> Opened {
        let mut document = Self::default();
        let notices = document.set_all(&pairs.iter().collect::<Vec<_>>());
        if document.extra("auto") == Some("1") {
            document.open = UnsetFields::ALL;
            let kept = |free: &str| {
                free.split(',').filter_map(|key| key.strip_prefix('-')).map(str::to_owned).collect()
            };
            let kept: Vec<String> = document.extra("free").map(kept).unwrap_or_default();
            let own: Vec<String> = document
                .extra("own")
                .map(|own| own.split(',').map(str::to_owned).collect())
                .unwrap_or_default();
            for key in kept.iter().chain(&own) {
                document.open = document.open.without(key);
            }
            let freed = document.extra("free").unwrap_or_default().split(',');
            let freed = freed.filter(|key| !key.starts_with('-')).collect::<Vec<_>>().join(",");
            document.set_extra("free", &freed);
        }
        document.set_extra("auto", "");
        document.set_extra("own", "");
        Opened { document, notices }
    }

    /// Sets keys to texts, presets first. Gives sentences about what is not understood.
    fn set_all(&mut self, pairs: &[&(String, String)]) -> Vec<String> {
        let mut notices = Notices::default();
        let mut times = vec![0_usize; FIELDS.len()];
        // A machine by another name than its row's brings price and power with it.
        let mut priced = false;
        for (key, text) in pairs.iter().filter(|pair| pair.0 != MODEL_NAME) {
            let again = match index_of(key).and_then(|index| times.get_mut(index)) {
                Some(times) => {
                    *times += 1;
                    *times == 2
                }
                None => self.keep_other(key, text, &mut notices),
            };
            if again {
                notices.push(|| {
                    format!(
                        "\u{201c}{}\u{201d} is set more than once. The last value is used.",
                        parse::shown(key)
                    )
                });
            }
            if is_preset(key) {
                priced |= self.set_named(key, text);
            }
        }
        let fields = pairs.iter().filter(|pair| index_of(&pair.0).is_some() && !is_preset(&pair.0));
        self.set_each(fields.map(|pair| (pair.0.as_str(), pair.1.as_str())));
        if let Some((_, name)) = pairs.iter().rfind(|pair| pair.0 == MODEL_NAME && self.text("m") == CUSTOM) {
            self.name_model(name);
        }
        let stated = |key: &str| pairs.iter().any(|pair| pair.0 == key);
        self.fill_from_machine(|field| !priced && !stated(field.key));
        if stated("node") && !stated("domain") {
            self.end_fabric_at_hosts();
        }
        notices.finish()
    }

    /// Writes the domain of a custom machine that states the GPUs of its nodes alone: the default's fabric joins no hosts.
    fn end_fabric_at_hosts(&mut self) {
        let machine = default_scenario().cluster;
        let node = self.values().map(|scenario| scenario.cluster.gpus_per_node);
        if self.preset_scenario(FieldGroup::Cluster).is_none()
            && let Ok(node) = node
            && node < machine.scale_up.domain
        {
            self.set("domain", &node.to_string());
        }
    }

    /// Keeps a key that is no field, while there is room; whether it stood there already.
    fn keep_other(&mut self, key: &str, text: &str, notices: &mut Notices) -> bool {
        let known = self.other(key).is_some();
        if !known && self.others.len() >= MOST_OTHERS {
            notices.left_out += 1;
            return false;
        }
        self.set_other(key, text);
        if !known && !key.starts_with(VIEW_PREFIX) {
            notices.push(|| {
                format!(
                    "\u{201c}{}\u{201d} is not a field of this version. It stays in the link but has no effect.",
                    parse::shown(key)
                )
            });
        }
        known
    }
}

/// Whether a key chooses a preset, which fills in other fields.
fn is_preset(key: &str) -> bool {
    [FieldGroup::Model, FieldGroup::Cluster].iter().any(|group| group.preset_key() == Some(key))
}

/// Sentences about what was not understood, few enough to be read.
#[derive(Default)]
struct Notices {
    sentences: Vec<String>,
    /// Sentences more than are listed.
    more: usize,
    /// Keys that were not kept.
    left_out: usize,
}

impl Notices {
    fn push(&mut self, sentence: impl FnOnce() -> String) {
        if self.sentences.len() < MOST_NOTICES {
            self.sentences.push(sentence());
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.sentences.push(format!("{} more unknown fields are not listed.", self.more));
        }
        if self.left_out > 0 {
            self.sentences.push(format!(
                "{} more unknown fields are removed, because a link can contain only {MOST_OTHERS}.",
                self.left_out
            ));
        }
        self.sentences
    }
}

/// What is wrong with a version, as a sentence.
fn check_version(version: &str) -> Result<(), String> {
    match version.parse::<u32>() {
        Ok(FIRST..=LINK_VERSION) => Ok(()),
        Ok(newer) if newer > LINK_VERSION => Err(format!(
            "This link has format {newer}, but this version supports formats {FIRST} to {LINK_VERSION}. Open the link with the newest version."
        )),
        _ if packed(version).is_some() => {
            Err("This link is damaged: the compressed part is not readable.".to_owned())
        }
        _ => Err(format!(
            "This link is damaged: it begins with \u{201c}{}\u{201d} instead of \u{201c}{LINK_VERSION};\u{201d}.",
            parse::shown(version)
        )),
    }
}

/// Key and text of a pair, or what is wrong with it: the key where it is known, and a sentence.
fn pair(part: &str) -> Result<(String, String), (Option<String>, String)> {
    let Some((key, text)) = part.split_once('=') else {
        return Err((
            None,
            format!("This link is damaged: \u{201c}{}\u{201d} has no value.", parse::shown(part)),
        ));
    };
    let damaged = || {
        let message = format!(
            "This link is damaged: the value of \u{201c}{}\u{201d} is not readable.",
            parse::shown(key)
        );
        (Some(key.to_owned()), message)
    };
    let name = decode(key).filter(|name| !name.is_empty()).ok_or_else(damaged)?;
    Ok((name, decode(text).ok_or_else(damaged)?))
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

/// A text without the percent encoding of addresses; nothing where it is damaged.
pub fn decode(text: &str) -> Option<String> {
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
