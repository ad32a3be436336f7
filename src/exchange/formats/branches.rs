//! Branches of a script: `if`, `case`, and what follows a test behind `&&` or `||`. A branch is left out where its condition is
//! known to be false.

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
    /// The list that goes on behind it, of a block in braces.
    list: Option<List>,
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

/// A test outside of `if`, and the commands that `&&` and `||` join to it.
#[derive(Debug, Clone, Copy)]
struct List {
    /// Whether what ran last succeeded, if that is known. Commands other than tests do.
    status: Option<bool>,
    /// Whether the present command runs, if that is known.
    runs: Option<bool>,
    /// Line of the last word; none where a semicolon ends the list.
    line: Option<u32>,
    /// Whether the last word joins commands.
    joined: bool,
    /// Whether the last word is of an array that goes on.
    array: bool,
}

impl List {
    const FIRST: Self = Self { status: None, runs: Some(true), line: None, joined: false, array: false };

    /// Ends a test.
    fn test(&mut self, holds: Option<bool>, line: Option<u32>) {
        if self.runs == Some(true) {
            self.status = holds;
        }
        *self = Self { line, joined: false, ..*self };
    }

    /// Takes a word of a command.
    fn word(&mut self, text: &str, line: u32) {
        match text {
            "&&" => self.runs = self.status,
            "||" => self.runs = self.status.map(|succeeded| !succeeded),
            _ => {}
        }
        self.joined = ["&&", "||", "|"].contains(&text);
        if self.joined && self.runs == Some(true) {
            self.status = Some(true);
        }
        self.array = (self.array || text.contains("=(")) && !text.ends_with(')');
        self.line = (!text.ends_with(';')).then_some(line);
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
    /// A pattern of `case` so far, where one may follow.
    pattern: Option<String>,
    /// Whether the last word ended a pattern, so that a command begins.
    begins: bool,
    /// The list of the last word.
    list: Option<List>,
}

impl Branches {
    /// Takes a word, which may be the `first` of a command; whether it counts as one of the script.
    pub(super) fn take(&mut self, text: &str, first: bool, line: u32, variables: &Variables) -> bool {
        let word = text.trim_end_matches(';');
        let first = core::mem::take(&mut self.begins) || first;
        if self.condition.is_some() && !self.is_over(word, first, line) {
            let separates = word.is_empty() && !text.is_empty();
            return !separates && self.condition_word(text, line, variables);
        }
        if self.is_pattern(word, variables) {
            return false;
        }
        let ends = text.ends_with(";;") && self.open.last().is_some_and(|open| open.subject.is_some());
        self.pattern = ends.then(String::new);
        if self.is_brace(text, line) {
            return false;
        }
        self.list = self
            .list
            .filter(|list| !first || list.joined || list.array || list.line == Some(line))
            .map(|mut list| {
                list.word(text, line);
                list
            });
        if !first {
            return !self.skips();
        }
        match word {
            "if" => self.begin(Branch::default(), line, Of::If),
            "case" => self.begin(Branch::default(), line, Of::Case),
            "elif" => self.condition = Some((Vec::new(), line, Of::If)),
            "[" | "[[" | "test" => self.condition = Some((vec![word.to_owned()], line, Of::Nothing)),
            sum if sum.starts_with("((") => {
                self.condition = Some((vec![word.to_owned()], line, Of::Nothing));
                return self.condition_word("", line, variables);
            }
            "else" => self.next(Some(true)),
            "fi" | "esac" => drop(self.open.pop()),
            _ => return !self.skips(),
        }
        false
    }

    /// Takes a brace around commands of a list; whether the word is one.
    fn is_brace(&mut self, text: &str, line: u32) -> bool {
        if text == "{"
            && let Some(list) = self.list.take_if(|list| list.joined)
        {
            self.open.push(Branch { now: list.runs, list: Some(list), ..Branch::default() });
            return true;
        }
        let block = self.open.pop_if(|open| open.list.is_some() && text.trim_end_matches(';') == "}");
        let Some(list) = block.as_ref().and_then(|open| open.list) else { return false };
        let line = (!text.ends_with(';')).then_some(line);
        self.list = Some(List { line, joined: false, ..list });
        true
    }

    /// Whether the words are of a branch that is not taken.
    fn skips(&self) -> bool {
        self.taken().any(|now| now == Some(false))
    }

    /// Whether it is unknown if the words count.
    pub(super) fn undecided(&self) -> bool {
        self.taken().any(|now| now.is_none())
    }

