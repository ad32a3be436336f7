//! A few measured steps of the user: how far compute, network and host would have to move to explain them.
//!
//! Few steps cannot determine many constants. Three factors move, each a group of constants that one machine's
//! peculiarity touches alike, and each only as far as the runs are evidence for it: a factor that the forecasts
//! hardly depend on stays where it is.

use crate::constants::Constants;
use crate::forecast::{Predictor, UserRun};
use libm::{exp, log};
use serde::{Deserialize, Serialize};

/// What may be faster or slower on the user's machines than on those of the calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachinePart {
    /// Rates of matrix products, attention and device memory.
    Compute,
    /// Rates of the network and of the scale-up fabric.
    Network,
    /// Time that the host needs for launches and for every step.
    Host,
}

/// Every part, in the order of [`Factors`].
pub const PARTS: [MachinePart; 3] = [MachinePart::Compute, MachinePart::Network, MachinePart::Host];

/// Factors on the time that each part takes: above 1 is slower.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// On compute.
    pub compute: f64,
    /// On communication.
    pub network: f64,
    /// On the host.
    pub host: f64,
}

impl Factors {
    /// Nothing moved.
    pub const NONE: Self = Self { compute: 1.0, network: 1.0, host: 1.0 };

    fn of_logs(at: [f64; 3]) -> Self {
        let [compute, network, host] = at.map(exp);
        Self { compute, network, host }
    }

    /// The factor on a part.
    pub fn of(&self, part: MachinePart) -> f64 {
        match part {
            MachinePart::Compute => self.compute,
            MachinePart::Network => self.network,
            MachinePart::Host => self.host,
        }
    }

    /// Replaces the factor on a part.
    pub fn set(&mut self, part: MachinePart, factor: f64) {
        match part {
            MachinePart::Compute => self.compute = factor,
            MachinePart::Network => self.network = factor,
            MachinePart::Host => self.host = factor,
        }
    }

    /// The constants with every part that much slower.
    #[must_use]
    pub fn applied(&self, constants: &Constants) -> Constants {
        let mut c = *constants;
        c.compute_rates().into_iter().for_each(|rate| *rate /= self.compute);
        c.network_rates().into_iter().for_each(|rate| *rate /= self.network);
        c.host_times().into_iter().for_each(|time| *time *= self.host);
        c
    }
}

/// How far a part moved, and on what evidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AdjustedPart {
    /// The part.
    pub part: MachinePart,
    /// Factor on its time.
    pub factor: f64,
    /// Relative change of the forecasts per relative change of the part: its mean share of the step.
    pub sensitivity: f64,
    /// Share of the factor's prior variance that the runs remove, 0 to 1.
    pub evidence: f64,
    /// Whether it was allowed to move.
    pub moves: bool,
}

/// What explains a few measured steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Factors to forecast with from now on.
    pub factors: Factors,
    /// Each part.
    pub parts: Vec<AdjustedPart>,
    /// Forecast over measured time of every run, before and after.
    pub ratios: Vec<[f64; 2]>,
}

/// How far each part is expected to be off, in natural-log units: the kernels and power limits of one's own GPUs,
/// one's own network, one's own host.
const SPREAD: [f64; 3] = [0.10, 0.30, 0.50];
/// Log error that a forecast keeps even with the right factors.
const LOG_ERROR: f64 = 0.03;
/// Evidence without which a part stays.
const LEAST_EVIDENCE: f64 = 0.2;
/// How far a part moves on at most until runs are met, in natural-log units, and how often that is halved.
const REACH: f64 = 1.0;
const HALVINGS: usize = 32;
/// Rounds of Gauss-Newton, and the step of its derivative.
const ROUNDS: usize = 12;
const NUDGE: f64 = 0.01;

