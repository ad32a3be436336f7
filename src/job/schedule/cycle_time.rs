//! Cycle time of a schedule in steady state: seconds per round, without running it until it has settled.
//!
//! In steady state every stage repeats the same passes, a round of them for one micro-batch (or one from either end, or
//! as many as there are stages in interleaved schedules). Passes wait for passes of the same round or of earlier ones.
//! The times along a cycle of such waits, divided by the rounds that it spans, bound the cycle time, and the slowest
//! cycle determines it (Baccelli et al. 1992, Synchronization and Linearity, section 3.2). A stage's own work is one
//! cycle; others pass several stages and the transfers between them. As a maximum of sums of times, the cycle time
//! never falls when a time grows.

use super::dependencies::{Dependencies, PassKey, needed};
use super::placement::{ChunkPass, ChunkTask};
use crate::index;

/// Share of the cycle time below which a cycle counts as no slower: rounding errors.
const ROUNDING: f64 = 1e-12;
/// Most searches for a slower cycle; in practice a few, since each is slower than the one before.
const MOST_SEARCHES: usize = 64;

/// A dependency of a pass.
#[derive(Debug, Clone, Copy)]
struct Wait {
    /// The pass waited for, by place in the round.
    on: u32,
    /// How many rounds earlier.
    rounds: f64,
    /// Whether its result is sent between stages.
    travels: bool,
}

/// One step of the round.
#[derive(Debug, Clone, Copy)]
struct RoundStep {
    /// Place of the step among the dependencies.
    step: u32,
    /// Stage that the step runs on.
    lane: u32,
    /// The previous step on the stage, and the inputs of its one or two passes.
    waits: [Option<Wait>; 3],
}

/// A stage's part of the round.
#[derive(Debug, Clone, Copy, Default)]
struct StageRound {
    /// The chunk of its first pass.
    chunk: Option<u32>,
    /// First and last node.
    first: Option<u32>,
    last: Option<u32>,
    /// Whether the current step is part of the round.
    within: bool,
}

/// One round of a pipeline in steady state, and the state of a search for its cycle time.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    key: Option<PassKey>,
    nodes: Vec<RoundStep>,
    /// By result (forward or backward, chunk, place in the round's micro-batches): its node and micro-batch.
    results: Vec<Option<(u32, u32)>>,
    lanes: Vec<StageRound>,
    /// By node: its duration, seconds.
    takes: Vec<f64>,
    /// By stage: seconds of a round's work.
    work: Vec<f64>,
    /// By node: its end, less the rounds before it at the assumed cycle time.
    potentials: Vec<f64>,
    /// By node: the wait that set its potential.
    decisive: Vec<Option<Wait>>,
    /// By node: the search that reached it.
    seen: Vec<u32>,
}

impl Round {
    /// Seconds per round of `round` micro-batches in each direction, given the steps' costs and the ends of a run that
    /// has reached steady state.
    pub(super) fn cycle_time(
        &mut self,
        dependencies: &Dependencies,
        round: u32,
        costs: &[f64],
        ends: &[f64],
        hop: f64,
    ) -> f64 {
        self.prepare(dependencies, round);
        self.takes.clear();
        let step = |node: &RoundStep| dependencies.steps.get(node.step as usize);
        self.takes.extend(self.nodes.iter().map(|node| step(node).map_or(0.0, |step| step.takes(costs))));
        self.work.clear();
        self.work.resize(self.lanes.len(), 0.0);
        for (node, takes) in self.nodes.iter().zip(&self.takes) {
            if let Some(work) = self.work.get_mut(node.lane as usize) {
                *work += takes;
            }
        }
        let mut cycle_time = self.work.iter().copied().fold(0.0, f64::max);
        for _ in 0..MOST_SEARCHES {
            self.potentials.clear();
            let end = |node: &RoundStep| index::element(ends, node.step as usize + 1);
            self.potentials.extend(self.nodes.iter().map(end));
            match self.slower_cycle(cycle_time, hop) {
                Some(slower) if cycle_time.is_finite() && slower > cycle_time => cycle_time = slower,
                _ => break,
            }
        }
        cycle_time
    }

    /// Cycle time of some cycle slower than `cycle_time`, if any: Bellman and Ford's search for longest paths, which
    /// terminates unless there is one.
    fn slower_cycle(&mut self, cycle_time: f64, hop: f64) -> Option<f64> {
        self.decisive.clear();
        self.decisive.resize(self.nodes.len(), None);
        let least = ROUNDING * cycle_time;
        for _ in 0..=self.nodes.len() {
            let mut changed = false;
            for (place, node) in self.nodes.iter().enumerate() {
                let takes = *self.takes.get(place)?;
                let mut latest = *self.potentials.get(place)? + least;
                let mut decisive = None;
                for wait in node.waits.iter().flatten() {
                    let arrival =
                        self.potentials.get(wait.on as usize)? + if wait.travels { hop } else { 0.0 };
                    let end = arrival + takes - cycle_time * wait.rounds;
                    if end > latest {
                        (latest, decisive) = (end, Some(*wait));
                    }
                }
                if decisive.is_some() {
                    changed = true;
                    *self.potentials.get_mut(place)? = latest;
                    *self.decisive.get_mut(place)? = decisive;
                }
            }
            if !changed {
                return None;
            }
            if let Some(cycle) = self.decisive_cycle(hop) {
                return Some(cycle);
            }
        }
        None
    }

