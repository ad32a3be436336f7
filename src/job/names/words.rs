//! How names are compared: as words, numbers and sizes, ignoring separators.

/// Longest text that is read as a name or a sentence of names, in bytes.
pub(super) const LONGEST: usize = 200;

/// Units of a size: parameters (`8b`, `1t`, `560m`) and memory (`80g`, `80gb`, `80 GB`).
const UNITS: [&str; 6] = ["b", "m", "t", "g", "gb", "gib"];

/// Units of memory, which may be separate from their number.
const MEMORY: [&str; 2] = ["gb", "gib"];

/// Signs of a product: `8xH100`.
pub(super) const TIMES: [char; 4] = ['x', 'X', '\u{d7}', '*'];

/// A name's words in small letters (`llama`), numbers without their point (`31` of 3.1), and sizes with it (`1.5b`), in
/// their order. `Llama-3.1 8B`, `llama3.1_8b` and `llama 31 8b` are the same.
pub(super) fn words(mut text: &str) -> Vec<String> {
    let mut words = Vec::new();
    while let Some((word, rest)) = next_word(text) {
        // 8xA100 is 8 times A100.
        let times = is_number(&word).then(|| rest.strip_prefix(TIMES)).flatten();
        words.push(word);
        words.extend(times.map(|_| "x".to_owned()));
        text = times.unwrap_or(rest);
    }
    words
}

/// The first word of a text, and what follows it.
pub(super) fn next_word(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric() && !TIMES.contains(&c));
    let first = text.chars().next()?;
    if first.is_ascii_digit() {
        return Some(number(text));
    }
    let (word, rest) = split(text, |byte| byte.is_ascii_alphabetic());
    if word.is_empty() {
        return Some(("x".to_owned(), text.get(first.len_utf8()..)?));
    }
    Some((word.to_ascii_lowercase(), rest))
}

/// The number that a text begins with, its unit of size included, and the rest.
fn number(text: &str) -> (String, &str) {
    let digits = |text| split(text, |byte: u8| byte.is_ascii_digit());
    let (whole, mut rest) = digits(text);
    let mut number = whole.to_owned();
    while let Some((group, after)) = rest.strip_prefix(',').map(digits).filter(|group| group.0.len() == 3) {
        number.push_str(group);
        rest = after;
    }
    let mut fraction = "";
    if let Some((decimals, after)) = rest.strip_prefix('.').map(digits).filter(|part| !part.0.is_empty()) {
        (fraction, rest) = (decimals.trim_end_matches('0'), after);
    }
    let letters = |text| split(text, |byte: u8| byte.is_ascii_alphanumeric());
    let is_one_of = |units: &[&str], unit: &str| units.iter().any(|known| unit.eq_ignore_ascii_case(known));
    let (joined, apart) = (letters(rest), letters(rest.trim_start_matches([' ', '-', '_'])));
    let (unit, after) = match (is_one_of(&UNITS, joined.0), is_one_of(&MEMORY, apart.0)) {
        (true, _) => joined,
        (false, true) => apart,
        (false, false) => return (number + fraction, rest),
    };
    if !fraction.is_empty() {
        number = number + "." + fraction;
    }
    number.push_str(&unit.get(..1).unwrap_or_default().to_ascii_lowercase());
    (number, after)
}

/// The longest start whose bytes are all wanted, and the rest.
fn split(text: &str, wanted: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().take_while(|byte| wanted(*byte)).count())
}

/// Whether a word is a size: a number with its unit.
pub(super) fn is_size(word: &str) -> bool {
    begins_with_digit(word) && word.ends_with(|c: char| c.is_ascii_lowercase())
}

/// Whether a word is a number without unit.
pub(super) fn is_number(word: &str) -> bool {
    begins_with_digit(word) && !is_size(word)
}

fn begins_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// How well a name is met, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// By the same words in the same order, joined or not: `torch titan`.
    Same,
    /// By the same words in another order.
    Reordered,
    /// By some of them, all numbers among these, and a size where it has any.
    Part,
    /// By all but its sizes: `Qwen3-Next` of 80B-A3B.
    Sizeless,
}

