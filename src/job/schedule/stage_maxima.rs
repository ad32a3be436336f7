//! The timeline of arXiv 2509.22832: every stage takes as long as the slowest.

use super::StageTime;
use crate::units::Seconds;

/// `(m + p - 1) (max forward + max backward)` for m micro-batches through p stages.
///
/// Equal to 1F1B on equal stages; otherwise an upper bound, since the slowest forward and the slowest backward may be
/// on different stages, and every round waits for both.
pub fn stage_maxima(stages: &[StageTime], micro_batches: u32) -> Seconds {
    if stages.is_empty() || micro_batches == 0 {
        return Seconds::ZERO;
    }
    let most = |pass: fn(&StageTime) -> Seconds| stages.iter().map(pass).fold(Seconds::ZERO, Seconds::max);
    let round = most(|stage| stage.forward) + most(|stage| stage.backward);
    (f64::from(micro_batches) + stages.len() as f64 - 1.0) * round
}

#[cfg(test)]
mod tests {
    use super::stage_maxima;
    use crate::schedule::{StageTime, one_forward_one_backward};
    use crate::units::Seconds;

    #[test]
    fn equal_stages_take_as_long_as_in_1f1b() {
        let stages = [StageTime::new(Seconds(1.0), Seconds(2.0)); 4];
        assert_eq!(stage_maxima(&stages, 8), Seconds(33.0));
        assert_eq!(one_forward_one_backward(&stages, 8, Seconds::ZERO), Seconds(33.0));
    }

    #[test]
    fn unequal_stages_never_take_longer_in_1f1b() {
        // Llemma-7B, 4 stages, as the authors' tool has it, in milliseconds.
        let times = [(202.6, 545.2), (221.6, 634.3), (221.6, 634.3), (149.9, 459.2)];
        let stages = times.map(|(forward, backward)| StageTime::new(Seconds(forward), Seconds(backward)));
        let ratio = stage_maxima(&stages, 8) / one_forward_one_backward(&stages, 8, Seconds::ZERO);
        assert!(ratio > 1.06 && ratio < 1.07, "{ratio}");
    }
}
