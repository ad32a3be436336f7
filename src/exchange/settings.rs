//! A file's settings, in any format: in order, each with its path, line and text.

use super::ImportError;
use crate::fields::parse::shown;
use std::collections::HashMap;

/// Most settings of one file.
pub(super) const MOST_SETTINGS: usize = 20_000;

/// Deepest nesting of tables and lists that is read.
pub(super) const DEEPEST: usize = 64;

/// Most entries of one list of plain values that are kept.
pub(super) const MOST_LISTED: usize = 4096;

/// Longest text that a setting takes from the one it names \[bytes\].
const LONGEST_NAMED: usize = 512;

/// One thing that a file sets.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    /// Path from the top of the file, `parallelism.tensor_parallel_degree`.
    pub(super) path: String,
    /// Line of the file, from 1; none where the format does not tell.
    pub(super) line: Option<u32>,
    /// The value as text: a list's entries joined by commas, nothing for null and for a flag without a value.
    pub(super) text: Option<String>,
    /// The path as readers name it: without leading dashes, with underscores for dashes.
    key: String,
    /// Whether a reader has used it.
    used: bool,
}

/// All settings of a file, and which of them a reader has used.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    entries: Vec<Setting>,
}

impl Settings {
    /// Appends a setting.
    ///
    /// # Errors
    /// The file holds too many.
    pub(super) fn push(
        &mut self,
        path: String,
        line: Option<u32>,
        text: Option<String>,
    ) -> Result<(), ImportError> {
        if self.entries.len() >= MOST_SETTINGS {
            let message = format!("The file has more than {MOST_SETTINGS} settings.");
            return Err(ImportError { line, name: None, message });
        }
        let key = key(&path);
        self.entries.push(Setting { path, line, text, key, used: false });
        Ok(())
    }

