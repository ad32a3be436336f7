//! Files read with a limit, so that no file takes all memory or all day.

use crate::Failure;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Largest file of a scenario that is read, bytes: one with every field takes two thousand.
pub(crate) const MOST_OF_A_SCENARIO: u64 = 1 << 20;

/// Largest file of measurements that is read, bytes: a run takes two hundred.
pub(crate) const MOST_OF_A_TABLE: u64 = 64 << 20;

/// The bytes of a file.
pub(crate) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let name = path.display();
    let failure = |error: std::io::Error| vec![format!("{name} cannot be read: {error}.")];
    let mut bytes = Vec::new();
    File::open(path).map_err(failure)?.take(most + 1).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.len() as u64 > most {
        return Err(vec![format!("{name} is too large. The limit is {} MiB.", most >> 20)]);
    }
    Ok(bytes)
}

/// The text of the standard input.
pub(crate) fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MOST_OF_A_TABLE + 1).read_to_end(&mut bytes);
    read.map_err(|error| vec![format!("Standard input cannot be read: {error}.")])?;
    String::from_utf8(bytes).map_err(|_| vec!["Standard input is not UTF-8 text.".to_owned()])
}

/// The text of a file.
pub(crate) fn text(path: &Path, most: u64) -> Result<String, Failure> {
    String::from_utf8(bytes(path, most)?)
        .map_err(|_| vec![format!("{} is not a UTF-8 text file.", path.display())])
}
