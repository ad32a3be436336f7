//! Values that a run's source does not state, filled with the defaults of the stack's users.

use super::check;
use crate::memory::least_recompute_that_fits;
use crate::names::gpu_named;
use crate::scenario::Scenario;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::model::presets::MODELS;
use crate::scenario::model::{Activation, Bias, Model, ModelCode, Positions, Window};
use crate::scenario::plan::{
    ContextExchange, GatherOverlap, Modules, Plan, Recompute, Schedule, StageLayers, StageSplit, Zero,
};
use crate::scenario::stack::{ExpertKernels, Feature, Stack, StackLimits, TokenDispatch};
use crate::step::Groups;
use crate::tuner::recipe_virtual_stages;

/// Fills an empty `vpp`, and settings without a column: layer split, overlap of exchanges and sends, and whether
/// parameters are gathered again. Returns the assumptions.
pub(super) fn fill_layout(scenario: &mut Scenario, no_virtual_stages: bool) -> Vec<String> {
    let mut assumed = Vec::new();
    let layers = scenario.model.layers;
    let pipeline = scenario.plan.pipeline_parallel;
    let interleaves = StackLimits::of(&scenario.software).has(Feature::VirtualStages)
        && scenario.plan.schedule == Schedule::OneForwardOneBackward;
    if no_virtual_stages && pipeline > 1 && interleaves {
        scenario.plan.virtual_stages = recipe_virtual_stages(slots(layers, pipeline), pipeline);
        assumed.push(format!("{} virtual stages", scenario.plan.virtual_stages));
    }
    // Recipes keep their virtual stages if one GPU holds all layers, and frameworks then ignore them.
    if pipeline == 1 && scenario.plan.virtual_stages > 1 {
        scenario.plan.virtual_stages = 1;
        assumed.push("no virtual stages, because PP is 1".to_owned());
    }
    if stays_gathered(scenario) {
        scenario.plan.zero = Zero::Gradients;
        assumed.push("no resharding of parameters with PP".to_owned());
    }
    scenario.plan.stage_split = usual_split(scenario);
    scenario.plan.expert_overlap = overlaps_experts(scenario);
    if is_clamped_recipe(scenario) {
        scenario.software.kernels.dispatch = TokenDispatch::AllToAll;
    }
    scenario.plan.pipeline_overlap &=
        scenario.plan.virtual_stages > 1 && scenario.software.libraries().sends_beside_compute;
    assumed
}

/// Whether parameters that a file calls sharded stay gathered from the first micro-batch to the last: torchtitan's in a
/// pipeline (`fsdp_reshard_after_forward = "default"`: torchtitan/models/llama3/infra/parallelize.py, `not
/// pp_enabled`).
fn stays_gathered(scenario: &Scenario) -> bool {
    let Scenario { plan, software, .. } = scenario;
    software.stack == Stack::Torchtitan && plan.pipeline_parallel > 1 && plan.zero == Zero::Parameters
}

/// Layers that recipes split over the stages: with the embedding and the head if only those make them even (94 and 2 of
/// Qwen3 235B: 12 virtual stages of 4 on GB300, 3 of 8 on GB200 in Megatron-Bridge 0.4).
fn slots(layers: u32, pipeline: u32) -> u32 {
    let with_ends = layers.saturating_add(2);
    let ends = !layers.is_multiple_of(pipeline) && with_ends.is_multiple_of(pipeline);
    if ends { with_ends } else { layers }
}

/// Ranks that split a sequence by its heads use a ring for keys and values if there are too few heads. Returns the
/// assumption.
pub(super) fn fill_exchange(scenario: &mut Scenario) -> Option<String> {
    let ring =
        Scenario { plan: Plan { context_exchange: ContextExchange::Ring, ..scenario.plan }, ..*scenario };
    let by_heads = scenario.plan.context_exchange == ContextExchange::AllToAll;
    if !by_heads || check::job(scenario).is_ok() || check::job(&ring).is_err() {
        return None;
    }
    *scenario = ring;
    Some("CP by ring, because there are too few heads for all-to-all".to_owned())
}

/// Meaning of an empty `dp_overlap`: reductions overlap, and gathers of sharded parameters, as in PyTorch's DDP and FSDP.
pub(super) fn overlap(zero: Zero) -> (bool, GatherOverlap) {
    (true, if zero.shards_parameters() { GatherOverlap::Overlaps } else { GatherOverlap::Waits })
}

