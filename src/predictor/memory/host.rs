//! Host memory that a node needs for what its GPUs offload.
//!
//! Per parameter whose optimizer is offloaded, 16 bytes for Adam: the states, the 32-bit weights and a 32-bit gradient (Ren et al.
//! 2021, ZeRO-Offload, section 4; DeepSpeed, `estimate_zero2_model_states_mem_needs`; FSDP's CPUOffload keeps the same).

use super::StageTerms;
use crate::scenario::Scenario;
use crate::units::Bytes;
use serde::Serialize;

/// Host memory of a node, GiB. All are zero without offloading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostMemory {
    /// Optimizer states, 32-bit weights and gradients of its GPUs.
    pub optimizer_gib: f64,
    /// Parameter shards.
    pub parameters_gib: f64,
    /// Offloaded part of the activations of all micro-batches in flight.
    pub activations_gib: f64,
    /// All of it.
    pub needed_gib: f64,
    /// Memory of the node; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ram_gib: Option<f64>,
}

impl HostMemory {
    /// What the node needs whose GPUs need most, by their stages.
    pub(super) fn new(scenario: &Scenario, stages: &[StageTerms]) -> Self {
        let cluster = &scenario.cluster;
        let of_stages: Vec<[f64; 3]> = stages.iter().map(of_gpu).collect();
        let mut most = [0.0; 3];
        if of_stages.as_flattened().iter().any(|bytes| *bytes > 0.0) {
            let gpus = 0..cluster.gpus;
            for first in gpus.step_by(cluster.gpus_per_node.max(1) as usize) {
                let end = first.saturating_add(cluster.gpus_per_node.max(1)).min(cluster.gpus);
                let of_node = (first..end).fold([0.0; 3], |sums: [f64; 3], gpu| {
                    let stage = stage_of(scenario, gpu) as usize;
                    let [a, b, c] = of_stages.get(stage).copied().unwrap_or_default();
                    let [x, y, z] = sums;
                    [x + a, y + b, z + c]
                });
                if of_node.iter().sum::<f64>() > most.iter().sum::<f64>() {
                    most = of_node;
                }
            }
        }
        let [optimizer_gib, parameters_gib, activations_gib] = most.map(|bytes| Bytes(bytes).gib());
        Self {
            optimizer_gib,
            parameters_gib,
            activations_gib,
            needed_gib: optimizer_gib + parameters_gib + activations_gib,
            ram_gib: (cluster.host_memory.0 > 0.0).then(|| cluster.host_memory.gib()),
        }
    }

    /// Whether the node holds it; true if its memory is not known.
    pub fn holds(&self) -> bool {
        self.ram_gib.is_none_or(|ram| self.needed_gib <= ram)
    }
}

/// Bytes of a GPU of a stage: its optimizer's, parameters, activations.
fn of_gpu(stage: &StageTerms) -> [f64; 3] {
    let [optimizer, parameters] = stage.states.host;
    [optimizer, parameters, stage.moment.offloaded(&stage.in_flight)]
}

/// The stage of a GPU.
fn stage_of(scenario: &Scenario, gpu: u32) -> u32 {
    let [_, stride] = scenario.strides();
    gpu / stride.max(1) % scenario.plan.pipeline_parallel.max(1)
}
