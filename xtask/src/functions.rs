//! How long functions are. What fills more than a screen is read in pieces, so it is written in pieces.

/// Most lines of a function of the program, from `fn` to its closing brace.
const MAX_LINES: usize = 60;

/// A function and how many lines it has.
#[derive(Debug, PartialEq, Eq)]
struct Length<'a> {
    name: &'a str,
    /// Line where it begins, counted from 1.
    line: usize,
    lines: usize,
}

/// Complains of the functions of one file of the program that are too long.
pub(crate) fn check(path: &str, text: &str, complaints: &mut Vec<String>) {
    if !path.starts_with("src/") || !path.ends_with(".rs") || path.ends_with("tests.rs") {
        return;
    }
    let long = lengths(text).into_iter().filter(|function| function.lines > MAX_LINES);
    complaints.extend(long.map(|function| {
        let Length { name, line, lines } = function;
        format!("{path}:{line}: {name} has {lines} lines; split it by its ideas at {MAX_LINES}")
    }));
}

/// Every function of a file as rustfmt leaves it: it ends at the brace below its first letter. Tests are left out.
fn lengths(text: &str) -> Vec<Length<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod "));
    let lines = lines.get(..tests.unwrap_or(lines.len())).unwrap_or_default();
    let found = lines.iter().enumerate().filter_map(|(begin, line)| {
        let name = name(line)?;
        let indent = line.len() - line.trim_start().len();
        let closing = format!("{:indent$}}}", "");
        let end =
            lines.get(begin..)?.iter().position(|line| *line == closing || ends_at_once(line, indent))?;
        Some(Length { name, line: begin + 1, lines: end + 1 })
    });
    found.collect()
}

/// Whether a function without lines of its own ends here: a declaration, or one of one line.
fn ends_at_once(line: &str, indent: usize) -> bool {
    let outermost = line.len() - line.trim_start().len() == indent;
    outermost && (line.ends_with(';') || name(line).is_some() && line.ends_with('}'))
}

/// Name of the function that a line begins.
fn name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    while !rest.starts_with("fn ") {
        let (word, behind) = rest.split_once(' ')?;
        let qualifies =
            word.starts_with("pub") || ["const", "async", "unsafe", "extern", "\"C\""].contains(&word);
        if !qualifies {
            return None;
        }
        rest = behind;
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "trait Named {
    fn name(&self) -> String;
    fn both(
        &self,
    ) -> u8 {
        1
    }
}
fn one() -> u8 { 1 }
pub(crate) fn two<T>(value: T)
where
    T: Copy,
{
    let fn_like = value;
}
#[cfg(test)]
mod tests {
    fn left_out() {
    }
}
";

    #[test]
    fn functions_are_measured_from_fn_to_brace() {
        let lengths: Vec<(&str, usize, usize)> = lengths(TEXT)
            .into_iter()
            .map(|function| (function.name, function.line, function.lines))
            .collect();
        assert_eq!(lengths, [("name", 2, 1), ("both", 3, 5), ("one", 9, 1), ("two", 10, 6)]);
    }

    #[test]
    fn a_long_function_is_named() {
        let text = format!("fn long() {{\n{}}}\n", "    work();\n".repeat(MAX_LINES - 1));
        let mut complaints = Vec::new();
        check("src/new.rs", &text, &mut complaints);
        assert_eq!(complaints, ["src/new.rs:1: long has 61 lines; split it by its ideas at 60"]);
        check("xtask/src/new.rs", &text, &mut complaints);
        check("src/page_state/page/tests.rs", &text, &mut complaints);
        assert_eq!(complaints.len(), 1);
    }
}
