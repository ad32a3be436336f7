//! Python's types of jobs and answers, from the JSON schema.

use crate::project::Result;
use serde_json::{Map, Value};

/// First line of what is made here.
const BANNER: &str = "# Made by `cargo xtask python types` from the JSON schema.\n";

/// Words that names of Python cannot be, of those that JSON has: they get an underscore.
const KEYWORDS: [&str; 9] = ["as", "class", "for", "from", "global", "in", "is", "not", "pass"];

/// Types of answers that are not jobs: dataclasses, and names of texts.
pub(super) fn answers(schema: &Value) -> Result<String> {
    let mut out = format!(
        "{BANNER}\nfrom __future__ import annotations\n\nfrom dataclasses import dataclass\n\
         from typing import Any, Literal, Optional, Union\n\nfrom ._base import Answer, Linked\n"
    );
    let definitions = definitions(schema)?;
    let answers = definitions.iter().filter(|entry| entry.0 != "Scenario");
    let (classes, names): (Vec<_>, Vec<_>) = answers.partition(|entry| entry.1.get("properties").is_some());
    out.push('\n');
    for (name, definition) in names {
        out.push_str(&format!("{name} = {}\n{}\n", kind(definition), doc(definition, "")));
    }
    for (name, definition) in classes {
        out.push_str(&class(name, definition));
    }
    Ok(out)
}

/// One dataclass: what an answer always has, then what it may have.
fn class(name: &str, definition: &Value) -> String {
    let empty = Map::new();
    let properties = definition.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = definition.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let base = if properties.contains_key("link") { "Linked" } else { "Answer" };
    let mut out = format!("\n\n@dataclass(frozen=True)\nclass {name}({base}):\n{}", doc(definition, "    "));
    let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    for (place, name) in required.iter().copied().chain(optional).enumerate() {
        let Some(property) = properties.get(name) else { continue };
        let kind = kind(property);
        let kind = match (place < required.len(), kind.starts_with("Optional")) {
            (true, _) => kind,
            (false, true) => format!("{kind} = None"),
            (false, false) => format!("Optional[{kind}] = None"),
        };
        out.push_str(&format!("\n    {}: {kind}\n{}", identifier(name), doc(property, "    ")));
    }
    out
}

/// Names of fields, their keys, and the type of keyword arguments.
pub(super) fn fields(schema: &Value) -> Result<String> {
    let fields = definitions(schema)?.get("Scenario").and_then(|job| job.get("properties"));
    let fields = fields.and_then(Value::as_object).ok_or("the schema has no fields")?;
    let name = |key: &str, field: &Value| -> String {
        field.get("name").and_then(Value::as_str).unwrap_or(key).to_owned()
    };
    let mut names: Vec<(String, &str, &Value)> =
        fields.iter().map(|(key, field)| (name(key, field), key.as_str(), field)).collect();
    names.sort_by(|one, other| one.0.cmp(&other.0));
    let mut out = format!(
        "{BANNER}\nfrom __future__ import annotations\n\nfrom typing import TypedDict, Union\n\n\
         KEYS: dict[str, str] = {{\n"
    );
    for (name, key, _) in &names {
        out.push_str(&format!("    \"{name}\": \"{key}\",\n"));
    }
    out.push_str(
        "}\n\"\"\"Keys of fields by their names.\"\"\"\n\n\nclass Fields(TypedDict, total=False):\n",
    );
    out.push_str("    \"\"\"Fields of a job, by their names and by their keys.\"\"\"\n");
    for (name, key, field) in &names {
        let kind = typed(field);
        out.push_str(&format!("\n    {name}: {kind}\n{}", doc(field, "    ")));
        if name != key {
            out.push_str(&format!("    {key}: {kind}\n"));
        }
    }
    Ok(out)
}

/// What a field takes. Numbers may be texts with units, names any text.
fn typed(field: &Value) -> &'static str {
    let kinds = field.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let kinds: Vec<&str> = kinds.filter_map(|kind| kind.get("type")?.as_str()).collect();
    match kinds.first().copied() {
        Some("integer") => "Union[int, str]",
        Some("number") => "Union[float, str]",
        Some("boolean") => "Union[bool, str]",
        _ => "str",
    }
}

