//! Weights, gradients and optimizer states of one stage's GPU, sharded as ZeRO and FSDP shard them.

use super::facts::Facts;
use crate::scenario::Scenario;
use crate::scenario::plan::stages::StageParameters;
use crate::scenario::plan::{Mapping, Zero};

/// Bytes of a parameter in the compute format. FP8 and FP4 recipes keep 16-bit weights (or, with FP8
/// parameters, an 8-bit copy and its transpose: the same).
const WEIGHT: f64 = 2.0;
/// Bytes of Adam per parameter: 32-bit master weight and two moments (Rajbhandari et al. 2020, ZeRO).
const ADAM: f64 = 12.0;
/// Bytes of a gradient as the optimizer reads it.
const UPDATE_GRADIENT: f64 = 4.0;
/// Layers whose parameters are gathered at once under ZeRO-3 and FSDP: the one computed and the one
/// prefetched (PyTorch FSDP, `limit_all_gathers`).
const GATHERED_LAYERS: f64 = 2.0;

/// Model states of one GPU, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct States {
    pub(super) weights: f64,
    pub(super) gradients: f64,
    pub(super) optimizer: f64,
    /// Taken only while the optimizer runs, when no activations are alive.
    pub(super) update: f64,
}

impl States {
    pub(crate) fn new(scenario: &Scenario, facts: &Facts, parameters: &StageParameters) -> Self {
        let zero = scenario.plan.zero;
        let all = parameters.total();
        let ends = parameters.embedding + parameters.head + parameters.prediction;
        let largest = parameters.largest_layer();
        let ranks = sharding_ranks(scenario);
        let expert_ranks = f64::from(scenario.expert_data_parallel());
        // A rank's part of everything: routed experts are divided among their own replicas.
        let sharded = parameters.shared() / ranks + parameters.experts() / expert_ranks;
        let updated = if zero == Zero::None { all } else { sharded };
        let layers = f64::from(parameters.layers);

        let gradients = match zero {
            Zero::None | Zero::Optimizer => facts.gradient_bytes * all,
            // Whole gradients are accumulated until all micro-batches are through.
            Zero::Gradients if !scenario.plan.reduces_every_micro_batch() => facts.gradient_bytes * all,
            Zero::Gradients | Zero::Parameters | Zero::Hybrid => {
                // The whole gradients of a layer, and of the ends, exist until they are reduced.
                let whole = WEIGHT * (largest + ends);
                facts.gradient_bytes * all.min(sharded + whole / facts.gradient_bytes)
            }
        };
        let weights = match zero {
            Zero::None | Zero::Optimizer | Zero::Gradients => WEIGHT * all,
            Zero::Parameters | Zero::Hybrid => {
                let shard = if facts.master_only { 0.0 } else { sharded };
                WEIGHT * all.min(shard + largest * layers.min(GATHERED_LAYERS) + ends)
            }
        };
        let widened = facts.gradient_bytes < UPDATE_GRADIENT;
        // The host holds the optimizer's states where it updates.
        let on_gpu = if scenario.plan.offload_optimizer { 0.0 } else { updated };
        Self {
            weights,
            gradients,
            optimizer: ADAM * on_gpu,
            update: if widened { UPDATE_GRADIENT * on_gpu } else { 0.0 },
        }
    }
}

/// GPUs over which states are sharded: all replicas of a parameter (data and context parallel, as
/// Megatron-Core and PyTorch shard), or those within a node for hybrid sharding.
fn sharding_ranks(scenario: &Scenario) -> f64 {
    let plan = &scenario.plan;
    let replicas = f64::from(scenario.data_parallel())
        * f64::from(plan.context_parallel.max(1))
        * f64::from(plan.copies());
    if plan.zero != Zero::Hybrid {
        return replicas;
    }
    let pipeline_inside = match plan.mapping {
        Mapping::TensorDataPipeline => 1.0,
        Mapping::TensorPipelineData => f64::from(plan.pipeline_parallel.max(1)),
    };
    let inside = f64::from(plan.tensor_parallel.max(1)) * pipeline_inside;
    (f64::from(scenario.cluster.gpus_per_node) / inside).floor().min(replicas).max(1.0)
}
