//! Reading what was typed: numbers with separators, suffixes and units, names, switches.

use super::choices::FORMER_LABELS;
use super::{Field, FieldKind, Value};
use crate::decimal;
use crate::error::FieldError;
use crate::names::{self, NameKind};
use crate::scenario::model::LayerPattern;
use crate::scenario::plan::{Modules, StageLayers};
use crate::scenario::stack::FORMER_STACKS;

pub(crate) use crate::names::has;
pub use crate::names::shown;

/// Longest list that an error states as a whole.
const MOST_LISTED: usize = 8;

/// Reads the text of a field.
pub(super) fn value(field: &Field, text: &str) -> Result<Value, FieldError> {
    let text = text.trim();
    if text.is_empty() && !matches!(field.kind, FieldKind::Layers | FieldKind::Modules | FieldKind::Pattern) {
        return Err(FieldError::new(
            field.key,
            format!("{} is empty. Enter {}.", field.label, wanted(field)),
        ));
    }
    match field.kind {
        FieldKind::Integer { min, max } => integer(field, text, min, max),
        FieldKind::Quantity { min, max } => quantity(field, text, min, max),
        FieldKind::Choice(list) => choice(field, text, list),
        FieldKind::Flag => flag(field, text),
        FieldKind::Layers => StageLayers::parse(text).map(Value::Layers).ok_or_else(|| no_such(field, text)),
        FieldKind::Pattern => {
            LayerPattern::parse(text).map(Value::Pattern).ok_or_else(|| no_such(field, text))
        }
        FieldKind::Modules => Modules::parse(text).map(Value::Modules).ok_or_else(|| no_such(field, text)),
    }
}

fn no_such(field: &Field, text: &str) -> FieldError {
    FieldError::new(field.key, format!("\u{201c}{}\u{201d} is not {}.", shown(text), wanted(field)))
}

fn integer(field: &Field, text: &str, min: u32, max: u32) -> Result<Value, FieldError> {
    let mut product = 1.0;
    for factor in text.split(['x', '×', '*']) {
        let (number, rest) = number(factor).ok_or_else(|| not_a_number(field, text))?;
        let scale = integer_suffix(field, rest).ok_or_else(|| unknown_unit(field, text, rest))?;
        product *= number * scale;
    }
    if !(f64::from(min)..=f64::from(max)).contains(&product) {
        return Err(out_of_range(field, product));
    }
    if product.fract() != 0.0 {
        let (below, above) = (product.floor(), product.ceil());
        return Err(FieldError::new(
            field.key,
            format!("{} must be a whole number. Use {} or {}.", field.label, grouped(below), grouped(above)),
        )
        .suggest([decimal::plain(below), decimal::plain(above)]));
    }
    Ok(Value::Integer(product as u32))
}

fn quantity(field: &Field, text: &str, min: f64, max: f64) -> Result<Value, FieldError> {
    let (number, rest) = number(text).ok_or_else(|| not_a_number(field, text))?;
    let scale = if rest.is_empty() { Some(1.0) } else { unit_scale(field.unit, rest) };
    let scale = scale.ok_or_else(|| unknown_unit(field, text, rest))?;
    let value = number * scale;
    if (min..=max).contains(&value) { Ok(Value::Number(value)) } else { Err(out_of_range(field, value)) }
}

