//! How far forecasts are off: half-widths of intervals by class of job, and errors of memory peaks.

use super::sheet::{Row, Sheet};
use crate::project::Result;

/// The list of half-widths, in the order of the table; a class's band of utilisation is the place of where it begins.
pub(super) fn table(sheet: &Sheet) -> Result<String> {
    let mut recurrent = String::new();
    let mut classes = Vec::new();
    for row in &sheet.rows {
        match row.one_of("mixers", &[("attention", ""), ("recurrent", "recurrent")])? {
            "" => classes.push(row),
            _ => recurrent = of_runs(row)?,
        }
    }
    let mut begins: Vec<String> = Vec::new();
    for row in &classes {
        let begin = row.real("utilisation", None)?;
        if !begins.contains(&begin) {
            begins.push(begin);
        }
    }
    let mut code = format!(
        "//! Half-widths of intervals by class of job.\n\n\
        use super::interval::{{ClassWidths, MixerWidths, WidthClass}};\n\n\
        /// Utilisation of the hardware (HFU) where the next band of classes begins.\n\
        pub const BANDS: [f64; {}] = [{}];\n\n\
        /// Every class.\n\
        #[rustfmt::skip]\n#[allow(clippy::approx_constant, reason = \"measured numbers\")]\npub(super) static WIDTHS: [ClassWidths; {}] = [\n",
        begins.len().saturating_sub(1),
        begins.get(1..).unwrap_or_default().join(", "),
        classes.len()
    );
    for row in &classes {
        let begin = row.real("utilisation", None)?;
        let band = begins.iter().position(|known| *known == begin).unwrap_or_default();
        code += &format!(
            "ClassWidths {{ class: WidthClass {{ open: {}, band: {band}, experts: {}, calibrated: {} }}, {} }},\n",
            row.flag("open")?,
            row.flag("experts")?,
            row.flag("calibrated")?,
            of_runs(row)?,
        );
    }
    code += "];\n\n/// Models with recurrent layers, of any class.\n#[rustfmt::skip]\n";
    Ok(code + &format!("pub(super) static RECURRENT: MixerWidths = MixerWidths {{ {recurrent} }};\n"))
}

/// What half-widths rest on, and both of them.
fn of_runs(row: &Row) -> Result<String> {
    Ok(format!(
        "publications: {}, runs: {}, below: {}, above: {}",
        row.whole("publications", None)?,
        row.whole("runs", None)?,
        row.real("below", None)?,
        row.real("above", None)?,
    ))
}

/// The distributions of errors of memory peaks, one a class of software in the order of the table: each share with the
/// ln(measured / forecast) that it does not exceed.
pub(super) fn peak_errors(sheet: &Sheet) -> Result<String> {
    let mut classes: Vec<(String, Vec<String>)> = Vec::new();
    for row in &sheet.rows {
        let class = row.text("class")?.to_owned();
        let error = format!("({}, {})", row.real("share", None)?, row.real("ln", None)?);
        match classes.last_mut() {
            Some((known, errors)) if *known == class => errors.push(error),
            _ => classes.push((class, vec![error])),
        }
    }
    let each = classes.first().map_or(0, |class| class.1.len());
    let mut code = format!(
        "//! How far measured memory peaks are from their forecasts.\n\n\
        /// By class of software, shares of public peaks, and the ln(measured / forecast) that each does not exceed.\n\
        #[rustfmt::skip]\n#[allow(clippy::approx_constant, reason = \"measured numbers\")]\npub(super) static PEAK_ERRORS: [[(f64, f64); {each}]; {}] = [\n",
        classes.len()
    );
    for (class, errors) in &classes {
        code += &format!("// {class}\n[{}],\n", errors.join(", "));
    }
    Ok(code + "];\n")
}
