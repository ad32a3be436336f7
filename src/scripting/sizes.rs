//! A job on several numbers of GPUs, as scripts ask for it.

use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::scaling::{Mode, ScalingCurve, doublings, scaling};
use crate::scenario::Scenario;
use serde::Deserialize;

/// What is asked of a job's scaling.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AboutSizes {
    /// Fixed batch when GPUs are added.
    pub mode: Mode,
    /// Numbers of GPUs; twice as many each from one replica on where there are none.
    pub sizes: Vec<u32>,
}

impl Default for AboutSizes {
    fn default() -> Self {
        Self { mode: Mode::Strong, sizes: Vec::new() }
    }
}

impl AboutSizes {
    /// The job on each number of GPUs.
    ///
    /// # Errors
    /// What makes the job impossible on one of them.
    pub fn of(
        &self,
        predictor: &Predictor<'_>,
        scenario: &Scenario,
    ) -> Result<ScalingCurve, Vec<FieldError>> {
        if self.sizes.is_empty() {
            return scaling(predictor, scenario, self.mode, &doublings(scenario));
        }
        scaling(predictor, scenario, self.mode, &self.sizes)
    }
}
