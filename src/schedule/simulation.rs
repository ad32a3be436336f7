//! Exact event simulation of 1F1B and interleaved 1F1B in Megatron's order.

use super::StageTime;
use crate::error::FieldError;
use crate::units::Seconds;
use serde::Serialize;

/// Most passes (forward and backward, over stages, virtual stages and micro-batches) one simulation replays.
pub const MAX_PASSES: u64 = 4_000_000;

/// Direction of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    /// Forward.
    Forward,
    /// Backward.
    Backward,
}

/// One pass of one micro-batch through one stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Event {
    /// Stage, from 0.
    pub stage: u32,
    /// Virtual stage on that stage, from 0.
    pub virtual_stage: u32,
    /// Micro-batch, from 0.
    pub micro_batch: u32,
    /// Direction.
    pub pass: Pass,
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
    /// Time each stage computes.
    pub busy: Vec<Seconds>,
    /// Every pass, by stage and then in the order it runs there; empty unless asked for.
    pub events: Vec<Event>,
}

/// Replays 1F1B (one virtual stage) or interleaved 1F1B over `chunks`, the times of all virtual stages in
/// model order: chunk k runs on stage k mod p, with p = `chunks.len() / virtual_stages`.
///
/// A stage runs one pass at a time, in Megatron's order: warm-up forwards, then one forward and one
/// backward in turn, then the remaining backwards. An activation or gradient reaches the next stage `hop`
/// after the pass that made it; sending occupies nobody. Takes time and memory linear in the passes.
///
/// # Errors
/// If there is no stage, the chunks do not divide among the stages, the micro-batches of an interleaved
/// schedule do not divide among the stages (Megatron refuses them), or there are more than [`MAX_PASSES`]
/// passes.
pub fn simulate(
    chunks: &[StageTime],
    virtual_stages: u32,
    micro_batches: u32,
    hop: Seconds,
    record: bool,
) -> Result<Timeline, FieldError> {
    let virtual_stages = virtual_stages.max(1) as usize;
    let stages = chunks.len() / virtual_stages;
    if stages == 0 || stages * virtual_stages != chunks.len() {
        return Err(FieldError::new(
            "vpp",
            format!("{} chunks cannot be dealt to stages in {virtual_stages} rounds each.", chunks.len()),
        ));
    }
    if virtual_stages > 1 && !(micro_batches as usize).is_multiple_of(stages) {
        return Err(FieldError::new(
            "gbs",
            format!(
                "{micro_batches} micro-batches cannot be interleaved on {stages} stages: their number must be a multiple of {stages}."
            ),
        ));
    }
    let passes = 2 * chunks.len() as u64 * u64::from(micro_batches);
    if passes > MAX_PASSES {
        return Err(FieldError::new(
            "gbs",
            format!(
                "{micro_batches} micro-batches on {stages} stages make {passes} passes; a timeline shows at most {MAX_PASSES}."
            ),
        ));
    }
    let order = Order {
        stages,
        virtual_stages,
        micro_batches: micro_batches as usize,
        interleaved: virtual_stages > 1,
    };
    let hop = if stages > 1 { hop.max(Seconds::ZERO) } else { Seconds::ZERO };
    Ok(Replay::new(chunks, order, hop, record).run())
}

/// The order in which stages run their passes.
#[derive(Clone, Copy)]
struct Order {
    stages: usize,
    virtual_stages: usize,
    micro_batches: usize,
    interleaved: bool,
}

impl Order {
    /// Forward passes of one stage.
    fn forwards(&self) -> usize {
        self.micro_batches * self.virtual_stages
    }

    /// Forward passes before the first backward pass's partner, as Megatron counts them.
    fn warm_up(&self, stage: usize) -> usize {
        let behind = self.stages - 1 - stage;
        let count =
            if self.interleaved { 2 * behind + (self.virtual_stages - 1) * self.stages } else { behind };
        count.min(self.forwards())
    }

    /// Direction, virtual stage and micro-batch of pass `position` on `stage`.
    fn pass(&self, stage: usize, position: usize) -> (Pass, usize, usize) {
        let (warm_up, forwards) = (self.warm_up(stage), self.forwards());
        let steady = position.saturating_sub(warm_up);
        let (pass, index) = if position < warm_up {
            (Pass::Forward, position)
        } else if steady < 2 * (forwards - warm_up) {
            let pair = steady / 2;
            if steady % 2 == 0 { (Pass::Forward, warm_up + pair) } else { (Pass::Backward, pair) }
        } else {
            (Pass::Backward, position - forwards)
        };
        let (chunk, micro_batch) = self.dealt(index);
        let chunk = if pass == Pass::Forward { chunk } else { self.virtual_stages - 1 - chunk };
        (pass, chunk, micro_batch)
    }

