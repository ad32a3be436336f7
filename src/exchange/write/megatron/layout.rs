//! Batch, precision, layout and software.

use super::super::sheet::{ExportDraft, nodes};
use super::{Entries, Target};
use crate::megatron::kept_by;
use crate::scenario::plan::stages::chunk_layers;
use crate::scenario::plan::{
    ContextExchange, GatherOverlap, Mapping, Modules, Recompute, Schedule, StageLayers, StageSplit, Zero,
};
use crate::scenario::stack::{ExpertKernels, Routing, TokenDispatch};
use crate::scenario::{Precision, Scenario, WideLayers};

/// Most chunks of a pipeline whose layout is written out.
const MOST_CHUNKS: u32 = 1024;

/// Why a list of layers is left out.
const TOO_LONG: &str = "the list is too long";

/// Writes everything but the model.
pub(super) fn write(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) {
    let workload = &sheet.scenario.workload;
    entries.value("micro-batch-size", "train", "micro_batch_size", sheet.scenario.plan.micro_batch);
    entries.value("global-batch-size", "train", "global_batch_size", workload.global_batch);
    sheet.say(&["mb", "gb", "prec"]);
    precision(sheet, entries, target);
    degrees(sheet, entries);
    stages(sheet, entries);
    sharding(sheet, entries);
    recompute(sheet, entries);
    offload(sheet, entries);
    software(sheet, entries);
}

fn precision(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) {
    let precision = sheet.scenario.workload.precision;
    let half = if precision == Precision::Fp16 { "fp16" } else { "bf16" };
    entries.argument(format!("--{half}"));
    let (arguments, name): (&[&str], &str) = match precision {
        Precision::Bf16 => (&[], "bf16_mixed"),
        Precision::Fp16 => (&[], "fp16_mixed"),
        Precision::Fp8 => {
            (&["--fp8-format hybrid", "--fp8-recipe tensorwise"], "bf16_with_fp8_current_scaling_mixed")
        }
        Precision::Fp8Block => {
            (&["--fp8-format e4m3", "--fp8-recipe blockwise"], "bf16_with_fp8_subchannel_scaling_mixed")
        }
        Precision::Mxfp8 => (&["--fp8-format e4m3", "--fp8-recipe mxfp8"], "bf16_with_mxfp8_mixed"),
        Precision::Nvfp4 => (&["--fp4-format e2m1"], "bf16_with_nvfp4_mixed"),
    };
    arguments.iter().for_each(|argument| entries.argument(argument));
    entries.yaml("", "mixed_precision", name);
    let WideLayers { first, last } = sheet.scenario.workload.wide_layers;
    if target == Target::Script && first + last > 0 {
        entries.argument("--first-last-layers-bf16");
        entries.argument(format!("--num-layers-at-start-in-bf16 {first}"));
        entries.argument(format!("--num-layers-at-end-in-bf16 {last}"));
    }
    for key in ["bfs", "bfe"] {
        let said = target == Target::Script || [first, last] == kept_by(name);
        sheet.say_if(said, key, "the mixed_precision recipe keeps other layers in BF16");
    }
}

