//! CSV and TSV files, read by column name.

use crate::Failure;
use crate::files::{self, MOST_OF_A_TABLE};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

/// One row of a file.
pub(crate) struct FileRow<'a> {
    columns: &'a HashMap<String, usize>,
    row: &'a csv::StringRecord,
}

impl FileRow<'_> {
    /// Text of a column; empty where the file has none.
    pub(crate) fn get(&self, column: &str) -> &str {
        self.columns.get(column).and_then(|index| self.row.get(*index)).unwrap_or("")
    }
}

/// Most columns of a file, ten times those that any table here has.
const MOST_COLUMNS: usize = 1024;

/// Most rows of a file: forty times those of the public runs.
const MOST_ROWS: usize = 100_000;

/// Reads every row of a file that has the `needed` columns; one without rows is refused.
pub(crate) fn read<T>(path: &Path, needed: &[&str], each: impl Fn(&FileRow) -> T) -> Result<Vec<T>, Failure> {
    let mut rows = Vec::new();
    visit(path, needed, |record| rows.push(each(record)))?;
    if rows.is_empty() { Err(vec![format!("{} has no rows.", path.display())]) } else { Ok(rows) }
}

/// Gives every row of a file that has the `needed` columns to `each`. A file with more rows than are read is refused before any is.
pub(crate) fn visit(path: &Path, needed: &[&str], mut each: impl FnMut(&FileRow)) -> Result<(), Failure> {
    let name = path.display();
    match path.metadata() {
        Ok(found) if found.is_dir() => {
            return Err(vec![format!("{name} is a folder, not a CSV or TSV file.")]);
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(vec![format!("{name} does not exist.")]);
        }
        Err(error) => return Err(vec![format!("{name} cannot be opened: {error}.")]),
    }
    let bytes = files::bytes(path, MOST_OF_A_TABLE)?;
    let failure = |error: csv::Error| vec![format!("{name} cannot be read as CSV: {error}.")];
    if reader(&bytes).byte_records().take(MOST_ROWS + 1).count() > MOST_ROWS {
        return Err(vec![format!("{name} has too many rows. The limit is {MOST_ROWS}.")]);
    }
    let mut reader = reader(&bytes);
    let header = reader.headers().map_err(failure)?;
    if header.len() > MOST_COLUMNS {
        let found = header.len();
        return Err(vec![format!("{name} has {found} columns. The limit is {MOST_COLUMNS}.")]);
    }
    let columns: HashMap<String, usize> = header
        .iter()
        .enumerate()
        .map(|(index, column)| (column.trim_start_matches('\u{feff}').to_owned(), index))
        .collect();
    let missing: Vec<&str> = needed.iter().copied().filter(|column| !columns.contains_key(*column)).collect();
    if !missing.is_empty() {
        return Err(vec![format!("{name} has no column {}.", missing.join(", "))]);
    }
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(failure)? {
        each(&FileRow { columns: &columns, row: &row });
    }
    Ok(())
}

/// Rows may have fewer cells than the header, or more, and blanks around them. A file whose header has tabs is TSV: nothing in
/// it is quoted, and lines that begin with `#` are comments.
fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#"));
    let mut builder = csv::ReaderBuilder::new();
    if lines.next().is_some_and(|header| header.contains(&b'\t')) {
        builder.delimiter(b'\t').quoting(false).comment(Some(b'#'));
    }
    builder.flexible(true).trim(csv::Trim::All).from_reader(bytes)
}