/// Fills an empty `recompute`, and returns the assumption.
pub(super) fn fill_recompute(scenario: &mut Scenario, offloads: bool) -> String {
    scenario.plan.recompute = usual_recompute(scenario, offloads);
    match scenario.plan.recompute {
        Recompute::None => "no recomputation",
        Recompute::Selective => "selective recomputation",
        Recompute::Full | Recompute::Every(_) => "full recomputation",
        Recompute::Modules(set) if set.has(Modules::FEED_FORWARD) => {
            "recomputation of everything except attention projections"
        }
        Recompute::Modules(_) => "recomputation of everything except GEMMs",
    }
    .to_owned()
}

/// How layers were assigned to stages. Only recipes whose layers do not divide evenly count the ends. Layers that
/// divide neither way did run: frameworks take any list, and the one with the fewest layers per stage is assumed.
fn usual_split(scenario: &Scenario) -> StageSplit {
    let Scenario { model, plan, .. } = scenario;
    let chunks = plan.chunks();
    if model.layers.is_multiple_of(chunks) {
        return StageSplit::Even;
    }
    let eager = scenario.software.is_eager();
    if !eager && model.layers.saturating_add(2).is_multiple_of(chunks) {
        return StageSplit::CountEnds;
    }
    // The rule of equal shares concerns virtual stages: stages of eager stacks may differ without a list.
    let uneven_stages = eager && plan.virtual_stages == 1;
    if uneven_stages { StageSplit::Even } else { as_list(model.layers, plan).unwrap_or(StageSplit::Even) }
}

/// The most even list: the first chunks hold the remaining layers. None for more chunks than a list can hold.
fn as_list(layers: u32, plan: &Plan) -> Option<StageSplit> {
    let chunks = plan.chunks();
    let (share, longer) = (u16::try_from(layers / chunks).ok()?, u16::try_from(layers % chunks).ok()?);
    let others = u16::try_from(chunks).ok()?.checked_sub(longer)?;
    let mut list = StageLayers::default();
    (list.push(share.checked_add(1)?, longer) && list.push(share, others)).then_some(StageSplit::Given(list))
}

/// GPU memory in bytes from which recipes use no recomputation for GPT-OSS: B300 and GB300 have more, earlier GPUs
/// less.
const LARGE_MEMORY: f64 = 200e9;

/// Whether a job is GPT-OSS under Megatron-Bridge, whose recipes leave the exchange of tokens to NCCL (no
/// `moe_flex_dispatcher_backend`, but for Blackwell's with experts within a node in 0.4) as long as experts are not fused, and
/// recompute norms and activations where GPUs have less than 200 GB ([`LARGE_MEMORY`]) (`recompute_modules`: scripts/performance/configs/gpt_oss/
/// gpt_oss_workload_base_configs.py, v0.2.0 to v0.5.0).
fn is_clamped_recipe(scenario: &Scenario) -> bool {
    let Scenario { model, software, .. } = scenario;
    software.stack == Stack::MegatronBridge
        && model.activation == Activation::ClampedSilu
        && software.expert_kernels != ExpertKernels::Fused
}

/// The least recompute that fits, of those the stack has. Machines with host memory on NVLink offload activations
/// rather than recompute whole layers.
fn usual_recompute(scenario: &Scenario, offloads: bool) -> Recompute {
    let software = &scenario.software;
    let profile = software.profile();
    let selective = profile.selective_recompute;
    match least_recompute_that_fits(scenario) {
        Recompute::None | Recompute::Selective
            if is_clamped_recipe(scenario) && scenario.cluster.gpu.memory.0 < LARGE_MEMORY =>
        {
            Recompute::Modules(Modules::NORMS.and(Modules::ACTIVATION))
        }
        // Recipes for MoE models recompute modules (activation, up-projections), not layers.
        Recompute::Full if selective && (offloads || scenario.model.experts.count > 0) => {
            Recompute::Selective
        }
        Recompute::Selective if !selective => Recompute::Full,
        // torchtitan's mode unless a job's file names another (`ActivationCheckpoint`: torchtitan/config/job_config.py, November 2025).
        Recompute::None if software.stack == Stack::Torchtitan => Recompute::Selective,
        least => least,
    }
}

/// Whether a run of Megatron-Bridge used CUDA graphs and fused experts: its recipes for Blackwell do from release 26.06 on
/// (`cuda_graph_impl` in `workload_base_configs.py` of v0.5.0).
pub(super) fn is_newest(stack: Stack, gpu: &str, release: &str) -> bool {
    let family = gpu_named(gpu).map(|preset| preset.gpu.family);
    stack == Stack::MegatronBridge
        && matches!(family, Some(GpuFamily::Blackwell | GpuFamily::BlackwellUltra))
        && year_and_month(release).is_some_and(|release| release >= (26, 6))
}

