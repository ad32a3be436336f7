//! DeepSpeed's JSON, as v0.19.5 reads it. What it cannot say stands under a name that DeepSpeed does not look for, so that
//! readers of plain JSON take the file, too.

use super::sheet::{ExportDraft, nodes};
use crate::fields::FieldGroup;
use crate::scenario::Precision;
use crate::scenario::plan::{ContextExchange, GatherOverlap, Zero};
use serde_json::{Map, Value, json};

/// Writes the file.
pub(super) fn write(sheet: &mut ExportDraft) -> String {
    let mut file = Map::new();
    batch(sheet, &mut file);
    zero(sheet, &mut file);
    precision(sheet, &mut file);
    degrees(sheet, &mut file);
    let is_deepspeed = sheet.scenario.software.stack.name() == "deepspeed-zero3";
    sheet.say_if(is_deepspeed, "stack", "the file is a DeepSpeed configuration");
    sheet.leave_out_group(FieldGroup::Model, "set in the training script");
    for key in ["seq", "rc", "rcm", "rcn", "oa", "year", "month", "graphs"] {
        sheet.leave_out(key, "set in the training script");
    }
    super::plain(sheet, "set in the training script");
    let mut comment = vec!["DeepSpeed v0.19.5. Add optimizer and learning rates.".to_owned()];
    comment.extend(sheet.reasons());
    file.insert("_stepcast".to_owned(), json!(comment));
    serde_json::to_string_pretty(&Value::Object(file)).map(|text| text + "\n").unwrap_or_default()
}

fn batch(sheet: &mut ExportDraft, file: &mut Map<String, Value>) {
    let (plan, workload) = (&sheet.scenario.plan, &sheet.scenario.workload);
    let rounds = sheet.scenario.micro_batches();
    file.insert("train_batch_size".to_owned(), json!(workload.global_batch));
    file.insert("train_micro_batch_size_per_gpu".to_owned(), json!(plan.micro_batch));
    sheet.say(&["gb", "mb"]);
    let replicas = sheet.scenario.data_parallel();
    let product = u64::from(plan.micro_batch) * u64::from(rounds) * u64::from(replicas);
    let whole = product == u64::from(workload.global_batch);
    if whole {
        file.insert("gradient_accumulation_steps".to_owned(), json!(rounds));
    }
    sheet.say_if(whole && plan.pipeline_parallel == 1, "n", "set by the launcher");
}

fn zero(sheet: &mut ExportDraft, file: &mut Map<String, Value>) {
    let plan = &sheet.scenario.plan;
    let stage = match plan.zero {
        Zero::None => 0,
        Zero::Optimizer => 1,
        Zero::Gradients => 2,
        Zero::Parameters | Zero::Hybrid => 3,
    };
    let mut zero = Map::new();
    zero.insert("stage".to_owned(), json!(stage));
    zero.insert("overlap_comm".to_owned(), json!(plan.data_overlap));
    if plan.offload_optimizer {
        zero.insert("offload_optimizer".to_owned(), json!({ "device": "cpu" }));
    }
    if plan.fetches_parameters() {
        zero.insert("offload_param".to_owned(), json!({ "device": "cpu" }));
    }
    let (_, node) = nodes(sheet.scenario);
    let hybrid = plan.zero == Zero::Hybrid;
    let group = if plan.shard_group > 1 { plan.shard_group } else { node };
    if hybrid && group > 1 {
        zero.insert("mics_shard_size".to_owned(), json!(group));
    }
    sheet.say_if(!hybrid || group > 1, "zero", "a node has one GPU");
    sheet.say(&["dpo", "oo"]);
    let can = plan.offload_parameters == plan.fetches_parameters();
    sheet.say_if(can, "op", "only ZeRO-3 offloads parameters");
    sheet.say_if(
        if hybrid { plan.shard_group > 1 } else { plan.shard_group == 0 },
        "shg",
        "only ZeRO-3 supports sharding groups (MiCS), with an explicit size",
    );
    let usual = if plan.zero.shards_parameters() { GatherOverlap::AsReduction } else { GatherOverlap::Waits };
    sheet.say_if(
        plan.gather_overlap == usual,
        "gao",
        "ZeRO-3 prefetches with overlap_comm; ZeRO-1 and ZeRO-2 do not overlap",
    );
    file.insert("zero_optimization".to_owned(), Value::Object(zero));
}

fn precision(sheet: &mut ExportDraft, file: &mut Map<String, Value>) {
    let half = sheet.scenario.workload.precision == Precision::Fp16;
    file.insert("bf16".to_owned(), json!({ "enabled": !half }));
    file.insert("fp16".to_owned(), json!({ "enabled": half }));
    let can = half || sheet.scenario.workload.precision == Precision::Bf16;
    sheet.say_if(can, "prec", "DeepSpeed supports BF16 and FP16 only");
}

fn degrees(sheet: &mut ExportDraft, file: &mut Map<String, Value>) {
    let plan = &sheet.scenario.plan;
    if plan.tensor_parallel > 1 {
        file.insert("tensor_parallel".to_owned(), json!({ "autotp_size": plan.tensor_parallel }));
    }
    if plan.context_parallel > 1 {
        file.insert("sequence_parallel_size".to_owned(), json!(plan.context_parallel));
    }
    sheet.say(&["tp", "cp"]);
    let ulysses = plan.context_exchange == ContextExchange::AllToAll;
    sheet.say_if(ulysses, "cpx", "DeepSpeed supports all-to-all only");
}
