//! The one way in: a predictor is constants, learned times where there are any, and what runs the constants have seen.

use super::places::Priced;
use super::step::{Step, pipeline_share};
use super::{CalibrationEvidence, Estimate, Estimator, Prediction, report};
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
/// Rooms above this one add what they know: `traffic` the messages, `tuner` the search, `scaling` the curves.
#[derive(Debug, Clone, Copy)]
pub struct Predictor<'a> {
    pub(crate) constants: &'a Constants,
    pub(crate) learned: Option<&'a dyn LearnedTimes>,
    pub(crate) evidence: Option<&'a CalibrationEvidence>,
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
    /// A predictor under a calibration that has seen the runs of the shipped one.
    pub const fn new(constants: &'a Constants) -> Self {
        Self { constants, learned: None, evidence: None }
    }

    /// This predictor with learned times of some operators of one scenario.
    #[must_use]
    pub fn with_learned(self, learned: &'a dyn LearnedTimes) -> Self {
        Self { learned: Some(learned), ..self }
    }

    /// This predictor for constants that have seen other runs than the shipped ones.
    #[must_use]
    pub fn with_evidence(self, evidence: &'a CalibrationEvidence) -> Self {
        Self { evidence: Some(evidence), ..self }
    }

    /// The calibration.
    pub fn constants(&self) -> &'a Constants {
        self.constants
    }

    /// The program of a scenario's step. The scenario is taken to be valid.
    pub fn program<'s>(&self, scenario: &'s Scenario) -> Program<'s>
    where
        'a: 's,
    {
        Program::new(scenario, self.constants)
    }

    /// The rates that calls of a scenario are priced with.
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

    /// The forecast's pipeline, pass by pass: its length is that of the pipeline in the step.
    ///
    /// # Errors
    /// What makes the scenario impossible, or a pipeline too long to replay.
    pub fn timeline(&self, scenario: &Scenario) -> Result<Timeline, Vec<FieldError>> {
        scenario.validate()?;
        let priced = self.priced(scenario);
        let timeline = priced.timeline().map_err(|error| vec![error])?;
        Ok(timeline.scaled(pipeline_share(priced.framework_overhead())))
    }

    /// The numbers that ranking needs, for one scenario: the same as [`Predictor::predict`]'s, without the tables and
    /// without allocating. The scenario is taken to be valid ([`Scenario::validate`]); the result of an invalid one is
    /// finite but means nothing.
    pub fn estimate(&self, scenario: &Scenario) -> Estimate {
        let priced = self.priced(scenario);
        let step = priced.step(&priced.places(), &mut SteadyScratch::default());
        Estimate::new(&priced.program, &MicroBatch::new(&priced.program), &step)
    }

    /// Estimates of many layouts of one job, which share their prices.
    pub fn estimator(&self, job: &Scenario) -> Estimator<'a> {
        Estimator::new(*self, job)
    }
}
