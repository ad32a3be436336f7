//! The messages of one pipeline stage, from the same operators and parameters as the forecast.

use super::layout::{Axis, Layout, Members};
use super::{Kind, Operation};
use crate::constants::Constants;
use crate::cost::{Collective, Work};
use crate::scenario::Scenario;
use crate::scenario::plan::stages::{StageParameters, stage_parameters};
use crate::scenario::plan::{Recompute, Zero};
use crate::step::Pass;
use crate::step::{Groups, Operator, Role, Shapes, Traffic, embedding, expert_layer, head, layer};

/// Equal messages of one step of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flow {
    pub(super) kind: Kind,
    pub(super) operation: Operation,
    /// Bytes of one message: the whole tensor of a collective.
    pub(super) bytes: u64,
    pub(super) path: Path,
}

/// Where messages go, and how often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Path {
    /// A collective of a group.
    Collective { group: Members, count: u64 },
    /// Sends around a group: to the successor, from the predecessor.
    Around { group: Members, count: u64 },
    /// Between neighbouring stages, which close to a ring where stages are interleaved.
    Stages { to_next: u64, to_previous: u64, from_next: u64, from_previous: u64 },
    /// A collective of a stage and the one across: of first and last.
    Across { count: u64 },
}

impl Path {
    /// Messages in the paper's convention: a collective once, a transfer at either end.
    pub(super) fn messages(&self) -> u64 {
        match *self {
            Self::Collective { count, .. } | Self::Across { count } => count,
            Self::Around { count, .. } => 2 * count,
            Self::Stages { to_next, to_previous, from_next, from_previous } => {
                to_next + to_previous + from_next + from_previous
            }
        }
    }
}

/// Collects flows; equal ones become one.
#[derive(Default)]
struct Flows(Vec<Flow>);

impl Flows {
    fn collective(&mut self, kind: Kind, operation: Operation, bytes: f64, group: Members, times: u64) {
        let bytes = bytes.round() as u64;
        if times == 0 || bytes == 0 || group.size() < 2 {
            return;
        }
        for flow in &mut self.0 {
            if let Path::Collective { group: other, count } = &mut flow.path
                && (flow.kind, flow.operation, flow.bytes, *other) == (kind, operation, bytes, group)
            {
                *count += times;
                return;
            }
        }
        self.0.push(Flow { kind, operation, bytes, path: Path::Collective { group, count: times } });
    }
}

/// Every flow of a rank of `stage`, in the order of [`Kind::ALL`].
pub(super) fn flows(scenario: &Scenario, layout: &Layout, stage: u32) -> Vec<Flow> {
    let plan = &scenario.plan;
    let parameters = stage_parameters(&scenario.model, plan, stage);
    let mut flows = Flows::default();
    tensor(scenario, layout, stage, &parameters, &mut flows);
    context(scenario, layout, &parameters, &mut flows);
    experts(scenario, layout, &parameters, &mut flows);
    pipeline(scenario, layout, stage, &mut flows);
    data(scenario, layout, &parameters, &mut flows);
    embedding_sync(scenario, layout, stage, &mut flows);
    flows.0
}

/// Times a layer's forward pass runs: twice when everything is recomputed.
fn forward_passes(scenario: &Scenario) -> u64 {
    if scenario.plan.recompute == Recompute::Full { 2 } else { 1 }
}

/// Micro-batches that pass through every chunk a stage holds.
fn micro_batches(scenario: &Scenario) -> u64 {
    u64::from(scenario.micro_batches()) / u64::from(scenario.plan.copies())
}

