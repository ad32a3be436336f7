//! Trainers whose settings have usual names: those that train by rewards, of which the training of the actor is read, and
//! those that no other reader knows.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::harmless;
use super::super::megatron::{self, Dialect};
use super::super::settings::{Setting, Settings};
use super::tool::TRAINER;
use super::{everyday, launch, slurm, trainer, undivided};

/// Tables of what is not the training of the model.
const OTHERS: [&str; 24] = [
    "rollout",
    "ref",
    "reference",
    "critic",
    "reward_model",
    "reward",
    "algorithm",
    "checkpoint",
    "generation",
    "generator",
    "inference",
    "vllm",
    "actor_infer",
    "eval",
    "eval_loader",
    "evaluator",
    "validation",
    "validation_dataset",
    "valid_dataset",
    "teacher",
    "tokenizer",
    "ray_cluster",
    "val_env_manager",
    "train_env_manager",
];

/// Those of them that tell of training by rewards.
const BY_REWARDS: [&str; 5] = ["rollout", "generation", "generator", "vllm", "actor_infer"];

/// Names of settings, and ends of the paths that programs have for them: that of a table goes before a plain one.
const NAMES: [(&str, &[&str]); 19] = [
    (
        "model_name_or_path",
        &[
            "model_name",
            "model_path",
            "model.path",
            "actor.path",
            "model.name",
            "hf_model_name",
            "pretrain",
            "pretrained_model_name_or_path",
            "base_model",
            "model_id",
        ],
    ),
    ("num_layers", &["num_hidden_layers", "n_layers", "n_layer"]),
    ("hidden_size", &["hidden_width", "hidden_dim", "d_model", "n_embd", "model.dim"]),
    ("num_attention_heads", &["num_heads", "n_heads", "n_head"]),
    ("num_query_groups", &["num_key_value_heads", "num_kv_heads", "n_kv_heads"]),
    ("ffn_hidden_size", &["intermediate_size", "intermediate_dim", "llama_intermediate_size"]),
    (
        "seq_length",
        &[
            "sequence_length",
            "seq_len",
            "max_seq_length",
            "max_seq_len",
            "max_sequence_length",
            "max_total_sequence_length",
            "max_length",
            "max_len",
            "max_context_width",
            "cutoff_len",
            "pack_length",
        ],
    ),
    (
        "micro_batch_size",
        &[
            "ppo_micro_batch_size_per_gpu",
            "train_micro_batch_size",
            "micro_batch_size_per_device_for_update",
            "micro_train_batch_size_per_gpu",
            "device_train_microbatch_size",
            "local_batch_size",
            "per_device_train_batch_size",
            "per_device_batch_size",
            "per_gpu_train_batch_size",
            "batch_size_per_gpu",
            "batch_size_per_device",
            "train_micro_batch_size_per_gpu",
            "micro_train_batch_size",
        ],
    ),
    (
        "ppo_mini_batch_size",
        &["policy_mini_batch_size", "actor.global_batch_size", "train_dataset.batch_size"],
    ),
    (
        "global_batch_size",
        &[
            "train_global_batch_size",
            "global_train_batch_size",
            "total_batch_size",
            "orchestrator.batch_size",
            "train.batch_size",
        ],
    ),
    (
        "gradient_accumulation_steps",
        &["batch_accumulation_per_replica", "gradient_accumulation", "grad_accum_steps", "acc_steps"],
    ),
    (
        "tensor_model_parallel_size",
        &["tensor_parallel_size", "tensor_parallel_degree", "tp_size", "parallelism.tp"],
    ),
    (
        "pipeline_model_parallel_size",
        &["pipeline_parallel_size", "pipeline_parallel_degree", "pp_size", "parallelism.pp"],
    ),
    ("context_parallel_size", &["context_parallel_degree", "cp_size"]),
    ("ulysses_sequence_parallel_size", &["ulysses_size", "ulysses_parallel_size"]),
    ("expert_model_parallel_size", &["expert_parallel_size", "expert_parallel_degree", "ep_size"]),
    ("dtype", &["model_dtype", "param_dtype", "precision", "torch_dtype"]),
    ("zero_stage", &["deepspeed_stage", "zero_optimization.stage"]),
    (
        "sharding_strategy",
        &["fsdp_type", "fsdp_sharding_strategy", "distributed.strategy", "actor.strategy", "actor.backend"],
    ),
];

