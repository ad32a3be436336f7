//! Hugging Face `TrainingArguments`, and what other tools take over from them.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::harmless::is_configuration;
use super::super::hub;
use super::super::settings::{Setting, Settings};
use super::tool::Tool;
use super::{accelerate, everyday, preference, slurm, undivided, verl};

/// Names of the length of a sequence.
const LENGTH: [&str; 6] =
    ["max_seq_length", "max_length", "cutoff_len", "block_size", "model_max_length", "max_seq_len"];

/// Names of the micro-batch.
pub(super) const MICRO_BATCH: [&str; 8] = [
    "per_device_train_batch_size",
    "per_device_batch_size",
    "per_gpu_train_batch_size",
    "batch_size_per_gpu",
    "batch_size_per_device",
    "micro_batch_size",
    "train_micro_batch_size_per_gpu",
    "micro_train_batch_size",
];

/// Names of a batch that may be that of a GPU or of all.
pub(super) const ANY_BATCH: [&str; 2] = ["train_batch_size", "batch_size"];

/// Environment variables with the number of processes, and the arguments that they replace.
const ENVIRONMENT: [(&str, &str); 3] =
    [("NPROC_PER_NODE", "nproc_per_node"), ("NNODES", "nnodes"), ("CUDA_VISIBLE_DEVICES", "num_gpus")];

/// Reads the settings.
pub(super) fn read(text: &str, settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    enter_table(settings);
    let sample = preference::read(settings, draft, text)?;
    let tool = Tool::of(text, settings);
    // Losses of preferences keep all logits, and generated answers have a length of their own.
    let tool = Tool {
        loss: tool.loss.filter(|_| sample.supervised),
        length: tool.length.filter(|_| !sample.generated),
        ..tool
    };
    let on_megatron = megatron(settings, draft)?;
    if let Some(number) = settings.whole(&["sequence_parallel_size"])?.filter(|number| number.value > 1) {
        draft.number("cp", &number);
        draft.put("cpx", "all-to-all");
    }
    undivided(draft);
    from_environment(text, settings)?;
    slurm::gpus(settings, draft)?;
    accelerate::hosts(settings, draft)?;
    // The last is what ms-swift's models call themselves.
    let names = ["model_name_or_path", "model", "model_id_or_path", "model_id", "model_name"];
    model(settings, draft, &names);
    match (settings.whole(&LENGTH)?, tool.length) {
        (Some(number), _) if number.value > 0 => draft.number("seq", &number),
        (_, Some(usual)) => draft.assume("seq", usual, &tool.why()),
        (_, None) => verl::lengths(settings, draft)?,
    }
    batch(settings, draft, &MICRO_BATCH, Some(tool.micro_batch), sample.sequences)?;
    precision(settings, draft, &tool)?;
    recompute(settings, draft, &tool)?;
    if !on_megatron {
        sharding(settings, draft)?;
    }
    everyday::adapters(settings, draft, &tool)?;
    everyday::optimizer(settings, draft, &["optimizer", "optim"])?;
    everyday::attention(settings, draft)?;
    everyday::kernels(settings, draft, &tool)?;
    let compiled = settings.flag(&["torch_compile"])?.unwrap_or(false);
    if draft.text("stack").is_none() {
        draft.put("stack", if compiled { "compiled" } else { "eager" });
    }
    if of_file(text, settings) {
        of_arguments(settings, draft);
    }
    Ok(())
}

/// Whether a command line names a file of settings, which has what the arguments leave out.
fn of_file(text: &str, settings: &Settings) -> bool {
    let named = |setting: &Setting| {
        let option = setting.path == "--config" && !setting.value().is_empty();
        let alone = setting.path == setting.value() && is_configuration(setting.value());
        option || alone
    };
    // LLaMA-Factory reads a file that is the first word.
    let commands = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("llamafactory-cli train ")?.split(' ').next());
    settings.iter().any(named)
        || commands.map(|word| word.trim_matches(['"', '\''])).any(|word| {
            // Of a variable that is not a list, the name of the file is unknown.
            [".yaml", ".yml", ".json"].iter().any(|end| word.ends_with(end))
                || word.starts_with('$') && !word.contains('[')
        })
}

