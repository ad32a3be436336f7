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
    /// For the GPUs of a node if all are of one stage: the most that a node of the stage needs.
    fn of_stage(scenario: &Scenario, stage: &StageTerms) -> Self {
        let cluster = &scenario.cluster;
        let gpus = f64::from(cluster.gpus_per_node.min(cluster.gpus));
        let [optimizer, parameters] = stage.states.host;
        let activations = stage.moment.offloaded(&stage.in_flight);
        let gib = |bytes: f64| Bytes(bytes * gpus).gib();
        Self {
            optimizer_gib: gib(optimizer),
            parameters_gib: gib(parameters),
            activations_gib: gib(activations),
            needed_gib: gib(optimizer + parameters + activations),
            ram_gib: (cluster.host_memory.0 > 0.0).then(|| cluster.host_memory.gib()),
        }
    }

    /// What the node needs whose stage needs most.
    pub(super) fn new<'t>(scenario: &Scenario, stages: impl Iterator<Item = &'t StageTerms>) -> Self {
        let of_stages = stages.map(|stage| Self::of_stage(scenario, stage));
        of_stages.fold(
            Self::default(),
            |most, one| {
                if one.needed_gib >= most.needed_gib { one } else { most }
            },
        )
    }

    /// Whether the node holds it; true if its memory is not known.
    pub fn holds(&self) -> bool {
        self.ram_gib.is_none_or(|ram| self.needed_gib <= ram)
    }
}
