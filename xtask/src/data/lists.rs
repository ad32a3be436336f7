//! Models, their names on the Hub, and worked examples.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Every model by family and size, a line each.
pub(super) fn models(sheet: &Sheet) -> Result<String> {
    let mut rows = String::new();
    for row in &sheet.rows {
        row.filled("source")?;
        let (name, label, shape) = (row.text("name")?, row.text("label")?, shape(row)?);
        rows += &format!("{} = {name}, {label}, {shape};\n", rust::constant(row.filled("name")?));
    }
    Ok(format!(
        "//! Published models.\n\nuse super::presets::{{ModelPreset, models, pattern}};\n\
         use super::{{\n    Activation, Bias, Experts, Latent, Model, ModelCode, Norm, Positions, Recurrent, StateRule, Window,\n}};\n\nmodels! {{\n{rows}}}\n"
    ))
}

fn shape(row: &Row) -> Result<String> {
    let number = |column| row.whole(column, None);
    let mut fields: rust::Fields = vec![
        ("layers", number("layers")?),
        ("hidden", number("hidden")?),
        ("ffn", number("ffn")?),
        ("heads", number("heads")?),
        ("kv_heads", number("kv heads")?),
        ("head_dim", number("head dim")?),
        ("vocabulary", number("vocabulary")?),
        ("gated_mlp", row.flag("gated mlp")?.to_owned()),
        (
            "activation",
            format!("Activation::{}", rust::variant(&row.filled("activation")?.replace('_', "-"))),
        ),
        ("code", format!("ModelCode::{}", rust::variant(row.filled("modelling code")?))),
        ("tied_embeddings", row.flag("tied embeddings")?.to_owned()),
        ("bias", row.one_of("bias", &BIASES)?.to_owned()),
        ("norm", row.one_of("norm", &NORMS)?.to_owned()),
        ("positions", positions(row)?),
    ];
    for (field, value) in [
        ("experts", experts(row)?),
        ("latent", latent(row)?),
        ("window", window(row)?),
        ("recurrent", recurrent(row)?),
        ("pattern", pattern(row)?),
        ("prediction_layers", prediction_layers(row)?),
    ] {
        fields.extend(value.map(|value| (field, value)));
    }
    if row.flag("query key norm")? == "true" {
        fields.push(("query_key_norm", "true".to_owned()));
    }
    if row.cell("output gate")? == "yes" {
        fields.push(("output_gate", "true".to_owned()));
    }
    if row.flag("causal")? == "false" {
        fields.push(("causal", "false".to_owned()));
    }
    Ok(format!("Model {{ {}, ..Model::DENSE }}", rust::literal(&fields)))
}

const BIASES: [(&str, &str); 3] = [("none", "Bias::None"), ("qkv", "Bias::Qkv"), ("all", "Bias::All")];
const NORMS: [(&str, &str); 2] = [("rms", "Norm::Rms"), ("layer", "Norm::Layer")];

fn positions(row: &Row) -> Result<String> {
    if let Some(rows) = row.cell("positions")?.strip_prefix("learned ") {
        let rows: u32 = rows.parse().map_err(|_| row.wrong("positions", "learned, and how many rows?"))?;
        return Ok(format!("Positions::Learned({rows})"));
    }
    let kinds = [("rotary", "Positions::Rotary"), ("alibi", "Positions::Alibi")];
    row.one_of("positions", &kinds).map(str::to_owned)
}

fn experts(row: &Row) -> Result<Option<String>> {
    let columns = ["top k", "expert ffn", "shared experts", "leading dense", "experts every"];
    if blank(row, "experts", &columns)? {
        return Ok(None);
    }
    let [top_k, ffn, shared, leading, every] = columns.map(|column| row.whole(column, None));
    Ok(Some(format!(
        "Experts {{ count: {}, top_k: {}, ffn: {}, shared: {}, shared_ffn: {}, latent: {}, leading_dense: {}, every: {} }}",
        row.whole("experts", None)?,
        top_k?,
        ffn?,
        shared?,
        row.whole("shared expert ffn", Some("0"))?,
        row.whole("expert latent", Some("0"))?,
        leading?,
        every?
    )))
}

fn latent(row: &Row) -> Result<Option<String>> {
    let columns = ["latent query rank", "latent plain dim", "latent rotary dim", "latent value dim"];
    if blank(row, "latent kv rank", &columns)? {
        return Ok(None);
    }
    let [query, plain, rotary, value] = columns;
    Ok(Some(format!(
        "Latent {{ kv_rank: {}, query_rank: {}, plain_dim: {}, rotary_dim: {}, value_dim: {} }}",
        row.whole("latent kv rank", None)?,
        row.whole(query, Some("0"))?,
        row.whole(plain, None)?,
        row.whole(rotary, None)?,
        row.whole(value, None)?
    )))
}

fn window(row: &Row) -> Result<Option<String>> {
    if blank(row, "window", &["full attention every"])? {
        return Ok(None);
    }
    let (tokens, every) = (row.whole("window", None)?, row.whole("full attention every", Some("0"))?);
    Ok(Some(format!("Window {{ tokens: {tokens}, full_every: {every} }}")))
}

fn recurrent(row: &Row) -> Result<Option<String>> {
    let columns = ["mixer heads", "mixer key heads", "mixer key dim", "mixer value dim", "convolution"];
    if blank(row, "mixer", &columns)? {
        return Ok(None);
    }
    let [heads, key_heads, key_dim, value_dim, convolution] =
        columns.map(|column| row.whole(column, Some("0")));
    Ok(Some(format!(
        "Recurrent {{ rule: StateRule::{}, heads: {}, key_heads: {}, key_dim: {}, value_dim: {}, convolution: {} }}",
        rust::variant(row.filled("mixer")?),
        heads?,
        key_heads?,
        key_dim?,
        value_dim?,
        convolution?
    )))
}

fn pattern(row: &Row) -> Result<Option<String>> {
    Ok(match row.cell("pattern")? {
        "" => None,
        letters => Some(format!("pattern({letters:?})")),
    })
}

fn prediction_layers(row: &Row) -> Result<Option<String>> {
    let column = "prediction layers";
    if row.cell(column)?.is_empty() { Ok(None) } else { row.whole(column, None).map(Some) }
}

/// Whether a part of a model is left out: its first column is blank, and then the others must be.
fn blank(row: &Row, first: &str, others: &[&str]) -> Result<bool> {
    if !row.cell(first)?.is_empty() {
        return Ok(false);
    }
    for column in others {
        if !row.cell(column)?.is_empty() {
            return Err(row.wrong(column, &format!("{first} is blank, and this is not")));
        }
    }
    Ok(true)
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
