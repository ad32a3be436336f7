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
    /// A step of its model, in this or another layout, on any number of GPUs.
    Model,
}

impl UserRun {
    /// Whether the step is evidence for a job: on the same generation of GPUs and with the same software.
    pub fn concerns(&self, job: &Scenario) -> bool {
        let of = |scenario: &Scenario| (scenario.cluster.gpu.family, scenario.software.stack);
        of(&self.scenario) == of(job)
    }
}

impl OwnEvidence {
    /// What measured steps are for a job.
    pub(super) fn of(runs: &[UserRun], job: &Scenario) -> Self {
        let concern = runs.iter().filter(|run| run.concerns(job));
        let each =
            concern.map(|run| if run.scenario.model == job.model { Self::Model } else { Self::OtherModel });
        each.max().unwrap_or(Self::None)
    }
}
