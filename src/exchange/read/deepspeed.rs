//! DeepSpeed's JSON. Names as of v0.19.5 (`deepspeed/runtime/config.py`, `runtime/zero/config.py`).

use super::super::ImportError;
use super::super::draft::{Draft, PARAMETERS_ON_SSD};
use super::super::settings::{Number, Setting, Settings};
use super::{everyday, undivided};

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    settings.spend("_stepcast");
    tensor_parallel(settings, draft)?;
    undivided(draft);
    zero(settings, draft, "zero_optimization.")?;
    precision(settings, draft)?;
    optimizer(settings, draft);
    gradients(settings, draft);
    batch(settings, draft)?;
    draft.put("stack", "deepspeed-zero3");
    draft.note(Some("rc"), "A DeepSpeed configuration does not set recomputation. It is unchanged.");
    Ok(())
}

fn tensor_parallel(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let split = settings.whole(&["tensor_parallel.autotp_size", "tensor_parallel.tp_size"])?;
    if let Some(number) = split.filter(|number| number.value > 0) {
        draft.number("tp", &number);
    }
    if let Some(number) = settings.whole(&["sequence_parallel_size"])? {
        draft.number("cp", &number);
        draft.put("cpx", "all-to-all");
    }
    if let Some(number) = settings.whole(&["pipeline.stages", "pipeline_parallel_size"])? {
        draft.number("pp", &number);
    }
    Ok(())
}

/// What ranks shard and offload; `table` is the table of settings.
pub(super) fn zero(settings: &mut Settings, draft: &mut Draft, table: &str) -> Result<(), ImportError> {
    let path = |name: &str| format!("{table}{name}");
    let stage = settings.whole(&[&path("stage"), "zero_stage"])?;
    let level = stage.as_ref().map_or(0, |stage| stage.value);
    let mut within = |name: &str| settings.whole(&[&path(name)]);
    let node = within("zero_hpz_partition_size")?.filter(|number| number.value > 1);
    let group = within("mics_shard_size")?.filter(|number| number.value > 1 && level == 3);
    draft.put("shg", group.as_ref().map_or(0, |number| number.value));
    if let Some(node) = node.filter(|_| level == 3) {
        let text = format!(
            "Not supported: the secondary weight copy of ZeRO++ over {0} GPUs. The forecast omits its memory (2/{0} bytes per parameter) and its shorter all-gathers in the backward pass.",
            node.value
        );
        draft.note(Some("zero"), text);
    }
    match (&stage, group) {
        (Some(stage), Some(_)) if level == 3 => draft.set("zero", "hsdp", &stage.setting),
        (Some(stage), _) => draft.set("zero", level, &stage.setting),
        (None, _) => draft.assume("zero", 0, "the ZeRO stage is not set; the framework default is 0"),
    }
    let overlap = settings.flag(&[&path("overlap_comm")])?;
    draft.put("dpo", u8::from(overlap.unwrap_or(level == 3)));
    // Updated shards of ZeRO-1 and 2 are gathered in the optimizer's step.
    draft.put("gao", if [1, 2].contains(&level) { "0" } else { "same" });
    offload(settings, draft, &path)
}

fn offload(
    settings: &mut Settings,
    draft: &mut Draft,
    path: &dyn Fn(&str) -> String,
) -> Result<(), ImportError> {
    let old = settings.flag(&[&path("cpu_offload")])?.unwrap_or(false);
    let device = settings.text(&[&path("offload_optimizer.device"), "offload_optimizer_device"]);
    let on_host = device.as_ref().is_some_and(|device| ["cpu", "nvme"].contains(&device.value()));
    draft.put("oo", u8::from(old || on_host));
    if let Some(device) = device.filter(|device| device.value() == "nvme") {
        draft.ignore(&device, "NVMe offload of optimizer states is treated as CPU offload.");
    }
    let device = settings.text(&[&path("offload_param.device"), "offload_param_device"]);
    draft
        .put("op", u8::from(device.as_ref().is_some_and(|device| ["cpu", "nvme"].contains(&device.value()))));
    if let Some(device) = device.filter(|device| device.value() == "nvme") {
        draft.ignore(&device, PARAMETERS_ON_SSD);
    }
    Ok(())
}

/// Switches of half precision.
const FORMATS: [&str; 2] = ["bf16.enabled", "fp16.enabled"];

