//! Hugging Face `TrainingArguments`, and what other tools take over from them.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::hub;
use super::super::settings::Settings;
use super::{accelerate, everyday, slurm, undivided};

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    undivided(draft);
    slurm::gpus(settings, draft)?;
    model(settings, draft, &["model_name_or_path", "model_name", "model"]);
    let length = ["max_seq_length", "max_length", "cutoff_len", "block_size", "model_max_length"];
    if let Some(number) = settings.whole(&length)? {
        draft.number("seq", &number);
    }
    batch(settings, draft, &["per_device_train_batch_size"], Some(8))?;
    precision(settings, draft)?;
    recompute(settings, draft)?;
    sharding(settings, draft)?;
    everyday::adapters(settings, draft)?;
    everyday::optimizer(settings, draft, &["optim"])?;
    everyday::attention(settings, draft)?;
    everyday::loss(settings, draft)?;
    let compiled = settings.flag(&["torch_compile"])?.unwrap_or(false);
    if draft.text("stack").is_none() {
        draft.put("stack", if compiled { "compiled" } else { "eager" });
    }
    Ok(())
}

/// The model that a name on the Hub or a path stands for.
pub(super) fn model(settings: &mut Settings, draft: &mut Draft, names: &[&str]) {
    let Some(setting) = settings.text(names) else { return };
    match hub::find(setting.value()) {
        Some(model) => draft.model(&model),
        None => draft.ignore(&setting, "This model is not in the table here; import its config.json, too."),
    }
}

/// Micro-batch and global batch: the former, times the rounds of accumulation, on every replica.
pub(super) fn batch(
    settings: &mut Settings,
    draft: &mut Draft,
    names: &[&str],
    usual: Option<i64>,
) -> Result<(), ImportError> {
    let micro = settings.whole(names)?;
    let times = settings.whole(&["gradient_accumulation_steps"])?;
    let rounds = times.as_ref().map_or(1, |times| times.value);
    let size = match (&micro, usual) {
        (Some(micro), _) => {
            draft.number("mb", micro);
            micro.value
        }
        (None, Some(usual)) => {
            draft.assume("mb", usual, "not given, and it is the tool's default");
            usual
        }
        (None, None) => return Ok(()),
    };
    let group = draft.degree("tp").saturating_mul(draft.degree("cp")).saturating_mul(draft.degree("pp"));
    match draft.whole("n") {
        Some(gpus) => {
            let replicas = i64::from((gpus / group.max(1)).max(1));
            let source = times.or(micro).map(|number| number.setting);
            if let Some(source) = source {
                draft.set("gb", replicas.saturating_mul(size).saturating_mul(rounds), &source);
            } else {
                draft.put("gb", replicas.saturating_mul(size));
            }
        }
        None => draft.await_gpus(format!(
            "{rounds} rounds of {size} on every replica: the global batch follows from the number of GPUs."
        )),
    }
    Ok(())
}

/// `bf16` and `fp16`, which may be `auto`.
pub(super) fn precision(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let brain = settings.flag(&["bf16"])?;
    let half = settings.flag(&["fp16"])?;
    let eight = settings.flag(&["fp8"])?;
    match (eight, brain, half) {
        (Some(true), _, _) => draft.put("prec", "fp8"),
        (_, Some(true), _) => draft.put("prec", "bf16"),
        (_, _, Some(true)) => draft.put("prec", "fp16"),
        _ => draft.assume(
            "prec",
            "bf16",
            "neither BF16 nor FP16 is switched on here, and single precision is no choice",
        ),
    }
    Ok(())
}

/// `gradient_checkpointing`, of whole layers.
pub(super) fn recompute(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let setting = settings.text(&["gradient_checkpointing"]);
    let on = setting.is_some_and(|setting| ["true", "True", "1", "unsloth"].contains(&setting.value()));
    let offload =
        settings.text(&["gradient_checkpointing"]).is_some_and(|setting| setting.value() == "offload");
    draft.put("rc", if on || offload { "full" } else { "none" });
    draft.put("oa", 0);
    Ok(())
}

/// FSDP and DeepSpeed as the Trainer names them.
pub(super) fn sharding(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let fsdp = settings.text(&["fsdp"]);
    let file = settings.text(&["deepspeed"]);
    let again =
        settings.flag(&["fsdp_config.reshard_after_forward", "fsdp_config.fsdp_reshard_after_forward"])?;
    let level = match fsdp.as_ref().map(|fsdp| fsdp.value()) {
        Some(options) if options.contains("hybrid") => "hsdp",
        Some(options) if options.contains("shard_grad_op") => "2",
        Some(options) if options.contains("no_shard") => "0",
        Some(_) if again == Some(false) => "2",
        Some(options) if options != "false" => "3",
        _ if settings.has_below("fsdp_config") => "3",
        _ => "0",
    };
    draft.put("zero", level);
    draft.put("dpo", 1);
    let inner = settings
        .flag(&["fsdp_config.activation_checkpointing", "fsdp_config.fsdp_activation_checkpointing"])?;
    if inner == Some(true) {
        draft.put("rc", "full");
    }
    let offload = fsdp.as_ref().is_some_and(|fsdp| fsdp.value().contains("offload"));
    let named = settings.flag(&["fsdp_config.offload_params", "fsdp_config.fsdp_offload_params"])?;
    draft.put_on_host(offload || named == Some(true));
    if let Some(file) = file.filter(|_| level == "0") {
        accelerate::stage_of_file(file.value(), draft);
        draft.ignore(&file, "What DeepSpeed's own file says is not known here; import it, too.");
    }
    Ok(())
}
