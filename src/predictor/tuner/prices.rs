//! Prices and activations that layouts of one job share, by what they depend on.

use crate::forecast::{JobShares, PlaceKey, PlaceTimes, Predictor, PriceCache, Priced};
use crate::memory::MicroBatch;
use crate::scenario::Scenario;
use crate::scenario::model::Layers;
use crate::scenario::plan::{Schedule, Zero};
use crate::schedule::SteadyScratch;
use crate::step::Groups;

/// Most cached entries, about 25 MB; beyond that, the cache is cleared.
const MOST: usize = 10_000;

/// Prices of a job's places under one calibration.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a> {
    shared: JobShares<'a>,
    known: PriceCache<Known>,
    /// For sharded parameters, which differ by the ranks of each layout.
    sharded: PriceCache<PlaceTimes>,
}

/// Prices of layouts with the same split of layers and tokens.
#[derive(Debug, Clone)]
struct Known {
    micro_batch: MicroBatch,
    /// By kernels of the sharding levels ([`Zero::kernels`]), with weight gradients fused and split; without gathers.
    times: [Option<Box<PlaceTimes>>; 2 * KERNELS],
}

/// Levels of sharding whose layers differ in more than gathers.
pub(super) const KERNELS: usize = 3;

impl<'a> Prices<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        let shared = JobShares::new(predictor, job);
        Self { shared, known: PriceCache::default(), sharded: PriceCache::default() }
    }

    /// The layers of the job's model.
    pub(super) fn layers(&self) -> &Layers {
        self.shared.layers()
    }

    /// A scenario's program with the job's rates.
    pub(super) fn priced<'s>(&mut self, scenario: &'s Scenario) -> Priced<'s>
    where
        'a: 's,
    {
        self.shared.priced(scenario)
    }

    /// Clears a full cache: places in it ([`Prices::place`]) are then no longer valid.
    pub(super) fn trim(&mut self) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        if self.sharded.len() >= MOST {
            self.sharded.clear();
        }
    }

    /// Place of a scenario's prices in the cache. Expects a plain, unsharded scenario ([`plain`]).
    pub(super) fn place(&mut self, scenario: &Scenario) -> usize {
        let key = PlaceKey::new(scenario, &Groups::new(scenario));
        let shared = &mut self.shared;
        self.known.place_or_add(&key, || {
            let micro_batch =
                shared.price(scenario, &key, |alike, layers| MicroBatch::new(&alike.program, &layers.calls));
            Known { micro_batch, times: Default::default() }
        })
    }

    /// What a micro-batch keeps.
    pub(super) fn micro_batch(&self, place: usize) -> &MicroBatch {
        &self.known.value(place).micro_batch
    }

    /// Times of a scenario's places at a level of sharding without gathers or fetches, with weight gradients fused or
    /// split: exact if parameters are not sharded, else a lower bound.
    pub(super) fn places(
        &mut self,
        place: usize,
        scenario: &Scenario,
        level: Zero,
        apart: bool,
    ) -> &PlaceTimes {
        let (shared, (key, known)) = (&mut self.shared, self.known.entry(place));
        known.times[2 * level.kernels() + usize::from(apart)].get_or_insert_with(|| {
            let key = key.without_gathers(level, apart);
            Box::new(shared.price(scenario, &key, |alike, layers| alike.times_of(layers)))
        })
    }

    /// Seconds of a scenario's step.
    pub(super) fn step(&mut self, scenario: &Scenario, scratch: &mut SteadyScratch) -> f64 {
        if !scenario.plan.zero.shards_parameters() {
            let plain = plain(scenario);
            let place = self.place(&plain);
            let apart = scenario.plan.schedule.splits_backward();
            let places = *self.places(place, &plain, scenario.plan.zero, apart);
            return self.priced(scenario).duration(&places, scratch);
        }
        let key = PlaceKey::new(scenario, &Groups::new(scenario));
        let shared = &mut self.shared;
        let times = || shared.price(scenario, &key, |alike, layers| alike.times_of(layers));
        let place = self.sharded.place_or_add(&key, times);
        self.priced(scenario).duration(self.sharded.value(place), scratch)
    }
}

/// A scenario without its pipeline schedule and sharding, which memory and time of a micro-batch on a layer do not
/// otherwise depend on.
pub(super) fn plain(scenario: &Scenario) -> Scenario {
    let mut plain = *scenario;
    plain.plan.schedule = Schedule::OneForwardOneBackward;
    plain.plan.zero = Zero::None;
    plain
}
