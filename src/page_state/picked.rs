//! What the list of a setting shows of an entry: the group that it is listed in, and its figures.

use crate::document::Document;
use crate::number;
use crate::scenario::cluster::instance::INSTANCES;
use crate::scenario::cluster::presets::{CLUSTERS, GPUS};
use crate::scenario::model::Model;
use crate::scenario::model::presets::MODELS;

/// Group of models whose family has no other member in the list.
const OTHER_MODELS: &str = "Other models";

/// Group and figures of a model, by its name in the table of models.
pub(super) fn model(name: &str) -> Option<(String, String)> {
    let preset = MODELS.iter().find(|preset| preset.name == name)?;
    let own = family(preset.label);
    let several = MODELS.iter().filter(|other| family(other.label) == own).count() > 1;
    Some((if several { own } else { OTHER_MODELS }.to_owned(), figures(&preset.model)))
}

/// The family of a model: what its label begins with, up to a sign or number.
fn family(label: &str) -> &str {
    label.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or(label)
}

/// Parameters and kind of a model.
fn figures(model: &Model) -> String {
    let size = |parameters: u64| number::short(&number::count(parameters as f64));
    let (all, active) = (model.parameters(), model.active_parameters());
    let kind = match model.experts.count {
        _ if !model.causal => "encoder",
        _ if model.recurrent.heads > 0 => "hybrid",
        0 => "dense",
        _ => "experts",
    };
    if model.experts.count > 0 {
        return format!("{}, {} active \u{b7} {kind}", size(all), size(active));
    }
    format!("{} \u{b7} {kind}", size(all))
}

/// Group and figures of a machine or cloud instance, by its name.
pub(super) fn machine(name: &str) -> Option<(String, String)> {
    if let Some(instance) = INSTANCES.iter().find(|instance| instance.name == name) {
        return Some((instance.provider.to_owned(), format!("{} GPUs", instance.gpus)));
    }
    let cluster = CLUSTERS.iter().find(|preset| preset.name == name)?.cluster;
    let gpu = GPUS.iter().find(|preset| preset.gpu == cluster.gpu);
    let mut document = Document::default();
    document.set("g", name);
    let shown = gpu.map_or_else(String::new, |gpu| format!("{} \u{d7} {}", cluster.gpus_per_node, gpu.label));
    Some((document.label("family").to_owned(), shown))
}