fn choice(
    field: &Field,
    text: &str,
    list: &'static [(&'static str, &'static str)],
) -> Result<Value, FieldError> {
    let is = |known: &str| known.eq_ignore_ascii_case(text);
    let former = FORMER_LABELS.iter().chain(&FORMER_STACKS);
    let is_former = |name: &str| former.clone().any(|(label, of)| *of == name && is(label));
    let found = list
        .iter()
        .find(|(name, label)| is(name) || is(label))
        .or_else(|| list.iter().find(|(name, _)| is_former(name)));
    if let Some((name, _)) = found {
        return Ok(Value::Choice(name));
    }
    if let Some(kind) = NameKind::of_field(field.key) {
        return Err(names::unknown(kind, text));
    }
    let near = names::nearest(text, list.iter().flat_map(|(name, label)| [(*name, *name), (*name, *label)]));
    let offer = if list.len() <= MOST_LISTED {
        format!(". Use {}.", list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
    } else {
        names::offer(&near)
    };
    let message = format!("\u{201c}{}\u{201d} is not valid for {}{offer}", shown(text), field.label);
    Err(FieldError::new(field.key, message).suggest(near))
}

fn flag(field: &Field, text: &str) -> Result<Value, FieldError> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" | "yes" => Ok(Value::Flag(true)),
        "0" | "false" | "off" | "no" => Ok(Value::Flag(false)),
        _ => Err(wrong_kind(field)),
    }
}

/// The error of a value that the field's kind does not take.
pub(super) fn wrong_kind(field: &Field) -> FieldError {
    let suggestions: &[&str] = if matches!(field.kind, FieldKind::Flag) { &["1", "0"] } else { &[] };
    FieldError::new(field.key, format!("{} must be {}.", field.label, wanted(field)))
        .suggest(suggestions.iter().map(|text| (*text).to_owned()))
}

/// The error of a number outside the field's bounds.
pub(super) fn out_of_range(field: &Field, value: f64) -> FieldError {
    let (min, max) = bounds(field);
    let (given, nearest) = if value < 0.0 {
        ("cannot be negative".to_owned(), min)
    } else if value < min {
        (format!("{} is too small", grouped(value)), min)
    } else {
        (format!("{} is too large", grouped(value)), max)
    };
    let unit = with_unit(field);
    FieldError::new(
        field.key,
        format!(
            "{}{} {given}. Use {} to {}{unit}.",
            field.label,
            if value < 0.0 { "" } else { ":" },
            grouped(min),
            grouped(max)
        ),
    )
    .suggest([decimal::plain(nearest)])
}

fn not_a_number(field: &Field, text: &str) -> FieldError {
    let hint = if text.contains(',') { " Use a point as the decimal separator." } else { "" };
    FieldError::new(
        field.key,
        format!("\u{201c}{}\u{201d} is not a number. Enter {}.{hint}", shown(text), wanted(field)),
    )
}

fn unknown_unit(field: &Field, text: &str, rest: &str) -> FieldError {
    if rest.chars().any(|c| c.is_ascii_digit() || c == ',' || c == '.') {
        return not_a_number(field, text);
    }
    let legal = match field.kind {
        FieldKind::Integer { .. } => "a whole number, with or without a suffix k, M, G or T".to_owned(),
        _ if field.unit == ":1" => "a ratio such as 2".to_owned(),
        _ => format!("{} or another prefix", field.unit),
    };
    FieldError::new(
        field.key,
        format!("\u{201c}{}\u{201d} is not a valid unit for {}. Use {legal}.", shown(rest), field.label),
    )
}

/// What a field takes, as part of a sentence.
fn wanted(field: &Field) -> String {
    let (min, max) = bounds(field);
    match field.kind {
        FieldKind::Integer { .. } => {
            format!("a whole number from {} to {}{}", grouped(min), grouped(max), with_unit(field))
        }
        FieldKind::Quantity { .. } => {
            format!("a number from {} to {}{}", grouped(min), grouped(max), with_unit(field))
        }
        FieldKind::Choice(_) => "a name from the list".to_owned(),
        FieldKind::Flag => "1 (on) or 0 (off)".to_owned(),
        FieldKind::Layers => "a list of layers per stage such as 15,16,16,15 or 15,16x14,15".to_owned(),
        FieldKind::Pattern => {
            "a pattern of the letters a, w, s, t, c, n, r, p, l, z, *, M, - and E, such as 3ra".to_owned()
        }
        FieldKind::Modules => format!("a list of {}", Modules::ALL.map(|entry| entry.0).join(", ")),
    }
}

