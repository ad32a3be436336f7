//! Decimal numbers read without the standard library's reader, whose table of powers of five would
//! be a twentieth of the page.

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
