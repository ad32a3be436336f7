//! Settings of everyday training other than its layout: adapters, optimizer, attention and loss kernels.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::{Number, Setting, Settings};
use super::tool::{AXOLOTL, TRAINER, TRL, Tool};

/// Modules of attention that may have adapters.
const ATTENTION_MODULES: usize = 4;

/// Variants of Adam that keep other states, which no choice has.
const OTHER_ADAMS: [&str; 7] =
    ["galore", "apollo", "badam", "adam_mini", "ademamix", "schedule_free", "stable"];

/// Switches of LLaMA-Factory for optimizers that are none of the list.
const OTHER_OPTIMIZERS: [&str; 4] = ["use_galore", "use_apollo", "use_badam", "use_adam_mini"];

/// What is said of an optimizer that is none of the list.
const UNKNOWN_OPTIMIZER: &str = "This optimizer is not supported. The optimizer is unchanged.";

/// Names of the way of training that Axolotl, LLaMA-Factory and ms-swift have: LoRA, all parameters, or others.
const WAYS: [&str; 5] = ["adapter", "finetuning_type", "train_type", "tuner_type", "sft_type"];

/// Adapters as Axolotl, LLaMA-Factory, ms-swift and TRL name them.
pub(super) fn adapters(settings: &mut Settings, draft: &mut Draft, tool: &Tool) -> Result<(), ImportError> {
    let named = settings.text(&WAYS);
    let switch = settings.flag(&["use_peft", "use_lora", "use_peft_lora"])?;
    let rank_given = settings.whole(&["lora_r", "lora_rank", "peft_lora_r"])?;
    // A script of one's own may have a rank and no switch, with TRL's settings, too. Axolotl needs the way, and TRL's
    // `get_peft_config` needs `use_peft`; its `ModelConfig` has this name of the model.
    let needs_switch = *tool == AXOLOTL || tool.name == TRL.name && settings.has("model_name_or_path");
    let implied = switch.is_none()
        && named.is_none()
        && !needs_switch
        && rank_given.as_ref().is_some_and(|rank| rank.value > 0);
    if implied {
        draft.note(Some("lora"), "LoRA is enabled, because the file sets a rank.");
    }
    let asked = switch.unwrap_or(implied);
    // DeepSpeed-Chat's rank, which is 0 without adapters.
    let inner = settings.whole(&["lora_dim"])?.filter(|inner| inner.value > 0);
    let name = named.as_ref().map(|named| named.value().to_ascii_lowercase());
    let low_rank = matches!(name.as_deref(), Some("lora" | "qlora" | "dora" | "lora_llm"));
    let usual = named.is_none() && tool.adapters;
    if !low_rank && !asked && !usual && inner.is_none() {
        draft.put("lora", 0);
        if let Some(rank) = rank_given.filter(|_| needs_switch) {
            draft.ignore(&rank.setting, "The rank has no effect: LoRA is off.");
        }
        if let Some(named) = named.filter(|named| !["full", "none"].contains(&named.value())) {
            draft.ignore(
                &named,
                "This adapter type is not modelled. The forecast assumes that all parameters are trained.",
            );
        }
        return Ok(());
    }
    if usual && !asked {
        draft.note(Some("lora"), format!("LoRA: the training method is {}.", tool.why()));
    }
    trained_in_full(settings, draft);
    rank(rank_given.or(inner), tool, draft);
    let linear = settings.flag(&["lora_target_linear"])?.unwrap_or(false);
    let modules = settings.text(&["lora_target_modules", "lora_target", "target_modules"]);
    match modules {
        _ if linear => draft.put("lorat", "all"),
        Some(modules) => targets(&modules, draft),
        None if tool.all_linear => draft.assume("lorat", "all", &tool.why()),
        None => {
            draft.assume("lorat", "attention", "not set; PEFT's default is the query and value projections")
        }
    }
    frozen(settings, draft, name.as_deref() == Some("qlora"))
}

/// The format of frozen weights; four bits where the way of training says so.
fn frozen(settings: &mut Settings, draft: &mut Draft, in_four: bool) -> Result<(), ImportError> {
    let bits = settings.whole(&["quantization_bit", "quant_bits"])?.map(|bits| bits.value);
    let four = settings.flag(&["load_in_4bit", "use_4bit_quantization"])?.unwrap_or(false);
    let four = four || in_four;
    let eight = settings.flag(&["load_in_8bit", "use_8bit_quantization"])?.unwrap_or(false);
    draft.put(
        "base",
        if four || bits == Some(4) {
            "nf4"
        } else if eight || bits == Some(8) {
            "8"
        } else {
            "16"
        },
    );
    Ok(())
}

