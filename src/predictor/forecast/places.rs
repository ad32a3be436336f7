//! Time of one visit of each place of the program: its calls priced and summed, raised to the host's launch time, with
//! communication split into exposed and overlapped.

use super::layers::PricedLayers;
use super::passes::{PassCost, Passes, Totals};
use crate::cost::{LearnedTimes, Price, Rates, Work};
use crate::memory::LayerActivations;
use crate::scenario::cluster::HostProcessor;
use crate::scenario::model::{FeedForward, Mixer, OfKinds};
use crate::scenario::plan::Recompute;
use crate::scenario::stack::{ExpertKernels, Selective};
use crate::step::implementations::{EXPERT_EXCHANGE, EXPERT_LOOP, EXPERT_ROUTING};
use crate::step::{Call, Overlap, Parallelism, Pass, Place, Program, Visits};

/// Share of a dense layer's host time for its mixer alone, or its feed-forward part alone. Assumed.
const HALF_A_LAYER: f64 = 0.5;

/// A program with the rates for pricing its calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Priced<'a> {
    pub(crate) program: Program<'a>,
    pub(crate) rates: Rates<'a>,
}

/// One visit of each place of a micro-batch ([`Program::places`]).
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PlaceCosts {
    passes: Vec<(Place, Passes)>,
    times: PlaceTimes,
}

/// Pass times of one visit of each place, for a schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PlaceTimes {
    embedding: Totals,
    /// A layer of the encoder in front of the decoder.
    tower: Totals,
    /// Layers of each kind: those that recompute runs again, if any, and those that it skips.
    layers: OfKinds<[Totals; 2]>,
    /// Number of kinds.
    kinds: usize,
    projection: Totals,
    head: Totals,
}

impl PlaceTimes {
    /// All visits of a stage or chunk, summed.
    pub(super) fn totals(&self, visits: &Visits) -> Totals {
        let mut sum = Totals::default();
        let mut add = |totals: &Totals, times: f64| {
            if times > 0.0 {
                sum.add(totals, times);
            }
        };
        add(&self.embedding, visits.embedding);
        add(&self.tower, visits.tower);
        for (totals, times) in self.layers.iter().zip(&visits.layers).take(self.kinds) {
            for (totals, times) in totals.iter().zip(times) {
                add(totals, *times);
            }
        }
        add(&self.projection, visits.projections);
        add(&self.head, visits.head);
        sum
    }

    fn set(&mut self, place: Place, passes: &Passes) {
        let slot = match place {
            Place::Embedding => Some(&mut self.embedding),
            Place::Tower => Some(&mut self.tower),
            Place::Layer { kind, passed_over } => {
                self.kinds = self.kinds.max(kind + 1);
                self.layers.get_mut(kind).and_then(|kind| kind.get_mut(usize::from(passed_over)))
            }
            Place::PredictionProjection => Some(&mut self.projection),
            Place::Head => Some(&mut self.head),
            Place::StageBoundary | Place::StepEnd => None,
        };
        if let Some(slot) = slot {
            *slot = passes.totals();
        }
    }
}

impl PlaceCosts {
    fn new(passes: Vec<(Place, Passes)>) -> Self {
        let mut times = PlaceTimes::default();
        passes.iter().for_each(|(place, passes)| times.set(*place, passes));
        Self { passes, times }
    }

    /// Their pass times, for a schedule.
    pub(crate) fn times(&self) -> PlaceTimes {
        self.times
    }

    /// One visit of each place, with the visits of a stage or chunk.
    pub(super) fn visited(&self, visits: &Visits) -> impl Iterator<Item = (Place, f64, &Passes)> {
        let passes = |place: Place| self.passes.iter().find(|(of, _)| *of == place).map(|(_, passes)| passes);
        visits.places().filter_map(move |(place, times)| passes(place).map(|passes| (place, times, passes)))
    }

    /// All visits of a stage or chunk, by cause.
    pub(super) fn sum(&self, visits: &Visits) -> Passes {
        let mut sum = Passes::default();
        self.visited(visits).for_each(|(_, times, passes)| sum.add(passes, times));
        sum
    }
}

/// Calls of one visit, summed.
#[derive(Default)]
struct Sums {
    passes: Passes,
    /// Time of the attention core, forward and backward.
    cores: [f64; 2],
    /// One pass around the context-parallel ring.
    ring: f64,
    /// Exchanges of keys and values, in rings: forward, recompute, backward.
    rings: [f64; 3],
    /// Gathers and scatters of sharded parameters: forward and backward.
    sharding: [f64; 2],
    /// Largest part that can overlap.
    sharding_hides: [f64; 2],
    /// The backward part that is copied from the host, which costs the GPU's kernels nothing.
    fetched: f64,
}