    /// Cycle time of a cycle of decisive waits, if there is one.
    fn decisive_cycle(&mut self, hop: f64) -> Option<f64> {
        self.seen.clear();
        self.seen.resize(self.nodes.len(), 0);
        for start in 0..self.nodes.len() {
            let search = start as u32 + 1;
            let mut at = start;
            while let (Some(wait), Some(0)) = (self.decisive.get(at)?, self.seen.get(at)) {
                *self.seen.get_mut(at)? = search;
                at = wait.on as usize;
            }
            if self.decisive.get(at)?.is_none() || *self.seen.get(at)? != search {
                continue;
            }
            let (mut seconds, mut rounds, mut on) = (0.0, 0.0, at);
            loop {
                let wait = (*self.decisive.get(on)?)?;
                seconds += self.takes.get(on)? + if wait.travels { hop } else { 0.0 };
                rounds += wait.rounds;
                on = wait.on as usize;
                if on == at {
                    break;
                }
            }
            return (rounds > 0.0).then(|| seconds / rounds);
        }
        None
    }

    /// Finds the round in a pipeline's dependencies.
    fn prepare(&mut self, dependencies: &Dependencies, round: u32) {
        let Some(key) = dependencies.key.filter(|key| self.key != Some(*key)) else { return };
        self.key = Some(key);
        self.collect(dependencies, &key, round);
        for place in 0..self.nodes.len() {
            let waits = self.needs(dependencies, &key, place, round);
            if let (Some(node), Some(waits)) = (self.nodes.get_mut(place), waits) {
                let [_, first, second] = &mut node.waits;
                [*first, *second] = waits;
            }
        }
    }

    /// Collects every stage's steps from one forward pass of its first chunk to the same pass one round later.
    fn collect(&mut self, dependencies: &Dependencies, key: &PassKey, round: u32) {
        let placement = &key.placement;
        let numbers = placement.numbers();
        let each_way = key.micro_batches / (numbers / placement.chunks.max(1)).max(1);
        // The last whole round that starts with a forward pass.
        let begins = each_way.saturating_sub(2 * round);
        self.nodes.clear();
        self.results.clear();
        self.results.resize((2 * numbers * round) as usize, None);
        self.lanes.clear();
        self.lanes.resize(placement.stages as usize, StageRound::default());
        for (step, actions) in (0..).zip(dependencies.steps.iter().map(|step| dependencies.passes(step))) {
            let Some(first) = actions.first() else { continue };
            let Some(lane) = self.lanes.get_mut(placement.stage(first.chunk) as usize) else { continue };
            let chunk = *lane.chunk.get_or_insert(first.chunk);
            let forward = matches!(first.task, ChunkTask::Forward | ChunkTask::ForwardPaired);
            if forward && first.chunk == chunk {
                lane.within = (begins..begins + round).contains(&first.micro_batch);
            }
            if !lane.within {
                continue;
            }
            let node = self.nodes.len() as u32;
            let before = lane.last.map(|on| Wait { on, rounds: 0.0, travels: false });
            lane.first = lane.first.or(Some(node));
            lane.last = Some(node);
            self.nodes.push(RoundStep {
                step,
                lane: placement.stage(first.chunk),
                waits: [before, None, None],
            });
            for action in actions {
                let result = in_round(action, numbers, round).and_then(|place| self.results.get_mut(place));
                if let Some(result) = result {
                    *result = Some((node, action.micro_batch));
                }
            }
        }
        for lane in &self.lanes {
            let first = lane.first.and_then(|first| self.nodes.get_mut(first as usize));
            if let (Some(first), Some(on)) = (first, lane.last) {
                first.waits[0] = Some(Wait { on, rounds: 1.0, travels: false });
            }
        }
    }

    /// Dependencies of a node's passes outside their stage.
    fn needs(
        &self,
        dependencies: &Dependencies,
        key: &PassKey,
        place: usize,
        round: u32,
    ) -> Option<[Option<Wait>; 2]> {
        let step = dependencies.steps.get(self.nodes.get(place)?.step as usize)?;
        let mut waits = [None; 2];
        for (wait, action) in waits.iter_mut().zip(dependencies.passes(step)) {
            let Some((result, travels)) = needed(&key.placement, action) else { continue };
            let (on, micro_batch) =
                (*self.results.get(in_round(&result, key.placement.numbers(), round)?)?)?;
            let rounds = (f64::from(micro_batch) - f64::from(action.micro_batch)) / f64::from(round.max(1));
            *wait = Some(Wait { on, rounds, travels });
        }
        Some(waits)
    }
}

/// Index of a pass's result among those of a round.
fn in_round(action: &ChunkPass, numbers: u32, round: u32) -> Option<usize> {
    let micro_batch = action.micro_batch % round.max(1);
    ChunkPass { micro_batch, ..*action }.result(numbers, round)
}
