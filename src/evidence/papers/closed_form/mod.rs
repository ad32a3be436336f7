//! The closed form of APNet'24 (section 5 and appendix C), equations 1 to 11: one step from a model's
//! shape, three degrees of parallelism, and four numbers that the paper measures (the share of peak
//! that kernels reach, and the effective bandwidth of each kind of communication).
//!
//! It is a model of its own, separate from the detailed forecast ([`crate::forecast`]);
//! [`ClosedForm::comparison`] puts the two side by side and says why they differ. The equations are the paper's to the letter: full
//! recomputation, plain 1F1B, nothing overlapped, 16-bit values, no context parallelism.

mod comparison;
mod notation;
mod parameters;
mod worked;

pub use comparison::{DifferenceReason, TermComparison};
pub use notation::{EquationTerms, Notation};
pub use parameters::{ClosedFormInputs, Origin, Parameter, Parameters};
pub use worked::Equation;

use crate::constants::Constants;
use crate::error::FieldError;
use crate::forecast::{Prediction, Predictor};
use crate::scenario::Scenario;
use crate::units::Seconds;
use serde::Serialize;

/// One step by the closed form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClosedForm {
    /// The sizes that enter the equations.
    pub notation: Notation,
    /// The four measured numbers, and where each comes from.
    pub parameters: Parameters,
    /// The terms of equation 1.
    pub terms: EquationTerms,
    /// Time of the step, their sum (equations 1 and 6).
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// Communication, T_TP + T_PP + T_DP.
    #[serde(rename = "communication_s")]
    pub communication: Seconds,
    /// Share of communication in the step.
    pub communication_ratio: f64,
    /// Share of the bubble in the step, as equation 7 estimates it.
    pub bubble_ratio: f64,
    /// Every equation with the numbers in it, in the paper's order.
    pub equations: Vec<Equation>,
    /// Term by term against the detailed forecast.
    pub comparison: Vec<TermComparison>,
}

/// Evaluates the closed form; what is not given is derived from the platform.
///
/// # Errors
/// Every field that makes the scenario impossible, and given values that are not positive.
pub fn closed_form(
    predictor: &Predictor<'_>,
    scenario: &Scenario,
    given: &ClosedFormInputs,
) -> Result<ClosedForm, Vec<FieldError>> {
    given.check()?;
    let detailed = predictor.predict(scenario)?;
    Ok(evaluate(scenario, given, predictor.constants(), &detailed))
}

fn evaluate(
    scenario: &Scenario,
    given: &ClosedFormInputs,
    constants: &Constants,
    detailed: &Prediction,
) -> ClosedForm {
    let notation = Notation::new(scenario);
    let parameters = Parameters::new(scenario, &notation, given, constants, detailed);
    let terms = notation.terms(&parameters);
    let step = terms.step();
    let communication = terms.communication();
    ClosedForm {
        notation,
        parameters,
        terms,
        step,
        communication,
        communication_ratio: if step.0 > 0.0 { communication / step } else { 0.0 },
        bubble_ratio: notation.bubble_ratio(),
        equations: worked::equations(&notation, &parameters, &terms),
        comparison: comparison::compare(scenario, constants, &notation, &parameters, &terms, detailed),
    }
}
