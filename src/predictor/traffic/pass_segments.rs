//! Segments of one pass of a stage, in order: kernels, and the collectives between them.

use crate::cost::{Collective, Rates, Work};
use crate::step::{Call, Parallelism, Pass, Place, Program};

/// Activity of a rank in one part of a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PassSegment {
    /// The communication; nothing for kernels.
    pub(super) kind: Option<Parallelism>,
    /// Seconds, from the cost model.
    pub(super) seconds: f64,
    /// Bytes this rank sends on the wire.
    pub(super) bytes: f64,
}

/// Segments of the passes of one chunk of a stage, or of one visit to a place.
#[derive(Debug, Clone, Default)]
pub(super) struct PassSegments {
    pub(super) forward: Vec<PassSegment>,
    pub(super) backward: Vec<PassSegment>,
    /// Weight gradients, if the schedule separates them from the backward pass.
    pub(super) weights: Vec<PassSegment>,
}

/// The program of a stage, and the rates of its calls.
pub(super) struct StagePasses<'a> {
    pub(super) program: Program<'a>,
    pub(super) rates: Rates<'a>,
    pub(super) stage: u32,
}

impl StagePasses<'_> {
    /// Segments of a chunk of the model: its places in order forward, in reverse backward.
    pub(super) fn chunk(&self, chunk: u32) -> PassSegments {
        let visits = self.program.chunk_visits(chunk);
        let visited: Vec<(PassSegments, usize)> =
            visits.places().map(|(place, visits)| (self.place(place), visits.round() as usize)).collect();
        let mut chunk = PassSegments::default();
        for (passes, visits) in &visited {
            for _ in 0..*visits {
                chunk.forward.extend(&passes.forward);
            }
        }
        for (passes, visits) in visited.iter().rev() {
            for _ in 0..*visits {
                chunk.backward.extend(&passes.backward);
                chunk.weights.extend(&passes.weights);
            }
        }
        chunk
    }

    /// What the stage sends after its last backward pass, before and after the optimizer's update.
    pub(super) fn step_end(&self) -> (Vec<PassSegment>, Vec<PassSegment>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.program.step_end(self.stage, &mut |call| {
            if call.communication.is_some() {
                let gathers = matches!(call.work, Work::Collective { kind: Collective::AllGather, .. });
                let segment = self.segment(&call);
                let all = PassSegment {
                    seconds: segment.seconds * call.times,
                    bytes: segment.bytes * call.times,
                    ..segment
                };
                if gathers { after.push(all) } else { before.push(all) }
            }
        });
        (before, after)
    }

    /// One transfer to a neighbouring stage; nothing without a pipeline.
    pub(super) fn hop(&self) -> PassSegment {
        let mut hop = PassSegment { kind: None, seconds: 0.0, bytes: 0.0 };
        self.program.calls(Place::StageBoundary, &mut |call| hop = self.segment(&call));
        hop
    }

    fn segment(&self, call: &Call) -> PassSegment {
        let price = self.rates.price(&call.work);
        let kind = call.communication.map(|message| message.parallelism);
        let sent = if call.work.communication().is_some() { price.bytes.0 } else { 0.0 };
        PassSegment { kind, seconds: price.time.0, bytes: sent }
    }

    /// One visit to a place: forward in call order, backward in reverse, after recomputation.
    fn place(&self, place: Place) -> PassSegments {
        let mut passes = PassSegments::default();
        let mut again = Vec::new();
        let splits = self.program.scenario.plan.schedule.splits_backward();
        self.program.calls(place, &mut |call| {
            let list = match call.pass {
                Pass::Forward => &mut passes.forward,
                Pass::Recompute => &mut again,
                Pass::WeightGradient if splits => &mut passes.weights,
                _ => &mut passes.backward,
            };
            let segment = self.segment(&call);
            list.extend((0..call.times.round() as usize).map(|_| segment));
        });
        passes.backward.reverse();
        again.append(&mut passes.backward);
        passes.backward = again;
        passes
    }
}

/// Merges neighbouring segments of the same kind, and drops empty ones.
pub(super) fn joined(segments: &[PassSegment]) -> Vec<PassSegment> {
    let mut joined: Vec<PassSegment> = Vec::with_capacity(segments.len());
    for segment in segments.iter().filter(|segment| segment.seconds > 0.0) {
        match joined.last_mut() {
            Some(last) if last.kind.is_none() && segment.kind.is_none() => last.seconds += segment.seconds,
            _ => joined.push(*segment),
        }
    }
    joined
}

/// One segment per kind: a pass that has too many to draw.
pub(super) fn summed(segments: &[PassSegment]) -> Vec<PassSegment> {
    [None]
        .into_iter()
        .chain(Parallelism::ALL.map(Some))
        .filter_map(|kind| {
            let of_kind = || segments.iter().filter(|segment| segment.kind == kind);
            let seconds: f64 = of_kind().map(|segment| segment.seconds).sum();
            (seconds > 0.0).then(|| PassSegment {
                kind,
                seconds,
                bytes: of_kind().map(|segment| segment.bytes).sum(),
            })
        })
        .collect()
}
