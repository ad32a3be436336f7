//! Measured steps of the user's, and what they are evidence for.

use crate::scenario::Scenario;

/// A measured step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserRun {
    /// The job.
    pub scenario: Scenario,
    /// Seconds per step.
    pub measured_s: f64,
}

/// What the constants were adjusted to, as far as it concerns a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OwnEvidence {
    /// No measured step on its machines.
    None,
    /// Steps of other models.
    OtherModel,
    /// A step of its model, in another layout or on another number of GPUs.
    Model,
    /// A step of the job itself.
    Job,
}

impl UserRun {
    /// Whether the step is evidence for a job: on the same generation of GPUs and with the same software.
    pub fn concerns(&self, job: &Scenario) -> bool {
        let of = |scenario: &Scenario| (scenario.cluster.gpu.family, scenario.software.stack);
        of(&self.scenario) == of(job)
    }

    /// Whether it is a step of the job itself, whatever the length and the price of the run.
    pub fn is_of(&self, job: &Scenario) -> bool {
        Scenario { run: job.run, ..self.scenario } == *job
    }
}

impl OwnEvidence {
    /// What measured steps are for a job.
    pub(super) fn of(runs: &[UserRun], job: &Scenario) -> Self {
        let concern = runs.iter().filter(|run| run.concerns(job));
        let each = concern.map(|run| match run {
            run if run.is_of(job) => Self::Job,
            run if run.scenario.model == job.model => Self::Model,
            _ => Self::OtherModel,
        });
        each.max().unwrap_or(Self::None)
    }
}
