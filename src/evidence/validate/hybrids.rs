//! Settings of Nemotron 3 and DeepSeek-V4 that their runs leave to recipes.

use super::defaults::year_and_month;
use crate::scenario::Precision;
use crate::scenario::Scenario;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::model::StateRule;
use crate::scenario::plan::{Modules, Recompute};
use crate::scenario::stack::{Routing, Stack, TokenDispatch};

/// Fills what the recipes of Nemotron 3 and DeepSeek-V4 set and the columns leave open: prediction layers, and for AutoModel the
/// dispatcher and the routing. Returns the recomputation, unless the row states one. `selective` states none: it is Megatron's
/// word for a list of modules.
pub(super) fn fill_recipe<'a>(scenario: &mut Scenario, get: &impl Fn(&str) -> &'a str) -> Option<Recompute> {
    let bridge = scenario.software.stack == Stack::MegatronBridge;
    if bridge && scenario.model.output_latent.rank > 0 {
        // `num_nextn_predict_layers` of its config.json; the TFLOP/s and tokens/s of the tables agree to 0.1 %.
        scenario.model.prediction_layers = 1;
    }
    if scenario.model.recurrent.rule != StateRule::Mamba2 || scenario.model.experts.count == 0 {
        return None;
    }
    let open = get("recompute").is_empty() || get("recompute") == "selective";
    let recompute = if bridge {
        scenario.model.prediction_layers = prediction_layers(scenario, get("model"));
        of_bridge(scenario, year_and_month(get("release")))
    } else if get("stack").to_ascii_lowercase().contains("automodel") {
        // examples/llm_benchmark/nemotron/*.yaml: `dispatcher: deepep`, `fake_balanced_gate: true`,
        // `activation_checkpointing: true`.
        scenario.software.kernels.dispatch = TokenDispatch::Deepep;
        scenario.software.kernels.routing = Routing::InTurn;
        Recompute::Full
    } else {
        return None;
    };
    open.then_some(recompute)
}

/// Two predictions by one shared block in all but Nano (`mtp_num_layers`, `mtp_use_repeated_layer`:
/// src/megatron/bridge/recipes/nemotronh).
fn prediction_layers(scenario: &Scenario, name: &str) -> u32 {
    let predicts = scenario.model.experts.latent > 0 || name.to_ascii_lowercase().contains("lightning");
    if predicts { 2 } else { 0 }
}

/// `recompute_modules` of Megatron-Bridge's recipes: scripts/performance/configs/nemotronh of v0.3.1 to v0.5.0, from 26.08 on
/// src/megatron/bridge/perf_recipes/nemotronh, whose Super inherits the recipe for H100.
fn of_bridge(scenario: &Scenario, release: Option<(u8, u8)>) -> Recompute {
    let gpu = scenario.cluster.gpu;
    let latent = scenario.model.experts.latent;
    let in_node = scenario.cluster.scale_up.domain <= scenario.cluster.gpus_per_node;
    let activation = Modules::NORMS.and(Modules::ACTIVATION);
    let experts = activation.and(Modules::ATTENTION_CORE).and(Modules::FEED_FORWARD);
    match scenario.workload.precision {
        _ if latent == ULTRA_LATENT => Recompute::Modules(Modules::ACTIVATION),
        _ if latent > 0 && release >= Some((26, 8)) => Recompute::Modules(experts),
        Precision::Mxfp8 if latent > 0 && in_node && gpu.family == GpuFamily::Blackwell => {
            Recompute::Modules(activation)
        }
        Precision::Nvfp4 if latent > 0 && in_node && gpu.family == GpuFamily::BlackwellUltra => {
            Recompute::Modules(activation)
        }
        Precision::Fp8 if latent == 0 && gpu.family == GpuFamily::Hopper => Recompute::Modules(experts),
        _ => Recompute::None,
    }
}

/// Width of the latent of Nemotron 3 Ultra's experts.
const ULTRA_LATENT: u32 = 2048;
