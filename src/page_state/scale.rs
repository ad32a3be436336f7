//! Axes: round tick values for a range that starts at zero.

/// Ticks from 0 to at most `end`, about `wanted` of them, at multiples of 1, 2 or 5 times a power of ten.
/// Empty when the range is.
pub fn ticks(end: f64, wanted: u32) -> Vec<f64> {
    if end.is_nan() || end <= 0.0 || !end.is_finite() {
        return Vec::new();
    }
    let rough = end / f64::from(wanted.max(1));
    let power = libm::pow(10.0, rough.log10().floor());
    let multiple = [1.0, 2.0, 5.0].into_iter().find(|multiple| multiple * power >= rough).unwrap_or(10.0);
    let step = multiple * power;
    // A hair more than the end, so that rounding does not lose the last tick.
    let count = (end / step * (1.0 + 1e-9)).floor().min(1000.0) as u32;
    (0..=count).map(|index| f64::from(index) * step).collect()
}

/// Ticks at round values that enclose a range which need not start at zero, about `wanted` of them; empty where the range
/// is no range.
pub fn ticks_around(least: f64, most: f64, wanted: u32) -> Vec<f64> {
    let width = if most > least { most - least } else { most.abs() };
    let Some(step) = ticks(width, wanted).get(1).copied() else { return Vec::new() };
    // A hair, so that a value on a tick is within it.
    let (first, last) = ((least / step + 1e-9).floor(), (most / step - 1e-9).ceil());
    let count = (last - first).clamp(0.0, 1000.0) as u32;
    (0..=count).map(|index| (first + f64::from(index)) * step).collect()
}

/// Decimals that the ticks of an axis need.
pub fn decimals(ticks: &[f64]) -> u32 {
    let step = if let [first, second, ..] = ticks { second - first } else { 1.0 };
    (-step.log10().floor()).clamp(0.0, 9.0) as u32
}

/// Powers of a base (above 1) between two positive values, at most 64 of them.
pub fn powers(low: f64, high: f64, base: f64) -> Vec<f64> {
    let sound = [low, high, base].iter().all(|value| value.is_finite() && *value > 0.0) && base > 1.0;
    if !sound {
        return Vec::new();
    }
    // A hair less, so that rounding does not lose a power that is the least value itself.
    let first = (low.ln() / base.ln() - 1e-9).ceil() as i32;
    (first..first.saturating_add(64))
        .map(|power| base.powi(power))
        .take_while(|value| *value <= high * (1.0 + 1e-9))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_range() {
        assert_eq!(ticks(10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(6.3, 5), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(ticks(80.0, 4), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(0.003, 3), [0.0, 0.001, 0.002, 0.003]);
        for end in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ticks(end, 5).is_empty());
        }
    }

    #[test]
    fn ticks_enclose_a_range() {
        assert_eq!(ticks_around(690.0, 799.0, 4), [650.0, 700.0, 750.0, 800.0]);
        assert_eq!(ticks_around(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks_around(5.0, 5.0, 1), [5.0]);
        let one = ticks_around(13.8, 13.8, 4);
        assert!(
            one.first().is_some_and(|first| *first <= 13.8) && one.last().is_some_and(|last| *last >= 13.8)
        );
        for (least, most) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (0.0, 0.0)] {
            assert!(ticks_around(least, most, 4).len() <= 1001);
        }
        assert_eq!(decimals(&[1.5, 1.6]), 1);
    }

    #[test]
    fn decimals_tell_ticks_apart() {
        assert_eq!(decimals(&ticks(10.0, 5)), 0);
        assert_eq!(decimals(&ticks(0.9, 5)), 1);
        assert_eq!(decimals(&ticks(0.003, 3)), 3);
        assert_eq!(decimals(&[]), 0);
    }

    #[test]
    fn powers_lie_within_the_range() {
        assert_eq!(powers(1.0, 1000.0, 10.0), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(powers(3.0, 40.0, 2.0), [4.0, 8.0, 16.0, 32.0]);
        assert_eq!(
            powers(65_536.0, 1_073_741_824.0, 16.0),
            [65_536.0, 1_048_576.0, 16_777_216.0, 268_435_456.0]
        );
        assert!(powers(0.0, 1.0, 10.0).is_empty() && powers(1.0, 8.0, 1.0).is_empty());
        assert!(powers(1e-300, 1e300, 1.001).len() <= 64);
    }
}
