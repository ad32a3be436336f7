//! What layouts of one job share: prices and activations by what they depend on.

use crate::cost::Rates;
use crate::forecast::{PlaceTimes, Predictor, PriceKey, Priced, Shelf};
use crate::memory::MicroBatch;
use crate::scenario::Scenario;
use crate::scenario::plan::{Schedule, Zero};
use crate::schedule::Scratch;

/// Entries that are kept at most, about 15 MB; of more, all are worked out again.
const MOST: usize = 20_000;
/// A schedule whose weight gradients run apart, for what they take wherever they do.
const APART: Schedule = Schedule::ZeroBubbleH1;

/// Prices of a job's places under one calibration.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a> {
    predictor: Predictor<'a>,
    rates: Rates<'a>,
    known: Shelf<Known>,
    /// Where parameters are sharded, which the ranks of every layout do in another way.
    sharded: Shelf<PlaceTimes>,
}

/// What is known of layouts that split layers and tokens alike.
#[derive(Debug, Clone)]
struct Known {
    micro_batch: MicroBatch,
    /// Where no parameters are sharded: with weight gradients at once, and apart.
    times: [Option<PlaceTimes>; 2],
}

impl<'a> Prices<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        let rates = predictor.rates(job);
        Self { predictor, rates, known: Shelf::default(), sharded: Shelf::default() }
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
    pub(super) fn micro_batch(&mut self, scenario: &Scenario) -> (PriceKey, MicroBatch) {
        let priced = self.priced(scenario);
        let key = PriceKey::new(&priced.program);
        let make = || Known { micro_batch: MicroBatch::new(&priced.program), times: [None; 2] };
        if self.known.len() >= MOST {
            self.known.clear();
        }
        (key, self.known.find_or_add(key, make).micro_batch)
    }

    /// What the places of a scenario take where nothing is sharded, with weight gradients at once or apart.
    pub(super) fn places(&mut self, key: &PriceKey, scenario: &Scenario, apart: bool) -> PlaceTimes {
        let place = usize::from(apart);
        let found = self.known.find(key).and_then(|known| *known.times.get(place)?);
        found.unwrap_or_else(|| {
            let mut scenario = *scenario;
            if apart {
                scenario.plan.schedule = APART;
            }
            let times = self.priced(&scenario).places().times();
            if let Some(slot) = self.known.find(key).and_then(|known| known.times.get_mut(place)) {
                *slot = Some(times);
            }
            times
        })
    }

    /// Seconds of a scenario's step. `places` is what its places take if its parameters are not sharded.
    pub(super) fn step(&mut self, scenario: &Scenario, places: &PlaceTimes, scratch: &mut Scratch) -> f64 {
        let priced = self.priced(scenario);
        if !scenario.plan.zero.shards_parameters() {
            return priced.duration(places, scratch);
        }
        if self.sharded.len() >= MOST {
            self.sharded.clear();
        }
        let times = || priced.places().times();
        let places = self.sharded.find_or_add(PriceKey::new(&priced.program), times);
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
