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

/// This repository's own files of runs that were forecast before anything was learned of them, in the order of the looks.
pub(crate) const LOOKS: [&str; 13] = [
    include_str!("../fresh.csv"),
    include_str!("../second.csv"),
    include_str!("../third.csv"),
    include_str!("../fourth.csv"),
    include_str!("../fifth.csv"),
    include_str!("../sixth.csv"),
    include_str!("../seventh.csv"),
    include_str!("../eighth.csv"),
    include_str!("../ninth.csv"),
    include_str!("../tenth.csv"),
    include_str!("../eleventh.csv"),
    include_str!("../twelfth.csv"),
    include_str!("../thirteenth.csv"),
];

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

/// The run of a row.
pub(crate) fn run(row: &Row) -> MeasuredRun {
    MeasuredRun::read(|column| row.get(column).map_or("", String::as_str))
}