/// How well written words meet a name; nothing where they do not.
pub(super) fn grade(written: &[String], name: &[String]) -> Option<Grade> {
    if written.is_empty() {
        return None;
    }
    let numbers = |words: &[String]| -> String {
        words.iter().filter(|word| begins_with_digit(word)).map(|word| format!("{word} ")).collect()
    };
    let letters = |words: &[String]| words.iter().map(String::len).sum::<usize>();
    let joined = || written.concat() == name.concat() && numbers(written) == numbers(name);
    if letters(written) == letters(name) && (written == name || joined()) {
        return Some(Grade::Same);
    }
    let mut missing: Vec<&String> = name.iter().collect();
    for word in written {
        let place = missing.iter().position(|other| *other == word)?;
        missing.remove(place);
    }
    let sized = |words: &[String]| words.iter().any(|word| is_size(word));
    // A3B is the size of what a token passes.
    let sizes_alone = missing.iter().all(|word| is_size(word) || *word == "a") && !sized(written);
    match missing.is_empty() {
        true => Some(Grade::Reordered),
        false if sizes_alone => Some(Grade::Sizeless),
        false if missing.iter().any(|word| is_number(word)) || sized(name) && !sized(written) => None,
        // A size alone names nothing: 13b is no more OPT 13B than another.
        false if written.iter().all(|word| is_size(word)) => None,
        false => Some(Grade::Part),
    }
}

/// Letters and digits alone, in lower case: what a reader types of a name without looking.
pub fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Fewest letters of a word that two names have in common by more than chance.
const TELLING: usize = 3;

/// How far a name is from a text, the nearest first: words not shared, then edits; nothing where it is not near.
/// It is near where it shares a word or a size, contains the text, or differs by one letter in four.
pub(super) fn apart(text: &str, name: &str) -> Option<(usize, usize)> {
    // A long text is not a misspelt name, and its distance takes long to compute.
    let typed: String = plain(text).chars().take(40).collect();
    let plain = plain(name);
    let edits = edits(typed.as_bytes(), plain.as_bytes());
    let (written, own) = (words(text), words(name));
    let shared: Vec<&String> = written.iter().filter(|word| own.contains(*word)).collect();
    let telling = shared.iter().any(|word| word.len() >= TELLING && !begins_with_digit(word));
    let contained = typed.len() > 1 && has(&plain, &typed);
    let sized = shared.iter().any(|word| is_size(word));
    let near = telling || sized || contained || edits * 4 <= plain.len().min(typed.len());
    near.then(|| (if contained { 0 } else { written.len() - shared.len() }, edits))
}

/// Edit distance.
fn edits(typed: &[u8], name: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=typed.len()).collect();
    for (line, letter) in name.iter().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        let mut next = vec![left];
        for (column, typed_letter) in typed.iter().enumerate() {
            let above = row.get(column + 1).copied().unwrap_or(usize::MAX - 1);
            left = (diagonal + usize::from(typed_letter != letter)).min(above + 1).min(left + 1);
            diagonal = above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// Whether a text has a part. The standard library's search is made for long texts, and some kilobytes of a first visit.
pub(crate) fn has(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len().max(1)).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_makes_no_difference_and_sizes_do() {
        for (text, same) in [
            ("Llama-3.1 8B", "llama 31 8b"),
            ("8xA100", "8 x a 100"),
            ("8\u{d7}H100", "8 x h 100"),
            ("2,048 H800", "2048 h 800"),
            ("A100 80 GB", "a 100 80g"),
            ("Qwen3 30B-A3B", "qwen 3 30b a 3b"),
            ("gpt2-1.5b", "gpt 2 1.5b"),
            ("p5.48xlarge", "p 548 x large"),
            ("\u{e9}\u{4e2d}", ""),
        ] {
            assert_eq!(words(text).join(" "), same, "{text}");
        }
        assert_ne!(words("15b"), words("1.5b"));
    }

    #[test]
    fn part_of_a_name_has_its_numbers() {
        let grade = |written: &str, name: &str| grade(&words(written), &words(name));
        assert_eq!(grade("70B Llama 3", "llama3-70b"), Some(Grade::Reordered));
        assert_eq!(grade("qwen3 235b", "Qwen3 235B-A22B"), Some(Grade::Part));
        assert_eq!(grade("qwen3 next", "Qwen3-Next 80B-A3B"), Some(Grade::Sizeless));
        for (written, name) in
            [("qwen 14b", "Qwen3 14B"), ("qwen3 4b", "Qwen3 14B"), ("qwen3", "Qwen3-VL 8B")]
        {
            assert_eq!(grade(written, name), None, "{written}");
        }
    }
}
