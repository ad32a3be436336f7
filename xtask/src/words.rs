//! Words that texts for users avoid: the strings of the program, and the guide. `docs/glossary.md` has the words that
//! they use.

/// Avoided phrases, in small letters, and what to write instead.
const AVOIDED: [(&str, &str); 41] = [
    ("a fifth less", "-20 %"),
    ("a tie", "within model error"),
    ("are taken to", "are assumed to"),
    ("as shipped", "default"),
    ("beaten by none", "Pareto-optimal"),
    ("beside it", "compare with"),
    ("does not say", "is missing in"),
    ("fullest", "peak memory per GPU"),
    ("goes without saying", "implied by"),
    ("has to be", "must be"),
    ("hidden behind", "overlapped with"),
    ("how sure", "accuracy"),
    ("is no field", "is not a field"),
    ("is no number", "is not a number"),
    ("is taken as", "is treated as"),
    ("is taken to", "is assumed to"),
    ("keep this forecast", "add to comparison"),
    ("let go", "remove"),
    ("let it go", "remove"),
    ("nine of ten", "90 %"),
    ("none beats", "Pareto-optimal"),
    ("not known here", "unknown"),
    ("nothing has that name", "no match"),
    ("nothing recomputed", "no recomputation"),
    ("off before", "error before"),
    ("on one axis", "same scale"),
    ("plan it for me", "choose layout automatically"),
    ("planned for you", "recommended"),
    ("point at", "hover"),
    ("proven slower", "ruled out by bounds"),
    ("rests on", "basis"),
    ("settings together", "inferred"),
    ("stand in", "are included in"),
    ("stands in", "is included in"),
    ("surer", "to narrow the range"),
    ("takes it that", "assumes that"),
    ("timed in full", "simulated"),
    ("to spare", "headroom"),
    ("what would help", "speed-ups to try"),
    ("where the step goes", "step time breakdown"),
    ("worth a look", "suggested"),
];

/// Complains of avoided phrases in the strings of a file of the program, or in a page of the guide.
pub(crate) fn check(path: &str, text: &str, complaints: &mut Vec<String>) {
    let texts = match path {
        _ if path.starts_with("src/") && path.ends_with(".rs") && !path.contains("tests") => literals(text),
        _ if path.starts_with("docs/guide/") && path.ends_with(".md") => lines(text),
        _ => return,
    };
    for (line, text) in texts {
        let text = text.to_lowercase();
        let found = AVOIDED.iter().filter(|(avoided, _)| has(&text, avoided));
        complaints.extend(found.map(|(avoided, instead)| {
            format!("{path}:{line}: write \u{201c}{instead}\u{201d}, not \u{201c}{avoided}\u{201d}")
        }));
    }
}

/// Whether a text has a phrase as whole words.
fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|tail| tail.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// Number and text of every line.
fn lines(text: &str) -> Vec<(usize, String)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned())).collect()
}

/// First line and content of every string of a Rust file, without comments and tests.
fn literals(text: &str) -> Vec<(usize, String)> {
    let program = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut letters = program.chars().peekable();
    let (mut found, mut line) = (Vec::new(), 1);
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => line += 1,
            '/' if letters.peek() == Some(&'/') => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
            }
            // A quotation mark as a character begins no string.
            '\'' => {
                letters.next_if_eq(&'\\');
                letters.next_if_eq(&'"');
            }
            '"' => {
                let (begin, mut content) = (line, String::new());
                while let Some(letter) = letters.next() {
                    match letter {
                        '"' => break,
                        '\\' if letters.next() == Some('\n') => {
                            line += 1;
                            while letters.next_if_eq(&' ').is_some() {}
                        }
                        '\\' => content.push(' '),
                        _ => {
                            line += usize::from(letter == '\n');
                            content.push(letter);
                        }
                    }
                }
                found.push((begin, content));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{AVOIDED, check, has, literals};

    fn complaints(path: &str, text: &str) -> usize {
        let mut complaints = Vec::new();
        check(path, text, &mut complaints);
        complaints.len()
    }

    #[test]
    fn strings_are_found_outside_comments_and_tests() {
        let text = "// \"no\"\nlet a = ('\"', \"one \\\n     two\");\nlet b = \"\\\"three\\n\";\n#[cfg(test)]\nmod tests { \"no\" }";
        let found = literals(text);
        assert_eq!(found, [(2, "one two".to_owned()), (4, " three ".to_owned())]);
    }

    #[test]
    fn avoided_phrases_are_whole_words() {
        assert!(has("a tie of two", "a tie") && !has("a tied embedding", "a tie"));
        assert_eq!(complaints("src/a.rs", "let a = \"Nine of ten\";"), 1);
        assert_eq!(complaints("src/a.rs", "/// Nine of ten.\nlet a = \"90 %\";"), 0);
        assert_eq!(complaints("docs/guide/a.md", "Nine of ten"), 1);
        assert_eq!(complaints("tests/a.rs", "let a = \"Nine of ten\";"), 0);
    }

    #[test]
    fn avoided_phrases_are_sorted_and_in_small_letters() {
        assert!(AVOIDED.is_sorted());
        assert!(AVOIDED.iter().all(|(avoided, _)| *avoided == avoided.to_lowercase()));
    }
}
