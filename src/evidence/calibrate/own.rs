//! The calibration that a job's forecast takes from measured steps of the user's.

use super::user_runs::{Explained, explain, median};
use crate::constants::Constants;
use crate::forecast::{Predictor, UserRun};
use crate::scenario::Scenario;

/// Constants adjusted to measured steps, for the jobs that these are evidence for.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnCalibration {
    /// The measured steps that concern the job.
    pub asked: Vec<UserRun>,
    /// Those that a calibration can explain: others are hardly of the job that they are said to be of.
    pub runs: Vec<UserRun>,
    /// How far each part of the machine moved.
    pub explained: Explained,
    /// The steps that the forecast is made to meet: those of the job itself where there are any, or else all.
    met: Vec<UserRun>,
    constants: Constants,
    unadjusted: Constants,
}

impl OwnCalibration {
    /// What measured steps say of a job; nothing where none is on its generation of GPUs with its software
    /// ([`UserRun::concerns`]).
    pub fn of(runs: &[UserRun], job: &Scenario, constants: &Constants) -> Option<Self> {
        let asked: Vec<UserRun> = concerning(runs, job).copied().collect();
        let runs: Vec<UserRun> = asked.iter().filter(|run| is_explained(run, constants)).copied().collect();
        if runs.is_empty() {
            return None;
        }
        let mut explained = explain(&runs, constants);
        let met = met(&runs, job);
        explained.factors = explained.met(&met, constants);
        explained.parts.iter_mut().for_each(|part| part.factor = explained.factors.of(part.part));
        let adjusted = explained.factors.applied(constants);
        Some(Self { asked, runs, explained, met, constants: adjusted, unadjusted: *constants })
    }

    /// Whether it is the calibration that measured steps give a job.
    pub fn is_of(&self, runs: &[UserRun], job: &Scenario) -> bool {
        self.asked.iter().eq(concerning(runs, job)) && self.met == met(&self.runs, job)
    }

    /// The measured step of a job itself, seconds: the median of several, of logarithms.
    pub fn measured(&self, job: &Scenario) -> Option<f64> {
        let of_job = self.met.iter().filter(|run| run.is_of(job));
        let of_job: Vec<f64> = of_job.map(|run| libm::log(run.measured_s)).collect();
        (!of_job.is_empty()).then(|| libm::exp(median(&of_job)))
    }

    /// The predictor of the jobs that the steps are evidence for.
    pub fn predictor(&self) -> Predictor<'_> {
        Predictor::new(&self.constants).with_own_runs(&self.runs, &self.unadjusted)
    }
}

/// The measured steps that are evidence for a job.
fn concerning<'r>(runs: &'r [UserRun], job: &Scenario) -> impl Iterator<Item = &'r UserRun> {
    runs.iter().filter(|run| run.concerns(job))
}

/// The steps of a job itself, or all where there are none.
fn met(runs: &[UserRun], job: &Scenario) -> Vec<UserRun> {
    let own: Vec<UserRun> = runs.iter().filter(|run| run.is_of(job)).copied().collect();
    if own.is_empty() { runs.to_vec() } else { own }
}

/// Whether a step is within the range of its own job's forecast once that is adjusted to it.
fn is_explained(run: &UserRun, constants: &Constants) -> bool {
    let adjusted = explain(core::slice::from_ref(run), constants).factors.applied(constants);
    let predictor = Predictor::new(&adjusted);
    let (low, high) = predictor.interval_ends(&run.scenario, predictor.step_time(&run.scenario));
    (low.0..=high.0).contains(&run.measured_s)
}

#[cfg(test)]
mod tests {
    use super::OwnCalibration;
    use crate::constants::Constants;
    use crate::document::Document;
    use crate::forecast::{Interval, Predictor, UserRun};
    use crate::scenario::Scenario;

    fn job(edits: &str) -> Scenario {
        let link =
            format!("#1;m=llama3-8b;g=mi300x;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan;{edits}");
        Document::from_link(&link).expect("a link").document.scenario().expect("possible")
    }

