//! Exact event simulation of a schedule.

use super::placement::{Action, Placement, Work};
use super::{Pipeline, Schedule, StageTime};
use crate::error::FieldError;
use crate::units::Seconds;
use serde::Serialize;

/// Most passes (forward and backward, over chunks and micro-batches) one simulation replays.
pub const MAX_PASSES: u64 = 4_000_000;

/// What a pass computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// Forward.
    Forward,
    /// Backward: input and weight gradients.
    Backward,
    /// Backward with respect to the input alone.
    InputGradient,
    /// Backward with respect to the weights alone.
    WeightGradient,
}

/// One pass of one micro-batch through one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Event {
    /// Stage, from 0.
    pub stage: u32,
    /// Which of the stage's chunks, from 0.
    pub virtual_stage: u32,
    /// Place of the chunk in the model, from 0.
    pub chunk: u32,
    /// Micro-batch, from 0. Where micro-batches enter at both ends of the pipeline, those of the second end
    /// are counted on.
    pub micro_batch: u32,
    /// What is computed.
    pub pass: Pass,
    /// Stage that waits for the result; none where nothing leaves the stage.
    pub next: Option<u32>,
    /// When it begins.
    pub start: Seconds,
    /// When it ends.
    pub end: Seconds,
}

/// A replayed schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    /// From the first pass's start to the last pass's end.
    pub makespan: Seconds,
    /// The longest that a stage takes from its first pass's start to its last pass's end: what a step takes
    /// where stages do not wait for each other at its end.
    pub span: Seconds,
    /// Time each stage computes.
    pub busy: Vec<Seconds>,
    /// Every pass, by stage and then in the order it runs there; empty unless asked for.
    pub events: Vec<Event>,
}

impl Timeline {
    /// Time of the pipeline under a schedule: the makespan, or the longest stage's span where the stages need
    /// not end together.
    pub fn duration(&self, schedule: Schedule) -> Seconds {
        if schedule.ends_unevenly() { self.span } else { self.makespan }
    }
}

impl Pipeline<'_> {
    /// Replays the schedule. A stage runs one pass at a time in the schedule's order. An activation or
    /// gradient reaches the next stage `hop` after the pass that made it; sending occupies nobody. A forward
    /// and a backward pass that run as one take both their times, less what they hide of each other, and
    /// hand on at the end. Takes time and memory linear in the passes.
    ///
    /// # Errors
    /// If there is no stage, the chunks do not divide among the stages, the schedule cannot run so many
    /// micro-batches on so many stages, or there are more than [`MAX_PASSES`] passes.
    pub fn simulate(&self, record: bool) -> Result<Timeline, FieldError> {
        let placement = self.check()?;
        Ok(Replay::new(self, placement, self.micro_batches, record).run())
    }

    /// Replays a part of the micro-batches, without events.
    pub(super) fn replay(&self, placement: Placement, micro_batches: u32) -> Timeline {
        Replay::new(self, placement, micro_batches, false).run()
    }

    pub(super) fn check(&self) -> Result<Placement, FieldError> {
        let per_stage = self.virtual_stages.max(1) as usize;
        let (chunks, stages) = (self.chunks.len(), self.stages());
        let refuse = |field, message| Err(FieldError::new(field, message));
        if stages == 0 || stages.saturating_mul(per_stage) != chunks {
            return refuse(
                "vpp",
                format!("{chunks} chunks cannot be dealt to stages in {per_stage} rounds each."),
            );
        }
        let (row, micro_batches) = (self.schedule.row(), self.micro_batches);
        if !row.virtual_stages.contains(&self.virtual_stages.max(1)) {
            return refuse(
                "vpp",
                format!("This schedule runs {} chunks on a stage.", row.virtual_stages.start()),
            );
        }
        if !stages.is_multiple_of(row.stages_multiple_of as usize) {
            let multiple = row.stages_multiple_of;
            return refuse(
                "pp",
                format!("{} needs stages in multiples of {multiple}, not {stages}.", row.label),
            );
        }
        let demand = (row.micro_batches)(stages as u32, self.virtual_stages.max(1));
        if !demand.is_met(micro_batches) {
            return refuse(
                "gb",
                format!(
                    "This schedule needs at least {} micro-batches on {stages} stages, in multiples of {}, not {micro_batches}.",
                    demand.least, demand.multiple_of
                ),
            );
        }
        let passes = 2_u64.saturating_mul(chunks as u64).saturating_mul(u64::from(micro_batches));
        if passes > MAX_PASSES {
            return refuse(
                "gb",
                format!(
                    "{micro_batches} micro-batches on {stages} stages make {passes} passes; a timeline shows at most {MAX_PASSES}."
                ),
            );
        }
        Ok(Placement { deal: row.deal, stages: stages as u32, chunks: chunks as u32 })
    }
}