    /// Every setting, in the file's order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.entries.iter()
    }

    /// Settings that no reader has used.
    pub(super) fn unused(&self) -> impl Iterator<Item = &Setting> {
        self.entries.iter().filter(|setting| !setting.used)
    }

    /// Whether a path is set, to any value. Nothing is marked as used.
    pub(super) fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|setting| setting.key == path)
    }

    /// Whether a path is set to something that is in the file. Nothing is marked as used.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.entries
            .iter()
            .any(|setting| setting.key == path && !setting.is_unresolved() && !setting.is_null())
    }

    /// The setting of some paths whose value is not in the file, where none of them is set to something that is.
    pub(super) fn unresolved(&self, paths: &[&str]) -> Option<&Setting> {
        let mut found = None;
        for setting in self.entries.iter().filter(|setting| paths.contains(&setting.key.as_str())) {
            if !setting.is_unresolved() {
                return None;
            }
            found = Some(setting);
        }
        found
    }

    /// Whether a path or anything below it is set to something. Nothing is marked as used.
    pub(super) fn has_below(&self, path: &str) -> bool {
        self.entries.iter().filter(|setting| !setting.is_null()).any(|setting| {
            setting.key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Lets readers name settings by the last part of their paths, but for those of some tables.
    pub(super) fn by_last_part(&mut self, but: &[&str]) {
        for setting in &mut self.entries {
            let elsewhere = but.iter().any(|table| setting.key.split('.').any(|part| part == *table));
            let last = setting.path.rsplit('.').next().unwrap_or_default();
            // One letter is an option of Slurm's, and of a path nothing.
            if !elsewhere && (last.len() > 1 || last == setting.path) {
                setting.key = key(last);
            }
        }
    }

    /// The same, and by the names that a list has for ends of paths.
    pub(super) fn by_usual_names(&mut self, but: &[&str], names: &[(&str, &[&str])]) {
        self.by_last_part(but);
        for setting in &mut self.entries {
            let whole = key(setting.path.trim_start_matches('+'));
            let elsewhere = setting.key != whole.rsplit('.').next().unwrap_or_default();
            let ends = |name: &&str| {
                whole.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
            };
            if let Some((name, _)) = names.iter().find(|(_, ends_of)| !elsewhere && ends_of.iter().any(ends))
            {
                (*name).clone_into(&mut setting.key);
            }
        }
    }

    /// Forgets what is in tables that are switched off, as `megatron_cfg` with `enabled: false`.
    pub(super) fn without_tables_off(&mut self) {
        let off = |setting: &&Setting| setting.value().eq_ignore_ascii_case("false");
        let table = |setting: &Setting| Some(format!("{}.", setting.path.strip_suffix(".enabled")?));
        let tables: Vec<String> = self.entries.iter().filter(off).filter_map(table).collect();
        self.entries.retain(|setting| !tables.iter().any(|table| setting.path.starts_with(table.as_str())));
    }

    /// Lets readers find a setting under another name.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        for setting in self.entries.iter_mut().filter(|setting| setting.key == from) {
            to.clone_into(&mut setting.key);
        }
    }

    /// Fills in settings that only name another one, as `${model.seq_length}` does.
    pub(super) fn interpolate(&mut self) {
        let known: HashMap<String, Option<String>> =
            self.entries.iter().map(|setting| (setting.path.clone(), setting.text.clone())).collect();
        for setting in &mut self.entries {
            let named = setting.text.as_deref().and_then(|text| text.strip_prefix("${")?.strip_suffix('}'));
            // A path that begins with a dot is a sibling's.
            let table = setting.path.rsplit_once('.').map_or("", |parts| parts.0);
            let full =
                |path: &str| path.strip_prefix('.').map_or(path.to_owned(), |own| format!("{table}.{own}"));
            let known = named.and_then(|path| known.get(&full(path)));
            if let Some(text) =
                known.filter(|text| text.as_ref().is_none_or(|text| text.len() <= LONGEST_NAMED))
            {
                setting.text.clone_from(text);
            }
            let filled = setting.text.as_deref().and_then(with_defaults);
            setting.text = filled.or(setting.text.take());
        }
    }

    /// Keeps the settings of one table and drops its name from their paths; those of others get a leading slash.
    pub(super) fn enter(&mut self, table: &str) {
        let prefix = format!("{table}.");
        for setting in &mut self.entries {
            setting.key = match setting.key.strip_prefix(&prefix) {
                Some(inner) => inner.to_owned(),
                None => format!("/{}", setting.key),
            };
        }
    }

    /// Names the settings of one table, and those beside the tables that it is in, by their last parts; those of other tables
    /// get a leading slash.
    pub(super) fn enter_with_parents(&mut self, table: &str) {
        let inner = format!("{table}.");
        for setting in &mut self.entries {
            let (parent, last) = setting.path.rsplit_once('.').unwrap_or(("", &setting.path));
            let around = parent.is_empty() || inner.starts_with(&format!("{parent}."));
            setting.key = match setting.path.strip_prefix(&inner) {
                Some(own) => key(own),
                None if around => key(last),
                None => format!("/{}", setting.key),
            };
        }
    }

    /// The last setting of the first path that is set to something known; all of that path are used then.
    fn take(&mut self, paths: &[&str]) -> Option<Setting> {
        for path in paths {
            let mut last = None;
            for setting in &mut self.entries {
                if setting.key == *path && !setting.is_unresolved() {
                    setting.used = true;
                    last = Some(setting.clone());
                }
            }
            if last.is_some() {
                return last;
            }
        }
        None
    }

    /// The last setting with this path suffix that is not null.
    pub(super) fn of_path(&mut self, end: &str) -> Option<Setting> {
        let found = self.entries.iter_mut().rfind(|setting| {
            let path = setting.path.trim_start_matches('-');
            let before = path.strip_suffix(end);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
                && !setting.is_unresolved()
        })?;
        found.used = true;
        Some(found.clone()).filter(|setting| !setting.is_null())
    }

    /// The whole number of the last setting with one of some path suffixes.
    ///
    /// # Errors
    /// The value is not a whole number.
    pub(super) fn of_whole(&mut self, ends: &[&str]) -> Result<Option<Number>, ImportError> {
        let Some(setting) = ends.iter().find_map(|end| self.of_path(end)) else { return Ok(None) };
        number(setting)
    }

    /// The last setting with this path suffix that names something by a path, of which at least the last part is in the
    /// file.
    pub(super) fn named_of_path(&mut self, end: &str) -> Option<Setting> {
        let found = self.entries.iter_mut().rfind(|setting| {
            let before = setting.path.strip_suffix(end);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
                && setting.names_something()
        })?;
        found.used = true;
        Some(found.clone())
    }

    /// Marks settings as seen whose value is not in the file, where another one says the same.
    pub(super) fn pass_over(&mut self, paths: &[&str]) {
        for setting in self.entries.iter_mut().filter(|setting| paths.contains(&setting.key.as_str())) {
            setting.used = true;
        }
    }

    /// Marks a setting as seen, where a reader knows that it says nothing more.
    pub(super) fn spend(&mut self, path: &str) {
        let _ = self.take(&[path]);
    }

    /// Marks all settings of a table as seen.
    pub(super) fn spend_below(&mut self, table: &str) {
        let inside = |path: &str| path.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'));
        self.entries
            .iter_mut()
            .filter(|setting| inside(&setting.path))
            .for_each(|setting| setting.used = true);
    }

    /// Whether a flag without a value, or set to true, is set; nothing if it is absent.
    ///
    /// # Errors
    /// The value is not a boolean.
    pub(super) fn flag(&mut self, paths: &[&str]) -> Result<Option<bool>, ImportError> {
        let Some(setting) = self.take(paths) else { return Ok(None) };
        let text = setting.text.as_deref().map(str::trim).map(str::to_ascii_lowercase);
        match text.as_deref() {
            // A bare argument is set, a name without a value in a file is not.
            None if !setting.path.starts_with('-') => Ok(None),
            None | Some("true" | "yes" | "on" | "1" | "enabled") => Ok(Some(true)),
            Some("false" | "no" | "off" | "0" | "none" | "null" | "disabled" | "") => Ok(Some(false)),
            Some("auto" | "default") => Ok(None),
            Some(other) => Err(setting.wrong(&format!("{} is neither true nor false", quoted(other)))),
        }
    }

    /// A setting, with any value.
    pub(super) fn word(&mut self, paths: &[&str]) -> Option<Setting> {
        self.take(paths)
    }

    /// The text of a setting; nothing where it is not there, or null.
    pub(super) fn text(&mut self, paths: &[&str]) -> Option<Setting> {
        paths.iter().find_map(|path| self.take(&[path]).filter(|setting| !setting.is_null()))
    }

    /// The text of a setting that names something by a path, of which at least the last part is in the file.
    pub(super) fn path(&mut self, names: &[&str]) -> Option<Setting> {
        names.iter().find_map(|name| {
            let mut entries = self.entries.iter_mut();
            let found = entries.rfind(|setting| setting.key == *name && setting.names_something())?;
            found.used = true;
            let found = found.clone();
            self.take(&[name]);
            Some(found)
        })
    }

    /// A whole number; nothing where it is not there, null or left to the program (`auto`).
    ///
    /// # Errors
    /// The value is not a whole number.
    pub(super) fn whole(&mut self, paths: &[&str]) -> Result<Option<Number>, ImportError> {
        let Some(setting) = self.text(paths) else { return Ok(None) };
        number(setting)
    }
}