/// Arguments, and the fields that follow from them.
const ARGUMENTS: [(&str, &[&str]); 12] = [
    ("bf16", &["prec", "wts"]),
    ("fp16", &["prec"]),
    ("torch_dtype", &["prec"]),
    ("gradient_checkpointing", &["rc", "rcn", "oa"]),
    ("deepspeed", &["zero", "oo", "op", "stack"]),
    ("config_file", &["zero", "oo", "op", "stack"]),
    ("fsdp", &["zero", "oo", "op", "stack"]),
    ("use_peft", &["lora", "lorat", "base"]),
    ("lora_r", &["lora", "lorat", "base"]),
    ("lora_rank", &["lora", "lorat", "base"]),
    ("finetuning_type", &["lora", "lorat", "base"]),
    ("use_liger_kernel", &["loss", "ew"]),
];

/// Keeps what arguments say beside a file of settings.
fn of_arguments(settings: &Settings, draft: &mut Draft) {
    let named = ARGUMENTS.iter().filter(|entry| settings.has(entry.0));
    let mut keys: Vec<&str> = named.flat_map(|entry| entry.1).copied().collect();
    keys.extend(["tp", "g"]);
    draft.keep_said(&keys);
}

/// Enters the table of the arguments, where they are below other settings.
fn enter_table(settings: &mut Settings) {
    let name = "per_device_train_batch_size";
    let nested = settings.iter().find_map(|setting| setting.path.strip_suffix(name)?.strip_suffix('.'));
    if let Some(table) = nested.filter(|_| !settings.has(name)).map(str::to_owned) {
        settings.enter_with_parents(&table);
    }
}

/// Uses environment variables for the processes, if no argument is given.
fn from_environment(text: &str, settings: &mut Settings) -> Result<(), ImportError> {
    let said = |settings: &Settings| {
        ["nproc_per_node", "num_processes", "num_gpus", "gpus_per_node", "devices"]
            .iter()
            .any(|name| settings.has(name))
    };
    for (variable, argument) in ENVIRONMENT {
        let Some((value, line)) = assigned(text, variable) else { continue };
        let listed = variable == "CUDA_VISIBLE_DEVICES";
        // Accelerate's own file says how many processes there are.
        let elsewhere = listed && settings.has("config_file");
        if settings.has(argument) || argument != "nnodes" && (elsewhere || said(settings)) {
            continue;
        }
        // An empty list hides all GPUs, and says nothing of a job that has some.
        let named = value.split(',').filter(|gpu| !gpu.trim().is_empty()).count();
        let count = if listed { named.to_string() } else { value };
        if count != "0" && count.parse::<u32>().is_ok() {
            settings.push(argument.to_owned(), Some(line), Some(count))?;
        }
    }
    Ok(())
}

/// What a script assigns to a variable, and the line; followed once where that is another variable.
fn assigned(text: &str, variable: &str) -> Option<(String, u32)> {
    let find = |name: &str| {
        text.lines().zip(1..).find_map(|(line, number)| {
            let mut words = line.split_whitespace().filter(|_| !line.trim_start().starts_with('#'));
            let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?;
            Some((value.trim_matches(['"', '\'', ';']).to_owned(), number))
        })
    };
    let (value, line) = find(variable)?;
    match value.strip_prefix('$').map(|name| name.trim_matches(['{', '}'])) {
        Some(name) => find(name),
        None => Some((value, line)),
    }
}

/// The layout where LLaMA-Factory trains with Megatron-Core; whether it does.
fn megatron(settings: &mut Settings, draft: &mut Draft) -> Result<bool, ImportError> {
    let mut found = false;
    for (key, name) in [
        ("tp", "tensor_model_parallel_size"),
        ("pp", "pipeline_model_parallel_size"),
        ("vpp", "virtual_pipeline_model_parallel_size"),
        ("ep", "expert_model_parallel_size"),
        ("cp", "context_parallel_size"),
    ] {
        if let Some(number) = settings.whole(&[name])? {
            draft.number(key, &number);
            found |= key != "cp";
        }
    }
    if found {
        let sharded = settings.flag(&["use_distributed_optimizer"])?.unwrap_or(false);
        draft.put("zero", u8::from(sharded));
        let overlapped = settings.flag(&["overlap_grad_reduce"])?.unwrap_or(false);
        draft.put("dpo", u8::from(overlapped));
        let sequence = settings.flag(&["sequence_parallel"])?.unwrap_or(false);
        draft.put("sp", u8::from(sequence && draft.degree("tp") > 1));
        draft.put("stack", "megatron-lm");
    }
    Ok(found)
}

