//! Export of tables: comma-separated values, JSON, Markdown and LaTeX.

use crate::decimal;

/// File format of an exported table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Comma-separated values.
    Csv,
    /// JSON: a list of objects.
    Json,
    /// A table of Markdown.
    Markdown,
    /// A `tabular` of LaTeX.
    Latex,
}

impl FileKind {
    /// Every kind with its name for people.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Csv, "CSV"), (Self::Json, "JSON"), (Self::Markdown, "Markdown"), (Self::Latex, "LaTeX")];

    /// Its ending.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Markdown => "md",
            Self::Latex => "tex",
        }
    }

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Json => "application/json",
            Self::Markdown => "text/markdown",
            Self::Latex => "application/x-tex",
        }
    }
}

/// A table as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows; may be empty.
    pub caption: String,
    /// Names of its columns.
    pub head: Vec<String>,
    /// Cells of each row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as a file.
    pub fn written(&self, kind: FileKind) -> String {
        match kind {
            FileKind::Csv => self.csv(),
            FileKind::Json => self.json(),
            FileKind::Markdown => self.markdown(),
            FileKind::Latex => self.latex(),
        }
    }

    fn csv(&self) -> String {
        let quoted = |cell: &String| {
            let plain = !cell.contains([',', '"', '\n', '\r']);
            if plain { cell.clone() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
        };
        let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        core::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }

    fn json(&self) -> String {
        let object = |cells: &Vec<String>| {
            let pairs = self.head.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
            let pairs = pairs.map(|(name, cell)| {
                let value = if is_number(cell) { cell.clone() } else { json_text(cell) };
                format!("{}:{value}", json_text(name))
            });
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        };
        format!("[\n{}\n]\n", self.rows.iter().map(object).collect::<Vec<_>>().join(",\n"))
    }

    fn markdown(&self) -> String {
        let line = |cells: &Vec<String>| {
            let cells = cells.iter().map(|cell| cell.replace('|', "\\|").replace(['\n', '\r'], " "));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|{}\n", " --- |".repeat(self.head.len()));
        let caption = if self.caption.is_empty() { String::new() } else { format!("{}\n\n", self.caption) };
        caption + &line(&self.head) + &rule + &self.rows.iter().map(line).collect::<String>()
    }

    fn latex(&self) -> String {
        let line = |cells: &Vec<String>| {
            cells.iter().map(|cell| latex_text(cell)).collect::<Vec<_>>().join(" & ") + " \\\\\n"
        };
        let columns = "l".repeat(self.head.len());
        let caption = if self.caption.is_empty() {
            String::new()
        } else {
            format!("% {}\n", self.caption.replace('\n', " "))
        };
        let rows: String = self.rows.iter().map(line).collect();
        format!(
            "{caption}\\begin{{tabular}}{{{columns}}}\n{}\\hline\n{rows}\\end{{tabular}}\n",
            line(&self.head)
        )
    }
}

/// Whether a cell is a number as JSON writes them.
fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let starts = match digits.as_bytes() {
        [b'0', next, ..] => *next == b'.',
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    starts && digits.ends_with(|last: char| last.is_ascii_digit()) && decimal::parse(cell).is_some()
}

fn json_text(text: &str) -> String {
    let mut written = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            letter if (letter as u32) < 0x20 => written.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => written.push(letter),
        }
    }
    written + "\""
}

/// A text with LaTeX's own characters, and those that its engines lack, in commands.
fn latex_text(text: &str) -> String {
    let mut written = String::new();
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => written.extend(['\\', letter]),
            '\\' => written.push_str("\\textbackslash{}"),
            '~' => written.push_str("\\textasciitilde{}"),
            '^' => written.push_str("\\textasciicircum{}"),
            '\u{a0}' => written.push('~'),
            '\u{2212}' => written.push_str("$-$"),
            '\u{d7}' => written.push_str("$\\times$"),
            '\u{2014}' => written.push_str("---"),
            '\u{2026}' => written.push_str("\\dots{}"),
            '\n' | '\r' => written.push(' '),
            letter => written.push(letter),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let texts = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        Table {
            caption: "What\nit is".to_owned(),
            head: texts(["Name", "Share_%", "Time"]),
            rows: vec![texts(["a, \"b\"", "12.5", "\u{2212}3\u{a0}ms"]), texts(["c|d", "", "0123"])],
        }
    }

    #[test]
    fn values_with_commas_and_quotes_stay_one_cell() {
        assert_eq!(
            table().written(FileKind::Csv),
            "Name,Share_%,Time\n\"a, \"\"b\"\"\",12.5,\u{2212}3\u{a0}ms\nc|d,,0123\n"
        );
    }

    #[test]
    fn json_is_read_back() {
        let value: serde_json::Value = serde_json::from_str(&table().written(FileKind::Json)).expect("JSON");
        assert_eq!(value[0]["Name"], "a, \"b\"");
        assert_eq!(value[0]["Share_%"], 12.5);
        assert_eq!(value[1]["Time"], "0123", "no number of JSON");
        assert!(value[1].get("Share_%").is_none());
        for (cell, number) in
            [("1", true), ("-0.5", true), ("1e3", true), ("1,024", false), ("1.", false), ("NaN", false)]
        {
            assert_eq!(is_number(cell), number, "{cell}");
        }
    }

    #[test]
    fn markdown_and_latex_have_as_many_cells_as_columns() {
        let markdown = table().written(FileKind::Markdown);
        assert!(
            markdown.starts_with("What\nit is\n\n| Name | Share_% | Time |\n| --- | --- | --- |\n"),
            "{markdown}"
        );
        assert!(markdown.contains("| c\\|d |  | 0123 |"), "{markdown}");
        let latex = table().written(FileKind::Latex);
        assert!(latex.contains("Name & Share\\_\\% & Time \\\\\n\\hline"), "{latex}");
        assert!(latex.contains("12.5 & $-$3~ms \\\\"), "{latex}");
        for line in latex.lines().filter(|line| line.ends_with("\\\\")) {
            assert_eq!(line.replace("\\&", "").matches('&').count(), 2, "{line}");
        }
    }
}
