//! Commands that start a program whose settings no other kind of file has: the machine, and a model of the usual names.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::harmless;
use super::super::hub;
use super::super::settings::{Setting, Settings};
use super::{hugging_face, slurm, trainer, verl};
use crate::scenario::model::Model;

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    verl::usual_names(settings);
    slurm::gpus(settings, draft)?;
    model(settings, draft)?;
    if let Some(number) = settings.whole(&["seq_length"])? {
        draft.number("seq", &number);
    }
    match settings.whole(&["global_batch_size"])? {
        Some(number) => draft.number("gb", &number),
        None if settings.knows("gradient_accumulation_steps") => {
            trainer::batch(settings, draft, &["micro_batch_size"], None, 1)?;
        }
        None => {}
    }
    if let Some(number) = settings.whole(&["micro_batch_size"])?.filter(|_| draft.text("mb").is_none()) {
        draft.number("mb", &number);
    }
    verl::sharding(settings, draft)?;
    of_recipe(settings, draft)?;
    verl::recompute(settings, draft);
    trainer::unclear(settings, draft);
    say_what_is_left_out(draft);
    Ok(())
}

/// What overrides a recipe of torchtune: settings without dashes, whose batch is that of a GPU.
fn of_recipe(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let of_a_gpu = |setting: &Setting| setting.key() == "batch_size" && !setting.path.starts_with('-');
    if !settings.iter().any(of_a_gpu) {
        return Ok(());
    }
    if let Some(open) = settings.unresolved(&["batch_size"]).cloned() {
        draft.unresolved("mb", &open);
    }
    trainer::batch(settings, draft, &["batch_size"], None, 1)
}

/// Says what of a job is in none of the options that were read.
fn say_what_is_left_out(draft: &mut Draft) {
    for (key, name) in [
        ("seq", "sequence length"),
        ("mb", "micro-batch"),
        ("gb", "global batch"),
        ("zero", "data-parallel sharding"),
    ] {
        if draft.text(key).is_none() {
            draft.note(Some(key), format!("The {name} is not in the file and keeps its current value."));
        }
    }
}

/// The model: of a name, of a `config.json` that the file holds, or of counts.
pub(super) fn model(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let name = |setting: &&Setting| setting.key() == "model_name_or_path" && setting.names_something();
    let known = |setting: &Setting| hub::find(setting.value()).or_else(|| hub::in_words(setting.value()));
    // Programs may have a name of the family beside that of the model.
    let model = settings.iter().filter(name).find_map(known);
    if let Some(setting) = settings.path(&["model_name_or_path", "model"]) {
        if let Some(model) = model.or_else(|| known(&setting)) {
            draft.model(&model);
            return Ok(());
        }
        if of_table(settings, draft)? {
            return Ok(());
        }
        draft.ignore(&setting, "Unknown model. Add its config.json.");
    } else if of_table(settings, draft)? {
        return Ok(());
    }
    // A recipe is named after its model, as `llama3_1/8B_lora`.
    let file = settings.iter().any(|setting| harmless::names_configuration(&setting.path, setting.value()));
    if let Some(recipe) = if file { None } else { settings.text(&["config"]) } {
        draft.ignore(&recipe, "Other settings of this configuration are not in the file.");
        if let Some(model) = hub::in_words(recipe.value()) {
            draft.model(&model);
            draft.note(Some("m"), "Model inferred from the name of the configuration.");
            return Ok(());
        }
    }
    of_counts(settings, draft)
}

/// A model of counts that a program's options say, of Llama's kind or of GPT's.
fn of_counts(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let mut counts = [0; 3];
    let mut first: Option<Setting> = None;
    for (count, name) in counts.iter_mut().zip(["num_layers", "hidden_size", "num_attention_heads"]) {
        let Some(number) = settings.whole(&[name])? else { return Ok(()) };
        *count = u32::try_from(number.value).map_err(|_| number.setting.wrong("expected a count"))?;
        first = first.or(Some(number.setting));
    }
    let mut given = |name: &str| -> Result<Option<u32>, ImportError> {
        Ok(settings.whole(&[name])?.and_then(|number| u32::try_from(number.value).ok()))
    };
    let (groups, width, vocabulary) =
        (given("num_query_groups")?, given("ffn_hidden_size")?, given("vocab_size")?);
    let [layers, hidden, heads] = counts;
    // Names of Llama's: an intermediate size of its own, or grouped heads.
    let of_llama = groups.is_some() || width.is_some();
    let base = hub::find(if of_llama { "llama3-8b" } else { "gpt3-175b" }).unwrap_or(Model::DENSE);
    let shape = Model {
        layers,
        hidden,
        heads,
        kv_heads: groups.unwrap_or(heads),
        head_dim: hidden.checked_div(heads).unwrap_or(0),
        ffn: width.unwrap_or(hidden.saturating_mul(4)),
        vocabulary: vocabulary.unwrap_or(base.vocabulary),
        ..base
    };
    draft.model(&shape);
    let family = if of_llama { "Llama" } else { "GPT" };
    let vocabulary = shape.vocabulary;
    let kind = settings.text(&["model_type"]);
    let other = |kind: &Setting| !["llama", "gpt", "mistral"].iter().any(|name| kind.value().contains(name));
    if let Some(kind) = kind.filter(other) {
        draft.ignore(&kind, "Unknown model type. The forecast assumes the shape of another model.");
    }
    draft.note(Some("m"), format!("Unknown program. Based on the option names, the forecast assumes a {family} model with a vocabulary of {vocabulary}."));
    if let Some(setting) = first {
        draft.source("layers", &setting);
    }
    Ok(())
}

/// The model of a table that has what a `config.json` needs; whether there is one.
fn of_table(settings: &mut Settings, draft: &mut Draft) -> Result<bool, ImportError> {
    let table = |setting: &Setting| {
        let table = setting.path.rsplit_once('.')?.0;
        let beside = |key: &str| {
            settings.iter().any(|other| {
                other.key() == key && other.path.rsplit_once('.').is_some_and(|parts| parts.0 == table)
            })
        };
        let whole = ["hidden_size", "num_attention_heads", "vocab_size"].iter().all(|key| beside(key));
        (setting.key() == "num_layers" && whole).then(|| format!("{table}."))
    };
    let Some(table) = settings.iter().find_map(table) else { return Ok(false) };
    let mut inner = Settings::default();
    for setting in settings.iter() {
        if let Some(name) = setting.path.strip_prefix(&table) {
            inner.push(name.to_owned(), setting.line, setting.text.clone())?;
        }
    }
    hugging_face::read(&mut inner, draft)?;
    settings.spend_below(table.trim_end_matches('.'));
    Ok(true)
}
