//! Rust source from cells.

use crate::project::{Project, Result};
use std::io::Write as _;
use std::process::Stdio;

/// How every generated file begins.
pub(super) const MARK: &str = "// Generated from";

/// Source as rustfmt leaves it, under the project's settings.
pub(super) fn formatted(project: &Project, code: &str) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot run rustfmt: {error}");
    let mut child = project
        .command("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(code.as_bytes()).map_err(|error| failed(&error))?;
    }
    let output = child.wait_with_output().map_err(|error| failed(&error))?;
    match String::from_utf8(output.stdout) {
        Ok(text) if output.status.success() => Ok(text),
        _ => Err("rustfmt cannot read what a table became".to_owned()),
    }
}

/// The fields of a struct literal with their values.
pub(super) type Fields = Vec<(&'static str, String)>;

/// The most frequent value of each field: the first of equally frequent ones.
pub(super) fn usual(rows: &[Fields]) -> Fields {
    let column = |field: &'static str| -> Vec<&String> {
        rows.iter().flatten().filter(|own| own.0 == field).map(|own| &own.1).collect()
    };
    let most = |values: &[&String]| -> String {
        let count = |value: &String| values.iter().filter(|other| **other == value).count();
        // The last of the maxima, so from behind.
        let found = values.iter().rev().max_by_key(|value| count(value));
        found.map_or_else(String::new, |value| (*value).clone())
    };
    let fields = rows.first().into_iter().flatten();
    fields.map(|(field, _)| (*field, most(&column(field)))).collect()
}

/// The inside of a struct literal.
pub(super) fn literal(fields: &Fields) -> String {
    fields.iter().map(|(field, value)| format!("{field}: {value}")).collect::<Vec<_>>().join(", ")
}

/// The inside of a struct literal that names the fields that differ from the usual ones and takes all others from `base`.
pub(super) fn differing(fields: &Fields, usual: &Fields, base: &str) -> String {
    let own: Fields = fields.iter().filter(|field| !usual.contains(field)).cloned().collect();
    let head = if own.is_empty() { String::new() } else { literal(&own) + ", " };
    format!("{head}..{base}")
}

/// A literal of a real number; nothing where the text is none.
pub(super) fn real(text: &str) -> Option<String> {
    let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
    let plain = text.chars().all(|c| c.is_ascii_digit() || ".-+e".contains(c));
    let whole = !text.contains(['.', 'e']);
    (finite && plain).then(|| if whole { format!("{text}.0") } else { text.to_owned() })
}

/// A function of the constants from factors that are constants' names, `sqrt(name)` and numbers, joined by ` * `.
pub(super) fn price(cell: &str) -> Option<String> {
    let factors: Option<Vec<String>> = cell.split(" * ").map(factor).collect();
    let product = factors?.join(" * ");
    let argument = if product.contains("c.") { "c" } else { "_" };
    Some(format!("|{argument}| {product}"))
}

fn factor(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix("sqrt(").and_then(|rest| rest.strip_suffix(')')) {
        return is_name(inner).then(|| format!("c.{inner}.sqrt()"));
    }
    if is_name(text) { Some(format!("c.{text}")) } else { real(text) }
}

fn is_name(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    first && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The name of a variant: `blackwell-ultra` becomes `BlackwellUltra`.
pub(super) fn variant(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    name.split('-').map(capital).collect()
}

/// The name of a constant or static: `qwen2.5-7b` becomes `QWEN2_5_7B`.
pub(super) fn constant(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Fields, constant, differing, price, real, usual, variant};

    #[test]
    fn numbers_become_literals() {
        assert_eq!(real("8").as_deref(), Some("8.0"));
        assert_eq!(real("1.82e-06").as_deref(), Some("1.82e-06"));
        assert_eq!(real("5e6").as_deref(), Some("5e6"));
        for text in ["", "inf", "NaN", "1_000", "8 GB", "1e999"] {
            assert_eq!(real(text), None, "{text}");
        }
    }

    #[test]
    fn products_become_functions() {
        assert_eq!(price("kernel_ramp").as_deref(), Some("|c| c.kernel_ramp"));
        assert_eq!(price("a * b * sqrt(b)").as_deref(), Some("|c| c.a * c.b * c.b.sqrt()"));
        assert_eq!(price("1").as_deref(), Some("|_| 1.0"));
        for cell in ["", "a + b", "a b", "Launch", "a * ", "sqrt(2)", "0.9 per GPU"] {
            assert_eq!(price(cell), None, "{cell}");
        }
    }

    #[test]
    fn rows_name_what_is_unusual() {
        let row = |a: &str, b: &str| -> Fields { vec![("a", a.to_owned()), ("b", b.to_owned())] };
        let rows = [row("1", "x"), row("2", "y"), row("2", "x")];
        let usual = usual(&rows);
        assert_eq!(usual, row("2", "x"));
        let texts = rows.map(|row| differing(&row, &usual, "USUAL"));
        assert_eq!(texts, ["a: 1, ..USUAL", "b: y, ..USUAL", "..USUAL"]);
    }

    #[test]
    fn names_become_identifiers() {
        assert_eq!(variant("blackwell-ultra"), "BlackwellUltra");
        assert_eq!(variant("deepspeed-zero3"), "DeepspeedZero3");
        assert_eq!(constant("apnet24-gpt-1.5b"), "APNET24_GPT_1_5B");
    }
}
