//! The public data behind the forecasts, which is not part of the repository.
//!
//! It lies where `STEPCAST_DATA` says, or in `../shared/data` beside the checkout. Where the checkout stands alone, tests
//! against it are skipped, and say so; where data are expected (`STEPCAST_DATA` or `CI` is set), they fail instead.

// Every test file takes what it needs.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use stepcast::validate::MeasuredRun;

/// A row of a table, by column.
pub(crate) type Row = BTreeMap<String, String>;

/// Path of a file or folder of the data; `None`, said on the error stream, where there are no data and none are expected.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os("STEPCAST_DATA").filter(|folder| !folder.is_empty());
    let expected = given.is_some() || std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let folder = given.map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder).join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(!expected, "{} is not there, and data are expected", path.display());
    // Not `eprintln!`, which is shown of failing tests only.
    let _ = writeln!(std::io::stderr(), "SKIPPED: a test needs {}, which is not there", path.display());
    None
}

/// Every row of a table.
pub(crate) fn rows(name: &str) -> Option<Vec<Row>> {
    let mut reader = csv::Reader::from_path(path(name)?).expect("a readable file");
    Some(reader.deserialize().map(|row| row.expect("a well-formed row")).collect())
}

/// Every row of a table of `evidence/`.
pub(crate) fn evidence(name: &str) -> Vec<Row> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("evidence").join(name);
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.delimiter(b'\t').quoting(false).comment(Some(b'#'));
    let mut reader = reader.from_path(path).expect("a readable file");
    reader.deserialize().map(|row| row.expect("a well-formed row")).collect()
}

/// The runs of `evidence/runs.tsv`.
pub(crate) fn runs() -> Vec<MeasuredRun> {
    evidence("runs.tsv").iter().map(run).collect()
}

/// The run of a row.
pub(crate) fn run(row: &Row) -> MeasuredRun {
    MeasuredRun::read(|column| row.get(column).map_or("", String::as_str))
}
