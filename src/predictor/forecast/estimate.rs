//! The numbers that ranking needs, and the prices that layouts of one job share.

use super::layers::{ModelEnds, PricedLayer, PricedLayers};
use super::places::{PlaceCosts, Priced};
use super::step::Step;
use super::{Breakdown, Predictor, utilisation};
use crate::cost::{GroupPlacement, Rates};
use crate::memory::{self, MicroBatch};
use crate::scenario::Scenario;
use crate::scenario::model::{LayerKind, LayerShares, Layers, Mixer};
use crate::scenario::plan::stages::LayoutParameters;
use crate::scenario::plan::{GatherOverlap, Plan, Recompute, Schedule, Zero};
use crate::schedule::SteadyScratch;
use crate::step::{Groups, Program};
use crate::units::{Bytes, Seconds};
use std::sync::Arc;

/// The numbers that ranking needs, for one scenario: equal to a prediction's, without the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Time of one step.
    pub step: Seconds,
    /// Its breakdown.
    pub breakdown: Breakdown,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second per GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// What the allocator would reserve for it of a device without end.
    pub reserved_memory: Bytes,
    /// Whether it fits.
    pub fits: bool,
}

impl Estimate {
    /// `model_flops` are those of the job's model in one step.
    pub(super) fn new(
        program: &Program<'_>,
        micro_batch: &MicroBatch,
        step: &Step,
        model_flops: f64,
    ) -> Self {
        let scenario = program.scenario;
        let [peak_memory, reserved_memory] = memory::peak_of(program, micro_batch);
        Self {
            step: Seconds(step.total),
            breakdown: step.breakdown,
            mfu: utilisation::of_peak(scenario, model_flops, step.total),
            tokens_per_s_per_gpu: utilisation::tokens_per_s_per_gpu(scenario, step.total),
            peak_memory,
            reserved_memory,
            fits: memory::fits(scenario, peak_memory),
        }
    }
}

/// Estimates layouts of one job and prices every distinct place once: a layer's cost and saved activations depend on
/// few fields of a layout, which most layouts of a search share.
#[derive(Debug, Clone)]
pub struct Estimator<'a> {
    job: Scenario,
    shared: JobShares<'a>,
    /// FLOPs of its model in one step.
    model_flops: f64,
    /// Priced places.
    known: PriceCache<(PlaceCosts, MicroBatch)>,
    scratch: SteadyScratch,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        Self {
            job: *job,
            shared: JobShares::new(predictor, job),
            model_flops: utilisation::model_flops(job),
            known: PriceCache::default(),
            scratch: SteadyScratch::default(),
        }
    }

    /// Same as [`Predictor::estimate`] of the job in this layout.
    pub fn estimate(&mut self, plan: &Plan) -> Estimate {
        self.job.plan = *plan;
        let priced = self.shared.priced(&self.job);
        let key = PlaceKey::new(&self.job, &priced.program.groups);
        let price = || {
            self.shared.price(&self.job, &key, |alike, layers| {
                (alike.places_of(layers), MicroBatch::new(&alike.program, &layers.calls))
            })
        };
        let place = self.known.place_or_add(&key, price);
        let (costs, micro_batch) = self.known.value(place);
        let step = priced.step(costs, &mut self.scratch);
        Estimate::new(&priced.program, micro_batch, &step, self.model_flops)
    }
}

/// What all layouts of a job share: the layers of its model, and the rates.
#[derive(Debug, Clone)]
pub(crate) struct JobShares<'a> {
    predictor: Predictor<'a>,
    layers: Layers,
    rates: Rates<'a>,
    /// The last layout's shares of a layer, and its parameters.
    parameters: (LayerShares, LayoutParameters),
    /// Calls of one layer of each kind.
    calls: Vec<PriceCache<PricedLayer>>,
    ends: PriceCache<Arc<ModelEnds>>,
}

/// Most lists of calls that are kept of a kind of layer, and ends of the model.
const MOST_LISTS: usize = 64;

