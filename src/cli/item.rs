//! `stepcast explain --item`: what one number of a forecast is made of.

use crate::input::Input;
use crate::text::{CellAlign, significant, table};
use crate::{Failure, json, sentences};
use clap::Args;
use stepcast::explain::{Explainer, FormulaTerm, NumberExplanation};

/// What of a forecast is explained.
#[derive(Debug, Args)]
pub(crate) struct Items {
    /// Explain one number: formula, values, constants and sources. KEY is a metric (mfu), a part of the step, a memory
    /// category (memory.weights) or an operator.
    #[arg(long, value_name = "KEY")]
    item: Option<String>,
    /// List the keys for --item with their values.
    #[arg(long, conflicts_with = "item")]
    items: bool,
}

/// Constants that are listed for people; JSON has all.
const MOST_CONSTANTS: usize = 12;

/// Explains one number of a forecast or lists them all; nothing where neither was asked for.
pub(crate) fn explain(input: &Input, items: &Items, as_json: bool) -> Option<Result<String, Failure>> {
    if items.item.is_none() && !items.items {
        return None;
    }
    Some(input.predictor().predict(&input.scenario).map_err(sentences).and_then(|prediction| {
        let explainer = Explainer::new(input.predictor(), &input.scenario, &prediction);
        let Some(item) = &items.item else { return overview(&explainer, as_json) };
        let explanations = explainer.explain(item);
        if explanations.is_empty() {
            return Err(vec![format!("This forecast has no item {item}. For a list, use --items.")]);
        }
        if as_json {
            return json(&explanations);
        }
        Ok(explanations.iter().map(explanation).collect::<Vec<_>>().join("\n"))
    }))
}

/// Every number in a line.
fn overview(explainer: &Explainer<'_>, as_json: bool) -> Result<String, Failure> {
    let terms: Vec<(String, FormulaTerm)> =
        explainer.keys().into_iter().filter_map(|key| Some((key.clone(), explainer.term(&key)?))).collect();
    if as_json {
        return json(&terms);
    }
    let rows: Vec<Vec<String>> =
        terms.into_iter().map(|(key, term)| vec![key, term.shown(), term.name]).collect();
    Ok(table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Left]))
}

fn explanation(explanation: &NumberExplanation) -> String {
    let mut text = format!("{}\n", explanation.meaning);
    for term in explanation.term.explained() {
        let Some(formula) = &term.formula else { continue };
        text += &format!("\n{} = {}\n", term.name, formula.words());
        text += &format!("  = {}\n  = {}\n", formula.values(), term.shown());
    }
    if explanation.term.formula.is_none() {
        text += &format!("\n{} = {}\n", explanation.term.name, explanation.term.shown());
    }
    let constants = &explanation.constants;
    if constants.is_empty() {
        return text;
    }
    let rows = constants.iter().take(MOST_CONSTANTS).map(|constant| {
        vec![
            constant.name.to_owned(),
            significant(constant.value),
            constant.unit.to_owned(),
            constant.evidence.to_owned(),
            format!("{:+.3} %", constant.effect),
            constant.source.to_owned(),
        ]
    });
    let head =
        ["Constant", "Value", "Unit", "Evidence", "Change for +1 %", "Source"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    let [left, right] = [CellAlign::Left, CellAlign::Right];
    text += "\n";
    text += &table(&rows, &[left, right, left, left, right, left]);
    if constants.len() > MOST_CONSTANTS {
        text += &format!("and {} more constants with smaller effects.\n", constants.len() - MOST_CONSTANTS);
    }
    text
}