/// The factors that explain measured steps, from where a calibration stands. Runs that are not positive and finite
/// are left out; without any, nothing moves.
pub fn explain(runs: &[UserRun], constants: &Constants) -> Explained {
    let runs: Vec<UserRun> =
        runs.iter().filter(|run| run.measured_s > 0.0 && run.measured_s.is_finite()).copied().collect();
    let none = logs_off(&runs, constants, [0.0; 3]);
    let slopes = slopes(&runs, constants, [0.0; 3]);
    let evidence = [0, 1, 2].map(|part: usize| {
        let information: f64 = slopes.iter().map(|row| (row[part] / LOG_ERROR).powi(2)).sum();
        let prior = 1.0 / (SPREAD[part] * SPREAD[part]);
        information / (information + prior)
    });
    let moves = evidence.map(|share| share >= LEAST_EVIDENCE);
    let mut at = [0.0; 3];
    for _ in 0..ROUNDS {
        at = gauss_newton(&runs, constants, at, moves);
    }
    let factors = Factors::of_logs(at);
    let after = logs_off(&runs, constants, at);
    let parts = PARTS
        .into_iter()
        .enumerate()
        .map(|(index, part)| AdjustedPart {
            part,
            factor: factors.of(part),
            sensitivity: slopes.iter().map(|row| row[index]).sum::<f64>() / runs.len().max(1) as f64,
            evidence: evidence[index],
            moves: moves[index],
        })
        .collect();
    Explained {
        factors,
        parts,
        ratios: none.into_iter().zip(after).map(|(before, after)| [exp(before), exp(after)]).collect(),
    }
}

impl Explained {
    /// The factors with which the forecast of some runs is what was measured, in the median of several. Each part moves on in
    /// proportion to how far it may be off and to its share of the step; one without evidence is unchanged.
    #[must_use]
    pub fn met(&self, runs: &[UserRun], constants: &Constants) -> Factors {
        let ways = [0, 1, 2].map(|place: usize| {
            let moved = self.parts.get(place).filter(|part| part.moves);
            moved.map_or(0.0, |part| SPREAD[place] * SPREAD[place] * part.sensitivity.max(0.0))
        });
        let most = ways.into_iter().fold(0.0, f64::max);
        if most <= 0.0 {
            return self.factors;
        }
        let begin = PARTS.map(|part| log(self.factors.of(part)));
        let along = |far: f64| [0, 1, 2].map(|place: usize| begin[place] + far * ways[place] / most);
        // Steps become longer all the way: halve the way to where they are met.
        let (mut low, mut high) = (-REACH, REACH);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            let is_long = median(&logs_off(runs, constants, along(middle))) > 0.0;
            (low, high) = if is_long { (low, middle) } else { (middle, high) };
        }
        Factors::of_logs(along(f64::midpoint(low, high)))
    }
}

/// The middle of some values, the lower of two, 0 without any: one outlier must not decide. Counting needs no sort, whose code is a
/// kilobyte.
pub(super) fn median(values: &[f64]) -> f64 {
    let place = values.len().saturating_sub(1) / 2;
    let is_middle = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let reached = values.iter().filter(|other| *other <= value).count();
        (below..reached).contains(&place)
    };
    values.iter().copied().find(is_middle).unwrap_or_default()
}

/// Logarithm of forecast over measured time of every run.
fn logs_off(runs: &[UserRun], constants: &Constants, at: [f64; 3]) -> Vec<f64> {
    let constants = Factors::of_logs(at).applied(constants);
    runs.iter()
        .map(|run| log(Predictor::new(&constants).step_time(&run.scenario).0 / run.measured_s))
        .collect()
}

/// Change of those by each part.
fn slopes(runs: &[UserRun], constants: &Constants, at: [f64; 3]) -> Vec<[f64; 3]> {
    let here = logs_off(runs, constants, at);
    let mut slopes = vec![[0.0; 3]; runs.len()];
    for part in 0..3 {
        let mut there = at;
        there[part] += NUDGE;
        let moved = logs_off(runs, constants, there);
        for ((row, here), there) in slopes.iter_mut().zip(&here).zip(moved) {
            row[part] = (there - here) / NUDGE;
        }
    }
    slopes
}