/// The collectives among the forecast's operators.
fn tensor(scenario: &Scenario, layout: &Layout, stage: u32, parameters: &StageParameters, flows: &mut Flows) {
    let constants = Constants::SHIPPED;
    let shapes = Shapes::new(scenario);
    let group = layout.along(Axis::Tensor);
    let [expert_tensor, _, _] = layout.experts();
    let priced = Groups::new(scenario);
    let mut collect = |times: u64, repeats: u64, operator: Operator| {
        if operator.role != Role::TensorCommunication {
            return;
        }
        if let Work::Collective { kind, bytes, .. } = operator.work {
            let repeats = if operator.pass == Pass::Forward { repeats } else { 1 };
            let split = operator.name.starts_with("expert_");
            let group = if split { expert_tensor } else { group };
            flows.collective(Kind::TensorParallel, operation(kind), bytes, group, times * repeats);
        }
    };
    let batches = micro_batches(scenario);
    let of_experts = u64::from(parameters.expert_layers);
    let blocks = u64::from(parameters.layers) - of_experts;
    let norms = Traffic::new(scenario, &constants);
    layer(scenario, &shapes, &norms, &priced.tensor, &mut |operator| {
        collect(batches * blocks, forward_passes(scenario), operator);
    });
    if of_experts > 0 {
        expert_layer(scenario, &shapes, &norms, &priced.of_experts(), &mut |operator| {
            collect(batches * of_experts, forward_passes(scenario), operator);
        });
    }
    let (first, last) = scenario.plan.ends(stage);
    if first {
        embedding(scenario, &shapes, &priced.tensor, &mut |operator| collect(batches, 1, operator));
    }
    if last {
        head(scenario, &shapes, &constants, &priced.tensor, &mut |operator| collect(batches, 1, operator));
    }
}

fn operation(kind: Collective) -> Operation {
    match kind {
        Collective::AllReduce => Operation::AllReduce,
        Collective::AllGather => Operation::AllGather,
        Collective::ReduceScatter => Operation::ReduceScatter,
        Collective::PointToPoint => Operation::PointToPoint,
    }
}

/// Keys and values around the ring, forward; they and their gradients, backward.
fn context(scenario: &Scenario, layout: &Layout, parameters: &StageParameters, flows: &mut Flows) {
    let group = layout.along(Axis::Context);
    let steps = u64::from(group.size() - 1);
    let shapes = Shapes::new(scenario);
    let bytes = 2.0 * shapes.key_values * shapes.tokens;
    let exchanges = forward_passes(scenario) + 2;
    let count = micro_batches(scenario) * u64::from(parameters.layers) * steps * exchanges;
    if count > 0 {
        flows.0.push(Flow {
            kind: Kind::ContextParallel,
            operation: Operation::PointToPoint,
            bytes: bytes.round() as u64,
            path: Path::Around { group, count },
        });
    }
}

/// Tokens to the experts and back, forward, and their gradients, backward, each copy of a token counted:
/// dispatchers that send a token once per machine put less on the network.
fn experts(scenario: &Scenario, layout: &Layout, parameters: &StageParameters, flows: &mut Flows) {
    if scenario.model.experts.count == 0 {
        return;
    }
    let [_, group, _] = layout.experts();
    let shapes = Shapes::new(scenario);
    let bytes = 2.0 * shapes.routed_tokens * shapes.hidden;
    let times = micro_batches(scenario) * u64::from(parameters.expert_layers);
    let exchanges = 2 * (forward_passes(scenario) + 1);
    flows.collective(Kind::ExpertParallel, Operation::AllToAll, bytes, group, times * exchanges);
}

/// One transfer per micro-batch, boundary between chunks and direction. Chunk k lives on stage k mod p,
/// so that an interleaved pipeline's last stage sends to its first.
fn pipeline(scenario: &Scenario, layout: &Layout, stage: u32, flows: &mut Flows) {
    let plan = &scenario.plan;
    let stages = layout.size(Axis::Pipeline);
    if stages < 2 {
        return;
    }
    let profile = scenario.software.profile();
    let split = plan.sequence_parallel || !profile.sends_whole_activations;
    let share = if split { f64::from(layout.size(Axis::Tensor)) } else { 1.0 };
    let chunks = u64::from(plan.virtual_stages.max(1));
    let batches = micro_batches(scenario);
    // Interleaved chunks close to a ring; a V, and the two directions of a mirrored pipeline, pass every
    // boundary but the outer ones both ways.
    let both_ways = plan.schedule.folds() || plan.schedule.mirrors();
    let passing = |outer: bool| match (both_ways, outer) {
        (true, true) => 0,
        (true, false) => 2 * batches,
        (false, outer) => batches * (chunks - u64::from(outer)),
    };
    let (onward, back) = (passing(stage + 1 == stages), passing(stage == 0));
    flows.0.push(Flow {
        kind: Kind::PipelineParallel,
        operation: Operation::PointToPoint,
        bytes: (Shapes::new(scenario).residual_bytes() / share).round() as u64,
        path: Path::Stages { to_next: onward, to_previous: back, from_next: onward, from_previous: back },
    });
}

