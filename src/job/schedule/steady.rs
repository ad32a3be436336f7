//! Durations for ranking: closed forms if available; otherwise a replay of enough micro-batches for the schedule to
//! repeat, extrapolated by its cycle time.

use super::cycle_time::Round;
use super::dependencies::{Dependencies, PassKey};
use super::placement::Placement;
use super::{Pipeline, StageTime, interleaved};
use crate::units::Seconds;

/// Micro-batches per stage after which a pipeline is assumed to repeat.
const SETTLED: u32 = 4;
/// Number of cached replays.
const KEPT: usize = 16;

/// Scratch memory for durations. For a pipeline with the same schedule, stages and micro-batches as the one before, its
/// dependencies are reused, and nothing is allocated.
#[derive(Debug, Default, Clone)]
pub struct SteadyScratch {
    dependencies: Dependencies,
    round: Round,
    costs: Vec<f64>,
    ends: Vec<f64>,
    stages: Vec<StageTime>,
    known: Known,
}

/// The last replayed pipelines, all of one schedule: layouts that differ only in sharding share them.
#[derive(Debug, Default, Clone)]
struct Known {
    /// Dependencies, and the total number of micro-batches.
    of: Option<(PassKey, u32)>,
    replays: Vec<Replay>,
    /// Slot of the next entry.
    next: usize,
}

/// A pipeline's costs and its duration.
#[derive(Debug, Clone)]
struct Replay {
    costs: Vec<f64>,
    hop: f64,
    duration: Seconds,
}

impl Known {
    /// The cached duration of a pipeline with these costs.
    fn find(&mut self, of: (PassKey, u32), costs: &[f64], hop: f64) -> Option<Seconds> {
        if self.of != Some(of) {
            self.of = Some(of);
            self.replays.clear();
            self.next = 0;
        }
        let found = self.replays.iter().find(|replay| replay.hop == hop && replay.costs == costs);
        found.map(|replay| replay.duration)
    }

    /// Caches a pipeline's duration.
    fn keep(&mut self, costs: &[f64], hop: f64, duration: Seconds) {
        match self.replays.get_mut(self.next) {
            Some(oldest) => {
                oldest.costs.clear();
                oldest.costs.extend_from_slice(costs);
                (oldest.hop, oldest.duration) = (hop, duration);
            }
            None => self.replays.push(Replay { costs: costs.to_vec(), hop, duration }),
        }
        self.next = (self.next + 1) % KEPT;
    }
}

impl Pipeline<'_> {
    /// The pipeline's time: as [`Pipeline::simulate`], up to what the closed forms of 1F1B and of all forward, all
    /// backward leave out; exact for interleaved chunks and the other schedules up to 4 p micro-batches. With more, it
    /// is extrapolated by the cycle time of the slowest cycle of dependent passes (seldom 4 % and at worst 14 % from
    /// the simulation on wildly different stages, within 3 % on realistic pipelines).
    ///
    /// For a pipeline that the schedule cannot run, the time of 1F1B.
    pub fn duration(&self) -> Seconds {
        self.duration_in(&mut SteadyScratch::default())
    }

    /// The pipeline's time ([`Pipeline::duration`]), computed in reused memory.
    pub fn duration_in(&self, scratch: &mut SteadyScratch) -> Seconds {
        match self.schedule.row().closed_form {
            Some(closed_form) if self.virtual_stages <= 1 => {
                closed_form(self.chunks, self.micro_batches, self.hop)
            }
            _ => {
                let extended = if self.stages() > 1 { self.extended(scratch) } else { None };
                extended.unwrap_or_else(|| {
                    let stages = self.of_stages(&mut scratch.stages);
                    interleaved(stages, self.micro_batches, self.virtual_stages, self.hop)
                })
            }
        }
    }

    /// Times of whole stages, chunks assigned round-robin.
    fn of_stages<'a>(&'a self, stages: &'a mut Vec<StageTime>) -> &'a [StageTime] {
        if self.virtual_stages <= 1 {
            return self.chunks;
        }
        stages.clear();
        stages.resize(self.stages(), StageTime::default());
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

    /// By a replay, if the schedule can run the pipeline.
    fn extended(&self, scratch: &mut SteadyScratch) -> Option<Seconds> {
        let SteadyScratch { dependencies, costs, ends, known, .. } = scratch;
        let stages = self.stages() as u32;
        let few = self.micro_batches.min(SETTLED.saturating_mul(stages));
        let placement = Self { micro_batches: few, ..*self }.check().ok()?;
        let key = PassKey { schedule: self.schedule, placement, micro_batches: few };
        dependencies.prepare(key);
        dependencies.price(self.chunks, costs);
        let hop = self.hop.max(Seconds::ZERO).0;
        if let Some(duration) = known.find((key, self.micro_batches), costs, hop) {
            return Some(duration);
        }
        dependencies.run(costs, hop, ends);
        let (makespan, span) = dependencies.extremes(ends, hop);
        let duration = if self.schedule.ends_unevenly() { span } else { makespan };
        let duration = Seconds(duration + self.later(scratch, &placement, few, hop));
        scratch.known.keep(&scratch.costs, hop, duration);
        Some(duration)
    }

    /// Seconds of the micro-batches beyond those replayed.
    fn later(&self, scratch: &mut SteadyScratch, placement: &Placement, few: u32, hop: f64) -> f64 {
        let SteadyScratch { dependencies, round, costs, ends, .. } = scratch;
        if few == self.micro_batches {
            return 0.0;
        }
        let (row, stages) = (self.schedule.row(), self.stages() as u32);
        // Micro-batches per round, over both directions and in each.
        let repeats = (row.micro_batches)(stages, self.virtual_stages.max(1)).multiple_of.max(1);
        let each_way = (repeats * placement.chunks / placement.numbers().max(1)).max(1);
        let cycle_time = round.cycle_time(dependencies, each_way, costs, ends, hop);
        cycle_time * f64::from(self.micro_batches - few) / f64::from(repeats)
    }
}
