//! Numbers for people: three significant digits and a unit that keeps them short.
//!
//! Written without `f64`'s own formatting, which would add some 20 kB to the page.

use crate::units::{Bytes, Flops, Seconds};

/// A number split from its unit, so that the page can set them differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberParts {
    /// The digits, with thousands separators and a sign where needed.
    pub digits: String,
    /// The unit, for example `ms`; empty when there is none.
    pub unit: &'static str,
}

impl core::fmt::Display for NumberParts {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.digits)?;
        if !self.unit.is_empty() {
            f.write_str("\u{a0}")?;
        }
        f.write_str(self.unit)
    }
}

/// A whole number with thousands separators.
pub fn integer(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with a fixed count of decimals (at most 9), grouped by thousands.
/// What is not a finite number shows as an em dash.
pub fn fixed(value: f64, decimals: u32) -> String {
    let decimals = decimals.min(9);
    let scale = 10u64.pow(decimals);
    let scaled = (value.abs() * scale as f64).round();
    if !scaled.is_finite() || scaled >= 1e18 {
        return "\u{2014}".to_owned();
    }
    let scaled = scaled as u64;
    let mut text = String::new();
    if value < 0.0 && scaled > 0 {
        text.push('\u{2212}');
    }
    text.push_str(&integer(scaled / scale));
    if decimals > 0 {
        let fraction = (scaled % scale).to_string();
        text.push('.');
        for _ in fraction.len()..decimals as usize {
            text.push('0');
        }
        text.push_str(&fraction);
    }
    text
}

/// A number rounded to the given number of significant digits (1 to 9): `0.0123`, `1.23`, `12,300`.
pub fn significant(value: f64, digits: u32) -> String {
    let digits = digits.clamp(1, 9) as i32;
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    let mut magnitude = value.abs().log10().floor() as i32;
    let rounded = round_to(value, digits - 1 - magnitude);
    if rounded.abs() >= 10f64.powi(magnitude + 1) {
        magnitude += 1;
    }
    fixed(rounded, (digits - 1 - magnitude).max(0) as u32)
}

/// The value rounded at that decimal place (negative places are tens, hundreds, ...).
fn round_to(value: f64, place: i32) -> f64 {
    if place >= 0 {
        let scale = 10f64.powi(place);
        (value * scale).round() / scale
    } else {
        let scale = 10f64.powi(-place);
        (value / scale).round() * scale
    }
}

/// The value in the greatest unit of the ladder that it fills, rounding considered. The ladder goes
/// from the smallest unit to the greatest; each step has its size in the base unit.
fn adaptive(value: f64, ladder: &[(f64, &'static str)]) -> NumberParts {
    let Some(&smallest) = ladder.first() else {
        return NumberParts { digits: significant(value, 3), unit: "" };
    };
    // 0.9995 of a unit already rounds to 1.00 of it.
    let (size, unit) =
        ladder.iter().rev().copied().find(|step| value.abs() >= step.0 * 0.9995).unwrap_or(smallest);
    NumberParts { digits: significant(value / size, 3), unit }
}

/// A duration, from nanoseconds to days. Seconds up to ten minutes, as steps are quoted.
pub fn time(value: Seconds) -> NumberParts {
    const SHORT: [(f64, &str); 4] = [(1e-9, "ns"), (1e-6, "\u{b5}s"), (1e-3, "ms"), (1.0, "s")];
    const LONG: [(f64, &str); 3] = [(60.0, "min"), (3600.0, "h"), (Seconds::DAY, "d")];
    if value.0 == 0.0 {
        return NumberParts { digits: "0".to_owned(), unit: "s" };
    }
    adaptive(value.0, if value.0.abs() < 600.0 { &SHORT } else { &LONG })
}

/// A duration in days, or in hours when it is shorter than two days, or in years when longer than two.
pub fn long_time(value: Seconds) -> NumberParts {
    const DAY: f64 = Seconds::DAY;
    let (size, unit) = match value.0 {
        seconds if seconds < 2.0 * DAY => (3600.0, "h"),
        seconds if seconds < 730.0 * DAY => (DAY, "days"),
        _ => (365.25 * DAY, "years"),
    };
    NumberParts { digits: significant(value.0 / size, 3), unit }
}

/// Device memory, in GiB (2^30 bytes) or smaller binary units.
pub fn memory(value: Bytes) -> NumberParts {
    if value.0 == 0.0 {
        return NumberParts { digits: "0".to_owned(), unit: "GiB" };
    }
    adaptive(value.0, &[(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (Bytes::GIB, "GiB")])
}

/// A shown number without zeros after the point, for the ends of scales.
pub fn short(shown: &NumberParts) -> String {
    let digits = match shown.digits.split_once('.') {
        Some((whole, fraction)) => match fraction.trim_end_matches('0') {
            "" => whole.to_owned(),
            fraction => format!("{whole}.{fraction}"),
        },
        None => shown.digits.clone(),
    };
    NumberParts { digits, unit: shown.unit }.to_string()
}

/// Bytes that are moved, in decimal units.
pub fn traffic(value: Bytes) -> NumberParts {
    adaptive(value.0, &[(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB")])
}

/// Floating-point operations.
pub fn flops(value: Flops) -> NumberParts {
    adaptive(
        value.0,
        &[
            (1.0, "FLOP"),
            (1e3, "kFLOP"),
            (1e6, "MFLOP"),
            (1e9, "GFLOP"),
            (1e12, "TFLOP"),
            (1e15, "PFLOP"),
            (1e18, "EFLOP"),
        ],
    )
}

/// A count in words people use for parameters and tokens: `70.6 B`, `4.19 M`.
pub fn count(value: f64) -> NumberParts {
    adaptive(value, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "B"), (1e12, "T")])
}

/// A share (0 to 1) in percent.
pub fn percent(share: f64) -> NumberParts {
    let value = share * 100.0;
    let digits = if value != 0.0 && value.abs() < 0.1 { significant(value, 1) } else { fixed(value, 1) };
    NumberParts { digits, unit: "%" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits_at_every_magnitude() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1.00"),
            (9.999, "10.0"),
            (99.96, "100"),
            (0.001_234_5, "0.00123"),
            (123_456.0, "123,000"),
            (12.34, "12.3"),
            (-0.5, "\u{2212}0.500"),
            (f64::NAN, "\u{2014}"),
            (f64::INFINITY, "\u{2014}"),
            (1e300, "\u{2014}"),
            (1e-300, "0.000000000"),
        ] {
            assert_eq!(significant(value, 3), text, "{value}");
        }
    }

    #[test]
    fn units_change_where_the_rounded_number_does() {
        assert_eq!(time(Seconds(0.999_6)).to_string(), "1.00\u{a0}s");
        assert_eq!(time(Seconds(0.999_4)).to_string(), "999\u{a0}ms");
        assert_eq!(time(Seconds(59.0)).to_string(), "59.0\u{a0}s");
        assert_eq!(time(Seconds(90.0)).to_string(), "90.0\u{a0}s");
        assert_eq!(time(Seconds(900.0)).to_string(), "15.0\u{a0}min");
        assert_eq!(time(Seconds(3.2e-6)).to_string(), "3.20\u{a0}\u{b5}s");
        assert_eq!(memory(Bytes::from_gib(61.23)).to_string(), "61.2\u{a0}GiB");
        assert_eq!(traffic(Bytes(1.25e8)).to_string(), "125\u{a0}MB");
        assert_eq!(count(70.55e9).to_string(), "70.6\u{a0}B");
        assert_eq!(count(512.0).to_string(), "512");
        assert_eq!(long_time(Seconds(86_400.0 * 23.45)).to_string(), "23.5\u{a0}days");
    }

    #[test]
    fn scales_end_without_zeros() {
        assert_eq!(short(&memory(Bytes(65_536.0))), "64\u{a0}KiB");
        assert_eq!(short(&traffic(Bytes(2.5e9))), "2.5\u{a0}GB");
        assert_eq!(short(&traffic(Bytes(100e9))), "100\u{a0}GB");
    }

    #[test]
    fn small_shares_do_not_vanish() {
        assert_eq!(percent(0.4321).to_string(), "43.2\u{a0}%");
        assert_eq!(percent(0.000_2).to_string(), "0.02\u{a0}%");
        assert_eq!(percent(0.0).to_string(), "0.0\u{a0}%");
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(integer(7), "7");
        assert_eq!(integer(1_234), "1,234");
        assert_eq!(integer(1_234_567), "1,234,567");
    }
}
