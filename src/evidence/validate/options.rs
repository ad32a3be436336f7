//! Columns of a runs file that map to fields, under their own names and under the fields' keys.

use crate::fields::{FIELDS, Field, FieldGroup};
use crate::names::{HUB, shown};
use crate::scenario::Scenario;
use crate::scenario::model::{Activation, Positions};

/// Settings beyond the layout, if stated: parsed like the form's field.
pub(super) fn options<'a>(get: &impl Fn(&str) -> &'a str, scenario: &mut Scenario) -> Result<(), String> {
    let before = scenario.model;
    let further = FIELDS.iter().filter(|field| is_read_by_key(field)).map(|field| (field.key, field.key));
    for (column, key) in OPTIONS.into_iter().chain(further) {
        let text = get(column);
        if let Some(field) = Field::find(key).filter(|_| !text.is_empty()) {
            let value = field
                .parse(text)
                .map_err(|error| format!("column {column}: {}", error.message.trim_end_matches('.')))?;
            (field.set)(scenario, value);
        }
    }
    scenario.model.activation = match get("activation") {
        "" => scenario.model.usual_activation(&before),
        name => Activation::from_name(name)
            .ok_or_else(|| format!("column activation: {} is not supported", shown(name)))?,
    };
    if get("modelling_code").is_empty() {
        scenario.model.code = scenario.model.usual_code(&before);
    }
    // No column states the length of a position table: it holds the sequence.
    if let Positions::Learned(rows) = &mut scenario.model.positions {
        *rows = scenario.workload.sequence;
    }
    Ok(())
}

/// The text of a column that is headed by its own name, or by the key of its field.
pub(super) fn headed<'a>(get: &impl Fn(&str) -> &'a str, column: &str) -> &'a str {
    let text = stated(get, column);
    let mut keys = KEYS.iter().chain(&OPTIONS).filter(|entry| entry.0 == column && entry.0 != entry.1);
    if text.is_empty() { keys.next().map_or(text, |entry| get(entry.1)) } else { text }
}

/// The text of a column, or what `csa-hca` in the column `attention` says of it.
fn stated<'a>(get: &impl Fn(&str) -> &'a str, column: &str) -> &'a str {
    let said = CSA_HCA.iter().find(|entry| entry.0 == column).filter(|_| get("attention") == "csa-hca");
    said.and_then(|entry| of_hub(CSA_HCA_MODEL, entry.1)).unwrap_or_else(|| get(column))
}

/// The text of a field of a model of the Hub.
fn of_hub(model: &str, key: &str) -> Option<&'static str> {
    let model = HUB.iter().find(|row| row.name == model)?;
    model.fields.split(';').find_map(|field| field.strip_prefix(key)?.strip_prefix('='))
}

/// Whether a field of the job has no column but one headed by its key.
fn is_read_by_key(field: &Field) -> bool {
    let has_column =
        KEYS.iter().chain(&OPTIONS).any(|entry| entry.1 == field.key) || COLUMNS.contains(&field.key);
    let names_preset = field.group.preset_key() == Some(field.key);
    field.group != FieldGroup::Run && !has_column && !names_preset
}

/// Columns that are read for themselves, and the keys of their fields where those have another name.
const KEYS: [(&str, &str); 21] = [
    ("kv_heads", "kv"),
    ("head_dim", "dh"),
    ("gated_mlp", "gated"),
    ("activation", "act"),
    ("experts", "moe"),
    ("moe_ffn", "effn"),
    ("shared_experts", "shared"),
    ("dense_layers", "lead"),
    ("moe_every", "every"),
    ("shared_ffn", "sffn"),
    ("latent", "elat"),
    ("gpus", "n"),
    ("gpus_per_node", "node"),
    ("nvlink_domain", "domain"),
    ("gpu_power", "gpw"),
    ("transport", "net"),
    ("precision", "prec"),
    ("gbs", "gb"),
    ("mbs", "mb"),
    ("recompute", "rc"),
    ("tp_overlap", "tpo"),
];

/// Model of the Hub whose compressed sparse and heavily compressed attention, in its order of layers, `csa-hca` in the
/// column `attention` stands for.
const CSA_HCA_MODEL: &str = "deepseek-ai/DeepSeek-V4-Flash";

