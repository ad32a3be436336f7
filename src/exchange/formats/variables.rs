//! Variables of a script, filled in where they are used.

use super::super::settings::is_name;
use core::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Longest text that is filled in, and longest that comes of it \[bytes\].
const LONGEST: usize = 16_384;

/// Longest name or sum in brackets \[bytes\].
const LONGEST_INSIDE: usize = 512;

/// Variables that are filled in inside one another, at most.
const DEEPEST: usize = 8;

/// What filling in all texts of one script may read and write \[bytes\].
const BUDGET: usize = 16 << 20;

/// Variables by name.
pub(super) struct Variables {
    values: HashMap<String, String>,
    /// Those whose values are of branches that may not be taken.
    doubtful: HashSet<String>,
    /// Those of them that have several.
    several: HashSet<String>,
    /// What is left of the budget \[bytes\].
    left: Cell<usize>,
}

impl Default for Variables {
    fn default() -> Self {
        Self {
            values: HashMap::new(),
            doubtful: HashSet::new(),
            several: HashSet::new(),
            left: Cell::new(BUDGET),
        }
    }
}

impl Variables {
    /// Sets a variable; `name+` appends to it.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if !self.spend(value.len()) {
            return;
        }
        let value = match name.strip_suffix('+') {
            Some(name) => {
                let before = self.values.get(name).map_or("", String::as_str);
                self.spend(before.len());
                format!("{before} {value}")
            }
            None => value.to_owned(),
        };
        if value.len() <= LONGEST {
            self.values.insert(name.trim_end_matches('+').to_owned(), value.trim().to_owned());
        }
    }

    /// Sets a variable in a branch that may not be taken. What it takes from elsewhere, such as an argument of the script,
    /// is no reason to forget a default.
    pub(super) fn set_in_branch(&mut self, name: &str, value: &str) {
        if value.contains('$') && self.knows(name) && !self.doubtful.contains(name) {
            return;
        }
        let before = self.values.get(name).cloned();
        self.set(name, value);
        if !self.doubtful.insert(name.to_owned()) && before != self.values.get(name).cloned() {
            self.several.insert(name.to_owned());
        }
    }

    /// What a branch that may not be taken gives a variable, where it keeps one that is set: `${TP:-4}` is 4 if only other
    /// branches have set it.
    pub(super) fn own_default<'a>(&self, name: &str, value: &'a str) -> &'a str {
        let inside = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let default = inside.and_then(|inside| inside.strip_prefix(name)?.strip_prefix(":-"));
        default.filter(|_| self.doubtful.contains(name)).unwrap_or(value)
    }

    /// Sets a variable whatever branches said before.
    pub(super) fn settle(&mut self, name: &str, value: &str) {
        self.set(name, value);
        self.doubtful.remove(name);
        self.several.remove(name);
    }

    /// Remembers a list of arguments, which is read where it is set.
    pub(super) fn list(&mut self, name: &str) {
        self.values.entry(name.trim_end_matches('+').to_owned()).or_default();
    }

    /// Whether a variable is set.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A text with its variables filled in; those that are not known stay as they are written.
    pub(super) fn fill(&self, text: &str) -> String {
        self.fill_at(text, 0)
    }

    /// Whether the variables made more text than is read.
    pub(super) fn exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// Takes some of the budget; false once there is none.
    fn spend(&self, bytes: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(bytes));
        !self.exhausted()
    }

    fn fill_at(&self, text: &str, depth: usize) -> String {
        if !text.contains('$') || text.len() > LONGEST || !self.spend(text.len()) {
            return text.to_owned();
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            filled.push_str(before);
            let used = self.one(after, depth, &mut filled);
            rest = after.get(used..).unwrap_or_default();
            if filled.len() > LONGEST {
                return text.to_owned();
            }
        }
        filled.push_str(rest);
        self.spend(filled.len());
        filled
    }

    /// Expands one `$`; returns how many bytes of the text it takes.
    fn one(&self, text: &str, depth: usize, filled: &mut String) -> usize {
        let near = near(text);
        self.spend(near.len());
        if let Some(inner) = near.strip_prefix("((")
            && let Some((expression, _)) = inner.split_once("))")
        {
            let operands = self.operands(expression, depth);
            match sums(&operands) {
                Some(value) => filled.push_str(&value.to_string()),
                None => filled.push_str(&format!("$(({expression}))")),
            }
            return expression.len() + 4;
        }
        let braced = near.strip_prefix('{').and_then(|inner| closing(inner).and_then(|end| inner.get(..end)));
        let (inside, length) = match braced {
            Some(inside) => (inside, inside.len() + 2),
            None => {
                let name = near.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(near.len());
                (near.get(..name).unwrap_or_default(), name)
            }
        };
        let name_end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
        let (name, operator) = inside.split_at(name_end);
        let fallback = [":-", ":=", "-", "="].iter().find_map(|sign| operator.strip_prefix(sign));
        let known = |value: &&str| !value.is_empty() && !self.several.contains(name);
        let value = self.values.get(name).map(String::as_str).filter(known);
        match value.or(fallback) {
            Some(value) if depth < DEEPEST => filled.push_str(&self.fill_at(value, depth + 1)),
            // A list of arguments is read where it is set, not where it is used.
            _ if operator.starts_with('[') && self.knows(name) => {}
            _ => {
                filled.push('$');
                filled.push_str(text.get(..length).unwrap_or_default());
            }
        }
        length
    }

    /// An expression with its names, with or without `$`, filled in.
    fn operands(&self, expression: &str, depth: usize) -> String {
        let plain = expression.replace('$', "");
        let plain = plain.replace(['{', '}'], "");
        let mut filled = String::new();
        for part in plain.split_inclusive(['*', '/', '+', '-']) {
            let (name, sign) = match part.char_indices().next_back() {
                Some((end, sign)) if "*/+-".contains(sign) => {
                    (part.get(..end).unwrap_or_default(), Some(sign))
                }
                _ => (part, None),
            };
            let name = name.trim();
            let known = depth < DEEPEST && !self.several.contains(name);
            let value = self.values.get(name).filter(|_| known);
            filled.push_str(&value.map_or_else(|| name.to_owned(), |value| self.fill_at(value, depth + 1)));
            filled.extend(sign);
        }
        filled
    }
}

