//! What there is: presets, fields and constants.

use crate::text::{COLUMNS, wrapped};
use crate::{Failure, flags, json};
use serde::Serialize;
use stepcast::constants::{Constant, REGISTRY};
use stepcast::document::examples::EXAMPLES;
use stepcast::fields::{FIELDS, Field, FieldKind};
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::scenario::model::presets::MODELS;
use stepcast::scenario::plan::Modules;

/// A name that an argument takes.
#[derive(Debug, Serialize)]
struct Named {
    /// `preset`, `model` or `machine`: the flag that takes it.
    kind: &'static str,
    name: &'static str,
    label: &'static str,
    /// The job of a preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'static str>,
}

/// Every example, model and machine with its name.
pub(crate) fn presets(as_json: bool) -> Result<String, Failure> {
    let examples = EXAMPLES.iter().map(|example| ("preset", example.name, example.label, Some(example.link)));
    let models = MODELS.iter().map(|preset| ("model", preset.name, preset.label, None));
    let machines = CLUSTERS.iter().map(|preset| ("machine", preset.name, preset.label, None));
    let all: Vec<Named> = examples
        .chain(models)
        .chain(machines)
        .map(|(kind, name, label, link)| Named { kind, name, label, link })
        .collect();
    if as_json {
        return json(&all);
    }
    let section = |(title, kind): (&str, &str)| {
        let entries = || all.iter().filter(|entry| entry.kind == kind);
        let width = entries().map(|entry| entry.name.len()).max().unwrap_or(0) + 4;
        let lines: String =
            entries().map(|entry| aligned(&format!("  {}", entry.name), entry.label, width)).collect();
        format!("{title} (--{kind})\n{lines}")
    };
    let sections = [("Examples", "preset"), ("Models", "model"), ("Machines", "machine")];
    Ok(sections.map(section).join("\n"))
}

/// A field, for programs.
#[derive(Debug, Serialize)]
struct Described {
    key: &'static str,
    /// Name of its flag, without the dashes; other fields are set by `--set`.
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<&'static str>,
    label: &'static str,
    unit: &'static str,
    /// Legal values, in words.
    takes: String,
    help: &'static str,
}

/// Every field with what it takes: a line with key, label and legal values, and its help below.
pub(crate) fn fields(as_json: bool) -> Result<String, Failure> {
    let all: Vec<Described> = FIELDS
        .iter()
        .map(|field| Described {
            key: field.key,
            flag: flags::name_of(field.key),
            label: field.label,
            unit: field.unit,
            takes: takes(field),
            help: field.help(),
        })
        .collect();
    if as_json {
        return json(&all);
    }
    let key = FIELDS.iter().map(|field| field.key.len()).max().unwrap_or(0);
    let text = |field: &Described| {
        let flag = field.flag.map_or(String::new(), |flag| format!(" (--{flag})"));
        let head = aligned(field.key, &format!("{}{flag}: {}", field.label, field.takes), key + 2);
        head + &wrapped(field.help, key + 2, COLUMNS)
    };
    Ok(all.iter().map(text).collect())
}

/// A name, and a text next to it in lines of its own width.
fn aligned(name: &str, text: &str, width: usize) -> String {
    let lines = wrapped(text, width, COLUMNS);
    format!("{name:<width$}{}", lines.trim_start())
}

/// A constant, for programs.
#[derive(Debug, Serialize)]
struct Known {
    name: &'static str,
    value: f64,
    unit: &'static str,
    evidence: &'static str,
    source: &'static str,
    /// How well runs determine it, where it was fitted to some.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted: Option<Fitted>,
}

/// How well runs determine a constant.
#[derive(Debug, Serialize)]
struct Fitted {
    /// Standard error, as a share of the value.
    error: f64,
    /// Share of the prior's variance that the runs remove.
    evidence: f64,
    /// Least and most value of refits without one source.
    refits: (f64, f64),
    /// The source without which it differs most.
    without: &'static str,
}

/// Every constant of the predictor: value, unit and what it rests on, and for those fitted to runs how well these determine
/// it; its source below.
pub(crate) fn constants(as_json: bool) -> Result<String, Failure> {
    let fitted = |constant: &Constant| {
        let record = constant.record()?;
        let (error, evidence) = (record.error, record.evidence);
        Some(Fitted { error, evidence, refits: record.refits, without: record.without })
    };
    let all = REGISTRY.iter().map(|constant| Known {
        name: constant.name,
        value: constant.value,
        unit: constant.unit,
        evidence: constant.evidence.name(),
        source: constant.source,
        fitted: fitted(constant),
    });
    if as_json {
        return json(&all.collect::<Vec<_>>());
    }
    let text = |constant: Known| {
        let mut told = format!("{} {}, {}", constant.value, constant.unit, constant.evidence);
        if let Some(Fitted { error, evidence, refits: (least, most), without }) = constant.fitted {
            told += &format!(
                ", error {:.1} %, evidence {:.0} %, {least} to {most} if one source is excluded (most sensitive to {without})",
                100.0 * error,
                100.0 * evidence,
            );
        }
        let head = wrapped(&format!("{}: {told}", constant.name), 0, COLUMNS);
        head + &wrapped(constant.source, 4, COLUMNS)
    };
    Ok(all.map(text).collect())
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
        FieldKind::Pattern => "layer pattern, such as 3ra".to_owned(),
        FieldKind::Layers => "layers per stage, such as 15,16x14,15".to_owned(),
    }
}
