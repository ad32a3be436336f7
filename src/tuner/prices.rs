//! What layouts of one job share: prices and activations by what they depend on.

use crate::cost::Rates;
use crate::forecast::{PlaceKey, PlaceTimes, Predictor, PriceCache, Priced};
use crate::memory::MicroBatch;
use crate::scenario::Scenario;
use crate::scenario::plan::{Schedule, Zero};
use crate::schedule::SteadyScratch;

/// Entries that are kept at most, about 25 MB; of more, all are worked out again.
const MOST: usize = 10_000;

/// Prices of a job's places under one calibration.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a> {
    predictor: Predictor<'a>,
    rates: Rates<'a>,
    known: PriceCache<Known>,
    /// Where parameters are sharded, which the ranks of every layout do in another way.
    sharded: PriceCache<PlaceTimes>,
}

/// What is known of layouts that split layers and tokens alike.
#[derive(Debug, Clone)]
struct Known {
    micro_batch: MicroBatch,
    /// By the kernels of the levels of sharding ([`Zero::kernels`]), with weight gradients at once and apart; gathers take no
    /// time in them.
    times: [Option<Box<PlaceTimes>>; 2 * KERNELS],
}

/// Levels of sharding whose layers differ by more than gathers.
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

    /// What a micro-batch keeps, and the key that it is known by. The scenario's pipeline is plain, and nothing of it is
    /// sharded ([`plain`]).
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

    /// What the places of a scenario take at a level of sharding if nothing has to be gathered or fetched, with weight gradients
    /// at once or apart: exactly that where no parameters are sharded, and never more where they are.
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

    /// Seconds of a scenario's step. `places` is what its places take if its parameters are not sharded.
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

/// A scenario without its pipeline's schedule and without sharding, which neither memory nor time of a micro-batch on a
/// layer depends on otherwise.
pub(super) fn plain(scenario: &Scenario) -> Scenario {
    let mut plain = *scenario;
    plain.plan.schedule = Schedule::OneForwardOneBackward;
    plain.plan.zero = Zero::None;
    plain
}
