//! torchtitan's TOML, or the same settings as arguments. Names as of v0.2.2 (`torchtitan/config/job_config.py`), those of
//! 2024, when degrees stood under `training` and `experimental`, and those of 2026, when configurations are Python.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::hub;
use super::super::settings::{Number, Settings};
use super::{everyday, slurm};
use crate::scenario::model::Model;

/// Models by name and flavour: rows of the model table.
const FLAVORS: [(&str, &str, &str); 18] = [
    ("llama3", "8B", "llama3-8b"),
    ("llama3", "70B", "llama3-70b"),
    ("llama3", "405B", "llama3-405b"),
    ("llama4", "17bx16e", "llama4-scout"),
    ("llama4", "17bx128e", "llama4-maverick"),
    ("deepseek_v3", "16B", "deepseek-v2-lite"),
    ("deepseek_v3", "236B", "deepseek-v2"),
    ("deepseek_v3", "671B", "deepseek-v3"),
    ("qwen3", "0.6B", "Qwen/Qwen3-0.6B"),
    ("qwen3", "1.7B", "Qwen/Qwen3-1.7B"),
    ("qwen3", "4B", "Qwen/Qwen3-4B"),
    ("qwen3", "8B", "qwen3-8b"),
    ("qwen3", "14B", "qwen3-14b"),
    ("qwen3", "32B", "qwen3-32b"),
    ("qwen3", "30B-A3B", "qwen3-30b-a3b"),
    ("qwen3", "235B-A22B", "qwen3-235b-a22b"),
    ("gpt_oss", "20b", "gpt-oss-20b"),
    ("gpt_oss", "120b", "gpt-oss-120b"),
];

/// Name and flavour of a shape; nothing where torchtitan has none of it.
pub(crate) fn flavor_of(model: &Model) -> Option<(&'static str, &'static str)> {
    let row = FLAVORS.iter().find(|row| hub::find(row.2).is_some_and(|known| known == *model));
    row.map(|row| (row.0, row.1))
}

/// Every how many layers torchtitan recomputes where that is not given.
const EVERY: &str = "2";

/// What torchtitan takes where a batch is not given.
const LOCAL_BATCH: i64 = 8;

/// Tokens that a rank takes at a time where that is not given, in 2026.
const LOCAL_TOKENS: i64 = 16_384;

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    primus(settings, draft);
    if settings.has_below("trainer.parallelism") {
        let text = "Only the trainer is imported. Generation and scoring are not modelled.";
        draft.note(None, text);
        settings.enter("trainer");
    }
    let release = model(settings, draft);
    degrees(settings, draft)?;
    sharding(settings, draft)?;
    match release {
        Release::Python => tokens(settings, draft)?,
        Release::Toml => batch(settings, draft)?,
    }
    step(settings, draft, release)?;
    precision(settings, draft)?;
    software(settings, draft, release)?;
    draft.put("stack", "torchtitan");
    draft.put("epo", "0");
    draft.put("dpo", "1");
    draft.put("map", "tdp");
    draft.put("oa", "0");
    if settings.has("job.config_file") {
        of_arguments(settings, draft);
    }
    Ok(())
}

/// Tables of settings, and the fields that follow from them.
const TABLES: [(&str, &[&str]); 8] = [
    ("activation_checkpoint", &["rc", "rcn"]),
    ("compile", &["comp"]),
    ("training.compile", &["comp"]),
    ("model.converters", &["prec"]),
    ("parallelism", &["zero", "shg", "sp", "vpp", "sched", "split", "stages", "tpo", "ppo"]),
    ("training.local_batch_size", &["mb", "gb"]),
    ("training.batch_size", &["mb", "gb"]),
    ("training.enable_cpu_offload", &["oo", "op"]),
];

/// Keeps what arguments say beside a file of settings, which has the rest, and no defaults.
fn of_arguments(settings: &Settings, draft: &mut Draft) {
    let tables = TABLES.iter().filter(|table| settings.has_below(table.0));
    let mut keys: Vec<&str> = tables.flat_map(|table| table.1).copied().collect();
    keys.extend(["tp", "stack", "g"]);
    draft.keep_said(&keys);
}

/// Whose names and defaults a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Release {
    /// Of 2024 and 2025: all settings in one TOML file, and defaults for those that are not given.
    Toml,
    /// Of 2026: a function of Python, which arguments name, has what they do not say.
    Python,
}

