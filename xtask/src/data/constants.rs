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

/// Parts of a machine, and the functions that list their constants.
const PARTS: [(&str, &str, &str); 3] = [
    ("compute", "compute_rates", "Rates of matrix products, attention and device memory."),
    ("network", "network_rates", "Rates of the network and of the scale-up fabric."),
    ("host", "host_times", "Time that the host needs for launches and for every step."),
];

/// The registry of constants.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut code = "//! The constants themselves.\n\n\
        use super::registry::constants;\n\
        use super::{Benchmark, Constant, Evidence};\n\nconstants! {\n"
        .to_owned();
    for row in &sheet.rows {
        let (doc, name, value) = (row.filled("doc")?, row.filled("name")?, row.real("value", None)?);
        let (unit, evidence, source) = (row.text("unit")?, evidence(row)?, row.text("source")?);
        let benchmark = row.one_of("benchmark", &BENCHMARKS)?;
        code += &format!("    /// {doc}\n    {name} = {value}, {unit}, {evidence}, {benchmark}, {source};\n");
    }
    Ok(format!("{code}}}\n{}", parts(sheet)?))
}

/// Functions that list the constants of every part.
fn parts(sheet: &Sheet) -> Result<String> {
    let known = PARTS.map(|(part, _, _)| (part, part));
    let words: Vec<(&str, &str)> = known.into_iter().chain([("", "")]).collect();
    let mut lists = PARTS.map(|_| Vec::new());
    for row in &sheet.rows {
        let part = row.one_of("part", &words)?;
        for (list, (own, _, _)) in lists.iter_mut().zip(PARTS) {
            if own == part {
                list.push(format!("&mut self.{}", row.filled("name")?));
            }
        }
    }
    let mut code = "\nimpl Constants {".to_owned();
    for (list, (_, function, doc)) in lists.iter().zip(PARTS) {
        let (count, members) = (list.len(), list.join(", "));
        code +=
            &format!("\n/// {doc}\npub fn {function}(&mut self) -> [&mut f64; {count}] {{ [{members}] }}\n");
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
        use super::FitRecord;\n\n\
        /// Names and records of the fitted constants.\n\
        #[rustfmt::skip]\npub(super) static RECORDS: &[(&str, FitRecord)] = &[\n"
        .to_owned();
    for row in &sheet.rows {
        let number = |column| row.real(column, None);
        code += &format!(
            "({}, FitRecord {{ error: {}, evidence: {}, refits: ({}, {}), without: {} }}),\n",
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
