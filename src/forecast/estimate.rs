//! The few numbers that ranking needs, and how layouts of one job share what they cost to work out.

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

/// The numbers that ranking needs, for one scenario: the same as a prediction's, without the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Time of one step.
    pub step: Seconds,
    /// Where it goes.
    pub breakdown: Breakdown,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second and GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// Whether it fits.
    pub fits: bool,
}

impl Estimate {
    pub(super) fn new(program: &Program<'_>, micro_batch: &MicroBatch, step: &Step) -> Self {
        let scenario = program.scenario;
        let (peak_memory, _) = memory::peak_of(program, micro_batch);
        Self {
            step: Seconds(step.total),
            breakdown: step.breakdown,
            mfu: utilisation::mfu(scenario, step.total),
            tokens_per_s_per_gpu: utilisation::tokens_per_s_per_gpu(scenario, step.total),
            peak_memory,
            fits: memory::fits(scenario, peak_memory),
        }
    }
}

/// Estimates layouts of one job and prices every distinct place once: what a layer costs and keeps depends on few of a layout's
/// fields, which most layouts of a search share.
#[derive(Debug, Clone)]
pub struct Estimator<'a> {
    predictor: Predictor<'a>,
    job: Scenario,
    /// Rates are the job's, whatever its layout.
    rates: Rates<'a>,
    /// Places that are priced.
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

    /// The same as [`Predictor::estimate`] of the job in this layout.
    pub fn estimate(&mut self, plan: &Plan) -> Estimate {
        self.job.plan = *plan;
        let priced = Priced { program: self.predictor.program(&self.job), rates: self.rates };
        let key = PlaceKey::new(&priced.program);
        let price = || key.price(&priced, |alike| (alike.places(), MicroBatch::new(&alike.program)));
        let (costs, micro_batch) = self.known.find_or_add(key, price);
        Estimate::new(&priced.program, micro_batch, &priced.step(costs, &mut self.scratch))
    }
}

/// What is known by keys.
#[derive(Debug, Clone)]
pub(crate) struct PriceCache<T> {
    keys: Keys,
    values: Vec<T>,
}

/// Keys in the order in which they came, and sorted. One piece of code whatever is known by them: a map of the standard
/// library's is compiled anew for every kind of value.
#[derive(Debug, Clone, Default)]
struct Keys {
    known: Vec<PlaceKey>,
    /// Places of the keys, by key.
    sorted: Vec<u32>,
}

impl Keys {
    /// The place of a key, and whether it is new there.
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

    /// The place of a key, or where it belongs among the sorted.
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
    /// How much is known.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.keys = Keys::default();
        self.values.clear();
    }

    /// What is known by a key.
    pub(crate) fn find(&mut self, key: &PlaceKey) -> Option<&mut T> {
        self.keys.find(key).ok().and_then(|place| self.values.get_mut(place))
    }

    /// What is known by a key, worked out where it is new.
    pub(crate) fn find_or_add(&mut self, key: PlaceKey, make: impl FnOnce() -> T) -> &mut T {
        let (place, is_new) = self.keys.place_or_add(&key);
        if is_new {
            self.values.push(make());
        }
        // The place is one of the values'.
        &mut self.values[place]
    }
}

/// What the price of a place depends on, of a layout: all its fields but those that only say which stage holds what and when it
/// runs, and where the groups sit that the calls of a place communicate in. Prices are worked out from this alone
/// ([`PlaceKey::price`]), so that layouts of one key have one price.
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

    /// This key, of a layout that shards nothing, at a level of sharding if nothing had to be gathered or fetched, and with
    /// weight gradients at once or apart.
    pub(crate) fn without_gathers(self, level: Zero, apart: bool) -> Self {
        let mut plan = Plan { zero: level, ..self.plan };
        if apart {
            plan.schedule = SPLIT;
        }
        let [tensor, context, experts, expert_tensor, ..] = self.groups;
        let alone = bits(GroupPlacement::strided(1, 1, 1));
        Self { plan: of_places(&plan), groups: [tensor, context, experts, expert_tensor, alone, alone] }
    }

    /// What `price` makes of this key's program, with the job and the rates of any program that has this key.
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

/// The layout with every field that no place depends on set to its value in [`Plan::PLAIN`]. Every field is named, so that one
/// more has to be sorted here, too.
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
        // A tied embedding is gathered once where the head is on its stage.
        pipeline_parallel: if sharded && !plan.embedding_and_head(0).1 { 2 } else { 1 },
        schedule: if plan.schedule.splits_backward() { SPLIT } else { Plan::PLAIN.schedule },
        zero: if plan.zero == Zero::Optimizer { Zero::None } else { plan.zero },
        micro_batch: plan.micro_batch,
        // How many layers are recomputed says how often places are visited, not what they take.
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

/// A schedule that runs weight gradients apart, for any that does.
const SPLIT: Schedule = Schedule::ZeroBubbleH1;
