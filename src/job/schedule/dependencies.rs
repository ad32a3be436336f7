//! A schedule's passes in topological order, and their end times.
//!
//! Dependencies do not depend on times: they are computed once for a schedule, its stages and micro-batches, and run
//! with the times of many layouts, in one sweep over flat arrays.

use super::description::Description;
use super::placement::{ChunkPass, ChunkTask, Placement};
use super::{Schedule, StageTime};
use crate::index;

/// Index of "no dependency" among the ends: time 0.
const NOTHING: u32 = 0;

/// Key of the dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PassKey {
    pub(super) schedule: Schedule,
    pub(super) placement: Placement,
    pub(super) micro_batches: u32,
}

/// One pass, or a forward-backward pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScheduleStep {
    /// The stage's previous step: index among the ends.
    previous: u32,
    /// The results it waits for: twice the index among the ends, plus one if they are sent between stages.
    needs: [u32; 2],
    /// Index of its time among the costs.
    cost: u32,
    /// Index of its (first) pass among the actions.
    at: u32,
}

/// The steps of all stages.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependencies {
    pub(super) key: Option<PassKey>,
    /// Passes of all stages, stage by stage.
    pub(super) actions: Vec<ChunkPass>,
    /// Start of each stage's passes among the actions, and the end of the last.
    bounds: Vec<usize>,
    /// In topological order.
    pub(super) steps: Vec<ScheduleStep>,
    /// Indices of each stage's first and last step among the ends.
    extent: Vec<(u32, u32)>,
    /// By number of the chunk of a forward pass: the chunk of the backward pass paired with it.
    partners: Vec<u32>,
    /// By result (forward or backward, chunk, micro-batch): index of its end; [`NOTHING`] until it has one.
    results: Vec<u32>,
    cursors: Vec<usize>,
    pending: Vec<u32>,
}

impl Dependencies {
    /// Computes the dependencies of `key`, which the schedule can run; does nothing if they are current.
    pub(super) fn prepare(&mut self, key: PassKey) {
        if self.key == Some(key) {
            return;
        }
        self.key = Some(key);
        let PassKey { schedule, placement, micro_batches } = key;
        let numbers = placement.numbers() as usize;
        self.write_orders(schedule.row(), &placement, micro_batches);
        self.steps.clear();
        self.extent.clear();
        self.extent.resize(placement.stages as usize, (NOTHING, NOTHING));
        self.partners.clear();
        self.partners.resize(numbers, 0);
        self.results.clear();
        self.results.resize(2 * numbers * micro_batches as usize, NOTHING);
        self.pending.clear();
        self.pending.extend((0..placement.stages).rev());
        // Every stage runs as far as its inputs allow, and then wakes its neighbours.
        while let Some(stage) = self.pending.pop() {
            let mut moved = false;
            while self.advance(&placement, micro_batches, stage).is_some() {
                moved = true;
            }
            if moved {
                self.pending.push((stage + placement.stages - 1) % placement.stages);
                self.pending.push((stage + 1) % placement.stages);
            }
        }
    }

    /// The one or two passes of a step.
    pub(super) fn passes(&self, step: &ScheduleStep) -> &[ChunkPass] {
        let rest = index::part(&self.actions, step.at as usize..);
        let pair = rest.first().is_some_and(|first| first.task == ChunkTask::ForwardPaired);
        index::part(rest, ..1 + usize::from(pair))
    }

    fn write_orders(&mut self, row: &Description, placement: &Placement, micro_batches: u32) {
        self.actions.clear();
        self.bounds.clear();
        self.cursors.clear();
        for stage in 0..placement.stages {
            self.bounds.push(self.actions.len());
            self.cursors.push(self.actions.len());
            (row.order)(placement, micro_batches, stage, &mut self.actions);
        }
        self.bounds.push(self.actions.len());
    }