/// Enters the settings of Primus, nested below the name of its trainer.
fn primus(settings: &mut Settings, draft: &mut Draft) {
    if !settings.has_below("modules.pre_trainer") {
        return;
    }
    let named = settings.of_path("modules.pre_trainer.model");
    settings.enter("modules.pre_trainer.overrides");
    if let Some(named) = named {
        let name = named.value().trim_end_matches(".yaml").trim_end_matches("-fp8");
        match hub::in_words(name).or_else(|| flavored(name, name)) {
            Some(model) => draft.model(&model),
            None => draft.ignore(&named, "Unknown model."),
        }
    }
}

/// The model, and of which release the names are.
fn model(settings: &mut Settings, draft: &mut Draft) -> Release {
    let module = settings.text(&["module"]);
    let config = settings.text(&["config"]);
    let registry = settings.text(&["model_registry"]);
    let of_python = ["training.max_context_length", "training.num_tokens_per_microbatch_per_dp_rank"];
    let python = module.is_some() || of_python.iter().any(|name| settings.has(name));
    let name = settings.text(&["model.name"]).or_else(|| module.clone());
    let flavor = settings.text(&["model.flavor"]).or(registry).or_else(|| config.clone());
    if let (Some(name), Some(flavor)) = (name, flavor) {
        match flavored(name.value(), flavor.value()).or_else(|| hub::find(flavor.value())) {
            Some(model) => draft.model(&model),
            None => draft.ignore(&flavor, "Unknown flavor."),
        }
    }
    // flame's name of a model.
    if let Some(named) = settings.path(&["model.config"]).filter(|_| draft.text("layers").is_none()) {
        match hub::find(named.value()) {
            Some(model) => draft.model(&model),
            None => draft.ignore(&named, "Unknown model. Import its config.json too."),
        }
    }
    if !python {
        return Release::Toml;
    }
    draft.note(None, "The setting names are from torchtitan 2026, which counts batches in tokens.");
    if let Some(config) = config {
        draft.ignore(&config, "Other settings of this Python function are not in the file.");
    }
    Release::Python
}

/// The model of a name and a flavor, or of a function that is named after both, `llama3_8b`.
fn flavored(name: &str, flavor: &str) -> Option<Model> {
    let plain = |text: &str| -> String {
        text.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
    };
    let stem = flavor.split("_irope").next().unwrap_or_default().trim_end_matches("_flex");
    let stem = plain(stem);
    let of_name = FLAVORS.iter().filter(|row| name.contains(row.0));
    let mut known: Vec<_> = of_name
        .filter(|row| stem.ends_with(&plain(row.1)) || stem.starts_with(&(plain(row.0) + &plain(row.1))))
        .collect();
    known.sort_by_key(|row| row.1.len());
    hub::find(known.last()?.2)
}

/// Degrees, by the names of all releases.
const DEGREES: [(&str, [&str; 2]); 5] = [
    ("tp", ["parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"]),
    ("pp", ["parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"]),
    ("cp", ["parallelism.context_parallel_degree", "experimental.context_parallel_degree"]),
    ("ep", ["parallelism.expert_parallel_degree", "parallelism.expert_parallel_degree"]),
    ("etp", ["parallelism.expert_tensor_parallel_degree", "parallelism.expert_tensor_parallel_degree"]),
];

fn degrees(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    for (key, names) in DEGREES {
        let open = settings.unresolved(&names).cloned();
        match (settings.whole(&names)?, open) {
            (Some(number), _) => draft.number(key, &number),
            (None, Some(open)) => draft.unresolved(key, &open),
            (None, None) => draft.put(key, 1),
        }
    }
    // Shards that are rotated by all-to-all go around as in a ring; gathering is the default.
    let rotates = settings
        .text(&["parallelism.context_parallel_rotate_method", "experimental.context_parallel_rotate_method"]);
    let ring = rotates.is_some_and(|method| method.value() == "alltoall");
    draft.put("cpx", if ring { "ring" } else { "all-gather" });
    let tensor = draft.degree("tp");
    let said = settings.flag(&["parallelism.enable_sequence_parallel"])?;
    draft.put("sp", if tensor > 1 && said != Some(false) { 1 } else { 0 });
    stages(settings, draft)
}

