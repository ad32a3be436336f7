//! Durations for ranking: closed forms where there are any; otherwise a replay of the micro-batches it takes
//! until the schedule repeats, extended by its cycle time.

use super::cycle_time::Round;
use super::dependencies::{Dependencies, PassKey};
use super::placement::Placement;
use super::{Pipeline, StageTime, interleaved};
use crate::units::Seconds;

/// Micro-batches per stage after which a pipeline is taken to repeat.
const SETTLED: u32 = 4;
/// Replays that are remembered.
const KEPT: usize = 16;

/// Memory that durations are computed in, one after the other. Where a pipeline has as many stages and micro-batches
/// as the one before, under the same schedule, what waits for what is taken from there, and nothing is allocated.
#[derive(Debug, Default, Clone)]
pub struct SteadyScratch {
    dependencies: Dependencies,
    round: Round,
    costs: Vec<f64>,
    ends: Vec<f64>,
    stages: Vec<StageTime>,
    known: Known,
}

/// The last pipelines that were replayed, all of one schedule: layouts that differ in what is sharded have the same.
#[derive(Debug, Default, Clone)]
struct Known {
    /// What waits for what, and how many micro-batches there are in all.
    of: Option<(PassKey, u32)>,
    replays: Vec<Replay>,
    /// Where the next one is put.
    next: usize,
}

/// A pipeline's costs and what it takes.
#[derive(Debug, Clone)]
struct Replay {
    costs: Vec<f64>,
    hop: f64,
    duration: Seconds,
}

impl Known {
    /// What a pipeline with these costs takes, if it was replayed lately.
    fn find(&mut self, of: (PassKey, u32), costs: &[f64], hop: f64) -> Option<Seconds> {
        if self.of != Some(of) {
            self.of = Some(of);
            self.replays.clear();
            self.next = 0;
        }
        let found = self.replays.iter().find(|replay| replay.hop == hop && replay.costs == costs);
        found.map(|replay| replay.duration)
    }

    /// Keeps what a pipeline takes.
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
    /// How long the pipeline takes: as [`Pipeline::simulate`], up to what the closed forms of 1F1B and of all
    /// forward, all backward leave out, and for interleaved chunks and the other schedules exactly up to 4 p
    /// micro-batches. With more, they go on with the cycle time of the slowest cycle of passes that wait for each other
    /// (seldom 4 % and at worst 14 % from the simulation on wildly different stages, within 3 % on pipelines as models
    /// make them).
    ///
    /// A pipeline that the schedule cannot run takes what 1F1B takes.
    pub fn duration(&self) -> Seconds {
        self.duration_in(&mut SteadyScratch::default())
    }

    /// How long the pipeline takes ([`Pipeline::duration`]), worked out in memory that was used before.
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

    /// By a replay, where the schedule can run the pipeline.
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

    /// Seconds that the micro-batches beyond the first few of a replay take.
    fn later(&self, scratch: &mut SteadyScratch, placement: &Placement, few: u32, hop: f64) -> f64 {
        let SteadyScratch { dependencies, round, costs, ends, .. } = scratch;
        if few == self.micro_batches {
            return 0.0;
        }
        let (row, stages) = (self.schedule.row(), self.stages() as u32);
        // Micro-batches that make a round, over both directions and in each.
        let repeats = (row.micro_batches)(stages, self.virtual_stages.max(1)).multiple_of.max(1);
        let each_way = (repeats * placement.chunks / placement.numbers().max(1)).max(1);
        let cycle_time = round.cycle_time(dependencies, each_way, costs, ends, hop);
        cycle_time * f64::from(self.micro_batches - few) / f64::from(repeats)
    }
}
