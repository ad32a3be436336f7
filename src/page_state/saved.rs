//! Forecasts that the reader has saved under names: in the browser, and as a file to take elsewhere.

use crate::document::Document;

/// Where the browser keeps them.
pub const SAVED: &str = "stepcast-saved";

/// Name of the file that they are exported to.
pub const FILE: &str = "stepcast-saved.tsv";

/// First line of that file.
const HEADER: &str = "# stepcast: saved forecasts, one name and link per line";

/// Forecasts that are kept at most.
pub const MOST_SAVED: usize = 200;

/// Longest name, characters.
const LONGEST_NAME: usize = 80;

/// A forecast under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedForecast {
    /// What the reader calls it.
    pub name: String,
    /// The link that says what is forecast.
    pub link: String,
}

/// Saved forecasts as a text.
pub fn written(saved: &[SavedForecast]) -> String {
    let lines = saved.iter().map(|one| format!("{}\t{}\n", one.name, one.link));
    format!("{HEADER}\n{}", lines.collect::<String>())
}

/// Saved forecasts of a text, and a sentence for each line that is none.
pub fn read(text: &str) -> (Vec<SavedForecast>, Vec<String>) {
    let (mut saved, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match read_line(line) {
            Ok(_) if saved.len() >= MOST_SAVED => {
                problems.push(format!(
                    "Line {number} and later lines are ignored, because the browser stores at most {MOST_SAVED} forecasts."
                ));
                break;
            }
            Ok(one) => saved = with(&saved, one),
            Err(reason) => problems.push(format!("Line {number}: {reason}")),
        }
    }
    (saved, problems)
}

fn read_line(line: &str) -> Result<SavedForecast, String> {
    let (name, link) = line.split_once('\t').ok_or("expected a name, a tab and a link.")?;
    let name = named(name).ok_or("the name is empty.")?;
    let opened = Document::from_link(link).map_err(|error| error.message)?;
    Ok(SavedForecast { name, link: opened.document.to_link() })
}

/// A name as it is kept: without tabs, line breaks and spaces around, and not too long. Nothing where none is left.
pub fn named(text: &str) -> Option<String> {
    let name: String = text.replace(['\t', '\n', '\r'], " ").trim().chars().take(LONGEST_NAME).collect();
    let name = name.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// Saved forecasts with one more, which takes the place of another of its name.
pub fn with(saved: &[SavedForecast], one: SavedForecast) -> Vec<SavedForecast> {
    let mut saved = saved.to_vec();
    match saved.iter_mut().find(|other| other.name == one.name) {
        Some(other) => *other = one,
        None => saved.push(one),
    }
    saved.truncate(MOST_SAVED);
    saved
}

/// Saved forecasts without that of a name.
pub fn without(saved: &[SavedForecast], name: &str) -> Vec<SavedForecast> {
    saved.iter().filter(|one| one.name != name).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, gpus: u32) -> SavedForecast {
        let link = Document::from_link(&format!("#1;m=llama3-8b;g=dgx-h100;n={gpus}")).expect("a link");
        SavedForecast { name: name.to_owned(), link: link.document.to_link() }
    }

    #[test]
    fn a_file_brings_back_what_was_written() {
        let saved = [one("small", 8), one("large; 100 %", 64)];
        assert_eq!(read(&written(&saved)), (saved.to_vec(), Vec::new()));
    }

    #[test]
    fn lines_that_are_none_are_named() {
        let text = format!("{}nonsense\n\tx\nnewer\t#99;m=a\n", written(&[one("small", 8)]));
        let (saved, problems) = read(&text);
        assert_eq!(saved.len(), 1);
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].starts_with("Line 3: ") && problems[2].contains("format 99"), "{problems:?}");
    }

    #[test]
    fn a_name_is_kept_once_and_in_bounds() {
        let saved = with(&[one("a", 8), one("b", 8)], one("a", 64));
        assert_eq!(saved, [one("a", 64), one("b", 8)]);
        assert_eq!(without(&saved, "a"), [one("b", 8)]);
        assert_eq!(named(" \t "), None);
        assert_eq!(named(&"x".repeat(100)).map(|name| name.len()), Some(LONGEST_NAME));
        let many: String = (0..300).map(|index| format!("n{index}\t#1;n=8\n")).collect();
        let (saved, problems) = read(&many);
        assert_eq!((saved.len(), problems.len()), (MOST_SAVED, 1));
    }
}