fn definitions(schema: &Value) -> Result<&Map<String, Value>> {
    schema.get("$defs").and_then(Value::as_object).ok_or_else(|| "the schema has no $defs".to_owned())
}

/// The type of a value as Python 3.9 can evaluate it.
fn kind(schema: &Value) -> String {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    if let Some(reference) = text("$ref") {
        return reference.trim_start_matches("#/$defs/").to_owned();
    }
    for list in ["oneOf", "anyOf"] {
        if let Some(of) = schema.get(list).and_then(Value::as_array) {
            return union(of);
        }
    }
    if let Some(types) = schema.get("type").and_then(Value::as_array) {
        let name = types.iter().filter_map(Value::as_str).find(|name| *name != "null");
        return format!("Optional[{}]", plain(name.unwrap_or_default(), schema));
    }
    if let Some(constant) = text("const") {
        return format!("Literal[\"{constant}\"]");
    }
    plain(text("type").unwrap_or_default(), schema)
}

/// The type of one of several: texts in one `Literal`, and nothing as `Optional`.
fn union(of: &[Value]) -> String {
    let texts: Vec<String> =
        of.iter().filter_map(|one| one.get("const")?.as_str()).map(|text| format!("\"{text}\"")).collect();
    let is_null = |one: &&Value| one.get("type").and_then(Value::as_str) == Some("null");
    let mut kinds: Vec<String> =
        of.iter().filter(|one| one.get("const").is_none() && !is_null(one)).map(kind).collect();
    kinds.dedup();
    if !texts.is_empty() {
        kinds.insert(0, format!("Literal[{}]", texts.join(", ")));
    }
    let kinds = if kinds.len() == 1 { kinds.remove(0) } else { format!("Union[{}]", kinds.join(", ")) };
    if of.iter().any(|one| is_null(&one)) { format!("Optional[{kinds}]") } else { kinds }
}

fn plain(name: &str, schema: &Value) -> String {
    match name {
        "string" => "str".to_owned(),
        "number" => "float".to_owned(),
        "integer" => "int".to_owned(),
        "boolean" => "bool".to_owned(),
        "array" => format!("tuple[{}, ...]", schema.get("items").map_or("Any".to_owned(), kind)),
        "object" => match schema.get("additionalProperties").filter(|value| value.is_object()) {
            Some(values) => format!("dict[str, {}]", kind(values)),
            None => "dict[str, Any]".to_owned(),
        },
        _ => "Any".to_owned(),
    }
}

fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// The description as a docstring.
fn doc(schema: &Value, indent: &str) -> String {
    let Some(text) = schema.get("description").and_then(Value::as_str) else { return String::new() };
    let text = text.replace('\\', "").replace("\"\"\"", "'''");
    let lines: Vec<String> = text
        .lines()
        .map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") })
        .collect();
    let text = lines.join("\n");
    let end = if text.ends_with('"') { " " } else { "" };
    format!("{indent}\"\"\"{}{end}\"\"\"\n", text.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_those_of_the_schema() {
        let of = |schema: Value| kind(&schema);
        assert_eq!(of(json!({ "$ref": "#/$defs/Seconds" })), "Seconds");
        assert_eq!(of(json!({ "type": ["integer", "null"] })), "Optional[int]");
        assert_eq!(of(json!({ "anyOf": [{ "$ref": "#/$defs/A" }, { "type": "null" }] })), "Optional[A]");
        assert_eq!(of(json!({ "type": "array", "items": { "type": "string" } })), "tuple[str, ...]");
        let choice = json!({ "oneOf": [{ "const": "a" }, { "const": "b" }, { "type": "object" }] });
        assert_eq!(of(choice), "Union[Literal[\"a\", \"b\"], dict[str, Any]]");
    }

    #[test]
    fn a_class_has_what_is_always_there_first_and_no_keyword_as_a_name() {
        let schema = json!({
            "description": "A \"pair\".",
            "properties": { "a": { "type": "string" }, "from": { "type": "integer" }, "link": { "type": "string" } },
            "required": ["link", "from"],
        });
        let expected = "\n\n@dataclass(frozen=True)\nclass P(Linked):\n    \"\"\"A \"pair\".\"\"\"\n\
                        \n    link: str\n\n    from_: int\n\n    a: Optional[str] = None\n";
        assert_eq!(class("P", &schema), expected);
    }
}