impl Sums {
    fn add(&mut self, call: &Call, price: &Price) {
        self.add_in(call.pass, call, price);
    }

    /// Adds a call as one of this pass.
    fn add_in(&mut self, pass: Pass, call: &Call, price: &Price) {
        let is_weight_gradient = pass == Pass::WeightGradient;
        let runs_again = pass == Pass::Recompute;
        let (index, pass) = match pass {
            Pass::Forward => (0, &mut self.passes.forward),
            Pass::Recompute => (1, &mut self.passes.recompute),
            _ => (2, &mut self.passes.backward),
        };
        let time = price.time.0 * call.times;
        let Some(communication) = call.communication else {
            pass.kernels += time;
            pass.flops += price.flops.0 * call.times;
            if is_weight_gradient {
                pass.weight_gradients += time;
            }
            if call.is_attention_core()
                && !runs_again
                && let Some(core) = self.cores.get_mut(index / 2)
            {
                *core += time;
            }
            return;
        };
        match communication.hides {
            Overlap::Around(share) => {
                pass.communicate(communication.parallelism, time * (1.0 - share), time * share);
            }
            Overlap::AttentionCore => {
                self.ring = price.time.0;
                if let Some(rings) = self.rings.get_mut(index) {
                    *rings += call.times;
                }
            }
            Overlap::NeighbouringLayer(share) => {
                if let Some(sum) = self.sharding.get_mut(index / 2) {
                    *sum += time;
                }
                if index == 2 && matches!(call.work, Work::HostCopy { .. }) {
                    self.fetched += time;
                }
                if let Some(hides) = self.sharding_hides.get_mut(index / 2) {
                    *hides += share * time;
                }
            }
            Overlap::Nowhere | Overlap::BackwardPasses(_) | Overlap::OtherMicroBatches => {
                pass.communicate(communication.parallelism, time, 0.0);
            }
        }
    }
}

impl<'a> Priced<'a> {
    pub(crate) fn new(program: Program<'a>, learned: Option<&'a dyn LearnedTimes>) -> Self {
        let rates = Rates::new(program.scenario, program.constants).with(learned);
        Self { program, rates }
    }

    /// Every place that any stage visits.
    pub(crate) fn places(&self) -> PlaceCosts {
        self.places_of(&self.layers())
    }

    /// Same, with the calls of its layers.
    pub(crate) fn places_of(&self, layers: &PricedLayers) -> PlaceCosts {
        PlaceCosts::new(self.program.places().map(|place| (place, self.place(place, layers))).collect())
    }

    /// Pass times of every place that any stage visits.
    pub(crate) fn times_of(&self, layers: &PricedLayers) -> PlaceTimes {
        let mut times = PlaceTimes::default();
        self.program.places().for_each(|place| times.set(place, &self.place(place, layers)));
        times
    }

    /// An end of the model.
    pub(super) fn end(&self, place: Place) -> Passes {
        let mut sums = Sums::default();
        self.program.calls(place, &mut |call| sums.add(&call, &self.rates.price(&call.work)));
        if place == Place::Head && self.program.scenario.software.is_eager() {
            let c = self.program.constants;
            let Passes { forward, backward, .. } = &mut sums.passes;
            forward.host += forward.kernels * (c.head_eager_factor - 1.0) + c.head_eager_host;
            backward.host += backward.kernels * (c.head_eager_factor - 1.0);
            backward.weight_gradients_host += backward.weight_gradients * (c.head_eager_factor - 1.0);
        }
        sums.passes
    }

    fn place(&self, place: Place, layers: &PricedLayers) -> Passes {
        let rates = self.rates;
        match place {
            Place::Tower => self.program.with_tower(|tower| {
                let tower = Priced { program: *tower, rates };
                tower.place(Place::layer(0), &tower.layers())
            }),
            Place::Layer { kind, .. } => {
                let mut sums = Sums::default();
                self.program.parameter_calls(kind, &mut |call| sums.add(&call, &rates.price(&call.work)));
                let (calls, prices) = layers.of(kind);
                for (call, price) in calls.iter().zip(prices) {
                    sums.add(call, price);
                    if self.program.runs_again(place, call) {
                        sums.add_in(Pass::Recompute, call, price);
                    }
                }
                let kind = self.program.layers.kind(kind);
                let host =
                    if kind.has_experts() { self.host_of_expert_layer() } else { self.host_of_layer() };
                let alone = kind.mixer == Mixer::None || kind.feed_forward == FeedForward::None;
                let missing = if alone { HALF_A_LAYER * self.host_of_layer() } else { 0.0 };
                self.of_layer((place, calls), sums, host - missing)
            }
            Place::Embedding => layers.ends[0],
            Place::PredictionProjection => layers.ends[1],
            Place::Head => layers.ends[2],
            Place::StageBoundary | Place::StepEnd => self.end(place),
        }
    }

