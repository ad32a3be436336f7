//! One step, assembled: operators to layers, layers to stages, stages to the schedule, and the step's end.

mod offload;
mod pipeline;

pub(super) use pipeline::{stage_passes, timeline};

use super::{Breakdown, HiddenCommunication};
use crate::calibration::Constants;
use crate::cost::{Collective, Price, Rates, Work};
use crate::operators::{Groups, Operator, Role, Shapes, Traffic, embedding, head, layer, runs_again};
use crate::plan::stages::{StageParameters, stage_parameters};
use crate::plan::{Recompute, Schedule, Zero};
use crate::prediction::Pass;
use crate::scenario::Scenario;
use crate::schedule::StageTime;
use crate::stack::Profile;
use crate::units::Seconds;
use libm::{log2, pow};
use pipeline::chunk_passes;

/// Stages that are scheduled without allocating.
const FEW_STAGES: usize = 64;

/// Seconds and FLOPs of one pass (forward, backward or recompute) over a layer, an end, or a whole stage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PassCost {
    kernels: f64,
    /// Of the kernels: those of the weight gradients.
    weight_gradients: f64,
    tensor: f64,
    tensor_hidden: f64,
    context: f64,
    context_hidden: f64,
    data: f64,
    data_hidden: f64,
    host: f64,
    flops: f64,
}

impl PassCost {
    fn device(&self) -> f64 {
        self.kernels + self.tensor + self.context
    }

    fn total(&self) -> f64 {
        self.device() + self.data + self.host
    }

    /// Raises the pass to what the host needs to launch it: the smooth maximum of the two.
    fn floored(mut self, host: f64, exponent: f64) -> Self {
        let device = self.device();
        let (most, least) = (device.max(host), device.min(host));
        if most > 0.0 {
            self.host += most * pow(1.0 + pow(least / most, exponent), 1.0 / exponent) - device;
        }
        self
    }

    fn add(&mut self, other: &Self, times: f64) {
        self.kernels += other.kernels * times;
        self.weight_gradients += other.weight_gradients * times;
        self.tensor += other.tensor * times;
        self.tensor_hidden += other.tensor_hidden * times;
        self.context += other.context * times;
        self.context_hidden += other.context_hidden * times;
        self.data += other.data * times;
        self.data_hidden += other.data_hidden * times;
        self.host += other.host * times;
        self.flops += other.flops * times;
    }
}

/// Forward, backward and recompute of one layer, one end, or one stage, per micro-batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passes {
    forward: PassCost,
    backward: PassCost,
    recompute: PassCost,
}

impl Passes {
    fn add(&mut self, other: &Self, times: f64) {
        self.forward.add(&other.forward, times);
        self.backward.add(&other.backward, times);
        self.recompute.add(&other.recompute, times);
    }

    pub(super) fn forward_time(&self) -> f64 {
        self.forward.total()
    }

    pub(super) fn backward_time(&self) -> f64 {
        self.backward.total() + self.recompute.total()
    }

    fn time(&self) -> f64 {
        self.forward_time() + self.backward_time()
    }

    /// The part of the backward pass that a schedule may put off: the weight gradients' kernels, with their
    /// share of what the host adds.
    fn weight_gradient_time(&self) -> f64 {
        let device = self.backward.device();
        if device > 0.0 { self.backward.weight_gradients * (1.0 + self.backward.host / device) } else { 0.0 }
    }

    pub(super) fn stage_time(&self) -> StageTime {
        StageTime::new(Seconds(self.forward_time()), Seconds(self.backward_time()))
            .with_weight_gradient(Seconds(self.weight_gradient_time()))
    }

    fn flops(&self) -> f64 {
        self.forward.flops + self.backward.flops + self.recompute.flops
    }
}

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
    pub(super) layer: Passes,
    pub(super) first_end: Passes,
    pub(super) last_end: Passes,
}

/// What the sums need besides the scenario.
struct Context<'a> {
    scenario: &'a Scenario,
    constants: &'a Constants,
    profile: &'a Profile,
    rates: Rates,
    shapes: Shapes,
    groups: Groups,
    /// Parameters of the first stage, which reduces its gradients last.
    first: StageParameters,
}

