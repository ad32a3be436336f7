//! Half-widths of intervals, by class of job.

use super::sheet::Sheet;
use crate::project::Result;

/// The list of half-widths, in the order of the table; a class's band of utilisation is the place of where it begins.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut begins: Vec<String> = Vec::new();
    for row in &sheet.rows {
        let begin = row.real("utilisation", None)?;
        if !begins.contains(&begin) {
            begins.push(begin);
        }
    }
    let mut code = format!(
        "//! Half-widths of intervals by class of job.\n\n\
        use super::interval::{{ClassWidths, WidthClass}};\n\n\
        /// Every class.\n\
        #[rustfmt::skip]\npub(super) static WIDTHS: [ClassWidths; {}] = [\n",
        sheet.rows.len()
    );
    for row in &sheet.rows {
        let begin = row.real("utilisation", None)?;
        let band = begins.iter().position(|known| *known == begin).unwrap_or_default();
        code += &format!(
            "ClassWidths {{ class: WidthClass {{ open: {}, band: {band}, experts: {}, calibrated: {} }}, publications: {}, runs: {}, below: {}, above: {} }},\n",
            row.flag("open")?,
            row.flag("experts")?,
            row.flag("calibrated")?,
            row.whole("publications", None)?,
            row.whole("runs", None)?,
            row.real("below", None)?,
            row.real("above", None)?,
        );
    }
    Ok(code + "];\n")
}
