//! What a run's source leaves out, filled with what the stack's users would run.

use crate::memory::least_recompute_that_fits;
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::find_gpu;
use crate::scenario::model::{Bias, Model, Window};
use crate::scenario::plan::{Recompute, StageSplit};
use crate::scenario::stack::{ExpertKernels, ExpertSplit, HiddenExchanges, Recipe};
use crate::step::Groups;

/// Most virtual stages a recipe uses before it pairs layers up.
const MOST_VIRTUAL_STAGES: u32 = 12;

/// Fills an empty `vpp` and `recompute`, and what no column states: how layers were dealt to stages, over how many
/// ranks an expert is split, and whether exchanges and sends are hidden.
pub(super) fn fill(
    scenario: &mut Scenario,
    no_virtual_stages: bool,
    no_recompute: bool,
    offloads: bool,
) -> Vec<String> {
    let mut assumed = Vec::new();
    let layers = scenario.model.layers;
    let pipeline = scenario.plan.pipeline_parallel;
    if no_virtual_stages && pipeline > 1 && scenario.software.profile().interleaves {
        scenario.plan.virtual_stages = recipe_virtual_stages(layers, pipeline);
        assumed.push(format!("{} virtual stages", scenario.plan.virtual_stages));
    }
    // Only recipes whose layers do not divide evenly count the ends.
    let chunks = pipeline.saturating_mul(scenario.plan.virtual_stages).max(1);
    if layers.is_multiple_of(chunks) || scenario.software.profile().is_eager() {
        scenario.plan.stage_split = StageSplit::Even;
    }
    scenario.plan.expert_tensor_parallel = usual_expert_split(scenario);
    scenario.plan.expert_overlap = overlaps_experts(scenario);
    scenario.plan.pipeline_overlap &= scenario.plan.virtual_stages > 1
        && scenario.software.year >= scenario.software.profile().recipe.overlaps_sends_since;
    if no_recompute {
        scenario.plan.recompute = usual_recompute(scenario, offloads);
        assumed.push(
            match scenario.plan.recompute {
                Recompute::None => "no recomputation",
                Recompute::Selective => "selective recomputation",
                Recompute::Full | Recompute::Modules(_) => "full recomputation",
            }
            .to_owned(),
        );
    }
    assumed
}

/// The least recompute that fits, of those the stack has. Machines whose host memory is within reach of
/// NVLink offload activations rather than recompute whole layers.
fn usual_recompute(scenario: &Scenario, offloads: bool) -> Recompute {
    let software = &scenario.software;
    let profile = software.profile();
    let selective = profile.selective_recompute && software.year >= profile.selective_since;
    match least_recompute_that_fits(scenario) {
        // Recipes for experts recompute modules (activation, up-projections), not layers.
        Recompute::Full if selective && (offloads || scenario.model.experts.count > 0) => {
            Recompute::Selective
        }
        Recompute::Selective if !selective => Recompute::Full,
        least => least,
    }
}

/// Ranks that one expert is split over. Megatron splits experts as it splits all else
/// (`expert_tensor_parallel_size` is `tensor_model_parallel_size` unless set). Recipes undo that: NeMo's for experts
/// narrower than the model, Megatron-Core's where experts are dealt to ranks, Megatron-Bridge's for all. Other stacks
/// do not split them.
fn usual_expert_split(scenario: &Scenario) -> u32 {
    let Scenario { model, plan, .. } = scenario;
    let splits = match scenario.software.profile().recipe.splits_experts {
        ExpertSplit::Never => false,
        ExpertSplit::Wide => model.experts.ffn >= model.hidden,
        ExpertSplit::WithoutExpertParallelism => plan.expert_parallel <= 1,
    };
    let ranks = plan.expert_parallel.saturating_mul(plan.tensor_parallel);
    let there = scenario.cluster.gpus / plan.pipeline_parallel.max(1);
    if splits && ranks > 0 && there.is_multiple_of(ranks) { plan.tensor_parallel } else { 1 }
}

/// NVIDIA's recipes interleave one layer a chunk, or two where that would make too many chunks.
fn recipe_virtual_stages(layers: u32, pipeline: u32) -> u32 {
    if !layers.is_multiple_of(pipeline) {
        return 1;
    }
    match layers / pipeline {
        many if many > MOST_VIRTUAL_STAGES && many % 2 == 0 => many / 2,
        many if many > MOST_VIRTUAL_STAGES => 1,
        few => few,
    }
}

/// Whether a run replayed its kernels from graphs and fused those of its experts, as far as the recipe of its stack,
/// its GPU and its release (`26.06.01` reads as 26.06) tell.
pub(super) fn is_newest(recipe: &Recipe, gpu: &str, release: &str) -> bool {
    recipe.replays.is_some_and(|replays| {
        year_and_month(release).is_some_and(|release| release >= replays.since)
            && find_gpu(gpu).is_some_and(|preset| replays.on.contains(&preset.gpu.family))
    })
}

/// Month of a release named `YY.MM` or `YY.MM.patch`; the middle of the year of any other.
pub(super) fn month(release: &str) -> u8 {
    year_and_month(release).map_or(6, |release| release.1)
}

fn year_and_month(release: &str) -> Option<(u8, u8)> {
    let mut parts = release.split('.').map(str::parse::<u8>);
    let (year, month) = (parts.next()?.ok()?, parts.next()?.ok()?);
    (1..=12).contains(&month).then_some((year, month))
}

/// What a model's published shape says beyond the columns of a file, where its name tells which it is: every
/// other layer of GPT-OSS sees 128 tokens, and all its linear layers carry biases.
pub(super) fn complete(model: &mut Model, name: &str) {
    let name = name.to_ascii_lowercase().replace(['-', '_'], " ");
    if name.contains("gpt oss") {
        model.window = Window { tokens: 128, full_every: 2 };
        model.bias = Bias::All;
    }
    model.prediction_layers = u32::from(name.contains("w/ mtp"));
}

/// Whether the exchange of tokens is hidden. Recipes of Megatron-Core hide it where it crosses the network, and
/// Megatron-Bridge's with fused experts everywhere (`moe_a2a_overlap`), which needs an interleaved pipeline to
/// have another micro-batch at hand.
fn overlaps_experts(scenario: &Scenario) -> bool {
    let software = &scenario.software;
    let recipe = &software.profile().recipe;
    if software.date() < recipe.hides_exchanges_since {
        return false;
    }
    match recipe.hides_exchanges {
        HiddenExchanges::Never => false,
        HiddenExchanges::Interleaved => {
            let fused = software.expert_kernels == ExpertKernels::Fused;
            scenario.plan.virtual_stages > 1 && (fused || Groups::new(scenario).experts.domains() > 1.0)
        }
        HiddenExchanges::Everywhere => true,
    }
}
