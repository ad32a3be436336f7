//! What there is: presets, fields and constants.

use crate::text::{COLUMNS, wrapped};
use stepcast::constants::REGISTRY;
use stepcast::document::examples::EXAMPLES;
use stepcast::fields::{FIELDS, Field, FieldKind};
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::scenario::model::presets::MODELS;
use stepcast::scenario::plan::Modules;

/// Every scenario, model and cluster with its name.
pub(crate) fn presets() -> String {
    let section = |title: &str, entries: Vec<(&str, &str)>| {
        let width = entries.iter().map(|entry| entry.0.len()).max().unwrap_or(0) + 4;
        let lines: String =
            entries.iter().map(|(name, label)| beside(&format!("  {name}"), label, width)).collect();
        format!("{title}\n{lines}")
    };
    [
        section(
            "Scenarios (--preset)",
            EXAMPLES.iter().map(|example| (example.name, example.label)).collect(),
        ),
        section("Models (--set m=)", MODELS.iter().map(|preset| (preset.name, preset.label)).collect()),
        section("Clusters (--set g=)", CLUSTERS.iter().map(|preset| (preset.name, preset.label)).collect()),
    ]
    .join("\n")
}

/// Every field with what it takes: a line with key, label and legal values, and its help below.
pub(crate) fn fields() -> String {
    let key = FIELDS.iter().map(|field| field.key.len()).max().unwrap_or(0);
    FIELDS
        .iter()
        .map(|field| {
            let head = beside(field.key, &format!("{}: {}", field.label, takes(field)), key + 2);
            head + &wrapped(field.help(), key + 2, COLUMNS)
        })
        .collect()
}

/// A name, and a text beside it in lines of its own width.
fn beside(name: &str, text: &str, width: usize) -> String {
    let lines = wrapped(text, width, COLUMNS);
    format!("{name:<width$}{}", lines.trim_start())
}

/// Every constant of the predictor: value, unit and what it rests on, and for those fitted to runs the standard error, the
/// share of the prior's variance that the runs remove, and the values of refits without one source; its source below.
pub(crate) fn constants() -> String {
    REGISTRY
        .iter()
        .map(|constant| {
            let mut told = format!("{} {}, {}", constant.value, constant.unit, constant.evidence.name());
            if let Some(record) = constant.record() {
                let (least, most) = record.refits;
                told += &format!(
                    ", error {:.1} %, evidence {:.0} %, {least} to {most} without one source ({})",
                    100.0 * record.error,
                    100.0 * record.evidence,
                    record.without
                );
            }
            let head = wrapped(&format!("{}: {told}", constant.name), 0, COLUMNS);
            head + &wrapped(constant.source, 4, COLUMNS)
        })
        .collect()
}

fn takes(field: &Field) -> String {
    match field.kind {
        FieldKind::Integer { min, max } => format!("{min} to {max} {}", field.unit).trim_end().to_owned(),
        FieldKind::Quantity { min, max } => format!("{min} to {max} {}", field.unit),
        FieldKind::Choice(_) if field.group.preset_key() == Some(field.key) => {
            "a name from --list-presets".to_owned()
        }
        FieldKind::Choice(list) => list.iter().map(|entry| entry.0).collect::<Vec<_>>().join(", "),
        FieldKind::Flag => "0 or 1".to_owned(),
        FieldKind::Modules => Modules::ALL.map(|entry| entry.0).join(", "),
        FieldKind::Layers => "layers of every stage, such as 15,16x14,15".to_owned(),
    }
}
