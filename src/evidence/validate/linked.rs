//! Jobs of measured runs as links: `2;m=llama3-8b;g=dgx-h100;n=16;...`, with the fields that a source does not state.

use super::run::ASSUMED_NETWORK;
use crate::document::Document;
use crate::fields::Field;
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::nearest_gpu;

/// Fields of a job that are equal for its layouts.
const SHARED: [&str; 5] = ["layers", "seq", "gb", "n", "prec"];

/// Key of the rate of a network's ports: unstated, the network is the machine's own.
pub(super) const NETWORK: &str = "nic";

/// The job of a link, and what was assumed in it for the fields `unstated`, keys with blanks between.
pub(super) fn job(link: &str, unstated: &str) -> Result<(Scenario, Vec<String>), String> {
    let document = Document::from_link(link).map_err(|error| sentence(error.message))?.document;
    if document.is_planned() {
        return Err("the link of column job leaves its layout open".to_owned());
    }
    let assumed = |key: &str| match Field::find(key) {
        Some(field) if field.key == NETWORK => Ok(ASSUMED_NETWORK.to_owned()),
        Some(field) => Ok(format!("{} {}", field.label, document.text(key))),
        None => Err(format!("column unstated names {key}, which is not a field")),
    };
    let assumed = unstated.split_whitespace().map(assumed).collect::<Result<_, _>>()?;
    Ok((scenario(&document)?, assumed))
}

/// The job of a document, or the first reason why there is none.
pub(super) fn scenario(document: &Document) -> Result<Scenario, String> {
    document.scenario().map_err(|errors| {
        errors.into_iter().next().map_or_else(|| "invalid job".to_owned(), |error| sentence(error.message))
    })
}

/// Name of a job's GPU, or of the published one most like it.
pub(super) fn gpu(scenario: &Scenario) -> &'static str {
    nearest_gpu(&scenario.cluster.gpu).map_or("", |gpu| gpu.name)
}

/// What the layouts of one job share.
pub(super) fn what_layouts_share(scenario: &Scenario) -> String {
    let text = |key: &&str| Field::find(key).map(|field| field.canonical(scenario)).unwrap_or_default();
    SHARED.iter().map(text).chain([gpu(scenario).to_owned()]).collect::<Vec<_>>().join(" ")
}

fn sentence(message: String) -> String {
    message.trim_end_matches('.').to_owned()
}