/// One step towards the most probable factors, by coordinates: each part in turn takes what is left to explain, in
/// proportion to its slope and to how far it may be off.
fn gauss_newton(runs: &[UserRun], constants: &Constants, at: [f64; 3], moves: [bool; 3]) -> [f64; 3] {
    let slopes = slopes(runs, constants, at);
    let mut left = logs_off(runs, constants, at);
    let mut to = at;
    for _ in 0..ROUNDS {
        for part in (0..3).filter(|part| moves[*part]) {
            let (mut pull, mut weight) = (0.0, 0.0);
            for (row, off) in slopes.iter().zip(&left) {
                // Beyond a few errors' worth a run counts linearly: one outlier must not decide.
                let trust = 1.0 / (LOG_ERROR * LOG_ERROR) / (1.0 + (off / (4.0 * LOG_ERROR)).powi(2)).sqrt();
                pull -= trust * row[part] * off;
                weight += trust * row[part] * row[part];
            }
            let prior = 1.0 / (SPREAD[part] * SPREAD[part]);
            let change = (pull - prior * to[part]) / (weight + prior);
            to[part] += change;
            for (row, off) in slopes.iter().zip(&mut left) {
                *off += row[part] * change;
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::{Factors, MachinePart, PARTS, UserRun, explain};
    use crate::constants::Constants;
    use crate::document::Document;
    use crate::forecast::Predictor;
    use crate::scenario::Scenario;

    fn scenario(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.scenario().expect("legal")
    }

    /// Jobs that between them depend on all three parts.
    fn jobs() -> Vec<Scenario> {
        [
            "1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=4;gb=512",
            "1;m=llama2-7b;g=dgx-h100;n=256;tp=1;sp=0;pp=1;gb=256;zero=0",
            "1;m=llama2-7b;g=dgx-h100;n=8;tp=8;pp=1;gb=8;seq=512",
        ]
        .map(scenario)
        .to_vec()
    }

    fn runs(jobs: &[Scenario], truth: Factors) -> Vec<UserRun> {
        let constants = truth.applied(&Constants::SHIPPED);
        let measured = |scenario: &Scenario| Predictor::new(&constants).step_time(scenario).0;
        jobs.iter().map(|scenario| UserRun { scenario: *scenario, measured_s: measured(scenario) }).collect()
    }

    #[test]
    fn factors_are_found_again() {
        let truth = Factors { compute: 1.08, network: 1.25, host: 1.0 };
        let explained = explain(&runs(&jobs(), truth), &Constants::SHIPPED);
        for [before, after] in &explained.ratios {
            assert!(
                (after - 1.0).abs() < 0.5 * (before - 1.0).abs() && (after - 1.0).abs() < 0.02,
                "{explained:?}"
            );
        }
        assert!(explained.factors.compute > 1.04 && explained.factors.compute < 1.12, "{explained:?}");
    }

    #[test]
    fn what_the_runs_do_not_depend_on_stays() {
        // One GPU: no network, and a long step that the host never holds up.
        let alone = scenario("1;m=llama2-7b;g=dgx-h100;n=1;tp=1;sp=0;pp=1;gb=64;rc=full");
        let explained =
            explain(&runs(&[alone], Factors { compute: 1.2, ..Factors::NONE }), &Constants::SHIPPED);
        assert!(explained.factors.compute > 1.1, "{explained:?}");
        assert_eq!(explained.factors.network, 1.0);
        let network =
            explained.parts.iter().find(|part| part.part == MachinePart::Network).expect("every part");
        assert!(!network.moves && network.evidence == 0.0);
    }

    #[test]
    fn right_forecasts_and_no_runs_move_nothing() {
        for runs in [runs(&jobs(), Factors::NONE), Vec::new()] {
            let factors = explain(&runs, &Constants::SHIPPED).factors;
            for part in PARTS {
                assert!((factors.of(part) - 1.0).abs() < 1e-9, "{factors:?}");
            }
        }
    }

    #[test]
    fn one_outlier_does_not_decide() {
        let mut four = runs(&jobs(), Factors::NONE);
        four.extend(runs(&jobs(), Factors::NONE));
        four[0].measured_s *= 3.0;
        let explained = explain(&four, &Constants::SHIPPED);
        assert!(explained.factors.compute < 1.05, "{explained:?}");
    }
}
