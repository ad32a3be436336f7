//! What a run's source leaves out, filled with what the stack's users would run.

use crate::memory::least_recompute_that_fits;
use crate::model::Window;
use crate::operators::Groups;
use crate::plan::{Recompute, StageSplit};
use crate::scenario::Scenario;
use crate::stack::Stack;

/// Most virtual stages a recipe uses before it pairs layers up.
const MOST_VIRTUAL_STAGES: u32 = 12;

/// Year of selective recompute (Korthikanti et al., arXiv 2205.05198).
const SELECTIVE_SINCE: u16 = 2022;

/// Fills an empty `vpp` and `recompute`, and chooses how layers were dealt to stages.
pub(super) fn fill(
    scenario: &mut Scenario,
    no_virtual_stages: bool,
    no_recompute: bool,
    offloads: bool,
) -> Vec<String> {
    let mut assumed = Vec::new();
    let layers = scenario.model.layers;
    let pipeline = scenario.plan.pipeline_parallel;
    if no_virtual_stages && pipeline > 1 && scenario.software.stack.profile().interleaves {
        scenario.plan.virtual_stages = recipe_virtual_stages(layers, pipeline);
        assumed.push(format!("{} virtual stages", scenario.plan.virtual_stages));
    }
    // Only recipes whose layers do not divide evenly count the ends.
    let chunks = pipeline.saturating_mul(scenario.plan.virtual_stages).max(1);
    if layers.is_multiple_of(chunks) || scenario.software.stack.profile().is_eager() {
        scenario.plan.stage_split = StageSplit::Even;
    }
    scenario.plan.expert_overlap = overlaps_experts(scenario);
    if no_recompute {
        scenario.plan.recompute = usual_recompute(scenario, offloads);
        assumed.push(
            match scenario.plan.recompute {
                Recompute::None => "no recomputation",
                Recompute::Selective => "selective recomputation",
                Recompute::Full => "full recomputation",
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
    let selective = software.stack.profile().selective_recompute
        && (!software.stack.profile().is_eager() || software.year >= SELECTIVE_SINCE);
    match least_recompute_that_fits(scenario) {
        // Recipes for experts recompute modules (activation, up-projections), not layers.
        Recompute::Full if selective && (offloads || scenario.model.experts.count > 0) => {
            Recompute::Selective
        }
        Recompute::Selective if !selective => Recompute::Full,
        least => least,
    }
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

/// First release of Megatron-Bridge whose recipes for Blackwell replay kernels from CUDA graphs and fuse the
/// kernels of experts.
const NEWEST_SINCE: f64 = 26.06;

/// Whether a run replayed its kernels from graphs and fused those of its experts, as far as its stack, GPU
/// and release (`26.06.01` reads as 26.06) tell.
pub(super) fn is_newest(stack: Stack, gpu: &str, release: &str) -> bool {
    let blackwell = ["b200", "b300", "gb200", "gb300"].contains(&gpu);
    let mut parts = release.splitn(3, '.');
    let number = format!("{}.{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let since = number.parse::<f64>().is_ok_and(|release| release >= NEWEST_SINCE);
    stack == Stack::MegatronBridge && blackwell && since
}

/// Windows that a model is known for by its name: every other layer of GPT-OSS sees 128 tokens.
pub(super) fn window(model: &str) -> Window {
    let name = model.to_ascii_lowercase();
    if name.contains("gpt oss") || name.contains("gpt-oss") || name.contains("gpt_oss") {
        Window { tokens: 128, full_every: 2 }
    } else {
        Window::NONE
    }
}

/// Megatron-Bridge's recipes hide the exchange of tokens where it crosses the network, which needs an
/// interleaved pipeline to have another micro-batch at hand.
fn overlaps_experts(scenario: &Scenario) -> bool {
    scenario.software.stack == Stack::MegatronBridge
        && scenario.plan.virtual_stages > 1
        && Groups::new(scenario).experts.domains() > 1.0
}
