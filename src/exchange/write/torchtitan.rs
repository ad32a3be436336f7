//! torchtitan's TOML, as v0.2.2 reads it.

use super::super::read::{fewer_at_ends, flavor_of};
use super::sheet::{ExportDraft, FSDP_MOVES_ALL, nodes};
use crate::fields::FieldGroup;
use crate::scenario::plan::{ContextExchange, Mapping, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::stack::Compiled;
use crate::scenario::{Optimizer, OptimizerKernels, Precision, StateFormat, WeightFormat};

/// Tables of the file with their lines, in the order in which they are written.
struct Tables {
    model: Vec<String>,
    training: Vec<String>,
    parallelism: Vec<String>,
    recompute: Vec<String>,
    float8: Vec<String>,
}

/// Writes the file.
pub(super) fn write(sheet: &mut ExportDraft) -> String {
    let mut tables = Tables {
        model: Vec::new(),
        training: Vec::new(),
        parallelism: Vec::new(),
        recompute: Vec::new(),
        float8: Vec::new(),
    };
    model(sheet, &mut tables);
    training(sheet, &mut tables);
    degrees(sheet, &mut tables);
    pipeline(sheet, &mut tables);
    recompute(sheet, &mut tables);
    let compiled = software(sheet);
    let optimizer = optimizer(sheet, &mut tables);
    let comment = sheet.comment("#");
    let mut text =
        format!("# torchtitan v0.2.2. Add data, tokenizer, checkpoints and learning rates.\n{comment}");
    for (name, lines) in [
        ("model", tables.model),
        ("training", tables.training),
        ("parallelism", tables.parallelism),
        ("activation_checkpoint", tables.recompute),
        ("optimizer", optimizer),
        ("compile", vec![format!("enable = {compiled}")]),
        ("quantize.linear.float8", tables.float8),
    ] {
        if !lines.is_empty() {
            text += &format!("\n[{name}]\n{}\n", lines.join("\n"));
        }
    }
    text
}

fn model(sheet: &mut ExportDraft, tables: &mut Tables) {
    let model = sheet.scenario.model;
    match flavor_of(&model) {
        Some((name, flavor)) => {
            tables.model = vec![format!("name = \"{name}\""), format!("flavor = \"{flavor}\"")];
            for field in crate::fields::FIELDS.iter().filter(|field| field.group == FieldGroup::Model) {
                sheet.say(&[field.key]);
            }
        }
        None => sheet.leave_out_group(FieldGroup::Model, "torchtitan has no flavor of this architecture"),
    }
    let converter = match sheet.scenario.workload.precision {
        Precision::Fp8 => Some("quantize.linear.float8"),
        Precision::Mxfp8 => Some("quantize.linear.mx"),
        Precision::Bf16 | Precision::Fp16 | Precision::Fp8Block | Precision::Nvfp4 => None,
    };
    if let Some(converter) = converter {
        tables.model.push(format!("converters = [\"{converter}\"]"));
    }
    if sheet.scenario.workload.precision == Precision::Fp8 {
        tables.float8.push("recipe_name = \"tensorwise\"".to_owned());
    }
    let can = converter.is_some() || sheet.scenario.workload.precision == Precision::Bf16;
    sheet.say_if(can, "prec", "torchtitan supports BF16, FP8 with per-tensor or per-row scaling, and MXFP8");
}

fn training(sheet: &mut ExportDraft, tables: &mut Tables) {
    let (plan, workload) = (&sheet.scenario.plan, &sheet.scenario.workload);
    let rounds = if plan.pipeline_parallel > 1 { sheet.scenario.micro_batches() } else { 1 };
    tables.training = vec![
        format!("seq_len = {}", workload.sequence),
        format!("local_batch_size = {}", u64::from(plan.micro_batch) * u64::from(rounds)),
        format!("global_batch_size = {}", workload.global_batch),
        "mixed_precision_param = \"bfloat16\"".to_owned(),
        format!("enable_cpu_offload = {}", plan.offload_optimizer),
    ];
    sheet.say(&["seq", "gb", "mb", "oo"]);
    sheet.say_if(plan.offload_parameters == plan.offload_optimizer, "op", FSDP_MOVES_ALL);
}

fn degrees(sheet: &mut ExportDraft, tables: &mut Tables) {
    let plan = &sheet.scenario.plan;
    let replicas = sheet.scenario.data_parallel();
    let (_, node) = nodes(sheet.scenario);
    let machine = node / (plan.tensor_parallel * plan.context_parallel).max(1);
    let within = if plan.shard_group > 0 { plan.shard_group } else { machine }.clamp(1, replicas);
    let hybrid =
        plan.zero == Zero::Hybrid && replicas.is_multiple_of(within) && within > 1 && replicas > within;
    let (replicate, shard) = match plan.zero {
        Zero::None => (replicas, 1),
        Zero::Hybrid if hybrid => (replicas / within, within),
        Zero::Optimizer | Zero::Gradients | Zero::Parameters | Zero::Hybrid => (1, replicas),
    };
    let again = if matches!(plan.zero, Zero::Parameters | Zero::Hybrid) { "always" } else { "never" };
    let lines = &mut tables.parallelism;
    lines.push(format!("data_parallel_replicate_degree = {replicate}"));
    lines.push(format!("data_parallel_shard_degree = {shard}"));
    lines.push(format!("fsdp_reshard_after_forward = \"{again}\""));
    lines.push(format!("tensor_parallel_degree = {}", plan.tensor_parallel));
    lines.push(format!("enable_async_tensor_parallel = {}", plan.tensor_overlap));
    lines.push(format!("context_parallel_degree = {}", plan.context_parallel));
    let rotates = if plan.context_exchange == ContextExchange::Ring { "alltoall" } else { "allgather" };
    lines.push(format!("context_parallel_rotate_method = \"{rotates}\""));
    let known = plan.context_exchange != ContextExchange::AllToAll;
    lines.push(format!("expert_parallel_degree = {}", plan.expert_parallel));
    lines.push(format!("expert_tensor_parallel_degree = {}", plan.expert_tensor_parallel));
    sheet.say(&["n", "tp", "cp", "ep", "etp", "tpo"]);
    sheet.say_if(known, "cpx", "torchtitan does not support all-to-all");
    match plan.zero {
        Zero::None => sheet.say(&["zero"]),
        Zero::Optimizer => sheet.leave_out("zero", "FSDP shards gradients with the optimizer states"),
        Zero::Gradients | Zero::Parameters => sheet.say_if(replicas > 1, "zero", "there is only one replica"),
        Zero::Hybrid => sheet.say_if(hybrid, "zero", "the replicas do not fill whole groups within nodes"),
    }
    let grouped = hybrid && plan.shard_group == within;
    sheet.say_if(grouped, "shg", "the sharding group is only set with HSDP");
    let usual = plan.sequence_parallel == (plan.tensor_parallel > 1);
    sheet.say_if(usual, "sp", "torchtitan always uses sequence parallelism with TP");
    sheet.say_if(plan.data_overlap, "dpo", "FSDP always overlaps");
    sheet.say_if(!plan.expert_overlap, "epo", "only DualPipeV overlaps EP communication");
    sheet.say_if(plan.mapping == Mapping::TensorDataPipeline, "map", "the device mesh has a fixed order");
}

fn pipeline(sheet: &mut ExportDraft, tables: &mut Tables) {
    let plan = &sheet.scenario.plan;
    let lines = &mut tables.parallelism;
    lines.push(format!("pipeline_parallel_degree = {}", plan.pipeline_parallel));
    sheet.say(&["pp"]);
    let usual = plan.pipeline_parallel == 1 || plan.virtual_stages > 1;
    sheet.say_if(
        plan.pipeline_overlap == usual,
        "ppo",
        "the pipeline schedule determines whether sends overlap",
    );
    if plan.pipeline_parallel == 1 {
        let why = "PP is 1";
        sheet.say_if(plan.schedule == Schedule::OneForwardOneBackward, "sched", why);
        sheet.say_if(plan.virtual_stages == 1, "vpp", why);
        sheet.say_if(plan.stage_split == StageSplit::Even, "split", why);
        return;
    }
    let (name, known) = match (plan.schedule.row().name, plan.virtual_stages) {
        ("1f1b", 1) => ("1F1B", true),
        ("1f1b", _) => ("Interleaved1F1B", true),
        ("gpipe", 1) => ("GPipe", true),
        ("zb-v", 2) => ("ZBVZeroBubble", true),
        ("dualpipev", 2) => ("DualPipeV", true),
        (_, 1) => ("1F1B", false),
        _ => ("Interleaved1F1B", false),
    };
    lines.push(format!("pipeline_parallel_schedule = \"{name}\""));
    lines.push(format!("pipeline_parallel_microbatch_size = {}", plan.micro_batch));
    sheet.say_if(known, "sched", "torchtitan does not support this schedule");
    stages(sheet, lines);
}

fn stages(sheet: &mut ExportDraft, lines: &mut Vec<String>) {
    let (plan, layers) = (&sheet.scenario.plan, sheet.scenario.model.layers);
    let chunks = plan.pipeline_parallel.saturating_mul(plan.virtual_stages);
    let known = flavor_of(&sheet.scenario.model).is_some();
    let (first, last) = match plan.stage_split {
        StageSplit::Even => (0, 0),
        StageSplit::CountEnds => (1, 1),
        StageSplit::Given(list) => {
            let share = list.of(chunks / 2);
            (share.saturating_sub(list.of(0)), share.saturating_sub(list.of(chunks.saturating_sub(1))))
        }
    };
    lines.push(format!("pipeline_parallel_first_stage_less_layers = {first}"));
    lines.push(format!("pipeline_parallel_last_stage_less_layers = {last}"));
    let slots = layers.saturating_add(first).saturating_add(last);
    let each = slots.div_ceil(chunks.max(1)).max(1);
    if plan.virtual_stages > 1 {
        lines.push(format!("pipeline_parallel_layers_per_stage = {each}"));
    }
    let back = slots.div_ceil(each) / plan.pipeline_parallel;
    let same = plan.virtual_stages == 1
        || if known { back == plan.virtual_stages } else { plan.virtual_stages == 2 };
    sheet.say_if(same, "vpp", "a number of layers per stage would change the number of stages");
    let even = slots.is_multiple_of(chunks.max(1));
    let why = "torchtitan supports fewer layers on the first and last stage, layers per stage, or a list of module names";
    match plan.stage_split {
        StageSplit::Even | StageSplit::CountEnds => sheet.say_if(even && same, "split", why),
        StageSplit::Given(list) => {
            let dealt = fewer_at_ends(layers, chunks, i64::from(first), i64::from(last));
            let uneven = !even || ![(0, 0), (1, 1)].contains(&(first, last));
            let can = known && same && uneven && dealt == Some(list.to_string());
            sheet.say_if(can, "split", why);
            sheet.say_if(can, "stages", why);
        }
    }
}

/// What is recomputed.
fn recompute(sheet: &mut ExportDraft, tables: &mut Tables) {
    let (mode, option, can) = match sheet.scenario.plan.recompute {
        Recompute::None => ("none", None, true),
        Recompute::Selective => ("selective", Some("op".to_owned()), true),
        Recompute::Full => ("full", None, true),
        Recompute::Every(every) => ("selective", Some(every.to_string()), true),
        Recompute::Modules(_) => ("selective", Some("op".to_owned()), false),
    };
    tables.recompute.push(format!("mode = \"{mode}\""));
    tables.recompute.extend(option.map(|option| format!("selective_ac_option = \"{option}\"")));
    sheet.say_if(can, "rc", "torchtitan selects operators, not modules");
    sheet.say(&["rcn"]);
    sheet.leave_out("rcm", "torchtitan selects operators, not modules");
    sheet.say_if(
        sheet.scenario.plan.offload_activations == 0,
        "oa",
        "torchtitan does not offload activations",
    );
}

/// The optimizer, formats of weights and states, and the optimizer's kernels.
fn optimizer(sheet: &mut ExportDraft, tables: &mut Tables) -> Vec<String> {
    let training = &sheet.scenario.training;
    if training.weights == WeightFormat::Half {
        tables.training.push("dtype = \"bfloat16\"".to_owned());
    }
    sheet.say_if(training.weights == WeightFormat::Half, "wts", "FSDP stores 32-bit weights");
    let adam = training.optimizer == Optimizer::AdamW;
    sheet.say_if(adam, "opt", "torchtitan supports Adam and AdamW");
    sheet.say_if(
        adam && training.states == StateFormat::Bits32,
        "ost",
        "optimizer states have the format of the parameters",
    );
    let kernels = match training.kernels {
        OptimizerKernels::Fused => Some("fused"),
        OptimizerKernels::Foreach => Some("foreach"),
        OptimizerKernels::Stack => None,
    };
    sheet.say_if(kernels.is_some(), "optk", "it is the software default");
    let name = adam.then(|| "name = \"AdamW\"".to_owned());
    name.into_iter().chain(kernels.map(|name| format!("implementation = \"{name}\""))).collect()
}

/// Notes the software; whether it compiles.
fn software(sheet: &mut ExportDraft) -> bool {
    let is_torchtitan = sheet.scenario.software.stack.name() == "torchtitan";
    sheet.say_if(is_torchtitan, "stack", "the file is a torchtitan configuration");
    sheet.leave_out("year", "the file does not set the software release");
    sheet.leave_out("month", "the file does not set the software release");
    let compiled = sheet.scenario.software.kernels.compiled;
    sheet.say_if(compiled != Compiled::Stack, "comp", "software default (compiled)");
    compiled != Compiled::No
}
