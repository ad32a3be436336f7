//! What evidence public runs are, by publication.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;
use std::collections::BTreeMap;

/// The list of publications' runs, by what a job has in common with them: software and its year, generation of GPUs, kind of
/// model. Classes are in the order in which the table has those of one publication.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut classes: BTreeMap<(&str, u16, &str, &str, &str), String> = BTreeMap::new();
    for row in &sheet.rows {
        let year = row.whole("since", Some("0"))?;
        let year = year.parse().map_err(|error| row.wrong("since", &format!("{year}: {error}")))?;
        let (stack, generation) = (row.filled("stack")?, row.filled("generation")?);
        let class = (stack, year, generation, row.flag("experts")?, row.filled("mixers")?);
        *classes.entry(class).or_default() += &published(row)?;
    }
    let mut code = "//! What evidence public runs are.\n\n\
        use super::confidence::{Class, class, row};\nuse crate::scenario::cluster::GpuFamily;\nuse crate::scenario::model::MixerClass;\nuse crate::scenario::stack::Stack;\n\n\
        /// Runs by software, generation of GPUs and kind of model, then by publication.\n\
        #[rustfmt::skip]\npub(super) static EVIDENCE: &[Class] = &[\n"
        .to_owned();
    for ((stack, since, generation, experts, mixers), rows) in classes {
        let [stack, family, mixers] = [stack, generation, mixers].map(rust::variant);
        code += &format!(
            "class(Stack::{stack}, {since}, GpuFamily::{family}, {experts}, MixerClass::{mixers}, &[{rows}]),\n"
        );
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
    Ok(format!(
        "row({}, {}, {}, {}, {}, {}),",
        row.text("source")?,
        row.flag("fitted")?,
        row.whole("runs", None)?,
        thousandths(row)?,
        row.whole("most_gpus", None)?,
        row.whole("longest", None)?,
    ))
}