fn stages(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let pipeline = draft.degree("pp");
    let schedule =
        settings.text(&["parallelism.pipeline_parallel_schedule", "experimental.pipeline_parallel_schedule"]);
    let name = schedule.as_ref().map_or("1F1B", |schedule| schedule.value()).to_ascii_lowercase();
    let (known, looped) = match name.as_str() {
        "1f1b" => (Some("1f1b"), false),
        "interleaved1f1b" => (Some("1f1b"), true),
        "gpipe" => (Some("gpipe"), false),
        "zbvzerobubble" => (Some("zb-v"), true),
        "dualpipev" => (Some("dualpipev"), true),
        _ => (None, false),
    };
    let each = settings.whole(&["parallelism.pipeline_parallel_layers_per_stage"])?;
    let first = settings.whole(&["parallelism.pipeline_parallel_first_stage_less_layers"])?;
    let last = settings.whole(&["parallelism.pipeline_parallel_last_stage_less_layers"])?;
    if pipeline == 1 {
        draft.put("sched", "1f1b");
        draft.put("vpp", 1);
        draft.put("split", "even");
        return Ok(());
    }
    if let (None, Some(schedule)) = (known, &schedule) {
        draft.ignore(schedule, "This schedule is not supported. The forecast uses 1F1B.");
    }
    draft.put("sched", known.unwrap_or("1f1b"));
    let less = |number: &Option<Number>| number.as_ref().map_or(1, |number| number.value);
    let (first, last) = (less(&first), less(&last));
    // Looped schedules have two stages a rank unless layers a stage are given.
    let mut chunks = if looped { 2 } else { 1 };
    if let (Some(each), Some(layers)) = (&each, draft.whole("layers")) {
        let slots = i64::from(layers).saturating_add(first).saturating_add(last);
        let stages = slots.saturating_add(each.value - 1).checked_div(each.value).unwrap_or(1);
        chunks = u32::try_from(stages / i64::from(pipeline)).unwrap_or(1).max(1);
        draft.source("vpp", &each.setting);
    } else if looped {
        draft.note(
            Some("vpp"),
            "2: layers per stage are not set; looped schedules default to two stages per rank.",
        );
    }
    draft.put("vpp", chunks);
    split(draft, pipeline.saturating_mul(chunks), first, last);
    Ok(())
}

/// How layers are dealt, where the first and the last stage have some fewer.
fn split(draft: &mut Draft, chunks: u32, first: i64, last: i64) {
    let Some(layers) = draft.whole("layers") else {
        draft.put("split", if (first, last) == (0, 0) { "even" } else { "ends" });
        return;
    };
    match (first, last) {
        (1, 1) if (layers + 2).is_multiple_of(chunks) => draft.put("split", "ends"),
        (0, 0) if layers.is_multiple_of(chunks) => draft.put("split", "even"),
        _ => match fewer_at_ends(layers, chunks, first, last) {
            Some(list) => {
                draft.put("split", "given");
                draft.put("stages", list);
            }
            None => draft.note(
                Some("split"),
                "The layers per stage cannot be derived from lighter ends. They are unchanged.",
            ),
        },
    }
}

/// Layers of every stage, where the first and the last have some fewer: as torchtitan deals them, with what is left over
/// to the first stages.
pub(crate) fn fewer_at_ends(layers: u32, chunks: u32, first: i64, last: i64) -> Option<String> {
    let (first, last) = (u32::try_from(first).ok()?, u32::try_from(last).ok()?);
    let slots = layers.checked_add(first)?.checked_add(last)?;
    let (share, longer) = (slots.checked_div(chunks)?, slots.checked_rem(chunks)?);
    let held = (0..chunks.min(4096)).map(|chunk| {
        let whole = share + u32::from(chunk < longer);
        let less = if chunk == 0 { first } else { 0 } + if chunk + 1 == chunks { last } else { 0 };
        u16::try_from(whole.checked_sub(less)?).ok()
    });
    super::super::megatron::stages_text(&held.collect::<Option<Vec<u16>>>()?)
}