impl<'a> JobShares<'a> {
    pub(crate) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        let layers = job.layers();
        let calls = layers.kinds().iter().map(|_| PriceCache::default()).collect();
        let shares = job.plan.layer_shares();
        let parameters = (shares, LayoutParameters::new(&job.model, &layers, shares));
        let rates = predictor.rates(job);
        Self { predictor, layers, rates, parameters, calls, ends: PriceCache::default() }
    }

    /// The layers of its model.
    pub(crate) fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The program of one of its layouts, with its rates.
    pub(crate) fn priced<'s>(&mut self, scenario: &'s Scenario) -> Priced<'s>
    where
        'a: 's,
    {
        let shares = scenario.plan.layer_shares();
        if self.parameters.0 != shares {
            self.parameters = (shares, LayoutParameters::new(&scenario.model, &self.layers, shares));
        }
        let of_model = (&self.layers, &self.parameters.1);
        let program = Program::with_layers(scenario, self.predictor.constants, of_model);
        Priced { program, rates: self.rates }
    }

    /// The result of `price` for a key's program, of any of its layouts, and the calls of its layers.
    pub(crate) fn price<T>(
        &mut self,
        job: &Scenario,
        key: &PlaceKey,
        price: impl FnOnce(&Priced<'_>, &PricedLayers) -> T,
    ) -> T {
        let scenario = Scenario { plan: key.plan, ..*job };
        let Priced { mut program, rates } = self.priced(&scenario);
        let [tensor, context, experts, expert_tensor, shard, expert_data] = key
            .groups
            .map(|bits| bits.map(f64::from_bits))
            .map(|[size, in_domain, span]| GroupPlacement { size, in_domain, span });
        program.groups =
            Groups { tensor, context, experts, expert_tensor, shard, expert_data, ..program.groups };
        let priced = Priced { program, rates };
        price(&priced, &self.layers_of(&priced, key))
    }

    /// The calls of one layer of each kind, and the ends of the model, of a key's program.
    fn layers_of(&mut self, priced: &Priced<'_>, key: &PlaceKey) -> PricedLayers {
        let ends = self.ends.recent(&key.of_ends(), || priced.ends().into()).clone();
        let sharding = priced.program.layers_depend_on_sharding();
        let kinds = self.layers.kinds().iter().zip(&mut self.calls).enumerate();
        let layers = kinds.map(|(kind, (of, known))| {
            known.recent(&key.of_layer(*of, sharding), || priced.calls_within(kind)).clone()
        });
        PricedLayers::new(ends, layers)
    }
}

/// Values by key.
#[derive(Debug, Clone)]
pub(crate) struct PriceCache<T> {
    keys: Keys,
    values: Vec<T>,
}

/// Keys in order of insertion, and a table of their places by hash. One implementation for all values: the standard
/// library's map would be compiled for each type of value.
#[derive(Debug, Clone, Default)]
struct Keys {
    known: Vec<PlaceKey>,
    /// Places of the keys, each counted from 1 and in the first free slot from its hash on; 0 in a free slot. At most half of
    /// these are taken, and their number is a power of 2.
    slots: Vec<u32>,
}

impl Keys {
    /// The place of a key, and whether it is new.
    fn place_or_add(&mut self, key: &PlaceKey) -> (usize, bool) {
        if 2 * self.known.len() >= self.slots.len() {
            self.grow();
        }
        let (slot, place) = self.find(key);
        if let Some(place) = place {
            return (place, false);
        }
        self.known.push(*key);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = self.known.len() as u32;
        }
        (self.known.len() - 1, true)
    }

    /// The slot of a key, or a free one for it, and its place.
    fn find(&self, key: &PlaceKey) -> (usize, Option<usize>) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = key.hash() as usize & mask;
        while let Some(place) = self.slots.get(slot).and_then(|count| (*count as usize).checked_sub(1)) {
            if self.known.get(place) == Some(key) {
                return (slot, Some(place));
            }
            slot = (slot + 1) & mask;
        }
        (slot, None)
    }

    fn clear(&mut self) {
        self.known.clear();
        self.slots.fill(0);
    }

    /// Makes room.
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(FEWEST_SLOTS);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (count, key) in (1..).zip(&self.known) {
            let (slot, _) = self.find(key);
            if let Some(slot) = self.slots.get_mut(slot) {
                *slot = count;
            }
        }
    }
}

