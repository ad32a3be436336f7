//! Axolotl's YAML.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::Settings;
use super::{everyday, slurm, trainer, undivided};

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let degrees = [
        ("tp", ["tensor_parallel_size", "tensor_parallel_size"]),
        ("cp", ["context_parallel_size", "sequence_parallel_degree"]),
        ("ep", ["expert_parallel_size", "expert_parallel_size"]),
    ];
    for (key, names) in degrees {
        if let Some(number) = settings.whole(&names)? {
            draft.number(key, &number);
        }
    }
    undivided(draft);
    slurm::gpus(settings, draft)?;
    trainer::model(settings, draft, &["base_model"]);
    if let Some(number) = settings.whole(&["sequence_len"])? {
        draft.number("seq", &number);
    }
    trainer::batch(settings, draft, &["micro_batch_size"], Some(1))?;
    let automatic = settings.iter().any(|setting| setting.key() == "bf16" && setting.value() == "auto");
    if automatic {
        settings.spend("bf16");
        draft.assume("prec", "bf16", "left to the GPU, and those of the list have it");
    } else {
        trainer::precision(settings, draft)?;
    }
    trainer::recompute(settings, draft)?;
    trainer::sharding(settings, draft)?;
    everyday::adapters(settings, draft)?;
    everyday::optimizer(settings, draft, &["optimizer"])?;
    everyday::attention(settings, draft)?;
    everyday::loss(settings, draft)?;
    let compiled =
        settings.text(&["torch_compile"]).is_some_and(|compile| ["true", "auto"].contains(&compile.value()));
    if draft.text("stack").is_none() {
        draft.put("stack", if compiled { "compiled" } else { "eager" });
    }
    Ok(())
}