/// Month of a release named `YY.MM` or `YY.MM.patch`; mid-year for any other.
pub(super) fn month(release: &str) -> u8 {
    year_and_month(release).map_or(6, |release| release.1)
}

/// Year and month of a release named `YY.MM`.
pub(super) fn year_and_month(release: &str) -> Option<(u8, u8)> {
    let mut parts = release.split('.').map(str::parse::<u8>);
    let (year, month) = (parts.next()?.ok()?, parts.next()?.ok()?);
    (1..=12).contains(&month).then_some((year, month))
}

/// Published values of a known model beyond the columns of a file: whether its head is tied, its biases, norms,
/// positions and window. Every other layer of GPT-OSS has a window of 128 tokens, and all its linear layers have
/// biases, in all sizes; Qwen3, Gemma 3 and OLMo 2 have norms of queries and keys.
pub(super) fn complete(model: &mut Model, name: &str) {
    if let Some(known) = published(model) {
        let positions = match (known.positions, model.positions) {
            (Positions::Learned(_), Positions::Learned(rows)) => Positions::Learned(rows),
            (other, _) => other,
        };
        let Model { activation, code, tied_embeddings, bias, norm, query_key_norm, window, .. } = *known;
        *model = Model {
            activation,
            code,
            tied_embeddings,
            bias,
            norm,
            query_key_norm,
            window,
            positions,
            ..*model
        };
    }
    let name = name.to_ascii_lowercase().replace(['-', '_'], " ");
    if name.contains("gpt oss") {
        model.window = Window { tokens: 128, full_every: 2 };
        model.bias = Bias::All;
        model.activation = Activation::ClampedSilu;
    }
    if name.contains("qwen") {
        model.code = ModelCode::Qwen;
    }
    model.query_key_norm |= NORMED.iter().any(|family| name.replace(' ', "").contains(family));
    model.prediction_layers = u32::from(name.contains("w/ mtp"));
}

/// Families with norms of queries and keys, in their `config.json` or their code in Hugging Face transformers.
const NORMED: [&str; 4] = ["qwen3", "gemma3", "olmo2", "olmo3"];

/// Families of models, more specific ones first.
const FAMILIES: [&str; 10] =
    ["deepseek", "gpt oss", "qwen", "mixtral", "llama4", "llama", "nemotron", "mpt", "bigscience", "gpt"];

/// Family of a model by its name; the name's letters for an unknown family.
pub(super) fn family(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace(['-', '_'], " ");
    let known = FAMILIES.iter().find(|family| name.starts_with(**family));
    known.map_or_else(
        || name.chars().take_while(char::is_ascii_alphabetic).collect(),
        |family| (*family).to_owned(),
    )
}

/// The known decoder of this shape, whose vocabulary may be padded or have some more tokens.
fn published(model: &Model) -> Option<&'static Model> {
    let of_shape = |known: &&Model| {
        let Model {
            activation,
            code,
            vocabulary,
            tied_embeddings,
            bias,
            norm,
            query_key_norm,
            positions,
            window,
            ..
        } = *model;
        let open = Model {
            activation,
            code,
            vocabulary,
            tied_embeddings,
            bias,
            norm,
            query_key_norm,
            positions,
            window,
            prediction_layers: model.prediction_layers,
            ..**known
        };
        open == *model && vocabulary.abs_diff(known.vocabulary) <= known.vocabulary / SPARE_TOKENS
    };
    MODELS.iter().map(|preset| &preset.model).find(of_shape)
}

/// Largest relative difference between a row's vocabulary and the published one, for padding and added tokens: one in
/// this many.
const SPARE_TOKENS: u32 = 50;

/// Whether the token exchange is overlapped. Megatron-Bridge's recipes overlap it across the network, and everywhere
/// with fused experts (`moe_a2a_overlap`), which needs an interleaved pipeline so that another micro-batch is
/// available.
fn overlaps_experts(scenario: &Scenario) -> bool {
    let software = &scenario.software;
    let fused = software.expert_kernels == ExpertKernels::Fused;
    software.stack == Stack::MegatronBridge
        && scenario.plan.virtual_stages > 1
        && (fused || Groups::new(scenario).experts.domains() > 1.0)
}
