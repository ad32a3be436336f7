//! What one pass of a stage is made of, in order: kernels, and the collectives between them.

use crate::cost::{Collective, Rates, Work};
use crate::step::{Call, Parallelism, Pass, Place, Program};

/// A stretch of a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    /// What is on the links; nothing while kernels run.
    pub(super) kind: Option<Parallelism>,
    /// Seconds, as the cost model prices it.
    pub(super) seconds: f64,
    /// Bytes this rank sends on the wire.
    pub(super) bytes: f64,
}

/// Pieces of the passes of one chunk of a stage, or of one visit of a place.
#[derive(Debug, Clone, Default)]
pub(super) struct Passes {
    pub(super) forward: Vec<Piece>,
    pub(super) backward: Vec<Piece>,
    /// Weight gradients, where the schedule runs them apart from the backward pass.
    pub(super) weights: Vec<Piece>,
}

/// The program of a stage, and what its calls are priced with.
pub(super) struct Pieces<'a> {
    pub(super) program: Program<'a>,
    pub(super) rates: Rates<'a>,
    pub(super) stage: u32,
}

impl Pieces<'_> {
    /// Pieces of a chunk of the model: its places in order forward, in the reverse backward.
    pub(super) fn chunk(&self, chunk: u32) -> Passes {
        let places = self.program.chunk_visits(chunk).places();
        let visited = places.map(|(place, visits)| {
            let visits = visits.round() as usize;
            (if visits > 0 { self.place(place) } else { Passes::default() }, visits)
        });
        let mut chunk = Passes::default();
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
    pub(super) fn step_end(&self) -> (Vec<Piece>, Vec<Piece>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.program.step_end(self.stage, &mut |call| {
            if call.communication.is_some() {
                let gathers = matches!(call.work, Work::Collective { kind: Collective::AllGather, .. });
                let piece = self.piece(&call);
                let all =
                    Piece { seconds: piece.seconds * call.times, bytes: piece.bytes * call.times, ..piece };
                if gathers { after.push(all) } else { before.push(all) }
            }
        });
        (before, after)
    }

    /// One transfer to a neighbouring stage; nothing without a pipeline.
    pub(super) fn hop(&self) -> Piece {
        let mut hop = Piece { kind: None, seconds: 0.0, bytes: 0.0 };
        self.program.calls(Place::StageBoundary, &mut |call| hop = self.piece(&call));
        hop
    }

    fn piece(&self, call: &Call) -> Piece {
        let price = self.rates.price(&call.work);
        let kind = call.communication.map(|message| message.parallelism);
        Piece { kind, seconds: price.time.0, bytes: if kind.is_some() { price.bytes.0 } else { 0.0 } }
    }

    /// One visit of a place: forward in the calls' order, backward in the reverse, after what is run again.
    fn place(&self, place: Place) -> Passes {
        let mut passes = Passes::default();
        let mut again = Vec::new();
        let splits = self.program.scenario.plan.schedule.splits_backward();
        self.program.calls(place, &mut |call| {
            let list = match call.pass {
                Pass::Forward => &mut passes.forward,
                Pass::Recompute => &mut again,
                Pass::WeightGradient if splits => &mut passes.weights,
                _ => &mut passes.backward,
            };
            let piece = self.piece(&call);
            list.extend((0..call.times.round() as usize).map(|_| piece));
        });
        passes.backward.reverse();
        again.append(&mut passes.backward);
        passes.backward = again;
        passes
    }
}

/// Neighbouring pieces of the same kind as one, and pieces that take no time left out.
pub(super) fn joined(pieces: &[Piece]) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces.iter().filter(|piece| piece.seconds > 0.0) {
        match joined.last_mut() {
            Some(last) if last.kind.is_none() && piece.kind.is_none() => last.seconds += piece.seconds,
            _ => joined.push(*piece),
        }
    }
    joined
}

/// All pieces of a kind as one: what a pass amounts to when there are too many to draw.
pub(super) fn summed(pieces: &[Piece]) -> Vec<Piece> {
    [None]
        .into_iter()
        .chain(Parallelism::ALL.map(Some))
        .filter_map(|kind| {
            let of_kind = || pieces.iter().filter(|piece| piece.kind == kind);
            let seconds: f64 = of_kind().map(|piece| piece.seconds).sum();
            (seconds > 0.0).then(|| Piece { kind, seconds, bytes: of_kind().map(|piece| piece.bytes).sum() })
        })
        .collect()
}
