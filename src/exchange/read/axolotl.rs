//! Axolotl's YAML.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::{Number, Settings};
use super::tool::AXOLOTL;
use super::{everyday, preference, slurm, trainer, undivided};

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
    let sharded = gpus(settings, draft)?;
    trainer::model(settings, draft, &["base_model"]);
    if let Some(number) = settings.whole(&["sequence_len"])? {
        draft.number("seq", &number);
    }
    let sequences = preference::read(settings, draft, "")?.sequences;
    trainer::batch(settings, draft, &["micro_batch_size"], Some(AXOLOTL.micro_batch), sequences)?;
    let automatic = settings.iter().any(|setting| setting.key() == "bf16" && setting.value() == "auto");
    if automatic {
        settings.spend("bf16");
        draft.assume("prec", "bf16", "automatic; the listed GPUs support BF16");
    } else {
        trainer::precision(settings, draft, &AXOLOTL)?;
    }
    trainer::recompute(settings, draft, &AXOLOTL)?;
    trainer::sharding(settings, draft)?;
    if let Some(group) = sharded {
        draft.put("zero", "hsdp");
        draft.put("shg", group);
    }
    everyday::adapters(settings, draft, &AXOLOTL)?;
    everyday::optimizer(settings, draft, &["optimizer"])?;
    everyday::attention(settings, draft)?;
    everyday::kernels(settings, draft, &AXOLOTL)?;
    let compiled =
        settings.text(&["torch_compile"]).is_some_and(|compile| ["true", "auto"].contains(&compile.value()));
    if draft.text("stack").is_none() {
        draft.put("stack", if compiled { "compiled" } else { "eager" });
    }
    Ok(())
}

/// The number of GPUs, which is that of the degrees where those of data parallelism are given; the ranks that share a model
/// where groups of them are replicated.
fn gpus(settings: &mut Settings, draft: &mut Draft) -> Result<Option<i64>, ImportError> {
    let shard = settings.whole(&["dp_shard_size"])?;
    let replicate = settings.whole(&["dp_replicate_size"])?;
    let Some(source) = shard.as_ref().or(replicate.as_ref()) else {
        slurm::gpus(settings, draft)?;
        return Ok(None);
    };
    let value = |number: &Option<Number>| number.as_ref().map_or(1, |number| number.value.max(1));
    let (group, copies) = (value(&shard), value(&replicate));
    // Experts are split over ranks of their own.
    let inner = ["tp", "cp", "ep"].iter().map(|key| i64::from(draft.degree(key))).product::<i64>();
    draft.set("n", group.saturating_mul(copies).saturating_mul(inner), &source.setting);
    Ok((group > 1 && copies > 1).then_some(group))
}
