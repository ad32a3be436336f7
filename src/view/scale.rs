//! Axes: round tick values for a range that starts at zero.

/// Ticks from 0 to at most `end`, about `wanted` of them, at multiples of 1, 2 or 5 times a power of ten.
/// Empty when the range is.
pub fn ticks(end: f64, wanted: u32) -> Vec<f64> {
    if end.is_nan() || end <= 0.0 || !end.is_finite() {
        return Vec::new();
    }
    let rough = end / f64::from(wanted.max(1));
    let power = 10f64.powf(rough.log10().floor());
    let multiple = [1.0, 2.0, 5.0].into_iter().find(|multiple| multiple * power >= rough).unwrap_or(10.0);
    let step = multiple * power;
    // A hair more than the end, so that rounding does not lose the last tick.
    let count = (end / step * (1.0 + 1e-9)).floor().min(1000.0) as u32;
    (0..=count).map(|index| f64::from(index) * step).collect()
}

/// Decimals that the ticks of an axis need.
pub fn decimals(ticks: &[f64]) -> u32 {
    let step = ticks.get(1).copied().unwrap_or(1.0);
    (-step.log10().floor()).clamp(0.0, 9.0) as u32
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
    fn decimals_tell_ticks_apart() {
        assert_eq!(decimals(&ticks(10.0, 5)), 0);
        assert_eq!(decimals(&ticks(0.9, 5)), 1);
        assert_eq!(decimals(&ticks(0.003, 3)), 3);
        assert_eq!(decimals(&[]), 0);
    }
}
