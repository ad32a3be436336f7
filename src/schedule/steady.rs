//! Durations for ranking: closed forms where there are any; otherwise a replay of the micro-batches it takes
//! until the schedule repeats, extended at the pace it has then.

use super::description::Ranked;
use super::{Pipeline, StageTime, interleaved};
use crate::units::Seconds;
use std::borrow::Cow;

/// Micro-batches per stage after which a zero-bubble or bidirectional pipeline repeats.
const SETTLED: u32 = 4;
/// Those from which on its pace is read where hops lengthen it.
const PACED: u32 = 2;

impl Pipeline<'_> {
    /// How long the pipeline takes: as [`Pipeline::simulate`], up to what the closed forms leave out, and for
    /// the other schedules exactly up to 4 p micro-batches. With more, the slowest stage, or what hops make
    /// of it, sets the pace (within 3 % of the simulation on pipelines as models make them).
    ///
    /// A pipeline that the schedule cannot run takes what 1F1B takes.
    pub fn duration(&self) -> Seconds {
        let plain = || {
            let stages = self.of_stages();
            interleaved(&stages, self.micro_batches, self.virtual_stages, self.hop)
        };
        match self.schedule.row().ranked {
            Ranked::Closed(duration) => duration(self, &self.of_stages()),
            Ranked::Replayed if self.stages() <= 1 => plain(),
            Ranked::Replayed => self.extended().unwrap_or_else(plain),
        }
    }

    /// Times of whole stages, chunks dealt round-robin.
    fn of_stages(&self) -> Cow<'_, [StageTime]> {
        if self.virtual_stages <= 1 {
            return Cow::Borrowed(self.chunks);
        }
        let mut stages = vec![StageTime::default(); self.stages()];
        let count = stages.len().max(1);
        for (index, chunk) in self.chunks.iter().enumerate() {
            if let Some(stage) = stages.get_mut(index % count) {
                let chunk = chunk.sane();
                stage.forward += chunk.forward;
                stage.backward += chunk.backward;
            }
        }
        Cow::Owned(stages)
    }

    fn extended(&self) -> Option<Seconds> {
        let stages = self.stages() as u32;
        let few = self.micro_batches.min(SETTLED.saturating_mul(stages));
        let placement = Self { micro_batches: few, ..*self }.check().ok()?;
        let timeline = self.replay(placement, few, false);
        let duration = timeline.duration(self.schedule);
        if few == self.micro_batches {
            return Some(duration);
        }
        let earlier = PACED.saturating_mul(stages);
        let before = self.replay(placement, earlier, false);
        let work = timeline.busy.iter().zip(&before.busy).map(|(later, sooner)| *later - *sooner);
        let mut pace = work.fold(Seconds::ZERO, Seconds::max);
        if self.schedule.pairs_passes() {
            pace = pace.max(duration - before.duration(self.schedule));
        }
        Some(duration + pace * (f64::from(self.micro_batches - few) / f64::from(few - earlier)))
    }
}