/// Says which modules are trained in full beside adapters.
fn trained_in_full(settings: &mut Settings, draft: &mut Draft) {
    let names = ["additional_target", "modules_to_save", "lora_modules_to_save"];
    if let Some(modules) = settings.text(&names) {
        draft.ignore(&modules, "Modules trained in full alongside LoRA are not modelled.");
    }
}

/// Adapters of a torchtune builder, such as `qlora_llama3_1_8b`.
pub(super) fn torchtune_adapters(
    builder: &str,
    settings: &mut Settings,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let adapted = ["lora_", "qlora_", "dora_"].iter().any(|start| builder.starts_with(start));
    if !adapted {
        draft.put("lora", 0);
        return Ok(());
    }
    rank(settings.whole(&["model.lora_rank"])?, &TRAINER, draft);
    let inner = settings.flag(&["model.apply_lora_to_mlp"])?.unwrap_or(false);
    match settings.text(&["model.lora_attn_modules"]) {
        Some(modules) if inner => {
            draft.put("lorat", "all");
            say_what_is_left_out(&modules, draft);
        }
        None if inner => draft.put("lorat", "all"),
        Some(modules) => targets(&modules, draft),
        None => draft.put("lorat", "attention"),
    }
    draft.put("base", if builder.starts_with("qlora_") { "nf4" } else { "16" });
    Ok(())
}

fn rank(given: Option<Number>, tool: &Tool, draft: &mut Draft) {
    match given {
        Some(given) => draft.number("lora", &given),
        None => draft.assume("lora", tool.rank, "not set; tool default"),
    }
}

/// Which linear layers a list of modules, or a pattern, means.
pub(super) fn targets(modules: &Setting, draft: &mut Draft) {
    let text = modules.value().to_ascii_lowercase();
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    if text == "all"
        || text == "all-linear"
        || has(&["mlp", "gate", "up_proj", "down", "fc1", "dense_h", "w1"])
    {
        draft.put("lorat", "all");
        say_what_is_left_out(modules, draft);
        return;
    }
    draft.put("lorat", "attention");
    let named = text.split(',').filter(|name| !name.trim().is_empty()).count();
    if named < ATTENTION_MODULES {
        let text = format!(
            "attention: the file lists only {}, but the forecast assumes adapters on all attention projections.",
            modules.value()
        );
        draft.note(Some("lorat"), text);
    }
}

/// Says that a list names some projections of attention, where adapters of all are taken.
fn say_what_is_left_out(modules: &Setting, draft: &mut Draft) {
    let text = modules.value().to_ascii_lowercase();
    let names = [&["q_proj"][..], &["k_proj"], &["v_proj"], &["o_proj", "output_proj", "out_proj"]];
    let named = names.map(|names| names.iter().any(|name| text.contains(name)));
    if named.contains(&true) && named.contains(&false) {
        let text = format!(
            "all: only some attention layers are listed ({}), but the forecast assumes adapters on all.",
            modules.value()
        );
        draft.note(Some("lorat"), text);
    }
}

/// The optimizer by its name in Hugging Face's Trainer, Axolotl or a torchtune component.
pub(super) fn optimizer(
    settings: &mut Settings,
    draft: &mut Draft,
    names: &[&str],
) -> Result<(), ImportError> {
    if settings.flag(&["use_muon"])? == Some(true) {
        draft.put("opt", "muon");
        return Ok(());
    }
    for name in OTHER_OPTIMIZERS {
        let on = |setting: &Setting| ["true", "True", ""].contains(&setting.value());
        if let Some(setting) = settings.word(&[name]).filter(on) {
            draft.ignore(&setting, UNKNOWN_OPTIMIZER);
        }
    }
    let Some(setting) = settings.text(names) else { return Ok(()) };
    if named_optimizer(&setting, draft).is_none() {
        return Ok(());
    }
    let fused = setting.value().to_ascii_lowercase().contains("fused");
    if fused || settings.flag(&["optimizer.fused"])?.unwrap_or(false) {
        draft.set("optk", "fused", &setting);
    }
    Ok(())
}

/// The optimizer that a setting names, and the bits of its states; nothing, and said, where it is none of the list.
pub(crate) fn named_optimizer(setting: &Setting, draft: &mut Draft) -> Option<&'static str> {
    let name = setting.value().to_ascii_lowercase();
    let has = |part: &str| name.contains(part);
    let rule = if has("adafactor") {
        "adafactor"
    } else if has("lion") {
        "lion"
    } else if has("muon") {
        "muon"
    } else if has("sgd") {
        "sgd"
    } else if has("adam") && !OTHER_ADAMS.iter().any(|other| has(other)) {
        "adamw"
    } else {
        draft.ignore(setting, UNKNOWN_OPTIMIZER);
        return None;
    };
    draft.set("opt", rule, setting);
    let bits = if has("8bit") || has("fp8") {
        "8"
    } else if has("4bit") {
        "4"
    } else {
        "32"
    };
    draft.set("ost", bits, setting);
    Some(rule)
}