    /// Host time of a dense layer's forward pass: none with CUDA graphs.
    fn host_of_layer(&self) -> f64 {
        if self.program.scenario.software.graphs {
            return 0.0;
        }
        let layer = self.program.scenario.software.host_layer(self.program.constants);
        let launches = layer * self.program.launches_over_llama();
        self.slower() * (launches + self.host_of_gathers() + self.host_of_tensor())
    }

    /// Slow-down of the host's CPU, relative to those that the constants were measured on. With partial graphs, Grace
    /// needs as long for the remaining launches as others need for all: the fitted runs on Grace use partial graphs.
    fn slower(&self) -> f64 {
        let (scenario, c) = (self.program.scenario, self.program.constants);
        match scenario.cluster.host {
            HostProcessor::X86 => 1.0,
            HostProcessor::Grace if scenario.software.replays_parts() => 1.0,
            HostProcessor::Grace if scenario.software.is_eager() => c.host_grace_eager,
            HostProcessor::Grace => c.host_grace_ratio,
        }
    }

    /// Host time to find and gather a layer's sharded parameters.
    fn host_of_gathers(&self) -> f64 {
        let program = &self.program;
        if program.shards_parameters() { (program.profile.host_gathers)(program.constants) } else { 0.0 }
    }

    /// Host time to dispatch a layer's operators to tensor-parallel ranks.
    fn host_of_tensor(&self) -> f64 {
        let program = &self.program;
        let split = program.scenario.plan.tensor_parallel > 1 && program.scenario.software.is_eager();
        if split { (program.profile.host_tensor)(program.constants) } else { 0.0 }
    }

    /// Host time of an MoE layer's forward pass: none with CUDA graphs.
    fn host_of_expert_layer(&self) -> f64 {
        if self.program.scenario.software.graphs {
            return 0.0;
        }
        self.slower() * (self.host_of_routed() + self.host_of_gathers() + self.host_of_tensor())
    }

    /// Launch time of an MoE layer's forward pass: a loop launches per expert; PyTorch's own operators, compiled or
    /// not, launch routing in addition to a dense layer, and the exchange; XLA's single program launches nothing.
    fn host_of_routed(&self) -> f64 {
        let (c, scenario) = (self.program.constants, self.program.scenario);
        let software = &scenario.software;
        let layer = software.host_layer(c);
        if software.expert_kernels == ExpertKernels::Looped {
            return layer
                + self.program.shapes.local_experts * EXPERT_LOOP.forward_kernels() * c.host_operator;
        }
        if software.is_one_program() {
            return layer;
        }
        if !software.profile().inductor {
            return layer.max(c.host_expert_layer);
        }
        let exchange =
            if scenario.plan.expert_parallel > 1 { EXPERT_EXCHANGE.forward_kernels() } else { 0.0 };
        layer + (EXPERT_ROUTING.forward_kernels() + exchange) * c.host_operator
    }

    /// A layer: context exchange overlapped with the core, passes raised to launch time, recompute, gathers of sharded
    /// parameters overlapped with the neighbouring layer, and activation offload.
    fn of_layer(&self, (place, calls): (Place, &[Call]), sums: Sums, host: f64) -> Passes {
        let c = self.program.constants;
        let mut passes = sums.passes;
        self.exchange_context(&mut passes, &sums);
        let host = host * self.jitter();
        // If each waits for the other, their times add up: the norm with exponent 1.
        let waits = self.program.scenario.software.waits_for_launches();
        let exponent = if waits { 1.0 } else { c.host_norm_exponent };
        passes.forward = passes.forward.with_launch_bound(host, exponent);
        if self.program.forward_only {
            self.shard(&mut passes, &sums);
            return passes;
        }
        let backward_host = host * c.host_backward_ratio;
        passes.backward = if self.program.scenario.plan.schedule.splits_backward() {
            passes.backward.with_launch_bound_apart(backward_host, exponent)
        } else {
            passes.backward.with_launch_bound(backward_host, exponent)
        };
        match self.program.scenario.plan.recompute {
            _ if !self.program.recomputes(place) => {}
            Recompute::Full | Recompute::Every(_) => {
                passes.recompute = passes.recompute.with_launch_bound(host, exponent);
            }
            Recompute::Selective => {
                passes.recompute.kernels += self.selective(&passes.forward, passes.recompute.kernels);
            }
            Recompute::None | Recompute::Modules(_) => {}
        }
        self.shard(&mut passes, &sums);
        self.offload(&mut passes, (place, calls));
        passes
    }

    /// Time of selective recompute besides the calls that run `again`, seconds: a share of the remaining forward pass,
    /// without exchanging tokens from other experts' ranks again.
    pub(super) fn selective(&self, forward: &PassCost, again: f64) -> f64 {
        let device = forward.device();
        let left = if self.program.profile.selective_drops == Selective::Products {
            (device - again - forward.waits(Parallelism::ExpertParallel)).max(0.0)
        } else {
            device
        };
        self.selective_share() * left
    }

