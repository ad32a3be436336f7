//! Explanations of numbers as texts: the texts of the small window of a number.

use super::page::PageForecast;
use crate::cost::Provenance;
use crate::explain::{ConstantUsed, Explainer, Formula, FormulaTerm, NumberExplanation};
use crate::number;

/// Attribute of an element whose number explains itself: its value is the number's key.
pub const EXPLAIN: &str = "data-explain";

/// Attribute of an element with its own explanation, which is the value.
pub const SAYS: &str = "data-says";

/// Terms of a sum that are listed one by one.
const MOST_TERMS: usize = 7;

/// Formulas that are shown, the number's own first.
const MOST_FORMULAS: usize = 5;

/// Constants that are listed.
const MOST_CONSTANTS: usize = 4;

/// An explanation in texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InWords {
    /// The number's name.
    pub title: String,
    /// Its value.
    pub value: String,
    /// The element's own explanation; empty if it has none.
    pub says: String,
    /// What it means.
    pub meaning: &'static str,
    /// What it is the sum of, largest first: name, value and share.
    pub parts: Vec<[String; 3]>,
    /// What it is computed from: a name, its formula in words, and with values.
    pub formulas: Vec<[String; 3]>,
    /// Constants that move it most: name, value with unit, evidence, what a percent more of it does, and source.
    pub constants: Vec<[String; 5]>,
    /// Further evidence, in a sentence.
    pub rests_on: String,
}

impl InWords {
    /// Something said, without an explanation.
    pub fn said(text: String) -> Self {
        Self { title: text, ..Self::default() }
    }
}

/// Explains a number of a forecast by its key; nothing where there is none of that key.
pub fn explained(forecast: &PageForecast, key: &str) -> Option<InWords> {
    let explainer = Explainer::new(forecast.predictor(), &forecast.scenario, &forecast.prediction);
    let explanation = explainer.explain(key).into_iter().next()?;
    let NumberExplanation { meaning, term, constants, .. } = &explanation;
    let mut parts = sum_of(term);
    let listed = !parts.is_empty();
    if parts.len() > MOST_TERMS {
        let others: f64 = parts.drain(MOST_TERMS - 1..).map(|part| part.1).sum();
        parts.push(("all others".to_owned(), others));
    }
    let share =
        |value: f64| number::percent(if term.value > 0.0 { value / term.value } else { 0.0 }).to_string();
    let terms = term.explained();
    let formulas = terms.iter().skip(usize::from(listed)).take(MOST_FORMULAS);
    Some(InWords {
        title: capitalised(&term.name),
        value: term.shown(),
        says: String::new(),
        meaning,
        parts: parts.into_iter().map(|(name, value)| [name, term.unit.shown(value), share(value)]).collect(),
        formulas: if listed { Vec::new() } else { formulas.filter_map(|term| formula(term)).collect() },
        constants: constants.iter().take(MOST_CONSTANTS).map(constant).collect(),
        rests_on: rests_on(&explanation),
    })
}

/// The terms of a number that is a plain sum of others in its unit, largest first.
fn sum_of(term: &FormulaTerm) -> Vec<(String, f64)> {
    let Some(Formula::Sum(parts)) = &term.formula else { return Vec::new() };
    let mut named = Vec::new();
    for part in parts {
        match part {
            Formula::Named(part) if part.unit == term.unit => named.push((part.name.clone(), part.value)),
            _ => return Vec::new(),
        }
    }
    named.retain(|part| part.1 > 0.0);
    crate::order::sorted(&named, |one, other| other.1.total_cmp(&one.1))
}

fn formula(term: &FormulaTerm) -> Option<[String; 3]> {
    let formula = term.formula.as_ref()?;
    Some([term.name.clone(), formula.words(), format!("{} = {}", formula.values(), term.shown())])
}