/// Names of recomputation, which may say a mode or whether it is on.
const RECOMPUTATION: [&str; 10] = [
    "activation_checkpointing",
    "gradient_checkpointing",
    "use_gradient_checkpointing",
    "enable_gradient_checkpointing",
    "gradient_checkpointing_enable",
    "enable_activation_checkpointing",
    "grad_checkpointing",
    "grad_checkpoint",
    "recompute_layer",
    "recompute_granularity",
];

/// More tokens than any run has sequences in a batch.
const BATCH_IN_TOKENS: i64 = 1 << 17;

/// Names the settings of the training by their usual names.
pub(super) fn usual_names(settings: &mut Settings) {
    settings.by_usual_names(&OTHERS, &NAMES);
}

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    settings.interpolate();
    settings.without_tables_off();
    let answers = ["rollout.n", "n_samples_per_prompt", "num_generations_per_prompt", "gconfig.n_samples"]
        .iter()
        .find_map(|end| settings.of_path(end)?.value().parse::<i64>().ok());
    let has_part = |setting: &Setting, names: &[&str]| {
        setting.path.split('.').any(|part| names.contains(&part.trim_start_matches(['-', '+'])))
    };
    let by_rewards = |setting: &Setting| has_part(setting, &BY_REWARDS) && !setting.path.contains("eval");
    let by_rewards = settings.iter().any(by_rewards);
    let names_file = |setting: &Setting| harmless::names_configuration(&setting.path, setting.value());
    // Another file has what this one leaves out.
    draft.is_part = settings.iter().any(names_file);
    let of_verl = settings.iter().any(|setting| {
        has_part(setting, &["actor_rollout_ref"]) || setting.path.starts_with("worker.actor.")
    });
    let megatron = |setting: &Setting| {
        let value = setting.key() == "sharding_strategy" || setting.path.ends_with("strategy_name");
        setting.path.split('.').rev().skip(1).any(|part| part.starts_with("megatron"))
            || value && setting.value().starts_with("megatron")
    };
    let megatron = settings.iter().any(megatron);
    usual_names(settings);
    // It is Accelerate's only behind its launcher.
    settings.rename("config_file", "own_file");
    draft.note(
        None,
        if by_rewards {
            "Only actor training is imported. Generation, scoring and the reference model are not modelled."
        } else {
            "Unknown program. Settings are recognised by their usual names; parallel degrees that are not set are 1."
        },
    );
    between_phases(settings, draft)?;
    if megatron {
        megatron::read(settings, draft, Dialect::Bridge)?;
        draft.put("stack", "megatron-lm");
        recompute(settings, draft);
    } else {
        on_pytorch(settings, draft, of_verl)?;
    }
    lengths(settings, draft)?;
    if let Some(batch) = settings.whole(&["ppo_mini_batch_size"])? {
        draft.set("gb", batch.value.saturating_mul(answers.unwrap_or(1)), &batch.setting);
        if let Some(answers) = answers {
            draft.note(
                Some("gb"),
                format!("{} prompts per update with {answers} responses each.", batch.value),
            );
        }
    } else if !megatron {
        global_batch(settings, draft)?;
    }
    if draft.is_part {
        draft.keep_said(&["cpx"]);
    }
    Ok(())
}

/// States that are in the host's memory while answers are generated, and on the GPU for training.
fn between_phases(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let names = ["param_offload", "optimizer_offload", "grad_offload", "offload_params", "offload_optimizer"];
    let mut any = false;
    for name in names {
        any |= settings.flag(&[name])? == Some(true);
    }
    if any {
        draft.note(
            Some("oo"),
            "Off: parameters and optimizer are offloaded only between training and generation.",
        );
    }
    Ok(())
}

