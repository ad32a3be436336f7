//! What every number is said to be made of gives that number.

use crate::laws::{ROUNDING, Verdict, forecast, sure};
use crate::scenarios::Drawn;
use stepcast::explain::{Explainer, FormulaTerm};
use stepcast::forecast::Predictor;

crate::laws::laws!(formulas_give_the_numbers, what_is_explained_is_what_is_forecast);

/// The shown values of a formula's terms, put in, give its result: in every figure and operator, at every depth.
fn formulas_give_the_numbers(drawn: &Drawn, _: f64) -> Verdict {
    let prediction = forecast(&drawn.scenario);
    let explainer = Explainer::new(Predictor::SHIPPED, &drawn.scenario, &prediction);
    for key in explainer.keys() {
        let term = explainer.term(&key).ok_or_else(|| format!("{key} is not explained"))?;
        let in_step = explainer.in_step_of(&key);
        for term in [Some(term), in_step].iter().flatten() {
            term.explained().into_iter().try_for_each(|term| gives(term, prediction.step.0))?;
        }
    }
    Ok(())
}

fn gives(term: &FormulaTerm, step: f64) -> Verdict {
    let Some(formula) = &term.formula else { return Ok(()) };
    let (shown, result) = (formula.evaluate(), term.value);
    // A part that is what two longer times differ by is as exact as these.
    let exact = ROUNDING * result.abs().max(if term.name.contains("ubble") { step } else { 0.0 });
    sure((shown - result).abs() <= exact, || {
        format!("{} is {result}, {} is {shown}", term.name, formula.words())
    })
}

/// The explained numbers are those of the report.
fn what_is_explained_is_what_is_forecast(drawn: &Drawn, _: f64) -> Verdict {
    let prediction = forecast(&drawn.scenario);
    let explainer = Explainer::new(Predictor::SHIPPED, &drawn.scenario, &prediction);
    let value = |key: &str| explainer.term(key).map_or(f64::NAN, |term| term.value);
    let same = |key: &str, told: f64| {
        let found = value(key);
        sure((found - told).abs() <= ROUNDING * told.abs(), || {
            format!("{key}: {found}, the report has {told}")
        })
    };
    same("step", prediction.step.0)?;
    same("mfu", prediction.mfu)?;
    same("tokens_per_s", prediction.tokens_per_s)?;
    same("interval", prediction.interval.high.0)?;
    same("memory", prediction.memory.peak_gib * 1_073_741_824.0)?;
    for (key, _, seconds) in prediction.breakdown.parts() {
        same(key, seconds.0)?;
    }
    let fullest = &prediction.memory.stages[prediction.memory.worst_stage as usize];
    for (key, _, size) in fullest.parts() {
        same(&format!("memory.{key}"), size.0)?;
    }
    for (index, row) in prediction.operators.iter().enumerate() {
        same(&format!("operator.{index}"), row.time.0)?;
    }
    Ok(())
}