fn sharding(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let replicate = settings
        .whole(&["parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"])?
        .map_or(1, |number| number.value);
    let shard = settings.whole(&[
        "parallelism.data_parallel_shard_degree",
        "training.data_parallel_shard_degree",
        "training.data_parallel_degree",
    ])?;
    let sharded = shard.as_ref().map_or(-1, |number| number.value);
    let policy = settings.text(&["parallelism.fsdp_reshard_after_forward"]);
    let model_parallel = i64::from(draft.degree("tp")) * i64::from(draft.degree("pp"));
    let context = i64::from(draft.degree("cp"));
    let policy = policy.as_ref().map_or("default", |policy| policy.value());
    // Pipelines keep gathered parameters between micro-batches by default.
    let gathers_again = policy == "always" || policy == "default" && draft.degree("pp") == 1;
    let level = match (replicate > 1, sharded != 1) {
        (true, true) => "hsdp",
        (false, true) if gathers_again => "3",
        (false, true) => "2",
        (_, false) => "0",
    };
    draft.put("zero", level);
    if level == "hsdp" && sharded > 0 {
        draft.put("shg", sharded);
    }
    if sharded > 0 && replicate > 0 {
        let gpus = model_parallel.saturating_mul(context).saturating_mul(sharded).saturating_mul(replicate);
        // Hosts say how many GPUs each has, degrees how many there are.
        slurm::gpus(settings, draft)?;
        if let Some(shard) = shard {
            draft.set("n", gpus, &shard.setting);
        }
    } else {
        slurm::gpus(settings, draft)?;
    }
    Ok(())
}

fn batch(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let open = settings.unresolved(&["training.seq_len"]).cloned();
    match (settings.whole(&["training.seq_len"])?, open) {
        (Some(number), _) => draft.number("seq", &number),
        (None, Some(open)) => draft.unresolved("seq", &open),
        (None, None) => draft.assume("seq", 2048, "not set; framework default"),
    }
    let local = settings.whole(&["training.local_batch_size", "training.batch_size"])?;
    let global = settings.whole(&["training.global_batch_size"])?.filter(|number| number.value > 0);
    let micro = settings.whole(&["parallelism.pipeline_parallel_microbatch_size"])?;
    if let Some(open) = settings.unresolved(&["training.local_batch_size", "training.batch_size"]).cloned() {
        draft.unresolved("mb", &open);
        return Ok(());
    }
    if local.is_none() {
        draft.note(
            None,
            format!("{LOCAL_BATCH} sequences per rank: the local batch is not set; framework default."),
        );
    }
    let rounds = settings.whole(&["training.gradient_accumulation_steps"])?.map_or(1, |rounds| rounds.value);
    let size = local.as_ref().map_or(LOCAL_BATCH, |number| number.value).saturating_mul(rounds);
    match (draft.degree("pp") > 1, &micro, &local) {
        (true, Some(micro), _) => draft.number("mb", micro),
        (true, None, _) => draft.put("mb", 1),
        (false, _, Some(local)) => draft.number("mb", local),
        (false, _, None) => draft.put("mb", LOCAL_BATCH),
    }
    let group = draft.degree("tp").saturating_mul(draft.degree("pp")).saturating_mul(draft.degree("cp"));
    match (global, draft.whole("n")) {
        (Some(number), _) => draft.number("gb", &number),
        (None, Some(gpus)) => {
            let batch = i64::from((gpus / group.max(1)).max(1)).saturating_mul(size);
            if let Some(local) = &local {
                draft.set("gb", batch, &local.setting);
            } else {
                draft.put("gb", batch);
            }
        }
        (None, None) => {
            draft.await_gpus("The global batch depends on the number of GPUs, which is not in the file.")
        }
    }
    let steps = settings.whole(&["training.steps"])?.filter(|steps| steps.value > 0);
    if let (Some(steps), Some(sequence), Some(batch)) = (steps, draft.whole("seq"), draft.whole("gb")) {
        draft.set("tokens", steps.value as f64 * f64::from(sequence) * f64::from(batch), &steps.setting);
    }
    Ok(())
}

/// Micro-batch and global batch where both are counted in tokens.
fn tokens(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let length = settings.whole(&["training.max_context_length"])?;
    let each = settings.whole(&["training.num_tokens_per_microbatch_per_dp_rank"])?;
    let all = settings.whole(&["training.num_tokens_per_train_step"])?.filter(|all| all.value > 0);
    let passes =
        settings.whole(&["parallelism.num_pp_microbatches"])?.map_or(1, |passes| passes.value.max(1));
    let Some(length) = length else { return Ok(()) };
    draft.number("seq", &length);
    let sequences = |number: &Number| number.value.checked_div(length.value).filter(|count| *count > 0);
    let Some(rank) = each.as_ref().map_or(LOCAL_TOKENS.checked_div(length.value), sequences) else {
        return Ok(());
    };
    match &each {
        Some(each) => draft.set("mb", rank, &each.setting),
        None => draft.assume("mb", rank, "not set; default number of tokens per rank"),
    }
    let group = draft.degree("tp").saturating_mul(draft.degree("pp")).saturating_mul(draft.degree("cp"));
    match (all.as_ref().and_then(sequences), draft.whole("n")) {
        (Some(batch), _) => draft.put("gb", batch),
        (None, Some(gpus)) => {
            let rounds = rank.saturating_mul(passes);
            draft.put("gb", i64::from((gpus / group.max(1)).max(1)).saturating_mul(rounds));
        }
        (None, None) => {
            draft.await_gpus("The global batch depends on the number of GPUs, which is not in the file.")
        }
    }
    Ok(())
}

