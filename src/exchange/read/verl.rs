//! Overrides of verl: the actor's training. What generates and scores answers is not modelled.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::megatron::{self, Dialect};
use super::super::settings::Settings;
use super::tool::TRAINER;
use super::{everyday, slurm, trainer, undivided};

/// Beginning of the names of verl's actor.
const ACTOR: &str = "actor_rollout_ref.";

/// Tables of what is not the actor's training.
const OTHERS: [&str; 7] = ["rollout", "ref", "critic", "reward_model", "reward", "algorithm", "checkpoint"];

/// Whether settings are verl's.
pub(super) fn is_verl(settings: &Settings) -> bool {
    settings.iter().any(|setting| setting.path.trim_start_matches('+').starts_with(ACTOR))
}

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let answers = settings.of_path("rollout.n").and_then(|answers| answers.value().parse::<i64>().ok());
    let megatron = settings.iter().any(|setting| setting.path.contains("actor.megatron."));
    settings.by_last_part(&OTHERS);
    settings.rename("ppo_micro_batch_size_per_gpu", "micro_batch_size");
    draft.note(
        None,
        "Only actor training is imported. Generation, scoring and the reference model are not modelled.",
    );
    between_phases(settings, draft)?;
    if megatron {
        megatron::read(settings, draft, Dialect::Bridge)?;
        draft.put("stack", "megatron-lm");
    } else {
        of_fsdp(settings, draft)?;
    }
    lengths(settings, draft)?;
    if let Some(batch) = settings.whole(&["ppo_mini_batch_size"])? {
        let answers = answers.unwrap_or(1);
        draft.set("gb", batch.value.saturating_mul(answers), &batch.setting);
        draft.note(Some("gb"), format!("{} prompts per update with {answers} answers each.", batch.value));
    }
    Ok(())
}

/// States that are in the host's memory while answers are generated, and on the GPU for training.
fn between_phases(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let names = ["param_offload", "optimizer_offload", "grad_offload"];
    let mut any = false;
    for name in names {
        any |= settings.flag(&[name])? == Some(true);
    }
    if any {
        draft.note(
            Some("oo"),
            "Off: verl offloads parameters and optimizer between training and generation only.",
        );
    }
    Ok(())
}

/// FSDP, where Megatron is not named.
fn of_fsdp(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    if let Some(number) = settings.whole(&["ulysses_sequence_parallel_size"])? {
        draft.number("cp", &number);
        draft.put("cpx", "all-to-all");
    }
    undivided(draft);
    slurm::gpus(settings, draft)?;
    if let Some(path) = settings.named_of_path("model.path") {
        settings.rename("path", "model_path");
        match super::super::hub::find(path.value()) {
            Some(model) => draft.model(&model),
            None => draft.ignore(&path, "Unknown model. Add its config.json."),
        }
    }
    micro_batch(settings, draft)?;
    adapters(settings, draft)?;
    let recompute = settings.flag(&["enable_gradient_checkpointing"])?.unwrap_or(false);
    draft.put("rc", if recompute { "full" } else { "none" });
    draft.put_on_host(settings.flag(&["offload_policy"])?.unwrap_or(false));
    trainer::precision(settings, draft, &TRAINER)?;
    draft.assume("zero", 3, "verl uses FSDP unless Megatron is configured");
    let group = settings.whole(&["fsdp_size"])?.filter(|group| group.value > 0);
    if let (Some(group), Some(gpus)) = (group, draft.whole("n"))
        && group.value < i64::from(gpus)
    {
        draft.set("zero", if group.value > 1 { "hsdp" } else { "0" }, &group.setting);
        draft.number("shg", &group);
    }
    draft.put("stack", "eager");
    Ok(())
}

/// The micro-batch of a GPU, or, by its former name, of all (`fsdp_workers.py`).
fn micro_batch(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let all = settings.whole(&["ppo_micro_batch_size"])?;
    if let Some(number) = settings.whole(&["micro_batch_size"])? {
        draft.number("mb", &number);
    } else if let (Some(all), Some(gpus)) = (all, draft.whole("n")) {
        let replicas = i64::from(gpus / draft.degree("cp"));
        draft.set("mb", all.value.checked_div(replicas).unwrap_or(0).max(1), &all.setting);
        draft.note(Some("mb"), format!("{} sequences on all GPUs.", all.value));
    }
    Ok(())
}

/// LoRA of the actor; on all linear layers unless others are listed (`ppo_trainer.yaml`).
fn adapters(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let Some(rank) = settings.whole(&["lora_rank"])?.filter(|rank| rank.value > 0) else { return Ok(()) };
    draft.number("lora", &rank);
    match settings.text(&["target_modules"]) {
        Some(modules) => everyday::targets(&modules, draft),
        None => draft.assume("lorat", "all", "not set; default of verl"),
    }
    draft.put("base", "16");
    Ok(())
}

/// Prompts and answers together.
fn lengths(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let prompt = settings.whole(&["max_prompt_length"])?;
    let answer = settings.whole(&["max_response_length"])?;
    if let (Some(prompt), Some(answer)) = (prompt, answer) {
        draft.set("seq", prompt.value.saturating_add(answer.value), &answer.setting);
        draft.note(
            Some("seq"),
            "Maximum prompt length plus maximum answer length. Most sequences are shorter.",
        );
    }
    Ok(())
}
