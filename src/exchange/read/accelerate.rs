//! Accelerate's YAML. Names as of v1.14.0 (`accelerate/utils/dataclasses.py`, `commands/config`).

use super::super::ImportError;
use super::super::draft::{Draft, PARAMETERS_ON_SSD};
use super::super::settings::{Number, Settings};
use super::{slurm, undivided};

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    settings.spend("compute_environment");
    let kind = settings.text(&["distributed_type"]);
    let kind = kind.as_ref().map_or("", |kind| kind.value()).to_ascii_uppercase();
    degrees(settings, draft)?;
    undivided(draft);
    slurm::gpus(settings, draft)?;
    hosts(settings, draft)?;
    if kind == "DEEPSPEED" || settings.has_below("deepspeed_config") {
        of_deepspeed(settings, draft)?;
    } else if kind == "MEGATRON_LM" {
        of_megatron(settings, draft)?;
    } else {
        of_fsdp(settings, draft)?;
    }
    precision(settings, draft);
    recompute(settings, draft)?;
    stack(settings, draft, &kind)
}

fn degrees(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let names = [
        ("tp", "parallelism_config.parallelism_config_tp_size"),
        ("cp", "parallelism_config.parallelism_config_cp_size"),
        ("tp", "megatron_lm_config.megatron_lm_tp_degree"),
        ("pp", "megatron_lm_config.megatron_lm_pp_degree"),
        ("tp", "tp_config.tp_size"),
    ];
    for (key, name) in names {
        if let Some(number) = settings.whole(&[name])? {
            draft.number(key, &number);
        }
    }
    let strategy = settings.text(&["parallelism_config.parallelism_config_cp_comm_strategy"]);
    let ring = strategy.is_some_and(|strategy| strategy.value() == "alltoall");
    draft.put("cpx", if ring { "ring" } else { "all-gather" });
    // Ulysses, which exchanges heads for tokens.
    let ulysses = settings.whole(&["parallelism_config.parallelism_config_sp_size"])?;
    if let Some(number) = ulysses.filter(|number| number.value > 1) {
        draft.number("cp", &number);
        draft.put("cpx", "all-to-all");
    }
    let sequence = settings.flag(&["megatron_lm_config.megatron_lm_sequence_parallelism"])?.unwrap_or(false);
    draft.put("sp", u8::from(sequence && draft.degree("tp") > 1));
    Ok(())
}

fn of_fsdp(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let replicate = settings.whole(&["parallelism_config.parallelism_config_dp_replicate_size"])?;
    let shard = settings.whole(&["parallelism_config.parallelism_config_dp_shard_size"])?;
    let strategy = settings.text(&["fsdp_config.fsdp_sharding_strategy", "fsdp_config.sharding_strategy"]);
    let again =
        settings.text(&["fsdp_config.fsdp_reshard_after_forward", "fsdp_config.reshard_after_forward"]);
    settings.spend("fsdp_config.fsdp_version");
    let named = strategy.or(again);
    let sharded = settings.has_below("fsdp_config") || shard.as_ref().is_some_and(|number| number.value > 1);
    let level = match named.as_ref().map_or("", |named| named.value()) {
        "FULL_SHARD" | "1" => "3",
        "SHARD_GRAD_OP" | "2" => "2",
        "NO_SHARD" | "3" => "0",
        "HYBRID_SHARD" | "4" | "HYBRID_SHARD_ZERO2" | "5" => "hsdp",
        "true" | "True" => "3",
        "false" | "False" => "2",
        _ if sharded => "3",
        _ => "0",
    };
    let hybrid = replicate.is_some_and(|number| number.value > 1) && sharded;
    match &named {
        Some(named) if !hybrid => draft.set("zero", level, named),
        _ => draft.put("zero", if hybrid { "hsdp" } else { level }),
    }
    if let Some(shard) = shard.filter(|number| hybrid && number.value > 1) {
        draft.put("shg", shard.value);
    }
    draft.put("dpo", 1);
    let offload =
        settings.flag(&["fsdp_config.fsdp_offload_params", "fsdp_config.offload_params"])?.unwrap_or(false);
    draft.put_on_host(offload);
    Ok(())
}

fn of_deepspeed(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let file = settings.path(&["deepspeed_config.deepspeed_config_file"]);
    if let Some(file) = &file {
        draft.ignore(file, "The DeepSpeed configuration is in another file. Import it too.");
    }
    // Here the offload settings are next to the stage, under different names.
    let stage = settings.whole(&["deepspeed_config.zero_stage"])?;
    match (&stage, &file) {
        (Some(stage), _) => draft.number("zero", stage),
        (None, Some(file)) => {
            by_name_of_file(file.value(), "DeepSpeed", draft);
            return rounds(settings, draft, "deepspeed_config.gradient_accumulation_steps");
        }
        (None, None) => draft.assume("zero", 2, "the ZeRO stage is not set; Accelerate's default is 2"),
    }
    let device = settings.text(&["deepspeed_config.offload_optimizer_device"]);
    draft.put("oo", u8::from(device.is_some_and(|device| ["cpu", "nvme"].contains(&device.value()))));
    let device = settings.text(&["deepspeed_config.offload_param_device"]);
    draft
        .put("op", u8::from(device.as_ref().is_some_and(|device| ["cpu", "nvme"].contains(&device.value()))));
    if let Some(device) = device.filter(|device| device.value() == "nvme") {
        draft.ignore(&device, PARAMETERS_ON_SSD);
    }
    draft.put("dpo", 1);
    rounds(settings, draft, "deepspeed_config.gradient_accumulation_steps")
}