/// FSDP, DeepSpeed or plain data parallelism, where Megatron is not named.
fn on_pytorch(settings: &mut Settings, draft: &mut Draft, of_verl: bool) -> Result<(), ImportError> {
    for (key, name) in [
        ("tp", "tensor_model_parallel_size"),
        ("pp", "pipeline_model_parallel_size"),
        ("cp", "context_parallel_size"),
        ("ep", "expert_model_parallel_size"),
    ] {
        if let Some(number) = settings.whole(&[name])? {
            draft.number(key, &number);
        } else if let Some(open) = settings.unresolved(&[name]).cloned() {
            draft.unresolved(key, &open);
        }
    }
    if let Some(number) = settings.whole(&["ulysses_sequence_parallel_size"])? {
        draft.number("cp", &number);
        draft.put("cpx", "all-to-all");
    }
    undivided(draft);
    slurm::gpus(settings, draft)?;
    if let Some(number) = settings.of_path("parallelism.dp").filter(|_| draft.text("n").is_none()) {
        let copies = number.value().parse::<u32>().unwrap_or(1);
        let ranks = ["tp", "pp", "cp"].iter().fold(copies, |all, key| all.saturating_mul(draft.degree(key)));
        draft.set("n", ranks, &number);
    }
    launch::model(settings, draft)?;
    if let Some(number) = settings.whole(&["seq_length"])? {
        draft.number("seq", &number);
    }
    micro_batch(settings, draft)?;
    adapters(settings, draft)?;
    recompute(settings, draft);
    if draft.text("rc").is_none() {
        let (usual, why) = if of_verl { ("full", "not set; default of verl") } else { ("none", "not set") };
        draft.assume("rc", usual, why);
    }
    draft.put_on_host(settings.flag(&["offload_policy", "cpu_offload"])?.unwrap_or(false));
    trainer::precision(settings, draft, &TRAINER)?;
    sharded(settings, draft, of_verl)?;
    let compiled = settings.flag(&["torch_compile", "compile"])?.unwrap_or(false);
    if draft.text("stack").is_none() || draft.text("zero") == Some("0") {
        draft.put("stack", if compiled { "compiled" } else { "eager" });
    }
    Ok(())
}

/// What is recomputed, as a mode or a switch says.
pub(super) fn recompute(settings: &mut Settings, draft: &mut Draft) {
    let Some(setting) = settings.word(&RECOMPUTATION) else { return };
    let mode = match setting.value().to_ascii_lowercase().as_str() {
        "selective" => "selective",
        "false" | "0" | "no" | "off" | "none" | "null" => "none",
        _ => "full",
    };
    draft.set("rc", mode, &setting);
}

/// What data-parallel ranks shard, where a setting says it.
pub(super) fn sharding(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let strategy = settings.text(&["sharding_strategy"]);
    if trainer::by_deepspeed(settings, draft)? {
        return Ok(());
    }
    let Some(strategy) = strategy else { return Ok(()) };
    let word = strategy.value().to_ascii_lowercase();
    let levels = [
        ("hsdp", &["hybrid", "hsdp"][..]),
        ("2", &["grad_op"]),
        ("0", &["no_shard", "ddp"]),
        ("3", &["full", "fsdp"]),
    ];
    if let Some((level, _)) = levels.iter().find(|(_, names)| names.iter().any(|name| word.contains(name))) {
        draft.set("zero", level, &strategy);
    }
    Ok(())
}

