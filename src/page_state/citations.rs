//! What a forecast rests on, as BibTeX: the forecast itself, the papers behind its method, and the constants that move it.

use super::page::PageForecast;
use super::report::scenario_link;
use super::summary;
use crate::decimal;
use crate::explain::Explainer;
use crate::number;
use crate::scenario::plan::Zero;

/// Least share by which a step grows, over the share by which a constant does, for that to be listed.
const LEAST_EFFECT: f64 = 0.001;

/// A paper of the method: key, authors, title, number on arXiv, and year.
type Paper = [&'static str; 5];

/// Activations, sequence parallelism and recomputation.
const ACTIVATIONS: Paper = [
    "korthikanti2022",
    "Korthikanti, Vijay and others",
    "Reducing Activation Recomputation in Large Transformer Models",
    "2205.05198",
    "2022",
];

/// Tensor and pipeline parallelism together, and its count of FLOPs.
const MEGATRON: Paper = [
    "narayanan2021",
    "Narayanan, Deepak and others",
    "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM",
    "2104.04473",
    "2021",
];

/// Sharded states.
const ZERO: Paper = [
    "rajbhandari2020",
    "Rajbhandari, Samyam and others",
    "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
    "1910.02054",
    "2020",
];

/// BibTeX of a forecast. `page` is the page's address without query and fragment.
pub fn bibtex(forecast: &PageForecast, page: &str) -> String {
    let step = number::time(forecast.prediction.step);
    let job = summary::job(&forecast.document, &forecast.scenario);
    let link = scenario_link(&forecast.document);
    let mut text = entry(
        "stepcast-forecast",
        &[
            ("title", format!("{job}: a step of {step}")),
            ("author", "{stepcast}".to_owned()),
            ("howpublished", format!("\\url{{{page}{}}}", link.replace('#', "\\#").replace('%', "\\%"))),
        ],
    );
    let plan = &forecast.scenario.plan;
    let sharded = (plan.zero != Zero::None).then_some(ZERO);
    for [key, author, title, arxiv, year] in [MEGATRON, ACTIVATIONS].into_iter().chain(sharded) {
        let fields = [
            ("title", format!("{{{title}}}")),
            ("author", author.to_owned()),
            ("year", year.to_owned()),
            ("eprint", arxiv.to_owned()),
            ("archiveprefix", "arXiv".to_owned()),
        ];
        text.push_str(&entry(key, &fields));
    }
    let explainer = Explainer::new(forecast.predictor(), &forecast.scenario, &forecast.prediction);
    let step = explainer.explain("step").into_iter().next();
    let constants = step.map(|step| step.constants).unwrap_or_default();
    for constant in constants.iter().filter(|constant| constant.effect.abs() >= LEAST_EFFECT) {
        let value = decimal::plain(constant.value);
        let fields = [
            (
                "title",
                format!("{{Constant {} = {value} {}}}", escaped(constant.name), escaped(constant.unit)),
            ),
            ("note", format!("{}: {}", constant.evidence, escaped(constant.source))),
        ];
        text.push_str(&entry(&format!("stepcast-{}", constant.name), &fields));
    }
    text
}

fn entry(key: &str, fields: &[(&str, String)]) -> String {
    let fields: String = fields.iter().map(|(name, value)| format!("  {name} = {{{value}}},\n")).collect();
    format!("@misc{{{key},\n{fields}}}\n\n")
}

/// A text without what BibTeX and LaTeX take for their own.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '_' | '%' | '#' | '&' | '$' => escaped.extend(['\\', letter]),
            '{' | '}' | '\\' => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::REGISTRY;
    use crate::document::Document;
    use std::rc::Rc;

    fn written(link: &str) -> String {
        let document = Document::from_link(link).expect("a link").document;
        bibtex(&PageForecast::of(&Rc::new(document)).expect("possible"), "https://example.org/")
    }

    #[test]
    fn entries_are_closed_and_name_what_the_job_rests_on() {
        let text = written("#1;m=llama3-70b;g=dgx-h100;n=512");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert!(text.contains("@misc{rajbhandari2020,") && text.contains("gemm_efficiency_hopper"), "{text}");
        let entries = text.matches("@misc{").count();
        assert!(entries > 8 && entries < REGISTRY.len(), "{entries}: those that move it, not all");
        assert!(text.contains("example.org/\\#2;m=llama3-70b"), "{text}");
        let plain = written("#1;m=llama3-8b;g=dgx-h100;n=8;gb=64;tp=2;pp=1;zero=0");
        assert!(!plain.contains("rajbhandari2020"));
    }
}
