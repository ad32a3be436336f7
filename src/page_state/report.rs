//! Export of a forecast: the output of `stepcast predict --json`, and the same headline as Markdown.

use super::page::PageForecast;
use super::{certainty, summary};
use crate::document::Document;
use crate::fields::CUSTOM;
use crate::forecast::{Confidence, Prediction, Predictor, flops_per_token};
use crate::number;
use crate::run_cost::RunCost;
use crate::scenario::Scenario;
use crate::scenario::model::{Layers, presets};
use crate::scenario::plan::Plan;
use crate::tuner::{FieldChange, memory_savings};
use crate::units::{Bytes, Seconds};
use serde::Serialize;
use std::collections::BTreeMap;

/// Forecast, layout, cost of the training run, and link.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Prediction"))]
pub struct Report<'a> {
    /// What was forecast.
    #[serde(flatten)]
    prediction: &'a Prediction,
    /// Parts of the model that are not modelled, in a sentence; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted: Option<String>,
    /// The model.
    model: ModelReport,
    /// The layout.
    plan: PlanReport,
    /// Changes that save memory: those that make the job likely to fit first. Absent where it is likely to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_savings: Vec<MemorySaving>,
    /// The whole run.
    run: RunCost,
    /// Accuracy of the forecast, and its evidence.
    sureness: Confidence,
    /// The link's fragment.
    link: String,
}

impl<'a> Report<'a> {
    /// The report of a scenario's forecast.
    pub fn new(
        predictor: &Predictor<'_>,
        scenario: &Scenario,
        prediction: &'a Prediction,
        link: String,
    ) -> Self {
        let run = RunCost::of(scenario, prediction.step);
        let sureness = predictor.confidence(scenario);
        let (model, plan) = (ModelReport::of(scenario), PlanReport::of(scenario));
        let not_counted = scenario.model.uncounted.sentence();
        let memory_savings = if prediction.memory.is_likely() {
            Vec::new()
        } else {
            let changes = memory_savings(predictor, scenario);
            changes.into_iter().map(MemorySaving::of).collect()
        };
        Self { prediction, not_counted, model, plan, memory_savings, run, sureness, link }
    }
}

/// A change of a job that saves memory, and its forecast.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemorySaving {
    /// Keys of the fields, and their other values.
    fields: BTreeMap<&'static str, String>,
    /// Whether training gives other results with it: less is trained, or in less precision.
    changes_results: bool,
    /// Time of one step with it.
    step_s: Seconds,
    /// Peak memory per GPU with it, GiB.
    peak_gib: f64,
    /// Whether the job then fits as counted.
    fits: bool,
    /// Probability that it then runs within the usable memory.
    fit_probability: f64,
}

impl MemorySaving {
    fn of(change: FieldChange) -> Self {
        let FieldChange { fields, changes_results, step, peak, fits, fit_probability, .. } = change;
        let (fields, peak_gib) = (fields.into_iter().collect(), peak.gib());
        Self { fields, changes_results, step_s: step, peak_gib, fits, fit_probability }
    }
}

/// Size of a model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelReport {
    /// Name in links: a preset, or custom.
    name: &'static str,
    /// Parameters, with the vocabulary as published and without layers of multi-token prediction.
    parameters: u64,
    /// Parameters used per token.
    active_parameters: u64,
    /// Training FLOPs per token, forward and backward, without recomputation.
    flops_per_token: f64,
    /// Layers by kind.
    layers: Vec<LayersReport>,
}

/// The layers of one kind.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayersReport {
    /// Parts of one layer.
    kind: String,
    /// Number of these layers.
    count: u32,
}

impl ModelReport {
    /// The model of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let model = &scenario.model;
        let layers = Layers::new(model);
        let counts = layers.kinds().iter().zip(layers.counts());
        Self {
            name: presets::name_of(model).unwrap_or(CUSTOM),
            parameters: model.parameters(),
            active_parameters: model.active_parameters(),
            flops_per_token: flops_per_token(scenario),
            layers: counts
                .map(|(kind, count)| LayersReport { kind: kind.label(model.recurrent.rule), count })
                .collect(),
        }
    }
}

/// Layout with derived values.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanReport {
    #[serde(flatten)]
    plan: Plan,
    data_parallel: u32,
    micro_batches: u32,
}

impl PlanReport {
    /// The layout of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            plan: scenario.plan,
            data_parallel: scenario.data_parallel(),
            micro_batches: scenario.micro_batches(),
        }
    }
}

/// The link of a document, with the layout that it has now, and without what is open and picked on the page.
pub fn scenario_link(document: &Document) -> String {
    let mut document = document.pinned();
    document.take_view(&Document::default());
    document.to_link()
}

/// The headline and the breakdown as Markdown. `page` is the page's address without query and fragment.
pub fn markdown(forecast: &PageForecast, page: &str) -> String {
    let PageForecast { scenario, prediction, document, .. } = forecast;
    let memory = &prediction.memory;
    let peak = number::memory(Bytes::from_gib(memory.peak_gib));
    let mut out = format!("**{}**\n\n", summary::job(document, scenario));
    out.push_str("| | |\n|---|--:|\n");
    let mut line = |name: &str, value: String| out.push_str(&format!("| {name} | {value} |\n"));
    line("Step", number::time(prediction.step).to_string());
    let (low, high) = (prediction.interval.low, prediction.interval.high);
    line("90 % range of the step time", format!("{} to {}", number::time(low), number::time(high)));
    line("Tokens/s per GPU", number::significant(prediction.tokens_per_s_per_gpu, 3));
    line("MFU", number::percent(prediction.mfu).to_string());
    line("Peak memory per GPU", format!("{peak}, {}", summary::fit(prediction)));
    for (_, label, time) in prediction.breakdown.parts() {
        if time.0 > 0.0 {
            let share = number::percent(time / prediction.step);
            line(label, format!("{} ({share})", number::time(time)));
        }
    }
    out.push_str(&format!("\n{}\n", summary::run(scenario, &RunCost::of(scenario, prediction.step))));
    out.push_str(&format!("\n{}\n", prediction.bottleneck.sentence));
    if let Some(doubts) = certainty::doubts(&prediction.interval) {
        out.push_str(&format!("\n{doubts}\n"));
    }
    out.push_str(&format!("\n<{page}{}>\n", scenario_link(document)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn the_headline_is_a_table_and_its_link_reproduces_it() {
        let link = "#1;m=llama3-70b;g=dgx-h100;n=512;v.open=matrix";
        let document = Rc::new(Document::from_link(link).expect("a link").document);
        let forecast = PageForecast::of(&document).expect("possible");
        let text = markdown(&forecast, "https://example.org/");
        assert!(text.starts_with("**Llama-3 70B on 512 GPUs"), "{text}");
        assert!(text.contains(&format!("| Step | {} |", number::time(forecast.prediction.step))));
        assert!(text.contains("| 90 % range of the step time | "), "{text}");
        let link =
            text.trim_end().rsplit('<').next().and_then(|link| link.strip_suffix('>')).expect("a link");
        assert!(!link.contains("v.open"), "{link}");
        assert_eq!(Document::from_link(link).expect("a link").document.scenario(), Ok(forecast.scenario));
    }
}
