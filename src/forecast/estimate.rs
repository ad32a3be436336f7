//! The few numbers that ranking needs, and how layouts of one job share what they cost to work out.

use super::places::{PlaceCosts, Priced};
use super::step::Step;
use super::{Breakdown, Predictor, utilisation};
use crate::cost::{GroupPlacement, Rates};
use crate::memory::{self, MicroBatch};
use crate::scenario::Scenario;
use crate::scenario::plan::{Modules, Plan, Recompute};
use crate::schedule::Scratch;
use crate::step::Program;
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
    known: Shelf<(PlaceCosts, MicroBatch)>,
    scratch: Scratch,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        Self {
            predictor,
            job: *job,
            rates: predictor.rates(job),
            known: Shelf::default(),
            scratch: Scratch::default(),
        }
    }

    /// The same as [`Predictor::estimate`] of the job in this layout.
    pub fn estimate(&mut self, plan: &Plan) -> Estimate {
        self.job.plan = *plan;
        let priced = Priced { program: self.predictor.program(&self.job), rates: self.rates };
        let program = &priced.program;
        let price = || (priced.places(), MicroBatch::new(program));
        let (costs, micro_batch) = self.known.find_or_add(Key::new(program), price);
        Estimate::new(program, micro_batch, &priced.step(costs, &mut self.scratch))
    }
}

/// What is known by keys.
#[derive(Debug, Clone)]
pub(crate) struct Shelf<T> {
    keys: Keys,
    values: Vec<T>,
}

/// Keys in the order in which they came, and sorted. One piece of code whatever is known by them: a map of the standard
/// library's is compiled anew for every kind of value.
#[derive(Debug, Clone, Default)]
struct Keys {
    known: Vec<Key>,
    /// Places of the keys, by key.
    sorted: Vec<u32>,
}

impl Keys {
    /// The place of a key, and whether it is new there.
    fn place_or_add(&mut self, key: &Key) -> (usize, bool) {
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
    fn find(&self, key: &Key) -> Result<usize, usize> {
        let found = self.sorted.binary_search_by(|place| self.known.get(*place as usize).cmp(&Some(key)));
        found.map(|among| self.sorted.get(among).map_or(0, |place| *place as usize))
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { keys: Keys::default(), values: Vec::new() }
    }
}

impl<T> Shelf<T> {
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
    pub(crate) fn find(&mut self, key: &Key) -> Option<&mut T> {
        self.keys.find(key).ok().and_then(|place| self.values.get_mut(place))
    }

    /// What is known by a key, worked out where it is new.
    pub(crate) fn find_or_add(&mut self, key: Key, make: impl FnOnce() -> T) -> &mut T {
        let (place, is_new) = self.keys.place_or_add(&key);
        if is_new {
            self.values.push(make());
        }
        // The place is one of the values'.
        &mut self.values[place]
    }
}

/// What the price of a place depends on, of a layout: all its fields but those that only say which stage holds what and
/// when it runs, and where the groups sit that the calls of a place communicate in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    degrees: [u32; 6],
    modules: Modules,
    switches: u32,
    groups: [[u64; 3]; 6],
}

/// A number for each kind of recompute, and the modules that are chosen. How many layers are recomputed says how often places are
/// visited, not what they take.
fn kind_of(recompute: Recompute) -> (u32, Modules) {
    match recompute {
        Recompute::None => (0, Modules::default()),
        Recompute::Selective => (1, Modules::default()),
        Recompute::Full => (2, Modules::default()),
        Recompute::Modules(set) => (3, set),
        Recompute::Every(_) => (4, Modules::default()),
    }
}

impl Key {
    pub(crate) fn new(program: &Program<'_>) -> Self {
        // Every field is named, so that one more has to be sorted here, too.
        let Plan {
            tensor_parallel,
            sequence_parallel,
            context_parallel,
            context_exchange,
            expert_parallel,
            expert_tensor_parallel,
            schedule,
            zero,
            micro_batch,
            recompute,
            tensor_overlap,
            expert_overlap,
            data_overlap,
            gather_overlap: _,
            shard_group: _,
            offload_activations,
            pipeline_parallel: _,
            virtual_stages: _,
            pipeline_overlap: _,
            offload_optimizer: _,
            offload_parameters: _,
            mapping: _,
            stage_split: _,
        } = program.scenario.plan;
        let sharded = zero.shards_parameters();
        let (recompute, modules) = kind_of(recompute);
        let zero = zero.kernels() as u32 + u32::from(sharded && program.scenario.plan.shards_in_groups());
        let flags = [
            sequence_parallel,
            tensor_overlap,
            expert_overlap,
            data_overlap && sharded,
            program.scenario.plan.gathers_overlap() && sharded,
            program.scenario.plan.fetches_parameters(),
            schedule.splits_backward(),
        ];
        let flags = flags.iter().fold(0, |bits, flag| 2 * bits + u32::from(*flag));
        Self {
            degrees: [
                tensor_parallel,
                context_parallel,
                expert_parallel,
                expert_tensor_parallel,
                micro_batch,
                offload_activations,
            ],
            modules,
            switches: ((flags * 3 + context_exchange as u32) * 4 + zero) * 5 + recompute,
            groups: Self::groups(program, sharded),
        }
    }

    /// Where the groups sit that the calls of a place communicate in; nowhere for one that none does.
    fn groups(program: &Program<'_>, sharded: bool) -> [[u64; 3]; 6] {
        let bits = |group: GroupPlacement, applies: bool| {
            if applies { [group.size, group.in_domain, group.span].map(f64::to_bits) } else { [0; 3] }
        };
        let groups = &program.groups;
        [
            bits(groups.tensor, true),
            bits(groups.context, true),
            bits(groups.experts, true),
            bits(groups.expert_tensor, true),
            bits(groups.shard, sharded),
            bits(groups.expert_data, sharded),
        ]
    }
}