/// The same; FSDP where a table has its name, and asked for where nothing tells of it.
fn sharded(settings: &mut Settings, draft: &mut Draft, of_verl: bool) -> Result<(), ImportError> {
    sharding(settings, draft)?;
    let fsdp = |part: &str| part.starts_with("fsdp") || part == "dtensor_cfg";
    let named = || settings.iter().any(|setting| setting.path.split('.').any(fsdp));
    if draft.text("zero").is_none() {
        if of_verl || named() {
            draft.assume("zero", 3, "FSDP is the default unless the file sets another sharding strategy");
        } else {
            draft.lacks("zero", "the data-parallel sharding is not in the file".to_owned());
        }
    }
    let group = settings.whole(&["fsdp_size"])?.filter(|group| group.value > 0);
    if let (Some(group), Some(gpus)) = (group, draft.whole("n"))
        && group.value < i64::from(gpus)
    {
        draft.set("zero", if group.value > 1 { "hsdp" } else { "0" }, &group.setting);
        draft.number("shg", &group);
    }
    draft.put("dpo", 1);
    Ok(())
}

/// The micro-batch of a GPU, or, by verl's former name, of all (`fsdp_workers.py`).
fn micro_batch(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let all = settings.whole(&["ppo_micro_batch_size"])?;
    if let Some(number) = settings.whole(&["micro_batch_size"])? {
        draft.number("mb", &number);
    } else if let (Some(all), Some(gpus)) = (all, draft.whole("n")) {
        let replicas = i64::from(gpus / draft.degree("cp"));
        draft.set("mb", all.value.checked_div(replicas).unwrap_or(0).max(1), &all.setting);
        draft.note(Some("mb"), format!("{} sequences on all GPUs.", all.value));
    } else if let Some(open) = settings.unresolved(&["micro_batch_size"]).cloned() {
        draft.unresolved("mb", &open);
    } else {
        trainer::unclear(settings, draft);
    }
    Ok(())
}

/// The global batch, which some programs count in tokens, or what accumulation makes of the micro-batch.
fn global_batch(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let Some(batch) = settings.whole(&["global_batch_size"])? else {
        return if settings.knows("gradient_accumulation_steps") {
            trainer::batch(settings, draft, &["micro_batch_size"], None, 1)
        } else {
            Ok(())
        };
    };
    let length = draft.whole("seq").map_or(1, i64::from).max(1);
    if batch.value > BATCH_IN_TOKENS && batch.value % length == 0 && length > 1 {
        draft.set("gb", batch.value / length, &batch.setting);
        draft.note(Some("gb"), format!("{} tokens in sequences of {length}.", batch.value));
    } else {
        draft.number("gb", &batch);
    }
    Ok(())
}

/// LoRA; on all linear layers unless others are listed (verl's `ppo_trainer.yaml`).
fn adapters(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let rank = match settings.whole(&["lora_rank", "lora_r"])? {
        Some(rank) => Some(rank),
        None => settings.of_whole(&["lora.rank", "lora_config.rank", "lora_cfg.dim", "peft.dim"])?,
    };
    let Some(rank) = rank.filter(|rank| rank.value > 0) else { return Ok(()) };
    draft.number("lora", &rank);
    match settings.text(&["target_modules"]) {
        Some(modules) => everyday::targets(&modules, draft),
        None => draft.assume("lorat", "all", "not set"),
    }
    draft.put("base", "16");
    Ok(())
}

/// Prompts and answers together, where no length of both is given.
pub(super) fn lengths(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    if draft.text("seq").is_some() {
        return Ok(());
    }
    // Where a prompt grows over several turns, its greatest length has a name of its own.
    let prompt = settings.of_whole(&[
        "max_input_length",
        "max_prompt_length",
        "max_prompt_token_length",
        "prompt_max_len",
    ])?;
    let answer = settings.of_whole(&[
        "max_response_length",
        "max_completion_length",
        "max_generate_length",
        "response_length",
        "generate_max_len",
    ])?;
    if let (Some(prompt), Some(answer)) = (prompt, answer) {
        draft.set("seq", prompt.value.saturating_add(answer.value), &answer.setting);
        draft.note(
            Some("seq"),
            "Maximum prompt length plus maximum response length. Most sequences are shorter.",
        );
    }
    Ok(())
}
