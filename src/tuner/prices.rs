//! Prices and activations that layouts of one job share, by what they depend on.

use crate::cost::Rates;
use crate::forecast::{PlaceKey, PlaceTimes, Predictor, PriceCache, Priced};
use crate::memory::MicroBatch;
use crate::scenario::Scenario;
use crate::scenario::plan::{Schedule, Zero};
use crate::schedule::SteadyScratch;

/// Most cached entries, about 25 MB; beyond that, the cache is cleared.
const MOST: usize = 10_000;

/// Prices of a job's places under one calibration.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a> {
    predictor: Predictor<'a>,
    rates: Rates<'a>,
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
        let rates = predictor.rates(job);
        Self { predictor, rates, known: PriceCache::default(), sharded: PriceCache::default() }
    }

    /// A scenario's program with the job's rates.
    pub(super) fn priced<'s>(&self, scenario: &'s Scenario) -> Priced<'s>
    where
        'a: 's,
    {
        Priced { program: self.predictor.program(scenario), rates: self.rates }
    }

    /// What a micro-batch keeps, and its cache key. Expects a plain, unsharded scenario ([`plain`]).
    pub(super) fn micro_batch(&mut self, scenario: &Scenario) -> (PlaceKey, MicroBatch) {
        let priced = self.priced(scenario);
        let key = PlaceKey::new(&priced.program);
        let micro_batch = || key.price(&priced, |alike| MicroBatch::new(&alike.program));
        let make = || Known { micro_batch: micro_batch(), times: Default::default() };
        if self.known.len() >= MOST {
            self.known.clear();
        }
        (key, self.known.find_or_add(key, make).micro_batch)
    }

    /// Times of a scenario's places at a level of sharding without gathers or fetches, with weight gradients fused or
    /// split: exact if parameters are not sharded, else a lower bound.
    pub(super) fn places(
        &mut self,
        key: &PlaceKey,
        scenario: &Scenario,
        level: Zero,
        apart: bool,
    ) -> PlaceTimes {
        let place = 2 * level.kernels() + usize::from(apart);
        let found = self.known.find(key).and_then(|known| known.times.get(place)?.as_deref().copied());
        found.unwrap_or_else(|| {
            let priced = self.priced(scenario);
            let times = key.without_gathers(level, apart).price(&priced, |alike| alike.places().times());
            if let Some(slot) = self.known.find(key).and_then(|known| known.times.get_mut(place)) {
                *slot = Some(Box::new(times));
            }
            times
        })
    }

    /// Seconds of a scenario's step. `places` are the times of its places without sharded parameters.
    pub(super) fn step(
        &mut self,
        scenario: &Scenario,
        places: &PlaceTimes,
        scratch: &mut SteadyScratch,
    ) -> f64 {
        let priced = self.priced(scenario);
        if !scenario.plan.zero.shards_parameters() {
            return priced.duration(places, scratch);
        }
        if self.sharded.len() >= MOST {
            self.sharded.clear();
        }
        let key = PlaceKey::new(&priced.program);
        let places = self.sharded.find_or_add(key, || key.price(&priced, |alike| alike.places().times()));
        priced.duration(places, scratch)
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