/// The words behind `for NAME in`.
#[derive(Default)]
pub(super) struct LoopList {
    /// The variable, once its name is known, and whether it has a value.
    of: Option<(Option<String>, bool)>,
}

impl LoopList {
    /// Takes a word of a loop's head: the variable has the first value of the list. Whether it is one.
    pub(super) fn takes(&mut self, text: &str, first: bool, variables: &mut Variables) -> bool {
        let ends = text.ends_with(';');
        let text = text.trim_end_matches(';');
        match &mut self.of {
            None if first && text == "for" => self.of = Some((None, false)),
            None => return false,
            Some((name @ None, _)) if is_name(text) => *name = Some(text.to_owned()),
            Some((Some(_), false)) if text == "in" => {}
            Some((Some(name), valued @ false)) if text != "do" => {
                let value = variables.fill(text);
                *valued = true;
                if !value.contains(['$', '*', '{']) {
                    variables.settle(name, value.split_whitespace().next().unwrap_or_default());
                }
            }
            Some((Some(_), _)) if text != "do" => {}
            _ => {
                self.of = None;
                return text == "do";
            }
        }
        if ends {
            self.of = None;
        }
        true
    }
}

/// What of a text may be one name or sum.
fn near(text: &str) -> &str {
    let end = (0..=LONGEST_INSIDE.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Bytes up to the brace that closes a text which began behind one.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' if open == 0 => return Some(place),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A sum of chains of products of whole numbers, with minus for plus; nothing for any other expression.
fn sums(text: &str) -> Option<i64> {
    if text.trim_end().ends_with(['+', '-']) {
        return None;
    }
    let mut sum = 0_i64;
    let mut sign = '+';
    for part in text.split_inclusive(['+', '-']) {
        let value = products(part.trim_end_matches(['+', '-']))?;
        sum = if sign == '-' { sum.checked_sub(value)? } else { sum.checked_add(value)? };
        sign = part.chars().next_back()?;
    }
    Some(sum)
}

/// A chain of products and quotients of whole numbers; nothing for any other expression.
fn products(text: &str) -> Option<i64> {
    if text.trim_end().ends_with(['*', '/']) {
        return None;
    }
    let mut value: Option<i64> = None;
    let mut sign = '*';
    for part in text.split_inclusive(['*', '/']) {
        let number = part.trim_end_matches(['*', '/']).trim().parse::<i64>().ok()?;
        value = Some(match (value, sign) {
            (None, _) => number,
            (Some(value), '/') => value.checked_div(number)?,
            (Some(value), _) => value.checked_mul(number)?,
        });
        sign = part.chars().next_back()?;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::Variables;

    #[test]
    fn variables_are_filled_in() {
        let mut variables = Variables::default();
        variables.set("GPUS", "8");
        variables.set("NODES", "${N:-4}");
        variables.list("ARGS");
        for (text, filled) in [
            ("$GPUS", "8"),
            ("${NODES}x", "4x"),
            ("$((GPUS*$NODES))", "32"),
            ("$(($GPUS * 2 / 4))", "4"),
            ("$((NODES + GPUS*2 - 1))", "19"),
            ("$((GPUS - ))", "$((GPUS - ))"),
            ("$((GPUS * ))", "$((GPUS * ))"),
            ("${TP:-${GPUS}}", "8"),
            ("$OTHER", "$OTHER"),
            ("${ARGS[@]}", ""),
            ("${OTHERS[@]}", "${OTHERS[@]}"),
            ("$1", "$1"),
            ("${1:-path}", "path"),
            ("$(date)", "$(date)"),
        ] {
            assert_eq!(variables.fill(text), filled, "{text}");
        }
    }

    #[test]
    fn variables_of_themselves_come_to_an_end() {
        let mut variables = Variables::default();
        variables.set("A", "$A$A");
        assert!(variables.fill("$A").len() <= super::LONGEST * 2);
        // One budget for all texts: here 4 to the power of 8 for each.
        variables.set("A", "$A$A$A$A");
        (0..1000).for_each(|_| drop(variables.fill("$A")));
        assert!(variables.exhausted());
        let mut variables = Variables::default();
        variables.set("A", "x");
        variables.set("A+", "y");
        assert_eq!(variables.fill("$A"), "x y");
    }
}