/// State of a replay.
struct Replay<'a> {
    chunks: &'a [StageTime],
    placement: Placement,
    micro_batches: usize,
    hop: Seconds,
    record: bool,
    /// End of every forward pass by chunk number and micro-batch; undefined until it has run.
    forward_end: Vec<f64>,
    /// End of every backward pass, or of its input gradient.
    backward_end: Vec<f64>,
    lanes: Vec<Lane>,
}

/// One stage: its passes, how far it is, when it started and when it is free, and time computed.
struct Lane {
    actions: Vec<Action>,
    position: usize,
    start: Option<Seconds>,
    free: Seconds,
    busy: Seconds,
    events: Vec<Event>,
}

impl<'a> Replay<'a> {
    fn new(pipeline: &Pipeline<'a>, placement: Placement, micro_batches: u32, record: bool) -> Self {
        let cells = placement.numbers() as usize * micro_batches as usize;
        let actions = |stage| {
            let mut actions = Vec::new();
            (pipeline.schedule.row().order)(&placement, micro_batches, stage, &mut actions);
            actions
        };
        let lane = |stage| Lane {
            actions: actions(stage),
            position: 0,
            start: None,
            free: Seconds::ZERO,
            busy: Seconds::ZERO,
            events: Vec::new(),
        };
        Self {
            chunks: pipeline.chunks,
            placement,
            micro_batches: micro_batches as usize,
            hop: pipeline.hop.max(Seconds::ZERO),
            record,
            forward_end: vec![f64::NAN; cells],
            backward_end: vec![f64::NAN; cells],
            lanes: (0..placement.stages).map(lane).collect(),
        }
    }

    /// Lets every stage run as far as its inputs allow; a stage that has run wakes its neighbours.
    fn run(mut self) -> Timeline {
        let stages = self.placement.stages;
        let mut waiting: Vec<u32> = (0..stages).rev().collect();
        while let Some(stage) = waiting.pop() {
            if self.advance(stage) {
                waiting.push((stage + stages - 1) % stages);
                waiting.push((stage + 1) % stages);
            }
        }
        let mut timeline =
            Timeline { makespan: Seconds::ZERO, span: Seconds::ZERO, busy: Vec::new(), events: Vec::new() };
        for lane in &mut self.lanes {
            timeline.makespan = timeline.makespan.max(lane.free);
            timeline.span = timeline.span.max(lane.free - lane.start.unwrap_or_default());
            timeline.busy.push(lane.busy);
            timeline.events.append(&mut lane.events);
        }
        timeline
    }

    /// Runs the passes of `stage` whose inputs are there; whether any ran.
    fn advance(&mut self, stage: u32) -> bool {
        let mut moved = false;
        while let Some(ran) = self.next(stage) {
            let Some(lane) = self.lanes.get_mut(stage as usize) else { return moved };
            lane.position += ran.len();
            for (action, start, end) in ran.passes().into_iter().flatten() {
                let cell = action.chunk as usize * self.micro_batches + action.micro_batch as usize;
                let slot = match action.work {
                    Work::Forward | Work::ForwardPaired => self.forward_end.get_mut(cell),
                    Work::Backward | Work::InputGradient => self.backward_end.get_mut(cell),
                    Work::WeightGradient => None,
                };
                if let Some(slot) = slot {
                    *slot = ran.end.0;
                }
                lane.start = lane.start.or(Some(start));
                lane.free = end;
                lane.busy += end - start;
                if self.record {
                    lane.events.push(event(&self.placement, self.micro_batches, stage, action, start, end));
                }
            }
            moved = true;
        }
        moved
    }