    /// Share of a layer's forward pass that selective recompute repeats and the list of calls lacks: that of fused
    /// stacks.
    pub(super) fn selective_share(&self) -> f64 {
        if self.program.scenario.plan.recompute != Recompute::Selective || self.rates.attention_is_unfused() {
            return 0.0;
        }
        (self.program.profile.selective_share)(self.program.constants)
    }

    /// `exposed = max(exchange - overlap * core, share * ring)`, at most the exchange: if links take longer than the
    /// core, they overlap with that share of the core; if the core takes longer, all of the ring but its own share is
    /// overlapped.
    fn exchange_context(&self, passes: &mut Passes, sums: &Sums) {
        let c = self.program.constants;
        let [forward, recompute, backward] = sums.rings;
        let put = |pass: &mut PassCost, rings: f64, core: f64| {
            let exchange = rings * sums.ring;
            if exchange > 0.0 {
                let beyond = exchange - c.overlap_context * core;
                let exposed = beyond.max(c.context_exposed * sums.ring).min(exchange);
                pass.communicate(Parallelism::ContextParallel, exposed, exchange - exposed);
            }
        };
        let [core, core_backward] = sums.cores;
        put(&mut passes.forward, forward, core);
        put(&mut passes.recompute, recompute, core);
        put(&mut passes.backward, backward, core_backward);
    }

    /// Gathers and scatters of sharded parameters overlap with kernels: `h max(compute, exchange) + (1 - h) (compute +
    /// exchange)`, plus the contention for memory bandwidth.
    fn shard(&self, passes: &mut Passes, sums: &Sums) {
        let ([gather, both], [hides, hides_both]) = (sums.sharding, sums.sharding_hides);
        if gather + both <= 0.0 {
            return;
        }
        let c = self.program.constants;
        let busy = passes.forward_time().max(f64::MIN_POSITIVE);
        let contention = c.fsdp_contention * ((both - sums.fetched) / busy).min(1.0);
        let join = |compute: f64, exchange: f64, hideable: f64| {
            let hides = if exchange > 0.0 { hideable / exchange } else { 0.0 };
            let joined = hides * compute.max(exchange) + (1.0 - hides) * (compute + exchange);
            let exposed = (joined * (1.0 + contention) - compute).max(0.0);
            (exposed, (exchange - (joined - compute)).max(0.0))
        };
        let (exposed, hidden) = join(passes.forward_time(), gather, hides);
        passes.forward.communicate(Parallelism::DataParallel, exposed, hidden);
        let (exposed, hidden) = join(passes.backward_time(), both, hides_both);
        passes.backward.communicate(Parallelism::DataParallel, exposed, hidden);
    }

    /// Adds the host-link time that exceeds a layer's passes: its offloaded activations are sent out during its forward
    /// pass, and back during the backward pass of the preceding layer.
    fn offload(&self, passes: &mut Passes, (place, calls): (Place, &[Call])) {
        let scenario = self.program.scenario;
        let share = f64::from(scenario.plan.offload_activations.min(100)) / 100.0;
        if share > 0.0 {
            let kept = LayerActivations::new(&self.program, place, calls).kept;
            let crossing = share * kept / self.rates.host_rate();
            // Split weight gradients do not wait for data in transit.
            let apart = scenario.plan.schedule.splits_backward();
            let later = if apart { passes.backward.weight_gradient_time() } else { 0.0 };
            let (forward, backward) = (passes.forward_time(), passes.backward_time() - later);
            passes.forward.await_host(forward, crossing);
            passes.backward.await_host(backward, crossing);
        }
    }

    /// Host memory bandwidth per GPU of the job, bytes per second: shared by the GPUs of a node, or by the job's GPUs
    /// if there are fewer.
    pub(super) fn host_memory_rate(&self) -> f64 {
        let (cluster, c) = (&self.program.scenario.cluster, self.program.constants);
        let node = f64::from(cluster.gpus_per_node.max(1));
        let sharing = f64::from(cluster.gpus.max(1)).min(node);
        cluster.host_link.0 * c.host_memory_over_link * c.host_memory_efficiency * node / sharing
    }

    /// Eager ranks of a tensor-parallel group wait for the slowest host; more ranks wait longer.
    fn jitter(&self) -> f64 {
        let t = f64::from(self.program.scenario.plan.tensor_parallel);
        let growth = if self.program.scenario.software.is_eager() {
            let share = (t / 8.0).min(1.0);
            share * share * share
        } else if t > 1.0 {
            0.1
        } else {
            0.0
        };
        1.0 + self.program.constants.host_jitter * growth
    }
}
