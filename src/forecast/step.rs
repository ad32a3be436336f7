//! One step, assembled: operators to layers, layers to stages, stages to the schedule, and the step's end.

mod end;
mod offload;
mod passes;
mod pipeline;

pub(super) use pipeline::{stage_passes, timeline};

use super::{Bound, Breakdown, HiddenCommunication};
use crate::constants::Constants;
use crate::cost::{Collective, Group, Learned, Price, Rates, Work};
use crate::scenario::Scenario;
use crate::scenario::plan::stages::{StageParameters, stage_parameters};
use crate::scenario::plan::{Recompute, Zero};
use crate::scenario::stack::Profile;
use crate::schedule::{Scratch, StageTime};
use crate::step::Pass;
use crate::step::{
    Groups, Operator, Role, Shapes, Traffic, embedding, expert_layer, head, layer, prediction_projection,
    runs_again,
};
use crate::units::{Bytes, Flops, Seconds};
use libm::log2;
use passes::{PassCost, Passes};
use pipeline::chunk_passes;

/// Stages that are scheduled without allocating.
const FEW_STAGES: usize = 64;

/// The step of one scenario, ready to be summed up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Time of the step, seconds.
    pub(crate) total: f64,
    pub(crate) breakdown: Breakdown,
    pub(crate) hidden: HiddenCommunication,
    /// FLOPs executed by all GPUs, recompute included.
    pub(crate) executed_flops: f64,
    /// Stage that sets the pace.
    pub(super) slowest: u32,
    pub(super) parts: Parts,
}

/// What the stages are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// A dense layer.
    layer: Passes,
    /// A layer of experts; nothing in dense models.
    expert_layer: Passes,
    first_end: Passes,
    last_end: Passes,
}

/// What the sums need besides the scenario.
struct Context<'a> {
    scenario: &'a Scenario,
    constants: &'a Constants,
    profile: &'a Profile,
    rates: Rates<'a>,
    shapes: Shapes,
    groups: Groups,
    /// Parameters of the first stage, which reduces its gradients last.
    first: StageParameters,
}

/// Forecasts the step of a scenario under a calibration. Never panics; the result means something only
/// for a valid scenario.
pub(crate) fn step(scenario: &Scenario, constants: &Constants) -> Step {
    step_with(scenario, constants, None)
}

/// The same with learned times of some operators.
pub(crate) fn step_with(scenario: &Scenario, constants: &Constants, learned: Option<&dyn Learned>) -> Step {
    let context = Context::new(scenario, constants);
    let rates = context.rates.with(learned);
    Context { rates, ..context }.step()
}

impl<'a> Context<'a> {
    fn new(scenario: &'a Scenario, constants: &'a Constants) -> Self {
        Self {
            scenario,
            constants,
            profile: scenario.software.profile(),
            rates: Rates::new(scenario, constants),
            shapes: Shapes::new(scenario),
            groups: Groups::new(scenario),
            first: stage_parameters(&scenario.model, &scenario.plan, 0),
        }
    }