/// The model of a Hub name or path.
pub(super) fn model(settings: &mut Settings, draft: &mut Draft, names: &[&str]) {
    let Some(setting) = settings.path(names) else { return };
    match hub::find(setting.value()) {
        Some(model) => draft.model(&model),
        None => draft.ignore(&setting, "Unknown model. Import its config.json too."),
    }
}

/// Micro-batch and global batch: the former, times the rounds of accumulation, on every replica. A sample may be of
/// several `sequences`.
pub(crate) fn batch(
    settings: &mut Settings,
    draft: &mut Draft,
    names: &[&str],
    usual: Option<i64>,
    sequences: i64,
) -> Result<(), ImportError> {
    let micro = settings.whole(names)?;
    let times = settings.whole(&["gradient_accumulation_steps"])?;
    let rounds = times.as_ref().map_or(1, |times| times.value);
    let size = match (&micro, usual) {
        (Some(micro), _) => {
            let size = micro.value.saturating_mul(sequences);
            draft.set("mb", size, &micro.setting);
            size
        }
        (None, Some(_)) if unclear(settings, draft) => return Ok(()),
        (None, Some(usual)) => {
            draft.assume("mb", usual * sequences, "not set; tool default");
            usual * sequences
        }
        (None, None) => return Ok(()),
    };
    let left_open =
        |setting: &Setting| setting.key() == "gradient_accumulation_steps" && setting.value().contains('$');
    if times.is_none() && settings.iter().any(left_open) {
        let text = "Gradient accumulation is not in the file. The global batch is unchanged.";
        draft.note(Some("gb"), text);
        return Ok(());
    }
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
            "{rounds} accumulation steps of {size} per replica. The global batch depends on the number of GPUs."
        )),
    }
    Ok(())
}

/// Whether a batch is given that may be that of a GPU or of all; said then.
pub(super) fn unclear(settings: &mut Settings, draft: &mut Draft) -> bool {
    let named = |setting: &Setting| setting.path.starts_with('-') && ANY_BATCH.contains(&setting.key());
    let Some(setting) = settings.iter().find(|setting| named(setting)).cloned() else { return false };
    settings.pass_over(&ANY_BATCH);
    draft.ignore(&setting, "The batch may be per GPU or global. Set micro-batch (mb) and global batch (gb).");
    true
}

/// `bf16` and `fp16`, which may be `auto`, and formats that weights are kept in.
pub(super) fn precision(settings: &mut Settings, draft: &mut Draft, tool: &Tool) -> Result<(), ImportError> {
    // Axolotl's third value, and LLaMA-Factory's switch: weights in 16 bits only.
    let full = settings.text(&["bf16"]).is_some_and(|setting| setting.value() == "full");
    let pure = settings.flag(&["pure_bf16", "bfloat16", "float16"])?.unwrap_or(false);
    if full || pure {
        draft.put("wts", "16");
    }
    let brain = if full || pure { Some(true) } else { settings.flag(&["bf16"])? };
    let half = settings.flag(&["fp16"])?;
    let eight = settings.flag(&["fp8"])?;
    let format = settings.text(&["torch_dtype", "dtype", "mixed_precision"]);
    let format = format.as_ref().map(Setting::value);
    match (eight, brain, half) {
        (Some(true), _, _) => draft.put("prec", "fp8"),
        (_, Some(true), _) => draft.put("prec", "bf16"),
        (_, _, Some(true)) => draft.put("prec", "fp16"),
        _ if format.is_some_and(|format| format.contains("bf16") || format.contains("bfloat16")) => {
            draft.put("prec", "bf16");
        }
        _ if format.is_some_and(|format| format.contains("fp16") || format == "float16") => {
            draft.put("prec", "fp16");
        }
        (_, None, _) if tool.brain => draft.assume("prec", "bf16", &tool.why()),
        _ => draft.assume("prec", "bf16", "the file enables neither BF16 nor FP16, and FP32 is unsupported"),
    }
    Ok(())
}

