//! The JSON schema of jobs and answers, for validators, editors and the package's TypeScript types.

use super::{Explanation, Exported, Imported, JSON_VERSION, Layouts, Problem, RankMessages};
use crate::document::{Document, examples::EXAMPLES};
use crate::fields::{FIELDS, Field, FieldKind};
use crate::page_state::report::Report;
use crate::scaling::ScalingCurve;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema: `Scenario` is what is asked, `Prediction`, `Layouts`, `RankMessages`, `Explanation`,
/// `ScalingCurve`, `Imported` and `Exported` are answers, and `Problem` is what a refusal is made of. All stand in its `$defs`.
pub fn document() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Report<'static>>();
    generator.subschema_for::<Layouts>();
    generator.subschema_for::<RankMessages>();
    generator.subschema_for::<Explanation>();
    generator.subschema_for::<ScalingCurve>();
    generator.subschema_for::<Imported>();
    generator.subschema_for::<Exported>();
    generator.subschema_for::<Problem>();
    let mut definitions = generator.take_definitions(true);
    definitions.values_mut().for_each(plain);
    definitions.insert("Scenario".to_owned(), scenario());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:stepcast:schema:{JSON_VERSION}"),
        "title": "stepcast",
        "description": "JSON schema of stepcast jobs and answers.",
        "version": JSON_VERSION,
        "$defs": definitions,
    })
}

/// Takes the brackets of links within the documentation out of the descriptions: [`Seconds`] becomes `Seconds`.
fn plain(schema: &mut Value) {
    match schema {
        Value::String(text) => *text = text.replace("[`", "`").replace("`]", "`"),
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(entries) => entries.values_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A job as an object: every field is optional, and has the default document's value where it is left out.
fn scenario() -> Value {
    let default = Document::default();
    let mut properties = Map::new();
    let names: Vec<&str> = EXAMPLES.iter().map(|example| example.name).collect();
    let help = "Example to start from; default: the default job.";
    properties.insert("preset".to_owned(), json!({ "description": help, "enum": names }));
    for field in FIELDS {
        properties.insert(field.key.to_owned(), property(field, default.text(field.key)));
    }
    json!({
        "title": "Scenario",
        "description": "A job: field keys and values. Missing fields have the value of the preset in m or g, or of the default job.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// One field, with its name in Python. Numbers may be texts, too, in which units and suffixes are read, such as `8k` or `400 Gb/s`.
fn property(field: &Field, default: &str) -> Value {
    let unit = if field.unit.is_empty() { String::new() } else { format!(", {}", field.unit) };
    let description = format!("{}{unit}. {}", field.label, field.help());
    let mut schema = match field.kind {
        FieldKind::Integer { min, max } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": min, "maximum": max }, { "type": "string" }] })
        }
        FieldKind::Quantity { min, max } => {
            json!({ "anyOf": [{ "type": "number", "minimum": min, "maximum": max }, { "type": "string" }] })
        }
        FieldKind::Choice(list) => {
            let names: Vec<&str> = list.iter().map(|entry| entry.0).collect();
            json!({ "enum": names })
        }
        FieldKind::Flag => json!({ "anyOf": [{ "type": "boolean" }, { "enum": ["0", "1"] }] }),
        FieldKind::Layers | FieldKind::Modules | FieldKind::Pattern => json!({ "type": "string" }),
    };
    if let Some(entries) = schema.as_object_mut() {
        entries.insert("name".to_owned(), Value::String(field.name()));
        entries.insert("description".to_owned(), Value::String(description));
        entries.insert("default".to_owned(), Value::String(default.to_owned()));
    }
    schema
}