fn with_unit(field: &Field) -> String {
    match (field.unit, field.kind) {
        ("" | ":1" | "per GPU", _)
        | (
            _,
            FieldKind::Choice(_)
            | FieldKind::Flag
            | FieldKind::Layers
            | FieldKind::Modules
            | FieldKind::Pattern,
        ) => String::new(),
        (unit, _) => format!(" {unit}"),
    }
}

fn bounds(field: &Field) -> (f64, f64) {
    match field.kind {
        FieldKind::Integer { min, max } => (f64::from(min), f64::from(max)),
        FieldKind::Quantity { min, max } => (min, max),
        FieldKind::Choice(_)
        | FieldKind::Flag
        | FieldKind::Layers
        | FieldKind::Modules
        | FieldKind::Pattern => (0.0, 1.0),
    }
}

/// A number with thousands separators; numbers of more than 15 digits in scientific notation.
pub(crate) fn grouped(value: f64) -> String {
    if !value.is_finite() || value.abs() >= 1e15 || (value != 0.0 && value.abs() < 1e-6) {
        return decimal::scientific(value);
    }
    let plain = decimal::plain((value * 1e6).round() / 1e6);
    let (sign, plain) = plain.strip_prefix('-').map_or(("", plain.as_str()), |rest| ("-", rest));
    let (whole, fraction) = plain.split_once('.').map_or((plain, ""), |parts| parts);
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Splits a text into its leading number and the rest, without the blanks between them.
///
/// Thousands may be separated by a comma, an apostrophe, an underscore or a (no-break) space, but
/// only into groups of three digits; the decimal sign is the point.
fn number(text: &str) -> Option<(f64, &str)> {
    const SEPARATORS: [char; 7] = [',', '_', '\'', '\u{2019}', ' ', '\u{a0}', '\u{202f}'];
    let text = text.trim();
    let mut plain = String::new();
    let mut rest = text;
    if let Some(after) = rest.strip_prefix(['-', '\u{2212}']) {
        plain.push('-');
        rest = after;
    } else if let Some(after) = rest.strip_prefix('+') {
        rest = after;
    }
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let mut group = digits(rest);
    let whole = group;
    loop {
        let (head, tail) = rest.split_at(group);
        plain.push_str(head);
        rest = tail;
        match rest.strip_prefix(SEPARATORS) {
            Some(after) if (1..=3).contains(&whole) && digits(after) == 3 => {
                rest = after;
                group = 3;
            }
            _ => break,
        }
    }
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = digits(after);
        let (head, tail) = after.split_at(fraction);
        plain.push('.');
        plain.push_str(head);
        rest = tail;
    }
    if whole == 0 && fraction == 0 {
        return None;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let unsigned = after.strip_prefix(['-', '+']).unwrap_or(after);
        let length = digits(unsigned);
        if length > 0 {
            let (exponent, tail) = after.split_at(after.len() - unsigned.len() + length);
            plain.push('e');
            plain.push_str(exponent);
            rest = tail;
        }
    }
    Some((decimal::parse(&plain)?, rest.trim_start()))
}

/// A number with its suffix as a whole field reads it, whatever the field's bounds.
pub(crate) fn amount(field: &Field, text: &str) -> Option<f64> {
    let (number, rest) = number(text)?;
    Some(number * integer_suffix(field, rest)?)
}

/// Factor of what follows a whole number: a suffix, the field's unit, or both.
fn integer_suffix(field: &Field, rest: &str) -> Option<f64> {
    let is_unit = |text: &str| {
        let text = text.trim().to_ascii_lowercase();
        let unit = field.unit.to_ascii_lowercase();
        text.is_empty() || text == unit || (unit.len() > 1 && unit.strip_suffix('s') == Some(text.as_str()))
    };
    if is_unit(rest) {
        return Some(1.0);
    }
    let (power, after) = prefix(rest)?;
    let (kilo, after) = after.strip_prefix('i').map_or((field.kilo, after), |after| (1024.0, after));
    is_unit(after).then(|| kilo.powi(power))
}