/// Columns that it fills, and the keys of their fields.
const CSA_HCA: [(&str, &str); 14] = [
    ("layer_pattern", "lay"),
    ("qk_norm", "qkn"),
    ("modelling_code", "code"),
    ("window", "window"),
    ("qrank", "qrank"),
    ("sel", "sel"),
    ("selt", "selt"),
    ("idxh", "idxh"),
    ("idxd", "idxd"),
    ("cmp", "cmp"),
    ("orank", "orank"),
    ("ogrp", "ogrp"),
    ("kvs", "kvs"),
    ("hc", "hc"),
];

/// Columns of a runs file for fields of another name; blank for the software's default.
pub const OPTIONS: [(&str, &str); 56] = [
    ("month", "month"),
    ("topology", "topo"),
    ("tied", "tied"),
    ("causal", "causal"),
    ("modelling_code", "code"),
    ("bias", "bias"),
    ("norm", "norm"),
    ("qk_norm", "qkn"),
    ("pos", "pos"),
    ("window", "window"),
    ("wfull", "wfull"),
    ("prediction_layers", "mtp"),
    ("layer_pattern", "lay"),
    ("mixer", "mix"),
    ("mamba_heads", "mixh"),
    ("mamba_groups", "mixk"),
    ("mamba_state", "mixs"),
    ("mamba_head_dim", "mixd"),
    ("linear_value_heads", "mixh"),
    ("linear_key_heads", "mixk"),
    ("linear_key_dim", "mixs"),
    ("linear_value_dim", "mixd"),
    ("conv_kernel", "conv"),
    ("expert_kernels", "xk"),
    ("dispatcher", "xd"),
    ("routing", "xr"),
    ("expert_overlap", "epo"),
    ("expert_tensor", "etp"),
    ("schedule", "sched"),
    ("graphs", "graphs"),
    ("part_graphs", "pg"),
    ("optimizer", "opt"),
    ("state_bits", "ost"),
    ("optimizer_kernels", "optk"),
    ("weights", "wts"),
    ("gradients", "grads"),
    ("reduce_each", "each"),
    ("reduce_overlap", "dpo"),
    ("gather_overlap", "gao"),
    ("sends_overlap", "ppo"),
    ("context_exchange", "cpx"),
    ("shard_group", "shg"),
    ("lora_rank", "lora"),
    ("lora_targets", "lorat"),
    ("base_bits", "base"),
    ("attention_kernel", "attn"),
    ("compiled", "comp"),
    ("loss", "loss"),
    ("elementwise", "ew"),
    ("document", "doc"),
    ("padding", "pad"),
    ("recompute_modules", "rcm"),
    ("recompute_every", "rcn"),
    ("offload_optimizer", "oo"),
    ("offload_parameters", "op"),
    ("offload_activations", "oa"),
];

/// Columns of `evidence/runs.tsv`, in their order.
pub const EVIDENCE_COLUMNS: [&str; 14] = [
    "id",
    "source",
    "look",
    "stack",
    "release",
    "model",
    "job",
    "unstated",
    "iteration_s",
    "first_s",
    "first_low_s",
    "first_high_s",
    "flag",
    "notes",
];

/// Known column names of a runs file.
pub const COLUMNS: [&str; 54] = [
    "id",
    "source",
    "look",
    "job",
    "unstated",
    "stack",
    "year",
    "model",
    "layers",
    "hidden",
    "ffn",
    "heads",
    "kv_heads",
    "head_dim",
    "vocab",
    "seq",
    "gated_mlp",
    "activation",
    "attention",
    "experts",
    "gpu",
    "gpus",
    "gpus_per_node",
    "nvlink_domain",
    "node_gbps",
    "transport",
    "precision",
    "tp",
    "sp",
    "cp",
    "pp",
    "vpp",
    "dp",
    "ep",
    "zero",
    "mbs",
    "gbs",
    "recompute",
    "tp_overlap",
    "dp_overlap",
    "iteration_s",
    "first_s",
    "first_low_s",
    "first_high_s",
    "release",
    "flag",
    "notes",
    "topk",
    "moe_ffn",
    "shared_experts",
    "dense_layers",
    "moe_every",
    "shared_ffn",
    "latent",
];
