//! Durations for ranking: closed forms where there are any; otherwise a replay of the micro-batches it takes
//! until the schedule repeats, extended at the pace it has then.

use super::{Pipeline, StageTime, all_forward_all_backward, interleaved};
use crate::schedule::Schedule;
use crate::units::Seconds;

/// Micro-batches per stage after which a zero-bubble or bidirectional pipeline repeats.
const SETTLED: u32 = 4;
/// Micro-batches per stage from which on the pipeline's pace is read where hops lengthen it.
const PACED: u32 = 2;

impl Pipeline<'_> {
    /// How long the pipeline takes: as [`Pipeline::simulate`], up to what the closed forms leave out, and for
    /// the other schedules exactly up to 4 p micro-batches. With more, the slowest stage, or what hops make
    /// of it, sets the pace (within 3 % of the simulation on pipelines as models make them).
    ///
    /// A pipeline that the schedule cannot run takes what 1F1B takes.
    pub fn duration(&self) -> Seconds {
        let stages = self.stages();
        let per_stage = self.virtual_stages.max(1);
        let plain = || {
            if per_stage > 1 {
                interleaved(&self.of_stages(), self.micro_batches, per_stage, self.hop)
            } else {
                interleaved(self.chunks, self.micro_batches, 1, self.hop)
            }
        };
        match self.schedule {
            Schedule::OneForwardOneBackward => plain(),
            Schedule::AllForwardAllBackward => {
                all_forward_all_backward(self.chunks, self.micro_batches, self.hop)
            }
            _ if stages <= 1 => plain(),
            _ => self.extended().unwrap_or_else(plain),
        }
    }

    /// Times of whole stages, chunks dealt round-robin.
    fn of_stages(&self) -> Vec<StageTime> {
        let mut stages = vec![StageTime::default(); self.stages()];
        let count = stages.len().max(1);
        for (index, chunk) in self.chunks.iter().enumerate() {
            if let Some(stage) = stages.get_mut(index % count) {
                let chunk = chunk.sane();
                stage.forward += chunk.forward;
                stage.backward += chunk.backward;
            }
        }
        stages
    }

    fn extended(&self) -> Option<Seconds> {
        let stages = self.stages() as u32;
        let few = self.micro_batches.min(SETTLED.saturating_mul(stages));
        let placement = Self { micro_batches: few, ..*self }.check().ok()?;
        let timeline = self.replay(placement, few);
        let duration = timeline.duration(self.schedule);
        if few == self.micro_batches {
            return Some(duration);
        }
        let earlier = PACED.saturating_mul(stages);
        let before = self.replay(placement, earlier);
        let work = timeline.busy.iter().zip(&before.busy).map(|(later, sooner)| *later - *sooner);
        let mut pace = work.fold(Seconds::ZERO, Seconds::max);
        if self.schedule.pairs_passes() {
            pace = pace.max(duration - before.duration(self.schedule));
        }
        Some(duration + pace * (f64::from(self.micro_batches - few) / f64::from(few - earlier)))
    }
}
