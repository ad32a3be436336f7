//! Values that a run's source does not state, filled with the defaults of the stack's users.

use super::check;
use crate::memory::least_recompute_that_fits;
use crate::scenario::Scenario;
use crate::scenario::model::presets::MODELS;
use crate::scenario::model::{Activation, Bias, Model, ModelCode, Positions, Window};
use crate::scenario::plan::{
    ContextExchange, GatherOverlap, Plan, Recompute, Schedule, StageLayers, StageSplit, Zero,
};
use crate::scenario::stack::{ExpertKernels, Feature, Month, StackLimits};
use crate::step::Groups;
use crate::tuner::recipe_virtual_stages;

/// Fills an empty `vpp`, and settings without a column: layer split, and overlap of exchanges and sends. Returns the
/// assumptions.
pub(super) fn fill_layout(scenario: &mut Scenario, no_virtual_stages: bool) -> Vec<String> {
    let mut assumed = Vec::new();
    let pipeline = scenario.plan.pipeline_parallel;
    let interleaves = StackLimits::of(&scenario.software).has(Feature::VirtualStages)
        && scenario.plan.schedule == Schedule::OneForwardOneBackward;
    if no_virtual_stages && pipeline > 1 && interleaves {
        scenario.plan.virtual_stages = recipe_virtual_stages(scenario.model.layers, pipeline);
        assumed.push(format!("{} virtual stages", scenario.plan.virtual_stages));
    }
    // Recipes keep their virtual stages if one GPU holds all layers, and frameworks then ignore them.
    if pipeline == 1 && scenario.plan.virtual_stages > 1 {
        scenario.plan.virtual_stages = 1;
        assumed.push("no virtual stages, because PP is 1".to_owned());
    }
    scenario.plan.stage_split = usual_split(scenario);
    scenario.plan.expert_overlap = overlaps_experts(scenario);
    scenario.plan.pipeline_overlap &=
        scenario.plan.virtual_stages > 1 && scenario.software.libraries().sends_beside_compute;
    assumed
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
        Recompute::Full | Recompute::Every(_) | Recompute::Modules(_) => "full recomputation",
    }
    .to_owned()
}

/// How layers were assigned to stages. Layers that do not divide evenly did run: frameworks take any list, and the one
/// with the fewest layers per stage is assumed.
fn usual_split(scenario: &Scenario) -> StageSplit {
    let Scenario { model, plan, software, .. } = scenario;
    // The rule of equal shares concerns virtual stages: stages of eager stacks may differ without a list.
    let uneven_stages = software.is_eager() && plan.virtual_stages == 1;
    if model.layers.is_multiple_of(plan.chunks()) || uneven_stages {
        return StageSplit::Even;
    }
    as_list(model.layers, plan).unwrap_or(StageSplit::Even)
}

/// The most even list: the first chunks hold the remaining layers. None for more chunks than a list can hold.
fn as_list(layers: u32, plan: &Plan) -> Option<StageSplit> {
    let chunks = plan.chunks();
    let (share, longer) = (u16::try_from(layers / chunks).ok()?, u16::try_from(layers % chunks).ok()?);
    let others = u16::try_from(chunks).ok()?.checked_sub(longer)?;
    let mut list = StageLayers::default();
    (list.push(share.checked_add(1)?, longer) && list.push(share, others)).then_some(StageSplit::Given(list))
}

/// The least recompute that fits, of those the stack has. Machines with host memory on NVLink offload activations
/// rather than recompute whole layers.
fn usual_recompute(scenario: &Scenario, offloads: bool) -> Recompute {
    let selective = scenario.software.profile().selective_recompute;
    match least_recompute_that_fits(scenario) {
        // Recipes for MoE models recompute modules (activation, up-projections), not layers.
        Recompute::Full if selective && (offloads || scenario.model.experts.count > 0) => {
            Recompute::Selective
        }
        Recompute::Selective if !selective => Recompute::Full,
        least => least,
    }
}

/// Year and month of a run's software, as recipes are looked up by: of its release `YY.MM` or `YY.MM.patch`; without one,
/// the middle of the year.
pub(super) fn month(year: u16, release: &str) -> Month {
    let mut parts = release.split('.').map(str::parse::<u8>);
    match (parts.next(), parts.next()) {
        (Some(Ok(_)), Some(Ok(month @ 1..=12))) => (year, month),
        _ => (year, 6),
    }
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

/// Whether recipes overlap the exchange of tokens: across the network, and everywhere with fused experts
/// (`moe_a2a_overlap`), which needs an interleaved pipeline so that another micro-batch is available.
fn overlaps_experts(scenario: &Scenario) -> bool {
    let software = &scenario.software;
    let fused = software.expert_kernels == ExpertKernels::Fused;
    software.profile().hides_exchanges
        && scenario.plan.virtual_stages > 1
        && (fused || Groups::new(scenario).experts.domains() > 1.0)
}