fn constant(constant: &ConstantUsed) -> [String; 5] {
    let value = if constant.value.abs() < 1e-3 {
        format!("{}\u{a0}\u{d7}\u{a0}10\u{207b}\u{2076}", number::significant(constant.value * 1e6, 3))
    } else {
        number::significant(constant.value, 3)
    };
    let unit = if constant.unit == "1" { String::new() } else { format!("\u{a0}{}", constant.unit) };
    let sign = if constant.effect < 0.0 { "\u{2212}" } else { "+" };
    let effect = format!("{sign}{}\u{a0}%", number::fixed(constant.effect.abs(), 2));
    [
        constant.meaning.to_owned(),
        value + &unit,
        told_evidence(constant.evidence).to_owned(),
        effect,
        constant.source.to_owned(),
    ]
}

/// What the value of a constant rests on, for readers.
fn told_evidence(evidence: &str) -> &str {
    match evidence {
        "measured" => "measured on kernels or links",
        "fitted" => "fitted to training runs",
        "assumed" => "assumed, not measured",
        other => other,
    }
}

/// Which part of a number is least certain, in a sentence; nothing where no constant of it is assumed.
fn least_certain(constants: &[ConstantUsed]) -> String {
    let assumed = constants.iter().find(|constant| constant.evidence == "assumed");
    assumed.map_or_else(String::new, |constant| {
        format!(
            "Least certain: {}. It is assumed, and an error of 10\u{a0}% in it changes this number by about {}. ",
            constant.meaning,
            number::percent(0.1 * constant.effect.abs())
        )
    })
}

fn rests_on(explanation: &NumberExplanation) -> String {
    let more = explanation.constants.len().saturating_sub(MOST_CONSTANTS);
    let learned = match explanation.rests_on {
        Some(Provenance::Measured) => "Learned from measurements at similar sizes. ",
        Some(Provenance::Extrapolated) => "Learned from measurements and extrapolated to this size. ",
        _ => "",
    };
    let constants = match (explanation.constants.len(), more) {
        (0, _) => "This number does not depend on calibrated constants.".to_owned(),
        (_, 0) => String::new(),
        (_, 1) => "One more constant has a smaller effect.".to_owned(),
        (_, more) => format!("{} more constants have smaller effects.", number::integer(more as u64)),
    };
    format!("{learned}{}{constants}", least_certain(&explanation.constants))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn told(key: &str) -> InWords {
        let forecast = PageForecast::of(&Document::default().into()).expect("possible");
        explained(&forecast, key).expect("explained")
    }

    #[test]
    fn a_sum_is_a_list_of_its_parts() {
        let step = told("step");
        assert_eq!(step.parts.len(), MOST_TERMS);
        assert_eq!(step.parts.first().map(|part| part[0].as_str()), Some("Backward"));
        assert_eq!(step.parts.last().map(|part| part[0].as_str()), Some("all others"));
        assert!(step.formulas.is_empty() && step.constants.len() == MOST_CONSTANTS);
        let shares: f64 = step
            .parts
            .iter()
            .filter_map(|part| part[2].trim_end_matches("\u{a0}%").parse::<f64>().ok())
            .sum();
        assert!((shares - 100.0).abs() < 0.5, "{shares}");
    }

    #[test]
    fn what_is_no_sum_is_a_formula_with_its_values() {
        let mfu = told("mfu");
        assert!(mfu.parts.is_empty());
        let [name, words, values] = mfu.formulas.first().expect("a formula");
        assert_eq!(name, "MFU");
        assert!(words.contains("model FLOPs per token") && values.ends_with(&mfu.value), "{values}");
        assert!(mfu.rests_on.ends_with("more constants have smaller effects."), "{}", mfu.rests_on);
        assert!(told("step").rests_on.starts_with("Least certain: "), "{}", told("step").rests_on);
        assert!(mfu.constants.iter().all(|constant| constant[2] != "assumed"));
        let memory = told("memory.weights");
        assert_eq!(memory.rests_on, "This number does not depend on calibrated constants.");
    }

    #[test]
    fn keys_there_are_not_explain_nothing() {
        let forecast = PageForecast::of(&Document::default().into()).expect("possible");
        assert_eq!(explained(&forecast, "nothing"), None);
    }
}
