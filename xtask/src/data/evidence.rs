//! What evidence public runs are, by publication.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// The list of publications' runs.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut code = "//! What evidence public runs are.\n\n\
        use super::sureness::Published;\nuse crate::scenario::cluster::GpuFamily;\nuse crate::scenario::stack::Stack;\n\n\
        /// Runs by publication, software, generation of GPUs and kind of model.\n\
        pub(super) static EVIDENCE: &[Published] = &[\n"
        .to_owned();
    for row in &sheet.rows {
        code += &published(row)?;
    }
    Ok(code + "];\n")
}

/// A whole number of thousandths is a number of two bytes, where a fraction is one of eight that no compression shortens.
fn thousandths(row: &Row) -> Result<String> {
    let text = row.real("error", None)?;
    let error: f64 = text.parse().map_err(|error| format!("{text}: {error}"))?;
    Ok(format!("{:.0}", 1000.0 * error))
}

fn published(row: &Row) -> Result<String> {
    let flag = |column: &str| row.one_of(column, &[("yes", "true"), ("no", "false")]);
    Ok(format!(
        "Published {{ source: {}, fitted: {}, stack: Stack::{}, since: {}, family: GpuFamily::{}, experts: {}, \
         runs: {}, thousandths: {}, most_gpus: {}, longest: {} }},\n",
        row.text("source")?,
        flag("fitted")?,
        rust::variant(row.filled("stack")?),
        row.whole("since", Some("0"))?,
        rust::variant(row.filled("generation")?),
        flag("experts")?,
        row.whole("runs", None)?,
        thousandths(row)?,
        row.whole("most_gpus", None)?,
        row.whole("longest", None)?,
    ))
}