fn precision(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let brain = settings.flag(&["bf16.enabled", "bfloat16.enabled", "bf16", "bfloat16"])?;
    let half = settings.flag(&["fp16.enabled", "fp16"])?;
    let left = |setting: &Setting| FORMATS.contains(&setting.key()) && setting.value() == "auto";
    match (brain, half) {
        (Some(true), _) => draft.put("prec", "bf16"),
        (_, Some(true)) => draft.put("prec", "fp16"),
        _ if settings.iter().any(left) => {
            draft.assume("prec", "bf16", "set by the Trainer (auto)");
        }
        _ => draft.assume("prec", "bf16", "the file enables neither BF16 nor FP16, and FP32 is unsupported"),
    }
    Ok(())
}

/// The optimizer that the file makes; without one it is the script's.
fn optimizer(settings: &mut Settings, draft: &mut Draft) {
    let named = settings.text(&["optimizer.type"]);
    let rule = named.as_ref().and_then(|setting| everyday::named_optimizer(setting, draft));
    let momentum = settings.text(&["optimizer.params.momentum"]);
    if let (Some("sgd"), Some(momentum)) =
        (rule, momentum.filter(|momentum| momentum.value().parse() != Ok(0.0)))
    {
        draft.set("opt", "sgdm", &momentum);
    }
}

/// The format that gradients are accumulated in, and that of communication.
fn gradients(settings: &mut Settings, draft: &mut Draft) {
    let bits = |format: &str| match format {
        "fp32" => Some("32"),
        "fp16" | "bf16" | "bfp16" => Some("16"),
        _ => None,
    };
    if let Some(setting) = settings.text(&["data_types.grad_accum_dtype"])
        && let Some(bits) = bits(setting.value())
    {
        draft.set("grads", bits, &setting);
    }
    if let Some(setting) = settings.text(&["communication_data_type"]) {
        let kept = draft.text("grads");
        if kept.is_none() || kept != bits(setting.value()) {
            draft.ignore(
                &setting,
                "Not supported: the forecast uses the gradient precision (grads) for communication.",
            );
        }
    }
}

fn batch(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let all = settings.whole(&["train_batch_size"])?;
    let micro = settings.whole(&["train_micro_batch_size_per_gpu"])?;
    let times = settings.whole(&["gradient_accumulation_steps"])?;
    if let Some(micro) = &micro {
        draft.number("mb", micro);
    }
    if let Some(all) = &all {
        draft.number("gb", all);
    }
    let replicas = |all: &Number, micro: &Number, times: &Number| {
        let round = micro.value.checked_mul(times.value)?;
        let replicas = all.value.checked_div(round)?;
        (replicas.checked_mul(round)? == all.value).then_some(replicas)
    };
    let group = i64::from(draft.degree("tp")) * i64::from(draft.degree("cp")) * i64::from(draft.degree("pp"));
    match (&all, &micro, &times) {
        (Some(all), Some(micro), Some(times)) => match replicas(all, micro, times) {
            Some(replicas) => draft.set("n", replicas.saturating_mul(group), &all.setting),
            None => {
                let rounds = format!(
                    "{} sequences are not divisible by {} \u{d7} {}",
                    all.value, micro.value, times.value
                );
                return Err(all.setting.wrong(&rounds));
            }
        },
        (None, Some(micro), rounds) if rounds.is_some() || !settings.has("gradient_accumulation_steps") => {
            let (size, rounds) = (micro.value, rounds.as_ref().map_or(1, |rounds| rounds.value));
            match draft.whole("n") {
                Some(gpus) => {
                    let replicas = i64::from(gpus).checked_div(group).unwrap_or(1).max(1);
                    draft.set("gb", replicas.saturating_mul(size).saturating_mul(rounds), &micro.setting);
                }
                None => draft.await_gpus(format!(
                    "{rounds} accumulation steps of {size} sequences per replica. The global batch depends on the number of GPUs."
                )),
            }
        }
        (Some(all), None, rounds)
            if draft.text("n").is_some() && !settings.has("train_micro_batch_size_per_gpu") =>
        {
            let replicas = i64::from(draft.degree("n")).checked_div(group).unwrap_or(1).max(1);
            let round = replicas.saturating_mul(rounds.as_ref().map_or(1, |rounds| rounds.value));
            let size = all.value.checked_div(round).unwrap_or(1).max(1);
            draft.set("mb", size, &all.setting);
        }
        _ if draft.text("n").is_none() => {
            draft.note(Some("n"), "The number of GPUs is not in the file. It is unchanged.");
        }
        _ => {}
    }
    Ok(())
}