fn degrees(sheet: &mut ExportDraft, entries: &mut Entries) {
    let plan = &sheet.scenario.plan;
    entries.value("tensor-model-parallel-size", "model", "tensor_model_parallel_size", plan.tensor_parallel);
    entries.value(
        "pipeline-model-parallel-size",
        "model",
        "pipeline_model_parallel_size",
        plan.pipeline_parallel,
    );
    entries.value("context-parallel-size", "model", "context_parallel_size", plan.context_parallel);
    if plan.context_parallel > 1 {
        let exchange = match plan.context_exchange {
            ContextExchange::Ring => "p2p",
            ContextExchange::AllGather => "all_gather",
            ContextExchange::AllToAll => "a2a",
        };
        entries.value("cp-comm-type", "model", "cp_comm_type", exchange);
    }
    entries.switch(plan.sequence_parallel, "sequence-parallel", "model", "sequence_parallel");
    sheet.say(&["tp", "pp", "cp", "cpx", "sp", "map"]);
    let alone = sheet.scenario.model.experts.count < 2;
    if alone {
        // Without experts a reader takes both degrees as 1.
        sheet.say_if(plan.expert_parallel == 1, "ep", "the model has no experts");
        sheet.say_if(plan.expert_tensor_parallel == 1, "etp", "the model has no experts to split");
        sheet.say_if(!plan.expert_overlap, "epo", "the model has no EP communication to overlap");
    } else {
        entries.value(
            "expert-model-parallel-size",
            "model",
            "expert_model_parallel_size",
            plan.expert_parallel,
        );
        let name = "expert_tensor_parallel_size";
        entries.value("expert-tensor-parallel-size", "model", name, plan.expert_tensor_parallel);
        let name = "overlap_moe_expert_parallel_comm";
        entries.switch(plan.expert_overlap, "overlap-moe-expert-parallel-comm", "model", name);
        sheet.say(&["ep", "etp", "epo"]);
    }
    // Megatron refuses the argument otherwise, and switches sequence parallelism off where nothing is split.
    let can = plan.sequence_parallel && plan.tensor_parallel > 1;
    entries.switch(plan.tensor_overlap && can, "tp-comm-overlap", "model", "tp_comm_overlap");
    sheet.say_if(
        can || !plan.tensor_overlap,
        "tpo",
        "Megatron supports overlap only with sequence parallelism",
    );
    let inner = plan.mapping == Mapping::TensorPipelineData;
    entries.switch(inner, "use-tp-pp-dp-mapping", "dist", "use_tp_pp_dp_mapping");
}

fn stages(sheet: &mut ExportDraft, entries: &mut Entries) {
    let plan = &sheet.scenario.plan;
    sheet.say_if(
        plan.schedule == Schedule::OneForwardOneBackward,
        "sched",
        "Megatron-LM supports 1F1B with or without interleaving",
    );
    if let Some(list) = listed(sheet.scenario) {
        let stages: Vec<String> = (0..list.chunks())
            .map(|chunk| match list.of(chunk) {
                0 => String::new(),
                layers => format!("t*{layers}"),
            })
            .collect();
        let heads = if sheet.scenario.model.prediction_layers > 0 {
            format!("m*{}L", sheet.scenario.model.prediction_layers)
        } else {
            "L".to_owned()
        };
        let text = format!("E{}{heads}", stages.join("|"));
        entries.argument(format!("--pipeline-model-parallel-layout \"{text}\""));
        entries.yaml("model", "pipeline_model_parallel_layout", format!("\"{text}\""));
        let given = matches!(plan.stage_split, StageSplit::Given(_));
        sheet.say_if(given, "split", "uneven stages are written as a list of layers");
        sheet.say(&["stages"]);
    } else {
        let ends = plan.stage_split == StageSplit::CountEnds;
        let name = "account_for_embedding_in_pipeline_split";
        entries.switch(ends, "account-for-embedding-in-pipeline-split", "model", name);
        let name = "account_for_loss_in_pipeline_split";
        entries.switch(ends, "account-for-loss-in-pipeline-split", "model", name);
        let given = matches!(plan.stage_split, StageSplit::Given(_));
        sheet.say_if(!given, "split", TOO_LONG);
        sheet.leave_out("stages", TOO_LONG);
    }
    virtual_stages(sheet, entries);
}

/// The list that a layout of the pipeline says: the user's own, or that of shares which Megatron would refuse, because the
/// layers do not divide.
fn listed(scenario: &Scenario) -> Option<StageLayers> {
    let plan = &scenario.plan;
    let layers = scenario.model.layers;
    let chunks = plan.chunks();
    let counted = match plan.stage_split {
        StageSplit::Given(list) => return Some(list).filter(|list| list.chunks() <= MOST_CHUNKS),
        StageSplit::Even => layers,
        StageSplit::CountEnds => layers.saturating_add(2),
    };
    if chunks > MOST_CHUNKS || counted.is_multiple_of(chunks.max(1)) {
        return None;
    }
    let mut list = StageLayers::default();
    let dealt = (0..chunks).all(|chunk| {
        u16::try_from(chunk_layers(layers, plan, chunk)).is_ok_and(|layers| list.push(layers, 1))
    });
    dealt.then_some(list)
}

