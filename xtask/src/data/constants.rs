//! The constants and what the last refit recorded of them.

use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Benchmarks that a refit goes by.
const BENCHMARKS: [(&str, &str); 5] = [
    ("", "None"),
    ("products", "Some(Benchmark::Products)"),
    ("low precision", "Some(Benchmark::LowPrecision)"),
    ("attention", "Some(Benchmark::Attention)"),
    ("collectives", "Some(Benchmark::Collectives)"),
];

/// Parts of a machine.
const PARTS: [(&str, &str); 4] = [
    ("", "None"),
    ("compute", "Some(Part::Compute)"),
    ("network", "Some(Part::Network)"),
    ("host", "Some(Part::Host)"),
];

/// The registry of constants.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut code = "//! The constants themselves.\n\n\
        use super::registry::constants;\n\
        use super::{Benchmark, Constant, Evidence, Part};\n\nconstants! {\n"
        .to_owned();
    for row in &sheet.rows {
        let (doc, name, value) = (row.filled("doc")?, row.filled("name")?, row.real("value", None)?);
        let (unit, evidence, source) = (row.text("unit")?, evidence(row)?, row.text("source")?);
        let (benchmark, part) = (row.one_of("benchmark", &BENCHMARKS)?, row.one_of("part", &PARTS)?);
        code += &format!(
            "    /// {doc}\n    {name} = {value}, {unit}, {evidence}, {benchmark}, {part}, {source};\n"
        );
    }
    Ok(code + "}\n")
}

fn evidence(row: &Row) -> Result<String> {
    let kinds = [
        ("published", "Evidence::Published"),
        ("measured", "Evidence::Measured"),
        ("assumed", "Evidence::Assumed"),
        ("fitted", "Evidence::Fitted"),
    ];
    let kind = row.one_of("evidence", &kinds)?;
    if kind == "Evidence::Fitted" {
        let (prior, spread) = (row.real("prior", None)?, row.real("spread", None)?);
        return Ok(format!("{kind} {{ prior: {prior}, spread: {spread} }}"));
    }
    if row.cell("prior")?.is_empty() && row.cell("spread")?.is_empty() {
        Ok(kind.to_owned())
    } else {
        Err(row.wrong("prior", "only fitted constants have one"))
    }
}

/// What the last refit recorded of the fitted ones.
pub(super) fn determined(sheet: &Sheet) -> Result<String> {
    let mut code = "//! How well measured steps determine each fitted constant.\n\n\
        use super::Record;\n\n\
        /// Names and records of the fitted constants.\n\
        pub(super) static RECORDS: &[(&str, Record)] = &[\n"
        .to_owned();
    for row in &sheet.rows {
        let number = |column| row.real(column, None);
        code += &format!(
            "({}, Record {{ error: {}, evidence: {}, refits: ({}, {}), without: {} }}),\n",
            row.text("constant")?,
            number("error")?,
            number("evidence")?,
            number("least")?,
            number("most")?,
            row.text("without")?
        );
    }
    Ok(code + "];\n")
}
