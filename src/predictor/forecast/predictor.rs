//! The entry point: a predictor combines constants, learned times if any, and the runs that the constants were fitted
//! to.

use super::own_runs::UserRun;
use super::places::Priced;
use super::step::{Step, pipeline_share};
use super::{CalibrationEvidence, Estimate, Estimator, Prediction, report, utilisation};
use crate::constants::Constants;
use crate::cost::{LearnedTimes, Rates};
use crate::error::FieldError;
use crate::memory::MicroBatch;
use crate::scenario::Scenario;
use crate::schedule::{SteadyScratch, Timeline};
use crate::step::Program;
use crate::units::Seconds;

/// Forecasts under one calibration. [`Predictor::SHIPPED`] is what the page and the command line use.
///
/// Higher-level modules extend it: `traffic` with messages, `tuner` with the search, `scaling` with the curves.
#[derive(Debug, Clone, Copy)]
pub struct Predictor<'a> {
    pub(crate) constants: &'a Constants,
    pub(crate) learned: Option<&'a dyn LearnedTimes>,
    pub(crate) evidence: Option<&'a CalibrationEvidence>,
    /// Jobs of which the user has measured steps, to which the constants are adjusted.
    pub(crate) own: &'a [UserRun],
    /// The constants before that.
    pub(crate) unadjusted: &'a Constants,
}

impl Predictor<'static> {
    /// The shipped calibration, without learned times.
    pub const SHIPPED: Self = Self::new(&Constants::SHIPPED);
}

impl Default for Predictor<'static> {
    fn default() -> Self {
        Self::SHIPPED
    }
}

impl<'a> Predictor<'a> {
    /// A predictor with the evidence of the shipped calibration.
    pub const fn new(constants: &'a Constants) -> Self {
        Self { constants, learned: None, evidence: None, own: &[], unadjusted: constants }
    }

    /// This predictor with learned times for some operators of one scenario.
    #[must_use]
    pub fn with_learned(self, learned: &'a dyn LearnedTimes) -> Self {
        Self { learned: Some(learned), ..self }
    }

    /// This predictor for constants fitted to other runs than the shipped ones.
    #[must_use]
    pub fn with_evidence(self, evidence: &'a CalibrationEvidence) -> Self {
        Self { evidence: Some(evidence), ..self }
    }

    /// This predictor for constants that were adjusted to measured steps of the user's, from what they were before.
    #[must_use]
    pub fn with_own_runs(self, own: &'a [UserRun], unadjusted: &'a Constants) -> Self {
        Self { own, unadjusted, ..self }
    }

    /// The calibration.
    pub fn constants(&self) -> &'a Constants {
        self.constants
    }

    /// The program of a scenario's step. Assumes a valid scenario.
    pub fn program<'s>(&self, scenario: &'s Scenario) -> Program<'s>
    where
        'a: 's,
    {
        Program::new(scenario, self.constants)
    }

    /// The rates for pricing a scenario's calls.
    pub fn rates<'s>(&self, scenario: &Scenario) -> Rates<'s>
    where
        'a: 's,
    {
        Rates::new(scenario, self.constants).with(self.learned)
    }

    pub(crate) fn priced<'s>(&self, scenario: &'s Scenario) -> Priced<'s>
    where
        'a: 's,
    {
        Priced::new(self.program(scenario), self.learned)
    }

    pub(crate) fn step(&self, scenario: &Scenario) -> Step {
        let priced = self.priced(scenario);
        priced.step(&priced.places(), &mut SteadyScratch::default())
    }

    /// Time of one step, unchecked: finite for any scenario, meaningful for valid ones.
    pub fn step_time(&self, scenario: &Scenario) -> Seconds {
        Seconds(self.step(scenario).total)
    }

    /// Forecasts one step.
    ///
    /// # Errors
    /// Every field that makes the scenario impossible, with what would be legal.
    pub fn predict(&self, scenario: &Scenario) -> Result<Prediction, Vec<FieldError>> {
        scenario.validate()?;
        Ok(report::report(self, scenario))
    }

    /// The forecast's pipeline, pass by pass, as long as the pipeline in the step.
    ///
    /// # Errors
    /// What makes the scenario impossible, or a pipeline too long to replay.
    pub fn timeline(&self, scenario: &Scenario) -> Result<Timeline, Vec<FieldError>> {
        scenario.validate()?;
        let priced = self.priced(scenario);
        let timeline = priced.timeline().map_err(|error| vec![error])?;
        Ok(timeline.scaled(pipeline_share(priced.framework_overhead())))
    }

    /// The numbers that ranking needs, for one scenario: equal to [`Predictor::predict`]'s, without the tables.
    /// Assumes a valid scenario ([`Scenario::validate`]); otherwise the result is finite but
    /// meaningless.
    pub fn estimate(&self, scenario: &Scenario) -> Estimate {
        let priced = self.priced(scenario);
        let layers = priced.layers();
        let step = priced.step(&priced.places_of(&layers), &mut SteadyScratch::default());
        let micro_batch = MicroBatch::new(&priced.program, &layers.calls);
        Estimate::new(&priced.program, &micro_batch, &step, utilisation::model_flops(scenario))
    }

    /// Estimates of many layouts of one job, which share their prices.
    pub fn estimator(&self, job: &Scenario) -> Estimator<'a> {
        Estimator::new(*self, job)
    }
}
