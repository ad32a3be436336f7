//! Decimal numbers read and written without the standard library, whose table of powers of five would be a twentieth of
//! the page, and whose writer a fortieth.

/// Reads digits with an optional sign, decimal point and exponent, and nothing else.
///
/// The result is the nearest double where the digits, the point left out, are below 2^64 and the
/// exponent that remains is within 19 either way: any double between 1e-3 and 1e19 as it is printed.
/// Elsewhere the last two digits of 17 may differ.
pub fn parse(text: &str) -> Option<f64> {
    let (negative, text) = sign(text);
    let (number, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |parts| (parts.0, Some(parts.1)));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut power = exponent.map_or(Some(0), integer)?;
    let mut digits: u64 = 0;
    let mut full = false;
    for (place, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(10)?);
        let behind_point = i32::from(place >= whole.len());
        let longer = digits.checked_mul(10).and_then(|tens| tens.checked_add(digit)).filter(|_| !full);
        match longer {
            Some(more) => {
                digits = more;
                power = power.saturating_sub(behind_point);
            }
            // Digits beyond the nineteenth are below the precision of a double.
            None => {
                full = true;
                power = power.saturating_add(1 - behind_point);
            }
        }
    }
    let value = scaled(digits, power);
    Some(if negative { -value } else { value })
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A whole number with a sign; beyond a million it is a million, which no double reaches.
fn integer(text: &str) -> Option<i32> {
    const FAR: i32 = 1_000_000;
    let (negative, digits) = sign(text);
    if digits.is_empty() {
        return None;
    }
    let size = digits
        .chars()
        .try_fold(0, |sum: i32, digit| Some((sum * 10 + digit.to_digit(10)? as i32).min(FAR)))?;
    Some(if negative { -size } else { size })
}

/// `digits` times ten to the power.
fn scaled(digits: u64, power: i32) -> f64 {
    match power {
        _ if digits == 0 => 0.0,
        0..=19 => (u128::from(digits) * 10u128.pow(power as u32)) as f64,
        -19..=-1 => ratio(digits, 10u64.pow(power.unsigned_abs())),
        // Two steps, so that a small power does not vanish before it meets large digits.
        _ => {
            let half = power.clamp(-700, 700) / 2;
            digits as f64 * 10f64.powi(half) * 10f64.powi(power.clamp(-700, 700) - half)
        }
    }
}

/// The double nearest to a ratio of whole numbers above zero.
fn ratio(numerator: u64, denominator: u64) -> f64 {
    let shift = 64 + numerator.leading_zeros();
    let shifted = u128::from(numerator) << shift;
    let denominator = u128::from(denominator.max(1));
    // At least 64 bits of quotient; what is left over only has to show in the last of them.
    let quotient = (shifted / denominator) | u128::from(!shifted.is_multiple_of(denominator));
    quotient as f64 / 2f64.powi(shift as i32)
}

/// Decimals of 1 to 18 significant digits that are about the nearest to a number that is not negative, as digits and a power of ten.
fn decimals(value: f64) -> impl Iterator<Item = (u64, i32)> {
    /// Significant digits of a double, and one more for a logarithm that is rounded up.
    const MOST: i32 = 18;
    let magnitude = value.log10().clamp(-400.0, 400.0).floor() as i32;
    (0..MOST).flat_map(move |more| {
        let power = magnitude - more;
        let digits = shifted(value, -power);
        [digits, digits.saturating_sub(1), digits.saturating_add(1)].map(|digits| (digits, power))
    })
}

/// A number above zero times ten to the power, rounded.
fn shifted(value: f64, power: i32) -> u64 {
    /// Bits of a double behind its exponent.
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let mantissa = u128::from((bits & ((1 << FRACTION) - 1)) | (1 << FRACTION));
    let exponent = (bits >> FRACTION) as i32 - 1075;
    let size = exponent.unsigned_abs();
    match power {
        0..=19 if (-100..0).contains(&exponent) => {
            let product = mantissa * 10u128.pow(power as u32);
            ((product + (1 << (size - 1))) >> size) as u64
        }
        0 if (0..=10).contains(&exponent) => (mantissa << size) as u64,
        -19..=-1 if (-52..=70).contains(&exponent) => {
            let whole = if exponent < 0 { mantissa >> size } else { mantissa << size };
            let unit = 10u128.pow(power.unsigned_abs());
            ((whole + unit / 2) / unit) as u64
        }
        // Two steps, so that neither power of ten is beyond what a double holds.
        _ => {
            let half = power / 2;
            (value * 10f64.powi(half) * 10f64.powi(power - half)).round() as u64
        }
    }
}

/// Numbers about the nearest to a finite one that have few digits, the fewest first.
pub fn shorter(value: f64) -> impl Iterator<Item = f64> {
    let found = decimals(value.abs()).map(|(digits, power)| scaled(digits, power));
    found.map(move |size| if value < 0.0 { -size } else { size })
}

