//! What a measured step of one's own is worth: of every pair of published runs of one publication, with the same software on the
//! same generation of GPUs, one calibrates the forecast of the other.

use crate::data::runs;
use std::collections::BTreeMap;
use stepcast::calibrate::own::OwnCalibration;
use stepcast::constants::Constants;
use stepcast::forecast::{Predictor, UserRun};
use stepcast::validate::MeasuredRun;

/// Runs of a publication that are paired with each other.
const MOST: usize = 4;

/// What pairs say: errors |ln(measured / forecast)| before and after, whether the range held and how wide it is; each weighs a
/// publication's share.
#[derive(Default)]
struct Pairs(Vec<([f64; 2], bool, f64, f64)>);

impl Pairs {
    fn weighed(&self, value: impl Fn(&([f64; 2], bool, f64, f64)) -> f64) -> f64 {
        self.0.iter().map(|pair| pair.3 * value(pair)).sum::<f64>()
            / self.0.iter().map(|pair| pair.3).sum::<f64>()
    }

    fn median(&self, at: usize) -> f64 {
        let mut sorted: Vec<(f64, f64)> = self.0.iter().map(|pair| (pair.0[at], pair.3)).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let half = sorted.iter().map(|pair| pair.1).sum::<f64>() / 2.0;
        let mut below = 0.0;
        sorted
            .iter()
            .find(|pair| {
                below += pair.1;
                below >= half
            })
            .map_or(0.0, |pair| pair.0)
    }
}

fn publications() -> Vec<Vec<MeasuredRun>> {
    let mut all: BTreeMap<String, Vec<MeasuredRun>> = BTreeMap::new();
    for run in runs() {
        if !run.dropped && run.scenario.is_ok() {
            all.entry(run.source.clone()).or_default().push(run);
        }
    }
    all.into_values()
        .map(|runs| {
            let every = runs.len().div_ceil(MOST).max(1);
            runs.into_iter().step_by(every).collect()
        })
        .collect()
}

/// Pairs of runs of the same model, or of different ones.
fn pairs(same_model: bool) -> Pairs {
    let mut pairs = Pairs::default();
    for runs in publications() {
        let mut own = Vec::new();
        for (place, other) in runs.iter().enumerate() {
            for (_, run) in runs.iter().enumerate().filter(|(at, _)| *at != place) {
                let (Ok(known), Ok(job)) = (&other.scenario, &run.scenario) else { continue };
                if known == job || (known.model == job.model) != same_model {
                    continue;
                }
                let measured = [UserRun { scenario: *known, measured_s: other.measured_s }];
                let Some(calibration) = OwnCalibration::of(&measured, job, &Constants::SHIPPED) else {
                    continue;
                };
                let predictor = calibration.predictor();
                let step = predictor.step_time(job);
                let ends = if run.assumed.is_empty() {
                    Predictor::interval_ends
                } else {
                    Predictor::open_interval_ends
                };
                let (low, high) = ends(&predictor, job, step);
                let off = |step: f64| (run.measured_s / step).ln().abs();
                let held = (low.0..=high.0).contains(&run.measured_s);
                own.push((
                    [off(Predictor::SHIPPED.step_time(job).0), off(step.0)],
                    held,
                    (high / low).ln() / 2.0,
                ));
            }
        }
        let share = 1.0 / own.len().max(1) as f64;
        pairs.0.extend(own.into_iter().map(|(off, held, width)| (off, held, width, share)));
    }
    pairs
}

/// A step of the same model halves the error, and the range that it narrows holds nine of ten.
#[test]
fn a_measured_step_of_the_model_halves_the_error() {
    let pairs = pairs(true);
    let [before, after] = [0, 1].map(|at| pairs.median(at));
    let held = pairs.weighed(|pair| f64::from(u8::from(pair.1)));
    let width = pairs.weighed(|pair| pair.2);
    println!(
        "same model: {} pairs, error {before:.3} to {after:.3}, held {held:.3}, half-width {width:.3}",
        pairs.0.len()
    );
    assert!(width.is_finite() && after < 0.6 * before, "{before} to {after}, {width}");
    assert!((0.86..0.94).contains(&held), "{held}");
}

/// A step of another model helps less, and its range is no narrower.
#[test]
fn a_measured_step_of_another_model_helps_less() {
    let pairs = pairs(false);
    let [before, after] = [0, 1].map(|at| pairs.median(at));
    let held = pairs.weighed(|pair| f64::from(u8::from(pair.1)));
    println!("other models: {} pairs, error {before:.3} to {after:.3}, held {held:.3}", pairs.0.len());
    assert!(after < before, "{before} to {after}");
    assert!((0.84..0.94).contains(&held), "{held}");
}
