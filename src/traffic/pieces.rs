//! What one pass of a stage is made of, in order: kernels, and the collectives between them.

use super::Kind;
use crate::constants::Constants;
use crate::cost::{Collective, Group, Rates, Work};
use crate::scenario::Scenario;
use crate::scenario::plan::stages::{StageParameters, chunk_expert_layers, chunk_layers, stage_parameters};
use crate::scenario::plan::{Recompute, Zero};
use crate::step::Pass;
use crate::step::{Groups, Operator, Role, Shapes, Traffic, embedding, expert_layer, head, layer};

/// A stretch of a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    /// What is on the links; nothing while kernels run.
    pub(super) kind: Option<Kind>,
    /// Seconds, as the cost model prices it.
    pub(super) seconds: f64,
    /// Bytes this rank sends on the wire.
    pub(super) bytes: f64,
}

/// Pieces of the passes of one chunk of a stage.
#[derive(Debug, Clone, Default)]
pub(super) struct Passes {
    pub(super) forward: Vec<Piece>,
    pub(super) backward: Vec<Piece>,
    /// Weight gradients, where the schedule runs them apart from the backward pass.
    pub(super) weights: Vec<Piece>,
}

/// What pieces are priced with.
pub(super) struct Pricing<'a> {
    scenario: &'a Scenario,
    constants: Constants,
    rates: Rates<'static>,
    shapes: Shapes,
    groups: Groups,
    parameters: StageParameters,
    stage: u32,
}

impl<'a> Pricing<'a> {
    pub(super) fn new(scenario: &'a Scenario, stage: u32) -> Self {
        let constants = Constants::SHIPPED;
        Self {
            scenario,
            constants,
            rates: Rates::new(scenario, &constants),
            shapes: Shapes::new(scenario),
            groups: Groups::new(scenario),
            parameters: stage_parameters(&scenario.model, &scenario.plan, stage),
            stage,
        }
    }

    /// Pieces of a chunk of the model; the first holds the embedding, the last the head. Its layers of experts
    /// come first.
    pub(super) fn chunk(&self, chunk: u32) -> Passes {
        let plan = &self.scenario.plan;
        let layers = chunk_layers(self.scenario.model.layers, plan, chunk);
        let of_experts = u64::from(chunk_expert_layers(&self.scenario.model, plan, chunk));
        let (first, last) = (chunk == 0, chunk + 1 == plan.chunks());
        let (layer, expert_layer) = (self.layer(false), self.layer(true));
        let (embedding, head) = (self.end(true), self.end(false));
        let mut chunk = Passes::default();
        if first {
            chunk.forward.extend(&embedding.forward);
        }
        if last {
            chunk.backward.extend(&head.backward);
            chunk.weights.extend(&head.weights);
        }
        for index in 0..u64::from(layers) {
            let layer = if index < of_experts { &expert_layer } else { &layer };
            chunk.forward.extend(&layer.forward);
            chunk.backward.extend(&layer.backward);
            chunk.weights.extend(&layer.weights);
        }
        if last {
            chunk.forward.extend(&head.forward);
        }
        if first {
            chunk.backward.extend(&embedding.backward);
        }
        chunk
    }

    /// What the stage sends after its last backward pass, before and after the optimizer's update.
    pub(super) fn step_end(&self) -> (Vec<Piece>, Vec<Piece>) {
        let profile = self.scenario.software.profile();
        let width = profile.reduce_bytes;
        let data = |kind, bytes, group| self.collective(Kind::DataParallel, kind, bytes, group);
        let held = [
            (self.parameters.shared(), self.groups.data),
            (self.parameters.experts(), self.groups.expert_data),
        ];
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let copies = f64::from(self.scenario.plan.copies());
        if copies > 1.0 {
            let across = |kind, bytes| data(kind, bytes, self.groups.ends);
            let total = self.parameters.total();
            if self.scenario.plan.zero == Zero::None {
                before.push(across(Collective::AllReduce, width * total));
            } else {
                before.push(across(Collective::ReduceScatter, width * total));
                after.push(across(Collective::AllGather, 2.0 * total));
            }
        }
        match self.scenario.plan.zero {
            Zero::None => {
                before.extend(held.map(|(count, group)| data(Collective::AllReduce, width * count, group)));
            }
            Zero::Optimizer | Zero::Gradients => {
                before.extend(
                    held.map(|(count, group)| data(Collective::ReduceScatter, width * count / copies, group)),
                );
                let gathers =
                    held.map(|(count, group)| data(Collective::AllGather, 2.0 * count / copies, group));
                after.splice(0..0, gathers);
            }
            Zero::Hybrid => {
                let shard = width * self.parameters.total() / self.groups.shard.size.max(1.0);
                before.push(data(Collective::AllReduce, shard, self.groups.replicas));
            }
            Zero::Parameters => {}
        }
        let stages = self.scenario.plan.pipeline_parallel;
        let (first, last) = self.scenario.plan.ends(self.stage);
        if stages > 1 && first != last && profile.embedding_sync && self.scenario.model.tied_embeddings {
            let table = self.shapes.vocabulary * self.shapes.hidden * profile.reduce_bytes;
            before.push(self.collective(Kind::EmbeddingSync, Collective::AllReduce, table, self.groups.ends));
        }
        (before, after)
    }

