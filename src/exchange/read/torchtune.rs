//! A torchtune recipe's YAML.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::hub;
use super::super::settings::Settings;
use super::tool::TRAINER;
use super::{everyday, slurm, trainer, undivided};

/// Reads the settings.
pub(super) fn read(text: &str, settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    // Recipes have one of two names, in the command that starts them and in the folders they write to.
    let single = text.contains("single_device") && !text.contains("_distributed");
    for (key, name) in [("tp", "tensor_parallel_dim"), ("cp", "context_parallel_dim")] {
        if let Some(number) = settings.whole(&[name])? {
            draft.number(key, &number);
        }
    }
    undivided(draft);
    slurm::gpus(settings, draft)?;
    if single && draft.text("n").is_none() {
        draft.assume("n", 1, "single-device recipe");
    }
    model(settings, draft)?;
    everyday::optimizer(settings, draft, &["optimizer._component_"])?;
    everyday::kernels(settings, draft, &TRAINER)?;
    if let Some(number) = settings.whole(&["tokenizer.max_seq_len", "max_seq_len", "dataset.max_seq_len"])? {
        draft.number("seq", &number);
    }
    trainer::batch(settings, draft, &["batch_size"], None, 1)?;
    match settings.text(&["dtype"]).as_ref().map(|dtype| dtype.value()) {
        Some("bf16") => {
            // The whole model is made in BF16, and PyTorch's optimizers keep states in their parameters' format.
            draft.put("prec", "bf16");
            draft.put("wts", "16");
            if draft.text("ost") == Some("32") {
                draft.put("ost", "16");
            }
        }
        Some("fp16") => draft.put("prec", "fp16"),
        _ => draft.assume("prec", "bf16", "the file sets no 16-bit precision, and FP32 is unsupported"),
    }
    let recompute = settings.flag(&["enable_activation_checkpointing"])?.unwrap_or(false);
    draft.put("rc", if recompute { "full" } else { "none" });
    let activations = settings.flag(&["enable_activation_offloading"])?.unwrap_or(false);
    draft.put("oa", if activations { 100 } else { 0 });
    let host = settings.flag(&["fsdp_cpu_offload"])?.unwrap_or(false);
    draft.put_on_host(host);
    let again = settings.flag(&["fsdp_reshard_after_forward"])?;
    let replicas = settings.whole(&["data_parallel_replicate_dim"])?.is_some_and(|number| number.value > 1);
    match again {
        _ if replicas => draft.put("zero", "hsdp"),
        Some(again) => draft.put("zero", if again { "3" } else { "2" }),
        None if single => draft.assume("zero", 0, "single-device recipe"),
        None => draft.assume("zero", 3, "default of distributed recipes"),
    }
    draft.put("dpo", 1);
    let compiled = settings.flag(&["compile", "compile.model"])?.unwrap_or(false);
    draft.put("stack", if compiled { "compiled" } else { "eager" });
    Ok(())
}

/// The model and its adapters, of a builder such as `torchtune.models.llama3_1.lora_llama3_1_8b`.
fn model(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let Some(setting) = settings.text(&["model._component_"]) else { return Ok(()) };
    let name = setting.value().rsplit('.').next().unwrap_or_default();
    let plain =
        ["qlora_", "lora_", "dora_"].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    match hub::in_words(plain) {
        Some(model) => draft.model(&model),
        None => draft.ignore(&setting, "Unknown model. Import its config.json too."),
    }
    everyday::torchtune_adapters(name, settings, draft)
}
