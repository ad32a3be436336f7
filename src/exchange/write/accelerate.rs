//! Accelerate's YAML with FSDP, as v1.14.0 reads it.

use super::sheet::{ExportDraft, FSDP_MOVES_ALL, nodes};
use crate::fields::FieldGroup;

use crate::scenario::plan::{ContextExchange, Plan, Recompute, Zero};
use crate::scenario::{BaseFormat, Precision, Scenario};

/// Writes the file.
pub(super) fn write(sheet: &mut ExportDraft) -> String {
    let (machines, _) = nodes(sheet.scenario);
    let precision = precision(sheet);
    let kind = match (sharded(&sheet.scenario.plan), sheet.scenario.cluster.gpus) {
        (true, _) => "FSDP",
        (false, 1) => "'NO'",
        (false, _) => "MULTI_GPU",
    };
    let script = script(sheet.scenario);
    let fsdp = fsdp(sheet);
    let degrees = degrees(sheet);
    let compiled = stack(sheet);
    sheet.say(&["n"]);
    sheet.leave_out_group(FieldGroup::Model, "set in the training script");
    for key in ["seq", "gb", "mb", "rc", "rcm", "rcn", "year", "month", "graphs", "oa"] {
        sheet.leave_out(key, "set in the training script");
    }
    super::plain(sheet, "Accelerate has no setting");
    let comment = sheet.comment("#");
    format!(
        "# Accelerate v1.14.0.\n{script}{comment}compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\n\
         num_machines: {machines}\nnum_processes: {}\nmixed_precision: {precision}\n{compiled}{fsdp}{degrees}",
        sheet.scenario.cluster.gpus
    )
}

/// A comment with what the training script sets: the arguments of Transformers, TRL and PEFT.
fn script(scenario: &Scenario) -> String {
    let (plan, workload) = (&scenario.plan, &scenario.workload);
    let replicas = scenario.cluster.gpus / (plan.tensor_parallel * plan.context_parallel).max(1);
    let steps = workload.global_batch / (replicas * plan.micro_batch).max(1);
    let again = plan.recompute == Recompute::Full;
    let mut lines = format!(
        "# In the training script: TrainingArguments(per_device_train_batch_size={}, gradient_accumulation_steps={}, \
         gradient_checkpointing={}), sequences of {} tokens.\n",
        plan.micro_batch,
        steps.max(1),
        if again { "True" } else { "False" },
        workload.sequence,
    );
    let adapters = &scenario.training.adapters;
    if adapters.rank > 0 {
        lines += &format!("# Adapters: peft.LoraConfig(r={})", adapters.rank);
        lines += match adapters.base {
            BaseFormat::Nf4 => ", BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=\"nf4\").\n",
            _ => ".\n",
        };
    }
    lines
}

/// Whether FSDP runs: Accelerate refuses unsharded replicas with tensor or context parallelism.
fn sharded(plan: &Plan) -> bool {
    plan.zero != Zero::None || plan.tensor_parallel > 1 || plan.context_parallel > 1
}

fn precision(sheet: &mut ExportDraft) -> &'static str {
    let (name, can) = match sheet.scenario.workload.precision {
        Precision::Bf16 => ("bf16", true),
        Precision::Fp16 => ("fp16", true),
        Precision::Fp8 => ("fp8", true),
        Precision::Fp8Block | Precision::Mxfp8 | Precision::Nvfp4 => ("fp8", false),
    };
    sheet.say_if(can, "prec", "Accelerate supports FP8 with per-tensor scaling only");
    name
}

fn fsdp(sheet: &mut ExportDraft) -> String {
    let plan = &sheet.scenario.plan;
    sheet.say_if(plan.data_overlap, "dpo", "FSDP and DDP always overlap");
    if !sharded(plan) {
        sheet.say(&["zero"]);
        sheet.say_if(!plan.offload_optimizer, "oo", "only FSDP offloads");
        sheet.say_if(!plan.offload_parameters, "op", "only FSDP offloads");
        return String::new();
    }
    let again = matches!(plan.zero, Zero::Parameters | Zero::Hybrid);
    match plan.zero {
        Zero::Optimizer => sheet.leave_out("zero", "FSDP shards gradients with the optimizer states"),
        Zero::None => sheet.leave_out("zero", "Accelerate requires FSDP with tensor or context parallelism"),
        // Said with the degrees.
        Zero::Hybrid => {}
        Zero::Gradients | Zero::Parameters => sheet.say(&["zero"]),
    }
    let recompute = match plan.recompute {
        Recompute::None | Recompute::Full => {
            sheet.say(&["rc", "rcn"]);
            plan.recompute == Recompute::Full
        }
        Recompute::Selective | Recompute::Modules(_) | Recompute::Every(_) => {
            sheet.leave_out("rc", "FSDP supports only full recomputation or none");
            false
        }
    };
    sheet.say(&["oo"]);
    sheet.say_if(plan.offload_parameters == plan.offload_optimizer, "op", FSDP_MOVES_ALL);
    format!(
        "fsdp_config:\n  fsdp_version: 2\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  \
         fsdp_reshard_after_forward: {again}\n  fsdp_activation_checkpointing: {recompute}\n  \
         fsdp_offload_params: {}\n",
        plan.offload_optimizer
    )
}

fn degrees(sheet: &mut ExportDraft) -> String {
    let plan = &sheet.scenario.plan;
    // Accelerate has no pipelines: what is not tensor or context parallel is a replica to it.
    let ranks = (plan.tensor_parallel * plan.context_parallel).max(1);
    let replicas = sheet.scenario.cluster.gpus.checked_div(ranks).unwrap_or(1).max(1);
    let (_, node) = nodes(sheet.scenario);
    let machine = node / ranks;
    let within = if plan.shard_group > 0 { plan.shard_group } else { machine }.clamp(1, replicas);
    let whole = replicas.is_multiple_of(within) && within > 1 && replicas > within;
    let hybrid = plan.zero == Zero::Hybrid && whole;
    if plan.zero == Zero::Hybrid {
        sheet.say_if(hybrid, "zero", "the replicas do not form whole groups within nodes");
    }
    let grouped = hybrid && plan.shard_group == within;
    sheet.say_if(grouped, "shg", "only HSDP has a sharding group");
    sheet.say(&["tp", "cp"]);
    let known = plan.context_exchange != ContextExchange::AllToAll;
    sheet.say_if(known, "cpx", "FSDP's context parallelism does not support all-to-all");
    if !hybrid && plan.tensor_parallel == 1 && plan.context_parallel == 1 {
        return String::new();
    }
    let (replicate, shard) = if hybrid { (replicas / within, within) } else { (1, replicas) };
    format!(
        "parallelism_config:\n  parallelism_config_dp_replicate_size: {replicate}\n  \
         parallelism_config_dp_shard_size: {shard}\n  parallelism_config_tp_size: {}\n  \
         parallelism_config_cp_size: {}\n  parallelism_config_cp_comm_strategy: {}\n",
        plan.tensor_parallel,
        plan.context_parallel,
        if plan.context_exchange == ContextExchange::Ring { "alltoall" } else { "allgather" }
    )
}

fn stack(sheet: &mut ExportDraft) -> &'static str {
    let name = sheet.scenario.software.stack.name();
    sheet.say_if(
        ["eager", "compiled"].contains(&name),
        "stack",
        "Accelerate supports PyTorch with or without compilation",
    );
    if name == "compiled" { "dynamo_config:\n  dynamo_backend: INDUCTOR\n" } else { "" }
}
