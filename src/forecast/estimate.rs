//! The numbers that ranking needs, and the prices that layouts of one job share.

use super::places::{PlaceCosts, Priced};
use super::step::Step;
use super::{Breakdown, Predictor, utilisation};
use crate::cost::{GroupPlacement, Rates};
use crate::memory::{self, MicroBatch};
use crate::scenario::Scenario;
use crate::scenario::plan::{GatherOverlap, Plan, Recompute, Schedule, Zero};
use crate::schedule::SteadyScratch;
use crate::step::{Groups, Program};
use crate::units::{Bytes, Seconds};

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
    pub(super) fn new(program: &Program<'_>, micro_batch: &MicroBatch, step: &Step) -> Self {
        let scenario = program.scenario;
        let [peak_memory, reserved_memory] = memory::peak_of(program, micro_batch);
        Self {
            step: Seconds(step.total),
            breakdown: step.breakdown,
            mfu: utilisation::mfu(scenario, step.total),
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
    predictor: Predictor<'a>,
    job: Scenario,
    /// Rates of the job, equal for all layouts.
    rates: Rates<'a>,
    /// Priced places.
    known: PriceCache<(PlaceCosts, MicroBatch)>,
    scratch: SteadyScratch,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        Self {
            predictor,
            job: *job,
            rates: predictor.rates(job),
            known: PriceCache::default(),
            scratch: SteadyScratch::default(),
        }
    }

    /// Same as [`Predictor::estimate`] of the job in this layout.
    pub fn estimate(&mut self, plan: &Plan) -> Estimate {
        self.job.plan = *plan;
        let priced = Priced { program: self.predictor.program(&self.job), rates: self.rates };
        let key = PlaceKey::new(&priced.program);
        let price = || key.price(&priced, |alike| (alike.places(), MicroBatch::new(&alike.program)));
        let (costs, micro_batch) = self.known.find_or_add(key, price);
        Estimate::new(&priced.program, micro_batch, &priced.step(costs, &mut self.scratch))
    }
}

/// Values by key.
#[derive(Debug, Clone)]
pub(crate) struct PriceCache<T> {
    keys: Keys,
    values: Vec<T>,
}

/// Keys in order of insertion, and sorted. One implementation for all values: the standard library's map would be
/// compiled for each type of value.
#[derive(Debug, Clone, Default)]
struct Keys {
    known: Vec<PlaceKey>,
    /// Places of the keys, sorted by key.
    sorted: Vec<u32>,
}

impl Keys {
    /// The place of a key, and whether it is new.
    fn place_or_add(&mut self, key: &PlaceKey) -> (usize, bool) {
        match self.find(key) {
            Ok(place) => (place, false),
            Err(among) => {
                self.sorted.insert(among, self.known.len() as u32);
                self.known.push(*key);
                (self.known.len() - 1, true)
            }
        }
    }

    /// The place of a key, or its insertion point among the sorted keys.
    fn find(&self, key: &PlaceKey) -> Result<usize, usize> {
        let found = self.sorted.binary_search_by(|place| self.known.get(*place as usize).cmp(&Some(key)));
        found.map(|among| self.sorted.get(among).map_or(0, |place| *place as usize))
    }
}

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
        self.keys = Keys::default();
        self.values.clear();
    }

    /// The value of a key.
    pub(crate) fn find(&mut self, key: &PlaceKey) -> Option<&mut T> {
        self.keys.find(key).ok().and_then(|place| self.values.get_mut(place))
    }

    /// The value of a key, computed if the key is new.
    pub(crate) fn find_or_add(&mut self, key: PlaceKey, make: impl FnOnce() -> T) -> &mut T {
        let (place, is_new) = self.keys.place_or_add(&key);
        if is_new {
            self.values.push(make());
        }
        // The place is one of the values'.
        &mut self.values[place]
    }
}

/// What a place's price depends on in a layout: all fields but those that only decide which stage holds what and when
/// it runs, and the placement of the groups in which the place's calls communicate. Prices are computed from this alone
/// ([`PlaceKey::price`]), so layouts with one key have one price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlaceKey {
    plan: Plan,
    groups: [[u64; 3]; 6],
}

impl PlaceKey {
    pub(crate) fn new(program: &Program<'_>) -> Self {
        let sharded = program.shards_parameters();
        let nowhere = [0; 3];
        let Groups { tensor, context, experts, expert_tensor, shard, expert_data, .. } = program.groups;
        let [shard, expert_data] =
            [shard, expert_data].map(|group| if sharded { bits(group) } else { nowhere });
        let [tensor, context, experts, expert_tensor] = [tensor, context, experts, expert_tensor].map(bits);
        Self {
            plan: of_places(&program.scenario.plan),
            groups: [tensor, context, experts, expert_tensor, shard, expert_data],
        }
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

    /// The result of `price` for this key's program, with the job and the rates of any program with this key.
    pub(crate) fn price<T>(&self, of: &Priced<'_>, price: impl FnOnce(&Priced<'_>) -> T) -> T {
        let scenario = Scenario { plan: self.plan, ..*of.program.scenario };
        let mut program = Program::new(&scenario, of.program.constants);
        let [tensor, context, experts, expert_tensor, shard, expert_data] = self
            .groups
            .map(|bits| bits.map(f64::from_bits))
            .map(|[size, in_domain, span]| GroupPlacement { size, in_domain, span });
        program.groups =
            Groups { tensor, context, experts, expert_tensor, shard, expert_data, ..program.groups };
        price(&Priced { program, rates: of.rates })
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

/// Stands for any schedule with split weight gradients.
const SPLIT: Schedule = Schedule::ZeroBubbleH1;