fn virtual_stages(sheet: &mut ExportDraft, entries: &mut Entries) {
    let plan = &sheet.scenario.plan;
    let by_list = listed(sheet.scenario).is_some();
    if plan.pipeline_parallel == 1 {
        sheet.say_if(plan.virtual_stages == 1, "vpp", "PP is 1");
        sheet.leave_out("ppo", "PP is 1");
        return;
    }
    if plan.virtual_stages > 1 {
        if !by_list {
            entries.argument(format!("--num-virtual-stages-per-pipeline-rank {}", plan.virtual_stages));
        }
        entries.yaml("model", "virtual_pipeline_model_parallel_size", plan.virtual_stages);
        if !plan.pipeline_overlap {
            entries.argument("--no-overlap-p2p-communication");
        }
        entries.yaml("model", "overlap_p2p_comm", plan.pipeline_overlap);
        sheet.say(&["vpp", "ppo"]);
    } else {
        sheet.say(&["vpp"]);
        sheet.say_if(
            !plan.pipeline_overlap,
            "ppo",
            "Megatron supports overlap only with interleaved pipelines",
        );
    }
}

fn sharding(sheet: &mut ExportDraft, entries: &mut Entries) {
    let plan = &sheet.scenario.plan;
    let (_, node) = nodes(sheet.scenario);
    let within = match plan.shard_group {
        0 => (node / (plan.tensor_parallel * plan.context_parallel).max(1)).max(1),
        ranks => ranks,
    };
    let instances = sheet.scenario.data_parallel().div_ceil(within);
    let strategy = match plan.zero {
        Zero::None | Zero::Optimizer => None,
        Zero::Gradients => Some("optim_grads"),
        Zero::Parameters | Zero::Hybrid => Some("optim_grads_params"),
    };
    let sharded = plan.zero != Zero::None;
    entries.switch(sharded, "use-distributed-optimizer", "ddp", "use_distributed_optimizer");
    if let Some(strategy) = strategy {
        entries.switch(true, "use-megatron-fsdp", "ddp", "use_megatron_fsdp");
        let name = "data_parallel_sharding_strategy";
        entries.value("data-parallel-sharding-strategy", "ddp", name, strategy);
        entries.argument("--ckpt-format fsdp_dtensor");
    }
    if plan.zero == Zero::Hybrid && instances > 1 {
        let name = "num_distributed_optimizer_instances";
        entries.value("num-distributed-optimizer-instances", "ddp", name, instances);
    }
    let hybrid = plan.zero != Zero::Hybrid || instances > 1;
    sheet.say_if(hybrid, "zero", "all replicas are within a node");
    entries.switch(plan.data_overlap, "overlap-grad-reduce", "ddp", "overlap_grad_reduce");
    // Megatron refuses gathers that overlap where reductions do not.
    let gathers = plan.gathers_overlap() && plan.data_overlap;
    entries.switch(gathers && sharded, "overlap-param-gather", "ddp", "overlap_param_gather");
    sheet.say(&["dpo"]);
    let said = match plan.gather_overlap {
        GatherOverlap::AsReduction => true,
        GatherOverlap::Waits => plan.data_overlap,
        GatherOverlap::Overlaps => false,
    };
    sheet.say_if(
        said,
        "gao",
        "Megatron has no separate setting for this combination with gradient sync overlap",
    );
}

/// What is recomputed.
fn recompute(sheet: &mut ExportDraft, entries: &mut Entries) {
    match sheet.scenario.plan.recompute {
        Recompute::None => sheet.say(&["rc"]),
        Recompute::Selective => {
            entries.value("recompute-granularity", "model", "recompute_granularity", "selective");
            sheet.say(&["rc"]);
        }
        Recompute::Full => {
            entries.value("recompute-granularity", "model", "recompute_granularity", "full");
            entries.value("recompute-method", "model", "recompute_method", "uniform");
            entries.value("recompute-num-layers", "model", "recompute_num_layers", 1);
            sheet.say(&["rc", "rcn"]);
        }
        Recompute::Every(every) => {
            let (layers, chunks) = (sheet.scenario.model.layers, sheet.scenario.plan.chunks());
            let held = layers / chunks.max(1);
            let recomputed = (held / every.max(1)).max(1);
            entries.value("recompute-granularity", "model", "recompute_granularity", "full");
            entries.value("recompute-method", "model", "recompute_method", "block");
            entries.value("recompute-num-layers", "model", "recompute_num_layers", recomputed);
            sheet.say(&["rc"]);
            let whole = recomputed.saturating_mul(every) == held;
            sheet.say_if(whole, "rcn", "the number of layers per stage is not a whole number");
        }
        Recompute::Modules(set) => modules(sheet, entries, set),
    }
}