/// The digits of a number above zero without the zeros at their end, and the power of ten: the fewest that [`parse`] reads
/// as that number.
fn digits(value: f64) -> (String, i32) {
    let exact = decimals(value).find(|(digits, power)| scaled(*digits, *power) == value);
    let (digits, power) = exact.or_else(|| decimals(value).last()).unwrap_or_default();
    let text = digits.to_string();
    let short = text.trim_end_matches('0');
    (short.to_owned(), power + (text.len() - short.len()) as i32)
}

/// A number as decimal digits without an exponent, as few as [`parse`] reads it from.
///
/// Written without the standard library's writer, whose tables and big numbers would be a fortieth of the page.
pub fn plain(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    if value == 0.0 || !value.is_finite() {
        return format!("{sign}{}", beyond(value));
    }
    let (digits, power) = digits(value.abs());
    if power >= 0 {
        return format!("{sign}{digits}{}", "0".repeat(power as usize));
    }
    let behind = power.unsigned_abs() as usize;
    match digits.split_at_checked(digits.len().saturating_sub(behind)) {
        Some((whole, fraction)) if !whole.is_empty() => format!("{sign}{whole}.{fraction}"),
        _ => format!("{sign}0.{}{digits}", "0".repeat(behind - digits.len())),
    }
}

/// A number as decimal digits with an exponent, as `1.5e21`.
pub fn scientific(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    if value == 0.0 || !value.is_finite() {
        return format!("{sign}{}", beyond(value));
    }
    let (digits, power) = digits(value.abs());
    let exponent = power + digits.len() as i32 - 1;
    let (first, rest) = digits.split_at(1.min(digits.len()));
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e{exponent}")
}

/// Text for a number without digits.
fn beyond(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "NaN",
        value if value.is_infinite() => "inf",
        _ => "0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_numbers_are_read() {
        for text in
            ["", "+", "-", ".", "e5", "1e", "1e+", "abc", "1.2.3", "0x10", "1 2", "inf", "NaN", "1e5x", "--1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        for (text, value) in [
            ("0", 0.0),
            ("-0.5", -0.5),
            ("+3", 3.0),
            (".25", 0.25),
            ("7.", 7.0),
            ("1E3", 1000.0),
            ("2e-3", 0.002),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn zero_and_what_is_no_number_are_written() {
        for (value, text) in
            [(0.0, "0"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf"), (f64::NAN, "NaN")]
        {
            assert_eq!((plain(value).as_str(), scientific(value).as_str()), (text, text));
            assert!(shorter(value).count() > 0);
        }
        assert_eq!(shorter(0.0).next(), Some(0.0));
    }

    #[test]
    fn extremes_saturate() {
        assert_eq!(parse("1e999999999999"), Some(f64::INFINITY));
        assert_eq!(parse("1e-999999999999"), Some(0.0));
        assert_eq!(parse(&"9".repeat(400)), Some(f64::INFINITY));
        let near = |text: &str, value: f64| (parse(text).expect("a number") / value - 1.0).abs() < 1e-15;
        assert!(near("123456789012345678901234567890", 1.234_567_890_123_457e29));
        // The twentieth digit does not fit into 64 bits; a smaller one after it must not take its place.
        assert!(near("184467440737095516199999.0", 1.844_674_407_370_955e23));
        assert!(near("0.000000000000000000000000000012345", 1.2345e-29));
    }

    proptest! {
        #[test]
        fn printed_doubles_are_read_back(value in 1e-3..1e15f64) {
            prop_assert_eq!(parse(&value.to_string()), Some(value));
            prop_assert_eq!(parse(&format!("{value:e}")), Some(value));
        }

        #[test]
        fn numbers_are_written_as_the_standard_library_writes_them(
            digits in 1u64..1_000_000_000_000_000, power in -19i32..=6, negative: bool,
        ) {
            let value: f64 = format!("{}{digits}e{power}", if negative { "-" } else { "" }).parse().expect("a number");
            prop_assert_eq!(plain(value), value.to_string());
            prop_assert_eq!(scientific(value), format!("{value:e}"));
        }

        #[test]
        fn what_is_written_is_read_back(value in prop_oneof![1e-3..1.0f64, 1.0..1e6f64, 1e6..1e15f64, 1e15..1e19f64]) {
            prop_assert_eq!(parse(&plain(value)), Some(value));
            prop_assert_eq!(parse(&scientific(value)), Some(value));
            prop_assert!(shorter(value).any(|other| other == value));
            prop_assert_eq!(plain(value).len(), value.to_string().len());
        }

        #[test]
        fn any_number_is_written(bits: u64) {
            let value = f64::from_bits(bits);
            for text in [plain(value), scientific(value)] {
                let near = parse(&text).is_some_and(|read| (read / value - 1.0).abs() < 1e-12);
                prop_assert!(near || !value.is_normal() || value.abs() < 1e-290, "{} {}", value, text);
            }
        }

        #[test]
        fn the_standard_library_agrees(digits in 0u64.., power in -19i32..=19) {
            let text = format!("{digits}e{power}");
            prop_assert_eq!(parse(&text), text.parse().ok());
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,40}") {
            let _ = parse(&text);
        }
    }
}