fn of_megatron(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let sharded =
        settings.flag(&["megatron_lm_config.megatron_lm_use_distributed_optimizer"])?.unwrap_or(false);
    draft.put("zero", u8::from(sharded));
    let recompute =
        settings.flag(&["megatron_lm_config.megatron_lm_recompute_activations"])?.unwrap_or(false);
    draft.put("rc", if recompute { "selective" } else { "none" });
    draft.put("dpo", 0);
    rounds(settings, draft, "megatron_lm_config.megatron_lm_num_micro_batches")
}

/// Micro-batches of a step, which make the global batch where the micro-batch is given elsewhere.
fn rounds(settings: &mut Settings, draft: &mut Draft, name: &str) -> Result<(), ImportError> {
    if let Some(times) = settings.whole(&[name])? {
        let text = "The training script sets the micro-batch; the global batch is unchanged.";
        draft.ignore(&times.setting, text);
    }
    Ok(())
}

fn precision(settings: &mut Settings, draft: &mut Draft) {
    let Some(setting) = settings.word(&["mixed_precision"]) else { return };
    match setting.value() {
        "bf16" => draft.set("prec", "bf16", &setting),
        "fp16" => draft.set("prec", "fp16", &setting),
        "fp8" => draft.set("prec", "fp8", &setting),
        _ => draft.assume("prec", "bf16", "the file sets no mixed precision, and FP32 is unsupported"),
    }
}

fn recompute(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    if let Some(on) = settings
        .flag(&["fsdp_config.fsdp_activation_checkpointing", "fsdp_config.activation_checkpointing"])?
    {
        draft.put("rc", if on { "full" } else { "none" });
    }
    Ok(())
}

fn stack(settings: &mut Settings, draft: &mut Draft, kind: &str) -> Result<(), ImportError> {
    let backend = settings.word(&["dynamo_config.dynamo_backend", "dynamo_backend"]);
    let compiled = backend
        .is_some_and(|backend| !["no", "eager", ""].contains(&backend.value().to_ascii_lowercase().as_str()));
    draft.put(
        "stack",
        match kind {
            "DEEPSPEED" => "deepspeed-zero3",
            "MEGATRON_LM" => "megatron-lm",
            _ if compiled => "compiled",
            _ => "eager",
        },
    );
    draft.note(None, "The training script sets model, batch and sequence length. They are unchanged.");
    Ok(())
}

/// The GPUs of a host where a file counts machines and the processes of all of them together. Where they are fewer than
/// usual, the scale-up fabric ends with the host, too.
pub(super) fn hosts(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let machines = settings.whole(&["num_machines"])?;
    let (Some(machines), Some(all)) = (machines, draft.whole("n")) else { return Ok(()) };
    let each = i64::from(all).checked_div(machines.value).unwrap_or(0);
    if machines.value < 2 || each < 1 || each.saturating_mul(machines.value) != i64::from(all) {
        return Ok(());
    }
    if draft.text("node").is_none() {
        slurm::hosts(draft, i64::from(all), &Number { value: each, ..machines });
    }
    Ok(())
}

/// Sharding where another tool's file only names a file of settings: by that name.
pub(super) fn by_name_of_file(name: &str, tool: &str, draft: &mut Draft) {
    let name = name.to_ascii_lowercase();
    let stages = ["3", "2", "1", "0"];
    let level = stages.into_iter().find(|stage| {
        ["zero", "zero_", "stage", "stage_", "z"].iter().any(|word| name.contains(&format!("{word}{stage}")))
    });
    match level {
        Some(level) => {
            draft.assume("zero", level, &format!("inferred from the file name in {tool}"));
            draft.put("stack", "deepspeed-zero3");
            let without = ["no_offload", "no-offload", "nooffload"].iter().any(|word| name.contains(word));
            if name.contains("offload") && !without {
                let parameters = name.contains("param") && !name.contains("all");
                draft.put("oo", u8::from(!parameters));
                draft.put("op", u8::from(level == "3"));
                draft.note(Some("oo"), format!("Offloading is inferred from the file name in {tool}."));
            }
        }
        None if tool == "DeepSpeed" => {
            let text = "the ZeRO stage is in the DeepSpeed configuration, a separate file";
            draft.lacks("zero", text.to_owned());
            draft.put("stack", "deepspeed-zero3");
        }
        None if name.contains("fsdp") => {
            draft.assume("zero", 3, &format!("FSDP is inferred from the file name in {tool}"));
        }
        None => {}
    }
}