    /// The next pass of `stage`, or the next two that run as one, if the inputs have been computed.
    fn next(&self, stage: u32) -> Option<Ran> {
        let lane = self.lanes.get(stage as usize)?;
        let first = *lane.actions.get(lane.position)?;
        let (mut ready, duration) = (self.ready(&first)?, self.duration(&first));
        let Work::ForwardPaired = first.work else {
            let start = lane.free.max(ready);
            return Some(Ran { first, turn: start + duration, second: None, start, end: start + duration });
        };
        let second = *lane.actions.get(lane.position + 1)?;
        ready = ready.max(self.ready(&second)?);
        let behind = self.duration(&second);
        let hidden = 0.5 * (self.time(&first).hideable + self.time(&second).hideable);
        let both = duration + behind;
        let total = both - hidden.min(both);
        let start = lane.free.max(ready);
        let share = if both.0 > 0.0 { duration / both } else { 0.0 };
        Some(Ran { first, turn: start + total * share, second: Some(second), start, end: start + total })
    }

    /// When a pass's inputs are on its stage; nothing while one is still to be computed.
    fn ready(&self, action: &Action) -> Option<Seconds> {
        let (placement, chunk) = (&self.placement, action.chunk);
        let ended = |ends: &[f64], number: u32| {
            let cell = number as usize * self.micro_batches + action.micro_batch as usize;
            ends.get(cell).copied().filter(|end| !end.is_nan()).map(Seconds)
        };
        let arrived = |ends, from: u32| {
            let travels = placement.stage(from) != placement.stage(chunk);
            ended(ends, from).map(|end| if travels { end + self.hop } else { end })
        };
        match action.work {
            Work::Forward | Work::ForwardPaired => match placement.before(chunk) {
                Some(before) => arrived(&self.forward_end, before),
                None => Some(Seconds::ZERO),
            },
            Work::Backward | Work::InputGradient => match placement.after(chunk) {
                Some(after) => arrived(&self.backward_end, after),
                None => ended(&self.forward_end, chunk),
            },
            Work::WeightGradient => Some(Seconds::ZERO),
        }
    }

    fn time(&self, action: &Action) -> StageTime {
        let place = self.placement.place(action.chunk) as usize;
        self.chunks.get(place).copied().unwrap_or_default().sane()
    }

    fn duration(&self, action: &Action) -> Seconds {
        let time = self.time(action);
        match action.work {
            Work::Forward | Work::ForwardPaired => time.forward,
            Work::Backward => time.backward,
            Work::InputGradient => time.input_gradient(),
            Work::WeightGradient => time.weight_gradient,
        }
    }
}

/// One pass, or two as one.
struct Ran {
    first: Action,
    second: Option<Action>,
    start: Seconds,
    /// Where the second is drawn to begin.
    turn: Seconds,
    end: Seconds,
}

impl Ran {
    fn len(&self) -> usize {
        1 + usize::from(self.second.is_some())
    }

    fn passes(&self) -> [Option<(Action, Seconds, Seconds)>; 2] {
        let second = self.second.map(|action| (action, self.turn, self.end));
        [Some((self.first, self.start, self.turn)), second]
    }
}

fn event(
    placement: &Placement,
    micro_batches: usize,
    stage: u32,
    action: Action,
    start: Seconds,
    end: Seconds,
) -> Event {
    let (pass, target) = match action.work {
        Work::Forward | Work::ForwardPaired => (Pass::Forward, placement.after(action.chunk)),
        Work::Backward => (Pass::Backward, placement.before(action.chunk)),
        Work::InputGradient => (Pass::InputGradient, placement.before(action.chunk)),
        Work::WeightGradient => (Pass::WeightGradient, None),
    };
    let far_end = action.chunk >= placement.chunks;
    Event {
        stage,
        virtual_stage: placement.slot(action.chunk),
        chunk: placement.place(action.chunk),
        micro_batch: action.micro_batch + if far_end { micro_batches as u32 / 2 } else { 0 },
        pass,
        next: target.map(|number| placement.stage(number)).filter(|next| *next != stage),
        start,
        end,
    }
}
