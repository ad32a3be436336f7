//! What measured runs have tried, field by field.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// The list of fields with their values.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut code = "//! What measured runs have tried.\n\n\
        use super::untried::{Tried, Values};\nuse crate::scenario::cluster::GpuFamily;\n\n\
        /// Values of every field, over all runs and by generation.\n\
        #[rustfmt::skip]\npub(super) static TRIED: &[Tried] = &[\n"
        .to_owned();
    for row in &sheet.rows {
        let on = match row.filled("generation")? {
            "any" => "None".to_owned(),
            generation => format!("Some(GpuFamily::{})", rust::variant(generation)),
        };
        code += &format!("Tried {{ field: {}, on: {on}, values: {} }},\n", row.text("field")?, values(row)?);
    }
    Ok(code + "];\n")
}

fn values(row: &Row) -> Result<String> {
    if row.cell("names")?.is_empty() {
        return Ok(format!("Values::Range({}, {})", row.whole("least", None)?, row.whole("most", None)?));
    }
    let names = row.cell("names")?.split(' ').map(|name| format!("{name:?}"));
    Ok(format!("Values::Names(&[{}])", names.collect::<Vec<_>>().join(", ")))
}
