//! What there is: presets, fields and constants.

use crate::text::{Align, markdown, table};
use stepcast::constants::REGISTRY;
use stepcast::document::examples::EXAMPLES;
use stepcast::fields::{FIELDS, Field, FieldKind};
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::scenario::model::presets::MODELS;
use stepcast::scenario::plan::Modules;

/// Every scenario, model and cluster with its name.
pub(crate) fn presets() -> String {
    let section = |title: &str, entries: Vec<(&str, &str)>| {
        let rows: Vec<Vec<String>> =
            entries.iter().map(|(name, label)| vec![format!("  {name}"), (*label).to_owned()]).collect();
        format!("{title}\n{}", table(&rows, &[Align::Left, Align::Left]))
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

/// Every field with what it takes.
pub(crate) fn fields() -> String {
    let rows: Vec<Vec<String>> = FIELDS
        .iter()
        .map(|field| vec![field.key.to_owned(), field.label.to_owned(), takes(field), field.help.to_owned()])
        .collect();
    table(&rows, &[Align::Left; 4])
}

/// Every constant of the predictor, as a Markdown table: value, what it rests on, and for those fitted to runs the
/// standard error, the share of the prior's variance that the runs remove, and the values of refits without one source.
pub(crate) fn constants() -> String {
    let head = ["constant", "value", "unit", "kind", "error", "evidence", "without one source", "source"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(REGISTRY.iter().map(|constant| {
        let [error, evidence, refits] = constant.record().map_or_else(Default::default, |record| {
            let (least, most) = record.refits;
            [
                format!("{:.1} %", 100.0 * record.error),
                format!("{:.0} %", 100.0 * record.evidence),
                format!("{least} to {most} ({})", record.without),
            ]
        });
        vec![
            format!("`{}`", constant.name),
            constant.value.to_string(),
            constant.unit.to_owned(),
            constant.evidence.name().to_owned(),
            error,
            evidence,
            refits,
            constant.source.to_owned(),
        ]
    }));
    use Align::{Left, Right};
    markdown(&rows, &[Left, Right, Left, Left, Right, Right, Left, Left])
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
