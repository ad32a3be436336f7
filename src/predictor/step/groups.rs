//! Which ranks communicate: the groups of each parallel axis under the plan's mapping.

use crate::cost::GroupPlacement;
use crate::scenario::Scenario;
use crate::scenario::plan::Mapping;

/// Which ranks communicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessGroup {
    /// Tensor-parallel ranks.
    Tensor,
    /// Context-parallel ranks.
    Context,
    /// Neighbouring stages of a pipeline.
    Pipeline,
    /// Ranks that hold the same parameters: data-parallel times context-parallel.
    Data,
    /// Ranks over which one copy of sharded parameters is spread.
    Shard,
    /// Ranks that hold the same shard of different copies (HSDP, MiCS, sharding groups).
    Replicas,
    /// Ranks over which the routed experts of a layer are spread.
    Experts,
    /// Ranks over which one expert is split.
    ExpertTensor,
    /// Ranks that hold the same routed experts.
    ExpertData,
    /// First and last stage; in a mirrored pipeline, a stage and its mirror image.
    FirstAndLast,
}

/// Groups of every axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Groups {
    /// Tensor-parallel ranks (innermost).
    pub tensor: GroupPlacement,
    /// Context-parallel ranks.
    pub context: GroupPlacement,
    /// Pipeline neighbours.
    pub pipeline: GroupPlacement,
    /// Ranks of a stage that hold the same parameters: data-parallel times context-parallel.
    pub data: GroupPlacement,
    /// Ranks over which parameters are sharded.
    pub shard: GroupPlacement,
    /// Replicas of a shard (HSDP).
    pub replicas: GroupPlacement,
    /// Ranks to which the routed experts of a layer are assigned.
    pub experts: GroupPlacement,
    /// Ranks over which one expert is split.
    pub expert_tensor: GroupPlacement,
    /// Ranks that hold the same routed experts.
    pub expert_data: GroupPlacement,
    /// First and last stage, which share a tied embedding; in a mirrored pipeline, the farthest mirrored pair.
    pub first_and_last: GroupPlacement,
}

impl Groups {
    /// Placement of one kind of group.
    pub fn of(&self, group: ProcessGroup) -> GroupPlacement {
        match group {
            ProcessGroup::Tensor => self.tensor,
            ProcessGroup::Context => self.context,
            ProcessGroup::Pipeline => self.pipeline,
            ProcessGroup::Data => self.data,
            ProcessGroup::Shard => self.shard,
            ProcessGroup::Replicas => self.replicas,
            ProcessGroup::Experts => self.experts,
            ProcessGroup::ExpertTensor => self.expert_tensor,
            ProcessGroup::ExpertData => self.expert_data,
            ProcessGroup::FirstAndLast => self.first_and_last,
        }
    }

    /// Groups of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let plan = &scenario.plan;
        let domain = scenario.cluster.scale_up.domain;
        // Jobs take whole nodes; in a domain of many nodes they leave GPUs free that would split groups.
        let place = |size, stride| {
            if domain <= scenario.cluster.gpus_per_node {
                GroupPlacement::packed(size, stride, domain, scenario.cluster.gpus)
            } else {
                GroupPlacement::strided(size, stride, domain)
            }
        };
        let (t, c, p) = (plan.tensor_parallel, plan.context_parallel, plan.pipeline_parallel);
        let d = scenario.data_parallel();
        let [data_stride, pipeline_stride] = scenario.strides();
        let context = place(c, t);
        let data = GroupPlacement::product(&context, &place(d, data_stride));
        let (shard, replicas) = if plan.shards_in_groups() {
            let inside = shard_replicas(scenario);
            let across = d / inside.max(1);
            (
                GroupPlacement::product(&context, &place(inside, data_stride)),
                place(across, data_stride.saturating_mul(inside)),
            )
        } else {
            (data, place(1, 1))
        };
        // Experts are assigned to neighbouring ranks of a stage, across parallel axes (Megatron-Core's MoE parallel
        // folding). If stages separate data-parallel ranks, expert groups larger than one replica's part of a stage are
        // spread in the same way.
        let (split, experts) = (plan.expert_tensor_parallel.max(1), plan.expert_parallel.max(1));
        let copies = scenario.expert_data_parallel();
        let spread = match plan.mapping {
            Mapping::TensorPipelineData if split.saturating_mul(experts) > t.saturating_mul(c) => p,
            _ => 1,
        };
        Self {
            tensor: place(t, 1),
            context,
            pipeline: place(p, pipeline_stride),
            data,
            shard,
            replicas,
            experts: place(experts, split.saturating_mul(spread)),
            expert_tensor: place(split, 1),
            expert_data: place(copies, split.saturating_mul(experts).saturating_mul(spread)),
            first_and_last: first_and_last(scenario, pipeline_stride),
        }
    }
}

/// First and last stage of a pipeline whose stages are `stride` GPUs apart: the pair with the largest distance.
fn first_and_last(scenario: &Scenario, stride: u32) -> GroupPlacement {
    let (stages, domain) = (scenario.plan.pipeline_parallel, scenario.cluster.scale_up.domain);
    let pipeline = stride.saturating_mul(stages);
    // In racks, a job takes as many GPUs as whole pipelines fill.
    let filled = if domain > scenario.cluster.gpus_per_node && pipeline <= domain {
        domain / pipeline.max(1) * pipeline
    } else {
        domain
    };
    let distance = stride.saturating_mul(stages.saturating_sub(1)).max(1);
    GroupPlacement::pair(distance, stride, pipeline, filled, scenario.cluster.gpus)
}

/// Data-parallel ranks over which one copy of group-sharded states is spread: the largest divisor of the data-parallel
/// degree that is within the layout's value, or within a machine if the layout has none.
pub(crate) fn shard_replicas(scenario: &Scenario) -> u32 {
    let replicas = scenario.data_parallel();
    let node = scenario.cluster.gpus_per_node / scenario.plan.tensor_parallel.max(1);
    let most = if scenario.plan.shard_group > 0 { scenario.plan.shard_group } else { node };
    let inside = most.clamp(1, replicas);
    (1..=inside).rev().find(|ranks| replicas.is_multiple_of(*ranks)).unwrap_or(1)
}