    fn measured(scenario: &Scenario, factor: f64) -> UserRun {
        UserRun { scenario: *scenario, measured_s: factor * Predictor::SHIPPED.step_time(scenario).0 }
    }

    #[test]
    fn a_step_moves_and_narrows_the_forecasts_that_it_is_evidence_for() {
        let here = job("");
        let runs = [measured(&here, 1.1)];
        let before = |job: &Scenario| Predictor::SHIPPED.predict(job).expect("possible");
        for (other, narrower) in [("", true), ("n=128", true), ("rc=full", true), ("m=llama2-7b", false)] {
            let other = job(other);
            let own = OwnCalibration::of(&runs, &other, &Constants::SHIPPED).expect("evidence");
            let (then, now) = (before(&other), own.predictor().predict(&other).expect("possible"));
            let ratio = now.step / then.step;
            assert!((1.03..1.13).contains(&ratio), "{ratio}");
            let width = |interval: &Interval| interval.high / interval.low;
            assert_eq!(width(&now.interval) < 0.999 * width(&then.interval), narrower);
            assert_eq!(now.interval.own_runs, 1);
        }
        // No machine is a hundred times as fast, or as slow, as it is forecast.
        for factor in [0.01, 100.0] {
            let wrong = [measured(&here, factor)];
            assert_eq!(OwnCalibration::of(&wrong, &here, &Constants::SHIPPED), None, "{factor}");
        }
        for other in ["g=dgx-h100", "stack=nemo"] {
            assert_eq!(OwnCalibration::of(&runs, &job(other), &Constants::SHIPPED), None, "{other}");
        }
    }

    /// The measured step is the forecast of its own job, and no range becomes wider by it, whatever class of utilisation the
    /// slower step would be in.
    #[test]
    fn a_step_of_the_job_is_met_and_widens_no_range() {
        let link = |edits: &str| format!("#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;pp=4;vpp=4;{edits}");
        let job = |edits: &str| {
            Document::from_link(&link(edits)).expect("a link").document.scenario().expect("possible")
        };
        let here = job("");
        for factor in [0.8, 0.95, 1.0, 1.26, 1.6] {
            let runs = [measured(&here, factor)];
            for edits in ["", "days=10", "pp=8;vpp=2", "n=1024", "rc=full", "m=llama3-8b"] {
                let other = job(edits);
                let own = OwnCalibration::of(&runs, &other, &Constants::SHIPPED).expect("evidence");
                let before = Predictor::SHIPPED.predict(&other).expect("possible").interval;
                let now = own.predictor().predict(&other).expect("possible");
                let [before, after] = [&before, &now.interval].map(|interval| interval.high / interval.low);
                assert!(after <= before * (1.0 + 1e-9), "{factor} {edits}: {before} to {after}");
                if ["", "days=10"].contains(&edits) {
                    let measured = own.measured(&other).expect("a step of the job");
                    assert!((measured / runs[0].measured_s - 1.0).abs() < 1e-9, "{measured}");
                    assert!((now.step.0 / runs[0].measured_s - 1.0).abs() < 1e-6, "{factor}: {}", now.step.0);
                    assert!(
                        (after - libm::exp(2.0 * Constants::SHIPPED.interval_repeat)).abs() < 1e-9,
                        "{after}"
                    );
                } else {
                    assert_eq!(own.measured(&other), None);
                }
            }
        }
    }

    /// A job of which a step was measured meets that one, beside others of its model.
    #[test]
    fn of_several_steps_the_own_one_is_met() {
        let jobs = ["", "n=128", "rc=full"].map(job);
        let runs = [measured(&jobs[0], 1.1), measured(&jobs[1], 1.2), measured(&jobs[2], 0.95)];
        let first = OwnCalibration::of(&runs, &jobs[0], &Constants::SHIPPED).expect("evidence");
        for (run, job) in runs.iter().zip(&jobs) {
            let own = OwnCalibration::of(&runs, job, &Constants::SHIPPED).expect("evidence");
            assert!((own.predictor().step_time(job).0 / run.measured_s - 1.0).abs() < 1e-6);
            assert_eq!(first.is_of(&runs, job), job == &jobs[0]);
        }
    }
}