/// Slots of a table that has any keys.
const FEWEST_SLOTS: usize = 16;

impl<T> Default for PriceCache<T> {
    fn default() -> Self {
        Self { keys: Keys::default(), values: Vec::new() }
    }
}

impl<T> PriceCache<T> {
    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Removes all keys.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// The place of a key, whose value is computed if the key is new.
    pub(crate) fn place_or_add(&mut self, key: &PlaceKey, make: impl FnOnce() -> T) -> usize {
        let (place, is_new) = self.keys.place_or_add(key);
        if is_new {
            self.values.push(make());
        }
        place
    }

    /// The value of a key, of which only some of the latest are kept.
    fn recent(&mut self, key: &PlaceKey, make: impl FnOnce() -> T) -> &T {
        if self.len() >= MOST_LISTS {
            self.clear();
        }
        let place = self.place_or_add(key, make);
        self.value(place)
    }

    /// The value at a place.
    pub(crate) fn value(&self, place: usize) -> &T {
        &self.values[place]
    }

    /// The key and the value at a place.
    pub(crate) fn entry(&mut self, place: usize) -> (&PlaceKey, &mut T) {
        (&self.keys.known[place], &mut self.values[place])
    }
}

/// What a place's price depends on in a layout: all fields but those that only decide which stage holds what and when
/// it runs, and the placement of the groups in which the place's calls communicate. Prices are computed from this alone
/// ([`JobShares::price`]), so layouts with one key have one price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlaceKey {
    plan: Plan,
    groups: [[u64; 3]; 6],
}

impl PlaceKey {
    pub(crate) fn new(scenario: &Scenario, groups: &Groups) -> Self {
        let sharded = scenario.plan.zero.shards_parameters();
        let Groups { tensor, context, experts, expert_tensor, shard, expert_data, .. } = *groups;
        let [shard, expert_data] =
            [shard, expert_data].map(|group| if sharded { bits(group) } else { NOWHERE });
        let [tensor, context, experts, expert_tensor] = [tensor, context, experts, expert_tensor].map(bits);
        Self {
            plan: of_places(&scenario.plan),
            groups: [tensor, context, experts, expert_tensor, shard, expert_data],
        }
    }

    /// A hash of what differs most between the layouts of a job (FNV-1a, a word at a time).
    fn hash(&self) -> u32 {
        let plan = &self.plan;
        let degrees = [plan.tensor_parallel, plan.context_parallel, plan.expert_parallel];
        let others = [plan.expert_tensor_parallel, plan.micro_batch, plan.offload_activations];
        let modes = [
            plan.zero as u32,
            plan.context_exchange as u32,
            u32::from(plan.sequence_parallel),
            u32::from(plan.recompute == Recompute::None)
                + 2 * u32::from(plan.recompute == Recompute::Selective),
        ];
        let words = degrees.into_iter().chain(others).chain(modes);
        let hash = words.fold(0x811c_9dc5, |hash: u32, word| (hash ^ word).wrapping_mul(0x0100_0193));
        hash ^ hash >> 15
    }

    /// This key, of an unsharded layout, at a level of sharding without gathers or fetches, and with weight gradients
    /// fused or split.
    pub(crate) fn without_gathers(self, level: Zero, apart: bool) -> Self {
        let mut plan = Plan { zero: level, ..self.plan };
        if apart {
            plan.schedule = SPLIT;
        }
        let [tensor, context, experts, expert_tensor, ..] = self.groups;
        let alone = bits(GroupPlacement::strided(1, 1, 1));
        Self { plan: of_places(&plan), groups: [tensor, context, experts, expert_tensor, alone, alone] }
    }

