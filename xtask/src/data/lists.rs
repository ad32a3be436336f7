//! Models, their names on the Hub, and worked examples.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;
use std::collections::BTreeMap;

/// Every model by family and size, a line each.
pub(super) fn models(sheet: &Sheet) -> Result<String> {
    let mut rows = String::new();
    for row in &sheet.rows {
        row.filled("source")?;
        let (name, label, shape) = (row.text("name")?, row.text("label")?, shape(row)?);
        rows += &format!("{} = {name}, {label}, {shape};\n", rust::constant(row.filled("name")?));
    }
    Ok(format!(
        "//! Published models.\n\n#![allow(clippy::needless_update, reason = \"a shape may state every field of a part\")]\n\n\
         use super::presets::{{ModelPreset, models, pattern}};\n\
         use super::{{\n    Activation, Bias, Experts, Latent, Model, ModelCode, Norm, Positions, Recurrent, StateRule, Window,\n}};\n\nmodels! {{\n{rows}}}\n"
    ))
}

/// A shape's fields and those of its parts; the compiler knows which there are.
fn shape(row: &Row) -> Result<String> {
    let (mut fields, mut parts) = (String::new(), BTreeMap::<&str, String>::new());
    for stated in row.filled("shape")?.split(' ') {
        let (path, value) = stated.split_once('=').ok_or_else(|| row.wrong("shape", stated))?;
        let (part, field) = path.split_once('.').unwrap_or(("", path));
        let place = if part.is_empty() { &mut fields } else { parts.entry(part).or_default() };
        *place += &format!("{field}: {}, ", of_shape(field, value));
    }
    for (part, own) in parts {
        let name = rust::variant(part);
        fields += &format!("{part}: {name} {{ {own}..{name}::NONE }}, ");
    }
    Ok(format!("Model {{ {fields}..Model::DENSE }}"))
}

/// Value of a field: a number, yes or no, a pattern, or a variant of the field's type.
fn of_shape(field: &str, value: &str) -> String {
    let kind = match field {
        "pattern" => return format!("pattern({value:?})"),
        "code" => "ModelCode".to_owned(),
        "rule" => "StateRule".to_owned(),
        field => rust::variant(field),
    };
    match (value, value.split_once(':')) {
        ("yes", _) => "true".to_owned(),
        ("no", _) => "false".to_owned(),
        (_, Some((word, number))) => format!("{kind}::{}({number})", rust::variant(word)),
        _ if value.bytes().all(|byte| byte.is_ascii_digit()) => value.to_owned(),
        _ => format!("{kind}::{}", rust::variant(value)),
    }
}

/// The list of models by their names on the Hub.
pub(super) fn hub(sheet: &Sheet) -> Result<String> {
    let mut code = "//! Models by their names on the Hugging Face Hub.\n\nuse super::hub::HubModel;\n\n\
        /// Every model, by family.\n#[rustfmt::skip]\npub(super) static ROWS: &[HubModel] = &[\n"
        .to_owned();
    let mut presets = String::new();
    for row in &sheet.rows {
        row.filled("source")?;
        row.filled("checked")?;
        let (name, fields) = (row.text("name")?, row.text("fields")?);
        let parameters = row.real("parameters", None)?;
        code += &format!("HubModel {{ name: {name}, fields: {fields}, parameters: {parameters} }},\n");
        if let (Some(preset), false) = (row.cell("fields")?.strip_prefix("m="), fields.contains(';')) {
            presets += &format!("({name}, {preset:?}),\n");
        }
    }
    Ok(format!(
        "{code}];\n\n/// Those whose shape is a row of the table of models, and its name. The page carries no others at first.\n\
         #[rustfmt::skip]\npub(super) static PRESETS: &[(&str, &str)] = &[\n{presets}];\n"
    ))
}

/// Further names of models, machines and software.
pub(super) fn names(sheet: &Sheet) -> Result<String> {
    const KINDS: [(&str, &str); 3] = [("model", "MODELS"), ("machine", "MACHINES"), ("software", "SOFTWARE")];
    let mut code = "//! Further names of what has one.\n".to_owned();
    for (kind, list) in KINDS {
        code += &format!(
            "\n/// Names of kind {kind}, and what they mean.\n#[rustfmt::skip]\n\
             pub(super) static {list}: &[(&str, &str)] = &[\n"
        );
        for row in &sheet.rows {
            if row.one_of("kind", &KINDS)? == list {
                code += &format!("({}, {}),\n", row.text("name")?, row.text("means")?);
            }
        }
        code += "];\n";
    }
    Ok(code)
}

/// The list of worked examples.
pub(super) fn examples(sheet: &Sheet) -> Result<String> {
    let mut code = "//! Worked scenarios.\n\nuse super::Example;\n\n\
        /// Every example: the largest public recipes first, then the papers'.\n\
        #[rustfmt::skip]\npub static EXAMPLES: &[Example] = &[\n"
        .to_owned();
    for row in &sheet.rows {
        row.filled("source")?;
        let [name, label, link] = ["name", "label", "link"].map(|column| row.text(column));
        let published = row.flag("published")?;
        code += &format!(
            "Example {{ name: {}, label: {}, link: {}, published: {published} }},\n",
            name?, label?, link?
        );
    }
    Ok(code + "];\n")
}

/// Published training runs by their total GPU time.
pub(super) fn whole_runs(sheet: &Sheet) -> Result<String> {
    let mut code = "//! Published training runs by their total GPU time.\n\nuse super::WholeRun;\n\n\
        /// Every run.\n\
        #[rustfmt::skip]\npub(super) static WHOLE_RUNS: &[WholeRun] = &[\n"
        .to_owned();
    for row in &sheet.rows {
        let [name, link, left_open, source] =
            ["name", "link", "left open", "source"].map(|column| row.text(column));
        let [hours, tokens] = ["GPU-hours", "tokens"].map(|column| row.real(column, None));
        code += &format!(
            "WholeRun {{ name: {}, link: {}, gpu_hours: {}, tokens: {}, left_open: {}, source: {} }},\n",
            name?, link?, hours?, tokens?, left_open?, source?
        );
    }
    Ok(code + "];\n")
}
