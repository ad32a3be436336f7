//! What modules move and launch.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Columns of tensors of 16 bits, and of a residual stream of 32.
const TRAFFIC: [[&str; 4]; 2] = [
    ["forward 16", "forward kernels 16", "backward 16", "backward kernels 16"],
    ["forward 32", "forward kernels 32", "backward 32", "backward kernels 32"],
];

const RATES: [(&str, &str); 4] =
    [("", "Stream"), ("stream", "Stream"), ("scatter", "Scatter"), ("cast", "Cast")];
const EVIDENCE: [(&str, &str); 2] = [("published", ""), ("counted", "")];

/// Every implementation, a line each.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut rows = String::new();
    for row in &sheet.rows {
        row.filled("module")?;
        row.one_of("evidence", &EVIDENCE)?;
        let (name, doc, source) = (row.filled("name")?, row.filled("doc")?, row.filled("source")?);
        let [half, single] = TRAFFIC;
        let half = traffic(row, half)?;
        let blank = TRAFFIC[1].iter().all(|column| row.cell(column).is_ok_and(str::is_empty));
        let single = if blank { half.clone() } else { traffic(row, single)? };
        let (held, rate) = (row.real("held", Some("0"))?, row.one_of("rate", &RATES)?);
        rows +=
            &format!("/// {doc} ({source}).\n{} = {rate}, {half}, {single}, {held};\n", rust::constant(name));
    }
    Ok(format!(
        "//! What modules of a step move and launch.\n\nuse super::implementation::implementations;\n\n\
         implementations! {{\n{rows}}}\n"
    ))
}

/// Bytes and kernels forward, and backward.
fn traffic(row: &Row, columns: [&str; 4]) -> Result<String> {
    let [forward, launched, backward, again] = columns.map(|column| row.real(column, Some("0")));
    Ok(format!("[{}, {}], [{}, {}]", forward?, launched?, backward?, again?))
}
