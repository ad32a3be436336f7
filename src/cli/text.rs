//! Numbers and tables for people.

use stepcast::scenario::plan::{ContextExchange, Plan, Recompute, StageSplit, Zero};
use stepcast::units::Seconds;

/// Columns that lists and sentences on the terminal fit.
pub(crate) const COLUMNS: usize = 100;

/// A duration with three significant digits and a unit that fits.
pub(crate) fn duration(time: Seconds) -> String {
    let seconds = time.0;
    match seconds.abs() {
        size if size >= 1.0 || size == 0.0 => format!("{} s", significant(seconds)),
        size if size >= 1e-3 => format!("{} ms", significant(seconds * 1e3)),
        _ => format!("{} \u{b5}s", significant(seconds * 1e6)),
    }
}

/// Three significant digits, never in scientific notation.
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value:.0}");
    }
    let magnitude = value.abs().log10().floor();
    let decimals = (2.0 - magnitude).clamp(0.0, 9.0) as usize;
    grouped(&format!("{value:.decimals$}"))
}

/// A share in percent with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A number of things: `1 GPU`, `8 GPUs`, `2 micro-batches`.
pub(crate) fn counted(number: u32, one: &str) -> String {
    let end = match number {
        1 => "",
        _ if one.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {one}{end}")
}

/// Thousands separated by commas.
fn grouped(plain: &str) -> String {
    let (sign, plain) = plain.strip_prefix('-').map_or(("", plain), |rest| ("-", rest));
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// ZeRO stage in a word.
pub(crate) fn zero(plan: &Plan) -> &'static str {
    match plan.zero {
        Zero::None => "0",
        Zero::Optimizer => "1",
        Zero::Gradients => "2",
        Zero::Parameters => "3",
        Zero::Hybrid => "hsdp",
    }
}

/// Sharding over the data-parallel ranks by its usual name.
pub(crate) fn sharding(plan: &Plan) -> &'static str {
    match plan.zero {
        Zero::None => "DDP",
        Zero::Optimizer => "ZeRO-1",
        Zero::Gradients => "ZeRO-2",
        Zero::Parameters => "FSDP (ZeRO-3)",
        Zero::Hybrid => "HSDP",
    }
}

/// Recomputation in a phrase.
pub(crate) fn recomputation(plan: &Plan) -> String {
    match plan.recompute {
        Recompute::None => "no recomputation".to_owned(),
        _ => format!("{} recomputation", recompute(plan)),
    }
}

/// Context-parallel degree, and how its ranks exchange where that is no ring.
pub(crate) fn context(plan: &Plan) -> String {
    let way = match plan.context_exchange {
        _ if plan.context_parallel <= 1 => "",
        ContextExchange::Ring => "",
        ContextExchange::AllGather => " gathered",
        ContextExchange::AllToAll => " swapped",
    };
    format!("{}{way}", plan.context_parallel)
}

/// Recomputation in a word.
pub(crate) fn recompute(plan: &Plan) -> String {
    match plan.recompute {
        Recompute::None => "none".to_owned(),
        Recompute::Selective => "selective".to_owned(),
        Recompute::Full => "full".to_owned(),
        Recompute::Every(layers) => format!("full/{layers}"),
        Recompute::Modules(set) => set.names(),
    }
}

/// Split of the layers in a word.
pub(crate) fn split(plan: &Plan) -> &'static str {
    match plan.stage_split {
        _ if plan.pipeline_parallel <= 1 => "-",
        StageSplit::Even => "even",
        StageSplit::CountEnds => "ends",
        StageSplit::Given(_) => "given",
    }
}

/// Side of a column its cells stand at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellAlign {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// Rows in columns of equal width.
pub(crate) fn table(rows: &[Vec<String>], align: &[CellAlign]) -> String {
    padded(rows, align).iter().map(|cells| cells.join("  ").trim_end().to_owned() + "\n").collect()
}

/// Rows of cells as a Markdown table; the first row is its head.
pub(crate) fn markdown(rows: &[Vec<String>], align: &[CellAlign]) -> String {
    let mut lines: Vec<String> =
        padded(rows, align).iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect();
    let rule: Vec<&str> =
        align.iter().map(|align| if *align == CellAlign::Left { "---" } else { "--:" }).collect();
    lines.insert(lines.len().min(1), format!("|{}|\n", rule.join("|")));
    lines.concat()
}

/// A sentence in lines of at most so many columns, each behind an indent; further lines are indented by two more.
pub(crate) fn wrapped(text: &str, indent: usize, columns: usize) -> String {
    let mut lines = String::new();
    let mut line = " ".repeat(indent);
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > columns {
            lines += &line;
            lines.push('\n');
            line = " ".repeat(indent + 2);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines + &line + "\n"
}

/// Cells padded to the width of their column.
fn padded(rows: &[Vec<String>], align: &[CellAlign]) -> Vec<Vec<String>> {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let pad = |((cell, width), align): ((&String, &usize), &CellAlign)| match align {
        CellAlign::Left => format!("{cell:<width$}"),
        CellAlign::Right => format!("{cell:>width$}"),
    };
    rows.iter().map(|row| row.iter().zip(&widths).zip(align).map(pad).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_fitting_unit() {
        for (seconds, text) in [
            (14.672, "14.7 s"),
            (1.0, "1.00 s"),
            (0.0, "0 s"),
            (0.0451, "45.1 ms"),
            (0.999_9, "1,000 ms"),
            (3.3e-5, "33.0 \u{b5}s"),
            (12_345.6, "12,346 s"),
        ] {
            assert_eq!(duration(Seconds(seconds)), text);
        }
        assert_eq!(significant(-1234.5), "-1,234");
        assert_eq!(significant(f64::NAN), "NaN");
    }
}
