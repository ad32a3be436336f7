//! Forecasts as text in which two different numbers are never the same.

use stepcast::cluster::presets::CLUSTERS;
use stepcast::document::Document;
use stepcast::model::presets::MODELS;
use stepcast::prediction::predict;

/// Layouts that between them reach every term of a forecast.
const LAYOUTS: [&str; 4] =
    ["tp=1;sp=0;pp=1", "tp=8;pp=4;rc=full", "tp=2;pp=8;zero=1;rc=selective", "tp=4;pp=1;zero=3"];

/// Every model on one cluster, and one model on every cluster, in each layout.
pub(crate) fn lines() -> Vec<String> {
    let models = MODELS.iter().map(|model| format!("m={};g=dgx-h100", model.name));
    let clusters = CLUSTERS.iter().map(|cluster| format!("m=llama2-13b;g={}", cluster.name));
    let jobs = models.chain(clusters);
    jobs.flat_map(|job| LAYOUTS.map(|layout| line(&format!("1;{job};n=64;seq=1k;gb=1k;prec=fp16;{layout}"))))
        .collect()
}

fn line(link: &str) -> String {
    let scenario = match Document::from_link(link) {
        Ok(opened) => opened.document.scenario(),
        Err(error) => return format!("{link} {error}"),
    };
    match scenario.and_then(|scenario| predict(&scenario)) {
        Ok(forecast) => {
            let parts = forecast.breakdown.parts().map(|part| format!("{:?}", part.2.0)).join(" ");
            let (step, memory, mfu) = (forecast.step.0, forecast.memory.peak_gib, forecast.mfu);
            format!("{link} {step:?} {parts} {memory:?} {mfu:?}")
        }
        Err(errors) => format!("{link} {errors:?}"),
    }
}