/// The kernel of attention where one is named.
pub(super) fn attention(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let named = settings.text(&["attn_implementation", "attn_impl", "flash_attn"]);
    let kernel = named.as_ref().and_then(|named| match named.value() {
        "flash_attention_2" | "flash_attn" | "fa2" => Some("fa2"),
        "flash_attention_3" | "fa3" => Some("fa3"),
        name if name.contains("flash-attn3") => Some("fa3"),
        "flash_attention_4" | "fa4" => Some("fa4"),
        "sdpa" => Some("sdpa"),
        "xformers" => Some("fa1"),
        "flex_attention" => Some("flex"),
        "eager" | "disabled" => Some("unfused"),
        _ => None,
    });
    if let (Some(setting), Some(kernel)) = (&named, kernel) {
        draft.set("attn", kernel, setting);
        return Ok(());
    }
    for (name, kernel) in [
        ("flash_attention", "fa2"),
        ("use_flash_attn", "fa2"),
        ("sdp_attention", "sdpa"),
        ("flex_attention", "flex"),
    ] {
        if settings.flag(&[name])? == Some(true) {
            draft.put("attn", kernel);
        }
    }
    Ok(())
}

/// Axolotl's plugin of cut cross-entropy, which is on wherever the plugin is named (`integrations/cut_cross_entropy/args.py`).
const CUT_CROSS_ENTROPY: &str = "CutCrossEntropyPlugin";

/// Switches of Liger's fused norms, rotations and activations: transformers', LLaMA-Factory's, and Axolotl's one by one.
const LIGER: [&str; 5] =
    ["use_liger_kernel", "enable_liger_kernel", "liger_rms_norm", "liger_glu_activation", "liger_swiglu"];

/// Kernels of the loss, and of norms and activations: Liger's, cut cross-entropy, and losses in chunks.
pub(super) fn kernels(settings: &mut Settings, draft: &mut Draft, tool: &Tool) -> Result<(), ImportError> {
    let plugins = settings.text(&["plugins"]);
    let has = |name: &str| plugins.as_ref().is_some_and(|plugins| plugins.value().contains(name));
    let cut = settings.flag(&["cut_cross_entropy"])?.unwrap_or(has(CUT_CROSS_ENTROPY));
    let known = |plugin: &str| plugin.contains(CUT_CROSS_ENTROPY) || plugin.contains("LigerPlugin");
    if let Some(plugins) = plugins.as_ref().filter(|plugins| !plugins.value().split(',').all(known)) {
        draft.ignore(plugins, "Not supported: plugins other than Liger and Cut Cross Entropy.");
    }
    if let Some(kernel) = loss(settings, cut)? {
        draft.put("loss", kernel);
    } else if let Some(usual) = tool.loss {
        draft.assume("loss", usual, &tool.why());
    }
    // Rotations and LayerNorms come with the others.
    ["liger_rope", "liger_layer_norm"].iter().for_each(|name| settings.spend(name));
    for name in LIGER {
        if settings.flag(&[name])? == Some(true) {
            draft.put("ew", "fused");
        }
    }
    Ok(())
}

/// The kernel of the loss, where one is named.
fn loss(settings: &mut Settings, cut: bool) -> Result<Option<&'static str>, ImportError> {
    // Liger's loss comes with its other kernels, unless a table of them leaves it out.
    let with_head = settings
        .flag(&["liger_kernel_config.fused_linear_cross_entropy", "liger_fused_linear_cross_entropy"])?;
    let liger = settings.flag(&["use_liger_kernel", "enable_liger_kernel"])?.unwrap_or(false);
    if cut || with_head.unwrap_or(liger) {
        return Ok(Some("linear"));
    }
    if settings.flag(&["liger_cross_entropy", "liger_kernel_config.cross_entropy"])? == Some(true) {
        return Ok(Some("fused"));
    }
    let component = settings.text(&["loss._component_"]);
    let in_chunks = component
        .is_some_and(|name| name.value().contains("Chunked") || name.value().contains("LinearCross"));
    if in_chunks || settings.flag(&["chunked_cross_entropy"])? == Some(true) {
        return Ok(Some("chunked"));
    }
    let named = settings.text(&["loss_type"]);
    Ok(match named.as_ref().map(|named| named.value()) {
        Some("chunked_nll") => Some("chunked"),
        Some("nll" | "dft") => Some("plain"),
        _ => None,
    })
}