/// Checkpoints of whole layers, which may wait in the host's memory.
pub(super) fn recompute(settings: &mut Settings, draft: &mut Draft, tool: &Tool) -> Result<(), ImportError> {
    let mut offload = settings.flag(&["use_unsloth_gc"])?.unwrap_or(false);
    let mut given = settings.flag(&["disable_gradient_checkpointing"])?.map(|disabled| !disabled);
    if let Some(setting) = settings.text(&["gradient_checkpointing"]) {
        let elsewhere = setting.value().contains("offload") || setting.value() == "unsloth";
        offload |= elsewhere;
        given = if elsewhere { Some(true) } else { settings.flag(&["gradient_checkpointing"])? };
    } else if let Some(bare) = settings.flag(&["gradient_checkpointing"])? {
        given = Some(bare);
    }
    let granularity = settings.text(&["recompute_granularity"]);
    if let Some(granularity) = granularity.filter(|setting| ["full", "selective"].contains(&setting.value()))
    {
        draft.set("rc", granularity.value(), &granularity);
    } else {
        match given {
            Some(on) => draft.put("rc", if on { "full" } else { "none" }),
            None if tool.checkpoints => draft.assume("rc", "full", &tool.why()),
            None => draft.put("rc", "none"),
        }
    }
    // `legacy`, `disk` and `hidden_states` are ways of it.
    let activations = settings.text(&["activation_offloading"]);
    offload |= activations.is_some_and(|setting| !["false", "False"].contains(&setting.value()));
    draft.put("oa", if offload { 100 } else { 0 });
    Ok(())
}

/// FSDP and DeepSpeed as the Trainer, Accelerate's launcher and DeepSpeed-Chat name them.
pub(super) fn sharding(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let fsdp = settings.text(&["fsdp"]);
    // The table says more than the switch.
    let strategy = settings.text(&[
        "fsdp_config.sharding_strategy",
        "fsdp_config.fsdp_sharding_strategy",
        "fsdp_sharding_strategy",
    ]);
    let launched = settings.flag(&["use_fsdp"])?.unwrap_or(false);
    let again =
        settings.flag(&["fsdp_config.reshard_after_forward", "fsdp_config.fsdp_reshard_after_forward"])?;
    let options = fsdp.as_ref().map(|fsdp| fsdp.value().to_ascii_lowercase());
    let named = strategy.map(|strategy| strategy.value().to_ascii_lowercase()).or_else(|| options.clone());
    let level = match named.as_deref() {
        Some(options) if options.contains("hybrid") => "hsdp",
        Some(options) if options.contains("shard_grad_op") => "2",
        Some(options) if options.contains("no_shard") => "0",
        Some(_) if again == Some(false) => "2",
        Some(options) if options != "false" => "3",
        None if settings.has_below("fsdp_config") && again == Some(false) => "2",
        _ if settings.has_below("fsdp_config") || launched => "3",
        _ => "0",
    };
    draft.put("zero", level);
    draft.put("dpo", 1);
    let inner = settings
        .flag(&["fsdp_config.activation_checkpointing", "fsdp_config.fsdp_activation_checkpointing"])?;
    if inner == Some(true) {
        draft.put("rc", "full");
    }
    let offload = options.is_some_and(|options| options.contains("offload"));
    let switched = settings.flag(&["fsdp_config.offload_params", "fsdp_config.fsdp_offload_params"])?;
    draft.put_on_host(offload || switched == Some(true));
    let silent = named.is_none() && level == "0";
    if level == "0" && !by_deepspeed(settings, draft)? && silent {
        let text = "No sharding: the file names neither FSDP nor DeepSpeed. If Accelerate is used, import its configuration too.";
        draft.note(Some("zero"), text);
    }
    Ok(())
}

/// DeepSpeed's stage of an argument, or of the name of a file of settings; whether there is one or the other.
pub(super) fn by_deepspeed(settings: &mut Settings, draft: &mut Draft) -> Result<bool, ImportError> {
    let mut found = false;
    if let Some(stage) = settings.whole(&["zero_stage", "deepspeed_stage"])? {
        found = true;
        draft.number("zero", &stage);
        draft.put("stack", "deepspeed-zero3");
        if settings.flag(&["offload"])? == Some(true) {
            draft.put("oo", 1);
        }
    }
    for (name, tool) in
        [("deepspeed", "DeepSpeed"), ("deepspeed_config", "DeepSpeed"), ("config_file", "Accelerate")]
    {
        if let Some(open) = settings.unresolved(&[name]).filter(|open| !open.names_something()).cloned() {
            found = true;
            draft.unresolved("zero", &open);
        }
        if let Some(file) = settings.path(&[name]) {
            found = true;
            accelerate::by_name_of_file(file.value(), tool, draft);
            // ms-swift has settings of its own under names such as `zero2`.
            if name == "deepspeed" && !file.value().contains(['.', '/']) {
                continue;
            }
            draft.ignore(&file, format!("The settings of {tool} are in this file. Import it too."));
        }
    }
    Ok(found)
}
