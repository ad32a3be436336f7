//! Reading a table: tab-separated, comments behind `#`, one row of column names.

use super::rust;
use crate::project::Result;

/// One table.
pub(super) struct Sheet {
    /// Its rows, in order.
    pub(super) rows: Vec<Row>,
}

/// One row of a table.
pub(super) struct Row {
    /// The file and the row's first cell, for messages.
    place: String,
    /// Column names, without their units, and cells.
    cells: Vec<(String, String)>,
}

impl Sheet {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Rows of unequal length, a duplicate name in the header, a table without rows.
    pub(super) fn read(path: &str, text: &str) -> Result<Self> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(b'\t')
            .comment(Some(b'#'))
            .quoting(false)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| format!("{path}: {error}"))?;
        let names: Vec<String> = header
            .iter()
            .map(|name| name.split_once(" [").map_or(name, |(name, _unit)| name).to_owned())
            .collect();
        if let Some(twice) =
            names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|n| n == *name))
        {
            return Err(format!("{path}: two columns are named {}", twice.1));
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| format!("{path}: {error}"))?;
            let cells = names.iter().cloned().zip(record.iter().map(|cell| cell.trim().to_owned()));
            let place = format!("{path}, row {}", record.get(0).unwrap_or_default());
            rows.push(Row { place, cells: cells.collect() });
        }
        if rows.is_empty() { Err(format!("{path} has no rows")) } else { Ok(Self { rows }) }
    }
}

impl Row {
    /// A cell, which may be blank.
    ///
    /// # Errors
    /// The column does not exist.
    pub(super) fn cell(&self, column: &str) -> Result<&str> {
        let found = self.cells.iter().find(|(name, _)| name == column);
        found.map(|(_, cell)| cell.as_str()).ok_or_else(|| format!("{}: no column {column}", self.place))
    }

    /// A cell that must not be blank.
    pub(super) fn filled(&self, column: &str) -> Result<&str> {
        match self.cell(column)? {
            "" => Err(self.wrong(column, "is blank")),
            cell => Ok(cell),
        }
    }

    /// A complaint about a cell.
    pub(super) fn wrong(&self, column: &str, complaint: &str) -> String {
        format!("{}, column {column}: {complaint}", self.place)
    }

    /// A filled cell as a string literal.
    pub(super) fn text(&self, column: &str) -> Result<String> {
        self.filled(column).map(|cell| format!("{cell:?}"))
    }

    /// A cell as a literal of a real number; `blank` where there is none.
    pub(super) fn real(&self, column: &str, blank: Option<&str>) -> Result<String> {
        let cell = match (self.cell(column)?, blank) {
            ("", Some(blank)) => blank,
            (cell, _) => cell,
        };
        rust::real(cell).ok_or_else(|| self.wrong(column, &format!("{cell:?} is no number")))
    }

    /// A cell as a literal of a whole number; `blank` where there is none.
    pub(super) fn whole(&self, column: &str, blank: Option<&str>) -> Result<String> {
        let cell = match (self.cell(column)?, blank) {
            ("", Some(blank)) => blank,
            (cell, _) => cell,
        };
        match cell.parse::<u32>() {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err(self.wrong(column, &format!("{cell:?} is no whole number"))),
        }
    }

    /// `yes` or `no` as a literal.
    pub(super) fn flag(&self, column: &str) -> Result<&'static str> {
        self.one_of(column, &[("yes", "true"), ("no", "false")])
    }

    /// The value of the cell's word.
    pub(super) fn one_of<'a>(&self, column: &str, words: &[(&str, &'a str)]) -> Result<&'a str> {
        let cell = self.cell(column)?;
        words.iter().find(|(word, _)| *word == cell).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(column, &format!("{cell:?} is none of {}", known.join(", ")))
        })
    }

    /// A product of constants and numbers as a function of the constants.
    pub(super) fn price(&self, column: &str) -> Result<String> {
        let cell = self.filled(column)?;
        rust::price(cell)
            .ok_or_else(|| self.wrong(column, &format!("{cell:?} is no product of constants and numbers")))
    }
}

#[cfg(test)]
mod tests {
    use super::Sheet;

    const TABLE: &str = "# A comment.\nname\trate [GB/s]\ttrue\n# Another.\na\t1.5\tyes\nb\t\tmaybe\n";

    #[test]
    fn cells_are_found_by_name_without_the_unit() {
        let sheet = Sheet::read("t", TABLE).expect("a table");
        let [a, b] = sheet.rows.as_slice() else { panic!("two rows") };
        assert_eq!(a.real("rate", None).as_deref(), Ok("1.5"));
        assert_eq!(a.flag("true"), Ok("true"));
        assert_eq!(b.real("rate", Some("0")).as_deref(), Ok("0.0"));
        assert_eq!(b.real("rate", None), Err("t, row b, column rate: \"\" is no number".to_owned()));
        assert_eq!(b.flag("true"), Err("t, row b, column true: \"maybe\" is none of yes, no".to_owned()));
        assert!(a.cell("missing").is_err() && b.filled("rate").is_err());
    }

    #[test]
    fn a_table_that_is_none_is_an_error() {
        assert!(Sheet::read("t", "name\ta\tb\nx\t1\n").is_err(), "a short row");
        assert!(Sheet::read("t", "name\ta [s]\ta [B]\nx\t1\t2\n").is_err(), "a name twice");
        assert!(Sheet::read("t", "name\ta\n").is_err(), "no rows");
    }
}
