//! Commands that start a program whose settings no other kind of file has: the machine, and a model of the usual names.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::harmless;
use super::super::hub;
use super::super::settings::{Setting, Settings};
use super::{slurm, trainer};
use crate::scenario::model::Model;

/// Names of counts that make a shape, and the words for them. Those up to the first gap are needed.
const LAYERS: [&str; 4] = ["num_layers", "num_hidden_layers", "n_layers", "n_layer"];
const HIDDEN: [&str; 6] = ["hidden_size", "hidden_width", "hidden_dim", "d_model", "n_embd", "dim"];
const HEADS: [&str; 4] = ["num_heads", "num_attention_heads", "n_heads", "n_head"];
const GROUPS: [&str; 4] = ["num_key_value_heads", "num_kv_heads", "n_kv_heads", "num_query_groups"];
const WIDTHS: [&str; 4] =
    ["intermediate_size", "ffn_hidden_size", "intermediate_dim", "llama_intermediate_size"];

/// Names of the model.
const NAMES: [&str; 7] =
    ["model_name_or_path", "model_name", "model", "model_path", "hf_model_name", "base_model", "pretrain"];

/// Names of the batch of all GPUs.
const GLOBAL_BATCH: [&str; 3] = ["global_batch_size", "global_train_batch_size", "total_batch_size"];

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    slurm::gpus(settings, draft)?;
    model(settings, draft)?;
    let length = [
        "seq_length",
        "seq_len",
        "max_seq_length",
        "max_seq_len",
        "max_length",
        "max_len",
        "max_context_width",
    ];
    if let Some(number) = settings.whole(&length)? {
        draft.number("seq", &number);
    }
    match settings.whole(&GLOBAL_BATCH)? {
        Some(number) => {
            draft.number("gb", &number);
            if let Some(number) = settings.whole(&trainer::MICRO_BATCH)? {
                draft.number("mb", &number);
            }
        }
        None if settings.knows("gradient_accumulation_steps") => {
            trainer::batch(settings, draft, &trainer::MICRO_BATCH, None, 1)?;
        }
        None => {
            if let Some(number) = settings.whole(&trainer::MICRO_BATCH)? {
                draft.number("mb", &number);
            }
        }
    }
    trainer::by_deepspeed(settings, draft)?;
    of_recipe(settings, draft)?;
    let recomputes = settings.word(&[
        "activation_checkpointing",
        "gradient_checkpointing",
        "use_gradient_checkpointing",
        "grad_checkpointing",
        "grad_checkpoint",
    ]);
    if let Some(setting) = recomputes {
        let on = !["false", "False", "0", "no", "off"].contains(&setting.value());
        draft.set("rc", if on { "full" } else { "none" }, &setting);
    }
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
        ("zero", "sharding of data parallelism"),
    ] {
        if draft.text(key).is_none() {
            draft.note(Some(key), format!("The {name} is not in the file. It is unchanged."));
        }
    }
}

fn model(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    if let Some(setting) = settings.path(&NAMES) {
        match hub::find(setting.value()).or_else(|| hub::in_words(setting.value())) {
            Some(model) => draft.model(&model),
            None => draft.ignore(&setting, "Unknown model. Add its config.json."),
        }
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
    let mut counts = [0; 3];
    let mut first: Option<Setting> = None;
    for (count, names) in counts.iter_mut().zip([&LAYERS[..], &HIDDEN, &HEADS]) {
        let Some(number) = settings.whole(names)? else { return Ok(()) };
        *count = u32::try_from(number.value).map_err(|_| number.setting.wrong("this is not a count"))?;
        first = first.or(Some(number.setting));
    }
    let mut given = |names: &[&str]| -> Result<Option<u32>, ImportError> {
        Ok(settings.whole(names)?.and_then(|number| u32::try_from(number.value).ok()))
    };
    let (groups, width, vocabulary) = (given(&GROUPS)?, given(&WIDTHS)?, given(&["vocab_size"])?);
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
    let family = if of_llama { "Llama's" } else { "GPT's" };
    let vocabulary = shape.vocabulary;
    draft.note(Some("m"), format!("The program is unknown. From its option names, the model is assumed to be of type {family} with a vocabulary of {vocabulary}."));
    if let Some(setting) = first {
        draft.source("layers", &setting);
    }
    Ok(())
}