/// Recompute, overlap, offloading.
fn step(settings: &mut Settings, draft: &mut Draft, release: Release) -> Result<(), ImportError> {
    let mode = settings.word(&["activation_checkpoint.mode"]);
    let option = settings.text(&["activation_checkpoint.selective_ac_option"]);
    let class = settings.text(&["activation_checkpoint"]);
    let usual = match class.as_ref().map(|class| class.value()) {
        Some(class) if class.contains("Full") => "full",
        Some(class) if class.contains("Selective") => "op",
        Some(_) => "none",
        None => "selective",
    };
    // Of the selective mode: every n-th layer whole, or the choice of operators.
    let option = option.as_ref().map_or(EVERY, |option| option.value());
    match (mode.as_ref().map_or(usual, |mode| mode.value()), option.parse::<u32>()) {
        ("selective", _) if mode.is_none() && release == Release::Python => {
            draft.note(Some("rc"), "The Python function sets the recomputed modules.");
        }
        ("none", _) => draft.put("rc", "none"),
        ("full", _) => draft.put("rc", "full"),
        ("selective", Ok(every)) => {
            draft.put("rc", "full");
            draft.put("rcn", every.max(1));
        }
        _ => draft.put("rc", "selective"),
    }
    let asynchronous = settings
        .flag(&[
            "parallelism.enable_async_tensor_parallel",
            "experimental.enable_async_tensor_parallel",
            "compile.enable_async_tensor_parallel",
        ])?
        .unwrap_or(false);
    draft.put("tpo", u8::from(asynchronous));
    draft.put("ppo", u8::from(draft.degree("pp") == 1 || draft.degree("vpp") > 1));
    draft.put_on_host(settings.flag(&["training.enable_cpu_offload"])?.unwrap_or(false));
    Ok(())
}

fn precision(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let converters = settings.text(&["model.converters"]);
    let old = settings
        .flag(&["float8.enable_float8_linear", "primus_turbo.use_turbo_float8_linear"])?
        .unwrap_or(false);
    let scaled = settings.flag(&["primus_turbo.use_turbo_mx_linear"])?.unwrap_or(false);
    let names = converters.as_ref().map_or("", |converters| converters.value()).to_ascii_lowercase();
    let precision = if names.contains("nvfp4") {
        "nvfp4"
    } else if scaled || names.contains("mx") {
        "mxfp8"
    } else if old || names.contains("float8") {
        "fp8"
    } else {
        "bf16"
    };
    draft.put("prec", precision);
    let kind = settings.text(&["training.mixed_precision_param"]);
    if let Some(kind) = kind.filter(|kind| kind.value() != "bfloat16") {
        draft.ignore(&kind, "FP32 is not supported. The forecast uses BF16.");
    }
    Ok(())
}

/// What is compiled, and the formats of weights and kernels of the optimizer.
fn software(settings: &mut Settings, draft: &mut Draft, release: Release) -> Result<(), ImportError> {
    let compiled = settings.flag(&["compile.enable", "training.compile"])?;
    let parts = settings.text(&["compile.components"]);
    let of_model = parts.is_none_or(|parts| parts.value().contains("model"));
    match compiled {
        Some(on) => draft.put("comp", u8::from(on && of_model)),
        None if release == Release::Toml => {
            draft.assume("comp", 0, "not set; framework default");
        }
        None => draft.note(Some("comp"), "The Python function sets compilation."),
    }
    if let Some(kind) = settings.text(&["training.dtype"]).filter(|kind| kind.value() == "bfloat16") {
        draft.set("wts", 16, &kind);
    }
    everyday::optimizer(settings, draft, &["optimizer.name"])?;
    if let Some(kernels) = settings.text(&["optimizer.implementation"]) {
        match kernels.value() {
            "fused" | "foreach" => draft.set("optk", kernels.value(), &kernels),
            _ => draft.ignore(&kernels, "The for-loop optimizer is not supported."),
        }
    }
    if settings.text(&["loss"]).is_some_and(|loss| loss.value().contains("Chunked")) {
        draft.put("loss", "chunked");
    }
    Ok(())
}