    /// Whether each branch around a word is taken, if that is known.
    fn taken(&self) -> impl Iterator<Item = Option<bool>> {
        self.open.iter().map(|open| open.now).chain(self.list.map(|list| list.runs))
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
    fn condition_word(&mut self, text: &str, line: u32, variables: &Variables) -> bool {
        let word = text.trim_end_matches(';');
        let Some((words, last, of)) = &mut self.condition else { return true };
        let tests =
            words.first().is_some_and(|first| ["[", "[[", "((", "test", "!"].contains(&first.as_str()));
        let ends = match of {
            Of::If => word == "then",
            Of::Case => word == "in",
            Of::Nothing => match words.first().map_or("", String::as_str) {
                "test" => ["&&", "||"].contains(&word) || text.ends_with(';'),
                sum if sum.starts_with("((") => word.ends_with("))") || sum.ends_with("))"),
                _ => word == "]" || word == "]]",
            },
        };
        if !ends {
            words.push(variables.fill(word));
            *last = line;
            let opens = words.len() == 1 && ["[", "[[", "((", "test", "!"].contains(&word);
            return *of == Of::If && !tests && !opens && !self.skips();
        }
        let Some((mut words, _, of)) = self.condition.take() else { return false };
        match of {
            Of::If => self.next(holds(&words)),
            Of::Case => {
                self.pattern = Some(String::new());
                if let Some(open) = self.open.last_mut() {
                    open.subject = Some(words.join(" "));
                }
            }
            Of::Nothing => {
                let joins = ["&&", "||"].contains(&word);
                if !joins {
                    words.push(variables.fill(word));
                }
                let ends = (!text.ends_with(';')).then_some(line);
                let list = self.list.get_or_insert(List::FIRST);
                list.test(holds(&words), ends);
                if joins {
                    list.word(word, line);
                }
            }
        }
        false
    }

    /// Takes a word of a pattern of `case`; whether the word is one.
    fn is_pattern(&mut self, word: &str, variables: &Variables) -> bool {
        let Some(before) = self.pattern.take() else { return false };
        let goes_on = before.is_empty() || before.ends_with(['|', '(']) || word.starts_with(['|', ')']);
        if !goes_on || before.is_empty() && word == "esac" {
            return false;
        }
        let whole = before + word;
        let Some(pattern) = whole.strip_suffix(')') else {
            self.pattern = Some(whole);
            return true;
        };
        let Some(open) = self.open.last_mut() else { return false };
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
        self.begins = true;
        true
    }
}

/// Whether a condition holds; nothing where that is not in the script.
fn holds(words: &[String]) -> Option<bool> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    joined(&words, command)
}

/// Whether commands or tests that `&&` and `||` join hold, from left to right.
fn joined(words: &[&str], holds: impl Fn(&[&str]) -> Option<bool>) -> Option<bool> {
    let mut inside = 0_i32;
    let mut parts = words.split_inclusive(|word| {
        inside += i32::from(*word == "[[") - i32::from(*word == "]]");
        inside == 0 && ["&&", "||"].contains(word)
    });
    let (mut status, mut sign) = (Some(true), "&&");
    for part in parts.by_ref() {
        let (next, part) = match part {
            [part @ .., next @ ("&&" | "||")] => (*next, part),
            part => ("", part),
        };
        let now = holds(part);
        status = match sign {
            "&&" if status == Some(false) || now == Some(false) => Some(false),
            "||" if status == Some(true) || now == Some(true) => Some(true),
            _ => status.and(now),
        };
        sign = next;
    }
    status
}

/// Whether a command of a condition succeeds.
fn command(words: &[&str]) -> Option<bool> {
    match words {
        ["!", rest @ ..] => command(rest).map(|holds| !holds),
        ["true"] => Some(true),
        ["false"] => Some(false),
        ["[" | "[[", inside @ .., "]" | "]]"] | ["test", inside @ ..] => joined(inside, test),
        _ => None,
    }
}

/// Whether a test holds.
fn test(inside: &[&str]) -> Option<bool> {
    if inside.iter().any(|word| word.contains(['$', '`', '*'])) {
        return None;
    }
    if let ["!", inside @ ..] = inside {
        return test(inside).map(|holds| !holds);
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

#[cfg(test)]
mod tests {
    use super::super::shell;

    #[test]
    fn only_branches_that_are_taken_count() {
        for (script, tp) in [
            // Patterns of several words.
            ("case slow in slow | medium) TP=4 ;; *) TP=1 ;; esac", "4"),
            ("case slow in slow ) TP=4 ;; *) TP=1 ;; esac", "4"),
            ("case fast in\n(slow | medium)\nTP=4\n;;\n*) TP=1 ;; esac", "1"),
            ("case $X in slow | medium) TP=4 ;; *) TP=1 ;; esac", "$TP"),
            ("TP=2; case a in b) TP=1 ;; esac; TP=3", "3"),
            ("TP=2; case a in a) [ 1 = 2 ] && TP=8 ;; *) TP=1 ;; esac", "2"),
            // Tests outside of `if`.
            ("MODEL=8b; TP=2; [[ \"$MODEL\" == \"70b\" ]] && TP=8", "2"),
            ("MODEL=70b; TP=2; [[ \"$MODEL\" == \"70b\" ]] && TP=8", "8"),
            ("[ 1 = 2 ] && TP=8 || TP=1", "1"),
            ("[ 1 = 1 ] && TP=8 || TP=1", "8"),
            ("[ 1 = 1 ] || TP=8 && TP=1", "1"),
            ("TP=2; [ 1 = 1 ] && [ 1 = 2 ] && TP=8", "2"),
            ("[ 1 = 2 ] && X=1; TP=8", "8"),
            ("[ 1 = 2 ] && X=1\nTP=8", "8"),
            ("TP=2; [ 1 = 2 ] &&\nTP=8", "2"),
            ("TP=2; [ 1 = 2 ] && { X=1\nTP=8; } || X=2", "2"),
            ("[ 1 = 2 ] && { X=1\nTP=8; } || TP=3", "3"),
            ("[ 1 = 2 ] && { X=1; }\nTP=8", "8"),
            ("[ \"$X\" = 2 ] && TP=8 || TP=1", "$TP"),
            ("TP=2; while [ 1 = 2 ]; do X=1; done; TP=8", "8"),
            ("TP=2; test 1 = 2 && TP=8", "2"),
            ("TP=2; test 1 = 1 && TP=8", "8"),
            ("TP=2; [[ 1 = 1 && 1 = 2 ]] && TP=8", "2"),
            ("N=3; (( N > 2 )) && TP=8 || TP=1", "$TP"),
            ("((N>2)) && TP=8 || TP=1", "$TP"),
            // The first value of a list.
            ("for TP in 4 8; do", "4"),
            ("for TP in 2; do X=1; done", "2"),
            ("for ((i=0; i<2; i++)); do TP=2; done", "2"),
            // Branches that set what nothing else does.
            ("if [ $X = 1 ]; then TP=${TP:-4}; else TP=${TP:-8}; fi", "$TP"),
            ("TP=2; if [ $X = 1 ]; then A=1; else TP=${TP:-8}; fi", "2"),
            // Conditions.
            ("TP=2; if [ 1 = 1 ] && [ 1 = 2 ]; then TP=8; fi", "2"),
            ("TP=2; if [ 1 = 2 ] || [ 1 = 1 ]; then TP=8; fi", "8"),
            ("TP=2; if [[ 1 = 1 && ! 1 = 2 ]]; then TP=8; fi", "8"),
            ("TP=2; if [ \"1\" = \"2\" ] ; then TP=8 ; fi", "2"),
            ("TP=2; if [ ! 1 = 1 ]; then TP=8; fi", "2"),
            ("TP=2; if false; then TP=8; else TP=4; fi", "4"),
            ("TP=2; if ! true ; then TP=8; fi", "2"),
            ("TP=2; if [ -z \"\" ] ; then TP=8; fi", "8"),
        ] {
            let whole = format!("{script}\npython train.py --tp $TP");
            let read = shell::read(&whole, |_| false).unwrap_or_else(|error| panic!("{script}: {error}"));
            let last = read.settings.iter().find(|setting| setting.path == "--tp").expect("an argument");
            assert_eq!(last.value(), tp, "{script}");
        }
        // What an unknown test decides is said.
        let unknown = shell::read("TP=2; [ $X = 2 ] && TP=8", |_| false).expect("readable");
        assert!(unknown.branches);
        // Arrays of arguments go on over lines.
        let array = "[ 1 = 2 ] && ARGS+=( --fp8 \n--sp )\nARGS+=(--cp 2)";
        let read = shell::read(array, |_| false).expect("readable");
        assert_eq!(read.settings.iter().map(|setting| setting.path.as_str()).collect::<Vec<_>>(), ["--cp"]);
    }
}