    fn step(&self) -> Step {
        let c = self.constants;
        let parts = self.parts();
        let plan = &self.scenario.plan;
        let stages = plan.pipeline_parallel.max(1);
        let micro_batches = f64::from(self.scenario.micro_batches());

        let mut few = [StageTime::default(); FEW_STAGES];
        let mut many = Vec::new();
        let whole_stages = self.by_stages();
        let timed = if whole_stages { stages } else { plan.chunks() };
        let times = if timed as usize <= FEW_STAGES {
            few.get_mut(..timed as usize).unwrap_or_default()
        } else {
            many.resize(timed as usize, StageTime::default());
            many.as_mut_slice()
        };
        let mut slowest = (0, f64::NEG_INFINITY, Passes::default());
        let mut flops = 0.0;
        for stage in 0..stages {
            let passes = stage_passes(self.scenario, &parts, stage);
            if whole_stages && let Some(slot) = times.get_mut(stage as usize) {
                *slot = passes.stage_time();
            }
            flops += passes.flops();
            if passes.time() > slowest.1 {
                slowest = (stage, passes.time(), passes);
            }
        }
        for (chunk, slot) in (0..).zip(times.iter_mut()).filter(|_| !whole_stages) {
            *slot = chunk_passes(self.scenario, &parts, chunk).stage_time();
        }
        let (slowest, pace, on_stage) = slowest;

        let mut scratch = Scratch::default();
        let mut duration = |hop: f64| self.pipeline(times, hop, &mut scratch).0;
        let hop = self.hop();
        let makespan = duration(hop);
        let without_hops = if hop > 0.0 { duration(0.0).min(makespan) } else { makespan };
        // Passes that run as one hide their exchanges with experts behind each other.
        let paired = micro_batches * self.paired_share(slowest) * on_stage.hideable();
        let busy = micro_batches * pace - paired;
        let bubble = (without_hops - busy).max(0.0);
        let pipeline = (makespan - busy - bubble).max(0.0);

        let stretch = (self.profile.framework_factor)(c) * self.straggling() - 1.0;
        let (data, data_hidden) = self.data_reduction(busy / micro_batches.max(1.0));
        let optimizer = self.optimizer();
        let fixed = (self.profile.fixed)(c);

        // A stack that runs between kernels what is not modelled pays for it on the host; one that beats
        // the modelled kernels beats all of them alike.
        let pipeline_share = 1.0 + stretch.min(0.0);
        let rounds = micro_batches * pipeline_share;
        let all = |part: fn(&PassCost) -> f64| {
            rounds * (part(&on_stage.forward) + part(&on_stage.backward) + part(&on_stage.recompute))
        };
        let seconds = |value: f64| Seconds(value);
        let breakdown = Breakdown {
            forward: seconds(rounds * on_stage.forward.kernels),
            backward: seconds(rounds * on_stage.backward.kernels),
            recompute: seconds(rounds * on_stage.recompute.kernels),
            tensor_communication: seconds(all(|pass| pass.tensor)),
            context_communication: seconds(all(|pass| pass.context)),
            expert_communication: seconds(all(|pass| pass.experts) - paired * pipeline_share),
            pipeline_communication: seconds(pipeline * pipeline_share),
            data_communication: seconds(data + all(|pass| pass.data)),
            bubble: seconds(bubble * pipeline_share),
            optimizer: seconds(optimizer),
            host: seconds(all(|pass| pass.host) + stretch.max(0.0) * makespan + fixed),
        };
        let replicas = f64::from(self.scenario.data_parallel())
            * f64::from(plan.tensor_parallel.max(1))
            * f64::from(plan.context_parallel.max(1));
        Step {
            total: makespan * (1.0 + stretch) + data + optimizer + fixed,
            breakdown,
            hidden: HiddenCommunication {
                tensor: seconds(all(|pass| pass.tensor_hidden)),
                context: seconds(all(|pass| pass.context_hidden)),
                expert: seconds(all(|pass| pass.experts_hidden) + paired * pipeline_share),
                pipeline: seconds((self.hops() * hop - pipeline).max(0.0)),
                data: seconds(data_hidden + all(|pass| pass.data_hidden)),
            },
            executed_flops: flops * micro_batches * replicas,
            slowest,
            parts,
        }
    }

    /// Sums operators into forward and backward, splitting tensor-parallel communication into what an
    /// overlapping stack hides and what it does not. Returns the forward attention core's time and FLOPs.
    fn collect(&self, passes: &mut Passes, core: &mut Price, operator: &Operator) {
        let price = self.rates.price(&operator.work);
        let Passes { forward, backward, recompute } = passes;
        match operator.pass {
            Pass::Forward => {
                self.put(forward, operator, &price);
                if let Recompute::Modules(set) = self.scenario.plan.recompute
                    && runs_again(set, operator.name)
                {
                    self.put(recompute, operator, &price);
                }
            }
            _ => self.put(backward, operator, &price),
        }
        if operator.role == Role::AttentionCore && operator.pass == Pass::Forward {
            *core = price;
        }
    }

    fn put(&self, pass: &mut PassCost, operator: &Operator, price: &Price) {
        let time = price.time.0;
        if operator.role == Role::TensorCommunication {
            // Overlapping stacks hide it behind the GEMMs around it over the scale-up fabric only.
            let inside = self.groups.tensor.domains() <= 1.0;
            let hides = if self.scenario.plan.tensor_overlap && inside {
                (self.profile.overlap_tensor)(self.constants)
            } else {
                0.0
            };
            pass.tensor += time * (1.0 - hides);
            pass.tensor_hidden += time * hides;
        } else if operator.role == Role::ExpertCommunication {
            let hides = if self.scenario.plan.expert_overlap { self.constants.overlap_experts } else { 0.0 };
            pass.experts += time * (1.0 - hides);
            pass.experts_hidden += time * hides;
        } else {
            pass.kernels += time;
            pass.flops += price.flops.0;
            if operator.pass == Pass::WeightGradient {
                pass.weight_gradients += time;
            }
        }
    }

