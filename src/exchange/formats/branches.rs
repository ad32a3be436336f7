//! Branches of a script: `if` and `case`. A branch is left out where its condition is known to be false.

use super::variables::Variables;

/// Longest condition \[words\].
const LONGEST: usize = 64;

/// A branch of `if` or `case`, and what is known of those before it.
#[derive(Debug, Default)]
struct Branch {
    /// What `case` compares.
    subject: Option<String>,
    /// Whether an earlier branch is taken.
    taken: bool,
    /// Whether the condition of an earlier branch is unknown.
    unknown: bool,
    /// Whether this branch is taken, if that is known.
    now: Option<bool>,
}

impl Branch {
    /// Enters the next branch.
    fn next(&mut self, condition: Option<bool>) {
        self.now = match condition {
            _ if self.taken => Some(false),
            Some(true) if self.unknown => None,
            known => known,
        };
        self.taken |= self.now == Some(true);
        self.unknown |= self.now.is_none();
    }
}

/// What a condition is read for.
#[derive(Debug, PartialEq, Eq)]
enum Of {
    If,
    Case,
    /// A test outside of `if`.
    Nothing,
}

/// Where the words of a script stand.
#[derive(Debug, Default)]
pub(super) struct Branches {
    open: Vec<Branch>,
    /// Words of a condition so far, the line of the last one, and what it is for.
    condition: Option<(Vec<String>, u32, Of)>,
    /// Whether a pattern of `case` may follow.
    pattern: bool,
}

impl Branches {
    /// Takes a word, which may be the `first` of a command; whether it counts as one of the script.
    pub(super) fn take(&mut self, text: &str, first: bool, line: u32, variables: &Variables) -> bool {
        let word = text.trim_end_matches(';');
        if self.condition.is_some() && !self.is_over(word, first, line) {
            return self.condition_word(word, line, variables);
        }
        if self.pattern && self.is_pattern(word, variables) {
            return false;
        }
        self.pattern = text.ends_with(";;") && self.open.last().is_some_and(|open| open.subject.is_some());
        if !first {
            return !self.skips();
        }
        match word {
            "if" => self.begin(Branch::default(), line, Of::If),
            "case" => self.begin(Branch::default(), line, Of::Case),
            "elif" => self.condition = Some((Vec::new(), line, Of::If)),
            "[" | "[[" => self.condition = Some((vec![word.to_owned()], line, Of::Nothing)),
            "else" => self.next(Some(true)),
            "fi" | "esac" => drop(self.open.pop()),
            _ => return !self.skips(),
        }
        false
    }

    /// Whether the words are of a branch that is not taken.
    fn skips(&self) -> bool {
        self.open.iter().any(|open| open.now == Some(false))
    }

    /// Whether it is unknown if the words count.
    pub(super) fn undecided(&self) -> bool {
        self.open.iter().any(|open| open.now.is_none())
    }

    fn begin(&mut self, branch: Branch, line: u32, of: Of) {
        // Nothing of it counts before its first branch.
        self.open.push(Branch { now: Some(true), ..branch });
        self.condition = Some((Vec::new(), line, of));
    }

    fn next(&mut self, condition: Option<bool>) {
        if let Some(open) = self.open.last_mut() {
            open.next(condition);
        }
    }

    /// Drops a condition that ends without the word that belongs behind it: it is one of another language.
    fn is_over(&mut self, word: &str, first: bool, line: u32) -> bool {
        let Some((words, last, of)) = &self.condition else { return true };
        let whole = !words.last().is_some_and(|last| ["&&", "||"].contains(&last.as_str()));
        let over = words.len() > LONGEST || first && line != *last && whole && word != "then";
        if over {
            if *of != Of::Nothing {
                self.open.pop();
            }
            self.condition = None;
        }
        over
    }

    /// Takes a word of a condition; whether it is one of a command.
    fn condition_word(&mut self, word: &str, line: u32, variables: &Variables) -> bool {
        let Some((words, last, of)) = &mut self.condition else { return true };
        let tests =
            words.first().is_some_and(|first| ["[", "[[", "((", "test", "!"].contains(&first.as_str()));
        let ends = match of {
            Of::If => word == "then",
            Of::Case => word == "in",
            Of::Nothing => word == "]" || word == "]]",
        };
        if !ends {
            words.push(variables.fill(word));
            *last = line;
            let opens = words.len() == 1 && ["[", "[[", "((", "test", "!"].contains(&word);
            return *of == Of::If && !tests && !opens && !self.skips();
        }
        let Some((words, _, of)) = self.condition.take() else { return false };
        match of {
            Of::If => self.next(holds(&words)),
            Of::Case => {
                self.pattern = true;
                if let Some(open) = self.open.last_mut() {
                    open.subject = Some(words.join(" "));
                }
            }
            Of::Nothing => {}
        }
        false
    }

    /// Takes a pattern of `case`; whether the word is one.
    fn is_pattern(&mut self, word: &str, variables: &Variables) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        let Some(pattern) = word.strip_suffix(')') else { return word == "|" || word.ends_with('|') };
        let subject = open.subject.as_deref().unwrap_or_default();
        let mut alternatives = pattern.trim_start_matches('(').split('|').map(|text| variables.fill(text));
        let condition = if alternatives.clone().any(|text| text == "*") {
            Some(true)
        } else if subject.contains(['$', '`']) || pattern.contains(['*', '?', '[', '$']) {
            None
        } else {
            Some(alternatives.any(|text| text == subject))
        };
        open.next(condition);
        self.pattern = false;
        true
    }
}

/// Whether a condition holds; nothing where that is not in the script.
fn holds(words: &[String]) -> Option<bool> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let inside = match words.as_slice() {
        ["[" | "[[", inside @ .., "]" | "]]"] | ["test", inside @ ..] => inside,
        ["!", rest @ ..] => {
            let rest: Vec<String> = rest.iter().map(|word| (*word).to_owned()).collect();
            return holds(&rest).map(|holds| !holds);
        }
        _ => return None,
    };
    if inside.iter().any(|word| word.contains(['$', '`', '*'])) {
        return None;
    }
    let numbers = |one: &str, other: &str| Some((one.parse::<i64>().ok()?, other.parse::<i64>().ok()?));
    match inside {
        ["-n", text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        [one, "=" | "==", other] => Some(one == other),
        [one, "!=", other] => Some(one != other),
        [one, "-eq", other] => numbers(one, other).map(|pair| pair.0 == pair.1),
        [one, "-ne", other] => numbers(one, other).map(|pair| pair.0 != pair.1),
        [one, "-gt", other] => numbers(one, other).map(|pair| pair.0 > pair.1),
        [one, "-ge", other] => numbers(one, other).map(|pair| pair.0 >= pair.1),
        [one, "-lt", other] => numbers(one, other).map(|pair| pair.0 < pair.1),
        [one, "-le", other] => numbers(one, other).map(|pair| pair.0 <= pair.1),
        _ => None,
    }
}