/// Forecasts the step of a scenario under a calibration. Never panics; the result means something only
/// for a valid scenario.
pub(crate) fn step(scenario: &Scenario, constants: &Constants) -> Step {
    Context::new(scenario, constants).step()
}

impl<'a> Context<'a> {
    fn new(scenario: &'a Scenario, constants: &'a Constants) -> Self {
        Self {
            scenario,
            constants,
            profile: scenario.software.stack.profile(),
            rates: Rates::new(scenario, constants),
            shapes: Shapes::new(scenario),
            groups: Groups::new(scenario),
            first: stage_parameters(&scenario.model, &scenario.plan, 0),
        }
    }

    fn step(&self) -> Step {
        let c = self.constants;
        let layer = self.offloaded(self.sharded(self.layer()));
        let (first_end, last_end) = self.ends();
        let plan = &self.scenario.plan;
        let stages = plan.pipeline_parallel.max(1);
        let micro_batches = f64::from(self.scenario.micro_batches());

        let mut few = [StageTime::default(); FEW_STAGES];
        let mut many = Vec::new();
        let whole_stages = plan.schedule == Schedule::OneForwardOneBackward;
        let timed = if whole_stages { stages } else { plan.chunks() };
        let times = if timed as usize <= FEW_STAGES {
            few.get_mut(..timed as usize).unwrap_or_default()
        } else {
            many.resize(timed as usize, StageTime::default());
            many.as_mut_slice()
        };
        let ends = (&first_end, &last_end);
        let mut slowest = (0, f64::NEG_INFINITY, Passes::default());
        let mut flops = 0.0;
        for stage in 0..stages {
            let passes = stage_passes(self.scenario, &layer, ends, stage);
            flops += passes.flops();
            if passes.time() > slowest.1 {
                slowest = (stage, passes.time(), passes);
            }
        }
        let passes_of = if whole_stages { stage_passes } else { chunk_passes };
        for (index, slot) in (0..).zip(times.iter_mut()) {
            *slot = passes_of(self.scenario, &layer, ends, index).stage_time();
        }
        let (slowest, pace, on_stage) = slowest;

        let duration = |hop: f64| self.pipeline(times, hop).0;
        let hop = self.hop();
        let makespan = duration(hop);
        let without_hops = if hop > 0.0 { duration(0.0).min(makespan) } else { makespan };
        let busy = micro_batches * pace;
        let bubble = (without_hops - busy).max(0.0);
        let pipeline = (makespan - busy - bubble).max(0.0);

        let stretch = (self.profile.framework_factor)(c) * self.straggling() - 1.0;
        let (data, data_hidden) = self.data_reduction(pace);
        let optimizer = self.optimizer();
        let fixed = self.fixed();

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
                pipeline: seconds((self.hops() * hop - pipeline).max(0.0)),
                data: seconds(data_hidden + all(|pass| pass.data_hidden)),
            },
            executed_flops: flops * micro_batches * replicas,
            slowest,
            layer,
            first_end,
            last_end,
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
            let hides =
                if self.scenario.plan.tensor_overlap && inside { self.constants.overlap_tensor } else { 0.0 };
            pass.tensor += time * (1.0 - hides);
            pass.tensor_hidden += time * hides;
        } else {
            pass.kernels += time;
            pass.flops += price.flops.0;
            if operator.pass == Pass::WeightGradient {
                pass.weight_gradients += time;
            }
        }
    }

    /// One transformer layer, host floor and recompute included, data-parallel sharding not.
    fn layer(&self) -> Passes {
        let c = self.constants;
        let traffic = Traffic::new(self.scenario, c);
        let mut passes = Passes::default();
        let mut core = self.rates.price(&Work::Stream { bytes: 0.0, kernels: 0.0 });
        let mut visit = |operator: Operator| self.collect(&mut passes, &mut core, &operator);
        layer(self.scenario, &self.shapes, &traffic, &self.groups.tensor, &mut visit);
        self.exchange_context(&mut passes, core.time.0);

        let host = (self.profile.host_layer)(c) * self.jitter();
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
                PassCost { kernels: bare.device() * c.recompute_selective_share, ..PassCost::default() }
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
        let local = 2.0 * 2.0 * self.shapes.kv_heads * self.shapes.head_dim * self.shapes.tokens;
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
    fn sharded(&self, mut layer: Passes) -> Passes {
        if !self.shards_parameters() {
            return layer;
        }
        let c = self.constants;
        let parameters = self.first.per_layer;
        let gather = self.data_time(Collective::AllGather, 2.0 * parameters);
        let scatter = self.data_time(Collective::ReduceScatter, self.profile.reduce_bytes * parameters);
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
        let mut core = self.rates.price(&Work::Stream { bytes: 0.0, kernels: 0.0 });
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
        self.rates.price(&Work::Collective { kind, bytes, group: self.groups.shard }).time.0
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

    /// Gradient reduction and parameter gathering of the step: exposed and hidden seconds.
    fn data_reduction(&self, micro_batch: f64) -> (f64, f64) {
        let c = self.constants;
        let plan = &self.scenario.plan;
        let parameters = self.first.total();
        let gradients = self.profile.reduce_bytes * parameters;
        let price = |kind, bytes, group| self.rates.price(&Work::Collective { kind, bytes, group }).time.0;
        let (first, last) = plan.ends(0);
        let synchronisation = if plan.pipeline_parallel > 1
            && first != last
            && self.profile.embedding_sync
            && self.scenario.model.tied_embeddings
        {
            let table = self.shapes.vocabulary * self.shapes.hidden * self.profile.reduce_bytes;
            price(Collective::AllReduce, table, self.groups.ends)
        } else {
            0.0
        };
        let overlaps = if plan.data_overlap { c.overlap_data } else { 0.0 };
        // Sharded gradients leave no room to accumulate whole ones: every micro-batch reduces its own.
        let rounds =
            if plan.zero == Zero::Gradients { f64::from(self.scenario.micro_batches()) } else { 1.0 };
        let copies = f64::from(plan.copies());
        let across = if copies > 1.0 { self.across(gradients, 2.0 * parameters) } else { 0.0 };
        let (reduction, hides) = match plan.zero {
            Zero::None => (price(Collective::AllReduce, gradients, self.groups.data), overlaps),
            Zero::Optimizer | Zero::Gradients => (
                rounds * price(Collective::ReduceScatter, gradients / copies, self.groups.data)
                    + price(Collective::AllGather, 2.0 * parameters / copies, self.groups.data),
                overlaps,
            ),
            Zero::Parameters => (0.0, 0.0),
            Zero::Hybrid => {
                let shard = gradients / self.groups.shard.size.max(1.0);
                let hides = if plan.data_overlap { c.overlap_fsdp } else { 0.0 };
                (price(Collective::AllReduce, shard, self.groups.replicas), hides)
            }
        };
        let reduction = reduction + across;
        let hidden = (reduction * hides).min(c.overlap_data_window * micro_batch * rounds);
        (reduction - hidden + synchronisation, hidden)
    }

    /// Adam on this rank's share, bound by device memory.
    fn optimizer(&self) -> f64 {
        let c = self.constants;
        let parameters = self.first.total();
        let shards = match self.scenario.plan.zero {
            Zero::None => 1.0,
            Zero::Optimizer | Zero::Gradients => {
                self.groups.data.size * f64::from(self.scenario.plan.copies())
            }
            Zero::Parameters | Zero::Hybrid => self.groups.shard.size,
        };
        let held = if self.shards_parameters() { 0.0 } else { parameters };
        if self.scenario.plan.offload_optimizer {
            return self.host_update(parameters / shards.max(1.0));
        }
        let bytes = parameters / shards.max(1.0) * c.optimizer_bytes_sharded * c.optimizer_factor
            + held * c.optimizer_bytes_local;
        self.rates.price(&Work::Stream { bytes, kernels: 0.0 }).time.0
    }

    fn fixed(&self) -> f64 {
        let c = self.constants;
        if self.profile.is_eager() {
            c.step_fixed_eager
        } else if self.profile.graphs {
            c.step_fixed_fused * c.step_fixed_graphs_ratio
        } else {
            c.step_fixed_fused
        }
    }
}
