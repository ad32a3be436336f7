//! Lower bounds of a pipeline's time, in a few operations: a search uses them to rule out layouts.

use super::{Schedule, StageTime, stalls_chunks};
use crate::units::Seconds;

/// A run of neighbouring stages with equal times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageRun {
    /// A micro-batch's time on each of them.
    pub time: StageTime,
    /// Number of stages.
    pub stages: u32,
}

/// Inputs of a pipeline's lower bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastDurationInput<'a> {
    pub(super) runs: &'a [StageRun],
    pub(super) micro_batches: f64,
    pub(super) virtual_stages: u32,
    pub(super) hop: f64,
}

/// A lower bound of [`super::Pipeline::duration`] for stages with times `runs`, up to rounding. A stage's chunks count
/// together; with equal virtual stages, `evenly`, the closed form of interleaved passes holds.
///
/// Every bound is the length of a path through the schedule: a stage that is never idle after its first pass, plus what
/// precedes that pass and follows its last.
pub fn least_duration(
    schedule: Schedule,
    runs: &[StageRun],
    micro_batches: u32,
    virtual_stages: u32,
    evenly: bool,
    hop: Seconds,
) -> Seconds {
    let hop = hop.max(Seconds::ZERO).0;
    let outline = LeastDurationInput { runs, micro_batches: f64::from(micro_batches), virtual_stages, hop };
    let row = schedule.row();
    let least = if schedule.pairs_passes() {
        busiest(&outline, |time| (time.total() - time.hideable).0.max(0.0))
    } else {
        busiest(&outline, |time| time.total().0)
    };
    let told = row.least_duration.filter(|_| evenly || virtual_stages <= 1 || !row.interleaves());
    Seconds(told.map_or(least, |told| told(&outline).max(least)))
}

/// The stage with the most compute.
fn busiest(outline: &LeastDurationInput<'_>, time: impl Fn(StageTime) -> f64) -> f64 {
    outline.runs.iter().map(|run| time(run.time.sane())).fold(0.0, f64::max) * outline.micro_batches
}

impl LeastDurationInput<'_> {
    fn stages(&self) -> f64 {
        self.runs.iter().map(|run| f64::from(run.stages)).sum()
    }

    fn work(&self) -> f64 {
        self.runs.iter().map(|run| f64::from(run.stages) * run.time.sane().total().0).sum()
    }

    /// 1F1B: some of the paths of [`super::one_forward_one_backward`]; interleaved, the closed form without stalls.
    pub(super) fn one_forward_one_backward(&self) -> f64 {
        let count = self.stages();
        if count < 1.0 || self.micro_batches < 1.0 {
            return 0.0;
        }
        if self.virtual_stages > 1 && count > 1.0 {
            return self.interleaved(count);
        }
        let later = self.micro_batches - 1.0;
        let traverse = self.work() + 2.0 * self.hop * (count - 1.0);
        let mut longest = traverse;
        let (mut before, mut index, mut slowest_backward) = (0.0, 0.0, 0.0_f64);
        for run in self.runs {
            let (time, stages) = (run.time.sane(), f64::from(run.stages));
            let own = time.total().0;
            slowest_backward = slowest_backward.max(time.backward.0);
            let behind = count - 1.0 - index;
            let steady = later - (behind + 1.0);
            if steady >= 0.0 {
                let p2p_count = steady - (steady / stages).ceil();
                let rounds = own * steady + 2.0 * self.hop * p2p_count;
                longest = longest.max(traverse + rounds + (traverse - before));
            }
            before += (own + 2.0 * self.hop) * (stages - 1.0);
            index += stages - 1.0;
            let drained = (count - 1.0 - index).min(later);
            longest = longest.max(traverse + own * (later - drained) + slowest_backward * drained);
            longest = longest.max(before + own * self.micro_batches);
            before += own + 2.0 * self.hop;
            index += 1.0;
        }
        longest
    }

    /// See [`super::interleaved`]; nothing if transfers stall it, which needs a replay.
    fn interleaved(&self, count: f64) -> f64 {
        let per_stage = f64::from(self.virtual_stages);
        let slowest = self.runs.iter().map(|run| run.time.sane().total().0).fold(0.0, f64::max);
        if stalls_chunks(slowest, self.virtual_stages, self.hop) {
            return 0.0;
        }
        slowest * self.micro_batches
            + (self.work() - slowest) / per_stage
            + 2.0 * self.hop * (count * per_stage - 1.0)
    }

    /// All forward, all backward: [`super::all_forward_all_backward`].
    pub(super) fn all_forward_all_backward(&self) -> f64 {
        let slowest = |pass: fn(StageTime) -> Seconds| {
            self.runs.iter().map(|run| pass(run.time.sane()).0).fold(0.0, f64::max)
        };
        let p2p_time = 2.0 * self.hop * (self.stages() - 1.0).max(0.0);
        let rounds = slowest(|time| time.forward) + slowest(|time| time.backward);
        self.work() + p2p_time + rounds * (self.micro_batches - 1.0).max(0.0)
    }

    /// A zero-bubble pipeline that warms up with `reach` (p - 1) forward passes on its first stage. When the first
    /// input gradient returns there, it has run at most these and one more; every micro-batch's gradients, and the
    /// other forward passes, follow. A stage's first pass waits for those of the preceding stages.
    pub(super) fn zero_bubble(&self, reach: f64) -> f64 {
        let Some(first) = self.runs.first().map(|run| run.time.sane()) else { return 0.0 };
        let later = self.micro_batches - 1.0;
        let warm_up = reach * (self.stages() - 1.0);
        let gradients = first.input_gradient().0 * later + first.weight_gradient.0 * self.micro_batches;
        self.traverse() + gradients + first.forward.0 * (later - warm_up).max(0.0)
    }

    /// One micro-batch all the way down and back, without its weight gradients.
    pub(super) fn traverse(&self) -> f64 {
        let passes = |time: StageTime| (time.forward + time.input_gradient()).0;
        let work: f64 = self.runs.iter().map(|run| f64::from(run.stages) * passes(run.time.sane())).sum();
        work + 2.0 * self.hop * (self.stages() - 1.0).max(0.0)
    }

    /// A stage whose first pass waits for those of the preceding stages, and which ends no earlier than all its work.
    pub(super) fn filled(&self) -> f64 {
        let (mut before, mut longest) = (0.0, 0.0_f64);
        for run in self.runs {
            let time = run.time.sane();
            let forward = time.forward.0 + self.hop;
            before += forward * f64::from(run.stages - 1);
            longest = longest.max(before + time.total().0 * self.micro_batches);
            before += forward;
        }
        longest
    }
}