/// Power of a thousand of a leading prefix, and what follows it.
fn prefix(text: &str) -> Option<(i32, &str)> {
    let mut chars = text.chars();
    let power = match chars.next()? {
        'k' | 'K' => 1,
        'm' | 'M' => 2,
        'g' | 'G' => 3,
        't' | 'T' => 4,
        'p' | 'P' => 5,
        'e' | 'E' => 6,
        _ => return None,
    };
    Some((power, chars.as_str()))
}

/// Factor from a typed unit to the field's unit.
fn unit_scale(unit: &str, typed: &str) -> Option<f64> {
    match unit {
        "TFLOP/s" => Some(flops(typed)? / 1e12),
        "GiB" => Some(bytes(typed)? / 1_073_741_824.0),
        "TB/s" => Some(bits_per_second(typed, false)? / 8e12),
        "GB/s" => Some(bits_per_second(typed, false)? / 8e9),
        "Gb/s" => Some(bits_per_second(typed, true)? / 1e9),
        ":1" => matches!(typed, ":1" | "x" | "\u{d7}").then_some(1.0),
        "tokens" => counted(typed, &["token", "tokens"]),
        "USD" => counted(typed, &["USD", "usd", "$"]),
        "W" => watts(typed),
        "gCO2e/kWh" => matches!(typed, "g" | "g/kWh" | "gCO2/kWh" | "gCO2e/kWh").then_some(1.0),
        _ => None,
    }
}

fn flops(typed: &str) -> Option<f64> {
    let (power, after) = prefix(typed)?;
    let known = ["", "flop", "flops", "flop/s", "flops/s", "flop / s"];
    known.contains(&after.trim().to_ascii_lowercase().as_str()).then(|| 1000_f64.powi(power))
}

/// Units in a typed suffix: a prefix, or `B` for a billion.
fn counted(typed: &str, units: &[&str]) -> Option<f64> {
    let is_unit = |text: &str| text.trim().is_empty() || units.contains(&text.trim());
    if is_unit(typed) {
        return Some(1.0);
    }
    if let Some(after) = typed.strip_prefix(['b', 'B']) {
        return is_unit(after).then_some(1e9);
    }
    let (power, after) = prefix(typed)?;
    is_unit(after).then(|| 1000_f64.powi(power))
}

fn watts(typed: &str) -> Option<f64> {
    if matches!(typed, "W" | "w") {
        return Some(1.0);
    }
    let (power, after) = prefix(typed)?;
    matches!(after, "" | "W" | "w").then(|| 1000_f64.powi(power))
}

/// Bytes in a typed unit of memory. A bare prefix is binary, as in `80G`.
fn bytes(typed: &str) -> Option<f64> {
    let (power, after) = prefix(typed)?;
    match after.to_ascii_lowercase().as_str() {
        "" | "i" | "ib" => Some(1024_f64.powi(power)),
        "b" => Some(1000_f64.powi(power)),
        _ => None,
    }
}

/// Bits per second in a typed unit of bandwidth. `b` is a bit and `B` a byte; without either, it is
/// what the field is measured in.
fn bits_per_second(typed: &str, field_in_bits: bool) -> Option<f64> {
    let (power, after) = prefix(typed)?;
    let (kilo, after) = after.strip_prefix('i').map_or((1000_f64, after), |after| (1024.0, after));
    let (name, per) = after.find(['/', 'p']).map_or((after, ""), |at| after.split_at(at));
    let bits = match name.trim_end() {
        "b" | "bit" | "bits" => 1.0,
        "B" | "byte" | "bytes" => 8.0,
        "" if field_in_bits => 1.0,
        "" => 8.0,
        _ => return None,
    };
    matches!(per, "" | "/s" | "ps" | "/sec" | "/ s").then(|| bits * kilo.powi(power))
}
