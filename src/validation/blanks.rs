//! What a run's source leaves out, filled with what the stack's users would run.

use crate::plan::{Recompute, StageSplit};
use crate::scenario::Scenario;

/// Most virtual stages a recipe uses before it pairs layers up.
const MOST_VIRTUAL_STAGES: u32 = 12;

/// Fills an empty `vpp` and `recompute`, and chooses how layers were dealt to stages.
pub(super) fn fill(scenario: &mut Scenario, no_virtual_stages: bool, no_recompute: bool) {
    let layers = scenario.model.layers;
    let pipeline = scenario.plan.pipeline_parallel;
    if no_virtual_stages && pipeline > 1 && scenario.software.stack.profile().interleaves {
        scenario.plan.virtual_stages = recipe_virtual_stages(layers, pipeline);
    }
    // Only recipes whose layers do not divide evenly count the ends.
    let chunks = pipeline.saturating_mul(scenario.plan.virtual_stages).max(1);
    if layers % chunks == 0 || scenario.software.stack.profile().is_eager() {
        scenario.plan.stage_split = StageSplit::Even;
    }
    if no_recompute {
        scenario.plan.recompute = Recompute::Selective;
    }
}

/// NVIDIA's recipes interleave one layer a chunk, or two where that would make too many chunks.
fn recipe_virtual_stages(layers: u32, pipeline: u32) -> u32 {
    if layers % pipeline != 0 {
        return 1;
    }
    match layers / pipeline {
        many if many > MOST_VIRTUAL_STAGES && many % 2 == 0 => many / 2,
        many if many > MOST_VIRTUAL_STAGES => 1,
        few => few,
    }
}