    /// Layers and ends.
    fn parts(&self) -> Parts {
        let (first_end, last_end) = self.ends();
        let model = &self.scenario.model;
        let of_experts = model.experts.count > 0;
        let dense = !of_experts || model.expert_layers() < model.layers;
        let layer = if dense {
            self.offloaded(self.sharded(self.layer(), self.first.per_layer, 0.0), false)
        } else {
            Passes::default()
        };
        let expert_layer = if of_experts {
            let (shared, experts) = (self.first.per_expert_layer, self.first.experts_per_layer);
            self.offloaded(self.sharded(self.expert_layer(), shared, experts), true)
        } else {
            Passes::default()
        };
        let mut parts = Parts { layer, expert_layer, first_end, last_end };
        // Each prediction layer projects two residual streams to one and passes the head again.
        let predictions = f64::from(model.prediction_layers);
        if predictions > 0.0 {
            let mut extra = self.prediction_projection();
            extra.add(if of_experts { &parts.expert_layer } else { &parts.layer }, 1.0);
            extra.add(&last_end, 1.0);
            parts.last_end.add(&extra, predictions);
        }
        parts
    }

    fn prediction_projection(&self) -> Passes {
        let mut passes = Passes::default();
        let mut core = NOTHING;
        prediction_projection(
            &self.shapes,
            f64::from(self.scenario.plan.tensor_parallel.max(1)),
            &mut |operator| {
                self.collect(&mut passes, &mut core, &operator);
            },
        );
        passes
    }

    /// One dense transformer layer, host floor and recompute included, data-parallel sharding not.
    fn layer(&self) -> Passes {
        let traffic = Traffic::new(self.scenario, self.constants);
        let mut passes = Passes::default();
        let mut core = NOTHING;
        let mut visit = |operator: Operator| self.collect(&mut passes, &mut core, &operator);
        layer(self.scenario, &self.shapes, &traffic, &self.groups.tensor, &mut visit);
        let host = if self.scenario.software.replays() {
            self.constants.host_layer_graphs
        } else {
            (self.profile.host_layer)(self.constants)
        };
        self.hosted(passes, core, host)
    }

    /// One layer of experts, likewise.
    fn expert_layer(&self) -> Passes {
        let c = self.constants;
        let traffic = Traffic::new(self.scenario, c);
        let mut passes = Passes::default();
        let mut core = NOTHING;
        let mut visit = |operator: Operator| self.collect(&mut passes, &mut core, &operator);
        expert_layer(self.scenario, &self.shapes, &traffic, &self.groups.of_experts(), &mut visit);
        let dense = (self.profile.host_layer)(c);
        let host = if self.scenario.software.replays() {
            c.host_expert_layer_graphs
        } else {
            dense.max(c.host_expert_layer)
        };
        self.hosted(passes, core, host)
    }

    /// Adds the context exchange, raises passes to what the host needs, and adds recompute.
    fn hosted(&self, mut passes: Passes, core: Price, host: f64) -> Passes {
        let c = self.constants;
        self.exchange_context(&mut passes, core.time.0);
        let host = host * self.jitter();
        let exponent = c.host_norm_exponent;
        let bare = passes.forward;
        passes.forward = bare.floored(host, exponent);
        passes.backward = passes.backward.floored(host * c.host_backward_ratio, exponent);
        passes.recompute = match self.scenario.plan.recompute {
            Recompute::None => PassCost::default(),
            Recompute::Modules(_) => passes.recompute,
            Recompute::Full => bare.floored(host, exponent),
            Recompute::Selective if self.rates.attention_is_unfused() => {
                PassCost { kernels: core.time.0, flops: core.flops.0, ..PassCost::default() }
            }
            Recompute::Selective => {
                PassCost { kernels: bare.device() * (self.profile.selective_share)(c), ..PassCost::default() }
            }
        };
        passes
    }

    /// Ring exchange of keys and values over the context-parallel group, behind the attention core.
    fn exchange_context(&self, passes: &mut Passes, core: f64) {
        let degree = f64::from(self.scenario.plan.context_parallel);
        if degree <= 1.0 {
            return;
        }
        let c = self.constants;
        // Keys and values of the local tokens, 16 bits each, handed on to every other rank in turn: one
        // stream of messages over the slowest link of the ring.
        let local = 2.0 * self.shapes.key_values * self.shapes.tokens;
        let bytes = local * (degree - 1.0);
        let work = Work::Collective { kind: Collective::PointToPoint, bytes, group: self.groups.context };
        let ring = self.rates.price(&work).time.0;
        let put = |pass: &mut PassCost, exchange: f64, core: f64| {
            let exposed =
                ((exchange - c.overlap_context * core).max(0.0) + c.context_exposed * ring).min(exchange);
            pass.context += exposed;
            pass.context_hidden += exchange - exposed;
        };
        put(&mut passes.forward, ring, core);
        // Backward sends keys, values and their gradients.
        put(&mut passes.backward, 2.0 * ring, core * c.attention_backward_ratio);
    }