    /// Appends the next step of `stage`; nothing if an input is not yet computed, or at the end.
    fn advance(&mut self, placement: &Placement, micro_batches: u32, stage: u32) -> Option<()> {
        let at = *self.cursors.get(stage as usize)?;
        let end = *self.bounds.get(stage as usize + 1)?;
        let actions = self.actions.get(at..end)?;
        let first = *actions.first()?;
        let mut needs = [self.need(placement, micro_batches, &first)?, NOTHING];
        let mut last = first;
        if first.task == ChunkTask::ForwardPaired {
            last = *actions.get(1)?;
            needs[1] = self.need(placement, micro_batches, &last)?;
            *self.partners.get_mut(first.chunk as usize)? = last.chunk;
        }
        let numbers = placement.numbers();
        let extent = self.extent.get_mut(stage as usize)?;
        let cost = first.task as u32 * numbers + first.chunk;
        self.steps.push(ScheduleStep { previous: extent.1, needs, cost, at: at as u32 });
        let place = self.steps.len() as u32;
        *extent = (if extent.0 == NOTHING { place } else { extent.0 }, place);
        let pair = first.task == ChunkTask::ForwardPaired;
        for action in [first, last].into_iter().take(1 + usize::from(pair)) {
            if let Some(result) = action.result(numbers, micro_batches) {
                *self.results.get_mut(result)? = place;
            }
        }
        *self.cursors.get_mut(stage as usize)? += 1 + usize::from(pair);
        Some(())
    }

    /// The dependency of a pass, in the format of [`ScheduleStep::needs`]; nothing if it is not yet computed.
    fn need(&self, placement: &Placement, micro_batches: u32, action: &ChunkPass) -> Option<u32> {
        let (result, travels) = match needed(placement, action) {
            Some((result, travels)) => (result.result(placement.numbers(), micro_batches)?, travels),
            None => return Some(NOTHING),
        };
        let place = self.results.get(result).copied().filter(|place| *place != NOTHING)?;
        Some(2 * place + u32::from(travels))
    }

    /// Seconds of every kind of step, indexed as in [`ScheduleStep::cost`].
    pub(super) fn price(&self, chunks: &[StageTime], costs: &mut Vec<f64>) {
        costs.clear();
        let Some(PassKey { placement, .. }) = self.key else { return };
        let time = |number: u32| index::element(chunks, placement.place(number) as usize).sane();
        for task in ChunkTask::ALL {
            costs.extend((0..placement.numbers()).map(|number| {
                let partner = index::element(&self.partners, number as usize);
                task.duration(time(number), time(partner))
            }));
        }
    }

    /// End times of all steps, after a 0 for [`NOTHING`], from seconds per step and per transfer.
    pub(super) fn run(&self, costs: &[f64], hop: f64, ends: &mut Vec<f64>) {
        ends.clear();
        ends.reserve(self.steps.len() + 1);
        ends.push(0.0);
        for step in &self.steps {
            let end = step.start(ends, hop) + step.takes(costs);
            ends.push(end);
        }
    }

    /// From the start to the last end, and the longest span from a stage's first start to its last end.
    pub(super) fn extremes(&self, ends: &[f64], hop: f64) -> (f64, f64) {
        let (mut makespan, mut span) = (0.0_f64, 0.0_f64);
        for &(first, last) in &self.extent {
            let end = index::element(ends, last as usize);
            let step = (first as usize).checked_sub(1).and_then(|place| self.steps.get(place));
            let start = step.map_or(0.0, |step| step.start(ends, hop));
            makespan = makespan.max(end);
            span = span.max(end - start);
        }
        (makespan, span)
    }
}

impl ScheduleStep {
    /// Time when its stage is free and its inputs have arrived.
    pub(super) fn start(&self, ends: &[f64], hop: f64) -> f64 {
        let end = |place: u32| index::element(ends, place as usize);
        let arrival = |need: u32| end(need >> 1) + if need & 1 == 1 { hop } else { 0.0 };
        let [first, second] = self.needs;
        end(self.previous).max(arrival(first)).max(arrival(second))
    }

    /// Its duration, seconds.
    pub(super) fn takes(&self, costs: &[f64]) -> f64 {
        index::element(costs, self.cost as usize)
    }
}

/// The pass whose result a pass needs, and whether that is sent between stages; none if it only follows its stage's own
/// order, since a chunk's weight gradients always run after its input gradients.
pub(super) fn needed(placement: &Placement, action: &ChunkPass) -> Option<(ChunkPass, bool)> {
    let of = |task, chunk| {
        let travels = placement.stage(chunk) != placement.stage(action.chunk);
        (ChunkPass { task, chunk, ..*action }, travels)
    };
    match action.task {
        ChunkTask::Forward | ChunkTask::ForwardPaired => {
            placement.before(action.chunk).map(|chunk| of(ChunkTask::Forward, chunk))
        }
        ChunkTask::Backward | ChunkTask::InputGradient => Some(match placement.after(action.chunk) {
            Some(chunk) => of(ChunkTask::Backward, chunk),
            None => of(ChunkTask::Forward, action.chunk),
        }),
        ChunkTask::WeightGradient => None,
    }
}
