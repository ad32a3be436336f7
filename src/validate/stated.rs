//! Statements of sources on their runs, as columns of a runs file: the table `tests/stated.tsv`.

/// The statements on one run, or on all with a common name prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// Name of the run; with a final star, a prefix of names.
    pub runs: String,
    /// Columns and their values. They override those of the file.
    pub options: Vec<(String, String)>,
    /// Unstated settings that determine the memory of a run reported not to fit; empty if all are stated.
    pub leaves_out: String,
}

impl Stated {
    /// Parses a tab-separated table with a header: runs, options (`column=value`, separated by blanks), words, what is
    /// left out. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// The option that is not `column=value`, and its runs.
    pub fn read(table: &str) -> Result<Vec<Self>, String> {
        let lines = table.lines().filter(|line| !line.starts_with('#')).skip(1);
        lines.map(Self::line).collect()
    }

    fn line(line: &str) -> Result<Self, String> {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or("").to_owned();
        let (runs, options, _words, leaves_out) = (cell(), cell(), cell(), cell());
        let pair = |text: &str| {
            let (column, value) =
                text.split_once('=').ok_or_else(|| format!("{text:?} of {runs} is not column=value"))?;
            Ok((column.to_owned(), value.to_owned()))
        };
        let options = options.split_whitespace().map(pair).collect::<Result<_, String>>()?;
        Ok(Self { runs, options, leaves_out })
    }

    /// Whether it concerns the run of this name.
    pub fn is_of(&self, id: &str) -> bool {
        self.runs.strip_suffix('*').map_or(self.runs == id, |start| id.starts_with(start))
    }
}