    /// Parameter gathers and gradient scatters of fully sharded data parallelism, once per layer and
    /// micro-batch, prefetched behind the neighbouring layer.
    fn sharded(&self, mut layer: Passes, shared: f64, experts: f64) -> Passes {
        if !self.shards_parameters() {
            return layer;
        }
        let c = self.constants;
        let move_all = |kind, width: f64| {
            self.data_time(kind, width * shared)
                + self.collective(kind, width * experts, self.groups.expert_data)
        };
        let gather_bytes = self.scenario.software.gather_bytes(self.scenario.workload.precision);
        let gather = move_all(Collective::AllGather, gather_bytes);
        let scatter = move_all(Collective::ReduceScatter, self.profile.reduce_bytes);
        let hides = if self.scenario.plan.data_overlap { c.overlap_fsdp } else { 0.0 };
        let busy = layer.forward_time().max(f64::MIN_POSITIVE);
        let contention = c.fsdp_contention * ((gather + scatter) / busy).min(1.0);
        let join = |compute: f64, exchange: f64| {
            let joined = hides * compute.max(exchange) + (1.0 - hides) * (compute + exchange);
            let exposed = (joined * (1.0 + contention) - compute).max(0.0);
            (exposed, (exchange - (joined - compute)).max(0.0))
        };
        let (exposed, hidden) = join(layer.forward_time(), gather);
        layer.forward.data += exposed;
        layer.forward.data_hidden += hidden;
        let (exposed, hidden) = join(layer.backward_time(), gather + scatter);
        layer.backward.data += exposed;
        layer.backward.data_hidden += hidden;
        layer
    }

    /// Embedding and LM head, on their stages.
    fn ends(&self) -> (Passes, Passes) {
        let c = self.constants;
        let mut core = NOTHING;
        let (mut first, mut last) = (Passes::default(), Passes::default());
        let tensor = &self.groups.tensor;
        embedding(self.scenario, &self.shapes, tensor, &mut |operator| {
            self.collect(&mut first, &mut core, &operator);
        });
        head(self.scenario, &self.shapes, c, tensor, &mut |operator| {
            self.collect(&mut last, &mut core, &operator);
        });
        if self.profile.is_eager() {
            last.forward.host += last.forward.kernels * (c.head_eager_factor - 1.0) + c.head_eager_host;
            last.backward.host += last.backward.kernels * (c.head_eager_factor - 1.0);
        }
        if self.shards_parameters() {
            let table = self.shapes.vocabulary * self.shapes.hidden;
            let exposed = if self.scenario.plan.data_overlap { 1.0 - 0.5 * c.overlap_fsdp } else { 1.0 };
            let gather = self.data_time(Collective::AllGather, 2.0 * table) * exposed;
            let scatter =
                self.data_time(Collective::ReduceScatter, self.profile.reduce_bytes * table) * exposed;
            for end in [&mut first, &mut last] {
                end.forward.data += gather;
                end.backward.data += scatter;
            }
        }
        (first, last)
    }

    fn shards_parameters(&self) -> bool {
        matches!(self.scenario.plan.zero, Zero::Parameters | Zero::Hybrid)
    }

    fn data_time(&self, kind: Collective, bytes: f64) -> f64 {
        self.collective(kind, bytes, self.groups.shard)
    }

    fn collective(&self, kind: Collective, bytes: f64, group: Group) -> f64 {
        self.rates.price(&Work::Collective { kind, bytes, group }).time.0
    }

    /// Eager ranks of a tensor-parallel group wait for the slowest host, the more the more there are.
    fn jitter(&self) -> f64 {
        let t = f64::from(self.scenario.plan.tensor_parallel);
        let growth = if self.profile.is_eager() {
            let share = (t / 8.0).min(1.0);
            share * share * share
        } else if t > 1.0 {
            0.1
        } else {
            0.0
        };
        1.0 + self.constants.host_jitter * growth
    }

    fn straggling(&self) -> f64 {
        let c = self.constants;
        1.0 + (self.profile.straggler)(c) * log2((f64::from(self.scenario.cluster.gpus) / 8.0).max(1.0))
    }
}

/// The price of no operator.
const NOTHING: Price =
    Price { time: Seconds::ZERO, flops: Flops::ZERO, bytes: Bytes::ZERO, bound: Bound::Latency };
