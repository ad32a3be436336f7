//! Checks that the glossary names only existing items.

use crate::project::{Project, Result, output};

/// Its path.
const PATH: &str = "docs/glossary.md";

/// Complains of names in the last column of the glossary's tables that no file of the program has.
pub(crate) fn check(project: &Project, complaints: &mut Vec<String>) -> Result {
    let files = output(project.command("git").args(["ls-files", "src"]))?;
    // A file that is listed and deleted has no names.
    let program: String = files
        .lines()
        .filter(|path| path.ends_with(".rs"))
        .filter_map(|path| project.read(path).ok())
        .collect();
    complaints.extend(
        unknown(&project.read(PATH)?, &program).map(|name| format!("{PATH}: nothing is called {name}")),
    );
    Ok(())
}

/// Names that a glossary has and a program does not.
fn unknown<'a>(glossary: &'a str, program: &'a str) -> impl Iterator<Item = &'a str> {
    names(glossary).filter(|name| !program.split(|c: char| !in_name(c)).any(|word| word == *name))
}

/// Every segment of every name in backquotes, in the last cell of a row.
fn names(glossary: &str) -> impl Iterator<Item = &str> {
    let rows = glossary.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    let cells = rows.filter_map(|row| row.rsplit('|').next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).flat_map(|name| name.split("::"))
}

fn in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn names_that_are_gone_are_found() {
        let glossary =
            "# `Head`\n| term | means | carried by |\n|---|---|---|\n| `x` | b | `Here`, `Here::gone` |\n";
        let program = "pub struct Here {\n    other_gone: u8,\n}";
        assert_eq!(unknown(glossary, program).collect::<Vec<_>>(), ["gone"]);
    }
}