/// The whole number of a setting; nothing where it is left to the program (`auto`).
fn number(setting: Setting) -> Result<Option<Number>, ImportError> {
    let text = same_throughout(setting.value()).replace('_', "");
    if ["auto", "default"].contains(&text.as_str()) {
        return Ok(None);
    }
    // Some writers keep whole numbers as 4096.0 or 5e2.
    let whole = text.parse::<i64>().ok().or_else(|| {
        let real = text.parse::<f64>().ok()?;
        (real.fract() == 0.0 && real.abs() < 9e15).then_some(real as i64)
    });
    match whole {
        Some(value) => Ok(Some(Number { value, setting })),
        None => Err(setting.wrong(&format!("{} is not a whole number", quoted(&text)))),
    }
}

/// A whole number and where it was read.
#[derive(Debug, Clone)]
pub(super) struct Number {
    /// The number; readers check its sign and bounds.
    pub(super) value: i64,
    /// Its position.
    pub(super) setting: Setting,
}

impl Setting {
    /// The value's text; empty for null and for a flag without a value.
    pub(super) fn value(&self) -> &str {
        self.text.as_deref().unwrap_or_default().trim()
    }

    /// Whether its value names something that is not in the file, such as a variable of the shell.
    pub(super) fn is_unresolved(&self) -> bool {
        self.value().contains('$')
    }

    /// Whether it is a path of which at least the last part is in the file.
    pub(super) fn names_something(&self) -> bool {
        let last = self.value().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        !self.is_null() && !last.is_empty() && !last.contains('$')
    }

    /// Whether nothing is set: null, none, an empty text, or the mark of OmegaConf for what its reader has to give.
    fn is_null(&self) -> bool {
        ["", "null", "~", "none", "None", "???"].contains(&self.value())
    }

    /// A complaint about this setting.
    pub(super) fn wrong(&self, problem: &str) -> ImportError {
        ImportError { line: self.line, name: Some(self.path.clone()), message: format!("{problem}.") }
    }

    /// The path as readers name it.
    pub(super) fn key(&self) -> &str {
        &self.key
    }
}

/// The value that all entries of a list have, as of one number a layer; the text itself where they differ.
fn same_throughout(text: &str) -> &str {
    let mut entries = text.split(',').map(str::trim);
    let first = entries.next().unwrap_or(text);
    if entries.all(|entry| entry == first) { first } else { text }
}

/// A text with the defaults of variables of the environment, `${TP:4}` and `${oc.env:TP,4}`; nothing of a text without any.
fn with_defaults(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("${")?;
    let (inside, after) = rest.split_once('}')?;
    let default = match inside.strip_prefix("oc.env:") {
        Some(inside) => inside.split_once(',')?.1,
        None => inside.split_once(':')?.1,
    };
    Some(format!("{before}{}{after}", default.trim().trim_matches(['"', '\''])))
}

/// Whether a text may be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    first && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// A path as readers name it.
fn key(path: &str) -> String {
    path.trim_start_matches('-').replace('-', "_")
}

/// A text in quotes, short enough for a sentence.
pub(super) fn quoted(text: &str) -> String {
    format!("\u{201c}{}\u{201d}", shown(text))
}