    /// Virtual stage and micro-batch of the index-th forward pass of a stage: p micro-batches through the
    /// first virtual stage, the same p through the second, and so on, then the next p.
    fn dealt(&self, index: usize) -> (usize, usize) {
        if !self.interleaved {
            return (0, index);
        }
        let group_passes = self.stages * self.virtual_stages;
        let (group, within) = (index / group_passes, index % group_passes);
        (within / self.stages, group * self.stages + within % self.stages)
    }
}

/// State of a replay.
struct Replay<'a> {
    chunks: &'a [StageTime],
    order: Order,
    hop: Seconds,
    record: bool,
    /// End of every forward pass by chunk and micro-batch; `None` until it has run.
    forward_end: Vec<Option<Seconds>>,
    /// End of every backward pass.
    backward_end: Vec<Option<Seconds>>,
    /// Per stage: position in its order, when it is free, time computed, passes run.
    lanes: Vec<Lane>,
}

#[derive(Clone, Default)]
struct Lane {
    position: usize,
    free: Seconds,
    busy: Seconds,
    events: Vec<Event>,
}

impl<'a> Replay<'a> {
    fn new(chunks: &'a [StageTime], order: Order, hop: Seconds, record: bool) -> Self {
        let cells = chunks.len() * order.micro_batches;
        Self {
            chunks,
            order,
            hop,
            record,
            forward_end: vec![None; cells],
            backward_end: vec![None; cells],
            lanes: vec![Lane::default(); order.stages],
        }
    }

    /// Lets every stage run as far as its inputs allow; a stage that has run wakes its neighbours.
    fn run(mut self) -> Timeline {
        let mut waiting: Vec<usize> = (0..self.order.stages).rev().collect();
        while let Some(stage) = waiting.pop() {
            if self.advance(stage) {
                let stages = self.order.stages;
                waiting.push((stage + stages - 1) % stages);
                waiting.push((stage + 1) % stages);
            }
        }
        let makespan = self.lanes.iter().map(|lane| lane.free).fold(Seconds::ZERO, Seconds::max);
        let busy = self.lanes.iter().map(|lane| lane.busy).collect();
        let events = self.lanes.into_iter().flat_map(|lane| lane.events).collect();
        Timeline { makespan, busy, events }
    }

    /// Runs the passes of `stage` whose inputs are there; whether any ran.
    fn advance(&mut self, stage: usize) -> bool {
        let mut moved = false;
        while let Some(event) = self.next(stage) {
            let chunk = event.virtual_stage as usize * self.order.stages + stage;
            let cell = chunk * self.order.micro_batches + event.micro_batch as usize;
            let ends = match event.pass {
                Pass::Forward => &mut self.forward_end,
                Pass::Backward => &mut self.backward_end,
            };
            if let Some(slot) = ends.get_mut(cell) {
                *slot = Some(event.end);
            }
            if let Some(lane) = self.lanes.get_mut(stage) {
                lane.position += 1;
                lane.free = event.end;
                lane.busy += event.end - event.start;
                if self.record {
                    lane.events.push(event);
                }
            }
            moved = true;
        }
        moved
    }

    /// The next pass of `stage`, if it has one and its input has been computed.
    fn next(&self, stage: usize) -> Option<Event> {
        let lane = self.lanes.get(stage)?;
        if lane.position >= 2 * self.order.forwards() {
            return None;
        }
        let (pass, virtual_stage, micro_batch) = self.order.pass(stage, lane.position);
        let chunk = virtual_stage * self.order.stages + stage;
        let end_of = |ends: &[Option<Seconds>], chunk: usize| {
            ends.get(chunk * self.order.micro_batches + micro_batch).copied().flatten()
        };
        let time = self.chunks.get(chunk)?.sane();
        let (ready, duration) = match pass {
            Pass::Forward if chunk == 0 => (Seconds::ZERO, time.forward),
            Pass::Forward => (end_of(&self.forward_end, chunk - 1)? + self.hop, time.forward),
            Pass::Backward if chunk + 1 == self.chunks.len() => {
                (end_of(&self.forward_end, chunk)?, time.backward)
            }
            Pass::Backward => (end_of(&self.backward_end, chunk + 1)? + self.hop, time.backward),
        };
        let start = lane.free.max(ready);
        Some(Event {
            stage: stage as u32,
            virtual_stage: virtual_stage as u32,
            micro_batch: micro_batch as u32,
            pass,
            start,
            end: start + duration,
        })
    }
}