/// Gradients once a step; with sharded parameters, gathers and scatters per layer and micro-batch. The
/// ends of the model belong to the root module, which is gathered once per micro-batch.
fn data(scenario: &Scenario, layout: &Layout, parameters: &StageParameters, flows: &mut Flows) {
    let reduce = scenario.software.profile().reduce_bytes;
    let gather = scenario.software.gather_bytes(scenario.workload.precision);
    let batches = micro_batches(scenario);
    let kind = Kind::DataParallel;
    if scenario.plan.schedule.mirrors() {
        let total = parameters.total();
        // Between the two copies; the replicas then share out what each copy is left with.
        let pairs: &[(Operation, f64)] = if scenario.plan.zero == Zero::None {
            &[(Operation::AllReduce, reduce * total)]
        } else {
            &[(Operation::ReduceScatter, reduce * total), (Operation::AllGather, 2.0 * total)]
        };
        let path = Path::Across { count: 1 };
        flows.0.extend(pairs.iter().map(|&(operation, bytes)| Flow {
            kind,
            operation,
            bytes: bytes.round() as u64,
            path,
        }));
    }
    let copies = f64::from(scenario.plan.copies());
    let [_, _, expert_data] = layout.experts();
    let held = [(parameters.shared(), layout.data()), (parameters.experts(), expert_data)];
    match scenario.plan.zero {
        Zero::None => {
            for (count, group) in held {
                flows.collective(kind, Operation::AllReduce, reduce * count, group, 1);
            }
        }
        Zero::Optimizer | Zero::Gradients => {
            for (count, group) in held {
                flows.collective(kind, Operation::ReduceScatter, reduce * count / copies, group, 1);
                flows.collective(kind, Operation::AllGather, 2.0 * count / copies, group, 1);
            }
        }
        Zero::Parameters | Zero::Hybrid => {
            let group = layout.shard();
            let of_experts = batches * u64::from(parameters.expert_layers);
            let dense = batches * u64::from(parameters.layers) - of_experts;
            let ends = parameters.embedding + parameters.head + parameters.prediction;
            for (held, width, group, gathers, scatters) in [
                (parameters.per_layer, gather, group, 2 * dense, dense),
                (parameters.per_expert_layer, gather, group, 2 * of_experts, of_experts),
                (parameters.experts_per_layer, gather, expert_data, 2 * of_experts, of_experts),
                (ends, 2.0, group, batches, batches),
            ] {
                flows.collective(kind, Operation::AllGather, width * held, group, gathers);
                flows.collective(kind, Operation::ReduceScatter, reduce * held, group, scatters);
            }
            let shard = reduce * parameters.total() / f64::from(group.size());
            if scenario.plan.zero == Zero::Hybrid {
                flows.collective(kind, Operation::AllReduce, shard, layout.replicas(), 1);
            }
        }
    }
}

fn embedding_sync(scenario: &Scenario, layout: &Layout, stage: u32, flows: &mut Flows) {
    let profile = scenario.software.profile();
    let stages = layout.size(Axis::Pipeline);
    let (first, last) = scenario.plan.ends(stage);
    if stages < 2 || first == last || !profile.embedding_sync || !scenario.model.tied_embeddings {
        return;
    }
    let shapes = Shapes::new(scenario);
    flows.0.push(Flow {
        kind: Kind::EmbeddingSync,
        operation: Operation::AllReduce,
        bytes: (shapes.vocabulary * shapes.hidden * profile.reduce_bytes).round() as u64,
        path: Path::Across { count: 1 },
    });
}
