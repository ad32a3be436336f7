//! What sources state of their runs in words, as columns of a runs file: the table `tests/stated.tsv`.

/// What is stated of one run, or of all whose names begin alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// Name of the run; with a star at its end, how names of runs begin.
    pub runs: String,
    /// Columns and what they hold. They stand above those of the file.
    pub options: Vec<(String, String)>,
    /// What the memory of a run that is said not to fit hangs on, and its source does not say; empty where all is said.
    pub leaves_out: String,
}

impl Stated {
    /// Reads a tab-separated table with a head: runs, options (`column=value`, apart by blanks), words, what is left out. Lines that
    /// begin with `#` are comments.
    ///
    /// # Errors
    /// The option that is no `column=value`, and of which runs.
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

    /// Whether it is about the run of this name.
    pub fn is_of(&self, id: &str) -> bool {
        self.runs.strip_suffix('*').map_or(self.runs == id, |start| id.starts_with(start))
    }
}
