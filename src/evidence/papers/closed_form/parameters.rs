//! The four measured numbers of the closed form: given, published, or derived from the platform.

use super::Notation;
use crate::constants::Constants;
use crate::cost::{Collective, GroupPlacement, Rates, Work};
use crate::error::FieldError;
use crate::forecast::{Prediction, peak};
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::name_of;
use crate::step::Groups;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};
use serde::Serialize;

/// What the user gives; the rest is derived.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClosedFormInputs {
    /// The share of peak that kernels reach, 0 to 1.
    pub utilisation: Option<f64>,
    /// C_TP.
    pub tensor: Option<BytesPerSecond>,
    /// C_PP.
    pub pipeline: Option<BytesPerSecond>,
    /// C_DP.
    pub data: Option<BytesPerSecond>,
}

impl ClosedFormInputs {
    /// Checks that what is given is a positive number, and the utilisation at most 1.
    ///
    /// # Errors
    /// One error for every number that is not.
    pub fn check(&self) -> Result<(), Vec<FieldError>> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let mut errors = Vec::new();
        if self.utilisation.is_some_and(|value| !positive(value) || value > 1.0) {
            errors.push(FieldError::new("mu", "The utilisation must be above 0 and at most 1."));
        }
        for (field, rate) in [("c_tp", self.tensor), ("c_pp", self.pipeline), ("c_dp", self.data)] {
            if rate.is_some_and(|rate| !positive(rate.0)) {
                errors.push(FieldError::new(field, "The effective bandwidth must be positive."));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user typed it.
    Given,
    /// The paper states it for this platform.
    Published,
    /// The detailed cost model, at this job's own shapes and message sizes.
    Platform,
    /// The plan has no such communication.
    Unused,
}

/// One measured number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parameter {
    /// A share for the utilisation, bytes per second for the bandwidths; 0 when unused.
    pub value: f64,
    /// Where it comes from.
    pub origin: Origin,
}

/// The closed form's measured numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parameters {
    /// F: peak of one GPU in the job's precision.
    #[serde(rename = "peak_flops_per_s")]
    pub peak: FlopsPerSecond,
    /// Share of F that kernels reach.
    pub utilisation: Parameter,
    /// C_TP, bytes per second.
    pub tensor: Parameter,
    /// C_PP, bytes per second.
    pub pipeline: Parameter,
    /// C_DP, bytes per second.
    pub data: Parameter,
}

impl Parameters {
    /// Parameters of a scenario: what is given, else what the paper states, else what the cost model
    /// gives for the same message over the same links. A bandwidth counts wire bytes, as a ring sends them.
    pub(super) fn new(
        scenario: &Scenario,
        notation: &Notation,
        given: &ClosedFormInputs,
        constants: &Constants,
        detailed: &Prediction,
    ) -> Self {
        let rates = Rates::new(scenario, constants);
        let groups = Groups::new(scenario);
        let effective = |kind, message: Bytes, wire: Bytes, group: GroupPlacement| {
            let time = rates.price(&Work::Collective { kind, bytes: message.0, group }).time;
            (time.0 > 0.0 && wire.0 > 0.0).then(|| wire / time)
        };
        let (activation, gradients) = (notation.activation(), notation.gradients());
        let tensor = effective(
            Collective::AllReduce,
            activation,
            Notation::ring(notation.t) * activation,
            groups.tensor,
        );
        let pipeline = effective(Collective::PointToPoint, activation, activation, groups.pipeline);
        let data =
            effective(Collective::AllReduce, gradients, Notation::ring(notation.d) * gradients, groups.data);
        Self {
            peak: FlopsPerSecond(peak(&scenario.cluster.gpu, scenario.workload.precision)),
            utilisation: utilisation(scenario, given.utilisation, constants, detailed),
            tensor: rate(given.tensor, tensor),
            pipeline: rate(given.pipeline, pipeline),
            data: rate(given.data, data),
        }
    }

    /// C_TP, where the plan has tensor-parallel communication.
    pub fn tensor_rate(&self) -> Option<BytesPerSecond> {
        used(&self.tensor)
    }

    /// C_PP, where the plan has a pipeline.
    pub fn pipeline_rate(&self) -> Option<BytesPerSecond> {
        used(&self.pipeline)
    }

    /// C_DP, where the plan has data-parallel communication.
    pub fn data_rate(&self) -> Option<BytesPerSecond> {
        used(&self.data)
    }
}

fn used(parameter: &Parameter) -> Option<BytesPerSecond> {
    (parameter.value > 0.0).then_some(BytesPerSecond(parameter.value))
}

fn rate(given: Option<BytesPerSecond>, platform: Option<BytesPerSecond>) -> Parameter {
    match (given, platform) {
        (_, None) => Parameter { value: 0.0, origin: Origin::Unused },
        (Some(rate), Some(_)) => Parameter { value: rate.0, origin: Origin::Given },
        (None, Some(rate)) => Parameter { value: rate.0, origin: Origin::Platform },
    }
}

/// The paper states its platforms' utilisation; elsewhere it is the share of peak that the detailed
/// forecast's kernels reach while they run.
fn utilisation(
    scenario: &Scenario,
    given: Option<f64>,
    constants: &Constants,
    detailed: &Prediction,
) -> Parameter {
    if let Some(value) = given {
        return Parameter { value, origin: Origin::Given };
    }
    let published = match name_of(&scenario.cluster) {
        Some("apnet24-rtx3090") => Some(constants.closed_form_utilisation_rtx3090),
        Some("apnet24-v100-pcie" | "apnet24-v100-nvlink") => Some(constants.closed_form_utilisation_v100),
        _ => None,
    };
    if let Some(value) = published {
        return Parameter { value, origin: Origin::Published };
    }
    let breakdown = &detailed.breakdown;
    let kernels = breakdown.forward + breakdown.backward + breakdown.recompute;
    let value = if kernels.0 > 0.0 { detailed.hfu * (detailed.step / kernels) } else { 1.0 };
    Parameter { value, origin: Origin::Platform }
}