    /// One transfer to a neighbouring stage.
    pub(super) fn hop(&self) -> Piece {
        let plan = &self.scenario.plan;
        let split = plan.sequence_parallel || !self.scenario.software.profile().sends_whole_activations;
        let share = if split { f64::from(plan.tensor_parallel.max(1)) } else { 1.0 };
        let bytes = self.shapes.residual_bytes() / share;
        self.collective(Kind::PipelineParallel, Collective::PointToPoint, bytes, self.groups.pipeline)
    }

    fn collective(&self, axis: Kind, kind: Collective, bytes: f64, group: Group) -> Piece {
        let price = self.rates.price(&Work::Collective { kind, bytes, group });
        Piece { kind: Some(axis), seconds: price.time.0, bytes: price.bytes.0 }
    }

    fn piece(&self, operator: &Operator) -> Piece {
        let price = self.rates.price(&operator.work);
        let kind = match operator.role {
            Role::TensorCommunication => Some(Kind::TensorParallel),
            Role::ExpertCommunication => Some(Kind::ExpertParallel),
            Role::Kernel | Role::AttentionCore => None,
        };
        let bytes = if kind.is_some() { price.bytes.0 } else { 0.0 };
        Piece { kind, seconds: price.time.0, bytes }
    }

    /// Where an operator's pieces belong.
    fn list<'p>(&self, passes: &'p mut Passes, pass: Pass) -> &'p mut Vec<Piece> {
        match pass {
            Pass::Forward => &mut passes.forward,
            Pass::WeightGradient if self.scenario.plan.schedule.splits_backward() => &mut passes.weights,
            _ => &mut passes.backward,
        }
    }

    /// One layer: forward in the operators' order, backward in the reverse, after what is recomputed.
    fn layer(&self, of_experts: bool) -> Passes {
        let mut passes = Passes::default();
        let traffic = Traffic::new(self.scenario, &self.constants);
        let exchange = self.exchange();
        let mut visit = |operator: Operator| {
            let forward = operator.pass == Pass::Forward;
            let list = self.list(&mut passes, operator.pass);
            if operator.role == Role::AttentionCore {
                let times = if forward { 1 } else { 2 };
                list.extend(exchange.iter().flat_map(|piece| (0..times).map(move |_| *piece)));
            }
            list.push(self.piece(&operator));
        };
        if of_experts {
            expert_layer(self.scenario, &self.shapes, &traffic, &self.groups.of_experts(), &mut visit);
        } else {
            layer(self.scenario, &self.shapes, &traffic, &self.groups.tensor, &mut visit);
        }
        passes.backward.reverse();
        if self.scenario.plan.recompute == Recompute::Full {
            passes.backward = [passes.forward.clone(), passes.backward].concat();
        }
        let parameters = if of_experts {
            self.parameters.per_expert_layer + self.parameters.experts_per_layer
        } else {
            self.parameters.per_layer
        };
        self.shard(&mut passes, parameters, true);
        passes
    }

    /// Keys and values once around the context-parallel ring.
    fn exchange(&self) -> Option<Piece> {
        let steps = f64::from(self.scenario.plan.context_parallel.max(1)) - 1.0;
        let bytes = 2.0 * self.shapes.key_values * self.shapes.tokens;
        let one =
            self.collective(Kind::ContextParallel, Collective::PointToPoint, bytes, self.groups.context);
        (steps > 0.0).then_some(Piece { seconds: one.seconds * steps, bytes: one.bytes * steps, ..one })
    }

    /// The embedding (or the head), where the stage holds it.
    fn end(&self, first: bool) -> Passes {
        let mut passes = Passes::default();
        let mut keep = |operator: Operator| {
            self.list(&mut passes, operator.pass).push(self.piece(&operator));
        };
        let parameters = if first {
            embedding(self.scenario, &self.shapes, &self.groups.tensor, &mut keep);
            self.parameters.embedding
        } else {
            head(self.scenario, &self.shapes, &self.constants, &self.groups.tensor, &mut keep);
            self.parameters.head
        };
        passes.backward.reverse();
        self.shard(&mut passes, parameters, false);
        passes
    }

    /// Gathers and scatters of sharded parameters, before and after the pass that needs them.
    fn shard(&self, passes: &mut Passes, parameters: f64, gathers_again: bool) {
        if !matches!(self.scenario.plan.zero, Zero::Parameters | Zero::Hybrid) || parameters <= 0.0 {
            return;
        }
        let reduce = self.scenario.software.profile().reduce_bytes;
        let data = |kind, bytes| self.collective(Kind::DataParallel, kind, bytes, self.groups.shard);
        let software = &self.scenario.software;
        // The ends stay in 16 bits.
        let width = if gathers_again { software.gather_bytes(self.scenario.workload.precision) } else { 2.0 };
        let gather = data(Collective::AllGather, width * parameters);
        passes.forward.insert(0, gather);
        if gathers_again {
            passes.backward.insert(0, gather);
        }
        passes.backward.push(data(Collective::ReduceScatter, reduce * parameters));
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
        .chain(Kind::ALL.map(Some))
        .filter_map(|kind| {
            let of_kind = || pieces.iter().filter(|piece| piece.kind == kind);
            let seconds: f64 = of_kind().map(|piece| piece.seconds).sum();
            (seconds > 0.0).then(|| Piece { kind, seconds, bytes: of_kind().map(|piece| piece.bytes).sum() })
        })
        .collect()
}
