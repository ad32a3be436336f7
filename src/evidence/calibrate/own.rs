//! The calibration that a job's forecast takes from measured steps of the user's.

use super::user_runs::{Explained, explain};
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
    constants: Constants,
}

impl OwnCalibration {
    /// What measured steps say of a job; nothing where none is on its generation of GPUs with its software
    /// ([`UserRun::concerns`]).
    pub fn of(runs: &[UserRun], job: &Scenario, constants: &Constants) -> Option<Self> {
        let asked: Vec<UserRun> = runs.iter().filter(|run| run.concerns(job)).copied().collect();
        let runs: Vec<UserRun> = asked.iter().filter(|run| is_explained(run, constants)).copied().collect();
        if runs.is_empty() {
            return None;
        }
        let explained = explain(&runs, constants);
        let constants = explained.factors.applied(constants);
        Some(Self { asked, runs, explained, constants })
    }

    /// The predictor of the jobs that the steps are evidence for.
    pub fn predictor(&self) -> Predictor<'_> {
        Predictor::new(&self.constants).with_own_runs(&self.runs)
    }
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
    use crate::forecast::{Predictor, UserRun};
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
            let width = |interval: &crate::forecast::Interval| interval.high / interval.low;
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
}