    /// What the calls of a layer of one kind depend on, but for those for its sharded parameters and what runs again: on
    /// `sharding` perhaps; on the degrees of experts if it has them, on the exchange of keys and values if it mixes tokens.
    fn of_layer(&self, kind: LayerKind, sharding: bool) -> Self {
        let Self { plan, groups } = self.without(kind.mixer != Mixer::None, kind.has_experts());
        let Plan { data_overlap, gather_overlap, shard_group, offload_parameters, pipeline_parallel, .. } =
            Plan::PLAIN;
        let zero = if sharding { plan.zero } else { Plan::PLAIN.zero };
        let alike = Plan { zero, data_overlap, gather_overlap, shard_group, offload_parameters, ..plan };
        let [tensor, context, experts, expert_tensor, ..] = groups;
        Self {
            plan: Plan { pipeline_parallel, ..alike },
            groups: [tensor, context, experts, expert_tensor, NOWHERE, NOWHERE],
        }
    }

    /// What the ends of the model depend on.
    fn of_ends(&self) -> Self {
        self.without(false, false)
    }

    /// This key in any mode of recomputation and any schedule, and with any degrees of experts and any exchange of keys and values
    /// if they do not matter.
    fn without(&self, mixes: bool, has_experts: bool) -> Self {
        let Plan { recompute, schedule, .. } = Plan::PLAIN;
        let Plan { expert_parallel, expert_tensor_parallel, expert_overlap, context_exchange, .. } =
            Plan::PLAIN;
        let mut key = Self { plan: Plan { recompute, schedule, ..self.plan }, ..*self };
        if !has_experts {
            key.plan = Plan { expert_parallel, expert_tensor_parallel, expert_overlap, ..key.plan };
            [key.groups[2], key.groups[3], key.groups[5]] = [NOWHERE; 3];
        }
        if !mixes {
            key.plan.context_exchange = context_exchange;
            key.groups[1] = NOWHERE;
        }
        key
    }
}

fn bits(group: GroupPlacement) -> [u64; 3] {
    [group.size, group.in_domain, group.span].map(f64::to_bits)
}

/// The layout with every field that no place depends on reset to its value in [`Plan::PLAIN`]. All fields are named, so
/// that a new field has to be classified here.
fn of_places(plan: &Plan) -> Plan {
    let Plan { virtual_stages, pipeline_overlap, offload_optimizer, mapping, stage_split, .. } = Plan::PLAIN;
    let sharded = plan.zero.shards_parameters();
    Plan {
        tensor_parallel: plan.tensor_parallel,
        sequence_parallel: plan.sequence_parallel,
        context_parallel: plan.context_parallel,
        context_exchange: plan.context_exchange,
        expert_parallel: plan.expert_parallel,
        expert_tensor_parallel: plan.expert_tensor_parallel,
        // A tied embedding is gathered once if the head is on its stage.
        pipeline_parallel: if sharded && !plan.embedding_and_head(0).1 { 2 } else { 1 },
        schedule: if plan.schedule.splits_backward() { SPLIT } else { Plan::PLAIN.schedule },
        zero: if plan.zero == Zero::Optimizer { Zero::None } else { plan.zero },
        micro_batch: plan.micro_batch,
        // The number of recomputed layers changes how often places are visited, not their cost.
        recompute: if plan.recompute.every() > 1 { Recompute::Every(2) } else { plan.recompute },
        tensor_overlap: plan.tensor_overlap,
        expert_overlap: plan.expert_overlap,
        data_overlap: plan.data_overlap || !sharded,
        gather_overlap: match sharded && !plan.gathers_overlap() {
            true => GatherOverlap::Waits,
            false => GatherOverlap::Overlaps,
        },
        shard_group: u32::from(sharded && plan.shard_group > 0),
        offload_activations: plan.offload_activations,
        offload_parameters: plan.fetches_parameters(),
        virtual_stages,
        pipeline_overlap,
        offload_optimizer,
        mapping,
        stage_split,
    }
}

/// Stands for a group that does not matter.
const NOWHERE: [u64; 3] = [0; 3];

/// Stands for any schedule with split weight gradients.
const SPLIT: Schedule = Schedule::ZeroBubbleH1;