fn modules(sheet: &mut ExportDraft, entries: &mut Entries, set: Modules) {
    let with_experts = sheet.scenario.model.experts.count > 1;
    // A single expert is none to Megatron.
    let dense = !with_experts || sheet.scenario.model.expert_layers() < sheet.scenario.model.layers;
    let latent = sheet.scenario.model.latent.kv_rank > 0;
    let mut names = Vec::new();
    for (module, name, there) in [
        (Modules::ATTENTION_CORE, "core_attn", true),
        (Modules::NORMS, "layernorm", true),
        (Modules::ACTIVATION, "moe_act", with_experts),
        (Modules::FEED_FORWARD, "mlp", dense),
        (Modules::FEED_FORWARD, "moe", with_experts),
        (Modules::LATENT_UP, "mla_up_proj", latent),
    ] {
        if there && set.has(module) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        entries.value("recompute-granularity", "model", "recompute_granularity", "selective");
        entries.argument(format!("--recompute-modules {}", names.join(" ")));
        entries.yaml("model", "recompute_modules", format!("[{}]", names.join(", ")));
    }
    let others = "Megatron can recompute only the activation functions of experts, and MLA projections";
    let activation = with_experts || !set.has(Modules::ACTIVATION);
    let whole = activation && (latent || !set.has(Modules::LATENT_UP)) && !set.has(Modules::ATTENTION_OUTPUT);
    sheet.say_if(!names.is_empty(), "rc", others);
    sheet.say_if(whole && !names.is_empty(), "rcm", others);
}

fn offload(sheet: &mut ExportDraft, entries: &mut Entries) {
    let plan = &sheet.scenario.plan;
    entries.switch(plan.offload_optimizer, "optimizer-cpu-offload", "optimizer", "optimizer_cpu_offload");
    sheet.say(&["oo"]);
    let share = plan.offload_activations;
    let layers = (f64::from(sheet.scenario.model.layers) * f64::from(share) / 100.0).round() as u32;
    let back = (f64::from(layers) / f64::from(sheet.scenario.model.layers.max(1)) * 100.0).round() as u32;
    // Megatron leaves at least one layer, and refuses pipelines and recompute together with it.
    let can = plan.pipeline_parallel == 1
        && plan.recompute == Recompute::None
        && layers > 0
        && layers < sheet.scenario.model.layers
        && back == share;
    if can {
        entries.yaml("model", "cpu_offloading", true);
        entries.value("cpu-offloading-num-layers", "model", "cpu_offloading_num_layers", layers);
    }
    sheet.say_if(
        can || share == 0,
        "oa",
        "Megatron offloads only whole layers, and only without PP and recomputation",
    );
}

fn software(sheet: &mut ExportDraft, entries: &mut Entries) {
    let software = &sheet.scenario.software;
    if software.graphs {
        entries.value("cuda-graph-impl", "model", "cuda_graph_impl", "local");
    }
    sheet.say(&["graphs"]);
    if sheet.scenario.model.experts.count > 1 {
        entries.switch(true, "moe-grouped-gemm", "model", "moe_grouped_gemm");
        let fused = software.expert_kernels == ExpertKernels::Fused;
        entries.switch(fused, "use-transformer-engine-op-fuser", "model", "use_transformer_engine_op_fuser");
        let grouped = matches!(software.expert_kernels, ExpertKernels::PerExpert | ExpertKernels::Fused);
        sheet.say_if(grouped, "xk", "Megatron supports neither a loop over experts nor one-hot dispatch");
        let sends = match software.kernels.dispatch {
            TokenDispatch::Stack => None,
            TokenDispatch::AllToAll => Some("alltoall"),
            TokenDispatch::Deepep => Some("flex"),
        };
        if let Some(sends) = sends {
            entries.value("moe-token-dispatcher-type", "model", "moe_token_dispatcher_type", sends);
        }
        sheet.say_if(sends.is_some(), "xd", "software default");
        let even = software.kernels.routing == Routing::Even;
        if even {
            let name = "moe_router_force_load_balancing";
            entries.switch(true, "moe-router-force-load-balancing", "model", name);
        }
        sheet.say_if(even, "xr", "software default");
    }
    sheet.leave_out("year", "the file does not set the software release");
    sheet.leave_out("month", "the file does not set the software release");
}
